/* SPDX-License-Identifier: MIT */
/*
 * How an engine is started and driven. Plain data, owned by the caller, that outlives pools.
 */
#ifndef PLYMILL_LABELER_ENGINE_CONFIG_H
#define PLYMILL_LABELER_ENGINE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum engine_reset {
    RESET_UCINEWGAME, /* ucinewgame + isready before every position */
    RESET_CLEAR_HASH, /* the "Clear Hash" button + isready */
    RESET_RESTART     /* a new process for every position */
};

struct engine_option {
    const char *name, *value; /* value NULL: a button */
};

struct engine_config {
    const char *command; /* program and arguments, split at blanks; '...' and "..." quote */
    unsigned hash_mb;    /* option Hash */
    enum engine_reset reset;
    bool chess960;                       /* UCI_Chess960 true */
    const struct engine_option *options; /* further UCI options, sent after ours */
    size_t option_count;
    unsigned deadline_ms; /* per position; 0: ten times the engine's own measured time, >= 5000 */
    unsigned start_deadline_ms; /* until uciok and the first readyok */
    unsigned max_restarts,
        restart_window_s; /* more restarts than that within: the run ends with 75 */
};

#endif
