/* SPDX-License-Identifier: MIT */
/*
 * Is a text a value of a key? Types, ranges, choices; and the one canonical form of each value.
 */
#include "pipeline/recipe/settings_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/recipe/dates.h"
#include "pipeline/recipe/pieceweights.h"
#include "pipeline/recipe/suggest.h"

/* The words of the table's choices, "a|b|c". */
static bool choice_allowed(const char *choices, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = choices; *at != '\0'; at += *at == '|') {
        size_t word = strcspn(at, "|");
        if (word == length && memcmp(at, text, length) == 0)
            return true;
        at += word;
    }
    return false;
}

/* The word that is meant, where one of the choices is near, as "; did you mean ...?". */
static void suggest_choice(const char *choices, const char *text, char *out, size_t size)
{
    struct suggestion near = {.word = text};
    char word[SUGGEST_WORD_MAX + 1], best[SUGGEST_WORD_MAX + 1] = "";
    for (const char *at = choices; *at != '\0'; at += *at == '|') {
        size_t length = strcspn(at, "|");
        (void)snprintf(word, sizeof word, "%.*s", (int)length, at);
        near.answer = *best ? best : NULL;
        suggest_consider(&near, word, word);
        if (near.answer == word)
            (void)snprintf(best, sizeof best, "%s", word);
        at += length;
    }
    *out = '\0';
    if (*best)
        (void)snprintf(out, size, "; did you mean \"%s\"?", best);
}

static int check_string(const struct settings_key *key, const char *text, char *out,
                        struct error *err)
{
    if (key->choices && !choice_allowed(key->choices, text)) {
        char near[SUGGEST_WORD_MAX + 32];
        suggest_choice(key->choices, text, near, sizeof near);
        return error_set(err, ERROR_USAGE, "%s: expected one of %s, not \"%s\"%s", key->name,
                         key->choices, text, near);
    }
    if (strpbrk(text, "\n\r"))
        return error_set(err, ERROR_USAGE, "%s: a line break is not allowed", key->name);
    memcpy(out, text, strlen(text) + 1);
    return 0;
}

static int range_error(const struct settings_key *key, const char *text, struct error *err)
{
    return error_set(err, ERROR_USAGE, "%s: expected a number from %.16g to %.16g, not %s",
                     key->name, key->low, key->high, text);
}

static int check_integer(const struct settings_key *key, const char *text, char *out,
                         struct error *err)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end != '\0')
        return error_set(err, ERROR_USAGE, "%s: expected %s, not \"%s\"", key->name,
                         settings_is_list(key) ? "a whole number" : settings_type_words(key), text);
    if (errno == ERANGE || (double)number < key->low || (double)number > key->high)
        return range_error(key, text, err);
    (void)snprintf(out, SETTINGS_NUMBER_MAX, "%lld", number);
    return 0;
}

#define INTEGRAL_MAX 1e15 /* whole numbers up to here are written out, without an exponent */

/* The shortest decimal that reads back to the same double. */
static void write_real(double number, char *out)
{
    if (number == trunc(number) && fabs(number) < INTEGRAL_MAX) {
        (void)snprintf(out, SETTINGS_NUMBER_MAX, "%.1f", number);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        (void)snprintf(out, SETTINGS_NUMBER_MAX, "%.*g", digits, number);
        if (strtod(out, NULL) == number)
            break;
    }
}

static int check_real(const struct settings_key *key, const char *text, char *out,
                      struct error *err)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number))
        return error_set(err, ERROR_USAGE, "%s: expected a number, not \"%s\"", key->name, text);
    if (number < key->low || number > key->high)
        return range_error(key, text, err);
    write_real(number, out);
    return 0;
}

static int check_boolean(const struct settings_key *key, const char *text, char *out,
                         struct error *err)
{
    bool yes = strcmp(text, "true") == 0;
    if (!yes && strcmp(text, "false") != 0)
        return error_set(err, ERROR_USAGE, "%s: expected true or false, not \"%s\"", key->name,
                         text);
    (void)snprintf(out, SETTINGS_NUMBER_MAX, "%s", yes ? "true" : "false");
    return 0;
}

/* Checks text and writes its canonical form. out holds strlen(text) + SETTINGS_NUMBER_MAX bytes. */
int settings_check_item(const struct settings_key *key, const char *text, char *out,
                        struct error *err)
{
    switch (key->type) {
    case SETTING_STRING:
    case SETTING_STRINGS:
        return check_string(key, text, out, err);
    case SETTING_REAL:
        return check_real(key, text, out, err);
    case SETTING_BOOLEAN:
        return check_boolean(key, text, out, err);
    case SETTING_COUNT_OR_ALL:
        if (strcmp(text, "all") == 0) {
            memcpy(out, "all", 4);
            return 0;
        }
        return check_integer(key, text, out, err);
    case SETTING_INTEGER:
    case SETTING_INTEGERS:
        break;
    }
    return check_integer(key, text, out, err);
}

static int check_dates(const struct settings_key *key, const char *text, struct error *err)
{
    struct dates dates;
    if (dates_parse(text, &dates))
        return 0;
    return error_set(err, ERROR_USAGE,
                     "%s: expected 2013, 2013-01, 2013-01-31 or two of these with .. between, not "
                     "\"%s\"",
                     key->name, text);
}

static int check_shares(const struct settings_key *key, const struct settings_value *value,
                        struct error *err)
{
    long sum = 0;
    for (size_t i = 0; i < value->count; i++)
        sum += strtol(value->items[i], NULL, 10);
    if (value->count != 3 || sum != 100)
        return error_set(err, ERROR_USAGE,
                         "%s: expected three numbers (train, validation, test) that add up to 100",
                         key->name);
    return 0;
}

static int check_pieces(const struct settings_key *key, const struct settings_value *value,
                        struct error *err)
{
    if (value->count == 2 && strtol(value->items[0], NULL, 10) <= strtol(value->items[1], NULL, 10))
        return 0;
    return error_set(err, ERROR_USAGE,
                     "%s: expected two numbers, the fewest and the most pieces, as [6, 32]",
                     key->name);
}

static int check_piece_weights(const struct settings_key *key, const struct settings_value *value,
                               struct error *err)
{
    struct pieceweights weights = {0};
    for (size_t i = 0; i < value->count; i++)
        if (!pieceweights_add(&weights, value->items[i]))
            return error_set(err, ERROR_USAGE,
                             "%s: expected numbers of pieces from %d to %d that no other class "
                             "has, and a weight up to %d, as \"11-20:2\" or \"32:1\", not \"%s\"",
                             key->name, PIECEWEIGHTS_LOW, PIECEWEIGHTS_HIGH, PIECEWEIGHTS_MAX,
                             value->items[i]);
    return 0;
}

/* It stands in YAML as it is. */
static int check_license(const struct settings_key *key, const struct settings_value *value,
                         struct error *err)
{
    const char *text = value->items[0];
    size_t length = strlen(text);
    if (length > 0 && length <= 64 && text[0] >= 'a' && text[0] <= 'z' &&
        strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789.-") == length)
        return 0;
    return error_set(err, ERROR_USAGE,
                     "%s: expected an id as dataset hubs write it, in small letters, as cc0-1.0, "
                     "not \"%s\"",
                     key->name, text);
}

int settings_check_value(const struct settings_key *key, const struct settings_value *value,
                         struct error *err)
{
    if (strcmp(key->name, "input.dates") == 0)
        return check_dates(key, value->items[0], err);
    if (strcmp(key->name, "filter.pieces") == 0)
        return check_pieces(key, value, err);
    if (strcmp(key->name, "filter.piece_weights") == 0)
        return check_piece_weights(key, value, err);
    if (strcmp(key->name, "export.license") == 0)
        return check_license(key, value, err);
    return strcmp(key->name, "split.shares") == 0 ? check_shares(key, value, err) : 0;
}
