/* SPDX-License-Identifier: MIT */
/*
 * Positions and moves on them. Making a move touches the squares it changes and nothing else:
 * reading an archive does this for every half-move of every game.
 */
#include "formats/chess/position.h"

#include <string.h>

#include "formats/chess/hints.h"
#include "formats/chess/legality.h"
#include "formats/chess/position_plain.h"

void position_clear(struct position *position)
{
    memset(position, 0, sizeof *position);
    memset(position->board, PIECE_NONE, sizeof position->board);
    memset(position->rook, SQUARE_NONE, sizeof position->rook);
    position->ep = SQUARE_NONE;
    position->fullmove = 1;
}

void position_start(struct position *position)
{
    static const uint8_t back_rank[8] = {ROOK, KNIGHT, BISHOP, QUEEN, KING, BISHOP, KNIGHT, ROOK};

    position_clear(position);
    for (unsigned file = 0; file < 8; file++) {
        position_put(position, piece_make(WHITE, back_rank[file]), square_make(file, 0));
        position_put(position, piece_make(WHITE, PAWN), square_make(file, 1));
        position_put(position, piece_make(BLACK, PAWN), square_make(file, 6));
        position_put(position, piece_make(BLACK, back_rank[file]), square_make(file, 7));
    }
    position->rook[WHITE][KING_SIDE] = square_make(7, 0);
    position->rook[WHITE][QUEEN_SIDE] = square_make(0, 0);
    position->rook[BLACK][KING_SIDE] = square_make(7, 7);
    position->rook[BLACK][QUEEN_SIDE] = square_make(0, 7);
}

/* A piece of known kind on or off a square of the two sets that hold it. */
static inline void toggle(struct position *position, unsigned colour, unsigned type, uint64_t set)
{
    position->colour[colour] ^= set;
    position->type[type] ^= set;
}

void position_put(struct position *position, uint8_t piece, unsigned square)
{
    toggle(position, piece_colour(piece), piece_type_of(piece), bitboard_of(square));
    position->board[square] = piece;
}

void position_remove(struct position *position, unsigned square)
{
    uint8_t piece = position->board[square];
    toggle(position, piece_colour(piece), piece_type_of(piece), bitboard_of(square));
    position->board[square] = PIECE_NONE;
}

static inline unsigned ep_victim(unsigned colour, unsigned ep)
{
    return colour == WHITE ? ep - 8 : ep + 8;
}

static enum castling_side castling_side_of(uint16_t move)
{
    return move_to(move) > move_from(move) ? KING_SIDE : QUEEN_SIDE;
}

uint8_t position_captured(const struct position *position, uint16_t move)
{
    switch (move_kind(move)) {
    case MOVE_CASTLING:
        return PIECE_NONE;
    case MOVE_EN_PASSANT:
        return piece_make(!position->side, PAWN);
    default:
        return position->board[move_to(move)];
    }
}

static inline void delta_remove(struct delta *delta, unsigned piece, unsigned square)
{
    delta->removed[delta->removed_count++] = (struct piece_on){(uint8_t)piece, (uint8_t)square};
}

static inline void delta_add(struct delta *delta, unsigned piece, unsigned square)
{
    delta->added[delta->added_count++] = (struct piece_on){(uint8_t)piece, (uint8_t)square};
}

static void castling_delta(const struct position *position, uint16_t move, struct delta *delta)
{
    unsigned us = position->side, king = move_from(move), rook = move_to(move);
    enum castling_side side = castling_side_of(move);
    unsigned king_to = legality_castling_king_to(us, side);
    unsigned rook_to = legality_castling_rook_to(us, side);

    if (king != king_to) {
        delta_remove(delta, piece_make(us, KING), king);
        delta_add(delta, piece_make(us, KING), king_to);
    }
    if (rook != rook_to) {
        delta_remove(delta, piece_make(us, ROOK), rook);
        delta_add(delta, piece_make(us, ROOK), rook_to);
    }
}

void position_delta(const struct position *position, uint16_t move, struct delta *delta)
{
    unsigned us = position->side, from = move_from(move), to = move_to(move);
    unsigned piece = position->board[from], captured = position_captured(position, move);

    memset(delta, 0, sizeof *delta);
    if (move_kind(move) == MOVE_CASTLING) {
        castling_delta(position, move, delta);
        return;
    }
    delta_remove(delta, piece, from);
    if (captured != PIECE_NONE)
        delta_remove(delta, captured, move_kind(move) == MOVE_EN_PASSANT ? ep_victim(us, to) : to);
    if (move_kind(move) == MOVE_PROMOTION)
        piece = piece_make(us, move_promotion(move));
    delta_add(delta, piece, to);
}

static void note_undo(const struct position *position, uint16_t move, struct undo *undo)
{
    undo->move = move;
    undo->captured = position_captured(position, move);
    undo->ep = position->ep;
    memcpy(undo->rook, position->rook, sizeof undo->rook);
    undo->halfmove = position->halfmove;
    undo->fullmove = position->fullmove;
    position_delta(position, move, &undo->delta);
}

/* King and rook leave before they arrive: in Chess960 they may swap squares. */
static void move_castling_pair(struct position *position, unsigned us, const unsigned from[2],
                               const unsigned to[2])
{
    position_remove(position, from[0]);
    position_remove(position, from[1]);
    position_put(position, piece_make(us, KING), to[0]);
    position_put(position, piece_make(us, ROOK), to[1]);
}

static void make_castling(struct position *position, uint16_t move)
{
    unsigned us = position->side;
    enum castling_side side = castling_side_of(move);
    const unsigned from[2] = {move_from(move), move_to(move)};
    const unsigned to[2] = {legality_castling_king_to(us, side),
                            legality_castling_rook_to(us, side)};
    move_castling_pair(position, us, from, to);
    position_drop_king_rights(position, us);
}

static OUT_OF_LINE void make_special_move(struct position *position, uint16_t move)
{
    unsigned us = position->side, from = move_from(move), to = move_to(move);

    if (move_kind(move) == MOVE_CASTLING) {
        make_castling(position, move);
        position->halfmove = position_next_clock(position->halfmove);
        position_pass_turn(position, SQUARE_NONE);
        return;
    }
    position_make_plain(position, from, to);
    if (move_kind(move) == MOVE_EN_PASSANT) {
        position_remove(position, ep_victim(us, to));
    } else {
        position_remove(position, to);
        position_put(position, piece_make(us, move_promotion(move)), to);
    }
}

static OUT_OF_LINE void make_with_undo(struct position *position, uint16_t move, struct undo *undo)
{
    note_undo(position, move, undo);
    position_make(position, move, NULL);
}

void position_make(struct position *position, uint16_t move, struct undo *undo)
{
    if (undo)
        make_with_undo(position, move, undo);
    else if (move_kind(move) != MOVE_NORMAL)
        make_special_move(position, move);
    else
        position_make_plain(position, move_from(move), move_to(move));
}

static void unmake_castling(struct position *position, uint16_t move)
{
    unsigned us = position->side;
    enum castling_side side = castling_side_of(move);
    const unsigned from[2] = {legality_castling_king_to(us, side),
                              legality_castling_rook_to(us, side)};
    const unsigned to[2] = {move_from(move), move_to(move)};
    move_castling_pair(position, us, from, to);
}

static void unmake_piece_move(struct position *position, const struct undo *undo)
{
    unsigned us = position->side, from = move_from(undo->move), to = move_to(undo->move);
    enum move_kind kind = move_kind(undo->move);
    uint8_t piece = kind == MOVE_PROMOTION ? piece_make(us, PAWN) : position->board[to];

    position_remove(position, to);
    position_put(position, piece, from);
    if (undo->captured != PIECE_NONE)
        position_put(position, undo->captured, kind == MOVE_EN_PASSANT ? ep_victim(us, to) : to);
}

void position_unmake(struct position *position, const struct undo *undo)
{
    position->side ^= 1;
    if (move_kind(undo->move) == MOVE_CASTLING)
        unmake_castling(position, undo->move);
    else
        unmake_piece_move(position, undo);
    position->ep = undo->ep;
    memcpy(position->rook, undo->rook, sizeof position->rook);
    position->halfmove = undo->halfmove;
    position->fullmove = undo->fullmove;
}

uint64_t position_attackers(const struct position *position, unsigned square, unsigned by,
                            uint64_t occupied)
{
    const uint64_t *type = position->type;
    uint64_t attackers = (attacks_knight(square) & type[KNIGHT]) |
                         (attacks_king(square) & type[KING]) |
                         (attacks_pawn(!by, square) & type[PAWN]);
    uint64_t sliders = (attacks_rook_rays(square) & (type[ROOK] | type[QUEEN])) |
                       (attacks_bishop_rays(square) & (type[BISHOP] | type[QUEEN]));

    sliders &= position->colour[by];
    while (sliders) {
        unsigned slider = bitboard_pop(&sliders);
        if (!(attacks_between(square, slider) & occupied))
            attackers |= bitboard_of(slider);
    }
    return attackers & position->colour[by];
}

unsigned position_king(const struct position *position, unsigned colour)
{
    return bitboard_first(position->colour[colour] & position->type[KING]);
}

static uint64_t attackers_of_king(const struct position *position, unsigned colour)
{
    return position_attackers(position, position_king(position, colour), !colour,
                              position->colour[WHITE] | position->colour[BLACK]);
}

uint64_t position_checkers(const struct position *position)
{
    return attackers_of_king(position, position->side);
}

bool position_equal(const struct position *a, const struct position *b)
{
    return memcmp(a->colour, b->colour, sizeof a->colour) == 0 &&
           memcmp(a->type, b->type, sizeof a->type) == 0 &&
           memcmp(a->board, b->board, sizeof a->board) == 0 && a->side == b->side &&
           a->ep == b->ep && memcmp(a->rook, b->rook, sizeof a->rook) == 0 &&
           a->chess960 == b->chess960 && a->halfmove == b->halfmove && a->fullmove == b->fullmove;
}

bool position_board_is_sane(const struct position *position)
{
    for (unsigned colour = WHITE; colour <= BLACK; colour++) {
        if (bitboard_count(position->colour[colour] & position->type[KING]) != 1 ||
            bitboard_count(position->colour[colour]) > POSITION_SIDE_MAX)
            return false;
    }
    return !(position->type[PAWN] & BITBOARD_EDGE_RANKS);
}

enum position_fault position_find_fault(const struct position *position)
{
    if (!position_board_is_sane(position))
        return POSITION_BAD_BOARD;
    if (attackers_of_king(position, !position->side))
        return POSITION_OPPONENT_IN_CHECK;
    if (bitboard_count(position_checkers(position)) > 2)
        return POSITION_BAD_CHECK;
    return POSITION_OK;
}

bool position_castling_is_odd(const struct position *position)
{
    for (unsigned colour = WHITE; colour <= BLACK; colour++) {
        for (unsigned side = KING_SIDE; side <= QUEEN_SIDE; side++) {
            unsigned rook = position->rook[colour][side];
            if (rook != SQUARE_NONE && (square_file(position_king(position, colour)) != 4 ||
                                        square_file(rook) != (side == KING_SIDE ? 7 : 0)))
                return true;
        }
    }
    return false;
}

bool position_ep_fits(const struct position *position, unsigned ep)
{
    unsigned us = position->side;
    if (ep >= SQUARE_NONE)
        return false;
    uint64_t occupied = position->colour[WHITE] | position->colour[BLACK];
    uint64_t jumped = bitboard_of(ep), origin = us == WHITE ? jumped << 8 : jumped >> 8;

    return square_rank(ep) == (us == WHITE ? 5 : 2) && !(occupied & (jumped | origin)) &&
           position->board[ep_victim(us, ep)] == piece_make(!us, PAWN);
}

void position_normalise_ep(struct position *position)
{
    unsigned us = position->side, ep = position->ep;

    position->ep = SQUARE_NONE;
    if (!position_ep_fits(position, ep))
        return;
    uint64_t takers = attacks_pawn(!us, ep) & position->colour[us] & position->type[PAWN];
    while (takers) {
        if (legality_of_en_passant(position, bitboard_pop(&takers), ep)) {
            position->ep = (uint8_t)ep;
            return;
        }
    }
}
