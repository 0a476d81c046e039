/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/reuse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/io/bytes.h"
#include "formats/io/extsort.h"
#include "formats/io/file.h"
#include "labeler/store.h"
#include "pipeline/stages/label.h"
#include "pipeline/stages/previous.h"

#define DATA_SIZE   34
#define RECORD_SIZE (LABELKEY_SIZE + DATA_SIZE)
#define SORT_MEMORY (64u << 20)

struct reuse {
    uint8_t *records; /* mapped; NULL when there are none */
    size_t count;
};

static void pack(const struct label *label, uint8_t out[DATA_SIZE])
{
    out[0] = label->bound;
    out[1] = label->limit_kind;
    bytes_put_u16(out + 2, label->best_move);
    bytes_put_u16(out + 4, label->depth);
    bytes_put_u16(out + 6, label->exact_depth);
    out[8] = label->final.kind;
    bytes_put_u32(out + 9, (uint32_t)label->final.value);
    out[13] = label->exact.kind;
    bytes_put_u32(out + 14, (uint32_t)label->exact.value);
    bytes_put_u64(out + 18, label->nodes);
    bytes_put_u64(out + 26, label->limit);
}

static void unpack(const uint8_t in[DATA_SIZE], struct label *label)
{
    *label = (struct label){.status = LABEL_OK,
                            .bound = in[0],
                            .limit_kind = in[1],
                            .best_move = bytes_get_u16(in + 2),
                            .depth = bytes_get_u16(in + 4),
                            .exact_depth = bytes_get_u16(in + 6),
                            .final = {in[8], (int32_t)bytes_get_u32(in + 9)},
                            .exact = {in[13], (int32_t)bytes_get_u32(in + 14)},
                            .nodes = bytes_get_u64(in + 18),
                            .limit = bytes_get_u64(in + 26)};
}

/* One earlier build, and where its labels go. */
struct source {
    struct build *own, *build;
    struct extsort *sorter;
};

static int add_label(struct source *source, const struct store_sample *sample, int split,
                     const struct label *label, struct error *err)
{
    uint8_t key[LABELKEY_SIZE], data[DATA_SIZE];
    struct pool_job job;
    label_job(source->build->settings, &sample->position, split, 0, &job);
    job.limit_kind = label->limit_kind;
    job.limit = label->limit;
    labelkey_of(&job, key);
    pack(label, data);
    const struct extsort_item item = {key, data, sizeof key, sizeof data};
    return extsort_add(source->sorter, &item, err);
}

/* Both files hold the same ids in the same order. */
static int add_labels(struct source *source, struct store_samples *samples,
                      struct store_labels *labels, struct error *err)
{
    struct store_sample sample;
    struct store_game game;
    struct label label;
    int64_t id;
    int status;
    while ((status = store_samples_next(samples, &sample, &game, err)) == 1) {
        status = store_labels_next(labels, &id, &label, NULL, err);
        if (status == 1 && id != sample.id)
            status = error_set(err, ERROR_FAILED, "samples and labels do not belong together");
        if (status <= 0)
            break;
        if (label.status == LABEL_OK && label.limit_kind != LIMIT_NONE &&
            add_label(source, &sample, game.split, &label, err) < 0)
            return -1;
    }
    return status < 0 ? -1 : 0;
}

static int add_shard(void *context, const struct catalogue_shard *shard, struct error *err)
{
    struct source *source = context;
    struct store_samples *samples = NULL;
    struct store_labels *labels = NULL;
    char *samples_path = build_samples_path(source->build, (unsigned)shard->id, err);
    char *labels_path = build_labels_path(source->build, (unsigned)shard->id, err);
    int status = samples_path && labels_path ? 0 : -1;
    if (status == 0 && file_exists(labels_path)) {
        status = store_samples_open(samples_path, &samples, err);
        if (status == 0)
            status = store_labels_open(labels_path, &labels, err);
        if (status == 0)
            status = add_labels(source, samples, labels, err);
    }
    store_samples_close(samples);
    store_labels_close(labels);
    free(samples_path);
    free(labels_path);
    return status < 0 ? error_prefix(err, "shard %u", (unsigned)shard->id) : 0;
}

/* May labels of this build be taken? */
static int check_source(const struct source *source, const struct fingerprint *own,
                        struct error *err)
{
    struct fingerprint theirs;
    bool allowed = source->own->allow_mixed;
    int known = label_fingerprint(source->build, &theirs, err);
    if (known <= 0)
        return known < 0 ? -1 : error_set(err, ERROR_FAILED, "holds no labels of an engine");
    int mixed = label_is_mixed(source->build, err);
    if (mixed < 0)
        return -1;
    if (mixed && !allowed)
        return error_set(err, ERROR_FAILED,
                         "holds labels of several engines (--allow-mixed takes them)");
    if (fingerprint_compare(&theirs, own, err) < 0 && !allowed)
        return error_prefix(err,
                            "its labels were made by another engine (--allow-mixed takes them)");
    bool foreign = mixed || fingerprint_compare(&theirs, own, NULL) < 0;
    return foreign ? label_mark_mixed(source->own, &theirs, err) : 0;
}

/* Labels of a shard that was not complete: those that there are. */
static int add_unfinished(struct source *source, struct store_samples *samples,
                          struct store_labels *labels, struct error *err)
{
    struct store_sample sample;
    struct store_game game;
    struct label label;
    int status;
    while ((status = store_samples_next(samples, &sample, &game, err)) == 1) {
        int found = store_labels_get(labels, sample.id, &label, NULL, err);
        if (found < 0 || (found && label.status == LABEL_OK && label.limit_kind != LIMIT_NONE &&
                          add_label(source, &sample, game.split, &label, err) < 0))
            return -1;
    }
    return status;
}

static int add_pair(struct source *source, const char *samples_path, const char *labels_path,
                    const char *work, struct error *err)
{
    struct store_samples *samples = NULL;
    struct store_labels *labels = NULL;
    bool sealed = file_exists(labels_path);
    if (!file_exists(samples_path) || (!sealed && !file_exists(work)))
        return 0;
    int status = store_samples_open(samples_path, &samples, err);
    if (status == 0)
        status = sealed ? store_labels_open(labels_path, &labels, err)
                        : store_labels_continue(labels_path, &labels, err);
    if (status == 0)
        status = sealed ? add_labels(source, samples, labels, err)
                        : add_unfinished(source, samples, labels, err);
    store_samples_close(samples);
    store_labels_close(labels);
    return status;
}

/* A folder of shards that was set aside. */
static int add_previous(void *context, const char *folder, struct error *err)
{
    struct source *source = context;
    int status = 0;
    for (unsigned shard = 0; shard < source->build->shards && status == 0; shard++) {
        char *samples = file_name_format(err, "%s/%04u.samples.db", folder, shard);
        char *labels = file_name_format(err, "%s/%04u.labels.db", folder, shard);
        char *work = labels ? file_name_format(err, "%s" STORE_WORK_SUFFIX, labels) : NULL;
        status = samples && work ? add_pair(source, samples, labels, work, err) : -1;
        free(samples);
        free(labels);
        free(work);
    }
    return status;
}

static int add_build(struct build *build, const char *directory, const struct fingerprint *own,
                     struct extsort *sorter, struct error *err)
{
    struct source source = {.own = build, .sorter = sorter};
    struct settings *settings = settings_new();
    if (!settings)
        return error_memory(err);
    if (build_open(directory, BUILD_LOOK, settings, &source.build, err) < 0) {
        settings_free(settings);
        return error_prefix(err, "label.reuse");
    }
    int status = check_source(&source, own, err);
    if (status == 0)
        status = catalogue_each_shard(source.build->catalogue, add_shard, &source, err);
    build_close(source.build);
    return status < 0 ? error_prefix(err, "label.reuse: %s", directory) : 0;
}

/* Of equal questions the first label, which the data of the sort decides. */
static int write_sorted(struct extsort *sorter, struct atomic_file *file, size_t *count,
                        struct error *err)
{
    struct extsort_item item;
    uint8_t record[RECORD_SIZE] = {0};
    int status = extsort_finish(sorter, err);
    *count = 0;
    while (status == 0 && (status = extsort_next(sorter, &item, err)) == 1) {
        status = 0;
        if (*count > 0 && memcmp(record, item.key, LABELKEY_SIZE) == 0)
            continue;
        memcpy(record, item.key, LABELKEY_SIZE);
        memcpy(record + LABELKEY_SIZE, item.data, DATA_SIZE);
        status = atomic_file_write(file, record, sizeof record, err);
        ++*count;
    }
    return status < 0 ? -1 : 0;
}

static int map_records(struct reuse *reuse, const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_system(err, errno, "%s", path);
    void *records = mmap(NULL, reuse->count * RECORD_SIZE, PROT_READ, MAP_PRIVATE, fd, 0);
    int fault = errno;
    close(fd);
    if (records == MAP_FAILED)
        return error_system(err, fault, "%s", path);
    reuse->records = records;
    return 0;
}

/* The index needs no name once it is mapped, and must not survive. */
static int make_index(struct reuse *reuse, const struct build *build, struct extsort *sorter,
                      struct error *err)
{
    struct atomic_file *file = NULL;
    char *path = build_path(build, err, "shards/reuse.index");
    int status = path ? atomic_file_create(path, &file, err) : -1;
    if (status == 0)
        status = write_sorted(sorter, file, &reuse->count, err);
    if (status == 0)
        status = atomic_file_sync(file, err);
    if (status == 0 && reuse->count > 0)
        status = map_records(reuse, atomic_file_path(file), err);
    atomic_file_discard(file);
    free(path);
    return status;
}

int reuse_open(struct build *build, const struct fingerprint *own, struct reuse **out,
               struct error *err)
{
    size_t builds = settings_count(build->settings, "label.reuse");
    int previous = previous_exists(build, err);
    *out = NULL;
    if (previous < 0 || (builds == 0 && !previous))
        return previous < 0 ? -1 : 0;
    char *folder = build_path(build, err, "shards");
    struct reuse *reuse = calloc(1, sizeof *reuse);
    struct extsort *sorter = NULL;
    int status = -1;
    if (folder && !reuse)
        error_memory(err);
    else if (folder)
        status = extsort_new(folder, SORT_MEMORY, &sorter, err);
    for (size_t i = 0; i < builds && status == 0; i++)
        status =
            add_build(build, settings_item(build->settings, "label.reuse", i), own, sorter, err);
    struct source own_labels = {.own = build, .build = build, .sorter = sorter};
    if (status == 0)
        status = previous_each(build, add_previous, &own_labels, err);
    if (status == 0)
        status = make_index(reuse, build, sorter, err);
    extsort_free(sorter);
    free(folder);
    if (status == 0)
        *out = reuse;
    else
        reuse_close(reuse);
    return status;
}

void reuse_close(struct reuse *reuse)
{
    if (!reuse)
        return;
    if (reuse->records)
        munmap(reuse->records, reuse->count * RECORD_SIZE);
    free(reuse);
}

int reuse_find(const struct reuse *reuse, const uint8_t key[LABELKEY_SIZE], struct label *label)
{
    size_t low = 0, high = reuse ? reuse->count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const uint8_t *record = reuse->records + middle * RECORD_SIZE;
        int order = memcmp(record, key, LABELKEY_SIZE);
        if (order == 0) {
            unpack(record + LABELKEY_SIZE, label);
            return 1;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}
