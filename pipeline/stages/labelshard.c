/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/labelshard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/io/file.h"
#include "pipeline/stages/equal.h"
#include "pipeline/stages/label.h"
#include "pipeline/stages/sampler.h"
#include "pipeline/stages/ticket.h"

#define FLUSH_SECONDS 5
#define NUMBER_MAX    32

/* A shard being labeled. Tags are sample ids. */
struct shard_run {
    struct label_work *work;
    struct store_samples *samples;
    struct store_labels *labels;
    bool *done; /* [count + 1] */
    uint64_t count, finished, reused;
    struct equal equal;
    char *path;          /* of the labels, where they are made */
    char *final;         /* of the labels, where they belong */
    char *checkpoint;    /* copies of unfinished work */
    time_t checkpointed; /* when the last one was made */
    time_t flushed;      /* when labels last went to disk; so that a kill loses seconds of work */
};

static int next_job(void *context, struct pool_job *job, struct error *err)
{
    struct shard_run *run = context;
    struct store_sample sample;
    struct store_game game;
    int status;
    while ((status = store_samples_next(run->samples, &sample, &game, err)) == 1) {
        if (run->done[sample.id] || run->equal.first[sample.id] != sample.id)
            continue;
        label_job(run->work->build->settings, &sample.position, game.split, (uint64_t)sample.id,
                  job);
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

static bool is_checkpoint_due(const struct shard_run *run, time_t now)
{
    return run->work->scratch && now - run->checkpointed >= (time_t)run->work->checkpoint_s;
}

/* What is there so far, where another attempt on another machine finds it. */
static int make_checkpoint(struct shard_run *run, time_t now, struct error *err)
{
    if (file_exists(run->final))
        return 0;
    char *copy = file_name_format(err, "%s.copy", run->path);
    int status = copy ? file_remove(copy, err) : -1;
    if (status == 0)
        status = store_labels_copy(run->labels, copy, err);
    if (status == 0)
        status = file_copy(copy, run->checkpoint, err);
    if (copy)
        (void)file_remove(copy, NULL);
    free(copy);
    run->checkpointed = now;
    return status;
}

static int add_label(struct shard_run *run, int64_t sample, const struct label *label,
                     const char *reason, struct error *err)
{
    run->done[sample] = true;
    run->finished++;
    run->work->done++;
    return store_labels_add(run->labels, sample, label, reason, err);
}

/* The label of a question goes to all samples that ask it and have none. */
static int add_to_all(struct shard_run *run, int64_t first, const struct label *label,
                      const char *reason, struct error *err)
{
    for (int64_t id = first; id != 0; id = run->equal.next[id])
        if (!run->done[id] && add_label(run, id, label, reason, err) < 0)
            return -1;
    return 0;
}

static int take_label(void *context, const struct pool_job *job, const struct label *label,
                      const char *reason, struct error *err)
{
    struct shard_run *run = context;
    if (add_to_all(run, (int64_t)job->tag, label, reason, err) < 0 ||
        labelhealth_count(&run->work->health, run->work->pool, err) < 0)
        return -1;
    time_t now = seconds_now();
    if (now - run->flushed < FLUSH_SECONDS && !is_checkpoint_due(run, now))
        return 0;
    run->flushed = now;
    if (store_labels_flush(run->labels, err) < 0)
        return -1;
    return is_checkpoint_due(run, now) ? make_checkpoint(run, now, err) : 0;
}

static void tick(void *context)
{
    struct shard_run *run = context;
    progress_update(&run->work->progress, run->work->done);
}

static int name_files(struct shard_run *run, unsigned shard, struct error *err)
{
    const char *scratch = run->work->scratch;
    run->final = build_labels_path(run->work->build, shard, err);
    if (!run->final)
        return -1;
    run->path = scratch ? file_name_format(err, "%s/%04u.labels.db", scratch, shard)
                        : file_name_format(err, "%s", run->final);
    run->checkpoint = file_name_format(err, "%s" LABELSHARD_CHECKPOINT, run->final);
    return run->path && run->checkpoint ? 0 : -1;
}

/* The ticket in a complete file: 1 with it, 0 when it has none or is no labels file. */
static int read_ticket(const char *path, char hex[DIGEST_HEX_SIZE])
{
    struct store_labels *labels = NULL;
    int found = file_exists(path) && store_labels_open(path, &labels, NULL) == 0 &&
                store_labels_get_meta(labels, TICKET_META, hex, DIGEST_HEX_SIZE, NULL) == 1;
    store_labels_close(labels);
    return found;
}

/* Where nothing was begun here, what an earlier attempt left is taken up, if it is of this. */
static int take_checkpoint(const struct shard_run *run, const char *ticket, struct error *err)
{
    char have[DIGEST_HEX_SIZE];
    char *work = file_name_format(err, "%s" STORE_WORK_SUFFIX, run->path);
    int status = work ? 0 : -1;
    if (work && !file_exists(work) && read_ticket(run->checkpoint, have) &&
        strcmp(have, ticket) == 0)
        status = file_copy(run->checkpoint, work, err);
    free(work);
    return status;
}

static int check_ticket(const struct shard_run *run, const char *ticket, struct error *err)
{
    char have[DIGEST_HEX_SIZE];
    int found = store_labels_get_meta(run->labels, TICKET_META, have, sizeof have, err);
    if (found < 0)
        return -1;
    if (!found)
        return store_labels_set_meta(run->labels, TICKET_META, ticket, err);
    if (run->work->mixed || strcmp(have, ticket) == 0)
        return 0;
    return error_set(err, ERROR_FAILED,
                     "%s" STORE_WORK_SUFFIX ": was begun with other samples, settings or another "
                     "engine; remove it to label them anew",
                     run->path);
}

static int open_files(struct shard_run *run, unsigned shard, struct error *err)
{
    char ticket[DIGEST_HEX_SIZE];
    uint64_t games;
    char *samples = build_samples_path(run->work->build, shard, err);
    int status = samples ? store_samples_open(samples, &run->samples, err) : -1;
    free(samples);
    if (status < 0 || store_samples_count(run->samples, &games, &run->count, err) < 0 ||
        name_files(run, shard, err) < 0 ||
        ticket_of_shard(run->work->build, run->work->engine, shard, ticket, err) < 0 ||
        take_checkpoint(run, ticket, err) < 0 ||
        store_labels_continue(run->path, &run->labels, err) < 0)
        return -1;
    return check_ticket(run, ticket, err);
}

static int open_shard(struct shard_run *run, unsigned shard, struct error *err)
{
    run->checkpointed = run->flushed = seconds_now();
    if (open_files(run, shard, err) < 0)
        return -1;
    run->done = calloc(run->count + 1, sizeof *run->done);
    if (!run->done)
        return error_memory(err);
    int64_t have = store_labels_done(run->labels, run->done, (int64_t)run->count, err);
    run->finished = have > 0 ? (uint64_t)have : 0;
    run->work->done += run->finished;
    return have < 0 ? -1 : 0;
}

static void close_shard(struct shard_run *run)
{
    store_labels_close(run->labels);
    store_samples_close(run->samples);
    equal_free(&run->equal);
    free(run->done);
    free(run->path);
    free(run->final);
    free(run->checkpoint);
}

/* May its label be another engine's: one that is there already, or is about to be reused? */
static bool may_be_foreign(const struct shard_run *run, int64_t sample,
                           const uint8_t key[LABELKEY_SIZE])
{
    struct label label;
    return run->work->mixed &&
           (run->done[sample] || reuse_find(run->work->reuse, key, &label) == 1);
}

/* Finds equal questions, and those to be audited. */
static int read_questions(struct shard_run *run, struct error *err)
{
    struct label_work *work = run->work;
    struct store_sample sample;
    struct store_game game;
    struct pool_job job;
    uint8_t key[LABELKEY_SIZE];
    int status = equal_init(&run->equal, run->count, err);
    audit_begin(&work->audit);
    while (status == 0 && (status = store_samples_next(run->samples, &sample, &game, err)) == 1) {
        label_job(work->build->settings, &sample.position, game.split, (uint64_t)sample.id, &job);
        labelkey_of(&job, key);
        equal_add(&run->equal, sample.id, key);
        status = may_be_foreign(run, sample.id, key)
                     ? 0
                     : audit_consider(&work->audit, sample.id, &job, key, err);
    }
    equal_link(&run->equal);
    return status < 0 ? -1 : store_samples_rewind(run->samples, err);
}

/* A run that was killed may have written the label of a question to some of its samples only. */
static int complete_equals(struct shard_run *run, struct error *err)
{
    struct label label;
    char reason[STORE_REASON_MAX];
    for (int64_t id = 1; id <= (int64_t)run->count; id++) {
        int64_t first = run->equal.first[id];
        if (!run->done[id] || (first == id && run->equal.next[id] == 0))
            continue;
        bool missing = false;
        for (int64_t other = first; other != 0; other = run->equal.next[other])
            missing = missing || !run->done[other];
        if (!missing)
            continue;
        if (store_labels_get(run->labels, id, &label, reason, err) < 0 ||
            add_to_all(run, first, &label, reason, err) < 0)
            return -1;
    }
    return 0;
}

static int take_reused(struct shard_run *run, struct error *err)
{
    struct label label;
    for (size_t i = 0; run->work->reuse && i < run->equal.count; i++) {
        int64_t sample = run->equal.items[i].sample;
        if (run->equal.first[sample] != sample ||
            !reuse_find(run->work->reuse, run->equal.items[i].key, &label))
            continue;
        run->reused++; /* also what an earlier attempt took: the number is the same after a kill */
        if (add_to_all(run, sample, &label, NULL, err) < 0)
            return -1;
    }
    return store_labels_flush(run->labels, err);
}

static int note(struct shard_run *run, const char *key, uint64_t number, struct error *err)
{
    char text[NUMBER_MAX];
    (void)snprintf(text, sizeof text, "%" PRIu64, number);
    return number == 0 ? 0 : store_labels_set_meta(run->labels, key, text, err);
}

static int run_pool(struct shard_run *run, struct error *err)
{
    const struct pool_client client = {
        .context = run, .next = next_job, .done = take_label, .tick = tick};
    struct label_work *work = run->work;
    if (run->finished == run->count)
        return 0;
    if (!work->pool && pool_open(work->config, work->workers, &work->pool, err) < 0)
        return -1;
    return pool_run(work->pool, &client, work->build->stop, err);
}

static int ask_engine(struct shard_run *run, struct error *err)
{
    uint64_t audited = 0;
    if (read_questions(run, err) < 0 || complete_equals(run, err) < 0 ||
        take_reused(run, err) < 0 || run_pool(run, err) < 0 ||
        audit_run(&run->work->audit, run->labels, &audited, err) < 0)
        return -1;
    if (note(run, "reused", run->reused, err) < 0 || note(run, "audited", audited, err) < 0)
        return -1;
    return note(run, "equal", run->equal.saved, err);
}

/* The move that an engine played in a match is the one that it found best. */
void label_from_game(enum label_source source, const struct store_sample *sample,
                     struct label *label)
{
    if (sample->labeled) {
        *label = sample->label;
        return;
    }
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
        if (build_check_stop(run->work->build, err) < 0 ||
            add_label(run, sample.id, &label, NULL, err) < 0)
            return -1;
        tick(run);
    }
    return status;
}

/* Whoever else worked on the shard may have published it meanwhile, with the same content. */
static int publish(const struct shard_run *run, struct error *err)
{
    if (run->work->scratch && !file_exists(run->final) &&
        file_copy(run->path, run->final, err) < 0 && !file_exists(run->final))
        return -1;
    return file_remove(run->checkpoint, err);
}

static int seal(struct shard_run *run, struct error *err)
{
    struct store_labels *labels = run->labels;
    run->labels = NULL;
    return store_labels_seal(labels, run->count, err) < 0 ? -1 : publish(run, err);
}

int labelshard_check(const struct label_work *work, unsigned shard, struct error *err)
{
    char have[DIGEST_HEX_SIZE], ticket[DIGEST_HEX_SIZE];
    char *path = build_labels_path(work->build, shard, err);
    int status = path ? ticket_of_shard(work->build, work->engine, shard, ticket, err) : -1;
    if (status == 0 && !work->mixed && read_ticket(path, have) && strcmp(have, ticket) != 0)
        status = error_set(err, ERROR_FAILED,
                           "%s: its labels are of other samples or settings, or by another engine; "
                           "remove it to label them anew",
                           path);
    free(path);
    return status;
}

int labelshard_run(struct label_work *work, unsigned shard, uint64_t *count, struct error *err)
{
    struct shard_run run = {.work = work};
    enum label_source source = sampler_source_from(work->build->settings);
    int status = open_shard(&run, shard, err);
    if (status == 0) {
        status = source == SOURCE_ENGINE ? ask_engine(&run, err) : take_evals(&run, source, err);
        if (status == 0)
            status = seal(&run, err);
        else if (work->scratch)
            (void)make_checkpoint(&run, seconds_now(), NULL);
    }
    *count = run.count;
    close_shard(&run);
    return status < 0 ? error_prefix(err, "shard %u", shard) : 0;
}

static int add_number(struct store_labels *labels, const char *key, uint64_t *sum,
                      struct error *err)
{
    char text[NUMBER_MAX] = "0";
    if (store_labels_get_meta(labels, key, text, sizeof text, err) < 0)
        return -1;
    *sum += strtoull(text, NULL, 10);
    return 0;
}

int labelshard_savings(const struct build *build, unsigned shard, struct label_savings *savings,
                       struct error *err)
{
    struct store_labels *labels = NULL;
    char *path = build_labels_path(build, shard, err);
    int status = path ? store_labels_open(path, &labels, err) : -1;
    if (status == 0 && (add_number(labels, "equal", &savings->equal, err) < 0 ||
                        add_number(labels, "reused", &savings->reused, err) < 0 ||
                        add_number(labels, "audited", &savings->audited, err) < 0))
        status = -1;
    store_labels_close(labels);
    free(path);
    return status;
}
