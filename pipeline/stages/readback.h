/* SPDX-License-Identifier: MIT */
/*
 * Reading back: is in a dataset file what was written into it? Every record is decoded and compared
 * with the one that it was made from, on all fields that the format holds.
 */
#ifndef PLYMILL_PIPELINE_STAGES_READBACK_H
#define PLYMILL_PIPELINE_STAGES_READBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/codec.h"
#include "formats/io/buffer.h"
#include "formats/io/error.h"
#include "formats/record.h"
#include "pipeline/stages/build.h"

/* Which records went into a file: one bit each, in their order, 1 = it was left out. */
struct readback_list {
    struct buffer bits;
    uint64_t count; /* records, left out or not */
};

void readback_list_init(struct readback_list *list);
void readback_list_free(struct readback_list *list);
void readback_list_clear(struct readback_list *list);
int readback_list_add(struct readback_list *list, bool left_out, struct error *err);

struct readback {
    const char *path; /* the file, under whatever name */
    const struct codec *codec;
    const struct codec_options *options; /* that it was written with */
    const struct readback_list *list;
    struct record_reader *records; /* list->count are taken; the next is the first of the list */
    const struct build *build;     /* asked for every record whether to stop; may be NULL */
};

/*
 * -1: the file cannot be read; or ERROR_DIFFERS with "path: reading back: record 12 (game, ply):
 * castling is not what was written", or that it ends early or goes on.
 */
int readback_file(const struct readback *job, struct error *err);

#endif
