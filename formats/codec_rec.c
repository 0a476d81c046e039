/* SPDX-License-Identifier: MIT */
/*
 * The records of a build (record.h) as a dataset to read: header and layout are drawn there. Only
 * select writes such files, since their header promises a number of records that must be known
 * before the first is written.
 */
#include <inttypes.h>

#include "formats/codec.h"

struct rec_decoder {
    bool begun;
    uint64_t promised, given;
};

static int take_header(struct rec_decoder *decoder, struct codec_source *source, struct error *err)
{
    const uint8_t *header;
    ssize_t there = codec_source_peek(source, RECORD_HEADER_SIZE, &header, err);
    if (there < 0)
        return -1;
    if (there < RECORD_HEADER_SIZE)
        return error_set(err, ERROR_FAILED, "no record file: it ends inside the header");
    if (record_header_read(header, &decoder->promised, err) < 0)
        return -1;
    codec_source_take(source, RECORD_HEADER_SIZE);
    codec_source_mark(source, codec_source_offset(source));
    decoder->begun = true;
    return 0;
}

static int end_of_file(const struct rec_decoder *decoder, size_t left, struct error *err)
{
    if (left == 0 && decoder->given == decoder->promised)
        return 0;
    if (decoder->given == decoder->promised)
        return error_set(err, ERROR_FAILED, "bytes behind the %" PRIu64 " records of the header",
                         decoder->promised);
    return error_set(err, ERROR_FAILED, "the file ends, its header promises %" PRIu64 " records",
                     decoder->promised);
}

static int rec_decode(void *state, struct codec_source *source, const struct codec_options *options,
                      struct record *record, struct error *err)
{
    struct rec_decoder *decoder = state;
    const uint8_t *bytes;
    (void)options; /* always checked */
    if (!decoder->begun && take_header(decoder, source, err) < 0)
        return -1;
    ssize_t there = codec_source_peek(source, RECORD_SIZE, &bytes, err);
    if (there < 0)
        return -1;
    if (there < RECORD_SIZE || decoder->given == decoder->promised)
        return end_of_file(decoder, (size_t)there, err);
    if (record_decode(bytes, record) < 0)
        return error_set(err, ERROR_FAILED, "damaged: no position, move or code of a record");
    codec_source_take(source, RECORD_SIZE);
    decoder->given++;
    return 1;
}

const struct codec codec_rec = {
    .name = "rec",
    .extension = ".rec",
    .summary = "records of a build, with every field (only read)",
    .fields = CODEC_HOLDS_ALL,
    .record_size = RECORD_SIZE,
    .centipawns = true,
    .decoder_size = sizeof(struct rec_decoder),
    .decode = rec_decode,
};
