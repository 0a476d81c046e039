/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/gamefilter.h"

#include <stdlib.h>
#include <string.h>

#define RATING_MAX      9999
#define SPEED_MOVES     UINT64_C(40) /* that a game is taken to last */
#define TIME_DIGITS_MAX 9            /* of a time in seconds before the point; more is no time */
#define MILLI           UINT64_C(1000)

static const char *const speeds[] = {"ultrabullet", "bullet",    "blitz",
                                     "rapid",       "classical", "correspondence"};
static const char *const terminations[] = {"normal",           "time-forfeit", "abandoned",
                                           "rules-infraction", "unterminated", "adjudication"};
static const char *const results[] = {"1-0", "0-1", "1/2-1/2", "*"};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static unsigned bits_from(const struct settings *settings, const char *key,
                          const char *const *words, size_t count)
{
    unsigned bits = 0;
    for (size_t i = 0; i < count; i++)
        if (settings_has(settings, key, words[i]))
            bits |= 1u << i;
    return bits;
}

/*
 * The least integer that is not below fraction * 2^64, for a fraction below 1. Exact: scaling by a
 * power of two is, and a product of 2^53 or more is an integer already.
 */
static uint64_t bound_from(double fraction)
{
    double scaled = fraction * 18446744073709551616.0;
    uint64_t bound = (uint64_t)scaled;
    return (double)bound < scaled ? bound + 1 : bound;
}

unsigned gamefilter_variants(const struct settings *settings)
{
    unsigned variants = 0;
    if (settings_has(settings, "input.variants", "standard"))
        variants |= PGN_STANDARD;
    if (settings_has(settings, "input.variants", "from-position"))
        variants |= PGN_FROM_POSITION;
    if (settings_has(settings, "input.variants", "chess960"))
        variants |= PGN_CHESS960;
    return variants;
}

void gamefilter_from(const struct settings *settings, struct gamefilter *filter)
{
    double fraction = settings_real(settings, "input.fraction");
    const char *dates = settings_string(settings, "input.dates");
    bool lichess = strcmp(settings_string(settings, "label.source"), "lichess-eval") == 0;
    *filter = (struct gamefilter){
        .min_elo = (unsigned)settings_integer(settings, "input.min_elo"),
        .max_elo = (unsigned)settings_integer(settings, "input.max_elo"),
        .speeds = bits_from(settings, "input.time_control", speeds, COUNT(speeds)),
        .terminations = bits_from(settings, "input.termination", terminations, COUNT(terminations)),
        .results = bits_from(settings, "input.results", results, COUNT(results)),
        .exclude_bots = settings_boolean(settings, "input.exclude_bots"),
        .has_dates = dates != NULL,
        .known_bad = lichess && strcmp(settings_string(settings, "input.known_bad"), "drop") == 0,
        .seed = (uint64_t)settings_integer(settings, "input.seed"),
        .all = fraction >= 1};
    if (dates)
        (void)dates_parse(dates, &filter->dates); /* checked when it was set */
    if (!filter->all)
        filter->below = bound_from(fraction);
}

bool gamefilter_takes_draw(const struct gamefilter *filter, uint64_t draw)
{
    return filter->all || draw < filter->below;
}

uint16_t gamefilter_rating(const struct pgn_game *game, const char *tag)
{
    const char *text = pgn_tag(game, tag);
    if (!text)
        return 0;
    char *end;
    long value = strtol(text, &end, 10);
    return end != text && value > 0 && value <= RATING_MAX ? (uint16_t)value : 0;
}

static bool is_rated_right(const struct gamefilter *filter, const struct pgn_game *game)
{
    static const char *const tags[] = {"WhiteElo", "BlackElo"};
    if (filter->min_elo == 0 && filter->max_elo == 0)
        return true;
    for (size_t i = 0; i < COUNT(tags); i++) {
        unsigned rating = gamefilter_rating(game, tags[i]);
        if (rating == 0 || rating < filter->min_elo ||
            (filter->max_elo > 0 && rating > filter->max_elo))
            return false;
    }
    return true;
}

/* Seconds with or without a fraction at *p, as milliseconds. */
static bool read_time(const char **p, uint64_t *time)
{
    size_t digits = strspn(*p, "0123456789");
    if (digits == 0 || digits > TIME_DIGITS_MAX)
        return false;
    *time = strtoull(*p, NULL, 10) * MILLI;
    *p += digits;
    if (**p != '.')
        return true;
    ++*p;
    for (uint64_t place = MILLI / 10; **p >= '0' && **p <= '9'; place /= 10, ++*p)
        *time += place * (uint64_t)(**p - '0');
    return true;
}

enum speed gamefilter_speed(const char *text)
{
    static const uint64_t below[] = {30, 180, 480, 1500, 21600};
    uint64_t base, moves = SPEED_MOVES * MILLI, increment = 0;
    if (text && strcmp(text, "-") == 0)
        return SPEED_CORRESPONDENCE;
    if (!text || !read_time(&text, &base))
        return SPEED_UNKNOWN;
    if (*text == '/') {
        text++;
        moves = base;
        if (moves < MILLI || !read_time(&text, &base))
            return SPEED_UNKNOWN;
    }
    if (*text == '+') {
        text++;
        if (!read_time(&text, &increment))
            return SPEED_UNKNOWN;
    }
    if (*text != '\0' && *text != ':')
        return SPEED_UNKNOWN;
    uint64_t estimate = base * (SPEED_MOVES * MILLI) / moves + SPEED_MOVES * increment;
    unsigned speed = SPEED_ULTRABULLET;
    while (speed < SPEED_CORRESPONDENCE && estimate >= below[speed] * MILLI)
        speed++;
    return (enum speed)speed;
}

/* The letters of both are the same but for case. */
static bool has_letters_of(const char *text, const char *word)
{
    for (; *text; text++) {
        char lower = (char)(*text | 32);
        if (lower < 'a' || lower > 'z')
            continue;
        word += *word == '-';
        if (*word++ != lower)
            return false;
    }
    return *word == '\0';
}

static bool has_termination(const struct gamefilter *filter, const struct pgn_game *game)
{
    if (filter->terminations == 0)
        return true;
    const char *tag = pgn_tag(game, "Termination");
    for (size_t i = 0; tag && i < COUNT(terminations); i++)
        if (filter->terminations & 1u << i && has_letters_of(tag, terminations[i]))
            return true;
    return false;
}

static bool has_result(const struct gamefilter *filter, const struct pgn_game *game, bool unknown)
{
    if (filter->results == 0)
        return true;
    const char *tag = unknown ? "*" : pgn_tag(game, "Result");
    for (size_t i = 0; tag && i < COUNT(results); i++)
        if (filter->results & 1u << i && strcmp(tag, results[i]) == 0)
            return true;
    return false;
}

static bool is_bot(const struct pgn_game *game, const char *tag)
{
    const char *title = pgn_tag(game, tag);
    return title && strcmp(title, "BOT") == 0;
}

static bool find_day(const struct pgn_game *game, struct dates *day)
{
    const char *utc = pgn_tag(game, "UTCDate"), *date = pgn_tag(game, "Date");
    return (utc && dates_parse_tag(utc, day)) || (date && dates_parse_tag(date, day));
}

static bool is_in_dates(const struct gamefilter *filter, const struct pgn_game *game)
{
    struct dates day;
    return !filter->has_dates || (find_day(game, &day) && dates_within(&day, &filter->dates));
}

struct knownbad gamefilter_known_bad(const struct gamefilter *filter, const struct pgn_game *game)
{
    struct dates day;
    if (!filter->known_bad || !find_day(game, &day))
        return (struct knownbad){0};
    return knownbad_of(&day, game->variant != PGN_STANDARD);
}

enum refusal gamefilter_judge(const struct gamefilter *filter, const struct pgn_game *game)
{
    struct knownbad bad = gamefilter_known_bad(filter, game);
    if (bad.game)
        return REFUSAL_KNOWN_BAD;
    if (!is_rated_right(filter, game))
        return REFUSAL_RATING;
    if (filter->speeds && !(filter->speeds & 1u << gamefilter_speed(pgn_tag(game, "TimeControl"))))
        return REFUSAL_TIME_CONTROL;
    if (!has_termination(filter, game))
        return REFUSAL_TERMINATION;
    if (!has_result(filter, game, bad.result))
        return REFUSAL_RESULT;
    if (filter->exclude_bots && (is_bot(game, "WhiteTitle") || is_bot(game, "BlackTitle")))
        return REFUSAL_BOT;
    return is_in_dates(filter, game) ? REFUSAL_NONE : REFUSAL_DATE;
}

const char *gamefilter_text(enum refusal refusal)
{
    static const char *const texts[REFUSAL_COUNT] = {
        [REFUSAL_NONE] = "none",
        [REFUSAL_KNOWN_BAD] = "known bad",
        [REFUSAL_RATING] = "rating",
        [REFUSAL_TIME_CONTROL] = "time control",
        [REFUSAL_TERMINATION] = "termination",
        [REFUSAL_RESULT] = "result",
        [REFUSAL_BOT] = "bot",
        [REFUSAL_DATE] = "date",
        [REFUSAL_FRACTION] = "fraction",
        [REFUSAL_MAX_GAMES] = "max_games",
    };
    return texts[refusal];
}
