/* SPDX-License-Identifier: MIT */
/*
 * The values of a recipe. Every value is a list of texts in canonical form (one for a scalar),
 * checked against the table when it is set, so that getters cannot fail.
 */
#include "pipeline/recipe/settings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/recipe/toml.h"

#define UCI_OPTIONS_MAX 256
#define NUMBER_MAX      32
#define LIST_MAX        TOML_ITEMS_MAX

struct value {
    char **items; /* NULL: unset */
    size_t count;
    char *origin;
    bool given; /* by recipe or command line, not by default */
};

struct uci_option {
    char *name, *value;
};

struct settings {
    struct value *values; /* one per row of the table */
    struct uci_option uci[UCI_OPTIONS_MAX];
    size_t uci_count;
};

static size_t key_index(const struct settings_key *key)
{
    return (size_t)(key - settings_table);
}

static size_t table_size(void)
{
    size_t count = 0;
    while (settings_table[count].name)
        count++;
    return count;
}

static void value_clear(struct value *value)
{
    for (size_t i = 0; i < value->count; i++)
        free(value->items[i]);
    free(value->items);
    free(value->origin);
    memset(value, 0, sizeof *value);
}

static bool is_list(const struct settings_key *key)
{
    return key->type == SETTING_STRINGS || key->type == SETTING_INTEGERS;
}

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

static int check_string(const struct settings_key *key, const char *text, char *out,
                        struct error *err)
{
    if (key->choices && !choice_allowed(key->choices, text))
        return error_set(err, ERROR_USAGE, "%s: expected one of %s, not \"%s\"", key->name,
                         key->choices, text);
    if (strpbrk(text, "\n\r"))
        return error_set(err, ERROR_USAGE, "%s: a line break is not allowed", key->name);
    strcpy(out, text); // NOLINT: out holds strlen(text) + NUMBER_MAX bytes
    return 0;
}

static int range_error(const struct settings_key *key, const char *text, struct error *err)
{
    return error_set(err, ERROR_USAGE, "%s: expected a number from %.15g to %.15g, not %s",
                     key->name, key->low, key->high, text);
}

static int check_integer(const struct settings_key *key, const char *text, char *out,
                         struct error *err)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end != '\0')
        return error_set(err, ERROR_USAGE, "%s: expected a whole number, not \"%s\"", key->name,
                         text);
    if (errno == ERANGE || (double)number < key->low || (double)number > key->high)
        return range_error(key, text, err);
    (void)snprintf(out, NUMBER_MAX, "%lld", number);
    return 0;
}

/* The shortest decimal that reads back to the same double. */
static int check_real(const struct settings_key *key, const char *text, char *out,
                      struct error *err)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number))
        return error_set(err, ERROR_USAGE, "%s: expected a number, not \"%s\"", key->name, text);
    if (number < key->low || number > key->high)
        return range_error(key, text, err);
    for (int digits = 1; digits <= 17; digits++) {
        (void)snprintf(out, NUMBER_MAX, "%.*g", digits, number);
        if (strtod(out, NULL) == number)
            break;
    }
    if (!strpbrk(out, ".e"))
        strcat(out, ".0"); // NOLINT: NUMBER_MAX leaves room behind 17 digits
    return 0;
}

static int check_boolean(const struct settings_key *key, const char *text, char *out,
                         struct error *err)
{
    bool yes = strcmp(text, "true") == 0;
    if (!yes && strcmp(text, "false") != 0)
        return error_set(err, ERROR_USAGE, "%s: expected true or false, not \"%s\"", key->name,
                         text);
    (void)snprintf(out, NUMBER_MAX, "%s", yes ? "true" : "false");
    return 0;
}

/* Checks text and writes its canonical form. out holds strlen(text) + NUMBER_MAX bytes. */
static int check_item(const struct settings_key *key, const char *text, char *out,
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
            strcpy(out, "all"); // NOLINT: fits
            return 0;
        }
        return check_integer(key, text, out, err);
    case SETTING_INTEGER:
    case SETTING_INTEGERS:
        break;
    }
    return check_integer(key, text, out, err);
}

static int check_shares(const struct settings_key *key, const struct value *value,
                        struct error *err)
{
    if (strcmp(key->name, "split.shares") != 0)
        return 0;
    long sum = 0;
    for (size_t i = 0; i < value->count; i++)
        sum += strtol(value->items[i], NULL, 10);
    if (value->count != 3 || sum != 100)
        return error_set(err, ERROR_USAGE,
                         "%s: expected three numbers (train, validation, test) that add up to 100",
                         key->name);
    return 0;
}

static int value_assign(struct settings *settings, const struct settings_key *key,
                        const char *const *texts, size_t count, const char *origin,
                        struct error *err)
{
    struct value fresh = {.items = calloc(count ? count : 1, sizeof *fresh.items)};
    if (!fresh.items || !(fresh.origin = strdup(origin)))
        goto memory;
    for (size_t i = 0; i < count; i++) {
        char *out = malloc(strlen(texts[i]) + NUMBER_MAX);
        if (!out)
            goto memory;
        fresh.items[fresh.count++] = out;
        if (check_item(key, texts[i], out, err) < 0)
            goto fail;
    }
    if (check_shares(key, &fresh, err) < 0)
        goto fail;
    fresh.given = strcmp(origin, "default") != 0;
    value_clear(&settings->values[key_index(key)]);
    settings->values[key_index(key)] = fresh;
    return 0;
memory:
    error_memory(err);
fail:
    value_clear(&fresh);
    return -1;
}

/* Does a typed value of a recipe fit the key? Numbers may be written for reals, nothing else mixes.
 */
static bool type_fits(const struct settings_key *key, const struct toml_item *item)
{
    switch (key->type) {
    case SETTING_STRING:
    case SETTING_STRINGS:
        return item->type == TOML_STRING;
    case SETTING_INTEGER:
    case SETTING_INTEGERS:
        return item->type == TOML_INTEGER;
    case SETTING_REAL:
        return item->type == TOML_INTEGER || item->type == TOML_REAL;
    case SETTING_BOOLEAN:
        return item->type == TOML_BOOLEAN;
    case SETTING_COUNT_OR_ALL:
        return item->type == TOML_INTEGER ||
               (item->type == TOML_STRING && strcmp(item->text, "all") == 0);
    }
    return false;
}

static const char *type_words(const struct settings_key *key)
{
    switch (key->type) {
    case SETTING_STRING:
        return "a \"text\"";
    case SETTING_STRINGS:
        return "an array of \"texts\"";
    case SETTING_INTEGER:
        return "a whole number";
    case SETTING_INTEGERS:
        return "an array of whole numbers";
    case SETTING_REAL:
        return "a number";
    case SETTING_BOOLEAN:
        return "true or false";
    case SETTING_COUNT_OR_ALL:
        return "a whole number or \"all\"";
    }
    return "";
}

static int uci_set(struct settings *settings, const char *name, const char *text, struct error *err)
{
    size_t at = 0;
    while (at < settings->uci_count && strcmp(settings->uci[at].name, name) < 0)
        at++;
    char *value = strdup(text);
    if (!value)
        return error_memory(err);
    if (at < settings->uci_count && strcmp(settings->uci[at].name, name) == 0) {
        free(settings->uci[at].value);
        settings->uci[at].value = value;
        return 0;
    }
    char *copy = settings->uci_count < UCI_OPTIONS_MAX ? strdup(name) : NULL;
    if (!copy) {
        free(value);
        return error_set(err, ERROR_USAGE, "label.options: more than %d options", UCI_OPTIONS_MAX);
    }
    memmove(&settings->uci[at + 1], &settings->uci[at],
            (settings->uci_count - at) * sizeof settings->uci[0]);
    settings->uci[at] = (struct uci_option){copy, value};
    settings->uci_count++;
    return 0;
}

struct load {
    struct settings *settings;
    const char *path;
    unsigned *lines; /* line on which each key of the table was set, 0: not yet */
    unsigned uci_lines[UCI_OPTIONS_MAX];
    char *uci_names[UCI_OPTIONS_MAX];
    size_t uci_count;
};

static int load_uci(struct load *load, const struct toml_entry *entry, struct error *err)
{
    for (size_t i = 0; i < load->uci_count; i++)
        if (strcmp(load->uci_names[i], entry->key) == 0)
            return error_set(err, ERROR_USAGE,
                             "line %u: label.options.\"%s\" is already set on line %u", entry->line,
                             entry->key, load->uci_lines[i]);
    if (entry->is_array)
        return error_set(err, ERROR_USAGE, "line %u: label.options.\"%s\": expected one value",
                         entry->line, entry->key);
    if (uci_set(load->settings, entry->key, entry->items[0].text, err) < 0)
        return error_prefix(err, "line %u", entry->line);
    load->uci_names[load->uci_count] = strdup(entry->key);
    if (!load->uci_names[load->uci_count])
        return error_memory(err);
    load->uci_lines[load->uci_count++] = entry->line;
    return 0;
}

static int load_known(struct load *load, const struct settings_key *key,
                      const struct toml_entry *entry, struct error *err)
{
    unsigned *line = &load->lines[key_index(key)];
    if (*line)
        return error_set(err, ERROR_USAGE, "line %u: %s is already set on line %u", entry->line,
                         key->name, *line);
    *line = entry->line;
    bool fits = entry->is_array == is_list(key);
    const char **texts = calloc(entry->count + 1, sizeof *texts);
    if (!texts)
        return error_memory(err);
    for (size_t i = 0; i < entry->count; i++) {
        fits = fits && type_fits(key, &entry->items[i]);
        texts[i] = entry->items[i].text;
    }
    int status;
    char origin[512];
    (void)snprintf(origin, sizeof origin, "%s:%u", load->path, entry->line);
    if (fits)
        status = value_assign(load->settings, key, texts, entry->count, origin, err);
    else
        status = error_set(err, ERROR_USAGE, "%s: expected %s", key->name, type_words(key));
    free(texts);
    return status < 0 ? error_prefix(err, "line %u", entry->line) : 0;
}

static int load_entry(void *context, const struct toml_entry *entry, struct error *err)
{
    struct load *load = context;
    if (strcmp(entry->section, "label.options") == 0)
        return load_uci(load, entry, err);
    char name[256];
    (void)snprintf(name, sizeof name, "%s.%s", entry->section, entry->key);
    const struct settings_key *key = settings_find(name);
    if (!key || strcmp(key->name, name) != 0)
        return error_set(err, ERROR_USAGE, "line %u: unknown key %s (see: plymill help recipe)",
                         entry->line, entry->section[0] ? name : entry->key);
    return load_known(load, key, entry, err);
}

int settings_load(struct settings *settings, const char *path, struct error *err)
{
    struct buffer text;
    buffer_init(&text, TOML_FILE_MAX);
    struct load load = {.settings = settings, .path = path};
    load.lines = calloc(table_size(), sizeof *load.lines);
    int status = -1;
    if (!load.lines) {
        error_memory(err);
        goto out;
    }
    if (file_read_all(path, &text, err) < 0 || buffer_append(&text, "", 0, err) < 0)
        goto out;
    status = toml_parse(text.data ? text.data : "", load_entry, &load, err);
    if (status < 0)
        error_prefix(err, "%s", path);
out:
    for (size_t i = 0; i < load.uci_count; i++)
        free(load.uci_names[i]);
    free(load.lines);
    buffer_free(&text);
    return status;
}

/* The part of a command-line list before the next comma. */
static char *next_part(const char **at)
{
    size_t length = strcspn(*at, ",");
    char *part = strndup(*at, length);
    *at += length;
    *at += **at == ',';
    return part;
}

static int set_list(struct settings *settings, const struct settings_key *key, const char *text,
                    const char *origin, struct error *err)
{
    char **parts = calloc(LIST_MAX, sizeof *parts);
    size_t count = 0;
    int status = -1;
    if (!parts)
        return error_memory(err);
    for (const char *at = text; *at != '\0';) {
        if (count == LIST_MAX) {
            error_set(err, ERROR_USAGE, "%s: more than %d items", key->name, LIST_MAX);
            goto out;
        }
        parts[count] = next_part(&at);
        if (!parts[count++]) {
            error_memory(err);
            goto out;
        }
    }
    status = value_assign(settings, key, (const char *const *)parts, count, origin, err);
out:
    for (size_t i = 0; i < count; i++)
        free(parts[i]);
    free(parts);
    return status;
}

/* A list given again on the same command line grows. */
static int append_list(struct settings *settings, const struct settings_key *key, const char *text,
                       const char *origin, struct error *err)
{
    const struct value *old = &settings->values[key_index(key)];
    if (!old->given || strcmp(old->origin, origin) != 0)
        return set_list(settings, key, text, origin, err);
    struct buffer all;
    buffer_init(&all, 1u << 22);
    int status = 0;
    for (size_t i = 0; i < old->count && status == 0; i++)
        status = buffer_printf(&all, err, "%s,", old->items[i]);
    if (status == 0 && buffer_printf(&all, err, "%s", text) == 0)
        status = set_list(settings, key, all.data, origin, err);
    buffer_free(&all);
    return status;
}

int settings_set(struct settings *settings, const char *name, const char *text, const char *origin,
                 struct error *err)
{
    static const char uci_prefix[] = "label.options.";
    if (strncmp(name, uci_prefix, sizeof uci_prefix - 1) == 0)
        return uci_set(settings, name + sizeof uci_prefix - 1, text, err);
    const struct settings_key *key = settings_find(name);
    if (!key)
        return error_set(err, ERROR_USAGE, "unknown key %s", name);
    if (is_list(key))
        return append_list(settings, key, text, origin, err);
    return value_assign(settings, key, &text, 1, origin, err);
}

int settings_merge(struct settings *settings, const struct settings *over, struct error *err)
{
    for (const struct settings_key *key = settings_table; key->name; key++) {
        const struct value *value = &over->values[key_index(key)];
        bool given = value->items && value->given;
        if (given && value_assign(settings, key, (const char *const *)value->items, value->count,
                                  value->origin, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < over->uci_count; i++)
        if (uci_set(settings, over->uci[i].name, over->uci[i].value, err) < 0)
            return -1;
    return 0;
}

struct default_context {
    struct settings *settings;
    const struct settings_key *key;
};

static int default_entry(void *context, const struct toml_entry *entry, struct error *err)
{
    struct default_context *fill = context;
    const char *texts[8];
    for (size_t i = 0; i < entry->count && i < 8; i++)
        texts[i] = entry->items[i].text;
    return value_assign(fill->settings, fill->key, texts, entry->count, "default", err);
}

/* Defaults are written as in a recipe; lists go through its parser, scalars are their text. */
static int set_default(struct settings *settings, const struct settings_key *key, struct error *err)
{
    if (!is_list(key))
        return value_assign(settings, key, &key->initial, 1, "default", err);
    char line[256];
    (void)snprintf(line, sizeof line, "value = %s\n", key->initial);
    struct default_context fill = {settings, key};
    return toml_parse(line, default_entry, &fill, err);
}

struct settings *settings_new(void)
{
    struct settings *settings = calloc(1, sizeof *settings);
    if (!settings)
        return NULL;
    settings->values = calloc(table_size(), sizeof *settings->values);
    bool failed = !settings->values;
    for (const struct settings_key *key = settings_table; key->name && !failed; key++)
        if (key->initial)
            failed = set_default(settings, key, NULL) < 0;
    if (failed) {
        settings_free(settings);
        return NULL;
    }
    return settings;
}

void settings_free(struct settings *settings)
{
    if (!settings)
        return;
    for (size_t i = 0; settings->values && i < table_size(); i++)
        value_clear(&settings->values[i]);
    for (size_t i = 0; i < settings->uci_count; i++) {
        free(settings->uci[i].name);
        free(settings->uci[i].value);
    }
    free(settings->values);
    free(settings);
}

static const struct value *lookup(const struct settings *settings, const char *name)
{
    const struct settings_key *key = settings_find(name);
    if (!key)
        abort();
    return &settings->values[key_index(key)];
}

static const char *scalar(const struct settings *settings, const char *name)
{
    const struct value *value = lookup(settings, name);
    return value->count ? value->items[0] : NULL;
}

bool settings_is_set(const struct settings *settings, const char *name)
{
    return lookup(settings, name)->items != NULL;
}

const char *settings_string(const struct settings *settings, const char *name)
{
    return scalar(settings, name);
}

int64_t settings_integer(const struct settings *settings, const char *name)
{
    const char *text = scalar(settings, name);
    return text ? strtoll(text, NULL, 10) : 0;
}

double settings_real(const struct settings *settings, const char *name)
{
    const char *text = scalar(settings, name);
    return text ? strtod(text, NULL) : 0;
}

bool settings_boolean(const struct settings *settings, const char *name)
{
    const char *text = scalar(settings, name);
    return text && strcmp(text, "true") == 0;
}

size_t settings_count(const struct settings *settings, const char *name)
{
    return lookup(settings, name)->count;
}

const char *settings_item(const struct settings *settings, const char *name, size_t index)
{
    const struct value *value = lookup(settings, name);
    return index < value->count ? value->items[index] : NULL;
}

int64_t settings_integer_item(const struct settings *settings, const char *name, size_t index)
{
    const char *text = settings_item(settings, name, index);
    return text ? strtoll(text, NULL, 10) : 0;
}

bool settings_has(const struct settings *settings, const char *name, const char *word)
{
    const struct value *value = lookup(settings, name);
    for (size_t i = 0; i < value->count; i++)
        if (strcmp(value->items[i], word) == 0)
            return true;
    return false;
}

const char *settings_origin(const struct settings *settings, const char *name)
{
    const struct value *value = lookup(settings, name);
    return value->origin ? value->origin : "default";
}

size_t settings_uci_count(const struct settings *settings)
{
    return settings->uci_count;
}

const char *settings_uci_name(const struct settings *settings, size_t index)
{
    return settings->uci[index].name;
}

const char *settings_uci_value(const struct settings *settings, size_t index)
{
    return settings->uci[index].value;
}

static int write_string(struct buffer *out, const char *text, struct error *err)
{
    int status = buffer_append(out, "\"", 1, err);
    for (; *text && status == 0; text++) {
        if (*text == '"' || *text == '\\')
            status = buffer_append(out, "\\", 1, err);
        if (status == 0 && *text == '\t')
            status = buffer_append(out, "\\t", 2, err);
        else if (status == 0)
            status = buffer_append(out, text, 1, err);
    }
    return status < 0 ? -1 : buffer_append(out, "\"", 1, err);
}

static int write_item(const struct settings_key *key, const char *text, struct buffer *out,
                      struct error *err)
{
    if (key->type == SETTING_STRING || key->type == SETTING_STRINGS)
        return write_string(out, text, err);
    if (key->type == SETTING_COUNT_OR_ALL && strcmp(text, "all") == 0)
        return write_string(out, "all", err);
    return buffer_printf(out, err, "%s", text);
}

static int write_value(const struct settings_key *key, const struct value *value, bool with_origin,
                       struct buffer *out, struct error *err)
{
    const char *bare = strchr(key->name, '.') + 1;
    if (!value->items)
        return with_origin ? buffer_printf(out, err, "# %s is not set\n", bare) : 0;
    if (buffer_printf(out, err, "%s = %s", bare, is_list(key) ? "[" : "") < 0)
        return -1;
    for (size_t i = 0; i < value->count; i++)
        if ((i > 0 && buffer_append(out, ", ", 2, err) < 0) ||
            write_item(key, value->items[i], out, err) < 0)
            return -1;
    if (is_list(key) && buffer_append(out, "]", 1, err) < 0)
        return -1;
    return with_origin ? buffer_printf(out, err, "  # %s\n", value->origin)
                       : buffer_append(out, "\n", 1, err);
}

static int write_uci(const struct settings *settings, struct buffer *out, struct error *err)
{
    if (settings->uci_count == 0)
        return 0;
    int status = buffer_printf(out, err, "\n[label.options]\n");
    for (size_t i = 0; i < settings->uci_count && status == 0; i++) {
        status = write_string(out, settings->uci[i].name, err);
        if (status == 0)
            status = buffer_append(out, " = ", 3, err);
        if (status == 0)
            status = write_string(out, settings->uci[i].value, err);
        if (status == 0)
            status = buffer_append(out, "\n", 1, err);
    }
    return status;
}

int settings_write(const struct settings *settings, unsigned stages, bool with_origin,
                   struct buffer *out, struct error *err)
{
    unsigned section = 0;
    for (const struct settings_key *key = settings_table; key->name; key++) {
        if (!(stages & 1u << key->stage))
            continue;
        if (section == SECTION_LABEL && key->section != SECTION_LABEL &&
            (stages & 1u << STAGE_LABEL) && write_uci(settings, out, err) < 0)
            return -1;
        if (key->section != section && buffer_printf(out, err, "%s[%s]\n", section ? "\n" : "",
                                                     settings_section_name(key->section)) < 0)
            return -1;
        section = key->section;
        if (write_value(key, &settings->values[key_index(key)], with_origin, out, err) < 0)
            return -1;
    }
    return section == SECTION_LABEL && (stages & 1u << STAGE_LABEL) ? write_uci(settings, out, err)
                                                                    : 0;
}
