/* SPDX-License-Identifier: MIT */
/*
 * Decoding in threads of its own, ahead of the one that uses the text.
 *
 *               input lock                 a ring of blocks each
 *   file -> [ bytes, digest ] -> worker 0: [ | | | ] -+
 *                             -> worker 1: [ | | | ] -+-> in the order of turns -> reader_read
 *
 * A worker takes a turn: it locks the input and looks at what begins there. A frame that pzstd
 * announced is taken out of the input whole and decoded while the next worker takes the next turn.
 * Anything else is decoded out of the input under the lock, so that the other workers wait: nobody
 * knows where the next frame begins before this one ends. A plain, gzip or ordinary zstd file is
 * thus one long turn and needs one worker. The reader takes the blocks turn by turn. Memory is
 * bounded: rings are of fixed length, and a frame that is too large is not taken out.
 *
 * Nothing waits in a circle: the worker whose turn is read next never waits for another one, as all
 * turns before it are through.
 */
#ifndef PLYMILL_FORMATS_IO_READER_AHEAD_H
#define PLYMILL_FORMATS_IO_READER_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "formats/io/reader_decode.h"

#define AHEAD_MEMORY (40u << 20) /* of all workers, where no single window needs more */

struct ahead;

/*
 * workers: how many at most. The input belongs to the workers until ahead_stop. *out is NULL when
 * the system gives no thread: reading goes on without.
 */
int ahead_start(struct input *input, enum decoder_kind kind, unsigned workers, struct ahead **out,
                struct error *err);
/* Bytes into data, 0 at the end, -1 on an error, all of them again at every later call. */
ssize_t ahead_read(struct ahead *ahead, void *data, size_t size, struct error *err);
/* As of what ahead_read gave so far. */
bool ahead_truncated(const struct ahead *ahead);
uint64_t ahead_position(const struct ahead *ahead);
/* Ends the workers wherever they are and frees all. NULL is fine. */
void ahead_stop(struct ahead *ahead);

#endif
