/* SPDX-License-Identifier: MIT */
/*
 * Bytes for a decoder: a window over a reader (formats/io/reader.h) that grows to what a record
 * needs, so that a format reads a stream as if it stood in memory.
 */
#ifndef PLYMILL_FORMATS_CODEC_SOURCE_H
#define PLYMILL_FORMATS_CODEC_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "formats/codec_text.h"
#include "formats/io/error.h"
#include "formats/io/reader.h"

#define CODEC_SOURCE_MAX      (128u << 20) /* a record or chunk is never longer */
#define CODEC_SOURCE_LINE_MAX (1u << 20)   /* nor a line, without its end */

struct codec_source;

/* Over a reader that the source owns from now on (also when it fails). */
int codec_source_open(struct reader *reader, struct codec_source **source, struct error *err);
/* Over bytes in memory that outlive the source, taken as they are (tests, fuzzing). */
int codec_source_open_memory(const void *data, size_t size, struct codec_source **source,
                             struct error *err);
void codec_source_close(struct codec_source *source);

/*
 * At least `want` bytes at *data if the input has them: the number there is (more than want is
 * possible), less than want only at the end of the input (0: nothing left), -1 on a read error.
 * The bytes stay until the next call of this or of codec_source_line; asking again for what is
 * there already is cheap and moves nothing. want <= CODEC_SOURCE_MAX.
 */
ssize_t codec_source_peek(struct codec_source *source, size_t want, const uint8_t **data,
                          struct error *err);
/* Moves on over n bytes that peek has shown. They stay as long as they would have. */
void codec_source_take(struct codec_source *source, size_t n);
/* Decoded bytes taken so far: the offset of what comes next. */
uint64_t codec_source_offset(const struct codec_source *source);

/*
 * The next line without its LF or CR LF, not zero-terminated: 1, 0 at the end, -1. A last line
 * without LF counts; codec_source_line_ended() is false for it.
 */
int codec_source_line(struct codec_source *source, struct text_span *line, struct error *err);
bool codec_source_line_ended(const struct codec_source *source);

/*
 * Where the record that errors are about begins. The reader of files sets it to the offset before
 * every record; a decoder that has read over a header or stands inside a chunk sets it better.
 */
void codec_source_mark(struct codec_source *source, uint64_t offset);
uint64_t codec_source_marked(const struct codec_source *source);
/* The number of that line, from 1, where lines are read; 0 where none was. */
uint64_t codec_source_marked_line(const struct codec_source *source);

/* Did the reader fail, so that the error names file and byte already? */
bool codec_source_failed(const struct codec_source *source);
/* The reader below, or NULL for memory: for progress. */
const struct reader *codec_source_reader(const struct codec_source *source);

#endif
