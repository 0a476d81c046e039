/* SPDX-License-Identifier: MIT */
/*
 * Days and ranges of days, as numbers: 20130131. A date that is not known to the day is a range
 * itself: "2013.01.??" is 20130100 to 20130199, which holds every day of that month and no other.
 */
#ifndef PLYMILL_PIPELINE_RECIPE_DATES_H
#define PLYMILL_PIPELINE_RECIPE_DATES_H

#include <stdbool.h>
#include <stdint.h>

struct dates {
    uint32_t first, last;
};

/*
 * "2013", "2013-01", "2013-01-31", or two of them with ".." between: from the first day of the one
 * to the last day of the other. False for anything else, and for a range that ends before it
 * begins.
 */
bool dates_parse(const char *text, struct dates *dates);
/* A PGN date, "2013.01.31"; "??" for a month or day that is not known. False without a year. */
bool dates_parse_tag(const char *text, struct dates *dates);
/* Does all of inner lie in outer? */
bool dates_within(const struct dates *inner, const struct dates *outer);

#endif
