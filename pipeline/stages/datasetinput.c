/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/datasetinput.h"
#include "pipeline/stages/opening.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/chess/movegen.h"
#include "formats/codec_detect.h"
#include "formats/codec_file.h"
#include "formats/draw.h"

#define TICK_COUNT 1024 /* records between two looks at clock and signals */

bool datasetinput_is(const char *path)
{
    return codec_of_path(path) != NULL;
}

/* A key that asks for tags, if one is set. */
static const char *tag_filter(const struct settings *settings)
{
    static const char *const numbers[] = {"input.min_elo", "input.max_elo", "input.dates"};
    static const char *const lists[] = {"input.time_control", "input.termination", "input.results"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (settings_is_set(settings, numbers[i]))
            return numbers[i];
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (settings_count(settings, lists[i]) > 0)
            return lists[i];
    return settings_boolean(settings, "input.exclude_bots") ? "input.exclude_bots" : NULL;
}

static int check_dataset(const struct settings *settings, const char *path, struct error *err)
{
    const struct codec *codec;
    const char *source = settings_string(settings, "label.source");
    const char *filter = tag_filter(settings);
    bool input = strcmp(source, "input") == 0;
    if (!input && strcmp(source, "engine") != 0)
        return error_set(err, ERROR_USAGE,
                         "%s: is a dataset, and label.source = \"%s\" takes scores out of games",
                         path, source);
    if (filter)
        return error_set(err, ERROR_USAGE, "%s: is a dataset, and %s asks for tags of games", path,
                         filter);
    if (codec_detect(path, &codec, err) < 0)
        return -1;
    if (input && codec->internal_unit && !settings_is_set(settings, "input.score_scale"))
        return error_set(err, ERROR_USAGE,
                         "%s: %s files usually hold internal units of an engine, labels are "
                         "centipawns: give input.score_scale, what one centipawn is (Stockfish "
                         "15.1: 3.61; 1 if they are centipawns)",
                         path, codec->name);
    if (input && !(codec->fields & CODEC_HOLDS_SCORE))
        return error_set(err, ERROR_USAGE, "%s: %s files hold no scores for label.source = \"%s\"",
                         path, codec->name, source);
    return 0;
}

int datasetinput_check(const struct settings *settings, const struct inputs *inputs,
                       struct error *err)
{
    bool input = strcmp(settings_string(settings, "label.source"), "input") == 0;
    for (size_t i = 0; i < inputs->count; i++) {
        const char *path = inputs->items[i].path;
        bool dataset = datasetinput_is(path);
        if (!dataset && input)
            return error_set(err, ERROR_USAGE,
                             "%s: label.source = \"input\" takes the scores of datasets, and this "
                             "name tells no format of theirs",
                             path);
        if (dataset && check_dataset(settings, path, err) < 0)
            return -1;
    }
    return 0;
}

/* What the one score and the one move of most formats mean. */
static void complete(const struct codec *codec, struct record *record)
{
    if (!(codec->fields & CODEC_HOLDS_LABEL))
        record->label.exact = record->label.final;
    if ((codec->fields & CODEC_HOLDS_MOVE) && !(codec->fields & CODEC_HOLDS_BOTH_MOVES) &&
        record->label.best_move == MOVE_NONE)
        record->label.best_move = record->played;
    if (!(codec->fields & CODEC_HOLDS_RESULT))
        record->result = PGN_UNKNOWN;
    if (!record->game_id[0])
        gameid_from_position(&record->position, record->game_id);
}

static enum dataset_fate judge(const struct sample_stage *stage, const struct codec *codec,
                               const struct record *record)
{
    const struct sampler_rule *rule = &stage->rule;
    bool ply = codec->fields & CODEC_HOLDS_PLY;
    bool scored = record->label.final.kind != SCORE_NONE;
    if (record->position.chess960 && !(stage->options.variants & PGN_CHESS960))
        return DATASET_CHESS960;
    if (ply && (record->ply < rule->min_ply || record->ply > rule->max_ply))
        return DATASET_PLY;
    if (!rule->in_check && position_checkers(&record->position) != 0)
        return DATASET_IN_CHECK;
    if (!movegen_has_legal(&record->position))
        return DATASET_NO_MOVE;
    if (rule->source == SOURCE_INPUT && !scored)
        return DATASET_NO_SCORE;
    enum refusal refusal = sample_judge_draw(stage, record->game_id);
    if (refusal == REFUSAL_NONE)
        return DATASET_SAMPLE;
    return refusal == REFUSAL_FRACTION ? DATASET_FRACTION : DATASET_MAX_GAMES;
}

static int add_sample(struct sample_stage *stage, const struct record *record, struct error *err)
{
    struct sampler_pick pick = {.ply = record->ply,
                                .position = record->position,
                                .move = record->played,
                                .labeled = stage->rule.source == SOURCE_INPUT,
                                .label = record->label};
    struct gameitem item = {.lone = true,
                            .result = record->result,
                            .white_rating = record->white_rating,
                            .black_rating = record->black_rating,
                            .shard = sample_shard_of(stage->build, record->game_id),
                            .split = (uint8_t)sample_split_of(stage->build, record->game_id),
                            .counts.taken = 1,
                            .opening = opening_of_position(&record->position)};
    uint64_t draw = draw_game(DRAW_SUBSAMPLE, record->game_id, stage->filter.seed);
    memcpy(item.game_id, record->game_id, sizeof item.game_id);
    if (stage->lowest && lowest_add(stage->lowest, draw, item.game_id, err) < 0)
        return -1;
    return sample_add_item(stage, &item, &pick, err);
}

static int read_records(struct sample_stage *stage, struct codec_reader *reader,
                        struct catalogue_input *input, struct error *err)
{
    const struct codec *codec = codec_reader_codec(reader);
    struct progress progress;
    struct record record;
    int status;
    progress_start(&progress, "positions", 0, 0, stage->build->quiet);
    progress_measure(&progress, progress_files_total(&stage->files));
    while ((status = codec_reader_next(reader, &record, err)) == 1) {
        complete(codec, &record);
        enum dataset_fate fate = judge(stage, codec, &record);
        if (fate != DATASET_SAMPLE)
            stage->totals.dataset[fate]++;
        else if (add_sample(stage, &record, err) < 0)
            return error_prefix(err, "%s", input->path);
        if (input->plies++ % TICK_COUNT == 0) {
            if (build_check_stop(stage->build, err) < 0)
                return -1;
            progress_update_part(&progress, (uint64_t)input->plies,
                                 progress_files_at(&stage->files, codec_reader_position(reader)));
        }
    }
    progress_end(&progress, (uint64_t)input->plies);
    stage->totals.dataset[DATASET_IMPOSSIBLE] += (int64_t)codec_reader_refused(reader);
    if (status < 0 && codec_reader_truncated(reader) &&
        settings_boolean(stage->build->settings, "input.allow_truncated"))
        return sample_note_truncation(stage, input, input->plies + 1, err);
    return status;
}

int datasetinput_read(struct sample_stage *stage, const char *path, struct error *err)
{
    const struct settings *settings = stage->build->settings;
    struct codec_options options = {.move = CODEC_MOVE_PLAYED, .score_scale = 1, .validate = true};
    struct catalogue_input input = {.games = 0};
    struct codec_reader *reader = NULL;
    const struct codec *codec;
    uint64_t bytes = 0;
    if (settings_is_set(settings, "input.score_scale"))
        options.score_scale = settings_real(settings, "input.score_scale");
    (void)snprintf(input.path, sizeof input.path, "%s", path);
    if (codec_detect(path, &codec, err) < 0 ||
        codec_reader_open(path, codec, &options, &reader, err) < 0)
        return -1;
    int status = read_records(stage, reader, &input, err);
    codec_reader_close(reader);
    if (status == 0)
        status = digest_file(path, input.sha256, &bytes, err);
    input.bytes = (int64_t)bytes;
    return status == 0 ? sample_put_input(stage, &input, err) : -1;
}

int datasetinput_put_totals(struct sample_stage *stage, struct error *err)
{
    static const char *const names[DATASET_FATES] = {
        "positions: impossible or with an illegal move",
        "positions: Chess960",
        "positions: ply out of the recipe's range",
        "positions: side to move in check",
        "positions: no legal move",
        "positions: no score",
        "positions: fraction",
        "positions: max_games",
        "positions of datasets taken"};
    struct catalogue_count row = {.stage = "sample", .split = CATALOGUE_SPLIT_NONE};
    int64_t sum = 0;
    for (int fate = 0; fate < DATASET_FATES; fate++)
        sum += stage->totals.dataset[fate];
    if (sum == 0)
        return 0;
    row.value = sum;
    (void)snprintf(row.name, sizeof row.name, "positions of datasets read");
    int status = catalogue_put_count(stage->build->catalogue, &row, err);
    for (int fate = 0; fate < DATASET_FATES && status == 0; fate++) {
        row.value = stage->totals.dataset[fate];
        (void)snprintf(row.name, sizeof row.name, "%s", names[fate]);
        if (row.value > 0)
            status = catalogue_put_count(stage->build->catalogue, &row, err);
    }
    return status;
}
