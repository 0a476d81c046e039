/* SPDX-License-Identifier: MIT */
/*
 * See codec_check.h.
 */
#include "formats/codec_check.h"

#include "formats/chess/fen.h"
#include "formats/chess/movegen.h"
#include "formats/chess/ucimove.h"

static const char *fault_text(enum position_fault fault)
{
    switch (fault) {
    case POSITION_BAD_BOARD:
        return "impossible board";
    case POSITION_OPPONENT_IN_CHECK:
        return "the side to move could take the king";
    case POSITION_BAD_CHECK:
        return "impossible check";
    default:
        return "no fault";
    }
}

int codec_check_position(const struct position *position, struct error *err)
{
    enum position_fault fault = position_find_fault(position);
    if (fault == POSITION_OK)
        return 0;
    char fen[FEN_MAX];
    fen_format(position, FEN_XFEN, fen);
    return error_set(err, ERROR_FAILED, "%s in '%s'", fault_text(fault), fen);
}

int codec_check_move(const struct position *position, uint16_t move, struct error *err)
{
    if (move == MOVE_NONE || movegen_is_legal(position, move))
        return 0;
    char fen[FEN_MAX], uci[UCIMOVE_MAX];
    fen_format(position, FEN_XFEN, fen);
    ucimove_format(move, true, uci);
    return error_set(err, ERROR_FAILED, "illegal move '%s' (kind %d) in '%s'", uci,
                     (int)move_kind(move), fen);
}

int codec_check_move_bits(uint16_t move, struct error *err)
{
    if (move_kind(move) == MOVE_PROMOTION || move_promotion(move) == KNIGHT)
        return 0;
    return error_set(err, ERROR_FAILED, "move 0x%04x promotes and is no promotion", move);
}
