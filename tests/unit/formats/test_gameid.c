/* SPDX-License-Identifier: MIT */
/*
 * Game ids: the references of case 045, what is and what is no Lichess game, and hashes made with
 * sha256sum over the texts that the definition names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"
#include "formats/gameid.h"

#define CASE_045 "tests/data/cases/045-split-by-game-id-is-stable/input.txt"

static void case_045_lines_that_name_one_game(void **state)
{
    (void)state;
    static const char *const groups[] = {
        "aBcDeFgH", "aBcDeFgh", "AbCdEfGh", "Zz9yXw8v", "q1W2e3R4",
        "00000000", "zzzzzzzz", "K7mN8pQr", "aBcDeFgH", "aBcDeFgH",
        "aBcDeFgH", "aBcDeFgH", "aBcDeFgH", "aBcDeFgH", "q1W2e3R4",
    };
    FILE *file = fopen(CASE_045, "r");
    assert_non_null(file);
    char line[200], id[GAMEID_MAX];
    unsigned count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        assert_true(gameid_from_reference(line, strcspn(line, "\n"), id));
        assert_in_range(count, 0, 14);
        assert_string_equal(id, groups[count++]);
    }
    fclose(file);
    assert_int_equal(count, 15);
}

static void accepted_references(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "lichess.org/aBcDeFgH",           "en.lichess.org/aBcDeFgH",
        "HTTPS://Lichess.org/aBcDeFgH",   "https://lichess.org/aBcDeFgHxYz1/black#7",
        "https://lichess.org/aBcDeFgH#0", "https://zh-CN.lichess.org/aBcDeFgH/white",
    };
    char id[GAMEID_MAX];
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        memset(id, 'x', sizeof id);
        assert_true(gameid_from_reference(texts[i], strlen(texts[i]), id));
        assert_string_equal(id, "aBcDeFgH");
        assert_true(gameid_from_site(texts[i], strlen(texts[i]), id));
    }
    assert_true(gameid_from_reference("aBcDeFgHxYz1", 12, id));
    assert_string_equal(id, "aBcDeFgH");
    assert_true(gameid_from_reference("aBcDeFgH/white", 14, id));
    assert_true(gameid_from_reference("aBcDeFgHjunk", 8, id)); /* by size, not by zero */
}

static void refused_references(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "?",
        "aBcDeFg",
        "aBcDeFgHi",
        "aBcDeFgHxYz",
        "aBcDeFgHxYz12",
        "aBcDeFg-",
        "aBcDeFgH/",
        "aBcDeFgH#",
        "aBcDeFgH#a",
        "aBcDeFgH#3x",
        "aBcDeFgH/red",
        "aBcDeFgH/white/black",
        "aBcDeFgH?x=1",
        "aBcDeFgH ",
        "London ENG",
        "https://lichess.org",
        "https://lichess.org/",
        "https://lichess.org/study/aBcDeFgH/aBcDeFgH",
        "https://lichess.org/study/aBcDeFgH",
        "https://lichess.org/broadcast/some-open/round-1/aBcDeFgH/aBcDeFgH",
        "https://lichess.org/broadcast/-/-/aBcDeFgH",
        "https://lichess.org/analysis",
        "https://lichess.org/training",
        "https://lichess.org/@/abcdefgh",
        "https://notlichess.org/aBcDeFgH",
        "https://lichess.org.evil.com/aBcDeFgH",
        "https://.lichess.org/aBcDeFgH",
        "https://a..lichess.org/aBcDeFgH",
        "https://user@lichess.org/aBcDeFgH",
        "https://lichess.org:443/aBcDeFgH",
        "https://lichess.dev/aBcDeFgH",
        "https://www.chess.com/live/game/12345678",
        "https://aBcDeFgH",
        "://lichess.org/aBcDeFgH",
        "lichess.org//aBcDeFgH",
        "https://lichess.org/aBcDeFg\xc3\xa9",
    };
    char id[GAMEID_MAX];
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        if (gameid_from_reference(texts[i], strlen(texts[i]), id))
            fail_msg("'%s' is taken for the game %s", texts[i], id);
}

/* A Site is a place: eight letters alone are a town, not a game. */
static void a_town_is_no_game(void **state)
{
    (void)state;
    char id[GAMEID_MAX];
    assert_false(gameid_from_site("Budapest", 8, id));
    assert_false(gameid_from_site("Helsinki", 8, id));
    assert_false(gameid_from_site("Philadelphia", 12, id));
    assert_false(gameid_from_site("ISTANBUL", 8, id));
    assert_true(gameid_from_site("aBcDeFgH", 8, id));
    assert_true(gameid_from_site("q1w2e3r4", 8, id));
}

static void valid_ids(void **state)
{
    (void)state;
    assert_true(gameid_is_valid("a", 1));
    assert_true(gameid_is_valid("x0123456789abcdef", 17));
    assert_false(gameid_is_valid("x0123456789abcdef0", 18));
    assert_false(gameid_is_valid("", 0));
    assert_false(gameid_is_valid("a,b", 3));
}

static void set_position(const char *fen, struct position *position)
{
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, position, NULL), FEN_OK);
}

/* The moves are made one after the other; the id of the game and of its start alone. */
static void check_moves(const char *fen, const char *moves, const char *expected)
{
    struct position start, position;
    uint16_t list[32];
    size_t count = 0;
    char id[GAMEID_MAX];
    set_position(fen, &start);
    position = start;
    while (*moves != '\0') {
        size_t size = strcspn(moves, " ");
        list[count] = ucimove_parse(&position, moves, size);
        assert_int_not_equal(list[count], MOVE_NONE);
        position_make(&position, list[count++], NULL);
        moves += size + (moves[size] == ' ');
    }
    assert_int_equal(gameid_from_moves(&start, list, count, id), 0);
    assert_string_equal(id, expected);
}

static void ids_from_moves(void **state)
{
    (void)state;
    const char *start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    check_moves(start, "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1", "xbedd02e1a846f914");
    check_moves(start, "", "x6c47d19730080270");
    /* Chess960, rooks on b and g: castling is written king takes rook */
    check_moves("4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 3 9", "e1g1", "xc321d525f687f0d1");
    /* ... and so it is when only that form can say it: the king would go to c1 */
    check_moves("4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 3 9", "e1b1", "x1eb4a31248bae0ec");
}

static void ids_from_positions(void **state)
{
    (void)state;
    struct position position;
    char id[GAMEID_MAX];
    position_start(&position);
    gameid_from_position(&position, id);
    assert_string_equal(id, "p05bd4852088c5cfd");
    set_position("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3", &position);
    gameid_from_position(&position, id);
    assert_string_equal(id, "p8f06144fe5384409");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_045_lines_that_name_one_game),
        cmocka_unit_test(accepted_references),
        cmocka_unit_test(refused_references),
        cmocka_unit_test(a_town_is_no_game),
        cmocka_unit_test(valid_ids),
        cmocka_unit_test(ids_from_moves),
        cmocka_unit_test(ids_from_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
