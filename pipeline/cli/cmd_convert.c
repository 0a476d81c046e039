/* SPDX-License-Identifier: MIT */
/*
 * See cmd_convert.h. Every record that is read is either written or counted by the reason why it
 * does not fit; what was written is read back before it gets its name.
 */
#include "pipeline/cli/cmd_convert.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/codec_file.h"
#include "pipeline/cli/convert_check.h"
#include "pipeline/cli/formatarg.h"
#include "pipeline/report/html.h"
#include "pipeline/report/inspect_unit.h"
#include "pipeline/report/plural.h"
#include "pipeline/report/progress.h"
#include "pipeline/report/progress_files.h"
#include "pipeline/stages/stop.h"

#define SCALE_MIN  0.001
#define SCALE_MAX  1000.0
#define TICK_COUNT 4096 /* records between two looks at clock and signals */

struct convert {
    const struct codec *to;
    struct codec_options read, write;
    bool scaled, strict, checked, quiet;
    uint64_t count, written, refused, misfits[CODEC_MISFIT_COUNT];
    struct codec_writer *writer;
    struct convert_check *check; /* NULL: not to be read back */
    const volatile sig_atomic_t *stop;
    struct progress progress;
    struct progress_files files;
};

/* A scale that would do nothing is a misunderstanding. */
static int check_scale(const struct invocation *invocation, const char *option,
                       const struct codec *codec, struct error *err)
{
    if (!codec->centipawns || !invocation_has(invocation, option))
        return 0;
    return error_set(err, ERROR_USAGE, "--%s: %s files always hold centipawns", option,
                     codec->name);
}

static int choose_formats(struct convert *convert, const struct invocation *invocation,
                          struct error *err)
{
    int last = invocation->argument_count - 1;
    const struct codec *from;
    if (formatarg_output(invocation, invocation->arguments[last], &convert->to, err) < 0 ||
        check_scale(invocation, "to-scale", convert->to, err) < 0)
        return -1;
    for (int i = 0; i < last; i++)
        if (formatarg_input(invocation, invocation->arguments[i], &from, err) < 0 ||
            check_scale(invocation, "from-scale", from, err) < 0)
            return -1;
    return 0;
}

static int read_scale(const struct invocation *invocation, const char *option, double *scale,
                      struct error *err)
{
    const char *text = invocation_value(invocation, option);
    char *end;
    *scale = 1;
    if (!text)
        return 0;
    *scale = strtod(text, &end);
    if (end == text || *end || !(*scale >= SCALE_MIN && *scale <= SCALE_MAX))
        return error_set(err, ERROR_USAGE, "--%s: expected a number from %g to %g, not \"%s\"",
                         option, SCALE_MIN, SCALE_MAX, text);
    return 0;
}

static int read_word(const struct invocation *invocation, const char *option, const char *first,
                     const char *second, bool fallback, bool *is_second, struct error *err)
{
    const char *text = invocation_value(invocation, option);
    *is_second = text ? strcmp(text, second) == 0 : fallback;
    if (text && !*is_second && strcmp(text, first) != 0)
        return error_set(err, ERROR_USAGE, "--%s: expected %s or %s, not \"%s\"", option, first,
                         second, text);
    return 0;
}

static int read_options(struct convert *convert, const struct invocation *invocation,
                        struct error *err)
{
    bool played, last_exact;
    if (read_scale(invocation, "from-scale", &convert->read.score_scale, err) < 0 ||
        read_scale(invocation, "to-scale", &convert->write.score_scale, err) < 0 ||
        read_word(invocation, "move", "best", "played", convert->to->games, &played, err) < 0 ||
        read_word(invocation, "score", "final", "last-exact", false, &last_exact, err) < 0)
        return -1;
    convert->read.move = convert->write.move = played ? CODEC_MOVE_PLAYED : CODEC_MOVE_BEST;
    convert->read.last_exact = convert->write.last_exact = last_exact;
    convert->read.validate = !invocation_has(invocation, "no-validate");
    convert->write.validate = convert->read.validate;
    convert->read.chains = convert->write.chains = !invocation_has(invocation, "no-chains");
    convert->scaled =
        invocation_has(invocation, "from-scale") || invocation_has(invocation, "to-scale");
    convert->strict = invocation_has(invocation, "strict");
    convert->quiet = invocation->quiet;
    convert->checked = convert->read.validate && !invocation_has(invocation, "no-check");
    return 0;
}

static const char *unit_text(const struct codec *codec)
{
    return codec->internal_unit ? "internal units of the engine" : "centipawns";
}

/*
 * Numbers are copied. Where the two formats are used with different units, and nobody said what the
 * numbers of this file are, that is said: a net trained on the wrong unit is silently wrong.
 */
static void note_unit(const struct convert *convert, const char *path, const struct codec *from)
{
    struct inspect_unit unit;
    if (convert->quiet || convert->scaled || from->internal_unit == convert->to->internal_unit)
        return;
    const char *option = from->internal_unit ? "from-scale" : "to-scale";
    fprintf(stderr,
            "plymill: note: scores are copied as they stand; %s files %s hold %s, %s files %s",
            from->name, from->centipawns ? "always" : "usually", unit_text(from), convert->to->name,
            unit_text(convert->to));
    if (!from->centipawns && inspect_find_unit(path, from, &unit))
        fprintf(stderr, "; %s says %.15g to a centipawn for this one (--from-scale %.15g)\n",
                unit.source, unit.scale, unit.scale);
    else
        fprintf(stderr, " (--%s 3.61 where Stockfish 15.1 made them)\n", option);
}

static void note_scale(const struct convert *convert)
{
    double factor = convert->write.score_scale / convert->read.score_scale;
    if (!convert->quiet && convert->scaled)
        fprintf(stderr, "scores: numbers times %.6g, by way of whole centipawns\n", factor);
}

static int refuse(const struct convert *convert, const char *path, uint64_t number,
                  enum codec_misfit misfit, struct error *err)
{
    return error_set(err, ERROR_FAILED, "%s: record %" PRIu64 " does not fit %s: %s", path, number,
                     convert->to->name, codec_misfit_text(misfit));
}

static int tick(struct convert *convert, const struct codec_reader *reader, struct error *err)
{
    if (*convert->stop)
        return error_set(err, ERROR_RETRY, "stopped by a signal; nothing was written");
    progress_update_part(&convert->progress, convert->count,
                         progress_files_at(&convert->files, codec_reader_position(reader)));
    return 0;
}

static int copy_records(struct convert *convert, struct codec_reader *reader, const char *path,
                        struct error *err)
{
    struct record record;
    enum codec_misfit misfit = CODEC_FITS;
    int status;
    while ((status = codec_reader_next(reader, &record, err)) == 1) {
        if (convert->count++ % TICK_COUNT == 0 && tick(convert, reader, err) < 0)
            return -1;
        if (codec_writer_add(convert->writer, &record, &misfit, err) < 0)
            return -1;
        if (misfit != CODEC_FITS) {
            convert->misfits[misfit]++;
            if (convert->strict)
                return refuse(convert, path, codec_reader_count(reader), misfit, err);
            continue;
        }
        convert->written++;
        if (convert->check && convert_check_add(convert->check, &record, err) < 0)
            return -1;
    }
    return status;
}

static int copy_file(struct convert *convert, const struct invocation *invocation, const char *path,
                     struct error *err)
{
    struct codec_reader *reader = NULL;
    const struct codec *from;
    if (formatarg_input(invocation, path, &from, err) < 0 ||
        codec_reader_open(path, from, &convert->read, &reader, err) < 0)
        return -1;
    note_unit(convert, path, from);
    int status = copy_records(convert, reader, path, err);
    if (status == 0)
        convert->refused += codec_reader_refused(reader);
    convert->files.before += codec_reader_file_size(reader);
    codec_reader_close(reader);
    return status;
}

static int check_any(const struct convert *convert, struct error *err)
{
    if (convert->count == 0 || convert->written > 0)
        return 0;
    int misfit = CODEC_FITS + 1;
    while (misfit < CODEC_MISFIT_COUNT - 1 && convert->misfits[misfit] == 0)
        misfit++;
    if (convert->count == 1)
        return error_set(err, ERROR_FAILED, "the only record does not fit %s: %s",
                         convert->to->name, codec_misfit_text((enum codec_misfit)misfit));
    return error_set(err, ERROR_FAILED, "none of the %" PRIu64 " records fits %s (the first: %s)",
                     convert->count, convert->to->name,
                     codec_misfit_text((enum codec_misfit)misfit));
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);
    return length > size && strcmp(text + length - size, end) == 0;
}

static int convert_all(struct convert *convert, const struct invocation *invocation,
                       const char *out, struct error *err)
{
    bool pipe = strcmp(out, "-") == 0;
    if (codec_writer_create(out, convert->to, &convert->write, ends_in(out, ".zst"),
                            &convert->writer, err) < 0)
        return -1;
    if (convert->checked && !pipe &&
        convert_check_new(convert->to, &convert->write, &convert->check, err) < 0)
        return -1;
    int status = 0;
    for (int i = 0; i < invocation->argument_count - 1 && status == 0; i++)
        status = copy_file(convert, invocation, invocation->arguments[i], err);
    if (status == 0)
        status = check_any(convert, err);
    if (status == 0)
        status = codec_writer_finish(convert->writer, NULL, err);
    if (status == 0 && convert->check)
        status = convert_check_run(convert->check, codec_writer_path(convert->writer), out,
                                   convert->stop, err);
    return status;
}

static void print_summary(const struct convert *convert)
{
    char number[HTML_NUMBER_SIZE];
    html_format_integer((int64_t)convert->written, number);
    if (!convert->quiet)
        fprintf(stderr, "%s %s written%s\n", number,
                plural(convert->written, "position", "positions"),
                !convert->check ? ""
                                : plural(convert->written, ", and read back as it was",
                                         ", and read back as they were"));
    html_format_integer((int64_t)convert->refused, number);
    if (convert->refused > 0)
        fprintf(stderr, "%s passed over: impossible position or illegal move\n", number);
    for (int misfit = CODEC_FITS + 1; misfit < CODEC_MISFIT_COUNT; misfit++) {
        html_format_integer((int64_t)convert->misfits[misfit], number);
        if (convert->misfits[misfit] > 0)
            fprintf(stderr, "%s left out: %s\n", number,
                    codec_misfit_text((enum codec_misfit)misfit));
    }
}

static int run(struct invocation *invocation, struct error *err)
{
    struct convert convert = {.stop = stop_install()};
    const char *out = invocation->arguments[invocation->argument_count - 1];
    if (choose_formats(&convert, invocation, err) < 0 ||
        read_options(&convert, invocation, err) < 0)
        return -1;
    note_scale(&convert);
    for (int i = 0; i < invocation->argument_count - 1; i++)
        progress_files_add(&convert.files, invocation->arguments[i]);
    progress_start(&convert.progress, "positions", 0, 0, convert.quiet);
    progress_measure(&convert.progress, progress_files_total(&convert.files));
    int status = convert_all(&convert, invocation, out, err);
    progress_end(&convert.progress, convert.count);
    if (status == 0) {
        struct codec_writer *writer = convert.writer;
        convert.writer = NULL;
        status = codec_writer_publish(writer, err);
    }
    if (status == 0)
        print_summary(&convert);
    codec_writer_discard(convert.writer);
    convert_check_free(convert.check);
    return status;
}

const struct command command_convert = {
    .name = "convert",
    .arguments = "IN... OUT",
    .summary = "turns datasets of one format into another",
    .details =
        "The formats go by the names of the files (.plain .bin .binpack .bullet .marlin .viri .csv "
        ".jsonl .epd, and .zst behind them) or by --from and --to; - is stdin or stdout and needs "
        "them. Several inputs are joined in their order. Every record is written, or counted on "
        "stderr by the reason why the format cannot hold it.\n"
        "Scores are copied as numbers unless a scale is given: a number read is centipawns times "
        "--from-scale, one written is centipawns times --to-scale; csv, jsonl, epd and rec always "
        "hold "
        "centipawns. Where the two formats are used with different units and no scale is given, a "
        "note on stderr says so.\n"
        "Positions and moves are checked, and what was written is read back and compared before "
        "OUT gets its name; --no-validate leaves out both.",
    .minimum = 2,
    .maximum = -1,
    .options = {{"from", "FORMAT", "format of the inputs; default: by their names"},
                {"to", "FORMAT", "format of the output; default: by its name"},
                {"from-scale", "X", "what one centipawn is in the inputs (Stockfish 15.1: 3.61)"},
                {"to-scale", "X", "what one centipawn shall be in the output"},
                {"move", "WHICH",
                 "best or played, for formats that hold one move [best; viri: "
                 "played]"},
                {"score", "WHICH", "final or last-exact, where a record has both [final]"},
                {"strict", NULL, "a record that does not fit is an error"},
                {"no-chains", NULL,
                 "binpack: each record by itself, not as a move behind the last"},
                {"no-validate", NULL, "do not check positions and moves, nor read back"},
                {"no-check", NULL, "do not read back"}},
    .examples = {"plymill convert games.binpack games.bullet.bin --from-scale 3.61",
                 "plymill convert --strict january.bin february.bin winter.binpack"},
    .run = run,
};
