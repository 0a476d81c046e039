/* SPDX-License-Identifier: MIT */
/*
 * Boards for the tests of Stockfish's nets: out of the first two fields of a FEN, without the rules
 * that readers of games keep (vectors hold positions that no game reaches), and differences of two
 * boards as deltas.
 */
#ifndef PLYMILL_TESTS_SF_BOARDS_H
#define PLYMILL_TESTS_SF_BOARDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka wants the headers above before it. */
#include <cmocka.h>

#include "nnue/core/plynnue.h"

struct test_board {
    uint8_t piece[64]; /* 12: empty */
    uint8_t side;
};

static inline struct test_board board_of_fen(const char *fen)
{
    static const char letters[] = "PNBRQKpnbrqk";
    struct test_board board;
    unsigned rank = 7, file = 0;
    memset(board.piece, 12, sizeof board.piece);
    for (; *fen && *fen != ' '; fen++) {
        const char *letter = strchr(letters, *fen);
        if (*fen == '/') {
            rank--;
            file = 0;
        } else if (*fen >= '1' && *fen <= '8') {
            file += (unsigned)(*fen - '0');
        } else {
            assert_non_null(letter);
            assert_true(rank < 8 && file < 8);
            board.piece[8 * rank + file++] = (uint8_t)(letter - letters);
        }
    }
    board.side = fen[1] == 'b';
    return board;
}

/* pieces has room for 64. */
static inline struct plynnue_position board_position(const struct test_board *board,
                                                     struct plynnue_piece *pieces)
{
    struct plynnue_position out = {.pieces = pieces, .side = board->side};
    for (unsigned square = 0; square < 64; square++)
        if (board->piece[square] != 12)
            pieces[out.count++] = (struct plynnue_piece){board->piece[square], (uint8_t)square};
    return out;
}

/* What leads from one board to the next, at most two pieces off and two on. */
static inline struct plynnue_delta board_delta(const struct test_board *before,
                                               const struct test_board *after)
{
    struct plynnue_delta delta = {.removed_count = 0};
    for (unsigned square = 0; square < 64; square++) {
        uint8_t old = before->piece[square], new = after->piece[square];
        if (old == new)
            continue;
        if (old != 12) {
            assert_true(delta.removed_count < 2);
            delta.removed[delta.removed_count++] = (struct plynnue_piece){old, (uint8_t)square};
        }
        if (new != 12) {
            assert_true(delta.added_count < 2);
            delta.added[delta.added_count++] = (struct plynnue_piece){new, (uint8_t)square};
        }
    }
    return delta;
}

#endif
