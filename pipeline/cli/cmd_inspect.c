/* SPDX-License-Identifier: MIT */
/*
 * See cmd_inspect.h.
 */
#include "pipeline/cli/cmd_inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/codec_file.h"
#include "formats/io/file.h"
#include "pipeline/cli/formatarg.h"
#include "pipeline/recipe/shell_quote.h"
#include "pipeline/report/inspect.h"
#include "pipeline/report/progress.h"
#include "pipeline/stages/stop.h"

#define HEAD_DEFAULT 3
#define TICK_COUNT   4096 /* records between two looks at clock and signals */

static int read_all(struct inspect *inspect, struct codec_reader *reader, bool quiet,
                    struct error *err)
{
    const volatile sig_atomic_t *stop = stop_install();
    struct progress progress;
    struct record record;
    int status;
    progress_start(&progress, "records", 0, 0, quiet);
    progress_measure(&progress, (double)codec_reader_file_size(reader));
    while ((status = codec_reader_next(reader, &record, err)) == 1) {
        if (inspect->records % TICK_COUNT == 0) {
            if (*stop)
                return error_set(err, ERROR_RETRY, "stopped by a signal");
            progress_update_part(&progress, inspect->records,
                                 (double)codec_reader_position(reader));
        }
        if (inspect_add(inspect, &record, err) < 0)
            return error_prefix(err, "counting duplicates (--no-duplicates leaves them out)");
    }
    progress_end(&progress, inspect->records);
    return status;
}

static int inspect_file(const struct invocation *invocation, const struct codec *codec,
                        struct inspect *inspect, struct error *err)
{
    const struct codec_options options = {.score_scale = 1,
                                          .validate = !invocation_has(invocation, "no-validate")};
    struct codec_reader *reader = NULL;
    long long head;
    if (invocation_integer(invocation, "head", 0, INSPECT_HEAD_MAX, HEAD_DEFAULT, &head, err) < 0 ||
        codec_reader_open(invocation->arguments[0], codec, &options, &reader, err) < 0)
        return -1;
    int status = inspect_begin(inspect, invocation->arguments[0], codec,
                               !invocation_has(invocation, "no-duplicates"), (uint64_t)head, err);
    if (status == 0)
        status = read_all(inspect, reader, invocation->quiet, err);
    inspect->file_bytes = codec_reader_file_size(reader);
    inspect->content_bytes = codec_reader_offset(reader);
    codec_reader_close(reader);
    return status == 0 ? inspect_finish(inspect, err) : -1;
}

/* A build directory has files for it, another directory may. */
static int refuse_directory(const char *path, struct error *err)
{
    char *records = file_join(path, "records/train.rec", err);
    if (!records)
        return -1;
    char *quoted = shell_quote(path), *quoted_records = shell_quote(records);
    if (!quoted || !quoted_records)
        error_memory(err);
    else if (file_exists(records))
        error_set(err, ERROR_USAGE,
                  "%s: is a build directory: plymill inspect %s looks into its records, plymill "
                  "status %s says what is done",
                  path, quoted_records, quoted);
    else
        error_set(err, ERROR_USAGE, "%s: is a directory: name a file in it", path);
    free(quoted);
    free(quoted_records);
    free(records);
    return -1;
}

static int run(struct invocation *invocation, struct error *err)
{
    struct inspect inspect = {.path = NULL};
    const struct codec *codec;
    if (file_is_directory(invocation->arguments[0]))
        return refuse_directory(invocation->arguments[0], err);
    if (formatarg_input(invocation, invocation->arguments[0], &codec, err) < 0)
        return -1;
    int status = inspect_file(invocation, codec, &inspect, err);
    if (status == 0 && invocation_has(invocation, "json"))
        status = inspect_write_json(&inspect, stdout, err);
    else if (status == 0)
        inspect_write_text(&inspect, invocation_has(invocation, "board"), stdout);
    inspect_free(&inspect);
    return status;
}

const struct command command_inspect = {
    .name = "inspect",
    .arguments = "FILE",
    .summary = "says what is in a dataset file: counts, distributions, first records",
    .details =
        "Reads a dataset of any format, or a .rec file of a build, to its end and checks every "
        "position and move: a damaged file is an error that says where.\n"
        "Scores are the numbers of the file from the side to move. Those of rec, csv, "
        "jsonl and epd files, and of Lichess's lists, always are centipawns; the unit of others is "
        "known where the manifest.json of the build is beside the file or in the folder above. "
        "Repetitions are positions with equal pieces, side to move, castling and en "
        "passant; they are found by sorting in $TMPDIR (about 40 bytes a record).",
    .minimum = 1,
    .maximum = 1,
    .options = {{"from", "FORMAT", "its format; default: by its name"},
                {"head", "N", "show the first N records [3]"},
                {"board", NULL, "draw their boards"},
                {"no-duplicates", NULL, "do not look for repetitions: no sorting"},
                {"no-validate", NULL, "do not check positions and moves"},
                {"json", NULL, "the same as JSON (docs/INSPECT.md)"}},
    .examples = {"plymill inspect tiny/dataset/train.binpack",
                 "plymill inspect --head 1 --board --json tiny/records/test.rec"},
    .run = run,
};
