/* SPDX-License-Identifier: MIT */
/*
 * See reader.h. Here the parts meet: raw bytes (reader_input.h), the decoder (reader_decode.h), and
 * threads that run it ahead (reader_ahead.h).
 */
#include "formats/io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/io/fault.h"
#include "formats/io/file.h"
#include "formats/io/reader_ahead.h"
#include "formats/io/reader_decode.h"
#include "formats/io/reader_input.h"

struct reader {
    char *path;
    uint64_t file_size; /* 0: unknown */
    struct input input;
    struct decoder decoder; /* where no thread decodes */
    struct ahead *ahead;    /* the threads, or NULL */
    uint8_t *text;          /* decoded for reads that are too small to decode into */
    size_t text_at, text_end;
    const struct reader_span *spans; /* instead of all that: text, then the rest */
    size_t span_count, span_used;    /* spans not yet read to the end, bytes of the first */
    struct reader *rest;
    bool truncated;
    struct error failure; /* the first error, given again by every later read */
};

/* Decodes until at least one byte came out: their number, 0 at the end, -1 on an error. */
static ssize_t decode(struct reader *reader, uint8_t *data, size_t size, struct error *err)
{
    struct decoder *decoder = &reader->decoder;
    for (;;) {
        if (!decoder->inside) {
            int begun = decoder_begin(decoder, &reader->input, err);
            if (begun <= 0)
                return begun;
        }
        ssize_t got = decoder_step(decoder, &reader->input, data, size, err);
        if (got != 0)
            return got;
    }
}

static ssize_t read_here(struct reader *reader, void *data, size_t size, struct error *err)
{
    if (reader->text_at == reader->text_end) {
        if (size >= DECODER_ROOM)
            return decode(reader, data, size, err);
        ssize_t got = decode(reader, reader->text, DECODER_ROOM, err);
        if (got <= 0)
            return got;
        reader->text_at = 0;
        reader->text_end = (size_t)got;
    }
    if (size > reader->text_end - reader->text_at)
        size = reader->text_end - reader->text_at;
    memcpy(data, reader->text + reader->text_at, size);
    reader->text_at += size;
    return (ssize_t)size;
}

static ssize_t read_spans(struct reader *reader, void *data, size_t size, struct error *err)
{
    while (reader->span_count > 0 && reader->span_used == reader->spans->size) {
        reader->spans++;
        reader->span_count--;
        reader->span_used = 0;
    }
    if (reader->span_count == 0 && reader->rest != NULL)
        return reader_read(reader->rest, data, size, err);
    if (reader->span_count == 0)
        return error_set(err, ERROR_FAILED, "%s: more text is needed", reader->path);
    if (size > reader->spans->size - reader->span_used)
        size = reader->spans->size - reader->span_used;
    memcpy(data, (const char *)reader->spans->data + reader->span_used, size);
    reader->span_used += size;
    return (ssize_t)size;
}

ssize_t reader_read(struct reader *reader, void *data, size_t size, struct error *err)
{
    if (reader->failure.code != 0) {
        if (err != NULL)
            *err = reader->failure;
        return -1;
    }
    if (size == 0)
        return 0;
    if (size > SSIZE_MAX)
        size = SSIZE_MAX;
    ssize_t got = reader->spans != NULL   ? read_spans(reader, data, size, &reader->failure)
                  : reader->ahead != NULL ? ahead_read(reader->ahead, data, size, &reader->failure)
                                          : read_here(reader, data, size, &reader->failure);
    if (got < 0 && err != NULL)
        *err = reader->failure;
    return got;
}

void reader_watch(struct reader *reader, const volatile sig_atomic_t *stop)
{
    reader->input.stop = stop;
}

int reader_set_threads(struct reader *reader, unsigned threads, struct error *err)
{
    if (threads < 2 || reader->ahead != NULL || reader->spans != NULL)
        return 0;
    return ahead_start(&reader->input, reader->decoder.kind, threads - 1, &reader->ahead, err);
}

static struct reader *reader_allocate(const char *path, struct error *err)
{
    struct reader *reader = fault_malloc(sizeof *reader);
    if (reader == NULL) {
        error_memory(err);
        return NULL;
    }
    memset(reader, 0, sizeof *reader);
    reader->path = file_name_format(err, "%s", path);
    input_init(&reader->input, reader->path);
    reader->text = fault_malloc(DECODER_ROOM);
    if (reader->path != NULL && reader->text != NULL)
        return reader;
    error_memory(err);
    reader_close(reader);
    return NULL;
}

static int start_decoder(struct reader *reader, struct error *err)
{
    enum decoder_kind kind;
    if (decoder_detect(&reader->input, &kind, err) < 0)
        return -1;
    return decoder_init(&reader->decoder, kind, reader->path, err);
}

static int open_descriptor(struct reader *reader, const char *path, struct error *err)
{
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    reader->input.fd = fd;
    if (fd < 0 || fstat(fd, &status) < 0)
        return error_system(err, errno, "%s", reader->path);
    if (S_ISDIR(status.st_mode))
        return error_system(err, EISDIR, "%s", reader->path);
    if (S_ISREG(status.st_mode))
        reader->file_size = (uint64_t)status.st_size;
    return 0;
}

int reader_open(const char *path, bool with_digest, struct reader **reader, struct error *err)
{
    *reader = NULL;
    struct reader *made = reader_allocate(strcmp(path, "-") == 0 ? "standard input" : path, err);
    if (made == NULL)
        return -1;
    if (open_descriptor(made, path, err) < 0)
        goto fail;
    if (with_digest && (made->input.digest = digest_new()) == NULL) {
        error_memory(err);
        goto fail;
    }
    if (start_decoder(made, err) < 0)
        goto fail;
    *reader = made;
    return 0;
fail:
    reader_close(made);
    return -1;
}

int reader_open_memory(const void *data, size_t size, struct reader **reader, struct error *err)
{
    *reader = NULL;
    struct reader *made = reader_allocate("memory", err);
    if (made == NULL)
        return -1;
    made->input.memory = data;
    made->input.memory_left = size;
    made->file_size = size;
    if (start_decoder(made, err) < 0) {
        reader_close(made);
        return -1;
    }
    *reader = made;
    return 0;
}

int reader_open_spans(const struct reader_span *spans, size_t count, struct reader *rest,
                      struct reader **reader, struct error *err)
{
    *reader = reader_allocate(rest != NULL ? rest->path : "memory", err);
    if (*reader == NULL)
        return -1;
    (*reader)->spans = spans;
    (*reader)->span_count = count;
    (*reader)->rest = rest;
    return 0;
}

static void stop_threads(struct reader *reader)
{
    if (reader->ahead == NULL)
        return;
    reader->truncated = ahead_truncated(reader->ahead);
    ahead_stop(reader->ahead);
    reader->ahead = NULL;
}

bool reader_truncated(const struct reader *reader)
{
    return reader->truncated || reader->decoder.truncated ||
           (reader->ahead != NULL && ahead_truncated(reader->ahead));
}

uint64_t reader_position(const struct reader *reader)
{
    if (reader->spans != NULL)
        return reader->rest != NULL ? reader_position(reader->rest) : 0;
    return reader->ahead != NULL ? ahead_position(reader->ahead) : reader->input.taken;
}

uint64_t reader_file_size(const struct reader *reader)
{
    return reader->file_size;
}

int reader_digest(struct reader *reader, char hex[DIGEST_HEX_SIZE], uint64_t *bytes,
                  struct error *err)
{
    struct input *input = &reader->input;
    stop_threads(reader);
    if (input->digest == NULL)
        return error_set(err, ERROR_FAILED, "%s: read without a digest", reader->path);
    /* Whatever was not read is hashed too: the digest is of the file, not of what was used. */
    while (!input->ended) {
        input->begin = input->end = 0;
        if (input_fill(input, err) < 0)
            return -1;
    }
    uint8_t binary[DIGEST_SIZE];
    digest_finish(input->digest, binary);
    digest_free(input->digest);
    input->digest = NULL;
    digest_to_hex(binary, DIGEST_SIZE, hex);
    if (bytes != NULL)
        *bytes = input->taken;
    return 0;
}

const char *reader_path(const struct reader *reader)
{
    return reader->path;
}

void reader_close(struct reader *reader)
{
    if (reader == NULL)
        return;
    stop_threads(reader);
    if (reader->input.fd > STDIN_FILENO)
        close(reader->input.fd);
    decoder_free(&reader->decoder);
    input_free(&reader->input);
    free(reader->text);
    free(reader->path);
    free(reader);
}
