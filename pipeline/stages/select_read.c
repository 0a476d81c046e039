/* SPDX-License-Identifier: MIT */
/*
 * The first part of the stage select: samples and labels of the shards side by side, each judged by
 * itself. With filter.piece_weights the shards are read twice, since what is thinned out depends on
 * how many there are.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/draw.h"
#include "formats/io/bytes.h"
#include "labeler/store.h"
#include "pipeline/stages/select_internal.h"
#include "pipeline/stages/select_item.h"

/* A row of a shard: what was sampled, of which game, and its label. */
struct row {
    struct store_game game;
    struct store_sample sample;
    struct label label;
    char reason[STORE_REASON_MAX]; /* why there is no label */
};

typedef int row_function(struct select_stage *stage, void *context, const struct row *row,
                         struct error *err);

static struct fate_sample judged_by(const struct row *row)
{
    return (struct fate_sample){.game_id = row->game.game_id,
                                .ply = row->sample.ply,
                                .position = &row->sample.position,
                                .label = &row->label,
                                .played = row->sample.move,
                                .result = row->game.result};
}

static struct record make_record(const struct select_stage *stage, const struct row *row)
{
    struct record record = {.ply = row->sample.ply,
                            .position = row->sample.position,
                            .played = row->sample.move,
                            .result = (int8_t)row->game.result,
                            .source = (uint8_t)stage->source,
                            .white_rating = row->game.white_rating,
                            .black_rating = row->game.black_rating,
                            .label = row->label};
    memcpy(record.game_id, row->game.game_id, sizeof record.game_id);
    return record;
}

/* To the sort by openings, of which only so many of each go on. */
static int add_to_openings(struct select_stage *stage, const struct row *row,
                           const uint8_t order[REPEATS_ORDER_SIZE],
                           const uint8_t encoded[RECORD_SIZE], struct error *err)
{
    uint8_t key[SELECT_OPENING_KEY_SIZE], data[1 + RECORD_SIZE];
    bytes_put_be64(key, row->game.opening);
    memcpy(key + 8, order, REPEATS_ORDER_SIZE);
    data[0] = (uint8_t)row->game.split;
    memcpy(data + 1, encoded, RECORD_SIZE);
    const struct extsort_item item = {
        .key = key, .key_size = sizeof key, .data = data, .data_size = 1 + select_trim(encoded)};
    return extsort_add(stage->openings, &item, err);
}

/* A sample that the filters let through. */
static int pass_on(struct select_stage *stage, const struct row *row, struct error *err)
{
    uint8_t order[REPEATS_ORDER_SIZE], encoded[RECORD_SIZE];
    const struct record record = make_record(stage, row);
    select_order(record.game_id, record.ply,
                 draw_ply(DRAW_SHUFFLE, record.game_id, record.ply, stage->shuffle_seed), order);
    record_encode(&record, encoded);
    if (stage->openings)
        return add_to_openings(stage, row, order, encoded, err);
    return select_add_candidate(stage, &record.position, (unsigned)row->game.split, order, encoded,
                                err);
}

static int judge_row(struct select_stage *stage, void *context, const struct row *row,
                     struct error *err)
{
    const struct fate_sample sample = judged_by(row);
    (void)context;
    progress_update(&stage->progress, (uint64_t)++stage->samples);
    if (row->game.split < 0 || row->game.split >= BUILD_SPLITS)
        return error_set(err, ERROR_FAILED, "game %s: no split %d", row->game.game_id,
                         row->game.split);
    enum fate fate = fate_of_sample(&stage->rule, &sample);
    if (fate == FATE_KEPT)
        return pass_on(stage, row, err);
    stage->fates[row->game.split][fate]++;
    if (row->label.status == LABEL_OK)
        return 0;
    return select_note_failure(stage, row->game.game_id, row->sample.ply, &row->sample.position,
                               row->reason, err);
}

/* context: how many samples with each number of pieces are there to be thinned out. */
static int count_row(struct select_stage *stage, void *context, const struct row *row,
                     struct error *err)
{
    int64_t *counts = context;
    const struct fate_sample sample = judged_by(row);
    (void)err;
    if (fate_before_weights(&stage->rule, &sample) == FATE_KEPT)
        counts[fate_count_pieces(sample.position)]++;
    return 0;
}

static int each_row(struct select_stage *stage, struct store_samples *samples,
                    struct store_labels *labels, row_function *function, void *context,
                    struct error *err)
{
    struct row row;
    int status;
    while ((status = store_samples_next(samples, &row.sample, &row.game, err)) == 1) {
        int64_t id = 0;
        row.reason[0] = '\0';
        int found = store_labels_next(labels, &id, &row.label, row.reason, err);
        if (found < 0)
            return -1;
        if (!found || id != row.sample.id)
            return error_set(err, ERROR_FAILED, "sample %" PRId64 " has no label", row.sample.id);
        if (function(stage, context, &row, err) < 0)
            return -1;
    }
    return status;
}

/* What to do about a shard file that cannot be read. */
static void make_anew(const char *path, struct error *err)
{
    size_t length = strlen(err->text);
    (void)snprintf(err->text + length, sizeof err->text - length,
                   "; remove %s and build again to make it anew", path);
}

static int read_shard(struct select_stage *stage, unsigned shard, row_function *function,
                      void *context, struct error *err)
{
    struct store_samples *samples = NULL;
    struct store_labels *labels = NULL;
    char *samples_path = build_samples_path(stage->build, shard, err);
    char *labels_path = build_labels_path(stage->build, shard, err);
    int status = -1;
    if (samples_path && store_samples_open(samples_path, &samples, err) < 0)
        make_anew(samples_path, err);
    else if (labels_path && store_labels_open(labels_path, &labels, err) < 0)
        make_anew(labels_path, err);
    else if (samples && labels)
        status = each_row(stage, samples, labels, function, context, err);
    store_labels_close(labels);
    store_samples_close(samples);
    free(samples_path);
    free(labels_path);
    return status < 0 ? error_prefix(err, "shard %u", shard) : 0;
}

static int read_shards(struct select_stage *stage, row_function *function, void *context,
                       struct error *err)
{
    int status = 0;
    for (unsigned shard = 0; shard < stage->build->shards && status == 0; shard++) {
        status = build_check_stop(stage->build, err);
        if (status == 0)
            status = read_shard(stage, shard, function, context, err);
    }
    return status;
}

int select_read_shards(struct select_stage *stage, struct error *err)
{
    if (stage->rule.weights.classes > 0) {
        int64_t counts[PIECEWEIGHTS_HIGH + 1] = {0};
        if (read_shards(stage, count_row, counts, err) < 0)
            return -1;
        fate_weigh(&stage->rule, counts);
    }
    return read_shards(stage, judge_row, NULL, err);
}
