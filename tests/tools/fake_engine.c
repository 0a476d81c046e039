/* SPDX-License-Identifier: MIT */
/*
 * A scripted UCI engine for tests: it plays no chess, but its answers are legal moves and a pure
 * function of (position, limit, Skill Level), and it can misbehave in every way that real engines
 * do.
 *
 *   --FAULT           in every search         die hang stop close illegal none twice late garbage
 *   --FAULT-at N      in this process's N-th   flood no-score; error and critical, which say so in
 * an
 *   --FAULT-on TEXT   where the FEN has TEXT   info string and fall silent; chatter, a megabyte on
 *                                             stderr; grow, which takes memory until there is none
 *   --once FILE       the faults above strike only if FILE is not there; striking makes it
 *   --delay MS        before every answer      --crlf          line ends
 *   --state           forgets to clear: answers depend on earlier positions, unless ucinewgame or
 *                     Clear Hash comes between; --leaky: even then; --deaf: not for ucinewgame
 *   --random          answers are another process's in every process
 *   --die-at-start --no-uciok --no-readyok --flood-at-start --complain TEXT (on stderr, then ends)
 *   --no-options (neither Hash nor MultiPV)    --reject (every option)
 *   --ignore-eof      lives on without stdin   --fill-stderr   without end, before it answers
 *   --memory MB       takes that much first    --name NAME     its id name
 *   --log FILE        appends every line that it reads
 *   --skill N         the default of its option Skill Level, on which all scores depend
 */
#include <ctype.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "formats/chess/fen.h"
#include "formats/chess/movegen.h"
#include "formats/chess/position.h"
#include "formats/chess/ucimove.h"

enum fault {
    FAULT_DIE,
    FAULT_HANG,
    FAULT_STOP,
    FAULT_CLOSE,
    FAULT_ILLEGAL,
    FAULT_NONE,
    FAULT_TWICE,
    FAULT_LATE,
    FAULT_GARBAGE,
    FAULT_FLOOD,
    FAULT_ERROR,
    FAULT_NO_SCORE,
    FAULT_CRITICAL,
    FAULT_CHATTER,
    FAULT_GROW,
    FAULT_COUNT
};

static const char *const fault_names[FAULT_COUNT] = {
    "die",     "hang",  "stop",  "close",    "illegal",  "none",    "twice", "late",
    "garbage", "flood", "error", "no-score", "critical", "chatter", "grow",
};

struct trigger {
    bool always;
    unsigned long at; /* 0: no */
    const char *on;
};

struct fake {
    struct trigger faults[FAULT_COUNT];
    const char *once, *name, *log, *complain;
    long delay_ms, memory_mb;
    bool crlf, state, leaky, deaf, random, die_at_start, no_uciok, no_readyok, flood_at_start,
        no_options;
    bool reject, ignore_eof, fill_stderr;
    bool chess960;
    long skill;
    unsigned long searches;
    uint64_t history; /* what --state leaks from earlier positions */
    struct position position;
    char earlier[256]; /* the last answer, for --late */
};

static void say(const struct fake *fake, const char *text)
{
    fputs(text, stdout);
    fputs(fake->crlf ? "\r\n" : "\n", stdout);
}

static _Noreturn void hang(void)
{
    fflush(stdout);
    for (;;) {
        pause();
    }
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static _Noreturn void flood(const struct fake *fake)
{
    for (;;) {
        say(fake, "info depth 1 currmove a2a3 currmovenumber 1");
    }
}

static void chatter(void)
{
    for (int i = 0; i < 20000; i++) {
        fprintf(stderr, "line %d of a log that nobody wants to read\n", i);
    }
}

/* Not more than a test may take where there is no limit. */
static _Noreturn void grow(void)
{
    for (int taken = 0; taken < 2048; taken += 16) {
        char *memory = malloc(16u << 20);
        if (memory == NULL) {
            fprintf(stderr, "fake_engine: out of memory after %d MB\n", taken);
            exit(1);
        }
        memset(memory, 1, 16u << 20);
    }
    abort();
}

/* FNV-1a over text, then mixed so that all bits are good. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != 0; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    }
    hash ^= hash >> 32;
    hash *= 0x9fb21c651e98df25;
    return hash ^ hash >> 29;
}

static void say_option(const struct fake *fake, const char *name_and_rest)
{
    char line[256];
    snprintf(line, sizeof line, "option name %s", name_and_rest);
    say(fake, line);
}

static void command_uci(struct fake *fake)
{
    char line[256];
    snprintf(line, sizeof line, "id name %s", fake->name);
    say(fake, line);
    say(fake, "id author the tests");
    say(fake, "");
    say_option(fake, "Threads type spin default 1 min 1 max 64");
    say_option(fake, "Clear Hash type button");
    if (!fake->no_options) {
        say_option(fake, "Hash type spin default 16 min 1 max 1024");
        say_option(fake, "MultiPV type spin default 1 min 1 max 500");
    }
    say_option(fake, "Skill Level type spin default 20 min -5 max 20");
    say_option(fake, "Analysis Contempt type combo default Both var Off var White var Both");
    say_option(fake, "UCI_Chess960 type check default false");
    say_option(fake, "EvalFile type string default fake.nnue");
    say_option(fake, "Debug Log File type string default ");
    if (fake->no_uciok) {
        hang();
    }
    say(fake, "uciok");
}

static void command_setoption(struct fake *fake, const char *line)
{
    static const char *const known[] = {
        "Threads value ",      "Clear Hash",          "Hash value ",     "MultiPV value ",
        "Skill Level value ",  "UCI_Chess960 value ", "EvalFile value ", "Analysis Contempt value ",
        "Debug Log File value"};
    const char *name = strstr(line, "name ");
    name = name != NULL ? name + 5 : "";
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        found = found || strncmp(name, known[i], strlen(known[i])) == 0;
    }
    if (!found || fake->reject) {
        char text[256];
        snprintf(text, sizeof text, "No such option: %.200s", name);
        say(fake, text);
        return;
    }
    if (strncmp(name, "Skill Level value ", 18) == 0) {
        fake->skill = strtol(name + 18, NULL, 10);
    } else if (strncmp(name, "UCI_Chess960 value ", 19) == 0) {
        fake->chess960 = strcmp(name + 19, "true") == 0;
    } else if (strcmp(name, "Clear Hash") == 0 && !fake->leaky) {
        fake->history = 0;
    }
}

static void play_moves(struct position *position, char *moves)
{
    char *rest = NULL;
    for (char *word = strtok_r(moves, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        uint16_t move = ucimove_parse(position, word, strlen(word));
        if (move == MOVE_NONE) {
            return;
        }
        position_make(position, move, NULL);
    }
}

/* A position that cannot be is answered as real engines do: with a crash. */
static void command_position(struct fake *fake, char *line)
{
    char *moves = strstr(line, " moves ");
    char *fen = strstr(line, "fen ");
    if (moves != NULL) {
        *moves = 0;
        moves += strlen(" moves ");
    }
    if (fen == NULL) {
        position_start(&fake->position);
    } else if (fen_parse(fen + 4, strlen(fen + 4), FEN_REJECT_BAD_CASTLING, &fake->position,
                         NULL) != FEN_OK) {
        raise(SIGSEGV);
    }
    if (moves != NULL) {
        play_moves(&fake->position, moves);
    }
}

/* Does the fault strike in this search? */
static bool strikes(const struct fake *fake, enum fault fault, const char *fen)
{
    const struct trigger *trigger = &fake->faults[fault];
    bool wanted = trigger->always || (trigger->at != 0 && trigger->at == fake->searches) ||
                  (trigger->on != NULL && strstr(fen, trigger->on) != NULL);
    if (!wanted || fake->once == NULL) {
        return wanted;
    }
    FILE *mark = fopen(fake->once, "wx");
    if (mark == NULL) {
        return false;
    }
    fclose(mark);
    return true;
}

/* The faults after which no answer comes. */
static void fail_before_answer(const struct fake *fake, const char *fen)
{
    if (strikes(fake, FAULT_DIE, fen)) {
        fflush(stdout);
        abort();
    }
    if (strikes(fake, FAULT_CLOSE, fen)) {
        fclose(stdout);
        for (;;) {
            pause();
        }
    }
    if (strikes(fake, FAULT_ERROR, fen)) {
        say(fake, "info string ERROR: the net could not be read");
        hang();
    }
    if (strikes(fake, FAULT_CRITICAL, fen)) {
        say(fake, "info string CRITICAL ERROR: the network is not what it should be");
        hang();
    }
    if (strikes(fake, FAULT_HANG, fen)) {
        hang();
    }
    if (strikes(fake, FAULT_GROW, fen)) {
        grow();
    }
    if (strikes(fake, FAULT_CHATTER, fen)) {
        chatter();
    }
    if (strikes(fake, FAULT_STOP, fen)) {
        raise(SIGSTOP);
    }
    if (strikes(fake, FAULT_FLOOD, fen)) {
        flood(fake);
    }
}

struct fake_score {
    uint64_t hash, nodes;
    unsigned depth;
    const char *move;
};

static void say_score(const struct fake *fake, const struct fake_score *score, unsigned depth,
                      int shift, const char *bound)
{
    char line[256];
    int value = (int)(score->hash % 1801) - 900 + shift;
    const char *kind = "cp";
    if (score->hash >> 16 & 31) {
        value = value < -900 ? -900 : value > 900 ? 900 : value;
    } else {
        kind = "mate";
        value = value >= 0 ? value / 90 + 1 : value / 90 - 1;
    }
    snprintf(line, sizeof line,
             "info depth %u seldepth %u multipv 1 score %s %d%s nodes %" PRIu64
             " nps 1000000 hashfull 1 tbhits 0 time 1 pv %s",
             depth, depth + 2, kind, value, bound, score->nodes, score->move);
    say(fake, line);
}

static void say_scores(const struct fake *fake, const struct fake_score *score)
{
    unsigned kind = score->hash >> 24 & 15;
    if (kind != 0) {
        say_score(fake, score, score->depth - 1, 0, "");
    }
    say(fake, "info depth 4 currmove a2a3 currmovenumber 1");
    if (kind < 4) {
        say_score(fake, score, score->depth, kind & 1 ? -17 : 23,
                  kind & 1 ? " upperbound" : " lowerbound");
    } else {
        say_score(fake, score, score->depth, 5, "");
    }
}

static void say_best_move(struct fake *fake, const char *fen, const char *move)
{
    char line[64];
    snprintf(line, sizeof line, "bestmove %s",
             strikes(fake, FAULT_ILLEGAL, fen) ? "a1a1"
             : strikes(fake, FAULT_NONE, fen)  ? "(none)"
                                               : move);
    say(fake, line);
    if (strikes(fake, FAULT_TWICE, fen)) {
        say(fake, line);
    }
    snprintf(fake->earlier, sizeof fake->earlier, "%s", line);
}

static void answer(struct fake *fake, const char *fen, const char *limit)
{
    uint16_t moves[MOVES_MAX];
    unsigned count = movegen_legal(&fake->position, moves);
    if (count == 0) {
        say(fake, position_checkers(&fake->position) != 0 ? "info depth 0 score mate 0"
                                                          : "info depth 0 score cp 0");
        say(fake, "bestmove (none)");
        return;
    }
    struct fake_score score = {.hash = hash_text(hash_text(0xcbf29ce484222325, fen), limit)};
    char skill[32];
    snprintf(skill, sizeof skill, "%ld", fake->skill);
    score.hash = hash_text(score.hash, skill);
    if (fake->random) {
        score.hash ^= hash_text((uint64_t)getpid() + fake->searches, fen);
    }
    if (fake->state || fake->leaky || fake->deaf) {
        score.hash ^= fake->history;
        fake->history = hash_text(score.hash, fen);
    }
    char move[UCIMOVE_MAX];
    ucimove_format(moves[(score.hash >> 32) % count], fake->chess960, move);
    score.move = move;
    score.depth = 5 + (unsigned)(score.hash >> 40 & 7);
    score.nodes = strtoull(limit, NULL, 10) + (score.hash >> 48 & 3);
    if (strikes(fake, FAULT_LATE, fen) && fake->earlier[0] != 0) {
        say_scores(fake, &score);
        say(fake, fake->earlier);
        fflush(stdout);
        sleep_ms(20);
    }
    if (!strikes(fake, FAULT_NO_SCORE, fen)) {
        say_scores(fake, &score);
    }
    say_best_move(fake, fen, move);
}

static void command_go(struct fake *fake, const char *line)
{
    char fen[FEN_MAX];
    fen_format(&fake->position, FEN_XFEN, fen);
    fake->searches++;
    const char *limit = strstr(line, "nodes ");
    limit = limit != NULL                    ? limit + 6
            : strstr(line, "depth ") != NULL ? strstr(line, "depth ") + 6
                                             : "0";
    if (strcmp(limit, "0") == 0) {
        return; /* searches without end, until stop */
    }
    fail_before_answer(fake, fen);
    sleep_ms(fake->delay_ms);
    if (strikes(fake, FAULT_GARBAGE, fen)) {
        say(fake, "\x01\xff garbage \x7f info depth nonsense");
        say(fake, "info depth 3 score cp");
    }
    answer(fake, fen, limit);
}

/* False after quit. */
static bool obey(struct fake *fake, char *line)
{
    if (strcmp(line, "uci") == 0) {
        command_uci(fake);
    } else if (strcmp(line, "isready") == 0) {
        if (!fake->no_readyok) {
            say(fake, "readyok");
        }
    } else if (strcmp(line, "ucinewgame") == 0) {
        fake->history = fake->leaky || fake->deaf ? fake->history : 0;
    } else if (strncmp(line, "setoption ", 10) == 0) {
        command_setoption(fake, line);
    } else if (strncmp(line, "position ", 9) == 0) {
        command_position(fake, line);
    } else if (strncmp(line, "go", 2) == 0) {
        command_go(fake, line);
    } else if (strcmp(line, "quit") == 0) {
        return false;
    } else if (strcmp(line, "stop") != 0 && line[0] != 0) {
        char text[256];
        snprintf(text, sizeof text, "Unknown command: %.200s", line);
        say(fake, text);
    }
    return true;
}

static void log_line(const struct fake *fake, const char *line)
{
    FILE *log = fake->log != NULL ? fopen(fake->log, "a") : NULL;
    if (log != NULL) {
        fprintf(log, "%s\n", line);
        fclose(log);
    }
}

static void run(struct fake *fake)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    bool on = true;
    while (on && (length = getline(&line, &capacity, stdin)) >= 0) {
        while (length > 0 && isspace((unsigned char)line[length - 1])) {
            line[--length] = 0;
        }
        log_line(fake, line);
        on = obey(fake, line);
        fflush(stdout);
    }
    free(line);
    if (fake->ignore_eof) {
        signal(SIGTERM, SIG_IGN);
        hang();
    }
}

/* --FAULT, --FAULT-at N, --FAULT-on TEXT. The number of arguments used, 0 when it is none. */
static int take_fault(struct fake *fake, const char *name, const char *value)
{
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        size_t length = strlen(fault_names[i]);
        if (strncmp(name, fault_names[i], length) != 0) {
            continue;
        }
        if (name[length] == 0) {
            fake->faults[i].always = true;
            return 1;
        }
        if (strcmp(name + length, "-at") == 0 && value != NULL) {
            fake->faults[i].at = strtoul(value, NULL, 10);
            return 2;
        }
        if (strcmp(name + length, "-on") == 0 && value != NULL) {
            fake->faults[i].on = value;
            return 2;
        }
    }
    return 0;
}

static int take_flag(struct fake *fake, const char *name)
{
    struct {
        const char *name;
        bool *flag;
    } flags[] = {
        {"crlf", &fake->crlf},
        {"state", &fake->state},
        {"leaky", &fake->leaky},
        {"deaf", &fake->deaf},
        {"random", &fake->random},
        {"die-at-start", &fake->die_at_start},
        {"no-uciok", &fake->no_uciok},
        {"no-readyok", &fake->no_readyok},
        {"flood-at-start", &fake->flood_at_start},
        {"no-options", &fake->no_options},
        {"reject", &fake->reject},
        {"ignore-eof", &fake->ignore_eof},
        {"fill-stderr", &fake->fill_stderr},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(name, flags[i].name) == 0) {
            *flags[i].flag = true;
            return 1;
        }
    }
    return 0;
}

static int take_value(struct fake *fake, const char *name, const char *value)
{
    if (value == NULL) {
        return 0;
    }
    if (strcmp(name, "delay") == 0) {
        fake->delay_ms = strtol(value, NULL, 10);
    } else if (strcmp(name, "memory") == 0) {
        fake->memory_mb = strtol(value, NULL, 10);
    } else if (strcmp(name, "name") == 0) {
        fake->name = value;
    } else if (strcmp(name, "log") == 0) {
        fake->log = value;
    } else if (strcmp(name, "once") == 0) {
        fake->once = value;
    } else if (strcmp(name, "complain") == 0) {
        fake->complain = value;
    } else if (strcmp(name, "skill") == 0) {
        fake->skill = strtol(value, NULL, 10);
    } else {
        return 0;
    }
    return 2;
}

static bool take_arguments(struct fake *fake, int argc, char **argv)
{
    for (int i = 1; i < argc;) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        int used = 0;
        if (strncmp(argv[i], "--", 2) == 0) {
            used = take_flag(fake, argv[i] + 2);
            used = used != 0 ? used : take_fault(fake, argv[i] + 2, value);
            used = used != 0 ? used : take_value(fake, argv[i] + 2, value);
        }
        if (used == 0) {
            fprintf(stderr, "fake_engine: what is %s?\n", argv[i]);
            return false;
        }
        i += used;
    }
    return true;
}

/* The faults that come before the first line is read. False: end now. */
static bool start(const struct fake *fake)
{
    if (fake->complain != NULL) {
        fprintf(stderr, "%s\n", fake->complain);
        return false;
    }
    if (fake->memory_mb > 0) {
        size_t size = (size_t)fake->memory_mb << 20;
        char *memory = malloc(size);
        if (memory == NULL) {
            fprintf(stderr, "fake_engine: no memory\n");
            return false;
        }
        memset(memory, 1, size);
        free(memory);
    }
    if (fake->flood_at_start) {
        flood(fake);
    }
    for (int i = 0; fake->fill_stderr && i < 5; i++) {
        chatter();
    }
    return !fake->die_at_start;
}

int main(int argc, char **argv)
{
    struct fake fake = {.name = "Fake 1", .skill = 20};
    position_start(&fake.position);
    if (!take_arguments(&fake, argc, argv) || !start(&fake)) {
        return 1;
    }
    run(&fake);
    return 0;
}
