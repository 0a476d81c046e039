/* SPDX-License-Identifier: MIT */
/*
 * A game as it is played through while it is read: the board, and what is kept up beside it move by
 * move because every half-move of an archive asks for it.
 */
#ifndef PLYMILL_FORMATS_PGN_PLAY_H
#define PLYMILL_FORMATS_PGN_PLAY_H

#include <stdint.h>

#include "formats/chess/hints.h"
#include "formats/chess/legality.h"
#include "formats/chess/position.h"
#include "formats/chess/san_plain.h"
#include "formats/pgn_hash.h"

struct pgn_play {
    struct position position;    /* but for the half-move clock, which nothing here needs */
    struct legality_guard guard; /* of position */
    uint64_t keepers;            /* kings and rooks that a castling right rests on */
    uint64_t sum;                /* of position: pgn_hash.h */
    uint64_t hash;               /* of all positions after a move, summed */
};

/* From a position without faults. */
void pgn_play_begin(struct pgn_play *play, const struct position *start);
/* Any legal move. */
void pgn_play_move(struct pgn_play *play, uint16_t move);

/* Castling, which must be legal. */
void pgn_play_castle(struct pgn_play *play, enum castling_side side);

/* The rarer things that a plain move does. */
void pgn_play_drop_rights(struct pgn_play *play, uint64_t touched);
void pgn_play_find_ep(struct pgn_play *play, unsigned from, unsigned to);

static IN_LINE void pgn_play_take(struct pgn_play *play, unsigned them, unsigned captured,
                                  uint64_t target)
{
    play->position.colour[them] ^= target;
    play->position.type[captured - 6 * them] ^= target;
    play->sum -= target * pgn_hash_pieces[captured];
}

/* The board is as the move of `us` has left it: the rest follows from that. */
static IN_LINE void pgn_play_pass_turn(struct pgn_play *play, unsigned us)
{
    struct position *position = &play->position;
    position->side = !us;
    if (us == BLACK)
        position->fullmove = (uint16_t)(position->fullmove + (position->fullmove < UINT16_MAX));
    play->hash += pgn_hash_mix(play->sum, !us);
    play->guard = legality_find_guard_of(position, !us);
}

/* us: the side to move, a constant. */
static IN_LINE void pgn_play_plain(struct pgn_play *play, unsigned us,
                                   const struct san_plain *plain)
{
    struct position *position = &play->position;
    uint64_t both = plain->origin | plain->target;
    unsigned piece = piece_make(us, plain->type), captured = position->board[plain->to];

    position->colour[us] ^= both;
    position->type[plain->type] ^= both;
    position->board[plain->from] = PIECE_NONE;
    position->board[plain->to] = (uint8_t)piece;
    play->sum += (plain->target - plain->origin) * pgn_hash_pieces[piece];
    if (captured != PIECE_NONE)
        pgn_play_take(play, !us, captured, plain->target);
    if (both & play->keepers)
        pgn_play_drop_rights(play, both);
    position->ep = SQUARE_NONE;
    if (plain->type == PAWN && (plain->from ^ plain->to) == 16 &&
        (attacks_pawn(us, (plain->from + plain->to) / 2) & position->colour[!us] &
         position->type[PAWN]))
        pgn_play_find_ep(play, plain->from, plain->to);
    pgn_play_pass_turn(play, us);
}

#endif
