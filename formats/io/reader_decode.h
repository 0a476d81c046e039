/* SPDX-License-Identifier: MIT */
/*
 * From raw bytes to text, a step at a time. Frames (zstd) and members (gzip) follow each other;
 * only at a border between them may the input end, and only there is the next magic number looked
 * at. Plain text is a row of pieces without a magic number.
 *
 * What comes out, and after how much of it an error comes, depends on the input alone, never on how
 * much is asked for or read at once: a step of zstd takes exactly the bytes that the decoder asks
 * for and always has room for all that they can give.
 */
#ifndef PLYMILL_FORMATS_IO_READER_DECODE_H
#define PLYMILL_FORMATS_IO_READER_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <zlib.h>
#include <zstd.h>

#include "formats/io/error.h"
#include "formats/io/reader_input.h"

#define DECODER_ROOM (128u << 10) /* the least room for a step: the largest block of zstd */

enum decoder_kind { DECODER_PLAIN, DECODER_ZSTD, DECODER_GZIP };

struct decoder {
    enum decoder_kind kind;
    bool inside;    /* a frame, member or piece has begun and not ended */
    bool truncated; /* the input ended inside one */
    ZSTD_DCtx *zstd;
    size_t wanted; /* bytes of input that zstd asks for */
    z_stream gzip;
    bool gzip_ready;
};

/* Tells the kind by the first bytes. A file of 2 or 3 bytes may be the begin of an archive. */
int decoder_detect(struct input *input, enum decoder_kind *kind, struct error *err);
/* Free it in any case. */
int decoder_init(struct decoder *decoder, enum decoder_kind kind, const char *name,
                 struct error *err);
void decoder_free(struct decoder *decoder);

/* At a border: 1 when a frame begins, 0 at the end of the input, -1 on an error. */
int decoder_begin(struct decoder *decoder, struct input *input, struct error *err);
/* Inside: bytes put out (0 is possible), -1 on an error. size is at least DECODER_ROOM. */
ssize_t decoder_step(struct decoder *decoder, struct input *input, uint8_t *data, size_t size,
                     struct error *err);

/* A frame that pzstd announces: a skippable frame holds the compressed size of the next one. */
struct decoder_frame {
    size_t size;     /* of the frame */
    uint64_t window; /* memory that decoding it takes */
};

#define DECODER_ANNOUNCEMENT 12 /* bytes of that skippable frame */

/* Is the input at an announced frame? Reads only its first bytes. */
bool decoder_peek(struct input *input, struct decoder_frame *frame);

#endif
