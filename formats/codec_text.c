/* SPDX-License-Identifier: MIT */
/*
 * See codec_text.h.
 */
#include "formats/codec_text.h"

#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"

#define TEXT_ERROR_MAX 60

bool text_equals(struct text_span span, const char *word)
{
    return span.size == strlen(word) && memcmp(span.text, word, span.size) == 0;
}

bool text_to_unsigned(struct text_span span, uint64_t max, uint64_t *value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < span.size; i++) {
        unsigned digit = (unsigned)(unsigned char)span.text[i] - '0';
        if (digit > 9 || digit > max || sum > (max - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return span.size > 0;
}

bool text_to_integer(struct text_span span, int64_t min, int64_t max, int64_t *value)
{
    bool negative = span.size > 0 && span.text[0] == '-' && min < 0;
    uint64_t magnitude;
    if (negative) {
        span.text++;
        span.size--;
    }
    /* Written so that the smallest int64 has a magnitude, too. */
    uint64_t cap = negative ? (uint64_t)(-(min + 1)) + 1 : (uint64_t)max;
    if (!text_to_unsigned(span, cap, &magnitude))
        return false;
    *value = negative && magnitude > 0 ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
    return *value >= min;
}

int text_error_size(struct text_span span)
{
    return span.size < TEXT_ERROR_MAX ? (int)span.size : TEXT_ERROR_MAX;
}

int text_to_position(struct text_span span, struct position *position, struct error *err)
{
    unsigned blanks = 0;
    for (size_t i = 0; i < span.size; i++)
        blanks += span.text[i] == ' ';
    enum fen_status status = FEN_BAD_SYNTAX;
    if (blanks == 5)
        status = fen_parse(span.text, span.size, FEN_REJECT_BAD_CASTLING, position, NULL);
    if (status == FEN_OK)
        return 0;
    return error_set(err, ERROR_FAILED, "bad FEN '%.*s': %s", text_error_size(span), span.text,
                     blanks == 5 ? fen_status_text(status) : "not six fields");
}

int text_to_move(struct text_span span, const struct position *position, uint16_t *move,
                 struct error *err)
{
    *move = ucimove_parse(position, span.text, span.size);
    if (*move != MOVE_NONE)
        return 0;
    return error_set(err, ERROR_FAILED, "illegal move '%.*s'", text_error_size(span), span.text);
}
