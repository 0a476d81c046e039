/* SPDX-License-Identifier: MIT */
/*
 * See codec_source.h. The window [at, at + left) lies in a block of our own that is filled from the
 * reader, or straight in the memory that was given.
 */
#include "formats/codec_source.h"

#include <stdlib.h>
#include <string.h>

#include "formats/io/fault.h"

#define SOURCE_BLOCK_SIZE (256u << 10)

struct codec_source {
    struct reader *reader; /* owned; NULL: memory */
    uint8_t *block;        /* owned */
    size_t capacity;
    const uint8_t *at;
    size_t left;
    uint64_t taken, mark;
    uint64_t lines, mark_line; /* lines taken; lines taken before the mark */
    bool ended, failed, line_ended;
};

int codec_source_open(struct reader *reader, struct codec_source **source, struct error *err)
{
    struct codec_source *made = fault_malloc(sizeof *made);
    uint8_t *block = fault_malloc(SOURCE_BLOCK_SIZE);
    *source = NULL;
    if (made == NULL || block == NULL) {
        free(made);
        free(block);
        reader_close(reader);
        return error_memory(err);
    }
    *made = (struct codec_source){
        .reader = reader, .block = block, .capacity = SOURCE_BLOCK_SIZE, .at = block};
    *source = made;
    return 0;
}

int codec_source_open_memory(const void *data, size_t size, struct codec_source **source,
                             struct error *err)
{
    struct codec_source *made = fault_malloc(sizeof *made);
    *source = NULL;
    if (made == NULL)
        return error_memory(err);
    *made = (struct codec_source){.at = data, .left = size, .ended = true};
    *source = made;
    return 0;
}

void codec_source_close(struct codec_source *source)
{
    if (source == NULL)
        return;
    if (source->reader != NULL)
        reader_close(source->reader);
    free(source->block);
    free(source);
}

/* Room for want bytes at the front of the block, what is left moved there. */
static int make_room(struct codec_source *source, size_t want, struct error *err)
{
    size_t capacity = source->capacity;
    if (source->left > 0)
        memmove(source->block, source->at, source->left);
    source->at = source->block;
    while (capacity < want)
        capacity *= 2;
    if (capacity == source->capacity)
        return 0;
    uint8_t *block = fault_realloc(source->block, capacity);
    if (block == NULL)
        return error_memory(err);
    source->block = block;
    source->capacity = capacity;
    source->at = block;
    return 0;
}

static int fill(struct codec_source *source, size_t want, struct error *err)
{
    if (want > CODEC_SOURCE_MAX)
        return error_set(err, ERROR_FAILED, "over %u bytes at once", CODEC_SOURCE_MAX);
    if (source->ended)
        return 0;
    if (make_room(source, want, err) < 0)
        return -1;
    while (source->left < want) {
        ssize_t got = reader_read(source->reader, source->block + source->left,
                                  source->capacity - source->left, err);
        if (got < 0) {
            source->failed = true;
            return -1;
        }
        if (got == 0) {
            source->ended = true;
            return 0;
        }
        source->left += (size_t)got;
    }
    return 0;
}

ssize_t codec_source_peek(struct codec_source *source, size_t want, const uint8_t **data,
                          struct error *err)
{
    if (source->left < want && fill(source, want, err) < 0)
        return -1;
    *data = source->at;
    return (ssize_t)source->left;
}

void codec_source_take(struct codec_source *source, size_t n)
{
    source->at += n;
    source->left -= n;
    source->taken += n;
}

uint64_t codec_source_offset(const struct codec_source *source)
{
    return source->taken;
}

/* The bytes in front of the next LF, or what is left of the input when *ended is false. */
static int find_line_end(struct codec_source *source, size_t *size, bool *ended, struct error *err)
{
    for (size_t scanned = 0;;) {
        const uint8_t *data;
        ssize_t got = codec_source_peek(source, scanned + 1, &data, err);
        if (got < 0)
            return -1;
        size_t fresh = (size_t)got - scanned;
        const uint8_t *end = fresh > 0 ? memchr(data + scanned, '\n', fresh) : NULL;
        *ended = end != NULL;
        *size = *ended ? (size_t)(end - data) : (size_t)got;
        if (*ended || fresh == 0 || *size > CODEC_SOURCE_LINE_MAX + 1)
            return 0;
        scanned = (size_t)got;
    }
}

int codec_source_line(struct codec_source *source, struct text_span *line, struct error *err)
{
    size_t size;
    bool ended;
    if (find_line_end(source, &size, &ended, err) < 0)
        return -1;
    if (size == 0 && !ended)
        return 0;
    *line = (struct text_span){(const char *)source->at, size};
    if (ended && size > 0 && line->text[size - 1] == '\r')
        line->size--;
    if (line->size > CODEC_SOURCE_LINE_MAX)
        return error_set(err, ERROR_FAILED, "a line of over %u bytes", CODEC_SOURCE_LINE_MAX);
    codec_source_take(source, size + ended);
    source->lines++;
    source->line_ended = ended;
    return 1;
}

bool codec_source_line_ended(const struct codec_source *source)
{
    return source->line_ended;
}

void codec_source_mark(struct codec_source *source, uint64_t offset)
{
    source->mark = offset;
    source->mark_line = source->lines;
}

uint64_t codec_source_marked(const struct codec_source *source)
{
    return source->mark;
}

uint64_t codec_source_marked_line(const struct codec_source *source)
{
    return source->lines > 0 ? source->mark_line + 1 : 0;
}

bool codec_source_failed(const struct codec_source *source)
{
    return source->failed;
}

const struct reader *codec_source_reader(const struct codec_source *source)
{
    return source->reader;
}
