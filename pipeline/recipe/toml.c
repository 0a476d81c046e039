/* SPDX-License-Identifier: MIT */
/*
 * The recipe's syntax, line by line. Strings are unescaped into one buffer that lives as long as
 * the entry that is handed out.
 */
#include "pipeline/recipe/toml.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/buffer.h"

#define SECTION_MAX 64

struct parser {
    const char *at; /* the next byte of the text */
    unsigned line;
    char section[SECTION_MAX];
    struct buffer strings; /* key and string items of the current entry, each with a zero */
    size_t offsets[TOML_ITEMS_MAX]; /* of the items in strings */
    struct toml_item items[TOML_ITEMS_MAX];
    size_t count;
    struct error *err;
};

static int fail(struct parser *p, const char *expected)
{
    return error_set(p->err, ERROR_USAGE, "line %u: expected %s", p->line, expected);
}

static void skip_blanks(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static bool at_line_end(const struct parser *p)
{
    return *p->at == '\0' || *p->at == '\n' || (*p->at == '\r' && p->at[1] == '\n');
}

static int expect_line_end(struct parser *p)
{
    skip_blanks(p);
    if (*p->at == '#')
        p->at += strcspn(p->at, "\r\n");
    return at_line_end(p) ? 0 : fail(p, "the end of the line");
}

static int put(struct parser *p, char c)
{
    return buffer_append(&p->strings, &c, 1, p->err);
}

static bool is_bare(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '+' || c == '.';
}

static int read_bare(struct parser *p)
{
    if (!is_bare(*p->at))
        return fail(p, "a key or a value");
    for (; is_bare(*p->at) || (*p->at == '_' && is_bare(p->at[1])); p->at++)
        if (put(p, *p->at) < 0)
            return -1;
    return put(p, '\0');
}

static int read_escape(struct parser *p)
{
    static const char letters[] = "\"\\ntr", values[] = "\"\\\n\t\r";
    const char *found = *p->at ? strchr(letters, *p->at) : NULL;
    if (!found)
        return fail(p, "one of \\\" \\\\ \\n \\t \\r behind a backslash");
    p->at++;
    return put(p, values[found - letters]);
}

static int read_quoted(struct parser *p)
{
    char quote = *p->at++;
    while (*p->at != quote) {
        if (at_line_end(p))
            return fail(p, "a closing quote");
        char c = *p->at++;
        if (c == '\\' && quote == '"' ? read_escape(p) < 0 : put(p, c) < 0)
            return -1;
    }
    p->at++;
    return put(p, '\0');
}

static int read_key(struct parser *p)
{
    return *p->at == '"' || *p->at == '\'' ? read_quoted(p) : read_bare(p);
}

static int read_section(struct parser *p, toml_entry_function *function, void *context)
{
    p->at++;
    skip_blanks(p);
    size_t length = strcspn(p->at, "] \t\r\n#");
    if (length == 0 || length >= sizeof p->section)
        return fail(p, "a section name");
    memcpy(p->section, p->at, length);
    p->section[length] = '\0';
    p->at += length;
    skip_blanks(p);
    if (*p->at++ != ']')
        return fail(p, "] behind the section name");
    if (expect_line_end(p) < 0)
        return -1;
    return function(context, &(struct toml_entry){.section = p->section, .line = p->line}, p->err);
}

/* The type of a bare word; underscores between digits of a number are taken out. */
static int classify(struct parser *p, char *text, enum toml_type *type)
{
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        *type = TOML_BOOLEAN;
        return 0;
    }
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != '_')
            *to++ = *from;
    *to = '\0';
    char *end;
    (void)strtod(text, &end);
    if (*end != '\0' || end == text || strspn(text, "+-0123456789.eE") != strlen(text))
        return fail(p, "a value: \"text\", a number, true, false or an array");
    *type = strpbrk(text, ".eE") ? TOML_REAL : TOML_INTEGER;
    return 0;
}

static int read_item(struct parser *p)
{
    if (p->count == TOML_ITEMS_MAX)
        return fail(p, "a shorter array");
    size_t start = p->strings.length;
    struct toml_item *item = &p->items[p->count];
    p->offsets[p->count++] = start;
    if (*p->at == '"' || *p->at == '\'') {
        item->type = TOML_STRING;
        return read_quoted(p);
    }
    if (read_bare(p) < 0)
        return -1;
    return classify(p, p->strings.data + start, &item->type);
}

static int read_array(struct parser *p)
{
    p->at++;
    for (;;) {
        skip_blanks(p);
        if (*p->at == ']')
            break;
        if (at_line_end(p))
            return fail(p, "] before the end of the line");
        if (read_item(p) < 0)
            return -1;
        skip_blanks(p);
        if (*p->at == ',')
            p->at++;
        else if (*p->at != ']')
            return fail(p, ", or ] in the array");
    }
    p->at++;
    return 0;
}

static int read_entry(struct parser *p, toml_entry_function *function, void *context)
{
    buffer_clear(&p->strings);
    p->count = 0;
    if (read_key(p) < 0)
        return -1;
    skip_blanks(p);
    if (*p->at != '=')
        return fail(p, "= behind the key");
    p->at++;
    skip_blanks(p);
    struct toml_entry entry = {.section = p->section, .line = p->line, .is_array = *p->at == '['};
    if ((entry.is_array ? read_array(p) : read_item(p)) < 0 || expect_line_end(p) < 0)
        return -1;
    for (size_t i = 0; i < p->count; i++)
        p->items[i].text = p->strings.data + p->offsets[i];
    entry.key = p->strings.data;
    entry.items = p->items;
    entry.count = p->count;
    return function(context, &entry, p->err);
}

static int read_line(struct parser *p, toml_entry_function *function, void *context)
{
    skip_blanks(p);
    if (at_line_end(p) || *p->at == '#')
        return expect_line_end(p);
    return *p->at == '[' ? read_section(p, function, context) : read_entry(p, function, context);
}

int toml_parse(const char *text, toml_entry_function *function, void *context, struct error *err)
{
    struct parser *p = calloc(1, sizeof *p);
    if (!p)
        return error_memory(err);
    p->at = text;
    p->err = err;
    buffer_init(&p->strings, TOML_FILE_MAX);
    if (strncmp(p->at, "\xef\xbb\xbf", 3) == 0)
        p->at += 3;
    int status = 0;
    for (p->line = 1; *p->at != '\0'; p->line++) {
        status = read_line(p, function, context);
        if (status < 0)
            break;
        p->at += strcspn(p->at, "\n");
        p->at += *p->at == '\n';
    }
    buffer_free(&p->strings);
    free(p);
    return status < 0 ? -1 : 0;
}
