/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/label.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/recipe/difference.h"
#include "pipeline/stages/clean.h"
#include "pipeline/stages/labelshard.h"
#include "pipeline/stages/previous.h"
#include "pipeline/stages/sampler.h"
#include "pipeline/stages/ticket.h"

#define MIXED_KEY "label.mixed"

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

/* In a transaction of the caller. */
static int put_fingerprint(struct build *build, const struct fingerprint *taken,
                           const char *command, struct error *err)
{
    const char *const fields[] = {taken->name, taken->net, taken->options, taken->files,
                                  taken->signature};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (catalogue_set(build->catalogue, fingerprint_keys[i], fields[i], err) < 0)
            return -1;
    return catalogue_set(build->catalogue, "engine.command", command, err);
}

static int save_fingerprint(struct build *build, const struct fingerprint *taken,
                            const char *command, struct error *err)
{
    if (catalogue_begin(build->catalogue, err) == 0 &&
        put_fingerprint(build, taken, command, err) == 0 &&
        catalogue_commit(build->catalogue, err) == 0)
        return 0;
    catalogue_rollback(build->catalogue);
    return -1;
}

int label_mark_mixed(struct build *build, const struct fingerprint *other, struct error *err)
{
    char list[CATALOGUE_VALUE_MAX] = "", entry[sizeof other->name + DIGEST_HEX_SIZE];
    (void)snprintf(entry, sizeof entry, "%s %s", other->name, other->signature);
    int found = catalogue_get(build->catalogue, MIXED_KEY, list, err);
    if (found < 0 || strstr(list, entry))
        return found < 0 ? -1 : 0;
    size_t length = strlen(list);
    (void)snprintf(list + length, sizeof list - length, "%s%s", found ? "; " : "", entry);
    if (!build->quiet)
        fprintf(stderr, "plymill: warning: %s: labels of more than one engine (%s)\n",
                build->directory, entry);
    return catalogue_set(build->catalogue, MIXED_KEY, list, err);
}

int label_is_mixed(struct build *build, struct error *err)
{
    char list[CATALOGUE_VALUE_MAX];
    return catalogue_get(build->catalogue, MIXED_KEY, list, err);
}

/* Is there any label of its present samples in this build, sealed or not? */
static int any_shard_label(struct build *build, struct error *err)
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

/* Or of samples that it had before? */
static int any_label(struct build *build, struct error *err)
{
    int found = any_shard_label(build, err);
    return found != 0 ? found : previous_exists(build, err);
}

/* --allow-mixed: the labels that are there stay, and the build goes on with another engine. */
static int mix_in(struct build *build, const struct fingerprint *have,
                  const struct fingerprint *taken, const char *command, struct error *err)
{
    char key[DIGEST_HEX_SIZE];
    if (label_check(build, err) < 0)
        return -1;
    if (catalogue_begin(build->catalogue, err) == 0 && label_mark_mixed(build, have, err) == 0 &&
        put_fingerprint(build, taken, command, err) == 0 &&
        build_stage_key(build, BUILD_LABEL, key, err) == 0 &&
        catalogue_set(build->catalogue, "label.begun", key, err) == 0 &&
        catalogue_commit(build->catalogue, err) == 0)
        return 0;
    catalogue_rollback(build->catalogue);
    return -1;
}

static int compare_or_save(struct build *build, const struct engine_config *config,
                           const struct fingerprint *taken, struct error *err)
{
    struct fingerprint have;
    int known = label_fingerprint(build, &have, err);
    int labels = any_label(build, err);
    if (known < 0 || labels < 0)
        return -1;
    if (!labels && (catalogue_set(build->catalogue, MIXED_KEY, NULL, err) < 0 ||
                    catalogue_forget_health(build->catalogue, err) < 0))
        return -1; /* of labels that were removed */
    if (!known || !labels || fingerprint_compare(taken, &have, err) == 0)
        return save_fingerprint(build, taken, config->command, err);
    if (build->allow_mixed)
        return mix_in(build, &have, taken, config->command, err);
    return error_prefix(err,
                        "%s: its labels were made by another engine, and would not fit "
                        "(use that engine, build into another directory, or --allow-mixed)",
                        build->directory);
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
    if (status == 0 && !labels)
        status = catalogue_set(build->catalogue, MIXED_KEY, NULL, err);
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
        bool same = !given || build->allow_mixed || (found && strcmp(command, given) == 0);
        if (found < 0 || same)
            return found < 0 ? -1 : 0;
    }
    if (label_config_from(build->settings, &config, err) < 0)
        return -1;
    struct fingerprint taken;
    int status = fingerprint_take(&config, &taken, err);
    build->signature_seconds = taken.seconds;
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

/* Are the labels there made by the recipe's keys as they are now? 1, 0, -1. */
static int same_recipe(struct build *build, struct error *err)
{
    char was[CATALOGUE_VALUE_MAX];
    struct buffer now;
    int found = catalogue_get(build->catalogue, "label.recipe", was, err);
    int status = found < 0 ? -1 : label_recipe(build, &now, err);
    if (found >= 0) {
        if (status == 0)
            status = found && strcmp(was, now.data ? now.data : "") == 0;
        buffer_free(&now);
    }
    return status;
}

/*
 * Labels are of other inputs, and those are still to be sampled: then sampling sets them aside
 * (label_keep), and they are taken where the same is asked again.
 */
static int may_set_aside(struct build *build, struct error *err)
{
    int sampled = build_stage_done(build, BUILD_SAMPLE, err);
    return sampled != 0 ? (sampled < 0 ? -1 : 0) : same_recipe(build, err);
}

/* Were the labels begun with these inputs, settings and engine? 1, 0, -1. */
static int same_begun(struct build *build, struct error *err)
{
    char begun[CATALOGUE_VALUE_MAX], key[DIGEST_HEX_SIZE];
    int found = catalogue_get(build->catalogue, "label.begun", begun, err);
    if (found < 0 || build_stage_key(build, BUILD_LABEL, key, err) < 0)
        return -1;
    return found && strcmp(begun, key) == 0;
}

int label_check(struct build *build, struct error *err)
{
    int labels = any_shard_label(build, err), before = previous_exists(build, err);
    if (labels < 0 || before < 0)
        return -1;
    int same = before ? same_recipe(build, err) : 1;
    if (same > 0 && labels) {
        same = same_begun(build, err);
        if (same > 0)
            same = same_samples(build, err);
        if (same == 0)
            same = may_set_aside(build, err);
    }
    if (same < 0)
        return -1;
    return same ? 0 : refuse_labels(build, err);
}

int label_keep(struct build *build, struct error *err)
{
    int labels = any_shard_label(build, err);
    int same = labels > 0 ? same_begun(build, err) : labels;
    if (labels <= 0 || same != 0)
        return labels < 0 || same < 0 ? -1 : 0;
    if (!build->quiet)
        fprintf(stderr,
                "plymill: %s: the games changed; labels are kept for the positions that "
                "stay\n",
                build->directory);
    return previous_set_aside(build, err);
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

/* Samples of all shards, and those whose labels are sealed. */
static int count_samples(struct build *build, const struct shard_list *list, uint64_t *done,
                         uint64_t *total, struct error *err)
{
    *done = *total = 0;
    for (size_t i = 0; i < list->count; i++) {
        char *path = build_labels_path(build, (unsigned)list->rows[i].id, err);
        if (!path)
            return -1;
        *total += (uint64_t)list->rows[i].samples;
        *done += file_exists(path) ? (uint64_t)list->rows[i].samples : 0;
        free(path);
    }
    return 0;
}

static int label_all(struct label_work *work, struct shard_list *list, struct error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        struct catalogue_shard *row = &list->rows[i];
        char *path = build_labels_path(work->build, (unsigned)row->id, err);
        if (!path)
            return -1;
        uint64_t count = (uint64_t)row->samples;
        bool sealed = file_exists(path);
        free(path);
        if (sealed ? labelshard_check(work, (unsigned)row->id, err) < 0
                   : labelshard_run(work, (unsigned)row->id, &count, err) < 0)
            return -1;
        row->labels = (int64_t)count;
    }
    return 0;
}

static int save_number(struct build *build, const char *key, uint64_t number, struct error *err)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRIu64, number);
    return catalogue_set(build->catalogue, key, text, err);
}

/* For the manifest, outside the build id: they depend on shards and on what was there before. */
static int save_savings(struct build *build, const struct label_savings *savings, struct error *err)
{
    if (save_number(build, "label.equal", savings->equal, err) < 0 ||
        save_number(build, "label.reused", savings->reused, err) < 0)
        return -1;
    return save_number(build, "label.audited", savings->audited, err);
}

static int add_savings(struct build *build, const struct shard_list *list,
                       struct label_savings *savings, struct error *err)
{
    *savings = (struct label_savings){0};
    for (size_t i = 0; i < list->count; i++)
        if (labelshard_savings(build, (unsigned)list->rows[i].id, savings, err) < 0)
            return -1;
    if (!build->quiet && savings->equal + savings->reused + savings->audited > 0)
        fprintf(stderr,
                "labels: %" PRIu64 " of equal positions, %" PRIu64 " of earlier builds, %" PRIu64
                " audited\n",
                savings->equal, savings->reused, savings->audited);
    return 0;
}

/* Of attempts that were overtaken by others. */
static int remove_rests(struct build *build, struct error *err)
{
    char *folder = build_path(build, err, "shards");
    int status = folder ? clean_rests(folder, err) : -1;
    free(folder);
    if (status == 0)
        status = previous_remove(build, err);
    return status == 0 ? ticket_remove(build, err) : -1;
}

/* All at once: a transaction a shard would cost more than its labels where shards are small. */
static int finish_stage(struct build *build, const struct shard_list *list,
                        const struct label_savings *savings, struct error *err)
{
    int status = catalogue_begin(build->catalogue, err);
    for (size_t i = 0; i < list->count && status == 0; i++) {
        const struct catalogue_shard *row = &list->rows[i];
        status = build_note_shard(build, BUILD_LABEL, (unsigned)row->id, row->labels, err);
        if (status == 0)
            status = catalogue_put_shard(build->catalogue, row, err);
    }
    if (status == 0)
        status = remove_rests(build, err);
    if (status == 0)
        status = save_savings(build, savings, err);
    if (status == 0)
        status = build_stage_finish(build, BUILD_LABEL, err);
    if (status == 0)
        status = catalogue_commit(build->catalogue, err);
    if (status < 0)
        catalogue_rollback(build->catalogue);
    return status;
}

static int run_engine(struct label_work *work, struct shard_list *list, struct error *err)
{
    struct build *build = work->build;
    struct engine_config config = {0};
    struct reuse *reuse = NULL;
    if (label_config_from(build->settings, &config, err) < 0)
        return -1;
    work->config = &config;
    work->workers = label_workers(build->settings);
    labelhealth_begin(&work->health, build, work->total - work->done, work->workers);
    audit_init(&work->audit, settings_real(build->settings, "label.audit"), &config, work->workers,
               build->stop);
    int status = reuse_open(build, work->engine, &reuse, err);
    work->reuse = reuse;
    int mixed = status == 0 ? label_is_mixed(build, err) : -1; /* reuse may have made it so */
    work->mixed = mixed > 0;
    status = mixed < 0 ? -1 : label_all(work, list, err);
    if (labelhealth_end(&work->health, work->pool, status < 0 ? NULL : err) < 0)
        status = -1;
    audit_close(&work->audit);
    pool_close(work->pool);
    reuse_close(reuse);
    label_config_free(&config);
    return status;
}

static int run_stage(struct build *build, struct shard_list *list, struct error *err)
{
    struct label_work work = {.build = build};
    struct label_savings savings;
    struct fingerprint own;
    bool engine = sampler_source_from(build->settings) == SOURCE_ENGINE;
    int mixed = label_is_mixed(build, err);
    if (mixed < 0 || (engine && label_fingerprint(build, &own, err) < 0) ||
        catalogue_each_shard(build->catalogue, collect_shard, list, err) < 0 ||
        label_check(build, err) < 0 || note_begun(build, err) < 0 ||
        count_samples(build, list, &work.done, &work.total, err) < 0)
        return -1;
    work.mixed = mixed > 0;
    work.engine = engine ? &own : NULL;
    progress_start(&work.progress, "labels", work.done, work.total, build->quiet);
    int status = engine && work.done < work.total ? run_engine(&work, list, err)
                                                  : label_all(&work, list, err);
    progress_end(&work.progress, work.done);
    if (status < 0 || add_savings(build, list, &savings, err) < 0)
        return -1;
    return finish_stage(build, list, &savings, err);
}

int label_begin(struct build *build, struct error *err)
{
    struct fingerprint own;
    bool engine = sampler_source_from(build->settings) == SOURCE_ENGINE;
    int done = build_stage_done(build, BUILD_LABEL, err);
    if (done != 0)
        return done < 0 ? -1 : 0;
    if (build_stage_forget(build, BUILD_LABEL, err) < 0 || label_check(build, err) < 0 ||
        note_begun(build, err) < 0 || (engine && label_fingerprint(build, &own, err) < 0))
        return -1;
    return ticket_write(build, engine ? &own : NULL, err);
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
