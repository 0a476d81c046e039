/* SPDX-License-Identifier: MIT */
/*
 * See codec_compare.h.
 */
#include "formats/codec_compare.h"

#include <math.h>
#include <string.h>

#include "formats/chess/bitboard.h"

#define TURN_SQUARE 56 /* xor-ed: the same file, seen from the other side */

static uint8_t turn_square(uint8_t square)
{
    return square == SQUARE_NONE ? square : square ^ TURN_SQUARE;
}

static uint16_t turn_move(uint16_t move)
{
    return move == MOVE_NONE ? move : move ^ (TURN_SQUARE | TURN_SQUARE << 6);
}

/* Eight pieces at once: 0 .. 5 become 6 .. 11 and the other way, PIECE_NONE stays. */
static uint64_t swap_colours(uint64_t pieces)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t black = (pieces + (128 - 6) * ones) >> 7 & ones; /* or none */
    uint64_t none = (pieces + (128 - PIECE_NONE) * ones) >> 7 & ones;
    return pieces + 6 * ones + 6 * none - 12 * black;
}

static void turn_board(const struct position *from, struct position *to)
{
    for (unsigned rank = 0; rank < 8; rank++) {
        uint64_t pieces;
        memcpy(&pieces, from->board + (size_t)8 * rank, sizeof pieces);
        pieces = swap_colours(pieces);
        memcpy(to->board + ((8 * rank) ^ TURN_SQUARE), &pieces, sizeof pieces);
    }
    to->colour[WHITE] = bitboard_flip_ranks(from->colour[BLACK]);
    to->colour[BLACK] = bitboard_flip_ranks(from->colour[WHITE]);
    for (unsigned type = PAWN; type <= KING; type++)
        to->type[type] = bitboard_flip_ranks(from->type[type]);
}

static void turn_position(const struct position *from, struct position *to)
{
    turn_board(from, to);
    for (unsigned colour = 0; colour < 2; colour++) {
        to->rook[!colour][KING_SIDE] = turn_square(from->rook[colour][KING_SIDE]);
        to->rook[!colour][QUEEN_SIDE] = turn_square(from->rook[colour][QUEEN_SIDE]);
    }
    to->side = !from->side;
    to->ep = turn_square(from->ep);
    to->chess960 = from->chess960;
    to->halfmove = from->halfmove;
    to->fullmove = from->fullmove;
}

void codec_turn_to_white(const struct record *record, struct record *turned)
{
    *turned = *record;
    if (record->position.side == WHITE)
        return;
    turn_position(&record->position, &turned->position);
    turned->played = turn_move(record->played);
    turned->label.best_move = turn_move(record->label.best_move);
    if (codec_result_is_known(record))
        turned->result = (int8_t)-record->result;
    turned->white_rating = record->black_rating;
    turned->black_rating = record->white_rating;
}

static bool same_score(const struct score *a, const struct score *b)
{
    return a->kind == b->kind && a->value == b->value;
}

static bool same_written_score(const struct record *a, const struct record *b,
                               const struct codec_options *options)
{
    const struct score *x = record_score(a, options->last_exact);
    const struct score *y = record_score(b, options->last_exact);
    if (x->kind != y->kind || x->kind != SCORE_CP)
        return same_score(x, y);
    return lround(x->value * options->score_scale) == lround(y->value * options->score_scale);
}

static const char *find_in_position(const struct position *a, const struct position *b,
                                    unsigned fields)
{
    if (memcmp(a->board, b->board, sizeof a->board) != 0)
        return "board";
    if ((fields & CODEC_HOLDS_SIDE) && a->side != b->side)
        return "side to move";
    if ((fields & CODEC_HOLDS_CASTLING) && memcmp(a->rook, b->rook, sizeof a->rook) != 0)
        return "castling";
    if ((fields & CODEC_HOLDS_EP) && a->ep != b->ep)
        return "en passant square";
    if ((fields & CODEC_HOLDS_HALFMOVE) && a->halfmove != b->halfmove)
        return "half-move clock";
    if ((fields & CODEC_HOLDS_FULLMOVE) && a->fullmove != b->fullmove)
        return "full-move number";
    return NULL;
}

static const char *find_in_moves(const struct record *a, const struct record *b, unsigned fields,
                                 const struct codec_options *options)
{
    if ((fields & CODEC_HOLDS_MOVE) &&
        codec_chosen_move(a, options) != codec_chosen_move(b, options))
        return "move";
    if (!(fields & CODEC_HOLDS_BOTH_MOVES))
        return NULL;
    if (a->label.best_move != b->label.best_move)
        return "best move";
    return a->played != b->played ? "move played" : NULL;
}

static const char *find_in_label(const struct label *a, const struct label *b)
{
    if (!same_score(&a->final, &b->final))
        return "score";
    if (a->bound != b->bound)
        return "bound";
    if (!same_score(&a->exact, &b->exact))
        return "exact score";
    if (a->depth != b->depth)
        return "depth";
    if (a->exact_depth != b->exact_depth)
        return "depth of the exact score";
    if (a->nodes != b->nodes)
        return "nodes";
    return a->limit_kind != b->limit_kind || a->limit != b->limit ? "limit" : NULL;
}

static const char *find_in_game(const struct record *a, const struct record *b, unsigned fields)
{
    if ((fields & CODEC_HOLDS_GAME_ID) && strcmp(a->game_id, b->game_id) != 0)
        return "game id";
    if ((fields & CODEC_HOLDS_PLY) && a->ply != b->ply)
        return "ply";
    if ((fields & CODEC_HOLDS_RESULT) && a->result != b->result)
        return "result";
    if ((fields & CODEC_HOLDS_RATINGS) &&
        (a->white_rating != b->white_rating || a->black_rating != b->black_rating))
        return "ratings";
    return (fields & CODEC_HOLDS_SOURCE) && a->source != b->source ? "source" : NULL;
}

const char *codec_find_difference(const struct record *a, const struct record *b, unsigned fields,
                                  const struct codec_options *options)
{
    struct record turned_a, turned_b;
    if (!(fields & CODEC_HOLDS_SIDE)) {
        codec_turn_to_white(a, &turned_a);
        codec_turn_to_white(b, &turned_b);
        a = &turned_a;
        b = &turned_b;
    }
    const char *name = find_in_position(&a->position, &b->position, fields);
    if (name == NULL)
        name = find_in_moves(a, b, fields, options);
    if (name == NULL && (fields & CODEC_HOLDS_LABEL))
        name = find_in_label(&a->label, &b->label);
    if (name == NULL && (fields & CODEC_HOLDS_SCORE) && !same_written_score(a, b, options))
        name = "score";
    return name != NULL ? name : find_in_game(a, b, fields);
}
