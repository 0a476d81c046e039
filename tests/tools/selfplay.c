/* SPDX-License-Identifier: MIT */
/*
 * Makes the demo games: a UCI engine plays itself at low and varied node counts, from varied
 * openings and with random moves strewn in, so that strengths, results and positions are as mixed
 * as in games between people. Real archives cannot be part of this project; these games can.
 *
 * selfplay ENGINE GAMES SEED [WORKERS] > games.pgn
 *
 * Game i depends on SEED + i and the engine only, so the bytes are the same for any number of
 * workers. Every worker process owns one engine and plays every WORKERS-th game into a temporary
 * file; the games are put in order at the end.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/chess/bitboard.h"
#include "formats/chess/movegen.h"
#include "formats/chess/position.h"
#include "formats/chess/poskey.h"
#include "formats/chess/san.h"
#include "formats/chess/ucimove.h"

#define PLIES_MAX     240
#define WORKERS_MAX   64
#define LINE_MAX_SIZE 8192
#define GAME_TEXT_MAX 8192
#define JUDGE_NODES   2000 /* looks at an opening before it is played on */
#define OPENING_LIMIT 250  /* centipawns */
#define RESIGN_LIMIT  900
#define RESIGN_MOVES  3
#define DRAW_LIMIT    10
#define DRAW_PLIES    10
#define DRAW_FROM_PLY 70
#define MATE_SCORE    30000
#define MONTH_SECONDS (31u * 24 * 3600)
#define LEVELS        16
#define EARLY_PLIES   16
#define EARLY_RANDOM  15 /* percent of moves */
#define LATE_RANDOM   3

static const unsigned level_nodes[LEVELS] = {20,  26,  33,  42,  54,  69,  88,  112,
                                             143, 183, 234, 299, 383, 489, 626, 800};

static void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

static void die(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("selfplay: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

/* splitmix64 */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned random_below(uint64_t *state, unsigned limit)
{
    return (unsigned)(random_next(state) % limit);
}

struct engine {
    pid_t process;
    FILE *to, *from;
};

static void engine_exec(const char *path, const int to[2], const int from[2])
{
    if (dup2(to[0], STDIN_FILENO) < 0 || dup2(from[1], STDOUT_FILENO) < 0)
        die("dup2 failed");
    close(to[0]);
    close(to[1]);
    close(from[0]);
    close(from[1]);
    execl(path, path, (char *)NULL);
    die("cannot run %s", path);
}

static void engine_wait_for(struct engine *engine, const char *word, char line[LINE_MAX_SIZE])
{
    do {
        if (!fgets(line, LINE_MAX_SIZE, engine->from))
            die("the engine ended while waiting for %s", word);
    } while (strncmp(line, word, strlen(word)) != 0);
}

static void engine_start(struct engine *engine, const char *path)
{
    int to[2], from[2];
    char line[LINE_MAX_SIZE];

    if (pipe(to) || pipe(from))
        die("pipe failed");
    engine->process = fork();
    if (engine->process < 0)
        die("fork failed");
    if (engine->process == 0)
        engine_exec(path, to, from);
    close(to[0]);
    close(from[1]);
    engine->to = fdopen(to[1], "w");
    engine->from = fdopen(from[0], "r");
    if (!engine->to || !engine->from)
        die("fdopen failed");
    fputs("uci\nsetoption name Hash value 1\nisready\n", engine->to);
    fflush(engine->to);
    engine_wait_for(engine, "readyok", line);
}

static void engine_stop(struct engine *engine)
{
    fputs("quit\n", engine->to);
    fclose(engine->to);
    fclose(engine->from);
    waitpid(engine->process, NULL, 0);
}

static void engine_new_game(struct engine *engine)
{
    char line[LINE_MAX_SIZE];

    fputs("ucinewgame\nisready\n", engine->to);
    fflush(engine->to);
    engine_wait_for(engine, "readyok", line);
}

struct player {
    unsigned level, elo;
    bool resigns;       /* some never do */
    int score;          /* last word of the engine on his position, centipawns */
    unsigned bad_moves; /* how often in a row it was hopeless */
};

struct game {
    uint64_t random;
    struct position position;
    struct player player[2];
    bool draws_agreed; /* do these two agree on draws? */
    unsigned quiet_plies;
    unsigned plies;
    char moves[PLIES_MAX * UCIMOVE_MAX + 1];
    size_t moves_size;
    char text[GAME_TEXT_MAX];
    size_t text_size;
    uint8_t keys[PLIES_MAX + 1][POSKEY_BOARD_SIZE];
};

static void read_score(const char *line, int *score)
{
    const char *cp = strstr(line, " score cp "), *mate = strstr(line, " score mate ");

    if (cp)
        *score = (int)strtol(cp + strlen(" score cp "), NULL, 10);
    else if (mate)
        *score = mate[strlen(" score mate ")] == '-' ? -MATE_SCORE : MATE_SCORE;
}

/* The engine's move, and its score for the side to move. */
static uint16_t search(struct engine *engine, const struct game *game, unsigned nodes, int *score)
{
    char line[LINE_MAX_SIZE];

    fprintf(engine->to, "position startpos moves%s\ngo nodes %u\n", game->moves, nodes);
    fflush(engine->to);
    for (;;) {
        if (!fgets(line, sizeof line, engine->from))
            die("the engine ended during a search");
        if (strncmp(line, "bestmove ", 9) == 0)
            break;
        read_score(line, score);
    }
    char *text = line + strlen("bestmove ");
    uint16_t move = ucimove_parse(&game->position, text, strcspn(text, " \r\n"));
    if (move == MOVE_NONE)
        die("the engine played %s", text);
    return move;
}

static void append(struct game *game, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append(struct game *game, const char *format, ...)
{
    va_list arguments;
    size_t room = sizeof game->text - game->text_size;

    va_start(arguments, format);
    int size = vsnprintf(game->text + game->text_size, room, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= room)
        die("a game is longer than %d bytes", GAME_TEXT_MAX);
    game->text_size += (size_t)size;
}

static void play(struct game *game, uint16_t move)
{
    char san[SAN_MAX], uci[UCIMOVE_MAX];

    san_format(&game->position, move, san);
    ucimove_format(move, false, uci);
    if (game->position.side == WHITE)
        append(game, "%u. ", game->plies / 2 + 1);
    append(game, "%s ", san);
    game->moves[game->moves_size++] = ' ';
    memcpy(game->moves + game->moves_size, uci, strlen(uci) + 1);
    game->moves_size += strlen(uci);
    position_make(&game->position, move, NULL);
    game->plies++;
    poskey_board(&game->position, game->keys[game->plies]);
}

static bool play_random(struct game *game)
{
    uint16_t moves[MOVES_MAX];
    unsigned count = movegen_legal(&game->position, moves);

    if (count > 0)
        play(game, moves[random_below(&game->random, count)]);
    return count > 0;
}

static bool is_threefold(const struct game *game)
{
    unsigned same = 0;

    for (unsigned ply = 0; ply <= game->plies; ply++)
        same += memcmp(game->keys[ply], game->keys[game->plies], POSKEY_BOARD_SIZE) == 0;
    return same >= 3;
}

/* Bare kings, one minor piece, or bishops on squares of one colour only. */
static bool is_dead(const struct position *position)
{
    const uint64_t dark = UINT64_C(0xaa55aa55aa55aa55);
    uint64_t minor = position->type[KNIGHT] | position->type[BISHOP];
    uint64_t bishops = position->type[BISHOP];

    if (position->type[PAWN] | position->type[ROOK] | position->type[QUEEN])
        return false;
    return bitboard_count(minor) <= 1 ||
           (!position->type[KNIGHT] && (!(bishops & dark) || !(bishops & ~dark)));
}

static void start_over(struct game *game)
{
    position_start(&game->position);
    game->plies = 0;
    game->moves_size = game->text_size = 0;
    game->moves[0] = '\0';
    poskey_board(&game->position, game->keys[0]);
}

/* Random moves from the start, until they give a position that is not lost already. */
static void play_opening(struct engine *engine, struct game *game)
{
    for (;;) {
        unsigned plies = 2 + random_below(&game->random, 9);
        int score = 0;
        start_over(game);
        while (plies > 0 && play_random(game))
            plies--;
        if (plies > 0 || !movegen_has_legal(&game->position))
            continue;
        search(engine, game, JUDGE_NODES, &score);
        if (abs(score) < OPENING_LIMIT)
            return;
    }
}

static const char *win_of(unsigned colour)
{
    return colour == WHITE ? "1-0" : "0-1";
}

/* What the rules say about the position, or NULL while the game goes on. */
static const char *result_by_rules(const struct game *game)
{
    const struct position *position = &game->position;

    if (!movegen_has_legal(position))
        return position_checkers(position) ? win_of(!position->side) : "1/2-1/2";
    if (position->halfmove >= 100 || game->plies >= PLIES_MAX || is_threefold(game) ||
        is_dead(position))
        return "1/2-1/2";
    return NULL;
}

/* What the players say about it after a move of the engine's; or NULL. */
static const char *result_by_players(struct game *game, struct player *mover, unsigned colour)
{
    mover->bad_moves = mover->score <= -RESIGN_LIMIT ? mover->bad_moves + 1 : 0;
    game->quiet_plies = abs(mover->score) <= DRAW_LIMIT ? game->quiet_plies + 1 : 0;
    if (mover->resigns && mover->bad_moves >= RESIGN_MOVES)
        return win_of(!colour);
    if (game->draws_agreed && game->plies >= DRAW_FROM_PLY && game->quiet_plies >= DRAW_PLIES)
        return "1/2-1/2";
    return NULL;
}

static const char *play_on(struct engine *engine, struct game *game)
{
    const char *result = result_by_rules(game);

    while (!result) {
        unsigned colour = game->position.side;
        struct player *mover = &game->player[colour];
        unsigned randomness = game->plies < EARLY_PLIES ? EARLY_RANDOM : LATE_RANDOM;
        if (random_below(&game->random, 100) < randomness) {
            play_random(game);
        } else {
            play(game, search(engine, game, level_nodes[mover->level], &mover->score));
            result = result_by_players(game, mover, colour);
        }
        if (!result || !movegen_has_legal(&game->position))
            result = result_by_rules(game);
    }
    return result;
}

/* Two of about equal strength, as a pairing server would find. */
static void choose_players(struct game *game)
{
    unsigned level = random_below(&game->random, LEVELS);

    for (unsigned colour = WHITE; colour <= BLACK; colour++) {
        struct player *player = &game->player[colour];
        player->level = level;
        player->elo = 1000 + 90 * level + random_below(&game->random, 161) - 80;
        player->resigns = random_below(&game->random, 10) < 6;
        level = (level + random_below(&game->random, 7) + LEVELS - 3) % LEVELS;
    }
    game->draws_agreed = random_below(&game->random, 2);
}

static void write_id(uint64_t *random, char id[9])
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    for (unsigned i = 0; i < 8; i++)
        id[i] = digits[random_below(random, 62)];
    id[8] = '\0';
}

static void write_tags(struct game *game, unsigned long number, unsigned long games,
                       const char *result, FILE *out)
{
    static const char *const controls[] = {"180+0", "180+2", "300+0", "300+3"};
    unsigned long time = (unsigned long)((uint64_t)MONTH_SECONDS * number / games);
    const struct player *white = &game->player[WHITE], *black = &game->player[BLACK];
    char id[9];

    write_id(&game->random, id);
    fprintf(out, "[Event \"Rated Blitz game\"]\n[Site \"https://lichess.org/%s\"]\n", id);
    fprintf(out, "[White \"engine_%u_nodes\"]\n[Black \"engine_%u_nodes\"]\n",
            level_nodes[white->level], level_nodes[black->level]);
    fprintf(out, "[Result \"%s\"]\n[UTCDate \"2024.01.%02lu\"]\n", result, 1 + time / 86400);
    fprintf(out, "[UTCTime \"%02lu:%02lu:%02lu\"]\n", time / 3600 % 24, time / 60 % 60, time % 60);
    fprintf(out, "[WhiteElo \"%u\"]\n[BlackElo \"%u\"]\n[ECO \"?\"]\n[Opening \"?\"]\n", white->elo,
            black->elo);
    fprintf(out, "[TimeControl \"%s\"]\n[Termination \"Normal\"]\n\n",
            controls[random_below(&game->random, 4)]);
}

static void write_game(struct engine *engine, uint64_t seed, unsigned long number,
                       unsigned long games, FILE *out)
{
    static struct game game;

    memset(&game, 0, sizeof game);
    game.random = seed + number;
    random_next(&game.random);
    choose_players(&game);
    engine_new_game(engine);
    play_opening(engine, &game);
    engine_new_game(engine);
    const char *result = play_on(engine, &game);
    write_tags(&game, number, games, result, out);
    fprintf(out, "%s%s\n\n", game.text, result);
}

struct plan {
    const char *engine;
    unsigned long games, workers;
    uint64_t seed;
};

/* Plays games worker, worker + workers, ...; an empty line and a NUL end each in the file. */
static void run_worker(const struct plan *plan, unsigned long worker, FILE *out)
{
    struct engine engine;

    engine_start(&engine, plan->engine);
    for (unsigned long i = worker; i < plan->games; i += plan->workers) {
        write_game(&engine, plan->seed, i, plan->games, out);
        fputc('\0', out);
    }
    engine_stop(&engine);
    if (fflush(out) || ferror(out))
        die("cannot write the games");
}

static void copy_game(FILE *in, FILE *out)
{
    int c;

    while ((c = getc(in)) != '\0') {
        if (c == EOF)
            die("a worker has left games out");
        putc(c, out);
    }
}

static void run(const struct plan *plan)
{
    FILE *files[WORKERS_MAX];
    int status, failed = 0;

    for (unsigned long w = 0; w < plan->workers; w++) {
        files[w] = tmpfile();
        pid_t process = files[w] ? fork() : -1;
        if (process < 0)
            die("cannot start a worker");
        if (process == 0) {
            run_worker(plan, w, files[w]);
            _exit(0);
        }
    }
    while (wait(&status) > 0)
        failed |= status;
    if (failed)
        die("a worker has failed");
    for (unsigned long w = 0; w < plan->workers; w++)
        rewind(files[w]);
    for (unsigned long i = 0; i < plan->games; i++)
        copy_game(files[i % plan->workers], stdout);
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 5)
        die("usage: selfplay ENGINE GAMES SEED [WORKERS] > games.pgn");
    struct plan plan = {argv[1], strtoul(argv[2], NULL, 10), 2, strtoull(argv[3], NULL, 10)};
    if (argc == 5)
        plan.workers = strtoul(argv[4], NULL, 10);
    if (plan.workers < 1 || plan.workers > WORKERS_MAX)
        die("workers: 1 to %d", WORKERS_MAX);
    run(&plan);
    if (fflush(stdout) || ferror(stdout))
        die("cannot write the games");
    return 0;
}
