/* SPDX-License-Identifier: MIT */
/*
 * The state machine of one engine.
 */
#include "labeler/engine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/chess/fen.h"
#include "labeler/proc.h"
#include "labeler/text.h"

#define READS_PER_PUMP 64
#define QUOTE_MAX      120 /* of a foreign line in an error text */
#define FAILURE_MAX    400
#define END_WAIT_MS    100 /* between the end of stdout and the end of the process */

enum engine_state {
    STATE_GREETING,
    STATE_RESETTING,
    STATE_READY,
    STATE_SEARCHING,
    STATE_CONFIRMING,
    STATE_FAILED
};

static const char *const state_where[] = {
    [STATE_GREETING] = "before it said uciok",
    [STATE_RESETTING] = "before its first readyok",
    [STATE_READY] = "while it had nothing to do",
    [STATE_SEARCHING] = "in the middle of a search",
    [STATE_CONFIRMING] = "after its answer, before readyok",
    [STATE_FAILED] = "after it failed",
};

static const char *const state_awaits[] = {
    [STATE_GREETING] = "uciok",     [STATE_RESETTING] = "readyok",  [STATE_READY] = "anything",
    [STATE_SEARCHING] = "bestmove", [STATE_CONFIRMING] = "readyok", [STATE_FAILED] = "anything",
};

struct engine {
    const struct engine_config *config;
    struct proc proc;
    enum engine_state state;
    unsigned deadline_ms; /* of the state */
    int64_t deadline_us;  /* INT64_MAX: none */
    unsigned greeting_lines;
    char first_line[QUOTE_MAX]; /* what it said first, for the error text of what is no engine */
    char error_line[QUOTE_MAX]; /* the first "info string ...ERROR..." */
    char name[ENGINE_NAME_MAX];
    struct uci_options listed;
    struct setup setup;
    struct position position;
    struct answer answer;
    int64_t asked_us, search_us;
};

int64_t engine_clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void enter(struct engine *engine, enum engine_state state, unsigned deadline_ms)
{
    engine->state = state;
    engine->deadline_ms = deadline_ms;
    engine->deadline_us = engine_clock_us() + (int64_t)deadline_ms * 1000;
}

/*
 * A pipe that is broken or full needs no error of its own: the end of its output or the deadline
 * follow and say more.
 */
static void say(struct engine *engine, const char *text)
{
    (void)proc_write(&engine->proc, text);
}

/* Sets err, with what the engine itself complained about. */
static int fail(const struct engine *engine, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(const struct engine *engine, struct error *err, const char *format, ...)
{
    char what[FAILURE_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const char *complaint =
        engine->error_line[0] != 0 ? engine->error_line : engine->proc.complaint;
    return error_set(err, ERROR_FAILED, complaint[0] != 0 ? "%s; it said: %s" : "%s%s", what,
                     complaint);
}

int engine_start(const struct engine_config *config, const struct command *command,
                 struct engine **engine, struct error *err)
{
    struct engine *fresh = calloc(1, sizeof *fresh);
    *engine = NULL;
    if (fresh == NULL) {
        return error_memory(err);
    }
    fresh->config = config;
    if (proc_spawn(&fresh->proc, command, err) != 0) {
        free(fresh);
        return -1;
    }
    unsigned deadline_ms = config->start_deadline_ms;
    enter(fresh, STATE_GREETING, deadline_ms != 0 ? deadline_ms : ENGINE_START_DEADLINE_MS);
    say(fresh, "uci\n");
    *engine = fresh;
    return 0;
}

void engine_stop(struct engine *engine)
{
    if (engine == NULL) {
        return;
    }
    proc_kill(&engine->proc, NULL);
    uci_options_free(&engine->listed);
    free(engine);
}

void engine_say_quit(struct engine *engine)
{
    say(engine, "quit\n");
    proc_close_input(&engine->proc);
}

bool engine_has_ended(const struct engine *engine, int wait_ms)
{
    return proc_has_ended(&engine->proc, wait_ms);
}

static void say_reset(struct engine *engine)
{
    switch (engine->config->reset) {
    case RESET_UCINEWGAME:
        say(engine, "ucinewgame\nisready\n");
        break;
    case RESET_CLEAR_HASH:
        say(engine, "setoption name Clear Hash\nisready\n");
        break;
    case RESET_RESTART:
        say(engine, "isready\n");
        break;
    }
}

/* After uciok: what is to be set, checked as a whole before the first line is sent. */
static enum engine_event send_setup(struct engine *engine, struct error *err)
{
    char line[SETUP_LINE_MAX];
    if (setup_make(&engine->setup, engine->config, &engine->listed, err) != 0) {
        return ENGINE_FAILED;
    }
    for (size_t i = 0; i < engine->setup.count; i++) {
        const struct engine_option *option = &engine->setup.items[i];
        uci_format_setoption(option->name, option->value, line, sizeof line);
        say(engine, line);
    }
    say_reset(engine);
    engine->state = STATE_RESETTING; /* under the deadline of the whole start */
    return ENGINE_WAITING;
}

static enum engine_event take_greeting(struct engine *engine, const char *line, struct error *err)
{
    const char *rest;
    if (engine->first_line[0] == 0) {
        text_copy_printable(engine->first_line, sizeof engine->first_line, line);
    }
    if (++engine->greeting_lines > ENGINE_GREETING_LINES_MAX) {
        fail(engine, err, "it said %d lines, the first \"%s\", and no uciok: no UCI engine",
             ENGINE_GREETING_LINES_MAX, engine->first_line);
        return ENGINE_FAILED;
    }
    if ((rest = uci_after(line, "id")) != NULL && (rest = uci_after(rest, "name")) != NULL) {
        text_copy_printable(engine->name, sizeof engine->name, rest);
    } else if ((rest = uci_after(line, "option")) != NULL) {
        if (uci_options_add(&engine->listed, rest, err) < 0) {
            return ENGINE_FAILED;
        }
    } else if (uci_after(line, "uciok") != NULL) {
        return send_setup(engine, err);
    }
    return ENGINE_WAITING;
}

static enum engine_event become_ready(struct engine *engine, enum engine_event event)
{
    engine->state = STATE_READY;
    engine->deadline_us = INT64_MAX;
    return event;
}

static enum engine_event take_resetting(struct engine *engine, const char *line, struct error *err)
{
    if (strncmp(line, "No such option", 14) == 0) {
        char quoted[QUOTE_MAX];
        text_copy_printable(quoted, sizeof quoted, line);
        fail(engine, err, "it refuses an option that it lists: %s", quoted);
        return ENGINE_FAILED;
    }
    if (uci_after(line, "readyok") != NULL) {
        return become_ready(engine, ENGINE_STARTED);
    }
    return ENGINE_WAITING;
}

static enum engine_event take_searching(struct engine *engine, const char *line, struct error *err)
{
    const char *rest;
    if ((rest = uci_after(line, "info")) != NULL) {
        return answer_take_info(&engine->answer, rest, err) != 0 ? ENGINE_FAILED : ENGINE_WAITING;
    }
    if ((rest = uci_after(line, "bestmove")) != NULL) {
        engine->search_us = engine_clock_us() - engine->asked_us;
        if (answer_take_best_move(&engine->answer, &engine->position, rest, err) != 0) {
            return ENGINE_FAILED;
        }
        enter(engine, STATE_CONFIRMING, engine->deadline_ms);
        say_reset(engine);
    }
    return ENGINE_WAITING;
}

static enum engine_event take_line(struct engine *engine, const char *line, struct error *err)
{
    const char *text = uci_after(line, "info");
    if (text != NULL && engine->error_line[0] == 0 && uci_after(text, "string") != NULL &&
        strstr(text, "ERROR") != NULL) {
        text_copy_printable(engine->error_line, sizeof engine->error_line, text);
    }
    switch (engine->state) {
    case STATE_GREETING:
        return take_greeting(engine, line, err);
    case STATE_RESETTING:
        return take_resetting(engine, line, err);
    case STATE_SEARCHING:
        return take_searching(engine, line, err);
    case STATE_READY:
    case STATE_CONFIRMING:
        if (uci_after(line, "bestmove") != NULL) {
            fail(engine, err, "a bestmove that was not asked for");
            return ENGINE_FAILED;
        }
        if (engine->state == STATE_CONFIRMING && uci_after(line, "readyok") != NULL) {
            return become_ready(engine, ENGINE_ANSWERED);
        }
        return ENGINE_WAITING;
    case STATE_FAILED:
        break;
    }
    return ENGINE_WAITING;
}

/* Its output came to an end: did the process, too? */
static void fail_at_end(struct engine *engine, struct error *err)
{
    char status[PROC_STATUS_MAX];
    proc_has_ended(&engine->proc, END_WAIT_MS);
    proc_drain_log(&engine->proc);
    proc_kill(&engine->proc, status);
    if (status[0] != 0) {
        fail(engine, err, "it ended %s (%s)", state_where[engine->state], status);
    } else {
        fail(engine, err, "it closed its output %s", state_where[engine->state]);
    }
    if (err != NULL) {
        err->code = ERROR_RETRY;
    }
}

void engine_drain_log(struct engine *engine)
{
    proc_drain_log(&engine->proc);
}

enum engine_event engine_pump(struct engine *engine, struct error *err)
{
    unsigned budget = READS_PER_PUMP;
    enum engine_event event = ENGINE_WAITING;
    if (engine->state == STATE_FAILED) {
        return ENGINE_WAITING;
    }
    while (event == ENGINE_WAITING) {
        const char *line;
        enum proc_read got = proc_read_line(&engine->proc, &line, &budget);
        if (got == PROC_NOTHING) {
            return ENGINE_WAITING;
        }
        if (got == PROC_END) {
            fail_at_end(engine, err);
            event = ENGINE_FAILED;
        } else {
            event = take_line(engine, line, err);
        }
    }
    if (event == ENGINE_FAILED) {
        engine->state = STATE_FAILED;
        engine->deadline_us = INT64_MAX;
    }
    return event;
}

void engine_search(struct engine *engine, const struct position *position, const char *fen,
                   uint8_t limit_kind, uint64_t limit, unsigned deadline_ms)
{
    char text[FEN_MAX + 80];
    snprintf(text, sizeof text, "position fen %s\ngo %s %" PRIu64 "\n", fen,
             limit_kind == LIMIT_DEPTH ? "depth" : "nodes", limit);
    engine->position = *position;
    engine->error_line[0] = 0;
    answer_begin(&engine->answer, limit_kind, limit);
    enter(engine, STATE_SEARCHING, deadline_ms);
    engine->asked_us = engine_clock_us();
    say(engine, text);
}

const struct answer *engine_answer(const struct engine *engine)
{
    return &engine->answer;
}

int64_t engine_search_us(const struct engine *engine)
{
    return engine->search_us;
}

bool engine_is_ready(const struct engine *engine)
{
    return engine->state == STATE_READY;
}

int64_t engine_deadline_us(const struct engine *engine)
{
    return engine->deadline_us;
}

int engine_late_error(const struct engine *engine, struct error *err)
{
    if (engine->state == STATE_GREETING && engine->first_line[0] != 0) {
        return fail(engine, err, "no uciok within %u ms; its first line was \"%s\"",
                    engine->deadline_ms, engine->first_line);
    }
    return fail(engine, err, "no %s within %u ms", state_awaits[engine->state],
                engine->deadline_ms);
}

int engine_output_fd(const struct engine *engine)
{
    return engine->proc.output;
}

int engine_log_fd(const struct engine *engine)
{
    return engine->proc.log;
}

const char *engine_name(const struct engine *engine)
{
    return engine->name;
}

const struct uci_options *engine_listed(const struct engine *engine)
{
    return &engine->listed;
}

const struct setup *engine_setup(const struct engine *engine)
{
    return &engine->setup;
}
