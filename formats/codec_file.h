/* SPDX-License-Identifier: MIT */
/*
 * Dataset files of any format, read and written record by record in constant memory.
 */
#ifndef PLYMILL_FORMATS_CODEC_FILE_H
#define PLYMILL_FORMATS_CODEC_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/codec.h"
#include "formats/io/error.h"
#include "formats/io/writer.h"
#include "formats/record.h"

/* The codec of a path, or ERROR_USAGE that says which extensions there are. */
int codec_of_path_or_error(const char *path, const struct codec **codec, struct error *err);

struct codec_reader;

/*
 * codec NULL: by the extension of path. zstd, gzip or plain is told by the bytes. "-", the standard
 * input, needs a codec. The options are copied.
 */
int codec_reader_open(const char *path, const struct codec *codec,
                      const struct codec_options *options, struct codec_reader **reader,
                      struct error *err);
/* Over bytes in memory that outlive the reader, called `name` in errors. */
int codec_reader_open_memory(const char *name, const void *data, size_t size,
                             const struct codec *codec, const struct codec_options *options,
                             struct codec_reader **reader, struct error *err);
/*
 * 1, 0 at the end, -1: "path: record 12 (byte 480): what is wrong", for formats of lines "(line 67,
 * byte 480)". Records and lines count from 1; the byte is that of the decoded data where the record
 * (or the chunk that holds it) begins. After -1 every further call gives -1 again.
 */
int codec_reader_next(struct codec_reader *reader, struct record *record, struct error *err);
/* Records given so far. */
uint64_t codec_reader_count(const struct codec_reader *reader);
/* Positions passed over so far (struct codec: refused). */
uint64_t codec_reader_refused(const struct codec_reader *reader);
/* Did the archive end inside a frame? What was complete before was given. */
bool codec_reader_truncated(const struct codec_reader *reader);
/* Bytes taken from the file so far and its size, 0 when unknown: for progress. */
uint64_t codec_reader_position(const struct codec_reader *reader);
uint64_t codec_reader_file_size(const struct codec_reader *reader);
/* Decoded bytes taken so far. */
uint64_t codec_reader_offset(const struct codec_reader *reader);
const struct codec *codec_reader_codec(const struct codec_reader *reader);
/* NULL is allowed. */
void codec_reader_close(struct codec_reader *reader);

struct codec_writer;

/* path "-" is standard output. The options are copied. */
int codec_writer_create(const char *path, const struct codec *codec,
                        const struct codec_options *options, bool zstd,
                        struct codec_writer **writer, struct error *err);
/* *misfit tells why a record was left out (CODEC_FITS: it was not). */
int codec_writer_add(struct codec_writer *writer, const struct record *record,
                     enum codec_misfit *misfit, struct error *err);
/* Records that came to that end so far. */
uint64_t codec_writer_count(const struct codec_writer *writer, enum codec_misfit misfit);
/* As those of formats/io/writer.h: a file can be read back before it has its final name. */
int codec_writer_finish(struct codec_writer *writer, struct writer_result *result,
                        struct error *err);
const char *codec_writer_path(const struct codec_writer *writer);
int codec_writer_publish(struct codec_writer *writer, struct error *err);
int codec_writer_commit(struct codec_writer *writer, struct writer_result *result,
                        struct error *err);
void codec_writer_discard(struct codec_writer *writer);

#endif
