/* SPDX-License-Identifier: MIT */
#include "formats/pgn_play.h"

static uint64_t find_keepers(const struct position *position)
{
    uint64_t keepers = 0;
    for (unsigned colour = WHITE; colour <= BLACK; colour++) {
        uint64_t king = position->colour[colour] & position->type[KING];
        for (unsigned side = KING_SIDE; side <= QUEEN_SIDE; side++) {
            unsigned rook = position->rook[colour][side];
            if (rook != SQUARE_NONE)
                keepers |= bitboard_of(rook) | king;
        }
    }
    return keepers;
}

void pgn_play_begin(struct pgn_play *play, const struct position *start)
{
    play->position = *start;
    play->guard = legality_find_guard(start);
    play->keepers = find_keepers(start);
    play->sum = pgn_hash_sum(start);
    play->hash = 0;
}

void pgn_play_castle(struct pgn_play *play, enum castling_side side)
{
    struct position *position = &play->position;
    unsigned us = position->side, king = position_king(position, us);
    unsigned rook = position->rook[us][side];
    unsigned king_to = legality_castling_king_to(us, side);
    unsigned rook_to = legality_castling_rook_to(us, side);
    uint64_t left = bitboard_of(king) | bitboard_of(rook);
    uint64_t entered = bitboard_of(king_to) | bitboard_of(rook_to);

    /* In Chess960 they may swap squares or stay. */
    position->colour[us] = (position->colour[us] & ~left) | entered;
    position->type[KING] ^= bitboard_of(king) ^ bitboard_of(king_to);
    position->type[ROOK] ^= bitboard_of(rook) ^ bitboard_of(rook_to);
    position->board[king] = position->board[rook] = PIECE_NONE;
    position->board[king_to] = piece_make(us, KING);
    position->board[rook_to] = piece_make(us, ROOK);
    position->rook[us][KING_SIDE] = position->rook[us][QUEEN_SIDE] = SQUARE_NONE;
    position->ep = SQUARE_NONE;
    if (play->keepers)
        play->keepers = find_keepers(position);
    play->sum = pgn_hash_sum(position);
    pgn_play_pass_turn(play, us);
}

void pgn_play_move(struct pgn_play *play, uint16_t move)
{
    struct position *position = &play->position;
    if (move_kind(move) == MOVE_CASTLING) {
        pgn_play_castle(play, move_to(move) > move_from(move) ? KING_SIDE : QUEEN_SIDE);
        return;
    }
    position_make(position, move, NULL);
    play->guard = legality_find_guard(position);
    if (play->keepers)
        play->keepers = find_keepers(position);
    play->sum = pgn_hash_sum(position);
    play->hash += pgn_hash_mix(play->sum, position->side);
}

/* touched: where a piece has left or arrived, on the board as it is now. */
void pgn_play_drop_rights(struct pgn_play *play, uint64_t touched)
{
    struct position *position = &play->position;
    for (unsigned colour = WHITE; colour <= BLACK; colour++) {
        bool king = touched & position->colour[colour] & position->type[KING];
        for (unsigned side = KING_SIDE; side <= QUEEN_SIDE; side++) {
            uint8_t *rook = &position->rook[colour][side];
            if (*rook != SQUARE_NONE && (king || touched & bitboard_of(*rook)))
                *rook = SQUARE_NONE;
        }
    }
    play->keepers = find_keepers(position);
}

/* A pawn has jumped over a square that another one attacks, but the turn has not passed yet. */
void pgn_play_find_ep(struct pgn_play *play, unsigned from, unsigned to)
{
    struct position *position = &play->position;
    position->ep = (uint8_t)((from + to) / 2);
    position->side ^= 1;
    position_normalise_ep(position);
    position->side ^= 1;
}
