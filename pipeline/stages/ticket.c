/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/ticket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"

#define TICKET_MAX (64u << 10)

static int recipe_digest(const struct build *build, char hex[DIGEST_HEX_SIZE], struct error *err)
{
    struct buffer text;
    uint8_t digest[DIGEST_SIZE];
    buffer_init(&text, TICKET_MAX);
    int status =
        settings_write(build->settings, 1u << STAGE_SAMPLE | 1u << STAGE_LABEL, false, &text, err);
    if (status == 0) {
        digest_bytes(text.data, text.length, digest);
        digest_to_hex(digest, DIGEST_SIZE, hex);
    }
    buffer_free(&text);
    return status;
}

static int render(const struct build *build, const struct fingerprint *engine, struct buffer *out,
                  struct error *err)
{
    static const struct fingerprint none = {0};
    char recipe[DIGEST_HEX_SIZE];
    const struct fingerprint *of = engine ? engine : &none;
    if (recipe_digest(build, recipe, err) < 0)
        return -1;
    return buffer_printf(out, err, "recipe %s\nname %s\nnet %s\noptions %s\nsignature %s\n", recipe,
                         of->name, of->net, of->options, of->signature);
}

int ticket_write(const struct build *build, const struct fingerprint *engine, struct error *err)
{
    struct buffer text;
    buffer_init(&text, TICKET_MAX);
    char *path = build_path(build, err, TICKET_NAME);
    int status = path ? render(build, engine, &text, err) : -1;
    if (status == 0)
        status = file_write_all(path, text.data, text.length, err);
    buffer_free(&text);
    free(path);
    return status;
}

int ticket_remove(const struct build *build, struct error *err)
{
    char *path = build_path(build, err, TICKET_NAME);
    int status = path ? file_remove(path, err) : -1;
    free(path);
    return status;
}

static int refuse(const struct build *build, const char *have, const char *want, struct error *err)
{
    if (strncmp(have, "recipe ", 7) == 0)
        return error_set(err, ERROR_FAILED,
                         "%s: the recipe is not the one that its labels were begun with; begin "
                         "anew with: plymill label %s --begin",
                         build->directory, build->shell_name);
    return error_set(err, ERROR_FAILED,
                     "%s: this engine does not label as the one that its labels were begun with: "
                     "%s here, and %s there",
                     build->directory, have, want);
}

/* Two texts, line by line; both are cut. */
static int compare(const struct build *build, char *have, char *want, struct error *err)
{
    char *left, *right;
    for (char *one = strtok_r(have, "\n", &left), *other = strtok_r(want, "\n", &right);
         one || other; one = strtok_r(NULL, "\n", &left), other = strtok_r(NULL, "\n", &right))
        if (!one || !other || strcmp(one, other) != 0)
            return refuse(build, one ? one : "nothing", other ? other : "nothing", err);
    return 0;
}

int ticket_check(const struct build *build, const struct fingerprint *engine, struct error *err)
{
    struct buffer have, want;
    buffer_init(&have, TICKET_MAX);
    buffer_init(&want, TICKET_MAX);
    char *path = build_path(build, err, TICKET_NAME);
    int status = -1;
    if (path && !file_exists(path))
        error_set(err, ERROR_FAILED,
                  "%s: its labels were not begun yet, so that nobody knows by which engine; run: "
                  "plymill label %s --begin",
                  build->directory, build->shell_name);
    else if (path && file_read_all(path, &want, err) == 0 &&
             buffer_append(&want, "", 1, err) == 0 && render(build, engine, &have, err) == 0)
        status = compare(build, have.data, want.data, err);
    buffer_free(&have);
    buffer_free(&want);
    free(path);
    return status;
}

int ticket_of_shard(const struct build *build, const struct fingerprint *engine, unsigned shard,
                    char hex[DIGEST_HEX_SIZE], struct error *err)
{
    struct buffer text;
    char samples[DIGEST_HEX_SIZE];
    uint8_t digest[DIGEST_SIZE];
    buffer_init(&text, TICKET_MAX);
    char *path = build_samples_path(build, shard, err);
    int status = path ? digest_file(path, samples, NULL, err) : -1;
    free(path);
    if (status == 0)
        status = render(build, engine, &text, err);
    if (status == 0)
        status = buffer_printf(&text, err, "samples %s\n", samples);
    if (status == 0) {
        digest_bytes(text.data, text.length, digest);
        digest_to_hex(digest, DIGEST_SIZE, hex);
    }
    buffer_free(&text);
    return status;
}
