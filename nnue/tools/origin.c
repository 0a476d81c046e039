/* SPDX-License-Identifier: MIT */
#include "nnue/tools/origin.h"

#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "nnue/core/safetensors.h"

static const char *const keys[ORIGIN_TEXTS] = {"train.records", "train.build", "split.seed",
                                               "split.shares"};

static void read_texts(const struct safetensors *file, struct origin *origin)
{
    (void)safetensors_text(file, keys[0], origin->records, sizeof origin->records);
    (void)safetensors_text(file, keys[1], origin->build, sizeof origin->build);
    (void)safetensors_text(file, keys[2], origin->seed, sizeof origin->seed);
    (void)safetensors_text(file, keys[3], origin->shares, sizeof origin->shares);
}

int origin_read(const char *path, struct origin *origin, struct error *err)
{
    struct safetensors *file = malloc(sizeof *file);
    struct buffer bytes;
    int result = -1;
    memset(origin, 0, sizeof *origin);
    buffer_init(&bytes, PLYNNUE_FILE_MAX);
    if (!file) {
        error_memory(err);
        goto out;
    }
    result = file_read_all(path, &bytes, err);
    if (!result && safetensors_detect(bytes.data, bytes.length) &&
        !safetensors_parse(bytes.data, bytes.length, file, NULL))
        read_texts(file, origin);
out:
    buffer_free(&bytes);
    free(file);
    return result;
}

size_t origin_texts(const struct origin *origin, struct text_out out[ORIGIN_TEXTS])
{
    const char *const values[ORIGIN_TEXTS] = {origin->records, origin->build, origin->seed,
                                              origin->shares};
    size_t count = 0;
    for (unsigned i = 0; i < ORIGIN_TEXTS; i++)
        if (*values[i])
            out[count++] = (struct text_out){keys[i], values[i]};
    return count;
}
