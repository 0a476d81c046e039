/* SPDX-License-Identifier: MIT */
/*
 * SAN: a line with a FEN, then words. A word that is read is a legal move; every legal move,
 * written, is read as itself, and no two are written alike. A word that no move fits is none of the
 * forms of a legal move.
 */
#include "formats/chess/san.h"
#include "formats/chess/ucimove.h"
#include "tests/fuzz/fuzz.h"

#define WORDS_MAX 200

static void check_move(const struct position *position, uint16_t move, char san[SAN_MAX])
{
    uint16_t again = MOVE_NONE;
    FUZZ_ASSERT(movegen_is_legal(position, move));
    san_format(position, move, san);
    FUZZ_ASSERT(strlen(san) < SAN_MAX);
    FUZZ_ASSERT(san_parse(position, san, strlen(san), &again) == SAN_OK);
    FUZZ_ASSERT(again == move);
}

static void check_all(const struct position *position)
{
    uint16_t moves[MOVES_MAX];
    char san[MOVES_MAX][SAN_MAX];
    unsigned count = movegen_legal(position, moves);
    for (unsigned i = 0; i < count; i++) {
        check_move(position, moves[i], san[i]);
        for (unsigned j = 0; j < i; j++)
            FUZZ_ASSERT(strcmp(san[i], san[j]) != 0);
    }
}

/* Long forms leave no choice, so that they are read wherever the move is legal. */
static void check_long_form(const struct position *position, uint16_t move)
{
    char uci[UCIMOVE_MAX];
    uint16_t again = MOVE_NONE;
    ucimove_format(move, true, uci);
    FUZZ_ASSERT(san_parse(position, uci, strlen(uci), &again) == SAN_OK);
    FUZZ_ASSERT(again == move);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct position position;
    const char *text;
    size_t rest, length;
    if (!fuzz_take_position(data, size, &position, &text, &rest))
        return 0;
    const char *end = text + rest;
    check_all(&position);
    for (int word = 0; word < WORDS_MAX && (length = fuzz_next_word(&text, end)) > 0; word++) {
        uint16_t move = MOVE_NONE;
        char san[SAN_MAX];
        if (san_parse(&position, text, length, &move) == SAN_OK) {
            check_move(&position, move, san);
            check_long_form(&position, move);
            position_make(&position, move, NULL);
        }
        text += length;
    }
    check_all(&position);
    return 0;
}
