/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/recipe/toml.h"

#define HEX_DIGITS (DIGEST_HEX_SIZE - 1)

static bool stays_inside(const char *name)
{
    return name[0] != '\0' && name[0] != '/' && strcmp(name, "..") != 0 &&
           strncmp(name, "../", 3) != 0 && !strstr(name, "/../");
}

int sums_next(const struct buffer *text, size_t *at, struct sums_line *line)
{
    if (*at == text->length)
        return 0;
    const char *start = text->data + *at;
    const char *end = memchr(start, '\n', text->length - *at);
    size_t length = end ? (size_t)(end - start) : 0;
    if (length < HEX_DIGITS + 3 || length - HEX_DIGITS - 2 >= sizeof line->name ||
        memchr(start, '\0', length) || memcmp(start + HEX_DIGITS, "  ", 2) != 0)
        return -1;
    (void)snprintf(line->hex, sizeof line->hex, "%.*s", HEX_DIGITS, start);
    (void)snprintf(line->name, sizeof line->name, "%.*s", (int)(length - HEX_DIGITS - 2),
                   start + HEX_DIGITS + 2);
    *at += length + 1;
    return strspn(line->hex, "0123456789abcdef") == HEX_DIGITS && stays_inside(line->name) ? 1 : -1;
}

static int add_line(struct buffer *out, const char *hex, const char *name, struct error *err)
{
    return buffer_printf(out, err, "%s  %s\n", hex, name);
}

static int add_file(void *context, const struct catalogue_file *file, struct error *err)
{
    return add_line(context, file->file_sha256, file->name, err);
}

static int add_noted(struct build *build, const char *key, const char *name, struct buffer *out,
                     struct error *err)
{
    char hex[CATALOGUE_VALUE_MAX];
    int found = catalogue_get(build->catalogue, key, hex, err);
    return found > 0 ? add_line(out, hex, name, err) : found;
}

/* The canonical form is what the file holds. */
static int add_recipe(struct build *build, struct buffer *out, struct error *err)
{
    struct buffer text;
    uint8_t digest[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    buffer_init(&text, TOML_FILE_MAX);
    int status = settings_write(build->settings, ~0u, false, &text, err);
    if (status == 0) {
        digest_bytes(text.data, text.length, digest);
        digest_to_hex(digest, DIGEST_SIZE, hex);
        status = add_line(out, hex, "recipe.toml", err);
    }
    buffer_free(&text);
    return status;
}

/* The digest of a file of the directory as it is: 1, 0 when it is not there, -1. */
static int present(const struct build *build, const char *name, char hex[DIGEST_HEX_SIZE],
                   struct error *err)
{
    char *path = build_path(build, err, "%s", name);
    if (!path)
        return -1;
    int status = file_exists(path) ? 1 : 0;
    if (status == 1 && digest_file(path, hex, NULL, err) < 0)
        status = -1;
    free(path);
    return status;
}

int sums_render(struct build *build, const char *report_sha256, struct buffer *out,
                struct error *err)
{
    char card[DIGEST_HEX_SIZE];
    if (catalogue_each_file(build->catalogue, add_file, out, err) < 0 ||
        add_noted(build, BUILD_MANIFEST_DIGEST, "manifest.json", out, err) < 0 ||
        add_noted(build, BUILD_QUARANTINE_DIGEST, "quarantine.tsv", out, err) < 0 ||
        add_recipe(build, out, err) < 0)
        return -1;
    int found = present(build, SUMS_CARD, card, err);
    if (found < 0 || (found && add_line(out, card, SUMS_CARD, err) < 0))
        return -1;
    return report_sha256 ? add_line(out, report_sha256, SUMS_REPORT, err) : 0;
}

/* What the file says of report.html: 1, 0. Anything unreadable says nothing. */
static int listed_report(const struct buffer *old, char hex[DIGEST_HEX_SIZE])
{
    struct sums_line line;
    size_t at = 0;
    while (sums_next(old, &at, &line) == 1) {
        if (strcmp(line.name, SUMS_REPORT) == 0) {
            memcpy(hex, line.hex, DIGEST_HEX_SIZE);
            return 1;
        }
    }
    return 0;
}

static int write_sums(struct build *build, bool fresh_report, struct error *err)
{
    struct buffer text, old;
    char report[DIGEST_HEX_SIZE], listed[DIGEST_HEX_SIZE];
    char *path = build_path(build, err, SUMS_NAME);
    buffer_init(&text, SUMS_MAX);
    buffer_init(&old, SUMS_MAX);
    int status = path ? present(build, SUMS_REPORT, report, err) : -1;
    bool there = status == 1;
    if (status >= 0 && file_exists(path))
        status = file_read_all(path, &old, err);
    if (status >= 0) {
        bool keep = !fresh_report && listed_report(&old, listed);
        status = sums_render(build, there ? (keep ? listed : report) : NULL, &text, err);
    }
    if (status == 0 && (old.length != text.length || memcmp(old.data, text.data, text.length) != 0))
        status = file_write_all(path, text.data, text.length, err);
    buffer_free(&text);
    buffer_free(&old);
    free(path);
    return status;
}

int sums_run(struct build *build, struct error *err)
{
    char id[CATALOGUE_VALUE_MAX];
    int found = catalogue_get(build->catalogue, "build_id", id, err);
    if (found <= 0)
        return found;
    if (write_sums(build, false, err) < 0)
        return -1;
    return catalogue_seal(build->catalogue, err);
}

int sums_add_report(struct build *build, struct error *err)
{
    char *path = build_path(build, err, SUMS_NAME);
    if (!path)
        return -1;
    bool there = file_exists(path);
    free(path);
    return there ? write_sums(build, true, err) : 0;
}
