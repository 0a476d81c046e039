/* SPDX-License-Identifier: MIT */
/*
 * See reader_decode.h.
 */
#include "formats/io/reader_decode.h"

#include <string.h>
#include <zstd_errors.h>

#include "formats/io/bytes.h"

#define MAGIC_SIZE    4
#define ZSTD_MAGIC    0xFD2FB528u
#define SKIP_MAGIC    0x184D2A50u
#define SKIP_MASK     0xFFFFFFF0u
#define WINDOW_LOG    (sizeof(size_t) > 4 ? 31 : 30) /* archives made with zstd --long=31 */
#define GZIP_WINDOW   (15 + 16)                      /* zlib: a gzip header is expected */
#define GZIP_STEP_MAX (1u << 30)
#define FEED_MAX      (DECODER_ROOM + 16) /* a block with the headers around it */

static int fail_truncated(struct decoder *decoder, const struct input *input, struct error *err)
{
    decoder->truncated = true;
    return error_set(err, ERROR_FAILED, "%s: truncated at byte %llu", input->name,
                     (unsigned long long)input->taken);
}

static int fail_garbage(const struct input *input, const char *what, struct error *err)
{
    return error_set(err, ERROR_FAILED, "%s: byte %llu: no %s where one must begin", input->name,
                     (unsigned long long)input_offset(input), what);
}

static bool is_zstd_magic(uint32_t magic)
{
    return magic == ZSTD_MAGIC || (magic & SKIP_MASK) == SKIP_MAGIC;
}

/* Are these 1 to 3 last bytes of a file the begin of a frame's magic number? */
static bool is_zstd_magic_cut(const uint8_t *bytes, size_t size)
{
    static const uint8_t frame[] = {0x28, 0xB5, 0x2F}, skip[] = {0x50, 0x2A, 0x4D};
    return memcmp(bytes, frame, size) == 0 ||
           ((bytes[0] & 0xF0) == skip[0] && memcmp(bytes + 1, skip + 1, size - 1) == 0);
}

static int zstd_begin(struct decoder *decoder, struct input *input, struct error *err)
{
    if (input_need(input, MAGIC_SIZE, err) < 0)
        return -1;
    const uint8_t *bytes = input_at(input);
    size_t size = input_left(input);
    if (size == 0)
        return 0;
    if (size < MAGIC_SIZE && is_zstd_magic_cut(bytes, size))
        return fail_truncated(decoder, input, err);
    if (size < MAGIC_SIZE || !is_zstd_magic(bytes_get_u32(bytes)))
        return fail_garbage(input, "zstd frame", err);
    decoder->wanted = MAGIC_SIZE;
    return 1;
}

/* Of one fault in the bytes libzstd says now this, now that: it depends on what its buffers held.
 */
static const char *zstd_fault(size_t status)
{
    switch (ZSTD_getErrorCode(status)) {
    case ZSTD_error_checksum_wrong:
    case ZSTD_error_dictionary_wrong:
    case ZSTD_error_frameParameter_unsupported:
    case ZSTD_error_frameParameter_windowTooLarge:
    case ZSTD_error_memory_allocation:
        return ZSTD_getErrorName(status);
    default:
        return "data corruption detected";
    }
}

static ssize_t zstd_step(struct decoder *decoder, struct input *input, uint8_t *data, size_t size,
                         struct error *err)
{
    size_t feed = decoder->wanted < FEED_MAX ? decoder->wanted : FEED_MAX;
    if (input_need(input, feed, err) < 0)
        return -1;
    if (input_left(input) == 0)
        return fail_truncated(decoder, input, err);
    if (feed > input_left(input))
        feed = input_left(input);
    ZSTD_inBuffer in = {input_at(input), feed, 0};
    ZSTD_outBuffer out = {data, size, 0};
    size_t status = ZSTD_decompressStream(decoder->zstd, &out, &in);
    if (ZSTD_isError(status))
        return error_set(err, ERROR_FAILED, "%s: byte %llu: damaged zstd frame: %s", input->name,
                         (unsigned long long)input_offset(input), zstd_fault(status));
    input->begin += in.pos;
    decoder->wanted = status;
    decoder->inside = status != 0; /* 0 ends a frame, never the file */
    return (ssize_t)out.pos;
}

static int gzip_begin(struct decoder *decoder, struct input *input, struct error *err)
{
    if (input_need(input, 2, err) < 0)
        return -1;
    const uint8_t *bytes = input_at(input);
    size_t size = input_left(input);
    if (size == 0)
        return 0;
    if (size == 1 && bytes[0] == 0x1F)
        return fail_truncated(decoder, input, err);
    if (size == 1 || bytes[0] != 0x1F || bytes[1] != 0x8B)
        return fail_garbage(input, "gzip member", err);
    if (inflateReset(&decoder->gzip) != Z_OK)
        return error_set(err, ERROR_FAILED, "%s: zlib cannot start anew", input->name);
    return 1;
}

static int fail_gzip(const struct decoder *decoder, int status, const struct input *input,
                     struct error *err)
{
    if (status == Z_MEM_ERROR)
        return error_memory(err);
    return error_set(err, ERROR_FAILED, "%s: byte %llu: damaged gzip member: %s", input->name,
                     (unsigned long long)input_offset(input),
                     decoder->gzip.msg != NULL ? decoder->gzip.msg : "unknown fault");
}

/* zlib may hold output of input that it took before, and puts out what stands before a fault. */
static ssize_t gzip_step(struct decoder *decoder, struct input *input, uint8_t *data, size_t size,
                         struct error *err)
{
    z_stream *gzip = &decoder->gzip;
    size_t room = size < GZIP_STEP_MAX ? size : GZIP_STEP_MAX;
    gzip->next_in = input->bytes + input->begin;
    gzip->avail_in = (uInt)input_left(input);
    gzip->next_out = data;
    gzip->avail_out = (uInt)room;
    int status = inflate(gzip, Z_NO_FLUSH);
    input->begin = input->end - gzip->avail_in;
    size_t got = room - gzip->avail_out;
    decoder->inside = status != Z_STREAM_END;
    if (got > 0 || !decoder->inside)
        return (ssize_t)got;
    if (status != Z_OK && status != Z_BUF_ERROR)
        return fail_gzip(decoder, status, input, err);
    if (input_left(input) == 0 && input_fill(input, err) < 0)
        return -1;
    return input_left(input) == 0 ? fail_truncated(decoder, input, err) : 0;
}

static int plain_begin(const struct input *input)
{
    return input_left(input) > 0 || !input->ended;
}

/* What the detection of the kind has read is copied, all else is read where it is wanted. */
static ssize_t plain_step(struct decoder *decoder, struct input *input, uint8_t *data, size_t size,
                          struct error *err)
{
    if (input_left(input) == 0) {
        ssize_t got = input_take(input, data, err);
        decoder->inside = got > 0;
        return got;
    }
    if (size > input_left(input))
        size = input_left(input);
    memcpy(data, input_at(input), size);
    input->begin += size;
    decoder->inside = input_left(input) > 0;
    return (ssize_t)size;
}

int decoder_begin(struct decoder *decoder, struct input *input, struct error *err)
{
    int begun = decoder->kind == DECODER_ZSTD   ? zstd_begin(decoder, input, err)
                : decoder->kind == DECODER_GZIP ? gzip_begin(decoder, input, err)
                                                : plain_begin(input);
    decoder->inside = begun > 0;
    return begun;
}

ssize_t decoder_step(struct decoder *decoder, struct input *input, uint8_t *data, size_t size,
                     struct error *err)
{
    if (decoder->kind == DECODER_ZSTD)
        return zstd_step(decoder, input, data, size, err);
    if (decoder->kind == DECODER_GZIP)
        return gzip_step(decoder, input, data, size, err);
    return plain_step(decoder, input, data, size, err);
}

int decoder_detect(struct input *input, enum decoder_kind *kind, struct error *err)
{
    if (input_need(input, MAGIC_SIZE, err) < 0)
        return -1;
    const uint8_t *bytes = input_at(input);
    size_t size = input_left(input);
    *kind = DECODER_PLAIN;
    if (size >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B)
        *kind = DECODER_GZIP;
    else if (size >= MAGIC_SIZE ? is_zstd_magic(bytes_get_u32(bytes))
                                : size >= 2 && bytes[0] == 0x28 && bytes[1] == 0xB5)
        *kind = DECODER_ZSTD;
    return 0;
}

static int init_zstd(struct decoder *decoder, const char *name, struct error *err)
{
    decoder->zstd = ZSTD_createDCtx();
    if (decoder->zstd == NULL)
        return error_memory(err);
    size_t status = ZSTD_DCtx_setParameter(decoder->zstd, ZSTD_d_windowLogMax, (int)WINDOW_LOG);
    if (ZSTD_isError(status))
        return error_set(err, ERROR_FAILED, "%s: %s", name, ZSTD_getErrorName(status));
    return 0;
}

int decoder_init(struct decoder *decoder, enum decoder_kind kind, const char *name,
                 struct error *err)
{
    *decoder = (struct decoder){.kind = kind};
    if (kind == DECODER_ZSTD)
        return init_zstd(decoder, name, err);
    if (kind == DECODER_GZIP) {
        if (inflateInit2(&decoder->gzip, GZIP_WINDOW) != Z_OK)
            return error_memory(err);
        decoder->gzip_ready = true;
    }
    return 0;
}

void decoder_free(struct decoder *decoder)
{
    ZSTD_freeDCtx(decoder->zstd);
    if (decoder->gzip_ready)
        inflateEnd(&decoder->gzip);
    *decoder = (struct decoder){.kind = DECODER_PLAIN};
}

/* The window that a frame's header asks for; a frame of one segment is its own window. */
static uint64_t zstd_window(const uint8_t *frame, size_t size)
{
    if (frame[4] & 0x20) {
        unsigned long long content = ZSTD_getFrameContentSize(frame, size);
        return content < ZSTD_CONTENTSIZE_ERROR ? content : UINT64_MAX / 2;
    }
    uint64_t base = (uint64_t)1 << (10 + (frame[5] >> 3));
    return base + base / 8 * (frame[5] & 7);
}

bool decoder_peek(struct input *input, struct decoder_frame *frame)
{
    const size_t header = 18; /* the longest of a frame; no frame in use is that short */
    if (input_need(input, DECODER_ANNOUNCEMENT + header, NULL) < 0 ||
        input_left(input) < DECODER_ANNOUNCEMENT + header)
        return false;
    const uint8_t *bytes = input_at(input);
    if (bytes_get_u32(bytes) != SKIP_MAGIC || bytes_get_u32(bytes + 4) != 4 ||
        bytes_get_u32(bytes + DECODER_ANNOUNCEMENT) != ZSTD_MAGIC)
        return false;
    frame->size = bytes_get_u32(bytes + 8);
    frame->window = zstd_window(bytes + DECODER_ANNOUNCEMENT, header);
    return true;
}
