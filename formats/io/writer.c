/* SPDX-License-Identifier: MIT */
/*
 * See writer.h. Content is gathered in a block before it is hashed and compressed: small writes
 * cost little, and the bytes of an archive do not depend on how its content was cut into calls.
 */
#include "formats/io/writer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "formats/io/fault.h"
#include "formats/io/fd.h"
#include "formats/io/file.h"

#define WRITER_BLOCK_SIZE (128u << 10)

struct writer {
    struct atomic_file *file; /* NULL: standard output */
    uint8_t *block;           /* content not yet hashed and written */
    size_t block_used;
    struct digest *content;
    struct digest *stored; /* NULL where the file holds the content as it is */
    ZSTD_CCtx *zstd;       /* NULL: plain */
    uint8_t *packed;       /* room for compressed bytes */
    size_t packed_size;
    uint64_t content_bytes, file_bytes;
    bool failed; /* something could not be written: never publish */
};

static int store(struct writer *writer, const void *data, size_t size, struct error *err)
{
    if (writer->stored != NULL)
        digest_update(writer->stored, data, size);
    writer->file_bytes += size;
    if (writer->file != NULL)
        return atomic_file_write(writer->file, data, size, err);
    if (fd_write_all(STDOUT_FILENO, data, size) < 0)
        return error_system(err, errno, "standard output");
    return 0;
}

/* Compresses the block; at the end also closes the frame. */
static int store_packed(struct writer *writer, ZSTD_EndDirective directive, struct error *err)
{
    ZSTD_inBuffer in = {writer->block, writer->block_used, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {writer->packed, writer->packed_size, 0};
        left = ZSTD_compressStream2(writer->zstd, &out, &in, directive);
        if (ZSTD_isError(left))
            return error_set(err, ERROR_FAILED, "zstd: %s", ZSTD_getErrorName(left));
        if (store(writer, writer->packed, out.pos, err) < 0)
            return -1;
    } while (directive == ZSTD_e_end ? left > 0 : in.pos < in.size);
    return 0;
}

static int block_flush(struct writer *writer, ZSTD_EndDirective directive, struct error *err)
{
    digest_update(writer->content, writer->block, writer->block_used);
    int status = writer->zstd != NULL ? store_packed(writer, directive, err)
                                      : store(writer, writer->block, writer->block_used, err);
    writer->block_used = 0;
    if (status < 0)
        writer->failed = true;
    return status;
}

int writer_write(struct writer *writer, const void *data, size_t size, struct error *err)
{
    if (writer->failed)
        return error_set(err, ERROR_FAILED, "%s: an earlier write failed", writer_path(writer));
    const uint8_t *at = data;
    writer->content_bytes += size;
    while (size > 0) {
        size_t part = WRITER_BLOCK_SIZE - writer->block_used;
        if (part > size)
            part = size;
        memcpy(writer->block + writer->block_used, at, part);
        writer->block_used += part;
        at += part;
        size -= part;
        if (writer->block_used == WRITER_BLOCK_SIZE &&
            block_flush(writer, ZSTD_e_continue, err) < 0)
            return -1;
    }
    return 0;
}

int writer_printf(struct writer *writer, struct error *err, const char *format, ...)
{
    char small[1024];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (length < 0)
        return error_set(err, ERROR_FAILED, "text cannot be formatted");
    if ((size_t)length < sizeof small)
        return writer_write(writer, small, (size_t)length, err);
    char *large = fault_malloc((size_t)length + 1);
    if (large == NULL)
        return error_memory(err);
    va_start(args, format);
    vsnprintf(large, (size_t)length + 1, format, args);
    va_end(args);
    int status = writer_write(writer, large, (size_t)length, err);
    free(large);
    return status;
}

static int start_zstd(struct writer *writer, struct error *err)
{
    writer->zstd = ZSTD_createCCtx();
    writer->packed_size = ZSTD_CStreamOutSize();
    writer->packed = fault_malloc(writer->packed_size);
    writer->stored = digest_new();
    if (writer->zstd == NULL || writer->packed == NULL || writer->stored == NULL)
        return error_memory(err);
    size_t level = ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, WRITER_ZSTD_LEVEL);
    size_t checksum = ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1);
    if (ZSTD_isError(level) || ZSTD_isError(checksum))
        return error_set(err, ERROR_FAILED, "zstd: level or checksum refused");
    return 0;
}

int writer_create(const char *path, bool zstd, struct writer **writer, struct error *err)
{
    *writer = NULL;
    struct writer *made = fault_malloc(sizeof *made);
    if (made == NULL)
        return error_memory(err);
    *made = (struct writer){.file = NULL};
    made->block = fault_malloc(WRITER_BLOCK_SIZE);
    made->content = digest_new();
    if (made->block == NULL || made->content == NULL) {
        error_memory(err);
        goto fail;
    }
    if (zstd && start_zstd(made, err) < 0)
        goto fail;
    if (strcmp(path, "-") != 0 && atomic_file_create(path, &made->file, err) < 0)
        goto fail;
    *writer = made;
    return 0;
fail:
    writer_discard(made);
    return -1;
}

static void finish_digest(struct digest *digest, char hex[DIGEST_HEX_SIZE])
{
    uint8_t binary[DIGEST_SIZE];
    digest_finish(digest, binary);
    digest_to_hex(binary, DIGEST_SIZE, hex);
}

int writer_finish(struct writer *writer, struct writer_result *result, struct error *err)
{
    if (writer->failed)
        return error_set(err, ERROR_FAILED, "%s: an earlier write failed", writer_path(writer));
    if (block_flush(writer, ZSTD_e_end, err) < 0)
        return -1;
    if (writer->file != NULL && atomic_file_sync(writer->file, err) < 0) {
        writer->failed = true;
        return -1;
    }
    if (result == NULL)
        return 0;
    finish_digest(writer->content, result->content_sha256);
    memcpy(result->file_sha256, result->content_sha256, sizeof result->file_sha256);
    if (writer->stored != NULL)
        finish_digest(writer->stored, result->file_sha256);
    result->content_bytes = writer->content_bytes;
    result->file_bytes = writer->file_bytes;
    return 0;
}

const char *writer_path(const struct writer *writer)
{
    return writer->file != NULL ? atomic_file_path(writer->file) : "-";
}

int writer_publish(struct writer *writer, struct error *err)
{
    int status = 0;
    if (writer->failed)
        status = error_set(err, ERROR_FAILED, "%s: an earlier write failed", writer_path(writer));
    else if (writer->file != NULL) {
        status = atomic_file_commit(writer->file, err);
        writer->file = NULL;
    }
    writer_discard(writer);
    return status;
}

int writer_commit(struct writer *writer, struct writer_result *result, struct error *err)
{
    if (writer_finish(writer, result, err) < 0) {
        writer_discard(writer);
        return -1;
    }
    return writer_publish(writer, err);
}

void writer_discard(struct writer *writer)
{
    if (writer == NULL)
        return;
    atomic_file_discard(writer->file);
    ZSTD_freeCCtx(writer->zstd);
    digest_free(writer->content);
    digest_free(writer->stored);
    free(writer->packed);
    free(writer->block);
    free(writer);
}
