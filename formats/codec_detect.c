/* SPDX-License-Identifier: MIT */
#include "formats/codec_detect.h"

#include <string.h>

#include "formats/codec_file.h"
#include "formats/io/reader.h"

#define HEAD_SIZE 16384 /* of a line that is looked at */

/* What else a file of that name may be, and how its first line shows it. */
static const struct {
    const char *named;
    const struct codec *other;
    const char *mark;
    bool at_start;
} likenesses[] = {{"jsonl", &codec_lichess_evals, "\"evals\"", false},
                  {"csv", &codec_lichess_puzzles, "PuzzleId,", true}};

static int read_head(const char *path, char head[HEAD_SIZE + 1], struct error *err)
{
    struct reader *reader;
    size_t size = 0;
    ssize_t got = 0;
    if (reader_open(path, false, &reader, err) < 0)
        return -1;
    while (size < HEAD_SIZE && (got = reader_read(reader, head + size, HEAD_SIZE - size, err)) > 0)
        size += (size_t)got;
    reader_close(reader);
    head[size] = '\0';
    head[strcspn(head, "\n")] = '\0';
    return size > 0 || got == 0 ? 0 : -1;
}

int codec_detect(const char *path, const struct codec **codec, struct error *err)
{
    char head[HEAD_SIZE + 1];
    if (codec_of_path_or_error(path, codec, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof likenesses / sizeof *likenesses; i++) {
        if (strcmp((*codec)->name, likenesses[i].named) != 0)
            continue;
        if (read_head(path, head, err) < 0)
            return -1;
        const char *found = strstr(head, likenesses[i].mark);
        if (found != NULL && (!likenesses[i].at_start || found == head))
            *codec = likenesses[i].other;
        return 0;
    }
    return 0;
}
