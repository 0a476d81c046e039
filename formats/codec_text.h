/* SPDX-License-Identifier: MIT */
/*
 * What the text formats share: pieces of a text, strict numbers, moves and positions in them.
 */
#ifndef PLYMILL_FORMATS_CODEC_TEXT_H
#define PLYMILL_FORMATS_CODEC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/chess/position.h"
#include "formats/io/error.h"

struct text_span {
    const char *text;
    size_t size;
};

bool text_equals(struct text_span span, const char *word);
/* Decimal digits only, a minus in front where min is negative, no plus, nothing else. */
bool text_to_integer(struct text_span span, int64_t min, int64_t max, int64_t *value);
bool text_to_unsigned(struct text_span span, uint64_t max, uint64_t *value);
/* Six fields, every castling right in place. -1 with the reason. */
int text_to_position(struct text_span span, struct position *position, struct error *err);
/* A legal move in UCI notation. -1 with the reason. */
int text_to_move(struct text_span span, const struct position *position, uint16_t *move,
                 struct error *err);
/* At most 60 characters of it, for "%.*s" in errors. */
int text_error_size(struct text_span span);

#endif
