/* SPDX-License-Identifier: MIT */
/*
 * Reading UCI lines.
 */
#include "labeler/uci.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CHOICES_TEXT_MAX 512 /* of a combo's choices in an error text */

static const char BLANKS[] = " \t";

static const char *const type_words[] = {
    [UCI_CHECK] = "check",   [UCI_SPIN] = "spin",     [UCI_COMBO] = "combo",
    [UCI_BUTTON] = "button", [UCI_STRING] = "string",
};
#define TYPE_COUNT (sizeof type_words / sizeof *type_words)

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, BLANKS);
}

const char *uci_after(const char *line, const char *word)
{
    size_t length = strlen(word);
    line = skip_blanks(line);
    if (strncmp(line, word, length) != 0) {
        return NULL;
    }
    line += length;
    if (*line != 0 && strchr(BLANKS, *line) == NULL) {
        return NULL;
    }
    return skip_blanks(line);
}

/* The next place in text where word stands between blanks or ends, or NULL. */
static char *find_word(char *text, const char *word)
{
    size_t length = strlen(word);
    for (char *at = text; (at = strstr(at, word)) != NULL; at++) {
        bool begins = at == text || strchr(BLANKS, at[-1]) != NULL;
        bool ends = at[length] == 0 || strchr(BLANKS, at[length]) != NULL;
        if (begins && ends) {
            return at;
        }
    }
    return NULL;
}

/* Ends the text at `end` and takes the blanks off before it. */
static void cut(const char *text, char *end)
{
    while (end > text && strchr(BLANKS, end[-1]) != NULL) {
        end--;
    }
    *end = 0;
}

static bool parse_number(const char *text, int64_t *number)
{
    char *end;
    *number = strtoll(text, &end, 10);
    return end != text && (*end == 0 || strchr(BLANKS, *end) != NULL);
}

/* Splits "NAME type TYPE REST" in place; a name may even hold the word type. */
static char *split_type(char *text, enum uci_type *type)
{
    for (char *at = text; (at = find_word(at, "type")) != NULL; at++) {
        const char *after = uci_after(at, "type");
        for (size_t i = 0; i < TYPE_COUNT; i++) {
            const char *rest = uci_after(after, type_words[i]);
            if (rest != NULL && at > text) {
                *type = (enum uci_type)i;
                cut(text, at);
                return at + (rest - at);
            }
        }
    }
    return NULL;
}

static bool parse_spin(struct uci_option *option, char *rest)
{
    char *min = find_word(rest, "min");
    char *max = find_word(rest, "max");
    if (min == NULL || max == NULL || !parse_number(uci_after(min, "min"), &option->min) ||
        !parse_number(uci_after(max, "max"), &option->max)) {
        return false;
    }
    *min = 0;
    *max = 0;
    return true;
}

/*
 * Turns "DEFAULT var A var B" into DEFAULT and the list of choices. Each choice moves to the left
 * of where it stood, so that the list with its last zero fits into the line's own memory.
 */
static void parse_combo(struct uci_option *option, char *rest)
{
    char *var = find_word(rest, "var");
    if (var == NULL) {
        return;
    }
    char *out = var + 1;
    option->choices = out;
    char *from = var + strlen("var");
    cut(rest, var);
    for (char *next; from != NULL; from = next) {
        from += strspn(from, BLANKS);
        next = find_word(from, "var");
        if (next != NULL) {
            cut(from, next);
            next += strlen("var");
        } else {
            cut(from, from + strlen(from));
        }
        size_t size = strlen(from) + 1;
        memmove(out, from, size);
        out += size > 1 ? size : 0;
    }
    *out = 0;
}

static char empty_text[1] = "";

/* text is the owned copy of the line; option keeps it as its name. */
static bool parse_option(struct uci_option *option, char *text)
{
    *option = (struct uci_option){.name = text, .default_value = empty_text, .choices = empty_text};
    char *rest = split_type(text, &option->type);
    if (rest == NULL) {
        return false;
    }
    cut(rest, rest + strlen(rest));
    const char *value = uci_after(rest, "default");
    char *given = value != NULL ? rest + (value - rest) : NULL;
    if (option->type == UCI_SPIN && !parse_spin(option, rest)) {
        return false;
    }
    if (option->type == UCI_COMBO && given != NULL) {
        parse_combo(option, given);
    }
    if (given != NULL && option->type != UCI_BUTTON) {
        cut(given, given + strlen(given));
        option->default_value = strcmp(given, "<empty>") == 0 ? empty_text : given;
    }
    return true;
}

int uci_options_add(struct uci_options *options, const char *line, struct error *err)
{
    const char *name = uci_after(line, "name");
    if (name == NULL || *name == 0) {
        return 1;
    }
    if (options->count == UCI_OPTIONS_MAX) {
        return error_set(err, ERROR_FAILED, "lists more than %d options", UCI_OPTIONS_MAX);
    }
    if ((options->count & (options->count - 1)) == 0) { /* grows at the powers of two */
        size_t capacity = options->count == 0 ? 1 : 2 * options->count;
        struct uci_option *items = realloc(options->items, capacity * sizeof *items);
        if (items == NULL) {
            return error_memory(err);
        }
        options->items = items;
    }
    char *text = strdup(name);
    if (text == NULL) {
        return error_memory(err);
    }
    if (!parse_option(&options->items[options->count], text)) {
        free(text);
        return 1;
    }
    options->count++;
    return 0;
}

const struct uci_option *uci_options_find(const struct uci_options *options, const char *name)
{
    for (size_t i = 0; i < options->count; i++) {
        if (strcasecmp(options->items[i].name, name) == 0) {
            return &options->items[i];
        }
    }
    return NULL;
}

void uci_options_free(struct uci_options *options)
{
    for (size_t i = 0; i < options->count; i++) {
        free(options->items[i].name);
    }
    free(options->items);
    *options = (struct uci_options){NULL, 0};
}

static bool is_integer(const char *text)
{
    const char *digits = text + (*text == '-');
    return *digits != 0 && digits[strspn(digits, "0123456789")] == 0;
}

static int check_spin(const struct uci_option *option, const char *value, struct error *err)
{
    int64_t number;
    if (is_integer(value) && parse_number(value, &number) && number >= option->min &&
        number <= option->max) {
        return 0;
    }
    return error_set(err, ERROR_FAILED,
                     "option \"%s\": \"%s\" is not a number from %" PRId64 " to %" PRId64,
                     option->name, value, option->min, option->max);
}

static int check_combo(const struct uci_option *option, const char *value, struct error *err)
{
    char list[CHOICES_TEXT_MAX] = "";
    size_t used = 0;
    for (const char *choice = option->choices; *choice != 0; choice += strlen(choice) + 1) {
        if (strcmp(choice, value) == 0) {
            return 0;
        }
        if (used + strlen(choice) + 3 < sizeof list) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                                     choice);
        }
    }
    return error_set(err, ERROR_FAILED, "option \"%s\": \"%s\" is not one of: %s", option->name,
                     value, list);
}

int uci_option_check(const struct uci_option *option, const char *value, struct error *err)
{
    if ((value == NULL) != (option->type == UCI_BUTTON)) {
        return error_set(err, ERROR_FAILED, "option \"%s\" is a %s and %s value", option->name,
                         type_words[option->type],
                         option->type == UCI_BUTTON ? "takes no" : "needs a");
    }
    if (value != NULL && strpbrk(value, "\r\n") != NULL) {
        return error_set(err, ERROR_FAILED, "option \"%s\": a line break in its value",
                         option->name);
    }
    if (option->type == UCI_SPIN) {
        return check_spin(option, value, err);
    }
    if (option->type == UCI_COMBO) {
        return check_combo(option, value, err);
    }
    if (option->type == UCI_CHECK && strcmp(value, "true") != 0 && strcmp(value, "false") != 0) {
        return error_set(err, ERROR_FAILED, "option \"%s\": \"%s\" is neither true nor false",
                         option->name, value);
    }
    return 0;
}

int uci_format_setoption(const char *name, const char *value, char *out, size_t size)
{
    int length = value == NULL ? snprintf(out, size, "setoption name %s\n", name)
                 : *value == 0 ? snprintf(out, size, "setoption name %s value\n", name)
                               : snprintf(out, size, "setoption name %s value %s\n", name, value);
    return length < 0 || (size_t)length >= size ? -1 : length;
}

static bool word_is(const char *word, size_t length, const char *expected)
{
    return strlen(expected) == length && memcmp(word, expected, length) == 0;
}

/* The number behind `word`, which is one of the words that a number must follow. */
static bool info_number(struct uci_info *info, const char *word, size_t length,
                        const char *argument)
{
    int64_t number;
    if (!parse_number(argument, &number)) {
        return false;
    }
    if (word_is(word, length, "cp") || word_is(word, length, "mate")) {
        info->has_score = true;
        info->score.kind = *word == 'c' ? SCORE_CP : SCORE_MATE;
        info->score.value = (int32_t)number;
        return number >= INT32_MIN && number <= INT32_MAX;
    }
    if (word_is(word, length, "depth")) {
        info->has_depth = true;
        info->depth = (uint16_t)number;
        return number >= 0 && number <= UINT16_MAX;
    }
    if (word_is(word, length, "nodes")) {
        info->has_nodes = true;
        info->nodes = (uint64_t)number;
        return number >= 0;
    }
    info->multipv = (uint32_t)number;
    return number >= 1 && number <= UINT32_MAX;
}

int uci_parse_info(const char *line, struct uci_info *info)
{
    *info = (struct uci_info){.multipv = 1};
    bool in_score = false;
    for (const char *word = skip_blanks(line); *word != 0;) {
        size_t length = strcspn(word, BLANKS);
        const char *next = skip_blanks(word + length);
        if (word_is(word, length, "string")) {
            break;
        }
        if (word_is(word, length, "score")) {
            in_score = true;
        } else if (word_is(word, length, "lowerbound")) {
            info->bound = BOUND_LOWER;
        } else if (word_is(word, length, "upperbound")) {
            info->bound = BOUND_UPPER;
        } else if (word_is(word, length, "depth") || word_is(word, length, "nodes") ||
                   word_is(word, length, "multipv") ||
                   (in_score && (word_is(word, length, "cp") || word_is(word, length, "mate")))) {
            if (!info_number(info, word, length, next)) {
                return -1;
            }
        }
        word = next;
    }
    return 0;
}

size_t uci_move_length(const char *text)
{
    return strcspn(text, BLANKS);
}
