/* SPDX-License-Identifier: MIT */
/*
 * A handful of threads that share out numbered units of work. Who does which unit is left to
 * chance, so a unit writes only what is its own: then the result is the same for any number of
 * threads.
 */
#ifndef PLYMILL_NNUE_TOOLS_WORKERS_H
#define PLYMILL_NNUE_TOOLS_WORKERS_H

#include <stddef.h>

#include "formats/io/error.h"

#define WORKERS_MAX 256

struct workers;

/* threads: 1 .. WORKERS_MAX, the caller's own counted; 0: one per core. */
int workers_new(unsigned threads, struct workers **workers, struct error *err);
/* Calls unit(context, i) for every i below count, in any order; returns when all are done. */
void workers_run(struct workers *workers, size_t count, void (*unit)(void *context, size_t i),
                 void *context);
/* How many units are done at a time, at most; the caller's thread counted. */
unsigned workers_threads(const struct workers *workers);
/* NULL is allowed. */
void workers_free(struct workers *workers);

#endif
