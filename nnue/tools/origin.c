/* SPDX-License-Identifier: MIT */
#include "nnue/tools/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "nnue/core/container.h"
#include "nnue/core/safetensors.h"

enum { ORIGIN_TEXT_MAX = 128, SIDE_FILE_MAX = 1 << 16 };

static const char *const keys[ORIGIN_TEXTS] = {"train.records", "train.build", "split.seed",
                                               "split.shares"};

static void set_text(struct origin *origin, unsigned key, const char *value)
{
    char *const fields[ORIGIN_TEXTS] = {origin->records, origin->build, origin->seed,
                                        origin->shares};
    const size_t sizes[ORIGIN_TEXTS] = {sizeof origin->records, sizeof origin->build,
                                        sizeof origin->seed, sizeof origin->shares};
    if (strlen(value) < sizes[key])
        snprintf(fields[key], sizes[key], "%s", value);
}

static void read_metadata(const struct safetensors *file, struct origin *origin)
{
    char value[ORIGIN_TEXT_MAX];
    for (unsigned i = 0; i < ORIGIN_TEXTS; i++)
        if (safetensors_text(file, keys[i], value, sizeof value))
            set_text(origin, i, value);
}

/* word: "key=value", which is cut in two. */
static void read_word(char *word, struct origin *origin)
{
    char *value = strchr(word, '=');
    if (!value)
        return;
    *value++ = '\0';
    for (unsigned i = 0; i < ORIGIN_TEXTS; i++)
        if (!strcmp(word, keys[i]))
            set_text(origin, i, value);
}

/* Words between blanks or line ends. */
static void read_words(const char *text, size_t size, struct origin *origin)
{
    char word[2 * ORIGIN_TEXT_MAX];
    while (size > 0) {
        size_t length = 0;
        while (length < size && text[length] != ' ' && text[length] != '\n')
            length++;
        if (length < sizeof word) {
            memcpy(word, text, length);
            word[length] = '\0';
            read_word(word, origin);
        }
        length += length < size;
        text += length;
        size -= length;
    }
}

/* What stands behind the first line of NET.arch, if there is such a file. */
static int read_side_file(const char *path, struct origin *origin, struct error *err)
{
    char *side = file_name_format(err, "%s.arch", path);
    const char *line;
    struct buffer text;
    int result = side ? 0 : -1;
    buffer_init(&text, SIDE_FILE_MAX);
    if (side && file_exists(side) && !file_read_all(side, &text, NULL) && text.length &&
        (line = memchr(text.data, '\n', text.length)) != NULL)
        read_words(line, text.length - (size_t)(line - (const char *)text.data), origin);
    buffer_free(&text);
    free(side);
    return result;
}

static int read_bytes(const char *path, const struct buffer *bytes, struct safetensors *file,
                      struct origin *origin, struct error *err)
{
    struct container container;
    if (safetensors_detect(bytes->data, bytes->length)) {
        if (!safetensors_parse(bytes->data, bytes->length, file, NULL))
            read_metadata(file, origin);
        return 0;
    }
    if (!container_detect(bytes->data, bytes->length))
        return read_side_file(path, origin, err);
    if (!container_open(&container, bytes->data, bytes->length, NULL))
        read_words((const char *)container.description, container.description_size, origin);
    return 0;
}

int origin_read(const char *path, struct origin *origin, struct error *err)
{
    struct safetensors *file = malloc(sizeof *file);
    struct buffer bytes;
    int result = -1;
    memset(origin, 0, sizeof *origin);
    buffer_init(&bytes, PLYNNUE_FILE_MAX);
    if (!file)
        error_memory(err);
    else if (!file_read_all(path, &bytes, err))
        result = read_bytes(path, &bytes, file, origin, err);
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
