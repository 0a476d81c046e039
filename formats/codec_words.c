/* SPDX-License-Identifier: MIT */
/*
 * See codec_words.h.
 */
#include "formats/codec_words.h"

#include <stddef.h>

const char *const codec_words_side[] = {"w", "b", NULL};
const char *const codec_words_kind[] = {"none", "cp", "mate", NULL};
const char *const codec_words_bound[] = {"exact", "lower", "upper", NULL};
const char *const codec_words_limit[] = {"none", "nodes", "depth", NULL};
const char *const codec_words_result[] = {"0-1", "1/2-1/2", "1-0", "*", NULL};
const char *const codec_words_source[] = {"engine", "lichess-eval", "pgn-comment", "input", NULL};

bool codec_words_find(const char *const *words, struct text_span word, unsigned *index)
{
    for (*index = 0; words[*index] != NULL; ++*index)
        if (text_equals(word, words[*index]))
            return true;
    return false;
}

bool codec_white_cp(const struct score *score, const struct position *position, int64_t *value)
{
    *value = position->side == WHITE ? score->value : -(int64_t)score->value;
    return score->kind == SCORE_CP;
}
