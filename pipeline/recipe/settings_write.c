/* SPDX-License-Identifier: MIT */
/*
 * The canonical recipe: what is hashed, shown and kept.
 */
#include "pipeline/recipe/settings_internal.h"

#include <stdio.h>
#include <string.h>

#define PRESET_MAX 64 /* bytes of its name */

static int write_string(struct buffer *out, const char *text, struct error *err)
{
    static const char escaped[] = "\"\\\n\t\r", letters[] = "\"\\ntr";
    int status = buffer_append(out, "\"", 1, err);
    for (; *text && status == 0; text++) {
        const char *found = strchr(escaped, *text);
        const char pair[] = {'\\', found ? letters[found - escaped] : '\0'};
        status = found ? buffer_append(out, pair, 2, err) : buffer_append(out, text, 1, err);
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

int settings_write_pair(const struct settings_key *key, const struct settings_value *value,
                        struct buffer *out, struct error *err)
{
    bool list = settings_is_list(key);
    if (buffer_printf(out, err, "%s = %s", strchr(key->name, '.') + 1, list ? "[" : "") < 0)
        return -1;
    for (size_t i = 0; i < value->count; i++)
        if ((i > 0 && buffer_append(out, ", ", 2, err) < 0) ||
            write_item(key, value->items[i], out, err) < 0)
            return -1;
    return list ? buffer_append(out, "]", 1, err) : 0;
}

static int end_line(const char *origin, bool with_origin, struct buffer *out, struct error *err)
{
    return with_origin ? buffer_printf(out, err, "  # %s\n", origin)
                       : buffer_append(out, "\n", 1, err);
}

size_t settings_preset_value(const struct settings_key *key, const char *preset, const char **text)
{
    char name[PRESET_MAX];
    const char *open = strchr(key->help, '[');
    if (key->section != SECTION_TRAIN || key->initial || !open)
        return 0;
    (void)snprintf(name, sizeof name, "%s: ", preset);
    const char *named = strstr(open, name);
    *text = named ? named + strlen(name) : open + 1;
    return strcspn(*text, ";]");
}

/* In a comment, so that the recipe goes on to say the same. */
static int write_unset(const struct settings *settings, const struct settings_key *key,
                       struct buffer *out, struct error *err)
{
    const char *preset = settings_string(settings, "train.preset"), *text;
    const char *quote = key->type == SETTING_STRING ? "\"" : "";
    const char *name = strchr(key->name, '.') + 1;
    size_t length = settings_preset_value(key, preset, &text);
    if (!length)
        return buffer_printf(out, err, "# %s is not set\n", name);
    return buffer_printf(out, err, "# %s = %s%.*s%s  # preset %s\n", name, quote, (int)length, text,
                         quote, preset);
}

static int write_value(const struct settings *settings, const struct settings_key *key,
                       bool with_origin, struct buffer *out, struct error *err)
{
    const struct settings_value *value = &settings->values[settings_key_index(key)];
    if (!value->items)
        return with_origin ? write_unset(settings, key, out, err) : 0;
    return settings_write_pair(key, value, out, err) < 0
               ? -1
               : end_line(value->origin, with_origin, out, err);
}

int settings_write_uci(const struct settings *settings, bool with_origin, struct buffer *out,
                       struct error *err)
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
            status = end_line(settings->uci[i].origin, with_origin, out, err);
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
            (stages & 1u << STAGE_LABEL) && settings_write_uci(settings, with_origin, out, err) < 0)
            return -1;
        if (key->section != section && buffer_printf(out, err, "%s[%s]\n", section ? "\n" : "",
                                                     settings_section_name(key->section)) < 0)
            return -1;
        section = key->section;
        if (write_value(settings, key, with_origin, out, err) < 0)
            return -1;
    }
    bool last = section == SECTION_LABEL && stages & 1u << STAGE_LABEL;
    return last ? settings_write_uci(settings, with_origin, out, err) : 0;
}
