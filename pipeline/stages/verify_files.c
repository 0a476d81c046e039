/* SPDX-License-Identifier: MIT */
/*
 * Verify, first part: the bytes of all files of a build, and of its inputs.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/digest.h"
#include "formats/io/file.h"
#include "pipeline/recipe/shell_quote.h"
#include "pipeline/report/progress.h"
#include "pipeline/stages/inputs.h"
#include "pipeline/stages/moved.h"
#include "pipeline/stages/sums.h"
#include "pipeline/stages/verify_internal.h"

#define SEAL_NAME "build.db" CATALOGUE_SEAL

static bool is_there(const struct verify *verify, const char *name)
{
    char *path = file_join(verify->directory, name, NULL);
    bool there = path && file_exists(path);
    free(path);
    return there;
}

/* A list of sums; a file of lines that cannot be read stays empty and is a difference. */
static int read_list(struct verify *verify, const char *name, struct buffer *text,
                     struct error *err)
{
    if (!is_there(verify, name)) {
        verify_differs(verify, "%s: is not there", name);
        return 0;
    }
    char *path = file_join(verify->directory, name, err);
    int status = path ? file_read_all(path, text, err) : -1;
    free(path);
    return status;
}

/* Whether manifest.json knows a file by the digest that it has: then the list is what is wrong. */
static bool manifest_agrees(const struct verify *verify, const char *hex)
{
    struct buffer text;
    buffer_init(&text, SUMS_MAX);
    char *path = file_join(verify->directory, "manifest.json", NULL);
    bool agrees = path && file_read_all(path, &text, NULL) == 0 &&
                  memmem(text.data, text.length, hex, strlen(hex));
    free(path);
    buffer_free(&text);
    return agrees;
}

static int check_line(struct verify *verify, const char *list, const struct sums_line *line,
                      struct error *err)
{
    char hex[DIGEST_HEX_SIZE];
    uint64_t bytes;
    if (!is_there(verify, line->name)) {
        verify_differs(verify, "%s: is not there, and %s lists it", line->name, list);
        return 0;
    }
    char *path = file_join(verify->directory, line->name, err);
    int status = path ? digest_file(path, hex, &bytes, err) : -1;
    free(path);
    if (status < 0)
        return -1;
    verify->counts->files++;
    verify->counts->bytes += bytes;
    if (strcmp(hex, line->hex) != 0)
        verify_differs(verify, "%s: its SHA-256 is %s, and %s says %s%s", line->name, hex, list,
                       line->hex,
                       manifest_agrees(verify, hex)
                           ? "; manifest.json agrees with the file, so it is the list that differs"
                           : "");
    return verify_check_stop(verify, err);
}

static int check_list(struct verify *verify, const char *list, struct error *err)
{
    struct buffer text;
    struct sums_line line;
    struct progress progress;
    size_t at = 0;
    uint64_t number = 0;
    buffer_init(&text, SUMS_MAX);
    int status = read_list(verify, list, &text, err), more = 1;
    progress_start(&progress, "files hashed", 0, 0, verify->options->quiet);
    while (status == 0 && (more = sums_next(&text, &at, &line)) == 1) {
        status = check_line(verify, list, &line, err);
        progress_update(&progress, ++number);
    }
    progress_end(&progress, number);
    if (status == 0 && more < 0)
        verify_differs(verify, "%s: line %" PRIu64 " is not a digest, two blanks and a name", list,
                       number + 1);
    buffer_free(&text);
    return status;
}

static int refuse_unfinished(const struct verify *verify, struct error *err)
{
    if (!is_there(verify, "build.db"))
        return error_set(err, ERROR_FAILED, "%s: is no build directory", verify->directory);
    char *quoted = shell_quote(verify->directory);
    if (!quoted)
        return error_memory(err);
    error_set(err, ERROR_FAILED, "%s: holds no finished build; go on with: plymill build %s",
              verify->directory, quoted);
    free(quoted);
    return -1;
}

int verify_files(struct verify *verify, struct error *err)
{
    static const char *const marks[] = {SUMS_NAME, SEAL_NAME, "manifest.json"};
    int found = 0;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        found += is_there(verify, marks[i]);
    if (found == 0)
        return refuse_unfinished(verify, err);
    if (check_list(verify, SEAL_NAME, err) < 0)
        return -1;
    if (verify->counts->differences == 0 && verify->counts->files != 1)
        verify_differs(verify, "%s: is not the one line that it should be", SEAL_NAME);
    return check_list(verify, SUMS_NAME, err);
}

/* What verify_inputs compares. */
struct input_check {
    struct verify *verify;
    struct inputs inputs; /* as they are named now */
};

/* Where an input is now. */
static const char *present_path(const struct inputs *inputs, const char *path)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->items[i].known_as && strcmp(inputs->items[i].known_as, path) == 0)
            return inputs->items[i].path;
    return path;
}

static int check_input(void *context, const struct catalogue_input *input, struct error *err)
{
    struct input_check *check = context;
    struct verify *verify = check->verify;
    const char *path = present_path(&check->inputs, input->path);
    char hex[DIGEST_HEX_SIZE];
    uint64_t bytes;
    if (strcmp(path, "-") == 0 || !file_exists(path)) {
        verify->counts->inputs_gone++;
        return 0;
    }
    if (digest_file(path, hex, &bytes, err) < 0)
        return -1;
    verify->counts->inputs++;
    if (strcmp(hex, input->sha256) != 0)
        verify_differs(verify,
                       "%s: the input's SHA-256 is %s (%" PRIu64
                       " bytes), and the build was made from %s (%" PRId64 " bytes)",
                       path, hex, bytes, input->sha256, input->bytes);
    return verify_check_stop(verify, err);
}

int verify_inputs(struct verify *verify, struct error *err)
{
    struct input_check check = {.verify = verify};
    int status = inputs_recall(verify->build, &check.inputs, err);
    if (status == 0)
        status = moved_trace(verify->build, &check.inputs, err);
    if (status == 0)
        status = catalogue_each_input(verify->build->catalogue, check_input, &check, err);
    inputs_free(&check.inputs);
    return status;
}
