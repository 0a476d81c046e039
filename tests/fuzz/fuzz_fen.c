/* SPDX-License-Identifier: MIT */
/*
 * FEN: whatever is read is a sound position, and written in either style it is read again as the
 * same position and written as the same text.
 */
#include "tests/fuzz/fuzz.h"

static void check_style(const struct position *position, enum fen_style style)
{
    char fen[FEN_MAX], again[FEN_MAX];
    struct position copy;
    unsigned dropped = 0;
    fen_format(position, style, fen);
    FUZZ_ASSERT(strlen(fen) < FEN_MAX);
    FUZZ_ASSERT(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &copy, &dropped) == FEN_OK);
    FUZZ_ASSERT(dropped == 0);
    FUZZ_ASSERT(position_equal(position, &copy));
    fen_format(&copy, style, again);
    FUZZ_ASSERT(strcmp(fen, again) == 0);
}

static void check_label_key(const struct position *position)
{
    char key[FEN_MAX], again[FEN_MAX];
    struct position copy;
    fen_format_label_key(position, key);
    FUZZ_ASSERT(fen_parse(key, strlen(key), FEN_REJECT_BAD_CASTLING, &copy, NULL) == FEN_OK);
    FUZZ_ASSERT(copy.fullmove == 1 && copy.halfmove == position->halfmove);
    fen_format_label_key(&copy, again);
    FUZZ_ASSERT(strcmp(key, again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct position dropping, rejecting;
    unsigned dropped = 0;
    const char *text = (const char *)data;
    enum fen_status drop = fen_parse(text, size, FEN_DROP_BAD_CASTLING, &dropping, &dropped);
    enum fen_status reject = fen_parse(text, size, FEN_REJECT_BAD_CASTLING, &rejecting, NULL);
    if (drop != FEN_OK) {
        FUZZ_ASSERT(reject != FEN_OK);
        return 0;
    }
    FUZZ_ASSERT((reject == FEN_OK) == (dropped == 0));
    if (reject == FEN_OK)
        FUZZ_ASSERT(position_equal(&dropping, &rejecting));
    FUZZ_ASSERT(position_find_fault(&dropping) == POSITION_OK);
    check_style(&dropping, FEN_XFEN);
    check_style(&dropping, FEN_SHREDDER);
    check_label_key(&dropping);
    return 0;
}
