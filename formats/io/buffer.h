/* SPDX-License-Identifier: MIT */
/*
 * A growable byte buffer with a cap. Growing doubles; going over the cap is an error, never an
 * abort, so that hostile input cannot take all memory.
 */
#ifndef PLYMILL_FORMATS_IO_BUFFER_H
#define PLYMILL_FORMATS_IO_BUFFER_H

#include <stddef.h>

#include "formats/io/error.h"

struct buffer {
    char *data;      /* owned; always followed by a zero byte once anything was appended */
    size_t length;   /* bytes in use, without the zero */
    size_t capacity; /* bytes allocated */
    size_t limit;    /* the cap on length */
};

/* An empty buffer that may grow to limit bytes. Allocates nothing. */
void buffer_init(struct buffer *buffer, size_t limit);
void buffer_free(struct buffer *buffer);

/* Forgets the content, keeps the memory. */
void buffer_clear(struct buffer *buffer);

/* Makes room for extra more bytes (and the zero). Over the cap: ERROR_FAILED "... over N bytes". */
int buffer_reserve(struct buffer *buffer, size_t extra, struct error *err);
int buffer_append(struct buffer *buffer, const void *data, size_t size, struct error *err);
/* The buffer grows by size bytes, for the caller to fill: where they begin, or NULL. */
void *buffer_extend(struct buffer *buffer, size_t size, struct error *err);
int buffer_printf(struct buffer *buffer, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
