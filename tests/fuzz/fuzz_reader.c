/* SPDX-License-Identifier: MIT */
/*
 * The reader of archives: one thread, a byte at a time, and several threads give the same bytes,
 * the same error and the same truncation.
 */
#include "formats/io/reader.h"
#include "tests/fuzz/fuzz.h"

#define TEXT_MAX (300u << 10) /* what is looked at of a small archive of much text */

struct outcome {
    uint8_t text[TEXT_MAX];
    size_t size;
    bool truncated;
    struct error err;
};

static void read_all(const uint8_t *data, size_t size, unsigned threads, size_t step,
                     struct outcome *outcome)
{
    struct reader *reader;
    ssize_t got = 0;
    outcome->size = 0;
    outcome->truncated = false;
    outcome->err = (struct error){.code = 0};
    if (reader_open_memory(data, size, &reader, &outcome->err) < 0)
        return;
    FUZZ_ASSERT(reader_set_threads(reader, threads, &outcome->err) == 0);
    while (outcome->size < TEXT_MAX) {
        size_t left = TEXT_MAX - outcome->size;
        got = reader_read(reader, outcome->text + outcome->size, step < left ? step : left,
                          &outcome->err);
        if (got <= 0)
            break;
        outcome->size += (size_t)got;
    }
    outcome->truncated = reader_truncated(reader);
    FUZZ_ASSERT((got < 0) == (outcome->err.code != 0));
    FUZZ_ASSERT(!outcome->truncated || got < 0);
    reader_close(reader);
}

static void check_same(const struct outcome *a, const struct outcome *b)
{
    FUZZ_ASSERT(a->size == b->size);
    FUZZ_ASSERT(memcmp(a->text, b->text, a->size) == 0);
    FUZZ_ASSERT(a->truncated == b->truncated);
    FUZZ_ASSERT(strcmp(a->err.text, b->err.text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct outcome want, got;
    read_all(data, size, 1, TEXT_MAX, &want);
    read_all(data, size, 1, 1, &got);
    check_same(&want, &got);
    read_all(data, size, 2, TEXT_MAX, &got);
    check_same(&want, &got);
    read_all(data, size, 4, 1000, &got);
    check_same(&want, &got);
    return 0;
}
