/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/sample.h"
#include "pipeline/stages/label.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/draw.h"
#include "formats/io/file.h"
#include "labeler/store.h"
#include "pipeline/stages/datasetinput.h"
#include "pipeline/stages/gameinput.h"
#include "pipeline/stages/inputs.h"
#include "pipeline/stages/sample_internal.h"

#define ITEM_DATA_MAX EXTSORT_ITEM_MAX

unsigned sample_split_of(const struct build *build, const char *game_id)
{
    uint64_t seed = (uint64_t)settings_integer(build->settings, "split.seed");
    uint64_t draw = draw_game(DRAW_SPLIT, game_id, seed) % 10000;
    uint64_t bound = 0;
    for (unsigned split = 0; split < BUILD_SPLITS - 1; split++) {
        bound += 100 * (uint64_t)settings_integer_item(build->settings, "split.shares", split);
        if (draw < bound)
            return split;
    }
    return BUILD_SPLITS - 1;
}

uint32_t sample_shard_of(const struct build *build, const char *game_id)
{
    uint64_t seed = (uint64_t)settings_integer(build->settings, "build.shard_seed");
    return (uint32_t)(draw_game(DRAW_SHARD, game_id, seed) % build->shards);
}

enum refusal sample_judge_draw(const struct sample_stage *stage, const char *id)
{
    uint64_t draw = draw_game(DRAW_SUBSAMPLE, id, stage->filter.seed);
    if (!gamefilter_takes_draw(&stage->filter, draw))
        return REFUSAL_FRACTION;
    return stage->lowest && !lowest_admits(stage->lowest, draw, id) ? REFUSAL_MAX_GAMES
                                                                    : REFUSAL_NONE;
}

int sample_add_item(struct sample_stage *stage, const struct gameitem *item,
                    const struct sampler_pick *picks, struct error *err)
{
    uint8_t key[GAMEITEM_KEY_SIZE];
    if (gameitem_encode(item, picks, key, &stage->data, err) < 0)
        return -1;
    struct extsort_item sorted = {.key = key,
                                  .key_size = sizeof key,
                                  .data = (const uint8_t *)stage->data.data,
                                  .data_size = (uint32_t)stage->data.length};
    return extsort_add(stage->sorter, &sorted, err);
}

int sample_note_truncation(struct sample_stage *stage, const struct catalogue_input *input,
                           int64_t number, struct error *err)
{
    struct catalogue_reject row = {.game = number, .reason = "archive truncated"};
    (void)snprintf(row.path, sizeof row.path, "%s", input->path);
    (void)snprintf(row.text, sizeof row.text, "%.255s", err ? err->text : "");
    if (err)
        *err = (struct error){0};
    return catalogue_put_reject(stage->build->catalogue, &row, err);
}

int sample_put_input(struct sample_stage *stage, const struct catalogue_input *input,
                     struct error *err)
{
    char key[CATALOGUE_VALUE_MAX + 32], size[32];
    (void)snprintf(key, sizeof key, BUILD_INPUT_SIZE "%s", input->path);
    (void)snprintf(size, sizeof size, "%" PRId64, input->bytes);
    stage->files.before += (uint64_t)input->bytes;
    if (catalogue_set(stage->build->catalogue, key, size, err) < 0)
        return -1;
    return catalogue_put_input(stage->build->catalogue, input, err);
}

static int read_input(struct sample_stage *stage, const char *path, struct error *err)
{
    return datasetinput_is(path) ? datasetinput_read(stage, path, err)
                                 : gameinput_read(stage, path, err);
}

static void count_game(struct sample_totals *totals, const struct gameitem *game)
{
    totals->samples[game->split] += game->counts.taken;
    totals->dataset[DATASET_SAMPLE] += game->lone;
    if (game->lone)
        return;
    totals->games++;
    totals->too_short += game->counts.taken + game->counts.not_drawn == 0;
    totals->out_of_range += game->counts.out_of_range;
    totals->in_check += game->counts.in_check;
    totals->no_move += game->counts.no_move;
    totals->no_eval += game->counts.no_eval;
    totals->bad_eval += game->counts.bad_eval;
    totals->not_drawn += game->counts.not_drawn;
}

/* One shard being written. */
struct shard_writer {
    struct store_samples *store;
    struct catalogue_shard row;
    char last_id[GAMEID_MAX];
};

static int write_samples(struct shard_writer *shard, const struct extsort_item *item,
                         const struct gameitem *game, struct error *err)
{
    for (uint32_t i = 0; i < game->counts.taken; i++) {
        struct sampler_pick pick;
        if (gameitem_sample(item, i, &pick) < 0)
            return error_set(err, ERROR_FAILED, "a sorted run was damaged");
        struct store_sample sample = {.id = ++shard->row.samples,
                                      .game = shard->row.games,
                                      .ply = pick.ply,
                                      .position = pick.position,
                                      .move = pick.move,
                                      .eval = pick.eval,
                                      .eval_depth = pick.eval_depth,
                                      .labeled = pick.labeled,
                                      .label = pick.label};
        if (store_samples_add(shard->store, &sample, err) < 0)
            return -1;
    }
    return 0;
}

static int write_game(struct shard_writer *shard, const struct extsort_item *item,
                      const struct gameitem *game, struct error *err)
{
    struct store_game row = {.id = ++shard->row.games,
                             .split = game->split,
                             .result = game->result,
                             .white_rating = game->white_rating,
                             .black_rating = game->black_rating,
                             .plies = game->plies,
                             .opening = game->opening};
    memcpy(row.game_id, game->game_id, sizeof row.game_id);
    if (store_samples_add_game(shard->store, &row, err) < 0)
        return -1;
    return write_samples(shard, item, game, err);
}

static void count_over(struct sample_totals *totals, const struct gameitem *game)
{
    if (game->lone)
        totals->dataset[DATASET_MAX_GAMES]++;
    else
        totals->refused[REFUSAL_MAX_GAMES]++;
}

/* Is the game behind the last that max_games admits, now that all are known? */
static bool is_over(const struct sample_stage *stage, const char *game_id)
{
    uint64_t draw = draw_game(DRAW_SUBSAMPLE, game_id, stage->filter.seed);
    return stage->lowest && !lowest_admits(stage->lowest, draw, game_id);
}

/* Writes shard `id` from the items that belong to it; *pending says whether *item is still unused.
 */
static int write_shard(struct sample_stage *stage, unsigned id, struct extsort_item *item,
                       int *pending, struct error *err)
{
    struct shard_writer shard = {.row = {.id = id, .labels = -1}};
    char *path = build_samples_path(stage->build, id, err);
    int status = path ? store_samples_create(path, &shard.store, err) : -1;
    free(path);
    while (status == 0 && *pending) {
        struct gameitem game;
        if (gameitem_decode(item, &game) < 0)
            status = error_set(err, ERROR_FAILED, "a sorted run was damaged");
        else if (game.shard != id)
            break;
        else if (is_over(stage, game.game_id))
            count_over(&stage->totals, &game);
        else if (!game.lone && strcmp(game.game_id, shard.last_id) == 0)
            stage->totals.duplicate++;
        else {
            memcpy(shard.last_id, game.game_id, sizeof shard.last_id);
            count_game(&stage->totals, &game);
            if (game.counts.taken > 0) {
                digest_update(stage->digest, game.game_id, sizeof game.game_id);
                digest_update(stage->digest, item->data, item->data_size);
                status = write_game(&shard, item, &game, err);
            }
        }
        if (status == 0)
            status = (*pending = extsort_next(stage->sorter, item, err)) < 0 ? -1 : 0;
    }
    if (status < 0) {
        store_samples_close(shard.store);
        return -1;
    }
    if (store_samples_seal(shard.store, err) < 0 ||
        build_note_shard(stage->build, BUILD_SAMPLE, id, shard.row.samples, err) < 0)
        return -1;
    return catalogue_put_shard(stage->build->catalogue, &shard.row, err);
}

static int write_shards(struct sample_stage *stage, struct error *err)
{
    struct extsort_item item;
    if (extsort_finish(stage->sorter, err) < 0)
        return -1;
    int pending = extsort_next(stage->sorter, &item, err);
    if (pending < 0)
        return -1;
    int status = 0;
    progress_start(&stage->progress, "shards of samples", 0, stage->build->shards,
                   stage->build->quiet);
    unsigned id = 0;
    for (; id < stage->build->shards && status == 0; id++) {
        progress_update(&stage->progress, id);
        status = build_check_stop(stage->build, err);
        if (status == 0)
            status = write_shard(stage, id, &item, &pending, err);
    }
    progress_end(&stage->progress, id);
    return status;
}

static int put_count(struct sample_stage *stage, const char *name, int split, int64_t value,
                     struct error *err)
{
    struct catalogue_count row = {.stage = "sample", .split = split, .value = value};
    (void)snprintf(row.name, sizeof row.name, "%s", name);
    return catalogue_put_count(stage->build->catalogue, &row, err);
}

/* Games that were not used for a reason, where there are any. */
static int put_games(struct sample_stage *stage, const char *reason, int64_t value,
                     struct error *err)
{
    char name[64];
    (void)snprintf(name, sizeof name, "games: %s", reason);
    return value > 0 ? put_count(stage, name, CATALOGUE_SPLIT_NONE, value, err) : 0;
}

static int put_rejected(struct sample_stage *stage, const char *reason, struct error *err)
{
    int64_t count = catalogue_count_rejects(stage->build->catalogue, reason, err);
    return count < 0 ? -1 : put_games(stage, reason, count, err);
}

/* Where labels come from the games: what they lack. */
static int put_evals(struct sample_stage *stage, struct error *err)
{
    int status =
        put_count(stage, "positions: no eval", CATALOGUE_SPLIT_NONE, stage->totals.no_eval, err);
    return status < 0 ? -1
                      : put_count(stage, "positions: known bad eval", CATALOGUE_SPLIT_NONE,
                                  stage->totals.bad_eval, err);
}

static bool takes_evals(const struct sample_stage *stage)
{
    return stage->rule.source == SOURCE_LICHESS_EVAL || stage->rule.source == SOURCE_PGN_COMMENT;
}

/* Of archives of games. */
static int put_game_totals(struct sample_stage *stage, struct error *err)
{
    const struct sample_totals *t = &stage->totals;
    const struct {
        const char *name;
        int64_t value;
    } rows[] = {
        {"games read", t->read},
        {"games: duplicate game", t->duplicate},
        {"games: no eligible position", t->too_short},
        {"games used", t->games - t->too_short},
        {"positions: ply out of range", t->out_of_range},
        {"positions: in check", t->in_check},
        {"positions: no legal move at the end", t->no_move},
        {"positions: not picked", t->not_drawn},
    };
    int status = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && status == 0; i++)
        status = put_count(stage, rows[i].name, CATALOGUE_SPLIT_NONE, rows[i].value, err);
    if (status == 0 && takes_evals(stage))
        status = put_evals(stage, err);
    for (int reason = PGN_SKIPPED + 1; reason < PGN_REJECT_COUNT && status == 0; reason++)
        status = put_rejected(stage, pgn_reject_text((enum pgn_reject)reason), err);
    for (int reason = REFUSAL_NONE + 1; reason < REFUSAL_COUNT && status == 0; reason++)
        status = put_games(stage, gamefilter_text((enum refusal)reason), t->refused[reason], err);
    return status;
}

static int put_totals(struct sample_stage *stage, struct error *err)
{
    int status = stage->totals.read > 0 ? put_game_totals(stage, err) : 0;
    if (status == 0)
        status = datasetinput_put_totals(stage, err);
    for (int split = 0; split < BUILD_SPLITS && status == 0; split++)
        status = put_count(stage, "samples", split, stage->totals.samples[split], err);
    return status;
}

/*
 * All games are read: which are over input.max_games? A rejected game that is counts as that and
 * not by its fault, since after other games its moves would not have been read.
 */
static int cut_games(struct sample_stage *stage, struct error *err)
{
    char last[LOWEST_RANK_SIZE];
    if (!stage->lowest)
        return 0;
    lowest_finish(stage->lowest);
    if (!lowest_last_rank(stage->lowest, last))
        return 0;
    int64_t cut = catalogue_cut_rejects(stage->build->catalogue, last, err);
    stage->totals.refused[REFUSAL_MAX_GAMES] += cut;
    return cut < 0 ? -1 : 0;
}

static int put_digest(struct sample_stage *stage, struct error *err)
{
    uint8_t digest[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    digest_finish(stage->digest, digest);
    digest_to_hex(digest, DIGEST_SIZE, hex);
    return catalogue_set(stage->build->catalogue, BUILD_SAMPLES_DIGEST, hex, err);
}

static int read_inputs(struct sample_stage *stage, const struct inputs *inputs, struct error *err)
{
    int status = 0;
    for (size_t i = 0; i < inputs->count; i++)
        progress_files_add(&stage->files, inputs->items[i].path);
    progress_start(&stage->progress, "games", 0, 0, stage->build->quiet);
    progress_measure(&stage->progress, progress_files_total(&stage->files));
    for (size_t i = 0; i < inputs->count && status == 0; i++)
        status = read_input(stage, inputs->items[i].path, err);
    progress_end(&stage->progress, (uint64_t)stage->totals.read);
    return status;
}

static int run_stage(struct sample_stage *stage, const struct inputs *inputs, struct error *err)
{
    struct build *build = stage->build;
    size_t memory = (size_t)settings_integer(build->settings, "build.memory") << 20;
    char *folder = build_path(build, err, "shards");
    int status = folder ? extsort_new(folder, memory, &stage->sorter, err) : -1;
    if (status == 0 && settings_integer(build->settings, "build.threads") != 1)
        extsort_use_thread(stage->sorter);
    free(folder);
    if (status < 0 || catalogue_begin(build->catalogue, err) < 0)
        return -1;
    status = read_inputs(stage, inputs, err);
    if (status == 0)
        status = inputs_note(build, err);
    if (status == 0)
        status = cut_games(stage, err);
    if (status == 0)
        status = write_shards(stage, err);
    if (status == 0)
        status = put_totals(stage, err);
    if (status == 0)
        status = put_digest(stage, err);
    if (status == 0)
        status = build_stage_finish(build, BUILD_SAMPLE, err);
    if (status == 0)
        status = catalogue_commit(build->catalogue, err);
    if (status < 0)
        catalogue_rollback(build->catalogue);
    return status;
}

static int run_with(struct build *build, const struct inputs *inputs, struct error *err)
{
    struct sample_stage stage = {.build = build,
                                 .options.variants = gamefilter_variants(build->settings),
                                 .digest = digest_new()};
    buffer_init(&stage.data, ITEM_DATA_MAX);
    sampler_rule_from(build->settings, &stage.rule);
    gamefilter_from(build->settings, &stage.filter);
    int status = stage.digest ? 0 : error_memory(err);
    if (status == 0 && settings_is_set(build->settings, "input.max_games"))
        status = lowest_new((uint64_t)settings_integer(build->settings, "input.max_games"),
                            &stage.lowest, err);
    if (status == 0)
        status = run_stage(&stage, inputs, err);
    extsort_free(stage.sorter);
    lowest_free(stage.lowest);
    digest_free(stage.digest);
    buffer_free(&stage.data);
    return status;
}

int sample_run(struct build *build, struct error *err)
{
    int done = build_stage_done(build, BUILD_SAMPLE, err);
    if (done != 0)
        return done < 0 ? -1 : 0;
    /* Before anything is forgotten: are the inputs there to be read? */
    struct inputs inputs = {0};
    int status = inputs_find(build, &inputs, err);
    if (status == 0)
        status = datasetinput_check(build->settings, &inputs, err);
    if (status == 0)
        status = build_stage_forget(build, BUILD_SAMPLE, err);
    if (status == 0)
        status = label_keep(build, err);
    if (status == 0)
        status = run_with(build, &inputs, err);
    inputs_free(&inputs);
    return status;
}
