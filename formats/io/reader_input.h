/* SPDX-License-Identifier: MIT */
/*
 * Raw bytes of a file (or of memory) on their way to a decoder: one buffer that is filled from the
 * source by reads of one size, so that the n-th read stands at the same byte whoever reads.
 */
#ifndef PLYMILL_FORMATS_IO_READER_INPUT_H
#define PLYMILL_FORMATS_IO_READER_INPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "formats/io/digest.h"
#include "formats/io/error.h"

#define INPUT_READ_SIZE (128u << 10)

struct input {
    const char *name;      /* of the file, in errors; not owned */
    int fd;                /* -1: memory */
    const uint8_t *memory; /* what is left of it */
    size_t memory_left;
    int wake; /* a descriptor that ends a read that waits when it becomes readable, or -1 */
    const volatile sig_atomic_t *stop; /* ends one soon after it is set; may be NULL */
    uint8_t *bytes;                    /* owned; [begin, end) of them not yet decoded */
    size_t capacity, begin, end;
    bool ended;            /* the source has no more bytes */
    int failure;           /* errno of a read that failed: given again by every later one */
    uint64_t taken;        /* bytes taken from the source */
    struct digest *digest; /* of them; NULL: not asked for; owned */
};

/* An input with nothing in it and no source yet. */
void input_init(struct input *input, const char *name);
void input_free(struct input *input);
/* Room for size bytes in all. */
int input_reserve(struct input *input, size_t size, struct error *err);
/* One more read from the source behind what is here. At the end it sets ended. */
int input_fill(struct input *input, struct error *err);
/*
 * One more read from the source straight into data, which has room for INPUT_READ_SIZE bytes, while
 * nothing is here: for what needs no decoding. The number of bytes, 0 at the end (ended is set),
 * -1.
 */
ssize_t input_take(struct input *input, uint8_t *data, struct error *err);
/* Fills until size bytes are here or the source ends. */
int input_need(struct input *input, size_t size, struct error *err);

static inline const uint8_t *input_at(const struct input *input)
{
    return input->bytes + input->begin;
}

static inline size_t input_left(const struct input *input)
{
    return input->end - input->begin;
}

/* Where in the file the next byte to decode stands. */
static inline uint64_t input_offset(const struct input *input)
{
    return input->taken - input_left(input);
}

#endif
