/* SPDX-License-Identifier: MIT */
#include "pipeline/recipe/dates.h"

#include <string.h>

#define MONTH 100u /* what a number of days is multiplied with to be one of months */
#define YEAR  10000u

/* Exactly `digits` digits at *p. */
static bool read_digits(const char **p, unsigned digits, uint32_t *number)
{
    *number = 0;
    for (unsigned i = 0; i < digits; i++, ++*p) {
        if (**p < '0' || **p > '9')
            return false;
        *number = *number * 10 + (uint32_t)(**p - '0');
    }
    return true;
}

/* "-01" at *p, at most `most`; there need be none. */
static bool read_part(const char **p, uint32_t most, uint32_t unit, struct dates *dates)
{
    uint32_t number;
    if (**p != '-')
        return true;
    ++*p;
    if (!read_digits(p, 2, &number) || number == 0 || number > most)
        return false;
    dates->first += number * unit;
    dates->last = dates->first + unit - 1;
    return true;
}

static bool read_date(const char **p, struct dates *dates)
{
    uint32_t year;
    if (!read_digits(p, 4, &year) || year == 0)
        return false;
    dates->first = year * YEAR;
    dates->last = dates->first + YEAR - 1;
    if (**p != '-')
        return true;
    return read_part(p, 12, MONTH, dates) && read_part(p, 31, 1, dates);
}

bool dates_parse(const char *text, struct dates *dates)
{
    struct dates end;
    if (!read_date(&text, dates))
        return false;
    if (*text == '\0')
        return true;
    if (strncmp(text, "..", 2) != 0)
        return false;
    text += 2;
    if (!read_date(&text, &end) || *text != '\0' || end.last < dates->first)
        return false;
    dates->last = end.last;
    return true;
}

/* ".01" or ".??": false if it is neither; known: the former. */
static bool read_tag_part(const char **p, uint32_t most, uint32_t *number, bool *known)
{
    if (**p != '.')
        return false;
    ++*p;
    *known = strncmp(*p, "??", 2) != 0;
    if (!*known) {
        *p += 2;
        return true;
    }
    return read_digits(p, 2, number) && *number > 0 && *number <= most;
}

bool dates_parse_tag(const char *text, struct dates *dates)
{
    uint32_t year, month = 0, day = 0;
    bool has_month, has_day;
    if (!read_digits(&text, 4, &year) || year == 0 ||
        !read_tag_part(&text, 12, &month, &has_month) ||
        !read_tag_part(&text, 31, &day, &has_day) || *text != '\0')
        return false;
    dates->first = year * YEAR;
    dates->last = dates->first + YEAR - 1;
    if (has_month) {
        dates->first += month * MONTH;
        dates->last = dates->first + MONTH - 1;
    }
    if (has_month && has_day)
        dates->first = dates->last = dates->first + day;
    return true;
}

bool dates_within(const struct dates *inner, const struct dates *outer)
{
    return inner->first >= outer->first && inner->last <= outer->last;
}
