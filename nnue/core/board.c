/* SPDX-License-Identifier: MIT */
/*
 * The library's board, see board.h.
 */
#include "nnue/core/board.h"

#include <stdbool.h>
#include <string.h>

#include "nnue/core/little.h"

enum { PIECES = 12, SQUARES = 64, WHITE_KING = 5, BLACK_KING = 11 };

static void clear(struct board *board)
{
    memset(board, 0, sizeof *board);
    memset(board->piece, BOARD_EMPTY, sizeof board->piece);
}

static void put(struct board *board, struct plynnue_piece item)
{
    board->piece[item.square] = item.piece;
    board->occupied |= UINT64_C(1) << item.square;
    board->count++;
    if (item.piece == WHITE_KING || item.piece == BLACK_KING)
        board->king[item.piece == BLACK_KING] = item.square;
}

static bool in_range(struct plynnue_piece item)
{
    return item.piece < PIECES && item.square < SQUARES;
}

void board_reset(struct board *board)
{
    clear(board);
    put(board, (struct plynnue_piece){WHITE_KING, 4});
    put(board, (struct plynnue_piece){BLACK_KING, 60});
}

int board_set(struct board *board, const struct plynnue_position *position)
{
    struct board next;
    unsigned kings[2] = {0, 0};
    if (position->count < 2 || position->count > PLYNNUE_PIECES_MAX || position->side > 1)
        return PLYNNUE_EBOARD;
    clear(&next);
    for (unsigned i = 0; i < position->count; i++) {
        struct plynnue_piece item = position->pieces[i];
        if (!in_range(item) || next.piece[item.square] != BOARD_EMPTY)
            return PLYNNUE_EBOARD;
        put(&next, item);
        kings[0] += item.piece == WHITE_KING;
        kings[1] += item.piece == BLACK_KING;
    }
    if (kings[0] != 1 || kings[1] != 1)
        return PLYNNUE_EBOARD;
    next.side = position->side;
    *board = next;
    return PLYNNUE_OK;
}

/* As many kings of a colour must come as go, or the board is left without one or with two: what
 * each counts, so that no number of one colour's makes up for the other's. */
static const int8_t king_weights[PIECES] = {[WHITE_KING] = 1, [BLACK_KING] = 16};

int board_apply(struct board *to, const struct board *from, const struct plynnue_delta *delta)
{
    int count = from->count + delta->added_count - delta->removed_count, kings = 0;
    uint64_t occupied = from->occupied;
    if (delta->removed_count > 2 || delta->added_count > 2 || count > PLYNNUE_PIECES_MAX)
        return PLYNNUE_EBOARD;
    *to = *from;
    for (unsigned i = 0; i < delta->removed_count; i++) {
        struct plynnue_piece item = delta->removed[i];
        if (!in_range(item) || to->piece[item.square] != item.piece)
            return PLYNNUE_EBOARD;
        to->piece[item.square] = BOARD_EMPTY;
        occupied ^= UINT64_C(1) << item.square;
        kings -= king_weights[item.piece];
    }
    for (unsigned i = 0; i < delta->added_count; i++) {
        struct plynnue_piece item = delta->added[i];
        if (!in_range(item) || to->piece[item.square] != BOARD_EMPTY)
            return PLYNNUE_EBOARD;
        to->piece[item.square] = item.piece;
        occupied ^= UINT64_C(1) << item.square;
        kings += king_weights[item.piece];
        if (king_weights[item.piece])
            to->king[item.piece == BLACK_KING] = item.square;
    }
    to->occupied = occupied;
    to->count = (uint8_t)count;
    to->side ^= 1;
    return kings == 0 ? PLYNNUE_OK : PLYNNUE_EBOARD;
}

uint64_t board_differences(const struct board *a, const struct board *b)
{
    /* Eight squares at a time. Pieces take four bits: adding 0x7f carries into the top bit of every
     * byte that is not zero, and the product gathers these bits. */
    const uint64_t sevens = UINT64_C(0x7f7f7f7f7f7f7f7f), gather = UINT64_C(0x0102040810204080);
    uint64_t result = 0;
    for (unsigned square = 0; square < SQUARES; square += 8) {
        uint64_t differ = little_u64(a->piece + square) ^ little_u64(b->piece + square);
        differ = (differ + sevens) >> 7 & UINT64_C(0x0101010101010101);
        result |= (differ * gather >> 56) << square;
    }
    return result;
}
