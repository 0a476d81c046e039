/* SPDX-License-Identifier: MIT */
/*
 * See reader.h. Below stands one buffer of raw bytes, filled from a file or memory; above it one
 * decoder of three. Frames (zstd) and members (gzip) follow each other; only at a border between
 * them may the file end, and only there is the next magic number looked at.
 */
#include "formats/io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "formats/io/bytes.h"
#include "formats/io/fault.h"
#include "formats/io/fd.h"
#include "formats/io/file.h"

#define READER_INPUT_SIZE    (128u << 10)
#define READER_MAGIC_SIZE    4
#define READER_ZSTD_MAGIC    0xFD2FB528u
#define READER_SKIP_MAGIC    0x184D2A50u
#define READER_SKIP_MASK     0xFFFFFFF0u
#define READER_WINDOW_LOG    (sizeof(size_t) > 4 ? 31 : 30) /* archives made with zstd --long=31 */
#define READER_GZIP_WINDOW   (15 + 16)                      /* zlib: a gzip header is expected */
#define READER_GZIP_READ_MAX (1u << 30)

enum reader_kind { READER_PLAIN, READER_ZSTD, READER_GZIP };

struct reader {
    char *path;
    int fd;                /* -1: memory */
    const uint8_t *memory; /* what is left of it */
    size_t memory_left;
    uint8_t *input; /* raw bytes, [begin, end) of them not yet decoded */
    size_t begin, end;
    bool ended;         /* the file has no more bytes */
    uint64_t taken;     /* raw bytes taken from the file */
    uint64_t file_size; /* 0: unknown */
    struct digest *digest;
    enum reader_kind kind;
    bool inside;    /* a frame or member has begun and not ended */
    bool truncated; /* the file ended inside one */
    ZSTD_DCtx *zstd;
    z_stream gzip;
    bool gzip_ready;
    struct error failure; /* the first error, given again by every later read */
};

/* Raw bytes into data from the source: their number, 0 at the end, -1. */
static ssize_t source_read(struct reader *reader, uint8_t *data, size_t size)
{
    if (reader->fd >= 0)
        return fd_read_some(reader->fd, data, size);
    if (size > reader->memory_left)
        size = reader->memory_left;
    if (size > 0)
        memcpy(data, reader->memory, size);
    reader->memory += size;
    reader->memory_left -= size;
    return (ssize_t)size;
}

/* One more read into the input buffer, which is made to begin at its start. */
static int input_fill(struct reader *reader, struct error *err)
{
    size_t left = reader->end - reader->begin;
    if (left > 0 && reader->begin > 0)
        memmove(reader->input, reader->input + reader->begin, left);
    reader->begin = 0;
    reader->end = left;
    ssize_t got = source_read(reader, reader->input + left, READER_INPUT_SIZE - left);
    if (got < 0)
        return error_system(err, errno, "%s", reader->path);
    if (reader->digest != NULL)
        digest_update(reader->digest, reader->input + left, (size_t)got);
    reader->ended = got == 0;
    reader->end += (size_t)got;
    reader->taken += (uint64_t)got;
    return 0;
}

/* Reads until the buffer holds size bytes or the file ends. */
static int input_need(struct reader *reader, size_t size, struct error *err)
{
    while (reader->end - reader->begin < size && !reader->ended)
        if (input_fill(reader, err) < 0)
            return -1;
    return 0;
}

/* Where in the file the next byte to decode stands. */
static uint64_t input_offset(const struct reader *reader)
{
    return reader->taken - (reader->end - reader->begin);
}

static int fail_truncated(struct reader *reader, struct error *err)
{
    reader->truncated = true;
    return error_set(err, ERROR_FAILED, "%s: truncated at byte %llu", reader->path,
                     (unsigned long long)reader->taken);
}

static int fail_garbage(struct reader *reader, const char *what, struct error *err)
{
    return error_set(err, ERROR_FAILED, "%s: byte %llu: no %s where one must begin", reader->path,
                     (unsigned long long)input_offset(reader), what);
}

static bool is_zstd_magic(uint32_t magic)
{
    return magic == READER_ZSTD_MAGIC || (magic & READER_SKIP_MASK) == READER_SKIP_MAGIC;
}

/* Are these 1 to 3 last bytes of a file the begin of a frame's magic number? */
static bool is_zstd_magic_cut(const uint8_t *bytes, size_t size)
{
    static const uint8_t frame[] = {0x28, 0xB5, 0x2F}, skip[] = {0x50, 0x2A, 0x4D};
    return memcmp(bytes, frame, size) == 0 ||
           ((bytes[0] & 0xF0) == skip[0] && memcmp(bytes + 1, skip + 1, size - 1) == 0);
}

/* At a border between zstd frames: 1 when a frame begins, 0 at the end of the file, -1. */
static int zstd_begin_frame(struct reader *reader, struct error *err)
{
    if (input_need(reader, READER_MAGIC_SIZE, err) < 0)
        return -1;
    const uint8_t *bytes = reader->input + reader->begin;
    size_t size = reader->end - reader->begin;
    if (size == 0)
        return 0;
    if (size < READER_MAGIC_SIZE && is_zstd_magic_cut(bytes, size))
        return fail_truncated(reader, err);
    if (size < READER_MAGIC_SIZE || !is_zstd_magic(bytes_get_u32(bytes)))
        return fail_garbage(reader, "zstd frame", err);
    reader->inside = true;
    return 1;
}

/* One step of decoding inside a frame: bytes put out (0 is possible), -1 on an error. */
static ssize_t zstd_step(struct reader *reader, void *data, size_t size, struct error *err)
{
    ZSTD_inBuffer in = {reader->input + reader->begin, reader->end - reader->begin, 0};
    ZSTD_outBuffer out = {data, size, 0};
    size_t status = ZSTD_decompressStream(reader->zstd, &out, &in);
    reader->begin += in.pos;
    if (ZSTD_isError(status))
        return error_set(err, ERROR_FAILED, "%s: byte %llu: damaged zstd frame: %s", reader->path,
                         (unsigned long long)input_offset(reader), ZSTD_getErrorName(status));
    if (status == 0)
        reader->inside = false; /* the end of a frame, never of the file */
    return (ssize_t)out.pos;
}

/* The same two for gzip members. */
static int gzip_begin_member(struct reader *reader, struct error *err)
{
    if (input_need(reader, 2, err) < 0)
        return -1;
    const uint8_t *bytes = reader->input + reader->begin;
    size_t size = reader->end - reader->begin;
    if (size == 0)
        return 0;
    if (size == 1 && bytes[0] == 0x1F)
        return fail_truncated(reader, err);
    if (size == 1 || bytes[0] != 0x1F || bytes[1] != 0x8B)
        return fail_garbage(reader, "gzip member", err);
    if (inflateReset(&reader->gzip) != Z_OK)
        return error_set(err, ERROR_FAILED, "%s: zlib cannot start anew", reader->path);
    reader->inside = true;
    return 1;
}

static ssize_t gzip_step(struct reader *reader, void *data, size_t size, struct error *err)
{
    z_stream *gzip = &reader->gzip;
    size_t out = size < READER_GZIP_READ_MAX ? size : READER_GZIP_READ_MAX;
    gzip->next_in = reader->input + reader->begin;
    gzip->avail_in = (uInt)(reader->end - reader->begin);
    gzip->next_out = data;
    gzip->avail_out = (uInt)out;
    int status = inflate(gzip, Z_NO_FLUSH);
    reader->begin = reader->end - gzip->avail_in;
    if (status == Z_MEM_ERROR)
        return error_memory(err);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        return error_set(err, ERROR_FAILED, "%s: byte %llu: damaged gzip member: %s", reader->path,
                         (unsigned long long)input_offset(reader),
                         gzip->msg != NULL ? gzip->msg : "unknown fault");
    if (status == Z_STREAM_END)
        reader->inside = false;
    return (ssize_t)(out - gzip->avail_out);
}

/*
 * Decodes until at least one byte came out. Inside a frame a step comes before the end of the file
 * is looked at: the decoder may still hold output of input that was taken before.
 */
static ssize_t packed_read(struct reader *reader, void *data, size_t size, struct error *err)
{
    bool zstd = reader->kind == READER_ZSTD;
    for (;;) {
        if (!reader->inside) {
            int begun = (zstd ? zstd_begin_frame : gzip_begin_member)(reader, err);
            if (begun <= 0)
                return begun;
        }
        ssize_t got = (zstd ? zstd_step : gzip_step)(reader, data, size, err);
        if (got != 0)
            return got;
        if (!reader->inside || reader->begin < reader->end)
            continue;
        if (input_fill(reader, err) < 0)
            return -1;
        if (reader->ended)
            return fail_truncated(reader, err);
    }
}

static ssize_t plain_read(struct reader *reader, void *data, size_t size, struct error *err)
{
    if (reader->begin == reader->end && !reader->ended && input_fill(reader, err) < 0)
        return -1;
    size_t left = reader->end - reader->begin;
    if (size > left)
        size = left;
    if (size > 0)
        memcpy(data, reader->input + reader->begin, size);
    reader->begin += size;
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
    ssize_t got = (reader->kind == READER_PLAIN ? plain_read : packed_read)(reader, data, size,
                                                                            &reader->failure);
    if (got < 0 && err != NULL)
        *err = reader->failure;
    return got;
}

static int start_zstd(struct reader *reader, struct error *err)
{
    reader->zstd = ZSTD_createDCtx();
    if (reader->zstd == NULL)
        return error_memory(err);
    size_t status =
        ZSTD_DCtx_setParameter(reader->zstd, ZSTD_d_windowLogMax, (int)READER_WINDOW_LOG);
    if (ZSTD_isError(status))
        return error_set(err, ERROR_FAILED, "%s: %s", reader->path, ZSTD_getErrorName(status));
    return 0;
}

static int start_gzip(struct reader *reader, struct error *err)
{
    if (inflateInit2(&reader->gzip, READER_GZIP_WINDOW) != Z_OK)
        return error_memory(err);
    reader->gzip_ready = true;
    return 0;
}

/* Tells the kind by the first bytes. A file of 2 or 3 bytes may be the begin of an archive. */
static int reader_detect(struct reader *reader, struct error *err)
{
    if (input_need(reader, READER_MAGIC_SIZE, err) < 0)
        return -1;
    const uint8_t *bytes = reader->input;
    size_t size = reader->end;
    if (size >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B)
        reader->kind = READER_GZIP;
    else if (size >= READER_MAGIC_SIZE ? is_zstd_magic(bytes_get_u32(bytes))
                                       : size >= 2 && bytes[0] == 0x28 && bytes[1] == 0xB5)
        reader->kind = READER_ZSTD;
    if (reader->kind == READER_ZSTD)
        return start_zstd(reader, err);
    return reader->kind == READER_GZIP ? start_gzip(reader, err) : 0;
}

static struct reader *reader_allocate(const char *path, struct error *err)
{
    struct reader *reader = fault_malloc(sizeof *reader);
    if (reader == NULL) {
        error_memory(err);
        return NULL;
    }
    *reader = (struct reader){.fd = -1};
    reader->path = file_name_format(err, "%s", path);
    reader->input = fault_malloc(READER_INPUT_SIZE);
    if (reader->path != NULL && reader->input != NULL)
        return reader;
    error_memory(err);
    reader_close(reader);
    return NULL;
}

static int open_descriptor(struct reader *reader, const char *path, struct error *err)
{
    reader->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (reader->fd < 0 || fstat(reader->fd, &status) < 0)
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
    if (with_digest && (made->digest = digest_new()) == NULL) {
        error_memory(err);
        goto fail;
    }
    if (reader_detect(made, err) < 0)
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
    made->memory = data;
    made->memory_left = size;
    made->file_size = size;
    if (reader_detect(made, err) < 0) {
        reader_close(made);
        return -1;
    }
    *reader = made;
    return 0;
}

bool reader_truncated(const struct reader *reader)
{
    return reader->truncated;
}

uint64_t reader_position(const struct reader *reader)
{
    return reader->taken;
}

uint64_t reader_file_size(const struct reader *reader)
{
    return reader->file_size;
}

int reader_digest(struct reader *reader, char hex[DIGEST_HEX_SIZE], uint64_t *bytes,
                  struct error *err)
{
    if (reader->digest == NULL)
        return error_set(err, ERROR_FAILED, "%s: read without a digest", reader->path);
    /* Whatever was not read is hashed too: the digest is of the file, not of what was used. */
    while (!reader->ended) {
        reader->begin = reader->end = 0;
        if (input_fill(reader, err) < 0)
            return -1;
    }
    uint8_t binary[DIGEST_SIZE];
    digest_finish(reader->digest, binary);
    digest_free(reader->digest);
    reader->digest = NULL;
    digest_to_hex(binary, DIGEST_SIZE, hex);
    if (bytes != NULL)
        *bytes = reader->taken;
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
    if (reader->fd > STDIN_FILENO)
        close(reader->fd);
    if (reader->gzip_ready)
        inflateEnd(&reader->gzip);
    ZSTD_freeDCtx(reader->zstd);
    digest_free(reader->digest);
    free(reader->input);
    free(reader->path);
    free(reader);
}
