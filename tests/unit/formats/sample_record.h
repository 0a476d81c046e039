/* SPDX-License-Identifier: MIT */
/*
 * A record for tests in which every field differs from every other and from zero.
 */
#ifndef PLYMILL_TESTS_FORMATS_SAMPLE_RECORD_H
#define PLYMILL_TESTS_FORMATS_SAMPLE_RECORD_H

#include <stdbool.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"
#include "formats/record.h"

/* Black to move, all castling rights but White's queen side, halfmove 3, fullmove 7. */
#define SAMPLE_FEN "r3k2r/pp3ppp/8/3p4/3P4/8/PP3PPP/R3K2R b Kkq - 3 7"

static inline bool sample_record(struct record *record)
{
    struct label *label = &record->label;
    *record = (struct record){.game_id = "aBcDeFgH", .ply = 0x010203, .result = -1};
    if (fen_parse(SAMPLE_FEN, strlen(SAMPLE_FEN), FEN_REJECT_BAD_CASTLING, &record->position,
                  NULL) != FEN_OK)
        return false;
    record->played = ucimove_parse(&record->position, "e8g8", 4);
    record->source = SOURCE_PGN_COMMENT;
    record->white_rating = 2512;
    record->black_rating = 1999;
    label->best_move = ucimove_parse(&record->position, "a8d8", 4);
    label->final = (struct score){SCORE_CP, -321};
    label->bound = BOUND_UPPER;
    label->exact = (struct score){SCORE_MATE, -12};
    label->exact_depth = 11;
    label->depth = 13;
    label->nodes = 0x0102030405060708;
    label->limit_kind = LIMIT_NODES;
    label->limit = 10000;
    return record->played != MOVE_NONE && label->best_move != MOVE_NONE;
}

static inline bool same_score(const struct score *a, const struct score *b)
{
    return a->kind == b->kind && a->value == b->value;
}

static inline bool same_label(const struct label *a, const struct label *b)
{
    return a->status == b->status && a->bound == b->bound && a->limit_kind == b->limit_kind &&
           a->best_move == b->best_move && a->depth == b->depth &&
           a->exact_depth == b->exact_depth && same_score(&a->final, &b->final) &&
           same_score(&a->exact, &b->exact) && a->nodes == b->nodes && a->limit == b->limit;
}

static inline bool same_record(const struct record *a, const struct record *b)
{
    return strcmp(a->game_id, b->game_id) == 0 && a->ply == b->ply &&
           position_equal(&a->position, &b->position) && a->played == b->played &&
           a->result == b->result && a->source == b->source && a->white_rating == b->white_rating &&
           a->black_rating == b->black_rating && same_label(&a->label, &b->label);
}

/* The same with colours changed: what the side to move sees stays, White's view turns. */
static inline uint16_t flip_move(uint16_t move)
{
    return move == MOVE_NONE ? move : (uint16_t)(move ^ (56 | 56 << 6));
}

static inline void flip_record(const struct record *record, struct record *flipped)
{
    const struct position *from = &record->position;
    struct position *to = &flipped->position;
    *flipped = *record;
    position_clear(to);
    for (unsigned square = 0; square < 64; square++)
        if (from->board[square] != PIECE_NONE)
            position_put(to, (uint8_t)((from->board[square] + 6) % 12), square ^ 56);
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned side = 0; side < 2; side++)
            to->rook[!colour][side] = from->rook[colour][side] == SQUARE_NONE
                                          ? SQUARE_NONE
                                          : (uint8_t)(from->rook[colour][side] ^ 56);
    to->side = !from->side;
    to->ep = from->ep == SQUARE_NONE ? SQUARE_NONE : (uint8_t)(from->ep ^ 56);
    to->chess960 = from->chess960;
    to->halfmove = from->halfmove;
    to->fullmove = from->fullmove;
    flipped->played = flip_move(record->played);
    flipped->label.best_move = flip_move(record->label.best_move);
    if (record->result >= -1 && record->result <= 1)
        flipped->result = (int8_t)-record->result;
}

#endif
