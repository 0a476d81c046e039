/* SPDX-License-Identifier: MIT */
/*
 * UCI moves: a line with a FEN, then words, made one after the other. A word that is read is a
 * legal move and is written as it was (castling in either of its forms, a promotion's letter
 * small); every legal move is read as itself.
 */
#include <ctype.h>

#include "formats/chess/ucimove.h"
#include "tests/fuzz/fuzz.h"

#define WORDS_MAX 200

static void check_move(const struct position *position, uint16_t move)
{
    char takes[UCIMOVE_MAX], walks[UCIMOVE_MAX];
    FUZZ_ASSERT(movegen_is_legal(position, move));
    ucimove_format(move, true, takes);
    FUZZ_ASSERT(ucimove_parse(position, takes, strlen(takes)) == move);
    if (position->chess960)
        return;
    ucimove_format(move, false, walks);
    FUZZ_ASSERT(ucimove_parse(position, walks, strlen(walks)) == move);
}

static void check_word(const struct position *position, uint16_t move, const char *word,
                       size_t length)
{
    char takes[UCIMOVE_MAX], walks[UCIMOVE_MAX], read[UCIMOVE_MAX] = "";
    ucimove_format(move, true, takes);
    ucimove_format(move, false, walks);
    FUZZ_ASSERT(length == strlen(takes));
    memcpy(read, word, length);
    read[4] = (char)tolower((unsigned char)read[4]);
    FUZZ_ASSERT(strcmp(read, takes) == 0 || strcmp(read, walks) == 0);
    check_move(position, move);
}

static void check_all(const struct position *position)
{
    uint16_t moves[MOVES_MAX];
    unsigned count = movegen_legal(position, moves);
    for (unsigned i = 0; i < count; i++)
        check_move(position, moves[i]);
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
        uint16_t move = ucimove_parse(&position, text, length);
        if (move != MOVE_NONE) {
            check_word(&position, move, text, length);
            position_make(&position, move, NULL);
        }
        text += length;
    }
    check_all(&position);
    return 0;
}
