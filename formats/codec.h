/* SPDX-License-Identifier: MIT */
/*
 * The table of dataset formats. A format is one file that fills one entry; export knows no other
 * thing about it.
 */
#ifndef PLYMILL_FORMATS_CODEC_H
#define PLYMILL_FORMATS_CODEC_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/io/buffer.h"
#include "formats/io/error.h"
#include "formats/record.h"

enum codec_move { CODEC_MOVE_BEST, CODEC_MOVE_PLAYED };

/* Why a record does not fit a format. Counted, never wrapped. */
enum codec_misfit {
    CODEC_FITS = 0,
    CODEC_NO_RESULT,   /* the format needs a result and it is unknown */
    CODEC_MATE_SCORE,  /* only an integer fits */
    CODEC_SCORE_RANGE, /* the score does not fit its field */
    CODEC_NO_SCORE,    /* no score at all, or no exact one where that is asked for */
    CODEC_NO_MOVE,     /* the format needs a move and there is none */
    CODEC_PLY_RANGE,   /* the ply does not fit its field */
    CODEC_CHESS960,    /* castling rights that the format cannot say */
    CODEC_MISFIT_COUNT
};

struct codec_options {
    enum codec_move move;
    bool last_exact;    /* use the last exact score instead of the final one */
    double score_scale; /* written score = cp * score_scale, rounded half away from zero */
};

struct codec {
    const char *name;      /* "plain" */
    const char *extension; /* ".plain" */
    const char *summary;   /* one line for help */
    bool compress;         /* .zst by default */
    bool internal_unit;    /* score_unit = "auto" means the engine's internal units */
    /* Bytes that open a file. NULL: none. */
    int (*begin)(struct buffer *out, struct error *err);
    /* Appends one record to out, or sets *misfit and appends nothing. */
    int (*encode)(const struct record *record, const struct codec_options *options,
                  struct buffer *out, enum codec_misfit *misfit, struct error *err);
    /*
     * Reads one record back from text (size bytes, zero-terminated). Gives the bytes used, 0 when
     * the text is at its end, -1 on an error. NULL: cannot be read yet. Only fields that the format
     * holds are set, the rest is zero. Bytes that open a file are read over, so decoding begins at
     * its first byte. The text must hold whole records: one that is cut is an error. An error says
     * which line of the record (from 1) or which column is wrong; the caller says which record.
     */
    long (*decode)(const char *text, size_t size, const struct codec_options *options,
                   struct record *record, struct error *err);
};

extern const struct codec codec_plain, codec_csv;

/* All formats, ended by NULL, in the order of help. */
extern const struct codec *const codec_table[];
/* By name, or NULL. */
const struct codec *codec_find(const char *name);
const char *codec_misfit_text(enum codec_misfit misfit);

#endif
