/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/poskey.h"
#include "formats/draw.h"
#include "formats/io/bytes.h"
#include "formats/io/extsort.h"
#include "formats/io/file.h"
#include "formats/record.h"
#include "labeler/store.h"
#include "pipeline/report/progress.h"
#include "pipeline/stages/fate.h"
#include "pipeline/stages/sampler.h"

#define POSITION_KEY_MAX (POSKEY_BOARD_SIZE + 2)
#define ORDER_SIZE       (8 + 18 + 4) /* shuffle draw, game id, ply: a total order of samples */
#define SORT_KEY_MAX     (1 + POSITION_KEY_MAX + ORDER_SIZE)

enum position_key { KEY_NONE, KEY_LEAK, KEY_BOARD, KEY_LABEL };

struct select_stage {
    struct build *build;
    struct fate_rule rule;
    enum label_source source;
    enum position_key duplicate_key, leak_key;
    bool drop_leaks;
    uint64_t shuffle_seed;
    int64_t fates[BUILD_SPLITS][FATE_COUNT];
    int64_t samples;
    struct writer *quarantine; /* of quarantine.tsv */
    struct progress progress;
};

static enum position_key key_from(const char *word)
{
    if (strcmp(word, "board") == 0)
        return KEY_BOARD;
    if (strcmp(word, "label-key") == 0)
        return KEY_LABEL;
    return strcmp(word, "leak") == 0 ? KEY_LEAK : KEY_NONE;
}

static size_t put_position_key(enum position_key kind, const struct position *position,
                               uint8_t *out)
{
    switch (kind) {
    case KEY_LEAK:
        poskey_leak(position, out);
        return POSKEY_BOARD_SIZE;
    case KEY_BOARD:
        poskey_board(position, out);
        return POSKEY_BOARD_SIZE;
    case KEY_LABEL:
        poskey_label(position, out);
        return POSKEY_BOARD_SIZE + 2;
    case KEY_NONE:
        break;
    }
    return 0;
}

static void put_order(const struct select_stage *stage, const struct record *record, uint8_t *out)
{
    uint64_t draw = draw_ply(DRAW_SHUFFLE, record->game_id, record->ply, stage->shuffle_seed);
    memset(out, 0, ORDER_SIZE);
    bytes_put_be64(out, draw);
    memcpy(out + 8, record->game_id, strnlen(record->game_id, 18));
    bytes_put_be32(out + 26, record->ply);
}

/* The data of all three sorts: the split, then the record. */
static int add_item(struct extsort *sorter, const uint8_t *key, size_t key_size, uint8_t split,
                    const uint8_t record[RECORD_SIZE], struct error *err)
{
    uint8_t data[1 + RECORD_SIZE];
    data[0] = split;
    memcpy(data + 1, record, RECORD_SIZE);
    struct extsort_item item = {
        .key = key, .key_size = (uint32_t)key_size, .data = data, .data_size = sizeof data};
    return extsort_add(sorter, &item, err);
}

/* First sort: split, duplicate key, order. */
static int add_candidate(struct select_stage *stage, struct extsort *sorter, int split,
                         const struct record *record, struct error *err)
{
    uint8_t key[SORT_KEY_MAX], encoded[RECORD_SIZE];
    key[0] = (uint8_t)split;
    size_t size = 1 + put_position_key(stage->duplicate_key, &record->position, key + 1);
    put_order(stage, record, key + size);
    record_encode(record, encoded);
    return add_item(sorter, key, size + ORDER_SIZE, (uint8_t)split, encoded, err);
}

/* What stands in a path or comes from an engine may hold what ends a column or a line. */
static void make_column(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            *text = '?';
}

static int note_failure(struct select_stage *stage, const struct store_game *game,
                        const struct store_sample *sample, const char *reason, struct error *err)
{
    char fen[FEN_MAX], clean[256];
    fen_format(&sample->position, FEN_XFEN, fen);
    (void)snprintf(clean, sizeof clean, "%s", reason);
    make_column(clean);
    return writer_printf(stage->quarantine, err, "position\t%s\t%" PRIu32 "\t%s\t%s\n",
                         game->game_id, sample->ply, clean, fen);
}

static int judge(struct select_stage *stage, struct extsort *sorter, const struct store_game *game,
                 const struct store_sample *sample, const struct label *label, const char *reason,
                 struct error *err)
{
    stage->samples++;
    if (game->split < 0 || game->split >= BUILD_SPLITS)
        return error_set(err, ERROR_FAILED, "game %s: no split %d", game->game_id, game->split);
    enum fate fate = fate_of_label(&stage->rule, &sample->position, label, sample->move);
    if (fate == FATE_KEPT) {
        struct record record = {.ply = sample->ply,
                                .position = sample->position,
                                .played = sample->move,
                                .result = (int8_t)game->result,
                                .source = (uint8_t)stage->source,
                                .white_rating = game->white_rating,
                                .black_rating = game->black_rating,
                                .label = *label};
        memcpy(record.game_id, game->game_id, sizeof record.game_id);
        return add_candidate(stage, sorter, game->split, &record, err);
    }
    stage->fates[game->split][fate]++;
    if (label->status != LABEL_OK)
        return note_failure(stage, game, sample, reason, err);
    return 0;
}

static int judge_shard(struct select_stage *stage, struct extsort *sorter,
                       struct store_samples *samples, struct store_labels *labels,
                       struct error *err)
{
    struct store_sample sample;
    struct store_game game;
    int status;
    while ((status = store_samples_next(samples, &sample, &game, err)) == 1) {
        struct label label;
        int64_t id = 0;
        char reason[256] = "";
        int found = store_labels_next(labels, &id, &label, reason, err);
        if (found < 0)
            return -1;
        if (!found || id != sample.id)
            return error_set(err, ERROR_FAILED, "sample %" PRId64 " has no label", sample.id);
        if (judge(stage, sorter, &game, &sample, &label, reason, err) < 0)
            return -1;
        progress_update(&stage->progress, (uint64_t)stage->samples);
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

static int read_shard(struct select_stage *stage, unsigned shard, struct extsort *sorter,
                      struct error *err)
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
        status = judge_shard(stage, sorter, samples, labels, err);
    store_labels_close(labels);
    store_samples_close(samples);
    free(samples_path);
    free(labels_path);
    return status < 0 ? error_prefix(err, "shard %u", shard) : 0;
}

static int new_sorter(struct select_stage *stage, struct extsort **sorter, struct error *err)
{
    size_t memory = (size_t)settings_integer(stage->build->settings, "build.memory") << 20;
    char *folder = build_path(stage->build, err, "records");
    int status = folder ? extsort_new(folder, memory / 2, sorter, err) : -1;
    free(folder);
    return status;
}

/* Third sort: split, order. */
static int add_kept(struct select_stage *stage, struct extsort *sorter, uint8_t split,
                    const uint8_t encoded[RECORD_SIZE], struct error *err)
{
    uint8_t key[1 + ORDER_SIZE];
    struct record record;
    if (record_decode(encoded, &record) < 0)
        return error_set(err, ERROR_FAILED, "a sorted run was damaged");
    key[0] = split;
    put_order(stage, &record, key + 1);
    stage->fates[split][FATE_KEPT]++;
    return add_item(sorter, key, sizeof key, split, encoded, err);
}

/*
 * Second sort: leak key, rank of the split, order. Train ranks before test before validation, so
 * that the first item of a key says who keeps it.
 */
static int add_unique(struct select_stage *stage, struct extsort *sorter, uint8_t split,
                      const uint8_t encoded[RECORD_SIZE], struct error *err)
{
    static const uint8_t rank[BUILD_SPLITS] = {0, 2, 1};
    uint8_t key[SORT_KEY_MAX];
    struct record record;
    if (record_decode(encoded, &record) < 0)
        return error_set(err, ERROR_FAILED, "a sorted run was damaged");
    size_t size = put_position_key(stage->leak_key, &record.position, key);
    key[size++] = rank[split];
    put_order(stage, &record, key + size);
    return add_item(sorter, key, size + ORDER_SIZE, split, encoded, err);
}

typedef int pass_function(struct select_stage *, struct extsort *, uint8_t,
                          const uint8_t[RECORD_SIZE], struct error *);

/*
 * Walks a sorted run in groups of equal prefix. Of a group all items are passed on that `keeps` the
 * group's first; the others get `fate`.
 */
struct pass {
    size_t prefix;    /* bytes of the key that make a group */
    bool whole_split; /* items of the first one's split stay; else only the first item */
    enum fate fate;
    pass_function *next;
};

static int run_pass(struct select_stage *stage, const struct pass *pass, struct extsort *from,
                    struct extsort *to, struct error *err)
{
    uint8_t group[SORT_KEY_MAX], first_split = 0;
    bool any = false;
    struct extsort_item item;
    int status = extsort_finish(from, err);
    if (status < 0)
        return -1;
    while ((status = extsort_next(from, &item, err)) == 1) {
        if (build_check_stop(stage->build, err) < 0)
            return -1;
        uint8_t split = item.data[0];
        bool same = any && memcmp(group, item.key, pass->prefix) == 0;
        bool stays = !same || pass->prefix == 0 || (pass->whole_split && split == first_split);
        if (!same) {
            memcpy(group, item.key, pass->prefix);
            first_split = split;
            any = true;
        }
        if (!stays)
            stage->fates[split][pass->fate]++;
        else if (pass->next(stage, to, split, item.data + 1, err) < 0)
            return -1;
    }
    return status;
}

static int drop_duplicates(struct select_stage *stage, struct extsort *from, struct extsort *to,
                           struct error *err)
{
    size_t key = 0;
    if (stage->duplicate_key != KEY_NONE)
        key = 1 + (stage->duplicate_key == KEY_LABEL ? POSKEY_BOARD_SIZE + 2 : POSKEY_BOARD_SIZE);
    const struct pass pass = {
        .prefix = key, .fate = FATE_DUPLICATE, .next = stage->drop_leaks ? add_unique : add_kept};
    return run_pass(stage, &pass, from, to, err);
}

static int drop_leaks(struct select_stage *stage, struct extsort *from, struct extsort *to,
                      struct error *err)
{
    const struct pass pass = {.prefix = stage->leak_key == KEY_LABEL ? POSKEY_BOARD_SIZE + 2
                                                                     : POSKEY_BOARD_SIZE,
                              .whole_split = true,
                              .fate = FATE_LEAK,
                              .next = add_kept};
    return run_pass(stage, &pass, from, to, err);
}

char *select_record_path(const struct build *build, int split, struct error *err)
{
    return build_path(build, err, "records/%s.rec", build_split_names[split]);
}

static int note_file(struct select_stage *stage, int split, const struct writer_result *result,
                     struct error *err)
{
    struct catalogue_file row = {.stage = "select",
                                 .content_bytes = (int64_t)result->content_bytes,
                                 .file_bytes = (int64_t)result->file_bytes,
                                 .records = stage->fates[split][FATE_KEPT]};
    (void)snprintf(row.name, sizeof row.name, "records/%s.rec", build_split_names[split]);
    memcpy(row.content_sha256, result->content_sha256, sizeof row.content_sha256);
    memcpy(row.file_sha256, result->file_sha256, sizeof row.file_sha256);
    return catalogue_put_file(stage->build->catalogue, &row, err);
}

/* Takes the records of one split from the front of the sorted run. */
static int write_split(struct select_stage *stage, int split, struct extsort *sorter,
                       struct error *err)
{
    struct record_writer *writer = NULL;
    struct writer_result result;
    char *path = select_record_path(stage->build, split, err);
    uint64_t count = (uint64_t)stage->fates[split][FATE_KEPT];
    int status = path ? record_writer_create(path, count, &writer, err) : -1;
    free(path);
    for (uint64_t i = 0; i < count && status == 0; i++) {
        struct extsort_item item;
        struct record record;
        status = extsort_next(sorter, &item, err) == 1 ? 0 : -1;
        if (status == 0 && (item.data[0] != split || record_decode(item.data + 1, &record) < 0))
            status = error_set(err, ERROR_FAILED, "a sorted run was damaged");
        if (status == 0)
            status = record_writer_add(writer, &record, err);
    }
    if (status < 0) {
        record_writer_discard(writer);
        return -1;
    }
    if (record_writer_commit(writer, &result, err) < 0)
        return -1;
    return note_file(stage, split, &result, err);
}

static int put_fates(struct select_stage *stage, struct error *err)
{
    int64_t sum = 0;
    for (int split = 0; split < BUILD_SPLITS; split++) {
        for (int fate = 0; fate < FATE_COUNT; fate++) {
            struct catalogue_count row = {
                .stage = "select", .split = split, .value = stage->fates[split][fate]};
            (void)snprintf(row.name, sizeof row.name, "%s", fate_text((enum fate)fate));
            sum += row.value;
            if (catalogue_put_count(stage->build->catalogue, &row, err) < 0)
                return -1;
        }
    }
    if (sum != stage->samples)
        return error_set(err, ERROR_FAILED,
                         "fates add up to %" PRId64 ", not to the %" PRId64 " samples", sum,
                         stage->samples);
    return 0;
}

static int put_reject_line(void *context, const struct catalogue_reject *row, struct error *err)
{
    struct catalogue_reject clean = *row, *reject = &clean;
    make_column(reject->path);
    return writer_printf(context, err, "game\t%s:%" PRId64 "\t%" PRId64 "\t%s\t%s\n", reject->path,
                         reject->game, reject->ply, reject->reason, reject->text);
}

/* Rejected games; positions that no engine could answer follow as they are met. */
static int begin_quarantine(struct select_stage *stage, struct error *err)
{
    char *path = build_path(stage->build, err, "quarantine.tsv");
    int status = path ? writer_create(path, false, &stage->quarantine, err) : -1;
    free(path);
    if (status == 0)
        status = writer_printf(stage->quarantine, err, "kind\twhere\tply\treason\ttext\n");
    if (status == 0)
        status =
            catalogue_each_reject(stage->build->catalogue, put_reject_line, stage->quarantine, err);
    return status;
}

static int end_quarantine(struct select_stage *stage, struct error *err)
{
    struct writer *writer = stage->quarantine;
    stage->quarantine = NULL;
    return writer_commit(writer, NULL, err);
}

static int select_all(struct select_stage *stage, struct extsort *sorters[3], struct error *err)
{
    int status = begin_quarantine(stage, err);
    for (unsigned shard = 0; shard < stage->build->shards && status == 0; shard++)
        status = build_check_stop(stage->build, err) < 0
                     ? -1
                     : read_shard(stage, shard, sorters[0], err);
    struct extsort *last = sorters[1];
    if (status == 0)
        status = drop_duplicates(stage, sorters[0], sorters[1], err);
    if (status == 0 && stage->drop_leaks) {
        status = drop_leaks(stage, sorters[1], sorters[2], err);
        last = sorters[2];
    }
    if (status == 0)
        status = extsort_finish(last, err);
    for (int split = 0; split < BUILD_SPLITS && status == 0; split++)
        status = write_split(stage, split, last, err);
    if (status == 0)
        status = put_fates(stage, err);
    return status == 0 ? end_quarantine(stage, err) : -1;
}

static int run_stage(struct select_stage *stage, struct error *err)
{
    struct extsort *sorters[3] = {NULL};
    struct catalogue *catalogue = stage->build->catalogue;
    int status = 0;
    for (int i = 0; i < 3 && status == 0; i++)
        status = new_sorter(stage, &sorters[i], err);
    if (status == 0)
        status = catalogue_begin(catalogue, err);
    if (status == 0)
        status = select_all(stage, sorters, err);
    if (status == 0)
        status = build_stage_finish(stage->build, BUILD_SELECT, err);
    if (status == 0)
        status = catalogue_commit(catalogue, err);
    if (status < 0)
        catalogue_rollback(catalogue);
    for (int i = 0; i < 3; i++)
        extsort_free(sorters[i]);
    return status;
}

int select_run(struct build *build, struct error *err)
{
    int done = build_stage_done(build, BUILD_SELECT, err);
    if (done != 0)
        return done < 0 ? -1 : 0;
    if (build_stage_need(build, BUILD_LABEL, err) < 0)
        return -1;
    if (build_stage_forget(build, BUILD_SELECT, err) < 0)
        return -1;
    const struct settings *settings = build->settings;
    struct select_stage stage = {
        .build = build,
        .duplicate_key = key_from(settings_string(settings, "split.duplicates")),
        .leak_key = key_from(settings_string(settings, "split.leak_key")),
        .drop_leaks = strcmp(settings_string(settings, "split.leaks"), "keep") != 0,
        .shuffle_seed = (uint64_t)settings_integer(settings, "shuffle.seed")};
    fate_rule_from(settings, &stage.rule);
    stage.source = sampler_source_from(settings);
    progress_start(&stage.progress, "samples selected", 0, 0, build->quiet);
    int status = run_stage(&stage, err);
    progress_end(&stage.progress, (uint64_t)stage.samples);
    writer_discard(stage.quarantine);
    return status;
}
