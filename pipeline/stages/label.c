/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/label.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/io/file.h"
#include "pipeline/recipe/difference.h"
#include "pipeline/report/progress.h"
#include "pipeline/stages/sampler.h"

#define FLUSH_SECONDS 5

/* One shard being labeled. Tags are sample ids. */
struct shard_run {
    struct build *build;
    struct store_samples *samples;
    struct store_labels *labels;
    bool *done; /* [count + 1] */
    uint64_t count, finished;
    struct progress *progress;
    uint64_t *total_done;
    time_t flushed; /* when labels last went to disk; so that a kill loses seconds of work */
};

static int next_job(void *context, struct pool_job *job, struct error *err)
{
    struct shard_run *run = context;
    struct store_sample sample;
    struct store_game game;
    int status;
    while ((status = store_samples_next(run->samples, &sample, &game, err)) == 1) {
        if (run->done[sample.id])
            continue;
        label_job(run->build->settings, &sample.position, game.split, (uint64_t)sample.id, job);
        return 1;
    }
    return status;
}

static time_t seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

static int take_label(void *context, const struct pool_job *job, const struct label *label,
                      const char *reason, struct error *err)
{
    struct shard_run *run = context;
    run->finished++;
    (*run->total_done)++;
    if (store_labels_add(run->labels, (int64_t)job->tag, label, reason, err) < 0)
        return -1;
    time_t now = seconds_now();
    if (now - run->flushed < FLUSH_SECONDS)
        return 0;
    run->flushed = now;
    return store_labels_flush(run->labels, err);
}

static void tick(void *context)
{
    struct shard_run *run = context;
    progress_update(run->progress, *run->total_done);
}

static int open_shard(struct shard_run *run, unsigned shard, struct error *err)
{
    char *samples = build_samples_path(run->build, shard, err);
    char *labels = build_labels_path(run->build, shard, err);
    uint64_t games;
    int status = -1;
    if (samples && labels && store_samples_open(samples, &run->samples, err) == 0 &&
        store_samples_count(run->samples, &games, &run->count, err) == 0 &&
        store_labels_continue(labels, &run->labels, err) == 0) {
        run->done = calloc(run->count + 1, sizeof *run->done);
        status = run->done ? 0 : error_memory(err);
    }
    free(samples);
    free(labels);
    if (status < 0)
        return -1;
    int64_t have = store_labels_done(run->labels, run->done, (int64_t)run->count, err);
    run->finished = have > 0 ? (uint64_t)have : 0;
    return have < 0 ? -1 : 0;
}

static void close_shard(struct shard_run *run)
{
    store_labels_close(run->labels);
    store_samples_close(run->samples);
    free(run->done);
}

/* The move that an engine played in a match is the one that it found best. */
void label_from_game(enum label_source source, const struct store_sample *sample,
                     struct label *label)
{
    *label = (struct label){.bound = BOUND_EXACT,
                            .best_move = source == SOURCE_PGN_COMMENT ? sample->move : MOVE_NONE,
                            .depth = sample->eval_depth,
                            .exact_depth = sample->eval_depth,
                            .final = sample->eval,
                            .exact = sample->eval};
}

static int take_evals(struct shard_run *run, enum label_source source, struct error *err)
{
    struct store_sample sample;
    struct label label;
    int status;
    while ((status = store_samples_next(run->samples, &sample, NULL, err)) == 1) {
        if (run->done[sample.id])
            continue;
        label_from_game(source, &sample, &label);
        if (build_check_stop(run->build, err) < 0 ||
            store_labels_add(run->labels, sample.id, &label, NULL, err) < 0)
            return -1;
        ++*run->total_done;
        tick(run);
    }
    return status;
}

/* Labels what is missing and seals. pool may be NULL when nothing is missing. */
static int run_shard(struct shard_run *run, struct pool *pool, struct error *err)
{
    const struct pool_client client = {
        .context = run, .next = next_job, .done = take_label, .tick = tick};
    enum label_source source = sampler_source_from(run->build->settings);
    int status = 0;
    if (run->finished < run->count)
        status = source == SOURCE_ENGINE ? pool_run(pool, &client, run->build->stop, err)
                                         : take_evals(run, source, err);
    if (status < 0)
        return -1;
    struct store_labels *labels = run->labels;
    run->labels = NULL;
    return store_labels_seal(labels, run->count, err);
}

static int label_shard(struct build *build, unsigned shard, struct pool *pool,
                       struct progress *progress, uint64_t *total_done, uint64_t *count,
                       struct error *err)
{
    struct shard_run run = {.build = build, .progress = progress, .total_done = total_done};
    int status = open_shard(&run, shard, err);
    if (status == 0)
        status = run_shard(&run, pool, err);
    *count = run.count;
    close_shard(&run);
    return status < 0 ? error_prefix(err, "shard %u", shard) : 0;
}

static const char *const fingerprint_keys[] = {"engine.name", "engine.net", "engine.options",
                                               "engine.files", "engine.signature"};

int label_fingerprint(struct build *build, struct fingerprint *have, struct error *err)
{
    char *const fields[] = {have->name, have->net, have->options, have->files, have->signature};
    const size_t sizes[] = {sizeof have->name, sizeof have->net, sizeof have->options,
                            sizeof have->files, sizeof have->signature};
    memset(have, 0, sizeof *have);
    int found = 0;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        char value[CATALOGUE_VALUE_MAX] = "";
        found = catalogue_get(build->catalogue, fingerprint_keys[i], value, err);
        if (found < 0)
            return -1;
        (void)snprintf(fields[i], sizes[i], "%s", value);
    }
    return found;
}

static int save_fingerprint(struct build *build, const struct fingerprint *taken,
                            const char *command, struct error *err)
{
    const char *const fields[] = {taken->name, taken->net, taken->options, taken->files,
                                  taken->signature};
    int status = catalogue_begin(build->catalogue, err);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0] && status == 0; i++)
        status = catalogue_set(build->catalogue, fingerprint_keys[i], fields[i], err);
    if (status == 0)
        status = catalogue_set(build->catalogue, "engine.command", command, err);
    if (status == 0 && catalogue_commit(build->catalogue, err) == 0)
        return 0;
    catalogue_rollback(build->catalogue);
    return -1;
}

/* Is there any label in this build, sealed or not? */
static int any_label(struct build *build, struct error *err)
{
    int found = 0;
    for (unsigned shard = 0; shard < build->shards && !found; shard++) {
        char *path = build_labels_path(build, shard, err);
        char *work = path ? file_name_format(err, "%s%s", path, STORE_WORK_SUFFIX) : NULL;
        if (work)
            found = file_exists(path) || file_exists(work);
        else
            found = -1;
        free(path);
        free(work);
    }
    return found;
}

static int compare_or_save(struct build *build, const struct engine_config *config,
                           const struct fingerprint *taken, struct error *err)
{
    struct fingerprint have;
    int known = label_fingerprint(build, &have, err);
    int labels = any_label(build, err);
    if (known < 0 || labels < 0)
        return -1;
    if (known && labels && fingerprint_compare(taken, &have, err) < 0)
        return error_prefix(err,
                            "%s: its labels were made by another engine, and would not fit "
                            "(use that engine, or build into another directory)",
                            build->directory);
    return save_fingerprint(build, taken, config->command, err);
}

/* What an engine left in a build that shall have labels of its games. */
static int forget_fingerprint(struct build *build, struct error *err)
{
    int labels = any_label(build, err), status = labels < 0 ? -1 : 0;
    const size_t count = sizeof fingerprint_keys / sizeof fingerprint_keys[0];
    for (size_t i = 0; i < count && status == 0 && !labels; i++)
        status = catalogue_set(build->catalogue, fingerprint_keys[i], NULL, err);
    if (status == 0 && !labels)
        status = catalogue_set(build->catalogue, "engine.command", NULL, err);
    return status;
}

int label_prepare(struct build *build, struct error *err)
{
    if (sampler_source_from(build->settings) != SOURCE_ENGINE)
        return forget_fingerprint(build, err);
    struct engine_config config;
    char command[CATALOGUE_VALUE_MAX];
    int done = build_stage_done(build, BUILD_LABEL, err);
    if (done < 0)
        return -1;
    const char *given = settings_string(build->settings, "label.engine");
    if (done) {
        int found = catalogue_get(build->catalogue, "engine.command", command, err);
        if (found < 0 || !given || (found && strcmp(command, given) == 0))
            return found < 0 ? -1 : 0;
    }
    if (label_config_from(build->settings, &config, err) < 0)
        return -1;
    struct fingerprint taken;
    int status = fingerprint_take(&config, &taken, err);
    if (status == 0)
        status = compare_or_save(build, &config, &taken, err);
    label_config_free(&config);
    return status;
}

struct shard_list {
    struct catalogue_shard *rows;
    size_t count, capacity;
};

static int collect_shard(void *context, const struct catalogue_shard *shard, struct error *err)
{
    struct shard_list *list = context;
    if (list->count == list->capacity)
        return error_set(err, ERROR_FAILED, "build.db lists more shards than the build has");
    list->rows[list->count++] = *shard;
    return 0;
}

/* 1 when the labels are of the samples that are there, or those are still to be made; 0; -1. */
static int same_samples(struct build *build, struct error *err)
{
    char of[CATALOGUE_VALUE_MAX] = "", have[CATALOGUE_VALUE_MAX] = "";
    int done = build_stage_done(build, BUILD_SAMPLE, err);
    if (done <= 0)
        return done < 0 ? -1 : 1;
    if (catalogue_get(build->catalogue, "label.samples", of, err) < 0 ||
        catalogue_get(build->catalogue, BUILD_SAMPLES_DIGEST, have, err) < 0)
        return -1;
    return strcmp(of, have) == 0;
}

/* The keys that labels depend on, as they are now. */
static int label_recipe(struct build *build, struct buffer *text, struct error *err)
{
    buffer_init(text, CATALOGUE_VALUE_MAX - 1);
    return settings_write(build->settings, 1u << STAGE_SAMPLE | 1u << STAGE_LABEL, false, text,
                          err);
}

/* Says why labels do not fit: the first key that changed, else the samples. */
static int refuse_labels(struct build *build, struct error *err)
{
    char was[CATALOGUE_VALUE_MAX] = "", why[512] = "the games or the engine changed";
    struct buffer now;
    int status = label_recipe(build, &now, err);
    if (status == 0)
        status = catalogue_get(build->catalogue, "label.recipe", was, err);
    if (status >= 0) {
        (void)difference_describe(was, now.data ? now.data : "", why, sizeof why);
        error_set(
            err, ERROR_FAILED,
            "%s: its labels were made with other settings (%s); build into another directory, "
            "or remove %s/shards to label anew",
            build->directory, why, build->directory);
    }
    buffer_free(&now);
    return -1;
}

int label_check(struct build *build, struct error *err)
{
    char begun[CATALOGUE_VALUE_MAX], key[DIGEST_HEX_SIZE];
    int labels = any_label(build, err);
    if (labels <= 0)
        return labels;
    int found = catalogue_get(build->catalogue, "label.begun", begun, err);
    if (found < 0 || build_stage_key(build, BUILD_LABEL, key, err) < 0)
        return -1;
    int same = found && strcmp(begun, key) == 0 ? same_samples(build, err) : 0;
    if (same < 0)
        return -1;
    return same ? 0 : refuse_labels(build, err);
}

static int note_begun(struct build *build, struct error *err)
{
    char key[DIGEST_HEX_SIZE], samples[CATALOGUE_VALUE_MAX] = "";
    struct buffer recipe;
    int status = label_recipe(build, &recipe, err);
    if (status < 0 || build_stage_key(build, BUILD_LABEL, key, err) < 0 ||
        catalogue_get(build->catalogue, BUILD_SAMPLES_DIGEST, samples, err) < 0)
        status = -1;
    else if (catalogue_begin(build->catalogue, err) < 0 ||
             catalogue_set(build->catalogue, "label.begun", key, err) < 0 ||
             catalogue_set(build->catalogue, "label.samples", samples, err) < 0 ||
             catalogue_set(build->catalogue, "label.recipe", recipe.data, err) < 0 ||
             catalogue_commit(build->catalogue, err) < 0) {
        catalogue_rollback(build->catalogue);
        status = -1;
    }
    buffer_free(&recipe);
    return status;
}

static int needs_engine(struct build *build, const struct shard_list *list, uint64_t *done,
                        uint64_t *total, struct error *err)
{
    *done = *total = 0;
    bool missing = false;
    for (size_t i = 0; i < list->count; i++) {
        char *path = build_labels_path(build, (unsigned)list->rows[i].id, err);
        if (!path)
            return -1;
        *total += (uint64_t)list->rows[i].samples;
        if (file_exists(path))
            *done += (uint64_t)list->rows[i].samples;
        else
            missing = missing || list->rows[i].samples > 0;
        free(path);
    }
    return missing && sampler_source_from(build->settings) == SOURCE_ENGINE;
}

static int label_all(struct build *build, struct shard_list *list, struct pool *pool, uint64_t done,
                     uint64_t total, struct error *err)
{
    struct progress progress;
    int status = 0;
    progress_start(&progress, "labels", done, total, build->quiet);
    for (size_t i = 0; i < list->count && status == 0; i++) {
        struct catalogue_shard *row = &list->rows[i];
        char *path = build_labels_path(build, (unsigned)row->id, err);
        if (!path)
            return -1;
        uint64_t count = (uint64_t)row->samples;
        if (!file_exists(path))
            status = label_shard(build, (unsigned)row->id, pool, &progress, &done, &count, err);
        free(path);
        row->labels = (int64_t)count;
    }
    progress_end(&progress, done);
    return status;
}

static int open_pool(struct build *build, struct engine_config *config, struct pool **pool,
                     struct error *err)
{
    if (label_config_from(build->settings, config, err) < 0)
        return -1;
    return pool_open(config, label_workers(build->settings), pool, err);
}

/* All at once: a transaction a shard would cost more than its labels where shards are small. */
static int finish_stage(struct build *build, const struct shard_list *list, struct error *err)
{
    int status = catalogue_begin(build->catalogue, err);
    for (size_t i = 0; i < list->count && status == 0; i++)
        status = catalogue_put_shard(build->catalogue, &list->rows[i], err);
    if (status == 0)
        status = build_stage_finish(build, BUILD_LABEL, err);
    if (status == 0)
        status = catalogue_commit(build->catalogue, err);
    if (status < 0)
        catalogue_rollback(build->catalogue);
    return status;
}

static int run_stage(struct build *build, struct shard_list *list, struct error *err)
{
    struct engine_config config = {0};
    struct pool *pool = NULL;
    uint64_t done, total;
    if (catalogue_each_shard(build->catalogue, collect_shard, list, err) < 0 ||
        label_check(build, err) < 0 || note_begun(build, err) < 0)
        return -1;
    int status = needs_engine(build, list, &done, &total, err);
    if (status == 1)
        status = open_pool(build, &config, &pool, err);
    if (status == 0)
        status = label_all(build, list, pool, done, total, err);
    pool_close(pool);
    label_config_free(&config);
    return status < 0 ? -1 : finish_stage(build, list, err);
}

int label_run(struct build *build, struct error *err)
{
    int done = build_stage_done(build, BUILD_LABEL, err);
    if (done != 0)
        return done < 0 ? -1 : 0;
    if (build_stage_forget(build, BUILD_LABEL, err) < 0)
        return -1;
    struct shard_list list = {.capacity = build->shards};
    list.rows = calloc(list.capacity, sizeof *list.rows);
    int status = list.rows ? run_stage(build, &list, err) : error_memory(err);
    free(list.rows);
    return status;
}
