/* SPDX-License-Identifier: MIT */
/*
 * The option table of the recipe: every key with its type, range, default, help and the first stage
 * that it affects. It drives the recipe's parser, --section.key on the command line, help, the man
 * page, the canonical form and the build id.
 */
#ifndef PLYMILL_PIPELINE_RECIPE_SETTINGS_H
#define PLYMILL_PIPELINE_RECIPE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/io/buffer.h"
#include "formats/io/error.h"

enum settings_section {
    SECTION_BUILD = 1,
    SECTION_INPUT = 2,
    SECTION_SAMPLE = 4,
    SECTION_LABEL = 8,
    SECTION_FILTER = 16,
    SECTION_SPLIT = 32,
    SECTION_SHUFFLE = 64,
    SECTION_EXPORT = 128,
    SECTION_TRAIN = 256,
    SECTION_ALL_BUILD = 255 /* everything but train */
};

enum settings_type {
    SETTING_STRING,
    SETTING_INTEGER,
    SETTING_REAL,
    SETTING_BOOLEAN,
    SETTING_STRINGS,     /* an array of strings */
    SETTING_INTEGERS,    /* an array of integers */
    SETTING_COUNT_OR_ALL /* an integer, or "all" which reads as 0 */
};

/* The first stage that must be done again when the key changes. */
enum settings_stage {
    STAGE_NONE, /* execution only: paths, workers, threads, memory, log */
    STAGE_SAMPLE,
    STAGE_LABEL,
    STAGE_SELECT,
    STAGE_EXPORT,
    STAGE_TRAIN
};

struct settings_key {
    enum settings_section section;
    const char *name;  /* "label.nodes" */
    const char *alias; /* short form on the command line ("nodes"), or NULL */
    enum settings_type type;
    enum settings_stage stage;
    const char *initial; /* the default as it would stand in a recipe; NULL: unset */
    double low, high;    /* range of numbers and of the items of arrays */
    const char *choices; /* "a|b|c": the strings allowed (items, for arrays); NULL: any */
    const char *help;    /* one line */
};

/* Ended by a NULL name. In the order of help and of the canonical form. */
extern const struct settings_key settings_table[];
const struct settings_key *settings_find(const char *name);
/* "[build]" etc.: the name of a section without brackets. */
const char *settings_section_name(enum settings_section section);
/* The section of that name, or 0. */
unsigned settings_section_find(const char *name);
/* What a value of the key is, as it stands in a recipe: "a whole number". */
const char *settings_type_words(const struct settings_key *key);

struct settings;

/* All defaults. NULL when memory is short. */
struct settings *settings_new(void);
void settings_free(struct settings *settings);
/* Reads a recipe file over what is there; errors say file, line and what was expected. */
int settings_load(struct settings *settings, const char *path, struct error *err);
/* Sets one key from text as on a command line (arrays comma-separated). origin: "command line". */
int settings_set(struct settings *settings, const char *name, const char *text, const char *origin,
                 struct error *err);
/*
 * Makes the paths of a list absolute (but "-"), so that a recipe that is kept means the same files
 * from any folder. folder: the one that they are relative to.
 */
int settings_make_absolute(struct settings *settings, const char *name, const char *folder,
                           struct error *err);
/* Everything set explicitly in `over` is set in settings too. */
int settings_merge(struct settings *settings, const struct settings *over, struct error *err);

/* Getters: name must be in the table with that type (else the program aborts: a bug of ours). */
bool settings_is_set(const struct settings *settings, const char *name);        /* not NULL-unset */
const char *settings_string(const struct settings *settings, const char *name); /* or NULL */
int64_t settings_integer(const struct settings *settings, const char *name);
double settings_real(const struct settings *settings, const char *name);
bool settings_boolean(const struct settings *settings, const char *name);
size_t settings_count(const struct settings *settings, const char *name);
const char *settings_item(const struct settings *settings, const char *name, size_t index);
int64_t settings_integer_item(const struct settings *settings, const char *name, size_t index);
/* Does the string or array of strings hold this word? */
bool settings_has(const struct settings *settings, const char *name, const char *word);
/* Where the value came from: "default", "recipe.toml:12", "command line". */
const char *settings_origin(const struct settings *settings, const char *name);

/* [label.options]: UCI options with free names, in order of name. */
size_t settings_uci_count(const struct settings *settings);
const char *settings_uci_name(const struct settings *settings, size_t index);
const char *settings_uci_value(const struct settings *settings, size_t index);

/*
 * The canonical recipe: all keys in table order, one form for each value. stages: keys of which
 * stages (bit 1 << enum settings_stage); with_origin adds comments: where each came from, which are
 * not set, and what the preset gives for those.
 */
int settings_write(const struct settings *settings, unsigned stages, bool with_origin,
                   struct buffer *out, struct error *err);

/*
 * A recipe to be edited: every key with what it does in a comment above it, and its value; what is
 * not set stands in a comment with an example, which is valid once the "# " in front is taken away.
 */
int settings_write_commented(const struct settings *settings, struct buffer *out,
                             struct error *err);

#endif
