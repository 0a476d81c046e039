/* SPDX-License-Identifier: MIT */
#include "pipeline/recipe/difference.h"

#include <stdio.h>
#include <string.h>

#define NAME_SIZE  64
#define VALUE_SIZE 160

/* A walk over the "key = value" lines of a canonical recipe. */
struct walk {
    const char *at;
    char section[NAME_SIZE], name[2 * NAME_SIZE], value[VALUE_SIZE];
};

static void copy(char *out, size_t size, const char *text, size_t length)
{
    (void)snprintf(out, size, "%.*s", (int)length, text);
}

/* The next key, with its section before it. */
static bool next_key(struct walk *walk)
{
    while (*walk->at) {
        const char *line = walk->at;
        size_t length = strcspn(line, "\n");
        walk->at += length + (line[length] == '\n');
        const char *equals = memchr(line, '=', length);
        if (line[0] == '[' && length > 2) {
            copy(walk->section, sizeof walk->section, line + 1, length - 2);
        } else if (equals && equals > line) {
            char key[NAME_SIZE];
            copy(key, sizeof key, line, (size_t)(equals - line) - 1);
            (void)snprintf(walk->name, sizeof walk->name, "%s.%s", walk->section, key);
            copy(walk->value, sizeof walk->value, equals + 2, length - (size_t)(equals + 2 - line));
            return true;
        }
    }
    return false;
}

static bool find(const char *recipe, const char *name, char value[VALUE_SIZE])
{
    struct walk walk = {.at = recipe};
    while (next_key(&walk)) {
        if (strcmp(walk.name, name) == 0) {
            memcpy(value, walk.value, VALUE_SIZE);
            return true;
        }
    }
    return false;
}

bool difference_describe(const char *was, const char *now, char *out, size_t size)
{
    char other[VALUE_SIZE];
    struct walk walk = {.at = now};
    while (next_key(&walk)) {
        bool known = find(was, walk.name, other);
        if (known && strcmp(other, walk.value) == 0)
            continue;
        (void)snprintf(out, size, "%s was %s, now %s", walk.name, known ? other : "not set",
                       walk.value);
        return true;
    }
    walk = (struct walk){.at = was};
    while (next_key(&walk)) {
        if (!find(now, walk.name, other)) {
            (void)snprintf(out, size, "%s was %s, now not set", walk.name, walk.value);
            return true;
        }
    }
    return false;
}
