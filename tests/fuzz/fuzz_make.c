/* SPDX-License-Identifier: MIT */
/*
 * Making moves and taking them back: a line with a FEN, then bytes that choose among the legal
 * moves. Every position on the way is sound and equals the one that its FEN gives, deltas describe
 * what changed, and taking all back restores every position.
 */
#include "tests/fuzz/fuzz.h"

#define PLIES_MAX 120

/* Any 16 bits may be asked for; what is legal is what is generated. */
static void check_asked(const struct position *position, uint16_t move, const uint16_t *moves,
                        unsigned count)
{
    bool listed = false;
    for (unsigned i = 0; i < count; i++)
        listed = listed || moves[i] == move;
    FUZZ_ASSERT(movegen_is_legal(position, move) == listed);
}

static void check_position(const struct position *position)
{
    char fen[FEN_MAX];
    struct position copy;
    FUZZ_ASSERT(position_find_fault(position) == POSITION_OK);
    fen_format(position, FEN_XFEN, fen);
    FUZZ_ASSERT(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &copy, NULL) == FEN_OK);
    copy.chess960 = position->chess960; /* stays once it is needed */
    FUZZ_ASSERT(position_equal(position, &copy));
}

/* The board before with the delta applied is the board after. */
static void check_delta(const struct position *before, const struct position *after,
                        const struct delta *delta)
{
    uint8_t board[64];
    memcpy(board, before->board, sizeof board);
    for (unsigned i = 0; i < delta->removed_count; i++) {
        FUZZ_ASSERT(board[delta->removed[i].square] == delta->removed[i].piece);
        board[delta->removed[i].square] = PIECE_NONE;
    }
    for (unsigned i = 0; i < delta->added_count; i++) {
        FUZZ_ASSERT(board[delta->added[i].square] == PIECE_NONE);
        board[delta->added[i].square] = delta->added[i].piece;
    }
    FUZZ_ASSERT(memcmp(board, after->board, sizeof board) == 0);
}

static void check_make(const struct position *before, uint16_t move, struct position *position,
                       struct undo *undo)
{
    struct delta delta;
    FUZZ_ASSERT(movegen_is_legal(before, move));
    position_delta(before, move, &delta);
    position_make(position, move, undo);
    FUZZ_ASSERT(undo->captured == position_captured(before, move));
    check_delta(before, position, &delta);
    check_delta(before, position, &undo->delta);
    check_position(position);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct position before[PLIES_MAX];
    static struct undo undo[PLIES_MAX];
    struct position position;
    const char *choices;
    size_t count;
    unsigned ply = 0;
    if (!fuzz_take_position(data, size, &position, &choices, &count))
        return 0;
    for (; ply < PLIES_MAX && ply < count; ply++) {
        uint16_t moves[MOVES_MAX];
        unsigned legal = movegen_legal(&position, moves);
        FUZZ_ASSERT(movegen_has_legal(&position) == (legal > 0));
        uint8_t high = (uint8_t)choices[ply], low = (uint8_t)choices[(ply + 1) % count];
        check_asked(&position, (uint16_t)(high << 8 | low), moves, legal);
        for (unsigned kind = 0; kind < 4 && legal > 0; kind++)
            check_asked(&position, (uint16_t)((moves[low % legal] & 0x3FFF) | kind << 14), moves,
                        legal);
        if (legal == 0)
            break;
        before[ply] = position;
        check_make(&before[ply], moves[high % legal], &position, &undo[ply]);
    }
    while (ply-- > 0) {
        position_unmake(&position, &undo[ply]);
        FUZZ_ASSERT(position_equal(&position, &before[ply]));
    }
    return 0;
}
