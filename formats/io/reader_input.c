/* SPDX-License-Identifier: MIT */
/*
 * See reader_input.h.
 */
#include "formats/io/reader_input.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "formats/io/fault.h"
#include "formats/io/fd.h"

enum { STOP_LOOK_MS = 100 /* between two looks at the flag: a signal may come to any thread */ };

void input_init(struct input *input, const char *name)
{
    *input = (struct input){.name = name, .fd = -1, .wake = -1};
}

void input_free(struct input *input)
{
    digest_free(input->digest);
    free(input->bytes);
}

int input_reserve(struct input *input, size_t size, struct error *err)
{
    if (size <= input->capacity)
        return 0;
    uint8_t *bytes = fault_realloc(input->bytes, size);
    if (bytes == NULL)
        return error_memory(err);
    input->bytes = bytes;
    input->capacity = size;
    return 0;
}

/* Waits for bytes of the source. -1 with errno set when the waiting was ended from outside. */
static int wait_for_source(const struct input *input)
{
    struct pollfd waits[] = {{.fd = input->fd, .events = POLLIN},
                             {.fd = input->wake, .events = POLLIN}};
    for (;;) {
        int ready = poll(waits, 2, input->stop ? STOP_LOOK_MS : -1);
        if (ready < 0 && errno != EINTR)
            return -1;
        if (ready > 0 && waits[1].revents == 0)
            return 0;
        if (ready > 0 || (input->stop && *input->stop)) {
            errno = ECANCELED;
            return -1;
        }
    }
}

/* Bytes from the source: their number, 0 at the end, -1. */
static ssize_t source_read(struct input *input, uint8_t *data, size_t size)
{
    if (input->fd >= 0) {
        if ((input->wake >= 0 || input->stop) && wait_for_source(input) < 0)
            return -1;
        return fd_read_some(input->fd, data, size);
    }
    if (size > input->memory_left)
        size = input->memory_left;
    if (size > 0)
        memcpy(data, input->memory, size);
    input->memory += size;
    input->memory_left -= size;
    return (ssize_t)size;
}

/* Room for size bytes from the first one on, and for a read behind them. */
static int make_room(struct input *input, size_t size, struct error *err)
{
    size_t left = input_left(input);
    if (input->begin + size + INPUT_READ_SIZE <= input->capacity)
        return 0;
    if (left > 0 && input->begin > 0)
        memmove(input->bytes, input_at(input), left);
    input->begin = 0;
    input->end = left;
    return input_reserve(input, size + INPUT_READ_SIZE, err);
}

ssize_t input_take(struct input *input, uint8_t *data, struct error *err)
{
    if (input->ended)
        return 0;
    ssize_t got = -1;
    if (input->failure == 0) {
        got = source_read(input, data, INPUT_READ_SIZE);
        input->failure = got < 0 ? errno : 0;
    }
    if (got < 0)
        return error_system(err, input->failure, "%s", input->name);
    if (input->digest != NULL)
        digest_update(input->digest, data, (size_t)got);
    input->ended = got == 0;
    input->taken += (uint64_t)got;
    return got;
}

int input_fill(struct input *input, struct error *err)
{
    if (input->ended)
        return 0;
    if (make_room(input, input_left(input), err) < 0)
        return -1;
    ssize_t got = input_take(input, input->bytes + input->end, err);
    if (got < 0)
        return -1;
    input->end += (size_t)got;
    return 0;
}

int input_need(struct input *input, size_t size, struct error *err)
{
    if (input_left(input) >= size || input->ended)
        return 0;
    if (make_room(input, size, err) < 0)
        return -1;
    while (input_left(input) < size && !input->ended)
        if (input_fill(input, err) < 0)
            return -1;
    return 0;
}
