/* SPDX-License-Identifier: MIT */
/*
 * SHA-256, through libcrypto (which uses SHA-NI where the machine has it).
 */
#ifndef PLYMILL_FORMATS_IO_DIGEST_H
#define PLYMILL_FORMATS_IO_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "formats/io/error.h"

#define DIGEST_SIZE     32
#define DIGEST_HEX_SIZE 65 /* 64 lower-case digits and the zero */

struct digest;

/* NULL when memory is short. */
struct digest *digest_new(void);
void digest_update(struct digest *digest, const void *data, size_t size);
/* Writes the result and starts anew, so that one object serves many texts. */
void digest_finish(struct digest *digest, uint8_t out[DIGEST_SIZE]);
void digest_free(struct digest *digest);

/* One call for one text. */
void digest_bytes(const void *data, size_t size, uint8_t out[DIGEST_SIZE]);
/* Lower-case hex of the first `size` bytes, 2 * size digits and a zero. */
void digest_to_hex(const uint8_t *bytes, size_t size, char *out);
/* Digest and size of a file. bytes may be NULL. */
int digest_file(const char *path, char hex[DIGEST_HEX_SIZE], uint64_t *bytes, struct error *err);

#endif
