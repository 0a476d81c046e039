/* SPDX-License-Identifier: MIT */
/*
 * Stockfish's .nnue container: a header, then sections that a hash introduces.
 *
 *   4  version      0x7AF32F16 (Stockfish 12, 13), 0x7AF32F20 (14 .. 18), 0x6A448AFA (19)
 *   4  file hash    feature transformer hash xor network hash
 *   4  n            length of the description
 *   n  description  UTF-8
 *   4  feature transformer hash, then its numbers
 *   4  network hash, then the dense layers of one stack; once or 8 times; the file ends here
 *
 * All integers little-endian. The hashes follow from the shape, so a file says which shape it has
 * and a reader can recompute them. Nothing is copied: pointers go into the bytes given, which must
 * outlive the container. Sizes are checked before anything is handed out, so whoever allocates by
 * container_take's leave never allocates more than a small multiple of the file.
 */
#ifndef PLYNNUE_CONTAINER_H
#define PLYNNUE_CONTAINER_H

#include <stdbool.h>

#include "nnue/core/plynnue.h"

#define CONTAINER_VERSION_12      0x7AF32F16u
#define CONTAINER_VERSION_14      0x7AF32F20u
#define CONTAINER_VERSION_19      0x6A448AFAu
#define CONTAINER_DESCRIPTION_MAX (1u << 20) /* bytes; known ones have under 400 */

struct container {
    const uint8_t *data;
    uint64_t size, at; /* at: what is read next */
    uint32_t version, hash;
    const uint8_t *description;
    uint32_t description_size;
};

/* Do the bytes start with one of the versions above? */
bool container_detect(const void *data, size_t size);
/* Reads the header. 0, or PLYNNUE_EFORMAT. */
int container_open(struct container *c, const void *data, size_t size, struct plynnue_error *error);
/* Looks at the next u32 without taking it: the hash of the section that comes. */
int container_peek(const struct container *c, uint32_t *hash, struct plynnue_error *error);
/* Takes a section's hash, which must be as expected. what names the section in the error. */
int container_section(struct container *c, uint32_t expected, const char *what,
                      struct plynnue_error *error);
/* Takes bytes, which must all be there. */
int container_take(struct container *c, uint64_t size, const char *what, const uint8_t **bytes,
                   struct plynnue_error *error);
/* Takes count numbers into out, which the caller has made after asking container_has. */
int container_i8(struct container *c, int8_t *out, uint64_t count, const char *what,
                 struct plynnue_error *error);
int container_i16(struct container *c, int16_t *out, uint64_t count, const char *what,
                  struct plynnue_error *error);
int container_i32(struct container *c, int32_t *out, uint64_t count, const char *what,
                  struct plynnue_error *error);
/* Are so many bytes left? Else PLYNNUE_EFORMAT: the file is cut. */
int container_has(const struct container *c, uint64_t size, const char *what,
                  struct plynnue_error *error);
/* Exactly so many bytes must be left: the file is neither cut nor longer. */
int container_ends_after(const struct container *c, uint64_t size, struct plynnue_error *error);
/* Nothing may be left. */
int container_end(const struct container *c, struct plynnue_error *error);

/*
 * Hashes. A network's: container_hash_inputs of the number of transformed inputs, then for each
 * layer container_hash_affine, and container_hash_clip behind each but the last.
 */
uint32_t container_hash_inputs(uint32_t inputs);
uint32_t container_hash_affine(uint32_t previous, uint32_t outputs);
uint32_t container_hash_clip(uint32_t previous);

#endif
