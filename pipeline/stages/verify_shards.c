/* SPDX-License-Identifier: MIT */
/*
 * Verify, third part: every sample with its label, and labels made again.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "labeler/label_diff.h"
#include "pipeline/report/progress.h"
#include "pipeline/stages/audit.h"
#include "pipeline/stages/label.h"
#include "pipeline/stages/sampler.h"
#include "pipeline/stages/verify_internal.h"

struct shard_files {
    struct store_samples *samples;
    struct store_labels *labels;
};

static int open_shard(const struct verify *verify, unsigned shard, struct shard_files *files,
                      struct error *err)
{
    *files = (struct shard_files){0};
    char *samples = build_samples_path(verify->build, shard, err);
    char *labels = build_labels_path(verify->build, shard, err);
    int status = samples && labels ? store_samples_open(samples, &files->samples, err) : -1;
    if (status == 0)
        status = store_labels_open(labels, &files->labels, err);
    free(samples);
    free(labels);
    return status;
}

static void close_shard(struct shard_files *files)
{
    store_samples_close(files->samples);
    store_labels_close(files->labels);
}

/* Labels out of games or datasets follow from the sample. */
static int compare_label(const struct verify *verify, const struct store_sample *sample,
                         const struct label *label, struct error *err)
{
    struct label own;
    char what[128];
    enum label_source source = sampler_source_from(verify->build->settings);
    if (source == SOURCE_ENGINE)
        return 0;
    label_from_game(source, sample, &own);
    if (!label_diff(&own, label, what, sizeof what))
        return 0;
    return error_set(err, ERROR_DIFFERS, "sample %" PRId64 ": its label is not its own: %s",
                     sample->id, what);
}

/* The next sample and its label: 1, 0, -1. */
static int next_pair(const struct verify *verify, struct shard_files *files, struct error *err)
{
    struct store_sample sample;
    struct store_game game;
    struct label label;
    int64_t of = 0;
    int left = store_samples_next(files->samples, &sample, &game, err);
    int right = left < 0 ? -1 : store_labels_next(files->labels, &of, &label, NULL, err);
    if (left < 0 || right < 0)
        return -1;
    if (left != right || (left == 1 && of != sample.id))
        return error_set(err, ERROR_DIFFERS, "sample %" PRId64 " and label %" PRId64 " do not meet",
                         left == 1 ? sample.id : 0, right == 1 ? of : 0);
    return left == 0 ? 0 : (compare_label(verify, &sample, &label, err) < 0 ? -1 : 1);
}

static int read_shard(struct verify *verify, const struct catalogue_shard *row, struct error *err)
{
    struct shard_files files;
    int64_t pairs = 0;
    uint64_t games = 0, samples = 0;
    int status = open_shard(verify, (unsigned)row->id, &files, err);
    if (status == 0)
        status = store_samples_count(files.samples, &games, &samples, err);
    if (status == 0) {
        while ((status = next_pair(verify, &files, err)) == 1) {
            pairs++;
            if (verify_check_stop(verify, err) < 0) {
                status = -1;
                break;
            }
        }
    }
    close_shard(&files);
    verify->counts->samples += (uint64_t)pairs;
    if (status == 0 &&
        (pairs != row->samples || pairs != row->labels || (int64_t)games != row->games))
        return error_set(err, ERROR_DIFFERS,
                         "holds %" PRIu64 " games and %" PRId64 " samples with labels, and by "
                         "build.db %" PRId64 " games, %" PRId64 " samples and %" PRId64 " labels",
                         games, pairs, row->games, row->samples, row->labels);
    return status;
}

static int check_shard(void *context, const struct catalogue_shard *row, struct error *err)
{
    struct verify *verify = context;
    verify->counts->shards++;
    if (read_shard(verify, row, err) == 0)
        return 0;
    error_prefix(err, "shard %" PRId64, row->id);
    return verify_take(verify, err);
}

int verify_shards(struct verify *verify, struct error *err)
{
    return catalogue_each_shard(verify->build->catalogue, check_shard, verify, err);
}

struct audit_run {
    struct verify *verify;
    struct audit audit;
};

static int note_questions(struct audit_run *run, struct shard_files *files, struct error *err)
{
    struct store_sample sample;
    struct store_game game;
    struct pool_job job;
    uint8_t key[LABELKEY_SIZE];
    int status;
    audit_begin(&run->audit);
    while ((status = store_samples_next(files->samples, &sample, &game, err)) == 1) {
        label_job(run->verify->build->settings, &sample.position, game.split, (uint64_t)sample.id,
                  &job);
        labelkey_of(&job, key);
        if (audit_consider(&run->audit, sample.id, &job, key, err) < 0)
            return -1;
    }
    return status;
}

static int audit_shard(void *context, const struct catalogue_shard *row, struct error *err)
{
    struct audit_run *run = context;
    struct shard_files files;
    uint64_t audited = 0;
    int status = open_shard(run->verify, (unsigned)row->id, &files, err);
    if (status == 0)
        status = note_questions(run, &files, err);
    if (status == 0)
        status = audit_run(&run->audit, files.labels, &audited, err);
    run->verify->counts->audited += audited;
    close_shard(&files);
    if (status == 0)
        return 0;
    error_prefix(err, "shard %" PRId64, row->id);
    return err->code == ERROR_DIFFERS ? verify_take(run->verify, err) : -1;
}

/* Another engine would differ, and say nothing about the labels. */
static int check_engine(struct verify *verify, const struct engine_config *config,
                        struct error *err)
{
    struct fingerprint own, taken;
    int mixed = label_is_mixed(verify->build, err);
    if (mixed < 0)
        return -1;
    if (mixed)
        return error_set(err, ERROR_FAILED,
                         "--audit: the labels are of several engines; which made which is not "
                         "known");
    if (label_fingerprint(verify->build, &own, err) < 0 ||
        fingerprint_take(config, &taken, err) < 0)
        return -1;
    if (fingerprint_compare(&taken, &own, err) < 0)
        return error_prefix(err, "--audit needs the engine that made the labels (name it with "
                                 "--engine)");
    return 0;
}

static int run_audit(struct verify *verify, const struct engine_config *config, struct error *err)
{
    unsigned workers = verify->options->workers;
    struct audit_run run = {.verify = verify};
    if (check_engine(verify, config, err) < 0)
        return -1;
    audit_init(&run.audit, verify->options->audit, config,
               workers ? workers : label_workers(verify->build->settings), verify->options->stop);
    int status = catalogue_each_shard(verify->build->catalogue, audit_shard, &run, err);
    audit_close(&run.audit);
    return status;
}

int verify_audit(struct verify *verify, struct error *err)
{
    struct settings *settings = verify->build->settings;
    struct engine_config config;
    if (verify->options->audit <= 0)
        return 0;
    if (sampler_source_from(settings) != SOURCE_ENGINE)
        return error_set(err, ERROR_USAGE, "--audit: no engine made these labels (label.source)");
    if (verify->options->engine &&
        settings_set(settings, "label.engine", verify->options->engine, "command line", err) < 0)
        return -1;
    if (label_config_from(settings, &config, err) < 0)
        return -1;
    int status = run_audit(verify, &config, err);
    label_config_free(&config);
    return status;
}
