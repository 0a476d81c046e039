/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/labeltask.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/io/file.h"
#include "pipeline/stages/label.h"
#include "pipeline/stages/labelshard.h"
#include "pipeline/stages/sampler.h"
#include "pipeline/stages/ticket.h"

static int run_shard(struct label_work *work, unsigned shard, struct error *err)
{
    struct store_samples *samples = NULL;
    uint64_t games, count = 0;
    char *path = build_samples_path(work->build, shard, err);
    int status = path ? store_samples_open(path, &samples, err) : -1;
    if (status == 0)
        status = store_samples_count(samples, &games, &count, err);
    store_samples_close(samples);
    free(path);
    if (status < 0)
        return -1;
    progress_start(&work->progress, "labels", 0, count, work->build->quiet);
    labelhealth_begin(&work->health, work->build, count, work->workers);
    status = labelshard_run(work, shard, &count, err);
    if (labelhealth_end(&work->health, work->pool, status < 0 ? NULL : err) < 0)
        status = -1;
    progress_end(&work->progress, work->done);
    return status;
}

static int run_engine(struct label_work *work, unsigned shard, struct error *err)
{
    struct build *build = work->build;
    struct engine_config config;
    struct fingerprint taken;
    struct reuse *reuse = NULL;
    if (label_config_from(build->settings, &config, err) < 0)
        return -1;
    work->config = &config;
    work->engine = &taken;
    work->workers = label_workers(build->settings);
    audit_init(&work->audit, settings_real(build->settings, "label.audit"), &config, work->workers,
               build->stop);
    int status = fingerprint_take(&config, &taken, err);
    if (status == 0)
        status = ticket_check(build, &taken, err);
    if (status == 0)
        status = reuse_open(build, &taken, &reuse, err);
    work->reuse = reuse;
    if (status == 0)
        status = run_shard(work, shard, err);
    audit_close(&work->audit);
    pool_close(work->pool);
    reuse_close(reuse);
    label_config_free(&config);
    return status;
}

static int run_in(struct build *build, const struct labeltask *task, const char *scratch,
                  struct error *err)
{
    struct label_work work = {
        .build = build, .scratch = scratch, .checkpoint_s = task->checkpoint_s};
    if (sampler_source_from(build->settings) == SOURCE_ENGINE)
        return run_engine(&work, task->shard, err);
    return ticket_check(build, NULL, err) < 0 ? -1 : run_shard(&work, task->shard, err);
}

/* What is of worth in it was published or is in the checkpoint. */
static void remove_scratch(const char *folder, unsigned shard)
{
    static const char *const suffixes[] = {"", ".work", ".work-wal", ".work-shm", ".copy"};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        char *path = file_name_format(NULL, "%s/%04u.labels.db%s", folder, shard, suffixes[i]);
        if (path)
            (void)file_remove(path, NULL);
        free(path);
    }
    (void)rmdir(folder);
}

static int run_in_scratch(struct build *build, const struct labeltask *task, struct error *err)
{
    char host[128] = "?";
    (void)gethostname(host, sizeof host - 1);
    char *folder = file_name_format(err, "%s/plymill-XXXXXX", task->scratch);
    if (!folder)
        return -1;
    int status = mkdtemp(folder) ? 0 : error_system(err, errno, "%s", folder);
    if (status == 0) {
        status = run_in(build, task, folder, err);
        remove_scratch(folder, task->shard);
    }
    free(folder);
    return status < 0 ? error_prefix(err, "%s", host) : 0;
}

int labeltask_run(struct build *build, const struct labeltask *task, struct error *err)
{
    char *labels = build_labels_path(build, task->shard, err);
    char *samples = build_samples_path(build, task->shard, err);
    int status = labels && samples ? 0 : -1;
    if (status == 0 && !file_exists(labels)) {
        if (!file_exists(samples))
            status = error_set(err, ERROR_FAILED,
                               "%s: no such shard; the build has %u, numbered from 0, and they "
                               "must be sampled",
                               samples, build->shards);
        else
            status = run_in_scratch(build, task, err);
    }
    free(labels);
    free(samples);
    return status;
}
