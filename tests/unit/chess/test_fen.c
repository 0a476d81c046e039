/* SPDX-License-Identifier: MIT */
/*
 * FEN in and out: what is read, what is refused and why, the cases 015 and 017, and the list of odd
 * FENs with python-chess's verdicts.
 */
#include "formats/chess/bitboard.h"
#include "formats/chess/fen.h"
#include "formats/chess/position.h"
#include "tests/unit/chess/chess_test.h"

static enum fen_status parse(const char *fen, struct position *position, unsigned *dropped)
{
    return fen_parse(fen, strlen(fen), FEN_DROP_BAD_CASTLING, position, dropped);
}

/* Reads in, which must give out in X-FEN. */
static void check_written(const char *in, const char *out)
{
    struct position position = test_position(in);
    char fen[FEN_MAX];

    fen_format(&position, FEN_XFEN, fen);
    assert_string_equal(fen, out);
}

static void test_accepted_forms(void **state)
{
    (void)state;
    check_written(TEST_START_FEN, TEST_START_FEN);
    check_written("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", TEST_START_FEN);
    check_written("  rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR \t w  KQkq -   0  1 ",
                  TEST_START_FEN);
    check_written("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w qkQK - 0 1", TEST_START_FEN);
    check_written("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1", TEST_START_FEN);
    check_written("4k3/8/8/8/8/8/8/4K3 b - - 7 0", "4k3/8/8/8/8/8/8/4K3 b - - 7 1");
    check_written("4k3/8/8/8/8/8/8/4K3 b - - 65535 65535", "4k3/8/8/8/8/8/8/4K3 b - - 65535 65535");
    check_written("4k3/8/8/8/8/8/8/4K3 b - - 007 0042", "4k3/8/8/8/8/8/8/4K3 b - - 7 42");
}

static void test_label_key_text(void **state)
{
    struct position position = test_position("r3k2r/8/8/8/8/8/8/R3K2R b Kq - 12 34");
    char fen[FEN_MAX];

    (void)state;
    fen_format_label_key(&position, fen);
    assert_string_equal(fen, "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 12 1");
}

static void test_refused(void **state)
{
    static const struct {
        const char *fen;
        enum fen_status status;
    } rows[] = {
        {"", FEN_BAD_SYNTAX},
        {"   ", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K3", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K3 w -", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K3 w - - 0", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K3 w - - 0 1 x", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/4K3 w - - 0 1", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/8/4K3 w - - 0 1", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K3/ w - - 0 1", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K4 w - - 0 1", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K2 w - - 0 1", FEN_BAD_SYNTAX},
        {"4k3/9/8/8/8/8/8/4K3 w - - 0 1", FEN_BAD_SYNTAX},
        {"4k3/0/8/8/8/8/8/4K3 w - - 0 1", FEN_BAD_SYNTAX},
        {"4k3/44/8/8/8/8/8/4K3 w - - 0 1", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4X3 w - - 0 1", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K3 W - - 0 1", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K3 w x - 0 1", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K3 w K- - 0 1", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K3 w - e 0 1", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K3 w - i6 0 1", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K3 w - e9 0 1", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K3 w - - -1 1", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K3 w - - 65536 1", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K3 w - - 0 65536", FEN_BAD_SYNTAX},
        {"4k3/8/8/8/8/8/8/4K3 w - - 0 99999999999999999999", FEN_BAD_SYNTAX},
        {"8/8/8/8/8/8/8/4K3 w - - 0 1", FEN_BAD_BOARD},
        {"4k3/8/8/8/8/8/8/8 w KQkq - 0 1", FEN_BAD_BOARD},
        {"4k3/8/8/8/8/8/8/K3K3 w - - 0 1", FEN_BAD_BOARD},
        {"4k2P/8/8/8/8/8/8/4K3 w - - 0 1", FEN_BAD_BOARD},
        {"4k3/8/8/8/8/8/8/p3K3 w - - 0 1", FEN_BAD_BOARD},
        {"4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w - - 0 1", FEN_BAD_BOARD}, /* 17 pieces */
        {"4k3/8/8/8/8/8/8/4K2r b - - 0 1", FEN_OPPONENT_IN_CHECK},
        {"8/8/8/8/8/8/4k3/4K3 w - - 0 1", FEN_OPPONENT_IN_CHECK},
        {"4k3/8/8/8/8/3n4/8/r3K2r w - - 0 1", FEN_BAD_CHECK}, /* three checkers */
    };
    struct position position;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum fen_status status = parse(rows[i].fen, &position, NULL);
        if (status != rows[i].status)
            fail_msg("%s: %s", rows[i].fen, fen_status_text(status));
    }
    assert_int_equal(parse("4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", &position, NULL), FEN_OK);
    assert_int_equal(parse("4k3/8/8/8/8/3n4/8/r3K3 w - - 0 1", &position, NULL), FEN_OK);
}

/* The end of the text is the size, not a zero. */
static void test_every_prefix(void **state)
{
    static const char fen[] = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 12 34";
    struct position position;

    (void)state;
    for (size_t size = 0; size < sizeof fen; size++) {
        char *copy = malloc(size + 1);
        assert_non_null(copy);
        memcpy(copy, fen, size);
        enum fen_status status = fen_parse(copy, size, FEN_REJECT_BAD_CASTLING, &position, NULL);
        free(copy);
        bool whole =
            size == strlen("r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6") ||
            size == strlen("r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 ") ||
            (size > strlen("r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 12 ") && size < sizeof fen);
        if (size < sizeof fen - 1 || whole)
            assert_int_equal(status == FEN_OK, whole);
        else
            assert_int_equal(status, FEN_BAD_SYNTAX); /* a zero byte behind the number */
    }
}

static void test_bad_castling(void **state)
{
    static const char fen[] = "4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1";
    struct position position;
    unsigned dropped = 99;

    (void)state;
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &position, &dropped),
                     FEN_BAD_CASTLING);
    assert_string_equal(fen_status_text(FEN_BAD_CASTLING), "bad castling");
    assert_int_equal(parse(fen, &position, &dropped), FEN_OK);
    assert_int_equal(dropped, 3);
    assert_int_equal(position.rook[WHITE][KING_SIDE], 7);
    assert_int_equal(parse(TEST_START_FEN, &position, &dropped), FEN_OK);
    assert_int_equal(dropped, 0);
    /* The same right twice is no right. */
    assert_int_equal(parse("4k3/8/8/8/8/8/8/4K2R w KH - 0 1", &position, &dropped), FEN_OK);
    assert_int_equal(dropped, 1);
}

/* A square counts only where a legal capture exists. */
static void test_en_passant(void **state)
{
    (void)state;
    check_written("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
    check_written("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3p4/8/8/8/4K3 w - - 0 1");
    check_written("4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1", "4k3/8/3n4/3pP3/8/8/8/4K3 w - - 0 1");
    check_written("4k3/3n4/8/3pP3/8/8/8/4K3 w - d6 0 1", "4k3/3n4/8/3pP3/8/8/8/4K3 w - - 0 1");
    check_written("4k3/8/8/4P3/8/8/8/4K3 w - d6 0 1", "4k3/8/8/4P3/8/8/8/4K3 w - - 0 1");
    check_written("4k3/8/8/3pP3/8/8/8/4K3 w - d3 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1");
    check_written("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", "8/8/8/K2pP2r/8/8/8/4k3 w - - 0 1");
}

static void check_round_trip(const struct position *position, const uint16_t *moves, unsigned count)
{
    static const enum fen_style styles[] = {FEN_XFEN, FEN_SHREDDER};

    (void)moves;
    (void)count;
    for (unsigned i = 0; i < 2; i++) {
        struct position read;
        char fen[FEN_MAX], again[FEN_MAX];
        fen_format(position, styles[i], fen);
        assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &read, NULL), FEN_OK);
        fen_format(&read, styles[i], again);
        assert_string_equal(fen, again);
        read.chess960 = position->chess960; /* without rights left, FEN cannot say it */
        assert_true(position_equal(position, &read));
    }
}

static void test_round_trips(void **state)
{
    (void)state;
    test_random_games(test_start_fens, 10, 150, check_round_trip);
}

/* "name=value " in a fact; the values hold blanks, so each ends where the next name begins. */
static char *field_of(char *value, const char *name, const char *next)
{
    char *field = test_cut(value, name);
    assert_non_null(field);
    if (next) {
        char *end = strstr(field, next);
        assert_non_null(end);
        field = strndup(field, (size_t)(end - field));
    } else {
        field = strdup(field);
    }
    value[strlen(value)] = name[0];
    assert_non_null(field);
    return field;
}

static void check_castling_moves(const struct position *position, const char *uci,
                                 const char *after)
{
    uint16_t moves[MOVES_MAX];
    unsigned castlings = 0, count = movegen_legal(position, moves);

    for (unsigned i = 0; i < count; i++) {
        char text[UCIMOVE_MAX], fen[FEN_MAX];
        struct position next = *position;
        if (move_kind(moves[i]) != MOVE_CASTLING)
            continue;
        castlings++;
        ucimove_format(moves[i], true, text);
        assert_string_equal(text, uci);
        position_make(&next, moves[i], NULL);
        fen_format(&next, FEN_XFEN, fen);
        assert_memory_equal(fen, after, strlen(after));
    }
    assert_int_equal(castlings, strcmp(uci, "-") != 0);
}

static void check_case_015(char *key, char *value)
{
    struct position position = test_position(key);
    uint16_t moves[MOVES_MAX];
    char fen[FEN_MAX];
    char *legal = field_of(value, "legal=", " castling="),
         *castling = field_of(value, "castling=", " after="),
         *after = field_of(value, "after=", " x-fen="),
         *xfen = field_of(value, "x-fen=", " shredder="),
         *shredder = field_of(value, "shredder=", NULL);

    char *end;
    unsigned long count = strtoul(legal, &end, 10);
    assert_true(end > legal && *end == '\0');
    assert_int_equal(movegen_legal(&position, moves), count);
    check_castling_moves(&position, castling, after);
    fen_format(&position, FEN_XFEN, fen);
    assert_string_equal(fen, xfen);
    fen_format(&position, FEN_SHREDDER, fen);
    assert_string_equal(fen, shredder);
    free(legal);
    free(castling);
    free(after);
    free(xfen);
    free(shredder);
}

static void test_case_015_xfen_inner_rook(void **state)
{
    (void)state;
    test_each_fact("015-xfen-inner-rook", check_case_015);
}

static void check_case_017(char *key, char *value)
{
    struct position position;
    char fen[FEN_MAX], *cleaned = test_cut(value, " cleaned=");
    unsigned dropped;

    assert_string_equal(value, "bad_castling=true");
    assert_int_equal(fen_parse(key, strlen(key), FEN_REJECT_BAD_CASTLING, &position, NULL),
                     FEN_BAD_CASTLING);
    assert_int_equal(parse(key, &position, &dropped), FEN_OK);
    assert_true(dropped > 0);
    fen_format(&position, FEN_XFEN, fen);
    assert_string_equal(fen, cleaned);
}

static void test_case_017_castling_right_without_rook(void **state)
{
    (void)state;
    test_each_fact("017-castling-right-without-rook", check_case_017);
}

/*
 * Where we differ from python-chess on purpose:
 *  - a check that no game can bring about, by at most two pieces: perft suites have such positions;
 *  - an en passant square that the board does not support: dropped, as one that nobody can use;
 *  - nine pawns among at most 16 pieces: harmless, and TOO_MANY_PIECES still holds;
 *  - '~' behind a promoted piece belongs to Crazyhouse: refused.
 */
static bool is_justified(const char *verdict, const char *fen, enum fen_status status)
{
    if (status == FEN_BAD_SYNTAX)
        return strchr(fen, '~') != NULL;
    return status == FEN_OK && (strcmp(verdict, "IMPOSSIBLE_CHECK") == 0 ||
                                strcmp(verdict, "BAD_CASTLING_RIGHTS|IMPOSSIBLE_CHECK") == 0 ||
                                strcmp(verdict, "INVALID_EP_SQUARE") == 0 ||
                                strcmp(verdict, "TOO_MANY_BLACK_PAWNS") == 0);
}

/* Counts in *differences what is not as python-chess says but justified; fails on anything else. */
static void check_odd_fen(const char *fen, const char *verdict, const char *normalised,
                          unsigned *differences)
{
    struct position position;
    char written[FEN_MAX];
    unsigned dropped = 0;
    bool valid = strncmp(verdict, "VALID", 5) == 0;
    bool bad_castling = strcmp(verdict, "BAD_CASTLING_RIGHTS") == 0;
    enum fen_status status = parse(fen, &position, &dropped);

    if ((status == FEN_OK && dropped == 0) != valid && !bad_castling) {
        if (!is_justified(verdict, fen, status))
            fail_msg("%s: %s, not %s", fen, fen_status_text(status), verdict);
        ++*differences;
        return;
    }
    if (bad_castling) {
        assert_int_equal(status, FEN_OK);
        assert_true(dropped > 0);
    }
    /* A Shredder letter that names a rook is kept even beside one that does not; there it cleans.
     */
    if (valid || (bad_castling && !strstr(fen, "AHah"))) {
        fen_format(&position, FEN_XFEN, written);
        assert_string_equal(written, normalised);
    }
}

static void test_odd_fens(void **state)
{
    char *text = test_read_file("../shared/data/odd/epd/odd-fens.tsv.zst"), *cursor = text, *fen;
    unsigned rows = 0, differences = 0;

    (void)state;
    while ((fen = test_next_line(&cursor))) {
        char *verdict = test_cut(fen, "\t"), *normalised = test_cut(verdict, "\t");
        if (fen[0] == '#')
            continue;
        test_cut(normalised, "\t");
        check_odd_fen(fen, verdict, normalised, &differences);
        rows++;
    }
    free(text);
    assert_int_equal(rows, 1818);
    assert_int_equal(differences, 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted_forms),
        cmocka_unit_test(test_label_key_text),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_bad_castling),
        cmocka_unit_test(test_en_passant),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_case_015_xfen_inner_rook),
        cmocka_unit_test(test_case_017_castling_right_without_rook),
        cmocka_unit_test(test_odd_fens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
