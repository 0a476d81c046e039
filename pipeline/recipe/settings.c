/* SPDX-License-Identifier: MIT */
/*
 * Settings: making, setting, merging, asking.
 */
#include "pipeline/recipe/settings_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/recipe/toml.h"

#define LIST_MAX TOML_ITEMS_MAX

size_t settings_key_index(const struct settings_key *key)
{
    return (size_t)(key - settings_table);
}

size_t settings_table_size(void)
{
    size_t count = 0;
    while (settings_table[count].name)
        count++;
    return count;
}

static void value_clear(struct settings_value *value)
{
    for (size_t i = 0; i < value->count; i++)
        free(value->items[i]);
    free(value->items);
    free(value->origin);
    memset(value, 0, sizeof *value);
}

bool settings_is_list(const struct settings_key *key)
{
    return key->type == SETTING_STRINGS || key->type == SETTING_INTEGERS;
}

int settings_assign(struct settings *settings, const struct settings_key *key,
                    const char *const *texts, size_t count, const char *origin, struct error *err)
{
    struct settings_value fresh = {.items = calloc(count ? count : 1, sizeof *fresh.items)};
    if (!fresh.items || !(fresh.origin = strdup(origin)))
        goto memory;
    for (size_t i = 0; i < count; i++) {
        char *out = malloc(strlen(texts[i]) + SETTINGS_NUMBER_MAX);
        if (!out)
            goto memory;
        fresh.items[fresh.count++] = out;
        if (settings_check_item(key, texts[i], out, err) < 0)
            goto fail;
    }
    if (settings_check_value(key, &fresh, err) < 0)
        goto fail;
    fresh.given = strcmp(origin, "default") != 0;
    value_clear(&settings->values[settings_key_index(key)]);
    settings->values[settings_key_index(key)] = fresh;
    return 0;
memory:
    error_memory(err);
fail:
    value_clear(&fresh);
    return -1;
}

static void uci_free(struct settings_uci *uci)
{
    free(uci->name);
    free(uci->value);
    free(uci->origin);
}

int settings_assign_uci(struct settings *settings, const char *name, const char *text,
                        const char *origin, struct error *err)
{
    if (strpbrk(name, "\n\r") || strpbrk(text, "\n\r"))
        return error_set(err, ERROR_USAGE, "label.options: a line break is not allowed");
    size_t at = 0;
    while (at < settings->uci_count && strcmp(settings->uci[at].name, name) < 0)
        at++;
    bool known = at < settings->uci_count && strcmp(settings->uci[at].name, name) == 0;
    if (!known && settings->uci_count == SETTINGS_UCI_MAX)
        return error_set(err, ERROR_USAGE, "label.options: more than %d options", SETTINGS_UCI_MAX);
    struct settings_uci fresh = {strdup(name), strdup(text), strdup(origin)};
    if (!fresh.name || !fresh.value || !fresh.origin) {
        uci_free(&fresh);
        return error_memory(err);
    }
    if (known) {
        uci_free(&settings->uci[at]);
    } else {
        memmove(&settings->uci[at + 1], &settings->uci[at],
                (settings->uci_count - at) * sizeof settings->uci[0]);
        settings->uci_count++;
    }
    settings->uci[at] = fresh;
    return 0;
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
    status = settings_assign(settings, key, (const char *const *)parts, count, origin, err);
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
    const struct settings_value *old = &settings->values[settings_key_index(key)];
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
        return settings_assign_uci(settings, name + sizeof uci_prefix - 1, text, origin, err);
    const struct settings_key *key = settings_find(name);
    if (!key)
        return error_set(err, ERROR_USAGE, "unknown key %s", name);
    if (settings_is_list(key))
        return append_list(settings, key, text, origin, err);
    return settings_assign(settings, key, &text, 1, origin, err);
}

int settings_make_absolute(struct settings *settings, const char *name, const char *folder,
                           struct error *err)
{
    struct settings_value *value = &settings->values[settings_key_index(settings_find(name))];
    for (size_t i = 0; i < value->count; i++) {
        const char *item = value->items[i];
        if (item[0] == '/' || strcmp(item, "-") == 0)
            continue;
        char *path = file_join(folder, item, err);
        if (!path)
            return -1;
        free(value->items[i]);
        value->items[i] = path;
    }
    return 0;
}

int settings_merge(struct settings *settings, const struct settings *over, struct error *err)
{
    for (const struct settings_key *key = settings_table; key->name; key++) {
        const struct settings_value *value = &over->values[settings_key_index(key)];
        bool given = value->items && value->given;
        if (given && settings_assign(settings, key, (const char *const *)value->items, value->count,
                                     value->origin, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < over->uci_count; i++)
        if (settings_assign_uci(settings, over->uci[i].name, over->uci[i].value,
                                over->uci[i].origin, err) < 0)
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
    return settings_assign(fill->settings, fill->key, texts, entry->count, "default", err);
}

/* Defaults are written as in a recipe; lists go through its parser, scalars are their text. */
static int set_default(struct settings *settings, const struct settings_key *key, struct error *err)
{
    if (!settings_is_list(key))
        return settings_assign(settings, key, &key->initial, 1, "default", err);
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
    settings->values = calloc(settings_table_size() + 1, sizeof *settings->values);
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
    for (size_t i = 0; settings->values && i < settings_table_size(); i++)
        value_clear(&settings->values[i]);
    for (size_t i = 0; i < settings->uci_count; i++)
        uci_free(&settings->uci[i]);
    free(settings->values);
    free(settings);
}

static const struct settings_value *lookup(const struct settings *settings, const char *name)
{
    const struct settings_key *key = settings_find(name);
    if (!key)
        abort();
    return &settings->values[settings_key_index(key)];
}

static const char *scalar(const struct settings *settings, const char *name)
{
    const struct settings_value *value = lookup(settings, name);
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
    const struct settings_value *value = lookup(settings, name);
    return index < value->count ? value->items[index] : NULL;
}

int64_t settings_integer_item(const struct settings *settings, const char *name, size_t index)
{
    const char *text = settings_item(settings, name, index);
    return text ? strtoll(text, NULL, 10) : 0;
}

bool settings_has(const struct settings *settings, const char *name, const char *word)
{
    const struct settings_value *value = lookup(settings, name);
    for (size_t i = 0; i < value->count; i++)
        if (strcmp(value->items[i], word) == 0)
            return true;
    return false;
}

const char *settings_origin(const struct settings *settings, const char *name)
{
    const struct settings_value *value = lookup(settings, name);
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
