/* SPDX-License-Identifier: MIT */
/*
 * See digest.h. The plain SHA256_* calls are used, not EVP: they allocate nothing, cannot fail and
 * take no lock, and they run the same SHA-NI code.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "formats/io/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/io/fault.h"
#include "formats/io/fd.h"

#define DIGEST_CHUNK (64u << 10)

struct digest {
    SHA256_CTX context;
};

struct digest *digest_new(void)
{
    struct digest *digest = fault_malloc(sizeof *digest);
    if (digest != NULL)
        SHA256_Init(&digest->context);
    return digest;
}

void digest_update(struct digest *digest, const void *data, size_t size)
{
    SHA256_Update(&digest->context, data, size);
}

void digest_finish(struct digest *digest, uint8_t out[DIGEST_SIZE])
{
    SHA256_Final(out, &digest->context);
    SHA256_Init(&digest->context);
}

void digest_free(struct digest *digest)
{
    free(digest);
}

void digest_bytes(const void *data, size_t size, uint8_t out[DIGEST_SIZE])
{
    struct digest digest;
    SHA256_Init(&digest.context);
    digest_update(&digest, data, size);
    SHA256_Final(out, &digest.context);
}

void digest_to_hex(const uint8_t *bytes, size_t size, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * size] = '\0';
}

/* Hashes the rest of fd: bytes read, or -1 with errno. */
static int64_t digest_descriptor(struct digest *digest, int fd)
{
    uint8_t *chunk = fault_malloc(DIGEST_CHUNK);
    if (chunk == NULL)
        return -1;
    int64_t total = 0;
    ssize_t got;
    while ((got = fd_read_some(fd, chunk, DIGEST_CHUNK)) > 0) {
        digest_update(digest, chunk, (size_t)got);
        total += got;
    }
    int errnum = errno;
    free(chunk);
    errno = errnum;
    return got < 0 ? -1 : total;
}

int digest_file(const char *path, char hex[DIGEST_HEX_SIZE], uint64_t *bytes, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_system(err, errno, "%s", path);
    struct digest digest;
    SHA256_Init(&digest.context);
    int64_t total = digest_descriptor(&digest, fd);
    int errnum = errno;
    close(fd);
    if (total < 0)
        return error_system(err, errnum, "%s", path);
    uint8_t binary[DIGEST_SIZE];
    digest_finish(&digest, binary);
    digest_to_hex(binary, DIGEST_SIZE, hex);
    if (bytes != NULL)
        *bytes = (uint64_t)total;
    return 0;
}
