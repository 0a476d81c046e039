/* SPDX-License-Identifier: MIT */
/*
 * The record: one labeled position with everything known about it, and the .rec file that holds
 * records between selection and export.
 *
 * File: a header of 64 bytes, then records of 128 bytes, all little-endian.
 *
 *   header   0  8  "plymrec" and a newline
 *            8  4  version, 1
 *           12  4  size of a record, 128
 *           16  8  number of records
 *           24 40  zero
 *
 *   record   0 36  position (chess/poskey.h, packed)
 *           36 18  game id, zero-padded
 *           54  2  move played, 0 = none
 *           56  4  ply
 *           60  1  result, White's view: 1, 0, -1; 2 = unknown
 *           61  1  source (label.h)
 *           62  2  White's rating, 0 = unknown
 *           64  2  Black's rating
 *           66  1  final score: kind
 *           67  1  final score: bound
 *           68  4  final score: value, signed
 *           72  1  last exact score: kind
 *           73  1  kind of the limit
 *           74  2  last exact score: depth
 *           76  4  last exact score: value, signed
 *           80  2  best move
 *           82  2  depth
 *           84  4  zero
 *           88  8  nodes
 *           96  8  limit
 *          104 24  zero
 */
#ifndef PLYMILL_FORMATS_RECORD_H
#define PLYMILL_FORMATS_RECORD_H

#include <stdint.h>

#include "formats/chess/position.h"
#include "formats/gameid.h"
#include "formats/io/error.h"
#include "formats/io/writer.h"
#include "formats/label.h"

#define RECORD_SIZE        128
#define RECORD_HEADER_SIZE 64
#define RECORD_LABEL_SIZE  38 /* the bytes 66 to 103 of a record: its label */

struct record {
    char game_id[GAMEID_MAX];
    uint32_t ply;
    struct position position;
    uint16_t played;                     /* the move played in the game, MOVE_NONE if unknown */
    int8_t result;                       /* White's view: 1, 0, -1; 2 = unknown (enum pgn_result) */
    uint8_t source;                      /* enum label_source */
    uint16_t white_rating, black_rating; /* 0 = unknown */
    struct label label;                  /* status is always LABEL_OK */
};

/* The score that a dataset uses: label.final, or label.exact when last_exact. Side to move. */
const struct score *record_score(const struct record *record, bool last_exact);

void record_encode(const struct record *record, uint8_t out[RECORD_SIZE]);
/* 0, or -1 when the bytes hold no valid record (bad position, illegal best move, unknown codes). */
int record_decode(const uint8_t in[RECORD_SIZE], struct record *record);
/* The label alone, laid out as in a record. Decoding: -1 for unknown codes; moves are not checked.
 */
void record_label_encode(const struct label *label, uint8_t out[RECORD_LABEL_SIZE]);
int record_label_decode(const uint8_t in[RECORD_LABEL_SIZE], struct label *label);
/* The number of records that the header of a .rec file promises. -1: none, or of another version.
 */
int record_header_read(const uint8_t header[RECORD_HEADER_SIZE], uint64_t *count,
                       struct error *err);

struct record_writer;

/* The count must be known: it stands in the header. Committing with another number is an error. */
int record_writer_create(const char *path, uint64_t count, struct record_writer **writer,
                         struct error *err);
int record_writer_add(struct record_writer *writer, const struct record *record, struct error *err);
int record_writer_commit(struct record_writer *writer, struct writer_result *result,
                         struct error *err);
void record_writer_discard(struct record_writer *writer);

struct record_reader;

/* Checks header, version and that the size of the file fits the count. */
int record_reader_open(const char *path, struct record_reader **reader, struct error *err);
uint64_t record_reader_count(const struct record_reader *reader);
/* 1, 0 at the end, -1 with file and record number. */
int record_reader_next(struct record_reader *reader, struct record *record, struct error *err);
/* Back to the first record. */
int record_reader_rewind(struct record_reader *reader, struct error *err);
void record_reader_close(struct record_reader *reader);

#endif
