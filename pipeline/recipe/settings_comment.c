/* SPDX-License-Identifier: MIT */
/*
 * The recipe that `plymill init` writes: the option table as a text to be edited.
 */
#include "pipeline/recipe/settings_internal.h"

#include <string.h>

#define WIDTH 100 /* columns of a line */

/* What an example says for keys that are not set; for others it is made up from type and range. */
static const char *const examples[][2] = {
    {"build.log", "\"plymill.jsonl\""},
    {"input.files", "[\"games.pgn.zst\"]"},
    {"input.min_elo", "2000"},
    {"input.max_elo", "2800"},
    {"input.dates", "\"2013-01\""},
    {"input.max_games", "2000000"},
    {"input.score_scale", "3.61"},
    {"sample.max_ply", "200"},
    {"label.engine", "\"stockfish\""},
    {"label.train_nodes", "1000"},
    {"label.depth", "10"},
    {"filter.max_abs_score", "3000"},
    {"filter.wdl_consistency", "1000"},
    {"filter.per_opening", "1000"},
    {"export.score_scale", "3.61"},
    {"export.positions_per_file", "10000000"},
};

/* Words of text behind "# ", broken before WIDTH. */
static int write_comment(const char *text, struct buffer *out, struct error *err)
{
    size_t column = 0;
    int status = 0;
    while (*text && status == 0) {
        size_t length = strcspn(text, " \n");
        bool fresh = column == 0 || column + 1 + length > WIDTH;
        if (fresh) {
            status = buffer_printf(out, err, "%s#", column ? "\n" : "");
            column = 1;
        }
        if (status == 0)
            status = buffer_printf(out, err, " %.*s", (int)length, text);
        column += 1 + length;
        text += length;
        text += *text != '\0';
    }
    return status;
}

/* "; one of a, b, c" */
static int write_choices(const struct settings_key *key, struct buffer *text, struct error *err)
{
    int status = buffer_printf(text, err, "%s", key->help);
    if (!key->choices || status < 0)
        return status;
    status = buffer_printf(text, err, key->type == SETTING_STRINGS ? "; any of " : "; one of ");
    for (const char *at = key->choices; *at && status == 0; at++)
        status = *at == '|' ? buffer_append(text, ", ", 2, err) : buffer_append(text, at, 1, err);
    return status;
}

static int write_example(const struct settings_key *key, struct buffer *out, struct error *err)
{
    const char *bare = strchr(key->name, '.') + 1, *text = "";
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        if (strcmp(examples[i][0], key->name) == 0)
            return buffer_printf(out, err, "# %s = %s\n", bare, examples[i][1]);
    size_t length = settings_preset_value(key, "best", &text);
    const char *quote = key->type == SETTING_STRING || key->type == SETTING_STRINGS ? "\"" : "";
    bool list = settings_is_list(key);
    if (length == 0 && key->choices) {
        text = key->choices;
        length = strcspn(text, "|");
    }
    if (length == 0 && *quote == '\0')
        return buffer_printf(out, err, "# %s = %s%.17g%s\n", bare, list ? "[" : "", key->low,
                             list ? "]" : "");
    return buffer_printf(out, err, "# %s = %s%s%.*s%s%s\n", bare, list ? "[" : "", quote,
                         (int)length, text, quote, list ? "]" : "");
}

static int write_key(const struct settings *settings, const struct settings_key *key,
                     struct buffer *out, struct error *err)
{
    const struct settings_value *value = &settings->values[settings_key_index(key)];
    struct buffer text;
    buffer_init(&text, SETTINGS_COMMENT_MAX);
    int status = write_choices(key, &text, err);
    if (status == 0)
        status = write_comment(text.data, out, err);
    buffer_free(&text);
    if (status < 0 || buffer_append(out, "\n", 1, err) < 0)
        return -1;
    if (!value->items)
        return write_example(key, out, err);
    return settings_write_pair(key, value, out, err) < 0 ? -1 : buffer_append(out, "\n", 1, err);
}

static int write_options(const struct settings *settings, struct buffer *out, struct error *err)
{
    static const char text[] = "\n# Further UCI options by their own names.\n"
                               "# [label.options]\n# \"Skill Level\" = 3\n";
    return settings->uci_count > 0 ? settings_write_uci(settings, false, out, err)
                                   : buffer_append(out, text, sizeof text - 1, err);
}

int settings_write_commented(const struct settings *settings, struct buffer *out, struct error *err)
{
    unsigned section = 0;
    int status = 0;
    for (const struct settings_key *key = settings_table; key->name && status == 0; key++) {
        bool first = key->section != section;
        if (first && section == SECTION_LABEL)
            status = write_options(settings, out, err);
        if (first && status == 0)
            status = buffer_printf(out, err, "%s[%s]\n", section ? "\n" : "",
                                   settings_section_name(key->section));
        else if (status == 0)
            status = buffer_append(out, "\n", 1, err);
        section = key->section;
        if (status == 0)
            status = write_key(settings, key, out, err);
    }
    return status;
}
