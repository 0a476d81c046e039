/* SPDX-License-Identifier: MIT */
/*
 * What the files of the recipe share: how values are kept. Every value is a list of texts in
 * canonical form (one for a scalar), checked against the table when it is set, so that getters
 * cannot fail.
 */
#ifndef PLYMILL_PIPELINE_RECIPE_SETTINGS_INTERNAL_H
#define PLYMILL_PIPELINE_RECIPE_SETTINGS_INTERNAL_H

#include "pipeline/recipe/settings.h"

#define SETTINGS_UCI_MAX     256  /* further UCI options */
#define SETTINGS_NUMBER_MAX  32   /* bytes of a number's canonical text, with the zero */
#define SETTINGS_COMMENT_MAX 4096 /* bytes of what is said of a key */

struct settings_value {
    char **items; /* NULL: unset */
    size_t count;
    char *origin;
    bool given; /* by recipe or command line, not by default */
};

struct settings_uci {
    char *name, *value, *origin;
};

struct settings {
    struct settings_value *values; /* one per row of the table */
    struct settings_uci uci[SETTINGS_UCI_MAX];
    size_t uci_count;
};

size_t settings_table_size(void);
size_t settings_key_index(const struct settings_key *key);
bool settings_is_list(const struct settings_key *key);

/*
 * Checks one item's text against type, range and choices and writes its canonical form to out,
 * which holds strlen(text) + SETTINGS_NUMBER_MAX bytes.
 */
int settings_check_item(const struct settings_key *key, const char *text, char *out,
                        struct error *err);
/* Checks the items together. */
int settings_check_value(const struct settings_key *key, const struct settings_value *value,
                         struct error *err);
/* Replaces a value. */
int settings_assign(struct settings *settings, const struct settings_key *key,
                    const char *const *texts, size_t count, const char *origin, struct error *err);
/* Sets a further UCI option; they are kept in order of name. */
int settings_assign_uci(struct settings *settings, const char *name, const char *text,
                        const char *origin, struct error *err);
/*
 * What the key is with that train.preset unless it is set, without quotes: its help says so, as
 * "[best: 100; tinynnue: 40]" or "[512]". Gives its length, 0 for a key of no preset.
 */
size_t settings_preset_value(const struct settings_key *key, const char *preset, const char **text);
/* "name = value", as in a recipe, without a line end; value->items is not NULL. */
int settings_write_pair(const struct settings_key *key, const struct settings_value *value,
                        struct buffer *out, struct error *err);
/* [label.options] with what stands in it, behind an empty line; nothing where nothing is set. */
int settings_write_uci(const struct settings *settings, bool with_origin, struct buffer *out,
                       struct error *err);

#endif
