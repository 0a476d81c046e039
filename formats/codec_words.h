/* SPDX-License-Identifier: MIT */
/*
 * The words that csv and jsonl write for the enums of a record, in the order of the enums, ended by
 * NULL, and the one value of theirs that is computed.
 */
#ifndef PLYMILL_FORMATS_CODEC_WORDS_H
#define PLYMILL_FORMATS_CODEC_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/codec_text.h"
#include "formats/record.h"

extern const char *const codec_words_side[];   /* w b */
extern const char *const codec_words_kind[];   /* none cp mate */
extern const char *const codec_words_bound[];  /* exact lower upper */
extern const char *const codec_words_limit[];  /* none nodes depth */
extern const char *const codec_words_result[]; /* 0-1 1/2-1/2 1-0 *: from a result of -1 on */
extern const char *const codec_words_source[]; /* engine lichess-eval pgn-comment input */

/* The index of the word, or false. */
bool codec_words_find(const char *const *words, struct text_span word, unsigned *index);

/* A score in centipawns from White's view; false for mates and none. */
bool codec_white_cp(const struct score *score, const struct position *position, int64_t *value);

#endif
