/* SPDX-License-Identifier: MIT */
/*
 * A recipe file, key by key, over the settings that are there.
 */
#include "pipeline/recipe/settings_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/recipe/suggest.h"
#include "pipeline/recipe/toml.h"

#define ORIGIN_MAX 512 /* bytes of "recipe.toml:12"; a longer path is cut */

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

struct load {
    struct settings *settings;
    const char *path;
    unsigned *lines; /* line on which each key of the table was set, 0: not yet */
    unsigned uci_lines[SETTINGS_UCI_MAX];
    char *uci_names[SETTINGS_UCI_MAX];
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
    char origin[ORIGIN_MAX];
    (void)snprintf(origin, sizeof origin, "%s:%u", load->path, entry->line);
    if (settings_assign_uci(load->settings, entry->key, entry->items[0].text, origin, err) < 0)
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
    unsigned *line = &load->lines[settings_key_index(key)];
    if (*line)
        return error_set(err, ERROR_USAGE, "line %u: %s is already set on line %u", entry->line,
                         key->name, *line);
    *line = entry->line;
    bool fits = entry->is_array == settings_is_list(key);
    const char **texts = calloc(entry->count + 1, sizeof *texts);
    if (!texts)
        return error_memory(err);
    for (size_t i = 0; i < entry->count; i++) {
        fits = fits && type_fits(key, &entry->items[i]);
        texts[i] = entry->items[i].text;
    }
    int status;
    char origin[ORIGIN_MAX];
    (void)snprintf(origin, sizeof origin, "%s:%u", load->path, entry->line);
    if (fits)
        status = settings_assign(load->settings, key, texts, entry->count, origin, err);
    else
        status =
            error_set(err, ERROR_USAGE, "%s: expected %s", key->name, settings_type_words(key));
    free(texts);
    return status < 0 ? error_prefix(err, "line %u", entry->line) : 0;
}

static bool is_section(const char *name)
{
    return settings_section_find(name) || strcmp(name, "label.options") == 0;
}

static int unknown_section(const struct toml_entry *entry, struct error *err)
{
    struct suggestion near = {.word = entry->section};
    for (unsigned bit = SECTION_BUILD; bit <= SECTION_TRAIN; bit <<= 1) {
        const char *name = settings_section_name((enum settings_section)bit);
        suggest_consider(&near, name, name);
    }
    suggest_consider(&near, "label.options", "label.options");
    return error_set(err, ERROR_USAGE,
                     "line %u: unknown section [%s]%s%s%s (see: plymill help recipe)", entry->line,
                     entry->section, near.answer ? "; did you mean [" : "",
                     near.answer ? near.answer : "", near.answer ? "]?" : "");
}

/*
 * The key that is meant: of this section by its own word, else of another section in which that
 * very word stands.
 */
static const char *nearest_key(const struct toml_entry *entry)
{
    struct suggestion near = {.word = entry->key};
    const char *elsewhere = NULL;
    for (const struct settings_key *key = settings_table; key->name; key++) {
        const char *word = strchr(key->name, '.') + 1;
        if (strcmp(settings_section_name(key->section), entry->section) == 0)
            suggest_consider(&near, word, key->name);
        else if (strcmp(word, entry->key) == 0 || strcmp(key->name, entry->key) == 0)
            elsewhere = elsewhere ? elsewhere : key->name;
    }
    bool exact = near.answer && near.distance == 0;
    if (elsewhere && !exact)
        return elsewhere;
    return near.answer;
}

static int unknown_key(const struct toml_entry *entry, const char *name, struct error *err)
{
    const char *near = nearest_key(entry);
    if (near && strcmp(near, name) == 0)
        return error_set(err, ERROR_USAGE, "line %u: %s is written as %s below a line [%.*s]",
                         entry->line, name, strchr(near, '.') + 1, (int)strcspn(near, "."), near);
    return error_set(err, ERROR_USAGE, "line %u: unknown key %s%s%s%s (see: plymill help recipe)",
                     entry->line, name, near ? "; did you mean " : "", near ? near : "",
                     near ? "?" : "");
}

static int load_entry(void *context, const struct toml_entry *entry, struct error *err)
{
    struct load *load = context;
    if (!entry->key)
        return is_section(entry->section) ? 0 : unknown_section(entry, err);
    if (strcmp(entry->section, "label.options") == 0)
        return load_uci(load, entry, err);
    char name[256];
    (void)snprintf(name, sizeof name, "%s.%s", entry->section, entry->key);
    const struct settings_key *key = settings_find(name);
    if (!key || strcmp(key->name, name) != 0)
        return unknown_key(entry, entry->section[0] ? name : entry->key, err);
    return load_known(load, key, entry, err);
}

int settings_load(struct settings *settings, const char *path, struct error *err)
{
    struct buffer text;
    buffer_init(&text, TOML_FILE_MAX);
    struct load load = {.settings = settings, .path = path};
    load.lines = calloc(settings_table_size(), sizeof *load.lines);
    int status = -1;
    if (!load.lines) {
        error_memory(err);
        goto out;
    }
    if (file_read_all(path, &text, err) < 0 || buffer_append(&text, "", 0, err) < 0)
        goto out;
    if (text.length > 0 && strlen(text.data) != text.length) {
        error_set(err, ERROR_USAGE, "%s: holds a zero byte: no recipe", path);
        goto out;
    }
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
