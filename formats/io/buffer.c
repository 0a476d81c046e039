/* SPDX-License-Identifier: MIT */
/*
 * See buffer.h.
 */
#include "formats/io/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/fault.h"

#define BUFFER_SMALLEST 64

void buffer_init(struct buffer *buffer, size_t limit)
{
    *buffer = (struct buffer){.limit = limit < SIZE_MAX ? limit : SIZE_MAX - 1};
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->data);
    buffer_init(buffer, buffer->limit);
}

void buffer_clear(struct buffer *buffer)
{
    buffer->length = 0;
    if (buffer->data != NULL)
        buffer->data[0] = '\0';
}

/* The next power of two that holds needed bytes, but no more than the cap needs. */
static size_t capacity_for(const struct buffer *buffer, size_t needed)
{
    size_t capacity = buffer->capacity > 0 ? buffer->capacity : BUFFER_SMALLEST;
    while (capacity < needed) {
        if (capacity > SIZE_MAX / 2)
            return needed;
        capacity *= 2;
    }
    return capacity > buffer->limit + 1 ? buffer->limit + 1 : capacity;
}

int buffer_reserve(struct buffer *buffer, size_t extra, struct error *err)
{
    if (extra > buffer->limit - buffer->length)
        return error_set(err, ERROR_FAILED, "over %zu bytes", buffer->limit);
    size_t needed = buffer->length + extra + 1;
    if (needed <= buffer->capacity)
        return 0;
    size_t capacity = capacity_for(buffer, needed);
    char *data = fault_realloc(buffer->data, capacity);
    if (data == NULL)
        return error_memory(err);
    buffer->data = data;
    buffer->capacity = capacity;
    buffer->data[buffer->length] = '\0';
    return 0;
}

int buffer_append(struct buffer *buffer, const void *data, size_t size, struct error *err)
{
    if (buffer_reserve(buffer, size, err) < 0)
        return -1;
    if (size > 0)
        memcpy(buffer->data + buffer->length, data, size);
    buffer->length += size;
    buffer->data[buffer->length] = '\0';
    return 0;
}

void *buffer_extend(struct buffer *buffer, size_t size, struct error *err)
{
    if (buffer_reserve(buffer, size, err) < 0)
        return NULL;
    char *begin = buffer->data + buffer->length;
    buffer->length += size;
    begin[size] = '\0';
    return begin;
}

int buffer_printf(struct buffer *buffer, struct error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        return error_set(err, ERROR_FAILED, "text cannot be formatted");
    if (buffer_reserve(buffer, (size_t)length, err) < 0)
        return -1;
    va_start(args, format);
    vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, args);
    va_end(args);
    buffer->length += (size_t)length;
    return 0;
}
