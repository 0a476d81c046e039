/* SPDX-License-Identifier: MIT */
/*
 * The games of one archive, read by several threads, with the results of one.
 *
 * Every thread takes a part of the text in turn, decodes it under a lock, and reads its games while
 * the others go on. Parts are cut where a game seems to begin, and that is a guess: a tag inside a
 * comment looks just the same. It is proved afterwards: the thread of a part reads on to the next
 * game, and only if that begins exactly at the cut was the next part read as it would have been by
 * one thread. Where that fails, or needs more text than is there, the guesses behind it are
 * dropped: one thread reads on alone through all that was decoded by then, to where a game is known
 * to begin. From there on the text is shared out again.
 */
#ifndef PLYMILL_FORMATS_PGN_SPLIT_H
#define PLYMILL_FORMATS_PGN_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "formats/pgn.h"

#define PGN_SPLIT_THREADS_MAX 4
#define PGN_SPLIT_PART        (512u << 10) /* bytes of text of a part */
#define PGN_SPLIT_TAIL        (8u << 10)   /* of them behind the cut, to prove it */

struct pgn_split_options {
    struct pgn_options pgn;
    unsigned threads; /* 1: this one reads all, as pgn_next does */
    size_t result_size;
    size_t part_size; /* bytes of text; 0: PGN_SPLIT_PART. Tests take small ones */
    size_t tail_size; /* 0: PGN_SPLIT_TAIL; below a third of the part */
    /* Where merge() finds how many bytes of the file were taken when its games were decoded, for
     * progress: the reader itself may be at work in another thread. NULL: nobody asks. */
    uint64_t *taken;
};

/*
 * What becomes of the games. All return 0, or -1 with err set, which ends the reading.
 *
 * want() and game() run in any thread, for the games of a part in their order; result is the
 * part's own, of result_size zero bytes at first. game->number counts from the start of the part,
 * offsets and lines too. base is the offset of the part's text. A part's result may yet be dropped.
 *
 * merge() takes the results in order, one at a time, and leaves them as at first; drop() releases
 * what a dropped one owns.
 */
struct pgn_split_visitor {
    void *context;
    /* As in struct pgn_visitor, with the result of the part; NULL reads all. */
    bool (*want)(void *context, void *result, const struct pgn_game *game);
    int (*game)(void *context, void *result, uint64_t base, const struct pgn_game *game,
                struct error *err);
    int (*merge)(void *context, void *result, struct error *err);
    void (*drop)(void *context, void *result);
};

/*
 * Reads all games: 0, or -1 when a visitor fails or the input cannot be read on; what was complete
 * before was merged.
 */
int pgn_split_read(struct reader *reader, const struct pgn_split_options *options,
                   const struct pgn_split_visitor *visitor, struct error *err);

#endif
