/* SPDX-License-Identifier: MIT */
/*
 * A pool of engine processes, driven from the caller's thread with poll.
 *
 * A label is a pure function of (engine, position, limit): every position is preceded by the reset
 * and isready, sent as `position fen` with one engine thread and MultiPV 1, and searched with
 * `go nodes N` or `go depth N`. Which process answers, and in which order, is therefore nobody's
 * business: answers come in any order, with the caller's tag.
 *
 * An engine that dies, hangs over its deadline, or talks nonsense is killed with its process group
 * and started anew with back-off; the position is tried once more on a fresh engine and fails with
 * a reason if that fails too. A bestmove that is not legal, or (none), is that position's answer:
 * no restart.
 */
#ifndef PLYMILL_LABELER_POOL_H
#define PLYMILL_LABELER_POOL_H

#include <signal.h>
#include <stdint.h>

#include "formats/chess/fen.h"
#include "formats/chess/position.h"
#include "formats/io/error.h"
#include "formats/label.h"
#include "labeler/engine_config.h"
#include "labeler/health.h"

struct engine;

struct pool_job {
    uint64_t tag; /* the caller's */
    struct position position;
    char fen[FEN_MAX];  /* exactly what is sent */
    uint8_t limit_kind; /* enum label_limit, not LIMIT_NONE */
    uint64_t limit;
};

struct pool_client {
    void *context;
    /*
     * Fills *job: 1, 0 when there are no more, POOL_LATER when there is none right now, -1 on an
     * error (which ends the run). After POOL_LATER it is asked again when an answer came in, when
     * wake_fd can be read, or after 100 ms.
     */
    int (*next)(void *context, struct pool_job *job, struct error *err);
    /* An answer; for LABEL_FAILED and LABEL_NO_MOVE reason says why, else it is NULL. 0 or -1. */
    int (*done)(void *context, const struct pool_job *job, const struct label *label,
                const char *reason, struct error *err);
    /* Called at least every 100 ms while waiting (progress). NULL: not. */
    void (*tick)(void *context);
    /* Polled for input when next() said POOL_LATER; emptying it is next()'s business. 0: none. */
    int wake_fd;
};

struct pool_stats {
    uint64_t labels, failures, restarts;
};

struct pool;

#define POOL_LATER        2 /* answer of next() */
#define POOL_WORKERS_MAX  1024
#define POOL_RESTARTS_MAX 1000000 /* largest max_restarts */

/*
 * Starts `workers` engines and waits until all are ready, options verified against the engine's
 * `option` lines (unknown option, value out of range: ERROR_FAILED). Engines that end before they
 * are ready are started anew, and from the first that is ready on so are those that are late. More
 * than max_restarts failures are ERROR_FAILED while none was ever ready; later, and within the
 * window, ERROR_RETRY. config must outlive the pool, and so must the calling thread: engines die
 * with the thread that started them.
 */
int pool_open(const struct engine_config *config, unsigned workers, struct pool **pool,
              struct error *err);
/*
 * Runs jobs until next() gives 0 and all answers are in. *stop (may be NULL) set by a signal
 * handler: takes no new jobs, finishes or abandons the running ones within a second, returns
 * ERROR_RETRY.
 */
int pool_run(struct pool *pool, const struct pool_client *client, const volatile sig_atomic_t *stop,
             struct error *err);
/* The first engine, to ask what it is; valid until pool_run. */
const struct engine *pool_first_engine(const struct pool *pool);
void pool_stats(const struct pool *pool, struct pool_stats *stats);
/* How engines did since the pool was opened or this was last asked: what is in *health is lost. */
void pool_take_health(struct pool *pool, struct health *health);
/* quit, a short grace, then SIGKILL of the process groups. NULL is allowed. */
void pool_close(struct pool *pool);

#endif
