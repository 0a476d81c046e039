/* SPDX-License-Identifier: MIT */
/*
 * See enginecomment.h. No byte behind the '}' is looked at: it is no part of any token.
 */
#include "formats/enginecomment.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits at *p as a number up to most. */
static bool read_number(const char **p, int32_t most, int32_t *number)
{
    if (!is_digit(**p))
        return false;
    for (*number = 0; is_digit(**p); ++*p) {
        *number = *number * 10 + (**p - '0');
        if (*number > most)
            return false;
    }
    return true;
}

/* ".31" as hundredths; further digits round half up. */
static bool read_hundredths(const char **p, int32_t *hundredths)
{
    if (**p != '.' || !is_digit((*p)[1]))
        return false;
    int32_t value = 0;
    ++*p;
    for (int32_t place = 100; place > 0; place /= 10)
        if (is_digit(**p))
            value += place * (*(*p)++ - '0');
    while (is_digit(**p))
        ++*p;
    *hundredths = (value + 5) / 10;
    return true;
}

static bool read_value(const char **p, struct score *score)
{
    int32_t whole, hundredths = 0;
    bool mate = **p == 'M';
    *p += mate;
    if (!read_number(p, ENGINECOMMENT_PAWNS_MAX, &whole) || (mate && whole == 0))
        return false;
    if (!mate && !read_hundredths(p, &hundredths))
        return false;
    score->kind = mate ? SCORE_MATE : SCORE_CP;
    score->value = mate ? (whole + 1) / 2 : whole * 100 + hundredths;
    return true;
}

/* "/18", and no further digit or point. */
static bool read_depth(const char **p, int32_t *depth)
{
    if (**p != '/')
        return false;
    ++*p;
    return read_number(p, ENGINECOMMENT_DEPTH_MAX, depth) && *depth > 0 && **p != '.';
}

bool enginecomment_read(const char *text, struct score *score, uint16_t *depth)
{
    struct score value;
    int32_t plies;
    const char *p = text;
    while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
        p++;
    bool negative = *p == '-';
    p += negative || *p == '+';
    if (!read_value(&p, &value) || !read_depth(&p, &plies))
        return false;
    if (negative)
        value.value = -value.value;
    *score = value;
    *depth = (uint16_t)plies;
    return true;
}
