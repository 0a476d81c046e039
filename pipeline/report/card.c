/* SPDX-License-Identifier: MIT */
#include "pipeline/report/card.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/report/html.h"
#include "pipeline/report/report_facts.h"
#include "pipeline/stages/export.h"
#include "pipeline/stages/fate.h"

#define CARD_MAX (16u << 20)
#define CARD_STAGES                                                                                \
    (1u << STAGE_SAMPLE | 1u << STAGE_LABEL | 1u << STAGE_SELECT | 1u << STAGE_EXPORT)

static int put_head(const struct report_facts *facts, struct buffer *out, struct error *err)
{
    char number[HTML_NUMBER_SIZE];
    html_format_integer(report_facts_value(facts, "select", fate_text(FATE_KEPT)), number);
    return buffer_printf(
        out, err,
        "---\nlicense: unknown\ntags:\n- chess\n- nnue\n---\n\n# Chess positions with engine "
        "scores\n\n"
        "%s positions, one record each, split by game into train, validation and test. Made by\n"
        "plymill; build id `%s`. The licence is that of the archives below.\n\n",
        number, facts->build_id);
}

/* An archive holds games, a dataset positions. */
static int put_input(const struct catalogue_input *input, struct buffer *out, struct error *err)
{
    return buffer_printf(
        out, err, "| %s | `%s` | %" PRId64 " %s |\n", report_base_name(input->path), input->sha256,
        input->games ? input->games : input->plies, input->games ? "games" : "positions");
}

static int put_inputs(const struct report_facts *facts, struct buffer *out, struct error *err)
{
    int status = buffer_printf(out, err, "## Archives\n\n| file | SHA-256 | |\n|---|---|---|\n");
    for (size_t i = 0; i < facts->input_count && status == 0; i++)
        status = put_input(&facts->inputs[i], out, err);
    return status;
}

static int put_mixed(const struct build *build, struct buffer *out, struct error *err)
{
    char list[CATALOGUE_VALUE_MAX];
    int mixed = catalogue_get(build->catalogue, "label.mixed", list, err);
    if (mixed <= 0)
        return mixed;
    return buffer_printf(out, err,
                         "\n**Mixed:** some labels were made by other engines (--allow-mixed), "
                         "whose centipawns may\nmean something else: %s.\n",
                         list);
}

static int put_labels(const struct build *build, const struct report_facts *facts,
                      struct buffer *out, struct error *err)
{
    const char *source = settings_string(build->settings, "label.source");
    if (strcmp(source, "input") == 0)
        return buffer_printf(
            out, err, "\n## Labels\n\nScores as they stood in the datasets that were read.\n");
    if (strcmp(source, "engine") != 0)
        return buffer_printf(out, err, "\n## Labels\n\nScores out of the games: %s.\n", source);
    int status =
        buffer_printf(out, err,
                      "\n## Labels\n\n%s, net %s, signature `%s`; one thread, the hash cleared "
                      "before every\nposition. Scores are UCI centipawns from the side to move as "
                      "this engine counts them.\n",
                      facts->engine_name, facts->engine_net[0] ? facts->engine_net : "none",
                      facts->engine_signature);
    return status == 0 ? put_mixed(build, out, err) : -1;
}

static int put_fates(const struct report_facts *facts, struct buffer *out, struct error *err)
{
    int status =
        buffer_printf(out, err,
                      "\n## What became of the sampled positions\n\n| | train | validation | "
                      "test |\n|---|---|---|---|\n");
    for (int fate = 0; fate < FATE_COUNT && status == 0; fate++) {
        const char *name = fate_text((enum fate)fate);
        const struct report_count *row = report_facts_find(facts, "select", name);
        if (row && row->all > 0)
            status = buffer_printf(out, err, "| %s | %" PRId64 " | %" PRId64 " | %" PRId64 " |\n",
                                   name, row->splits[0], row->splits[1], row->splits[2]);
    }
    return status;
}

/* "centipawns", or how many internal units a centipawn is, and what the results say of them. */
static int put_unit(const struct build *build, const struct report_facts *facts,
                    const struct codec *codec, struct buffer *out, struct error *err)
{
    struct export_unit unit;
    if (export_find_unit(build, codec, facts->engine_name, &unit, err) < 0)
        return -1;
    int status =
        unit.scale == 1
            ? buffer_printf(out, err, "- `%s`: centipawns", codec->name)
            : buffer_printf(out, err, "- `%s`: internal units of the engine, %.15g to a centipawn",
                            codec->name, unit.scale);
    if (status == 0 && unit.fitted != 0)
        status = buffer_printf(out, err, "; fitted sigmoid scale %ld", unit.fitted);
    return status == 0 ? buffer_printf(out, err, "\n") : -1;
}

/* Units of all formats, and what a trainer is to be told with them. */
static int put_units(const struct build *build, const struct report_facts *facts,
                     struct buffer *out, struct error *err)
{
    size_t count = settings_count(build->settings, "export.formats");
    if (count == 0)
        return 0;
    int status = buffer_printf(out, err, "\nScores are in these units:\n\n");
    for (size_t i = 0; i < count && status == 0; i++) {
        const struct codec *codec = codec_find(settings_item(build->settings, "export.formats", i));
        if (codec)
            status = put_unit(build, facts, codec, out, err);
    }
    if (status < 0)
        return -1;
    return buffer_printf(
        out, err,
        "\nThe fitted scale K is the one for which 1 / (1 + exp(-score / K)) comes nearest to the "
        "results of\nthe training records: what bullet calls `eval_scale`, and nnue-pytorch "
        "`in_scaling` and\n`out_scaling` with both offsets 0.\n");
}

static int put_files(const struct build *build, const struct report_facts *facts,
                     struct buffer *out, struct error *err)
{
    int status = buffer_printf(out, err,
                               "\n## Files\n\n| file | records | SHA-256 of the content |\n"
                               "|---|---|---|\n");
    for (size_t i = 0; i < facts->file_count && status == 0; i++)
        status = buffer_printf(out, err, "| `%s` | %" PRId64 " | `%s` |\n", facts->files[i].name,
                               facts->files[i].records, facts->files[i].content_sha256);
    return status == 0 ? put_units(build, facts, out, err) : -1;
}

static int put_recipe(const struct build *build, struct buffer *out, struct error *err)
{
    if (buffer_printf(
            out, err,
            "\n## How to make it again\n\n`plymill build recipe.toml --input ARCHIVES -o DIR` "
            "with these archives, an engine of\nthat signature, and this recipe:\n\n```\n") < 0 ||
        settings_write(build->settings, CARD_STAGES, false, out, err) < 0)
        return -1;
    return buffer_printf(out, err, "```\n");
}

static int put_all(struct build *build, const struct report_facts *facts, struct buffer *out,
                   struct error *err)
{
    if (put_head(facts, out, err) < 0 || put_inputs(facts, out, err) < 0 ||
        put_labels(build, facts, out, err) < 0 || put_fates(facts, out, err) < 0 ||
        put_files(build, facts, out, err) < 0)
        return -1;
    return put_recipe(build, out, err);
}

/* A finished build is left as it is: its card is not written again with the same bytes. */
static int write_if_new(const char *path, const struct buffer *text, struct error *err)
{
    struct buffer old;
    buffer_init(&old, CARD_MAX);
    bool same = file_exists(path) && file_read_all(path, &old, NULL) == 0 &&
                old.length == text->length && memcmp(old.data, text->data, text->length) == 0;
    buffer_free(&old);
    return same ? 0 : file_write_all(path, text->data, text->length, err);
}

int card_write(struct build *build, struct error *err)
{
    struct report_facts *facts = calloc(1, sizeof *facts);
    if (!facts)
        return error_memory(err);
    struct buffer text;
    buffer_init(&text, CARD_MAX);
    char *path = build_path(build, err, "README.md");
    int status = path ? report_facts_read(build, facts, err) : -1;
    if (status == 0)
        status = put_all(build, facts, &text, err);
    if (status == 0)
        status = write_if_new(path, &text, err);
    free(path);
    buffer_free(&text);
    report_facts_free(facts);
    free(facts);
    return status;
}
