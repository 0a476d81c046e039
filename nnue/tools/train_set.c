/* SPDX-License-Identifier: MIT */
/*
 * See train_set.h. A set on disk is written through a buffer that is given back afterwards.
 */
#include "nnue/tools/train_set.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/io/fault.h"
#include "formats/io/scratch.h"
#include "nnue/tools/train_position.h"

enum { WRITE_POSITIONS = 32768 };

struct train_set {
    uint64_t count, capacity; /* positions */
    uint8_t *bytes;           /* [room][TRAIN_POSITION_SIZE] all of them, or those not yet in fd */
    uint64_t room;
    uint64_t held; /* in bytes */
    int fd;        /* -1: all are in memory */
    char *directory;
    struct digest *hash;
    uint8_t digest[DIGEST_SIZE];
};

void train_set_free(struct train_set *set)
{
    if (!set)
        return;
    if (set->fd >= 0)
        close(set->fd);
    digest_free(set->hash);
    free(set->directory);
    free(set->bytes);
    free(set);
}

int train_set_new(uint64_t capacity, const struct train_place *place, struct train_set **out,
                  struct error *err)
{
    struct train_set *set = calloc(1, sizeof *set);
    *out = NULL;
    if (!set)
        return error_memory(err);
    set->fd = -1;
    set->capacity = set->room = capacity;
    const bool on_disk = capacity > place->memory / TRAIN_POSITION_SIZE;
    if (on_disk && capacity > WRITE_POSITIONS)
        set->room = WRITE_POSITIONS;
    set->bytes = fault_malloc((set->room + 1) * TRAIN_POSITION_SIZE);
    set->hash = digest_new();
    set->directory = strdup(place->directory);
    int status = 0;
    if (!set->bytes || !set->hash || !set->directory)
        status = error_memory(err);
    else if (on_disk)
        status = scratch_open(place->directory, "train", &set->fd, err);
    if (status)
        train_set_free(set);
    else
        *out = set;
    return status;
}

static int write_out(struct train_set *set, struct error *err)
{
    const size_t size = set->held * TRAIN_POSITION_SIZE;
    digest_update(set->hash, set->bytes, size);
    set->held = 0;
    const int fault = scratch_write(set->fd, set->bytes, size);
    if (!fault)
        return 0;
    return error_system(err, fault,
                        "%s: a scratch file for %llu training positions (%d bytes each; "
                        "train.memory says how much of them is held in memory)",
                        set->directory, (unsigned long long)set->capacity, TRAIN_POSITION_SIZE);
}

int train_set_add(struct train_set *set, const struct sample *sample, struct error *err)
{
    if (set->count == set->capacity)
        return error_set(err, ERROR_FAILED, "more than %llu positions",
                         (unsigned long long)set->capacity);
    if (set->held == set->room && write_out(set, err))
        return -1;
    train_position_pack(sample, set->bytes + set->held++ * TRAIN_POSITION_SIZE);
    set->count++;
    return 0;
}

int train_set_finish(struct train_set *set, struct error *err)
{
    if (set->fd < 0) {
        digest_update(set->hash, set->bytes, set->held * TRAIN_POSITION_SIZE);
    } else {
        if (write_out(set, err))
            return -1;
        free(set->bytes);
        set->bytes = NULL;
    }
    digest_finish(set->hash, set->digest);
    return 0;
}

static int add_record(const char *path, const struct record *record, bool last_exact,
                      struct scale_cells *cells, struct train_set *set, struct error *err)
{
    struct sample sample;
    if (sample_from_record(record, last_exact, &sample, err))
        return error_prefix(err, "%s: record %llu", path, (unsigned long long)set->count + 1);
    if (cells)
        scale_cells_add(cells, record_score(record, last_exact), record->position.side,
                        record->result);
    return train_set_add(set, &sample, err);
}

int train_set_load(const char *path, bool last_exact, const struct train_place *place,
                   struct scale_cells *cells, struct train_set **out, struct error *err)
{
    struct record_reader *reader = NULL;
    struct record *record = malloc(sizeof *record);
    struct train_set *set = NULL;
    int more, result = -1;
    *out = NULL;
    if (!record) {
        error_memory(err);
        goto out;
    }
    if (record_reader_open(path, &reader, err) ||
        train_set_new(record_reader_count(reader), place, &set, err))
        goto out;
    while ((more = record_reader_next(reader, record, err)) > 0)
        if (add_record(path, record, last_exact, cells, set, err))
            goto out;
    if (more < 0 || train_set_finish(set, err))
        goto out;
    *out = set;
    set = NULL;
    result = 0;
out:
    record_reader_close(reader);
    train_set_free(set);
    free(record);
    return result;
}

uint64_t train_set_count(const struct train_set *set)
{
    return set->count;
}

uint64_t train_set_memory(const struct train_set *set)
{
    return set->fd < 0 ? set->count * TRAIN_POSITION_SIZE : 0;
}

const uint8_t *train_set_digest(const struct train_set *set)
{
    return set->digest;
}

int train_set_read(const struct train_set *set, uint64_t first, size_t count, uint8_t *to)
{
    if (set->fd >= 0)
        return scratch_read_at(set->fd, first * TRAIN_POSITION_SIZE, to,
                               count * TRAIN_POSITION_SIZE);
    memcpy(to, set->bytes + first * TRAIN_POSITION_SIZE, count * TRAIN_POSITION_SIZE);
    return 0;
}

void train_set_announce(const struct train_set *set, uint64_t first, size_t count)
{
    if (set->fd >= 0)
        (void)posix_fadvise(set->fd, (off_t)(first * TRAIN_POSITION_SIZE),
                            (off_t)(count * TRAIN_POSITION_SIZE), POSIX_FADV_WILLNEED);
}
