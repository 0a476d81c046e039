/* SPDX-License-Identifier: MIT */
/*
 * Every pseudo-legal move, each asked whether it leaves the king safe. Speed is not the aim here,
 * but for the one question of dataset readers: is this move legal?
 */
#include "formats/chess/movegen.h"

#include <stddef.h>

#include "formats/chess/legality.h"

struct move_list {
    uint16_t *moves;
    unsigned count;
};

static void add_promotions(struct move_list *list, unsigned from, unsigned to)
{
    for (unsigned type = QUEEN; type >= KNIGHT; type--)
        list->moves[list->count++] = move_make_promotion(from, to, type);
}

/* Where a pawn may go, en passant aside. */
static uint64_t pawn_targets(const struct position *position, unsigned from)
{
    unsigned us = position->side;
    uint64_t empty = ~(position->colour[WHITE] | position->colour[BLACK]);
    uint64_t pawn = bitboard_of(from);
    uint64_t once = (us == WHITE ? pawn << 8 : pawn >> 8) & empty;
    uint64_t twice =
        (us == WHITE ? once << 8 : once >> 8) & empty & bitboard_rank(us == WHITE ? 3 : 4);
    return once | twice | (attacks_pawn(us, from) & position->colour[!us]);
}

static void add_pawn_moves(const struct position *position, unsigned from, struct move_list *list)
{
    unsigned us = position->side;
    uint64_t targets = pawn_targets(position, from), ep = 0;

    if (position->ep != SQUARE_NONE)
        ep = attacks_pawn(us, from) & bitboard_of(position->ep);
    while (targets) {
        unsigned to = bitboard_pop(&targets);
        if (!legality_of_piece_move(position, from, to))
            continue;
        if (bitboard_of(to) & BITBOARD_EDGE_RANKS)
            add_promotions(list, from, to);
        else
            list->moves[list->count++] = move_make(from, to, MOVE_NORMAL);
    }
    if (ep && legality_of_en_passant(position, from, position->ep))
        list->moves[list->count++] = move_make(from, position->ep, MOVE_EN_PASSANT);
}

static void add_piece_moves(const struct position *position, unsigned from, struct move_list *list)
{
    uint64_t own = position->colour[position->side];
    uint64_t targets =
        ~own & attacks_of(position->board[from], from, own | position->colour[!position->side]);
    bool king = piece_type_of(position->board[from]) == KING;

    while (targets) {
        unsigned to = bitboard_pop(&targets);
        if (king ? legality_of_king_move(position, from, to)
                 : legality_of_piece_move(position, from, to))
            list->moves[list->count++] = move_make(from, to, MOVE_NORMAL);
    }
}

static void add_castlings(const struct position *position, struct move_list *list)
{
    unsigned us = position->side, king = position_king(position, us);

    for (unsigned side = KING_SIDE; side <= QUEEN_SIDE; side++) {
        if (legality_of_castling(position, (enum castling_side)side))
            list->moves[list->count++] = move_make(king, position->rook[us][side], MOVE_CASTLING);
    }
}

unsigned movegen_legal(const struct position *position, uint16_t moves[MOVES_MAX])
{
    struct move_list list = {moves, 0};
    uint64_t own = position->colour[position->side];

    while (own) {
        unsigned from = bitboard_pop(&own);
        if (piece_type_of(position->board[from]) == PAWN)
            add_pawn_moves(position, from, &list);
        else
            add_piece_moves(position, from, &list);
    }
    add_castlings(position, &list);
    return list.count;
}

bool movegen_has_legal(const struct position *position)
{
    uint16_t moves[MOVES_MAX];
    return movegen_legal(position, moves) > 0;
}

static bool pawn_move_is_legal(const struct position *position, unsigned from, uint16_t move)
{
    unsigned to = move_to(move);
    bool last_rank = (bitboard_of(to) & BITBOARD_EDGE_RANKS) != 0;

    if (move_kind(move) == MOVE_EN_PASSANT)
        return to == position->ep && attacks_pawn(position->side, from) & bitboard_of(to) &&
               legality_of_en_passant(position, from, to);
    return last_rank == (move_kind(move) == MOVE_PROMOTION) &&
           pawn_targets(position, from) & bitboard_of(to) &&
           legality_of_piece_move(position, from, to);
}

static bool castling_is_legal(const struct position *position, unsigned from, unsigned to)
{
    const uint8_t *rook = position->rook[position->side];
    enum castling_side side = to == rook[KING_SIDE] ? KING_SIDE : QUEEN_SIDE;
    return from == position_king(position, position->side) && to == rook[side] &&
           legality_of_castling(position, side);
}

bool movegen_is_legal(const struct position *position, uint16_t move)
{
    unsigned from = move_from(move), to = move_to(move);
    uint64_t own = position->colour[position->side];
    unsigned piece = position->board[from];

    if (!(own & bitboard_of(from)) ||
        (move_kind(move) != MOVE_PROMOTION && move_promotion(move) != KNIGHT))
        return false;
    if (piece_type_of(piece) == PAWN)
        return move_kind(move) != MOVE_CASTLING && pawn_move_is_legal(position, from, move);
    if (move_kind(move) == MOVE_CASTLING)
        return castling_is_legal(position, from, to);
    if (move_kind(move) != MOVE_NORMAL ||
        !(attacks_of(piece, from, own | position->colour[!position->side]) & ~own &
          bitboard_of(to)))
        return false;
    return piece_type_of(piece) == KING ? legality_of_king_move(position, from, to)
                                        : legality_of_piece_move(position, from, to);
}

uint64_t movegen_perft(const struct position *position, unsigned depth)
{
    uint16_t moves[MOVES_MAX];
    uint64_t nodes = 0;

    if (depth == 0)
        return 1;
    unsigned count = movegen_legal(position, moves);
    if (depth == 1)
        return count;
    for (unsigned i = 0; i < count; i++) {
        struct position next = *position;
        position_make(&next, moves[i], NULL);
        nodes += movegen_perft(&next, depth - 1);
    }
    return nodes;
}
