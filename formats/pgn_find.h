/* SPDX-License-Identifier: MIT */
/*
 * The first byte of a kind from p on: how the reader passes over text that it need not look into.
 * Sixteen bytes are asked at once where the compiler has SSE2, which every x86-64 has.
 *
 * All kinds hold the control characters up to 15, so with them the line ends and the zero that ends
 * the text: the search never leaves it. It may look at PGN_LOOKAHEAD bytes behind the text, which
 * must be there to be read.
 */
#ifndef PLYMILL_FORMATS_PGN_FIND_H
#define PLYMILL_FORMATS_PGN_FIND_H

#include <stdbool.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define PGN_LOOKAHEAD 48

/* The kinds, by one byte. */

static inline bool pgn_stops_line(char c)
{
    return (unsigned char)c < 16;
}

/* The end of a comment, or of a line in it. */
static inline bool pgn_stops_comment(char c)
{
    return c == '}' || pgn_stops_line(c);
}

/* The end of a tag's name, where it consists of letters. */
static inline bool pgn_stops_letters(char c)
{
    return (unsigned char)((c | 0x20) - 'a') > 'z' - 'a';
}

/* The end of a tag's value, or what makes it a less simple one. */
static inline bool pgn_stops_value(char c)
{
    return c == '"' || c == '\\' || pgn_stops_line(c);
}

/* What can end a game or hide its end: comments, variations, tags, results. Escape comes along. */
static inline bool pgn_stops_skip(char c)
{
    return c == '{' || c == ';' || c == '[' || c == '(' || c == '*' || c == '-' || c == '/' ||
           c == '%' || c == '\x1b' || pgn_stops_line(c);
}

#ifdef __SSE2__

static inline __m128i pgn_find_equal(__m128i block, char c)
{
    return _mm_cmpeq_epi8(block, _mm_set1_epi8(c));
}

static inline __m128i pgn_find_line(__m128i block)
{
    return _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(15)), block);
}

static inline __m128i pgn_find_comment(__m128i block)
{
    return _mm_or_si128(pgn_find_equal(block, '}'), pgn_find_line(block));
}

static inline __m128i pgn_find_letters(__m128i block)
{
    __m128i from_a = _mm_sub_epi8(_mm_or_si128(block, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
    __m128i past_z = _mm_set1_epi8('z' - 'a' + 1);
    return _mm_cmpeq_epi8(_mm_max_epu8(from_a, past_z), from_a);
}

static inline __m128i pgn_find_value(__m128i block)
{
    return _mm_or_si128(_mm_or_si128(pgn_find_equal(block, '"'), pgn_find_equal(block, '\\')),
                        pgn_find_line(block));
}

/* Two bits set alike make '{', ';' and '[' one character; so one bit makes pairs of the others. */
static inline __m128i pgn_find_skip(__m128i block)
{
    __m128i brackets = pgn_find_equal(_mm_or_si128(block, _mm_set1_epi8(0x60)), '{');
    __m128i paired = _mm_or_si128(block, _mm_set1_epi8(2));
    __m128i signs = _mm_or_si128(pgn_find_equal(paired, '*'), pgn_find_equal(paired, '/'));
    __m128i others = _mm_or_si128(pgn_find_equal(block, '%'), pgn_find_line(block));
    return _mm_or_si128(_mm_or_si128(brackets, signs), others);
}

static inline const char *pgn_find(const char *p, __m128i (*kind)(__m128i))
{
    for (;; p += 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)(const void *)p);
        unsigned found = (unsigned)_mm_movemask_epi8(kind(block));
        if (found)
            return p + __builtin_ctz(found);
    }
}

#define PGN_FIND(p, kind) pgn_find(p, pgn_find_##kind)

#else

static inline const char *pgn_find(const char *p, bool (*stops)(char))
{
    while (!stops(*p))
        p++;
    return p;
}

#define PGN_FIND(p, kind) pgn_find(p, pgn_stops_##kind)

#endif

#endif
