/* SPDX-License-Identifier: MIT */
/*
 * The library's board, see board.h.
 */
#include "nnue/core/board.h"

#include <stdbool.h>
#include <string.h>

#include "nnue/core/little.h"

enum { PIECES = 12, SQUARES = 64 };

static void clear(struct board *board)
{
    memset(board, 0, sizeof *board);
    memset(board->piece, BOARD_EMPTY, sizeof board->piece);
}

/*
 * What a piece counts in the sums that kings are counted with: no number of one colour's kings
 * makes up for the other's, and what is no piece spoils the sum.
 */
enum { KINDS = 16, WHITE_WEIGHT = 1, BLACK_WEIGHT = 64, NO_PIECE_WEIGHT = 1 << 20 };
static const int32_t king_weights[KINDS] = {
    [BOARD_WHITE_KING] = WHITE_WEIGHT, [BOARD_BLACK_KING] = BLACK_WEIGHT,
    [PIECES] = NO_PIECE_WEIGHT,        [PIECES + 1] = NO_PIECE_WEIGHT,
    [PIECES + 2] = NO_PIECE_WEIGHT,    [PIECES + 3] = NO_PIECE_WEIGHT};

static bool in_range(struct plynnue_piece item)
{
    return item.piece < PIECES && item.square < SQUARES;
}

void board_reset(struct board *board)
{
    static const struct plynnue_piece kings[] = {{BOARD_WHITE_KING, 4}, {BOARD_BLACK_KING, 60}};
    const struct plynnue_position position = {kings, 2, 0};
    (void)board_set(board, &position);
}

int board_set(struct board *board, const struct plynnue_position *position)
{
    struct board next;
    uint8_t place[KINDS]; /* of the last piece of each kind */
    unsigned pieces = 0, squares = 0;
    int32_t kings = 0;
    if (position->count < 2 || position->count > PLYNNUE_PIECES_MAX || position->side > 1)
        return PLYNNUE_EBOARD;
    clear(&next);
    /* Without branches: nothing here can be guessed. Faults are looked for at the end. */
    for (unsigned i = 0; i < position->count; i++) {
        struct plynnue_piece item = position->pieces[i];
        unsigned square = item.square % SQUARES, piece = item.piece % KINDS;
        pieces |= item.piece;
        squares |= item.square;
        next.occupied |= UINT64_C(1) << square;
        next.piece[square] = (uint8_t)piece;
        place[piece] = (uint8_t)square;
        kings += king_weights[piece];
    }
    if (pieces >= KINDS || squares >= SQUARES || kings != WHITE_WEIGHT + BLACK_WEIGHT ||
        __builtin_popcountll(next.occupied) != position->count)
        return PLYNNUE_EBOARD;
    next.king[0] = place[BOARD_WHITE_KING];
    next.king[1] = place[BOARD_BLACK_KING];
    next.count = position->count;
    next.side = position->side;
    *board = next;
    return PLYNNUE_OK;
}

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
            to->king[item.piece == BOARD_BLACK_KING] = item.square;
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
