/* SPDX-License-Identifier: MIT */
/*
 * The table of dataset formats. A format is one file that fills one entry; whoever reads or writes
 * datasets (codec_file.h) knows nothing else about it.
 */
#ifndef PLYMILL_FORMATS_CODEC_H
#define PLYMILL_FORMATS_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/codec_source.h"
#include "formats/io/buffer.h"
#include "formats/io/error.h"
#include "formats/record.h"

enum codec_move { CODEC_MOVE_BEST, CODEC_MOVE_PLAYED };

/*
 * Fields of a record that a format may hold. Pieces are held by all. What a format does not hold is
 * zero (unknown) after reading; castling rights and en passant squares are none.
 */
enum codec_field {
    CODEC_HOLDS_SIDE = 1 << 0,     /* whose move it is; without it positions come back as White's:
                                      board, move and result turned with it (codec_compare.h) */
    CODEC_HOLDS_CASTLING = 1 << 1, /* rights in standard chess */
    CODEC_HOLDS_CHESS960 = 1 << 2, /* rights and castling moves of Chess960 */
    CODEC_HOLDS_EP = 1 << 3,
    CODEC_HOLDS_HALFMOVE = 1 << 4,
    CODEC_HOLDS_FULLMOVE = 1 << 5,
    CODEC_HOLDS_PLY = 1 << 6,
    CODEC_HOLDS_RESULT = 1 << 7,
    CODEC_HOLDS_UNKNOWN_RESULT = 1 << 8,
    CODEC_HOLDS_MOVE = 1 << 9,        /* the one that options.move chooses */
    CODEC_HOLDS_BOTH_MOVES = 1 << 10, /* best and played; CODEC_HOLDS_MOVE is set, too */
    CODEC_HOLDS_SCORE = 1 << 11,      /* the one that options.last_exact chooses, as a number */
    CODEC_HOLDS_LABEL = 1 << 12, /* everything: mates, bounds, exact score, depths, nodes, limit;
                                    CODEC_HOLDS_SCORE is set, too */
    CODEC_HOLDS_GAME_ID = 1 << 13,
    CODEC_HOLDS_RATINGS = 1 << 14,
    CODEC_HOLDS_SOURCE = 1 << 15,
    CODEC_HOLDS_ALL = (1 << 16) - 1
};

/* Why a record does not fit a format. Counted, never wrapped. */
enum codec_misfit {
    CODEC_FITS = 0,
    CODEC_NO_RESULT,      /* the format needs a result and it is unknown */
    CODEC_MATE_SCORE,     /* only an integer fits */
    CODEC_SCORE_RANGE,    /* the score does not fit its field */
    CODEC_NO_SCORE,       /* no score at all, or no exact one where that is asked for */
    CODEC_NO_MOVE,        /* the format needs a move and there is none */
    CODEC_ILLEGAL_MOVE,   /* the notation needs a legal one (only after reading unchecked) */
    CODEC_PLY_RANGE,      /* the ply does not fit its field */
    CODEC_HALFMOVE_RANGE, /* the half-move clock does not fit its field */
    CODEC_FULLMOVE_RANGE, /* the full-move number does not fit its field */
    CODEC_NODES_RANGE,    /* the node count or limit does not fit its field */
    CODEC_CHESS960,       /* castling rights or moves that the format cannot say */
    CODEC_NO_CHAIN,       /* the format holds whole games and this record continues none */
    CODEC_MISFIT_COUNT
};

struct codec_options {
    enum codec_move move;
    bool last_exact;    /* use the last exact score instead of the final one */
    double score_scale; /* written score = cp * score_scale, rounded half away from zero;
                           CODEC_SCALE_MIN .. CODEC_SCALE_MAX, checked when a file is opened */
    bool validate;      /* reading: check that positions and moves are legal (speed without it) */
    bool chains;        /* writing: join records that continue one another (binpack, viri) */
};

#define CODEC_SCALE_MIN 1e-6
#define CODEC_SCALE_MAX 1e6

struct codec {
    const char *name;      /* "plain" */
    const char *extension; /* ".plain" */
    const char *summary;   /* one line for help */
    unsigned fields;       /* enum codec_field, or-ed */
    size_t record_size;    /* bytes of every record; 0: they vary */
    bool compress;         /* .zst by default */
    bool internal_unit;    /* score_unit = "auto" means the engine's internal units */
    bool centipawns;       /* scores are centipawns whatever score_unit says */
    bool games;            /* holds whole games only: needs options.chains */
    /* Bytes of state, zeroed before the first call; 0: none is needed and state is NULL. */
    size_t encoder_size, decoder_size;
    /* Appends the bytes that open a file. NULL: none. */
    int (*begin)(void *state, struct buffer *out, struct error *err);
    /*
     * Appends what one more record adds to the file (nothing while a chunk is being gathered in the
     * state), or sets *misfit and leaves state and out as they were.
     */
    int (*encode)(void *state, const struct record *record, const struct codec_options *options,
                  struct buffer *out, enum codec_misfit *misfit, struct error *err);
    /* Appends what is still held back. NULL: nothing ever is. */
    int (*end)(void *state, struct buffer *out, struct error *err);
    /*
     * Takes the next record from source: 1, 0 at the end of the data, -1 on damage (bad magic, cut
     * tail, impossible values; with options.validate also illegal positions and moves). Without
     * validate every position still has one king a side, no pawn on an edge and at most 16 pieces a
     * side (position_board_is_sane), squares and codes in range and rights and en passant squares
     * that fit the board, so that all of formats/chess is safe to call; a move may be any 16 bits.
     * The text formats are checked wholly in either case. Only the fields that the format holds are
     * set, the rest is zero; source is SOURCE_INPUT unless the format holds it. An error says what
     * is wrong; the caller says which file, record, byte and line (the mark of codec_source.h: set
     * before every call, moved by decoders that know better). After -1 only freeing is allowed.
     */
    int (*decode)(void *state, struct codec_source *source, const struct codec_options *options,
                  struct record *record, struct error *err);
    /*
     * Positions that decode passed over because no game can reach them or their move is illegal:
     * for sources of positions that others made (Lichess's lists), where one is no damage. NULL:
     * never any.
     */
    uint64_t (*refused)(const void *state);
    /* Frees what the state owns (not the state itself). NULL: nothing. */
    void (*free_encoder)(void *state);
    void (*free_decoder)(void *state);
};

extern const struct codec codec_plain, codec_bin, codec_binpack, codec_bullet, codec_marlin,
    codec_viri, codec_csv, codec_jsonl, codec_epd;
/* Only to be read: encode is NULL. */
extern const struct codec codec_rec, codec_lichess_evals, codec_lichess_puzzles;

/* All formats, ended by NULL, in the order of help. */
extern const struct codec *const codec_table[];
/* By name, or NULL. */
const struct codec *codec_find(const char *name);
/*
 * By the extension of a path, or NULL: "x.plain", "x.plain.zst", "x.csv.gz"; "x.bullet.bin",
 * "x.marlin.bin" and "x.viri.bin" go by the inner one, any other ".bin" is bin.
 */
const struct codec *codec_of_path(const char *path);
const char *codec_misfit_text(enum codec_misfit misfit);

/*
 * Shared by the formats with an integer score. The chosen score scaled, rounded half away from
 * zero, in -max .. max; or the misfit.
 */
enum codec_misfit codec_integer_score(const struct record *record,
                                      const struct codec_options *options, long max, long *score);
/* The other way: centipawns from a written integer. */
struct score codec_score_read(long written, const struct codec_options *options);

/*
 * The same for plain, bin and binpack: 16 bits, of which Stockfish's tools take 32002 as "no score,
 * skip this position". Neither it nor -32002 is ever written; 32002 reads as SCORE_NONE.
 */
#define CODEC_SFEN_SCORE_MAX  INT16_MAX
#define CODEC_SFEN_SCORE_NONE 32002
enum codec_misfit codec_sfen_score(const struct record *record, const struct codec_options *options,
                                   long *score);
struct score codec_sfen_score_read(long written, const struct codec_options *options);

/* The move that options.move chooses, and setting it. */
uint16_t codec_chosen_move(const struct record *record, const struct codec_options *options);
void codec_set_move(struct record *record, const struct codec_options *options, uint16_t move);
/* Sets the score that options.last_exact chooses: the final one, and the exact one with it. */
void codec_set_score(struct record *record, const struct codec_options *options,
                     struct score score);
/* From White's view to the mover's, and back. */
int codec_turn_result(int result, const struct position *position);
/* -1, 0 or 1, as formats without unknown results need it. */
bool codec_result_is_known(const struct record *record);

#endif
