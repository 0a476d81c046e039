/* SPDX-License-Identifier: MIT */
/*
 * See codec_file.h.
 */
#include "formats/codec_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/fault.h"
#include "formats/io/reader.h"

#define WRITER_FLUSH_SIZE (64u << 10)
#define EXTENSIONS_MAX    200

struct codec_reader {
    const struct codec *codec;
    struct codec_options options;
    char *name;
    struct codec_source *source;
    void *state;
    uint64_t count;
    bool failed;
};

struct codec_writer {
    const struct codec *codec;
    struct codec_options options;
    struct writer *writer;
    void *state;
    struct buffer out;
    uint64_t counts[CODEC_MISFIT_COUNT];
};

int codec_of_path_or_error(const char *path, const struct codec **codec, struct error *err)
{
    char names[EXTENSIONS_MAX] = "";
    *codec = codec_of_path(path);
    if (*codec != NULL)
        return 0;
    for (const struct codec *const *known = codec_table; *known != NULL; known++) {
        strncat(names, " ", sizeof names - strlen(names) - 1);
        strncat(names, (*known)->extension, sizeof names - strlen(names) - 1);
    }
    return error_set(err, ERROR_USAGE,
                     "%s: the name ends in no extension of a dataset format (%s; .zst or .gz may "
                     "follow)",
                     path, names + 1);
}

static int check_options(const struct codec_options *options, struct error *err)
{
    double scale = options->score_scale;
    if (scale >= CODEC_SCALE_MIN && scale <= CODEC_SCALE_MAX)
        return 0;
    return error_set(err, ERROR_USAGE, "a score scale of %g is out of range", scale);
}

/* Zeroed state; a size of 0 gives none. */
static int new_state(size_t size, void **state, struct error *err)
{
    *state = NULL;
    if (size == 0)
        return 0;
    *state = fault_malloc(size);
    if (*state == NULL)
        return error_memory(err);
    memset(*state, 0, size);
    return 0;
}

static struct codec_reader *new_reader(const char *name, const struct codec *codec,
                                       const struct codec_options *options, struct error *err)
{
    size_t size = strlen(name) + 1;
    if (check_options(options, err) < 0)
        return NULL;
    struct codec_reader *made = fault_malloc(sizeof *made);
    if (made == NULL) {
        error_memory(err);
        return NULL;
    }
    *made = (struct codec_reader){.codec = codec, .options = *options, .name = fault_malloc(size)};
    if (made->name == NULL) {
        error_memory(err);
        codec_reader_close(made);
        return NULL;
    }
    memcpy(made->name, name, size);
    return made;
}

static int open_source(struct codec_reader *reader, const char *path, struct error *err)
{
    struct reader *input;
    if (reader_open(path, false, &input, err) < 0)
        return -1;
    return codec_source_open(input, &reader->source, err);
}

int codec_reader_open(const char *path, const struct codec *codec,
                      const struct codec_options *options, struct codec_reader **reader,
                      struct error *err)
{
    *reader = NULL;
    if (codec == NULL && codec_of_path_or_error(path, &codec, err) < 0)
        return -1;
    struct codec_reader *made =
        new_reader(strcmp(path, "-") == 0 ? "standard input" : path, codec, options, err);
    if (made == NULL)
        return -1;
    if (open_source(made, path, err) < 0 || new_state(codec->decoder_size, &made->state, err) < 0) {
        codec_reader_close(made);
        return -1;
    }
    *reader = made;
    return 0;
}

int codec_reader_open_memory(const char *name, const void *data, size_t size,
                             const struct codec *codec, const struct codec_options *options,
                             struct codec_reader **reader, struct error *err)
{
    *reader = NULL;
    struct codec_reader *made = new_reader(name, codec, options, err);
    if (made == NULL)
        return -1;
    if (codec_source_open_memory(data, size, &made->source, err) < 0 ||
        new_state(codec->decoder_size, &made->state, err) < 0) {
        codec_reader_close(made);
        return -1;
    }
    *reader = made;
    return 0;
}

static int locate_error(const struct codec_reader *reader, struct error *err)
{
    uint64_t line = codec_source_marked_line(reader->source), record = reader->count + 1;
    if (codec_source_failed(reader->source))
        return -1;
    if (line == 0)
        return error_prefix(err, "%s: record %" PRIu64 " (byte %" PRIu64 ")", reader->name, record,
                            codec_source_marked(reader->source));
    return error_prefix(err, "%s: record %" PRIu64 " (line %" PRIu64 ", byte %" PRIu64 ")",
                        reader->name, record, line, codec_source_marked(reader->source));
}

int codec_reader_next(struct codec_reader *reader, struct record *record, struct error *err)
{
    if (reader->failed)
        return error_set(err, ERROR_FAILED, "%s: damaged further up", reader->name);
    codec_source_mark(reader->source, codec_source_offset(reader->source));
    int status =
        reader->codec->decode(reader->state, reader->source, &reader->options, record, err);
    if (status == 1)
        reader->count++;
    if (status >= 0)
        return status;
    reader->failed = true;
    return locate_error(reader, err);
}

uint64_t codec_reader_count(const struct codec_reader *reader)
{
    return reader->count;
}

uint64_t codec_reader_refused(const struct codec_reader *reader)
{
    return reader->codec->refused != NULL ? reader->codec->refused(reader->state) : 0;
}

bool codec_reader_truncated(const struct codec_reader *reader)
{
    const struct reader *input = codec_source_reader(reader->source);
    return input != NULL && reader_truncated(input);
}

uint64_t codec_reader_position(const struct codec_reader *reader)
{
    const struct reader *input = codec_source_reader(reader->source);
    return input != NULL ? reader_position(input) : codec_source_offset(reader->source);
}

uint64_t codec_reader_file_size(const struct codec_reader *reader)
{
    const struct reader *input = codec_source_reader(reader->source);
    return input != NULL ? reader_file_size(input) : 0;
}

uint64_t codec_reader_offset(const struct codec_reader *reader)
{
    return codec_source_offset(reader->source);
}

const struct codec *codec_reader_codec(const struct codec_reader *reader)
{
    return reader->codec;
}

void codec_reader_close(struct codec_reader *reader)
{
    if (reader == NULL)
        return;
    if (reader->state != NULL && reader->codec->free_decoder != NULL)
        reader->codec->free_decoder(reader->state);
    codec_source_close(reader->source);
    free(reader->state);
    free(reader->name);
    free(reader);
}

int codec_writer_create(const char *path, const struct codec *codec,
                        const struct codec_options *options, bool zstd,
                        struct codec_writer **writer, struct error *err)
{
    *writer = NULL;
    if (codec->encode == NULL)
        return error_set(err, ERROR_USAGE, "%s: the format %s can only be read", path, codec->name);
    if (check_options(options, err) < 0)
        return -1;
    struct codec_writer *made = fault_malloc(sizeof *made);
    if (made == NULL)
        return error_memory(err);
    *made = (struct codec_writer){.codec = codec, .options = *options};
    buffer_init(&made->out, CODEC_SOURCE_MAX);
    if (new_state(codec->encoder_size, &made->state, err) < 0 ||
        writer_create(path, zstd, &made->writer, err) < 0 ||
        (codec->begin != NULL && codec->begin(made->state, &made->out, err) < 0)) {
        codec_writer_discard(made);
        return -1;
    }
    *writer = made;
    return 0;
}

static int flush_out(struct codec_writer *writer, struct error *err)
{
    int status = writer_write(writer->writer, writer->out.data, writer->out.length, err);
    buffer_clear(&writer->out);
    return status;
}

int codec_writer_add(struct codec_writer *writer, const struct record *record,
                     enum codec_misfit *misfit, struct error *err)
{
    *misfit = CODEC_FITS;
    if (writer->codec->encode(writer->state, record, &writer->options, &writer->out, misfit, err) <
        0)
        return error_prefix(err, "%s", writer_path(writer->writer));
    writer->counts[*misfit]++;
    return writer->out.length >= WRITER_FLUSH_SIZE ? flush_out(writer, err) : 0;
}

uint64_t codec_writer_count(const struct codec_writer *writer, enum codec_misfit misfit)
{
    return writer->counts[misfit];
}

int codec_writer_finish(struct codec_writer *writer, struct writer_result *result,
                        struct error *err)
{
    if (writer->codec->end != NULL && writer->codec->end(writer->state, &writer->out, err) < 0)
        return error_prefix(err, "%s", writer_path(writer->writer));
    if (flush_out(writer, err) < 0)
        return -1;
    return writer_finish(writer->writer, result, err);
}

const char *codec_writer_path(const struct codec_writer *writer)
{
    return writer_path(writer->writer);
}

int codec_writer_publish(struct codec_writer *writer, struct error *err)
{
    int status = writer_publish(writer->writer, err);
    writer->writer = NULL;
    codec_writer_discard(writer);
    return status;
}

int codec_writer_commit(struct codec_writer *writer, struct writer_result *result,
                        struct error *err)
{
    if (codec_writer_finish(writer, result, err) == 0)
        return codec_writer_publish(writer, err);
    codec_writer_discard(writer);
    return -1;
}

void codec_writer_discard(struct codec_writer *writer)
{
    if (writer == NULL)
        return;
    if (writer->state != NULL && writer->codec->free_encoder != NULL)
        writer->codec->free_encoder(writer->state);
    writer_discard(writer->writer);
    buffer_free(&writer->out);
    free(writer->state);
    free(writer);
}
