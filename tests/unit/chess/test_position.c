/* SPDX-License-Identifier: MIT */
/*
 * Making and taking back moves, deltas, en passant rights, clocks, and the cases 041 and 047.
 */
#include "formats/chess/bitboard.h"
#include "tests/unit/chess/chess_test.h"

#define PIECE_LETTERS "PNBRQKpnbrqk"

static uint16_t test_move(const struct position *position, const char *uci)
{
    uint16_t move = ucimove_parse(position, uci, strlen(uci));
    if (move == MOVE_NONE)
        fail_msg("%s is not legal", uci);
    return move;
}

/* The sets and the board say the same. */
static void check_consistent(const struct position *position)
{
    for (unsigned square = 0; square < 64; square++) {
        unsigned piece = position->board[square];
        uint64_t bit = bitboard_of(square);
        for (unsigned colour = WHITE; colour <= BLACK; colour++)
            assert_int_equal((position->colour[colour] & bit) != 0,
                             piece != PIECE_NONE && piece_colour(piece) == colour);
        for (unsigned type = PAWN; type <= KING; type++)
            assert_int_equal((position->type[type] & bit) != 0,
                             piece != PIECE_NONE && piece_type_of(piece) == type);
    }
}

static void check_delta(const struct position *before, const struct position *after,
                        const struct delta *delta)
{
    uint8_t board[64];
    unsigned changed = 0;

    memcpy(board, before->board, sizeof board);
    for (unsigned i = 0; i < delta->removed_count; i++) {
        assert_int_equal(board[delta->removed[i].square], delta->removed[i].piece);
        board[delta->removed[i].square] = PIECE_NONE;
    }
    for (unsigned i = 0; i < delta->added_count; i++) {
        assert_int_equal(board[delta->added[i].square], PIECE_NONE);
        board[delta->added[i].square] = delta->added[i].piece;
    }
    assert_memory_equal(board, after->board, sizeof board);
    /* As short as can be: a pair for every square that lost or won a piece, no more. */
    for (unsigned square = 0; square < 64; square++) {
        if (before->board[square] != after->board[square])
            changed += (unsigned)(before->board[square] != PIECE_NONE) +
                       (after->board[square] != PIECE_NONE);
    }
    assert_int_equal(delta->removed_count + delta->added_count, changed);
}

static void check_moves(const struct position *position, const uint16_t *moves, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct position after = *position, same = *position, again;
        struct undo undo;
        struct delta delta;
        char fen[FEN_MAX];

        position_delta(position, moves[i], &delta);
        position_make(&after, moves[i], &undo);
        position_make(&same, moves[i], NULL);
        assert_true(position_equal(&after, &same));
        check_consistent(&after);
        check_delta(position, &after, &delta);
        assert_int_equal(undo.delta.removed_count, delta.removed_count);
        check_delta(position, &after, &undo.delta);
        assert_int_equal(undo.captured, position_captured(position, moves[i]));
        /* What FEN says of it is what a fresh look at the board finds, en passant included. */
        fen_format(&after, FEN_SHREDDER, fen);
        assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &again, NULL),
                         FEN_OK);
        again.chess960 = after.chess960;
        assert_true(position_equal(&after, &again));
        position_unmake(&after, &undo);
        assert_true(position_equal(&after, position));
    }
}

static void test_make_and_unmake(void **state)
{
    (void)state;
    test_random_games(test_start_fens, 3, 120, check_moves);
}

static void test_start(void **state)
{
    struct position start, read = test_position(TEST_START_FEN);

    (void)state;
    position_start(&start);
    assert_true(position_equal(&start, &read));
    check_consistent(&start);
}

/* A right is lost with king or rook, and with a rook that is taken. */
static void test_castling_rights(void **state)
{
    static const char *const rows[][3] = {
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1e2", "r3k2r/8/8/8/8/8/4K3/R6R b kq - 1 1"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "a1b1", "r3k2r/8/8/8/8/8/8/1R2K2R b Kkq - 1 1"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "h1h8", "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 1"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1", "r3k2r/8/8/8/8/8/8/2KR3R b kq - 1 1"},
        {"r3k2r/1P6/8/8/8/8/8/4K3 w kq - 5 7", "b7a8q", "Q3k2r/8/8/8/8/8/8/4K3 b k - 0 7"},
        {"4k3/8/8/8/8/8/8/4KR1R w F - 0 1", "e1f1", "4k3/8/8/8/8/8/8/5RKR b - - 1 1"},
        {"4k3/8/8/8/8/8/8/4KR1R w F - 0 1", "h1h2", "4k3/8/8/8/8/8/7R/4KR2 b K - 1 1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct position position = test_position(rows[i][0]);
        char fen[FEN_MAX];
        position_make(&position, test_move(&position, rows[i][1]), NULL);
        fen_format(&position, FEN_XFEN, fen);
        assert_string_equal(fen, rows[i][2]);
    }
}

/* The square is set only when a capture is legal. */
static void test_en_passant_square(void **state)
{
    static const char *const rows[][3] = {
        {TEST_START_FEN, "e2e4", "-"},
        {"4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4", "e3"},
        {"3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1", "e2e4", "-"},   /* pinned on the file */
        {"8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", "e2e4", "-"},    /* both leave the rank */
        {"8/8/8/8/k2p1p1R/8/4P3/4K3 w - - 0 1", "e2e4", "e3"}, /* the other one may */
        {"4k3/8/8/8/P6p/8/6P1/4K3 w - - 0 1", "g2g4", "g3"},
        {"4k3/8/8/7p/8/8/P7/4K3 w - - 0 1", "a2a4", "-"}, /* no way round the edge */
        {"4k3/3p4/8/2P5/8/8/8/4K3 b - - 0 1", "d7d5", "d6"},
        {"4k3/3p4/2P5/8/8/8/8/4K3 b - - 0 1", "d7d6", "-"}, /* one step */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct position position = test_position(rows[i][0]);
        position_make(&position, test_move(&position, rows[i][1]), NULL);
        if (rows[i][2][0] == '-')
            assert_int_equal(position.ep, SQUARE_NONE);
        else
            assert_int_equal(position.ep, square_make((unsigned)(rows[i][2][0] - 'a'),
                                                      (unsigned)(rows[i][2][1] - '1')));
    }
}

/* Clocks go up to 65535, stay there, and come back. */
static void test_clocks_at_their_limit(void **state)
{
    struct position position = test_position("4k3/8/8/8/8/8/8/4K3 b - - 65534 65534");
    struct position full = test_position("4k3/8/8/8/8/8/8/4K3 b - - 65535 65535"), before = full;
    struct undo undo;

    (void)state;
    position_make(&position, test_move(&position, "e8e7"), NULL);
    assert_int_equal(position.halfmove, 65535);
    assert_int_equal(position.fullmove, 65535);
    position_make(&full, test_move(&full, "e8e7"), &undo);
    assert_int_equal(full.halfmove, 65535);
    assert_int_equal(full.fullmove, 65535);
    position_unmake(&full, &undo);
    assert_true(position_equal(&full, &before));
}

/* Pairs of "+Kg1" and "-Rh1" in any order of their own kind. */
static bool delta_holds(const struct piece_on *pairs, unsigned count, const char *text)
{
    for (unsigned i = 0; i < count; i++) {
        if (PIECE_LETTERS[pairs[i].piece] == text[0] &&
            square_file(pairs[i].square) == (unsigned)(text[1] - 'a') &&
            square_rank(pairs[i].square) == (unsigned)(text[2] - '1'))
            return true;
    }
    return false;
}

static void check_case_041(char *key, char *value)
{
    char *uci = test_cut(key, " + ");
    unsigned added = 0, removed = 0;
    struct delta delta;

    assert_non_null(uci);
    bool chess960 = test_cut(uci, " (Chess960)") != NULL;
    struct position position = test_position(key);
    if (chess960)
        position.chess960 = true;
    position_delta(&position, test_move(&position, uci), &delta);
    char *rest = value, *token;
    while ((token = strtok_r(rest, " ", &rest)) != NULL) {
        bool adds = token[0] == '+';
        assert_true(adds ? delta_holds(delta.added, delta.added_count, token + 1)
                         : delta_holds(delta.removed, delta.removed_count, token + 1));
        added += adds;
        removed += !adds;
    }
    assert_int_equal(delta.added_count, added);
    assert_int_equal(delta.removed_count, removed);
}

static void test_case_041_feature_deltas_special_moves(void **state)
{
    (void)state;
    test_each_fact("041-feature-deltas-special-moves", check_case_041);
}

static void check_case_047(char *key, char *value)
{
    char *uci = test_cut(key, " | "), found[64] = "";

    assert_non_null(uci);
    struct position position = test_position(key);
    uint16_t move = test_move(&position, uci);
    (void)snprintf(found, sizeof found, "%s%s%s", position_checkers(&position) ? ", in check" : "",
                   position_captured(&position, move) != PIECE_NONE ? ", capture" : "",
                   move_kind(move) == MOVE_PROMOTION ? ", promotion" : "");
    if (strncmp(value, "KEEP", 4) == 0) {
        assert_string_equal(found, "");
    } else {
        assert_memory_equal(value, "DROP: ", 6);
        assert_string_equal(found + 2, value + 6);
    }
}

static void test_case_047_quiet_filter(void **state)
{
    (void)state;
    test_each_fact("047-quiet-filter", check_case_047);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_make_and_unmake),
        cmocka_unit_test(test_castling_rights),
        cmocka_unit_test(test_en_passant_square),
        cmocka_unit_test(test_clocks_at_their_limit),
        cmocka_unit_test(test_case_041_feature_deltas_special_moves),
        cmocka_unit_test(test_case_047_quiet_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
