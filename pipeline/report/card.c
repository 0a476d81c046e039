/* SPDX-License-Identifier: MIT */
#include "pipeline/report/card.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/report/card_internal.h"
#include "pipeline/report/html.h"
#include "pipeline/stages/export.h"
#include "pipeline/stages/fate.h"
#include "pipeline/stages/label.h"
#include "pipeline/stages/repeats.h"

#define CARD_MAX (16u << 20)
#define CARD_STAGES                                                                                \
    (1u << STAGE_SAMPLE | 1u << STAGE_LABEL | 1u << STAGE_SELECT | 1u << STAGE_EXPORT)

static int put_title(const struct card *card, struct error *err)
{
    char number[HTML_NUMBER_SIZE];
    const char *license = settings_string(card->build->settings, "export.license");
    html_format_integer(report_facts_value(card->facts, "select", fate_text(FATE_KEPT)), number);
    if (buffer_printf(card->out, err,
                      "# Chess positions with scores\n\n"
                      "%s positions, split by game into train, validation and test, each with its "
                      "score, the move\nplayed and the result of its game. Made by plymill; build "
                      "id `%s`.\n\n",
                      number, card->facts->build_id) < 0)
        return -1;
    if (strcmp(license, "unknown") == 0)
        return buffer_printf(card->out, err,
                             "Licence: not stated. Who publishes this sets `export.license`; it "
                             "depends on that of the\nsources below.\n");
    return buffer_printf(card->out, err, "Licence: `%s`.\n", license);
}

/* A name in a cell of a table. */
static int put_cell(const struct card *card, const char *text, struct error *err)
{
    int status = 0;
    for (; *text && status == 0; text++) {
        unsigned char c = (unsigned char)*text;
        status = buffer_printf(card->out, err, "%s%c", strchr("|`\\<", c) ? "\\" : "",
                               c < ' ' || c == 127 ? '?' : c);
    }
    return status;
}

/* An archive holds games, a dataset positions. */
static int put_input(const struct card *card, const struct catalogue_input *input,
                     struct error *err)
{
    int64_t count = input->games > 0 ? input->games : input->plies;
    if (buffer_printf(card->out, err, "| ") < 0 ||
        put_cell(card, report_base_name(input->path), err) < 0)
        return -1;
    return buffer_printf(card->out, err, " | `%s` | %" PRId64 " | %" PRId64 " %s |\n",
                         input->sha256, input->bytes, count,
                         input->games > 0 ? "games" : "positions");
}

static int put_inputs(const struct card *card, struct error *err)
{
    int status = buffer_printf(card->out, err,
                               "\n## Sources\n\n| file | SHA-256 as downloaded | bytes | holds "
                               "|\n|---|---|---|---|\n");
    for (size_t i = 0; i < card->facts->input_count && status == 0; i++)
        status = put_input(card, &card->facts->inputs[i], err);
    return status;
}

static int put_mixed(const struct card *card, struct error *err)
{
    char list[CATALOGUE_VALUE_MAX];
    int mixed = catalogue_get(card->build->catalogue, "label.mixed", list, err);
    if (mixed <= 0)
        return mixed;
    return buffer_printf(card->out, err,
                         "\n**Mixed:** some labels were made by other engines (--allow-mixed), "
                         "whose centipawns may\nmean something else: %s.\n",
                         list);
}

static int put_limit(const struct card *card, int split, const char *where, struct error *err)
{
    uint8_t kind;
    uint64_t limit;
    label_limit(card->build->settings, split, &kind, &limit);
    return buffer_printf(card->out, err, "- limit%s: %s%" PRIu64 "%s\n", where,
                         kind == LIMIT_DEPTH ? "depth " : "", limit,
                         kind == LIMIT_DEPTH ? "" : " nodes a position");
}

static int put_limits(const struct card *card, struct error *err)
{
    uint8_t kinds[2];
    uint64_t limits[2];
    for (int split = 0; split < 2; split++)
        label_limit(card->build->settings, split, &kinds[split], &limits[split]);
    if (kinds[0] == kinds[1] && limits[0] == limits[1])
        return put_limit(card, 0, "", err);
    if (put_limit(card, 0, " in train", err) < 0)
        return -1;
    return put_limit(card, 1, " in validation and test", err);
}

static int put_engine(const struct card *card, struct error *err)
{
    const struct report_facts *facts = card->facts;
    const struct settings *settings = card->build->settings;
    if (buffer_printf(card->out, err,
                      "- engine: %s\n- net: %s\n- options: %s\n- signature: `%s` (SHA-256 over its "
                      "labels of 24 fixed positions)\n",
                      facts->engine_name, facts->engine_net[0] ? facts->engine_net : "none",
                      facts->engine_options[0] ? facts->engine_options : "none",
                      facts->engine_signature) < 0 ||
        put_limits(card, err) < 0)
        return -1;
    bool last_exact = strcmp(settings_string(settings, "label.score"), "last-exact") == 0;
    bool zero = strcmp(settings_string(settings, "label.halfmove_clock"), "zero") == 0;
    if (buffer_printf(card->out, err,
                      "- score used: %s\n- half-move clock: %s\n\n"
                      "One thread, and the engine forgets what it knows before every position. "
                      "Scores are UCI\ncentipawns from the side to move as this engine counts "
                      "them.\n",
                      last_exact ? "the last exact one" : "the last one, bounds included",
                      zero ? "sent as 0" : "sent as it is") < 0)
        return -1;
    return put_mixed(card, err);
}

static int put_labels(const struct card *card, struct error *err)
{
    const char *source = settings_string(card->build->settings, "label.source");
    if (buffer_printf(card->out, err, "\n## Labels\n\n") < 0)
        return -1;
    if (strcmp(source, "input") == 0)
        return buffer_printf(card->out, err,
                             "Scores as they stood in the datasets that were read.\n");
    if (strcmp(source, "engine") != 0)
        return buffer_printf(card->out, err, "Scores out of the games (%s): %s.\n", source,
                             report_facts_labeler(card->build, card->facts));
    return put_engine(card, err);
}

static int put_count_row(const struct card *card, const char *name, const char *stage,
                         const char *count, struct error *err)
{
    const struct report_count *row = report_facts_find(card->facts, stage, count);
    if (!row || row->all == 0)
        return 0;
    return buffer_printf(card->out, err, "| %s | %" PRId64 " | %" PRId64 " | %" PRId64 " |\n", name,
                         row->splits[0], row->splits[1], row->splits[2]);
}

static int put_fates(const struct card *card, struct error *err)
{
    int status = buffer_printf(card->out, err,
                               "\n## What became of the sampled positions\n\n| | train | "
                               "validation | test |\n|---|---|---|---|\n");
    for (int fate = 0; fate < FATE_COUNT && status == 0; fate++) {
        const char *name = fate_text((enum fate)fate);
        status = put_count_row(card, name, "select", name, err);
    }
    return status == 0 ? put_count_row(card, "**sampled**", "sample", "samples", err) : -1;
}

static int put_repeats_row(const struct card *card, enum repeat_key key, struct error *err)
{
    static const char *const meanings[REPEAT_KEYS] = {
        [REPEAT_LABEL] = "board and half-move clock",
        [REPEAT_BOARD] = "pieces, side, castling, en passant",
        [REPEAT_LEAK] = "pieces and side, mirrored and with colours changed too"};
    char before[REPEATS_NAME_SIZE], after[REPEATS_NAME_SIZE];
    repeats_name(key, false, false, before);
    repeats_name(key, true, false, after);
    return buffer_printf(card->out, err, "| %s (%s) | %" PRId64 " | %" PRId64 " |\n",
                         repeats_text(key), meanings[key],
                         report_facts_value(card->facts, "select", before),
                         report_facts_value(card->facts, "select", after));
}

static int put_splits(const struct card *card, struct error *err)
{
    const struct settings *settings = card->build->settings;
    bool keep = strcmp(settings_string(settings, "split.leaks"), "keep") == 0;
    int status = buffer_printf(
        card->out, err,
        "\n## Splits\n\nEvery game is in one split, by its id alone: %" PRId64 " %% train, %" PRId64
        " %% validation, %" PRId64 " %% test (seed %" PRId64
        ").\nTwo games can hold one position: %s.\nPositions in more than one split:\n\n"
        "| the same by | at first | in the end |\n|---|---|---|\n",
        settings_integer_item(settings, "split.shares", 0),
        settings_integer_item(settings, "split.shares", 1),
        settings_integer_item(settings, "split.shares", 2),
        settings_integer(settings, "split.seed"),
        keep ? "such positions were kept"
             : "what is in train was dropped from validation and test, what is in test from "
               "validation");
    for (int key = 0; key < REPEAT_KEYS && status == 0; key++)
        status = put_repeats_row(card, (enum repeat_key)key, err);
    return status;
}

/* "centipawns", or how many internal units a centipawn is, and what the results say of them. */
static int put_unit(const struct card *card, const struct codec *codec, struct error *err)
{
    struct export_unit unit;
    if (export_find_unit(card->build, codec, card->facts->engine_name, &unit, err) < 0)
        return -1;
    int status = unit.scale == 1
                     ? buffer_printf(card->out, err, "- `%s`: centipawns", codec->name)
                     : buffer_printf(card->out, err,
                                     "- `%s`: internal units of the engine, %.15g to a centipawn",
                                     codec->name, unit.scale);
    if (status == 0 && unit.fitted != 0)
        status = buffer_printf(card->out, err, "; fitted sigmoid scale %ld", unit.fitted);
    return status == 0 ? buffer_printf(card->out, err, "\n") : -1;
}

/* What each format is and which units it holds, and what a trainer is to be told with them. */
static int put_formats(const struct card *card, struct error *err)
{
    const struct settings *settings = card->build->settings;
    size_t count = settings_count(settings, "export.formats");
    int status = 0;
    if (count == 0)
        return 0;
    if (buffer_printf(card->out, err, "\n## Formats\n\n") < 0)
        return -1;
    for (size_t i = 0; i < count && status == 0; i++) {
        const struct codec *codec = codec_find(settings_item(settings, "export.formats", i));
        if (codec)
            status =
                buffer_printf(card->out, err, "- `%s`: %s\n", codec->extension, codec->summary);
    }
    if (status == 0)
        status = buffer_printf(card->out, err, "\nScores are in these units:\n\n");
    for (size_t i = 0; i < count && status == 0; i++) {
        const struct codec *codec = codec_find(settings_item(settings, "export.formats", i));
        if (codec)
            status = put_unit(card, codec, err);
    }
    if (status < 0)
        return -1;
    return buffer_printf(
        card->out, err,
        "\nThe fitted scale K is the one for which 1 / (1 + exp(-score / K)) comes nearest to the "
        "results of\nthe training records: what bullet calls `eval_scale`, and nnue-pytorch "
        "`in_scaling` and\n`out_scaling` with both offsets 0.\n");
}

static int put_files(const struct card *card, struct error *err)
{
    int status = buffer_printf(card->out, err,
                               "\n## Files\n\n| file | records | SHA-256 of the content |\n"
                               "|---|---|---|\n");
    for (size_t i = 0; i < card->facts->file_count && status == 0; i++) {
        const struct catalogue_file *file = &card->facts->files[i];
        status = buffer_printf(card->out, err, "| `%s` | %" PRId64 " | `%s` |\n", file->name,
                               file->records, file->content_sha256);
    }
    if (status < 0)
        return -1;
    return buffer_printf(card->out, err,
                         "\nThe content of a `.zst` file is what it decompresses to. "
                         "`SHA256SUMS` holds the digests of the files\nas they are, "
                         "`manifest.json` everything in one place.\n");
}

static int put_recipe(const struct card *card, struct error *err)
{
    bool engine = strcmp(settings_string(card->build->settings, "label.source"), "engine") == 0;
    if (buffer_printf(card->out, err,
                      "\n## How to make it again\n\n    plymill build recipe.toml --input SOURCES "
                      "-o DIR%s\n\nwith plymill of output version %d, the sources above%s, and "
                      "this recipe, gives the build id above\nand the same bytes in every "
                      "file.\n\n```toml\n",
                      engine ? " --engine ENGINE" : "", PLYMILL_OUTPUT_VERSION,
                      engine ? ", an engine of that signature" : "") < 0 ||
        settings_write(card->build->settings, CARD_STAGES, false, card->out, err) < 0)
        return -1;
    return buffer_printf(card->out, err, "```\n");
}

static int put_all(const struct card *card, struct error *err)
{
    if (card_put_head(card, err) < 0 || put_title(card, err) < 0 || put_inputs(card, err) < 0 ||
        put_labels(card, err) < 0 || put_fates(card, err) < 0 || put_splits(card, err) < 0 ||
        put_formats(card, err) < 0 || put_files(card, err) < 0)
        return -1;
    return put_recipe(card, err);
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
        status = put_all(&(struct card){build, facts, &text}, err);
    if (status == 0)
        status = write_if_new(path, &text, err);
    free(path);
    buffer_free(&text);
    report_facts_free(facts);
    free(facts);
    return status;
}
