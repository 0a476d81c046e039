/* SPDX-License-Identifier: MIT */
/*
 * What fuzz targets share. A target is a file fuzz_NAME.c with LLVMFuzzerTestOneInput, which aborts
 * when a round trip does not close. `make fuzz` runs it under libFuzzer; `make test` runs it over
 * corpus/NAME with replay.c.
 */
#ifndef PLYMILL_TESTS_FUZZ_H
#define PLYMILL_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/movegen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_ASSERT(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/*
 * The first line as a FEN (an empty one is the start position). *rest is what follows it. False
 * when it is no position.
 */
static inline bool fuzz_take_position(const uint8_t *data, size_t size, struct position *position,
                                      const char **rest, size_t *rest_size)
{
    const char *text = (const char *)data;
    size_t length = 0;
    while (length < size && text[length] != '\n')
        length++;
    *rest = text + (length < size ? length + 1 : size);
    *rest_size = size - (size_t)(*rest - text);
    if (length == 0) {
        position_start(position);
        return true;
    }
    return fen_parse(text, length, FEN_DROP_BAD_CASTLING, position, NULL) == FEN_OK;
}

/* The next word of [*text, end): its length, 0 when there is none. */
static inline size_t fuzz_next_word(const char **text, const char *end)
{
    const char *p = *text;
    while (p < end && (*p == ' ' || *p == '\n'))
        p++;
    *text = p;
    while (p < end && *p != ' ' && *p != '\n')
        p++;
    return (size_t)(p - *text);
}

#endif
