/* SPDX-License-Identifier: MIT */
/*
 * One engine process and where it stands in the protocol. It never blocks: the owner polls its file
 * descriptors, pumps it, and looks at its deadline.
 *
 *   GREETING --uciok--> RESETTING --readyok--> READY --engine_search--> SEARCHING
 *                                                ^                          | bestmove
 *                                                +--------readyok------ CONFIRMING
 *
 * With the best move at hand the reset for the next position is sent at once, and the answer counts
 * only when readyok follows without a second bestmove: so no answer to an earlier question is ever
 * taken for this one, and no round trip is lost.
 */
#ifndef PLYMILL_LABELER_ENGINE_H
#define PLYMILL_LABELER_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/chess/position.h"
#include "formats/io/error.h"
#include "labeler/answer.h"
#include "labeler/command.h"
#include "labeler/engine_config.h"
#include "labeler/setup.h"
#include "labeler/uci.h"

#define ENGINE_NAME_MAX          256
#define ENGINE_START_DEADLINE_MS 20000 /* when the configuration says 0 */
#define ENGINE_GREETING_LINES_MAX                                                                  \
    20000 /* lines before uciok; more of them and it is no UCI engine */

struct engine;

enum engine_event {
    ENGINE_FAILED = -1, /* err says why (ERROR_RETRY: it ended); it can only be stopped now */
    ENGINE_WAITING,     /* nothing (more) for now */
    ENGINE_STARTED,     /* is ready for the first time */
    ENGINE_ANSWERED     /* engine_answer() holds the answer, and it is ready again */
};

/* Microseconds of CLOCK_MONOTONIC. */
int64_t engine_clock_us(void);

/* Starts the process. config and command must outlive it. */
int engine_start(const struct engine_config *config, const struct command *command,
                 struct engine **engine, struct error *err);
/* quit, if it is asked for with the help of engine_say_quit, then SIGKILL; frees. NULL is allowed.
 */
void engine_stop(struct engine *engine);
/* Sends quit and closes its stdin, without waiting. */
void engine_say_quit(struct engine *engine);
bool engine_has_ended(const struct engine *engine, int wait_ms);

/*
 * Only when ready. fen is sent as it is; position, its meaning, is copied. The deadline also holds
 * for the readyok behind the answer.
 */
void engine_search(struct engine *engine, const struct position *position, const char *fen,
                   uint8_t limit_kind, uint64_t limit, unsigned deadline_ms);
/* Takes what is there on its stderr: to be called when engine_log_fd has something to read. */
void engine_drain_log(struct engine *engine);
/* Takes what the process said, up to the next event. Call again until it says ENGINE_WAITING. */
enum engine_event engine_pump(struct engine *engine, struct error *err);
const struct answer *engine_answer(const struct engine *engine);
/* From the question to the best move. */
int64_t engine_search_us(const struct engine *engine);
bool engine_is_ready(const struct engine *engine);

/* When it is late, by engine_clock_us; INT64_MAX when nothing is asked of it. */
int64_t engine_deadline_us(const struct engine *engine);
/* Fills err for an engine over its deadline: what it did not say in how many ms. Returns -1. */
int engine_late_error(const struct engine *engine, struct error *err);

int engine_output_fd(const struct engine *engine);
int engine_log_fd(const struct engine *engine);

/* Once started: what it says it is, what it lists, and what it was sent. */
/* A buffer of ENGINE_NAME_MAX bytes. */
const char *engine_name(const struct engine *engine);
const struct uci_options *engine_listed(const struct engine *engine);
const struct setup *engine_setup(const struct engine *engine);

#endif
