/* SPDX-License-Identifier: MIT */
/*
 * The subset of TOML that recipes use: [section] and [section.sub], key = value, "quoted keys",
 * strings with escapes ("..." and '...'), integers, floats, booleans, one-line arrays, # comments.
 */
#ifndef PLYMILL_PIPELINE_RECIPE_TOML_H
#define PLYMILL_PIPELINE_RECIPE_TOML_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/io/error.h"

#define TOML_FILE_MAX  (1u << 20) /* bytes of a recipe */
#define TOML_ITEMS_MAX 4096       /* items of one array */

enum toml_type { TOML_STRING, TOML_INTEGER, TOML_REAL, TOML_BOOLEAN };

struct toml_item {
    enum toml_type type;
    const char *text; /* a string's content; a number without underscores; "true" or "false" */
};

struct toml_entry {
    const char *section, *key; /* section "label.options", key "Skill Level"; key NULL: it begins */
    bool is_array;
    size_t count;
    const struct toml_item *items;
    unsigned line;
};

/* Called for each section's head and for each key, in order; a negative answer ends the parse with
 * err as the callee set it. */
typedef int toml_entry_function(void *context, const struct toml_entry *entry, struct error *err);

/* Parses text (zero-terminated). Syntax errors say the line and what was expected. */
int toml_parse(const char *text, toml_entry_function *entry, void *context, struct error *err);

#endif
