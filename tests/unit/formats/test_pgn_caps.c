/* SPDX-License-Identifier: MIT */
/*
 * The caps of pgn.h, each at its limit and one past it; the game behind is read in any case.
 */
#include "tests/unit/formats/test_pgn.h"

#define NEXT_GAME "\n\n[A \"next\"]\n\n1. e4 *\n"

static struct buffer text;
static struct error err;

static void add(const char *more)
{
    assert_int_equal(buffer_append(&text, more, strlen(more), &err), 0);
}

static int setup(void **state)
{
    (void)state;
    buffer_init(&text, 64u << 20);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    buffer_free(&text);
    return 0;
}

/* The text, then one more game: what comes of the first? */
static enum pgn_reject read_first(void)
{
    struct seen seen;
    add(NEXT_GAME);
    seen_read_text(&seen, text.data, text.length, PGN_STANDARD);
    assert_int_equal(seen.status, 0);
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.game[1].reject, PGN_ACCEPTED);
    assert_int_equal(seen.game[1].plies, 1);
    assert_string_equal(seen_tag(&seen.game[1], "A"), "next");
    enum pgn_reject reject = seen.game[0].reject;
    seen_free(&seen);
    buffer_clear(&text);
    return reject;
}

static void add_tags(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        add("[T \"\"]\n");
    add("\n1. e4 *");
}

static void test_tags(void **state)
{
    (void)state;
    add_tags(PGN_TAGS_MAX);
    assert_int_equal(read_first(), PGN_ACCEPTED);
    add_tags(PGN_TAGS_MAX + 1);
    assert_int_equal(read_first(), PGN_TOO_LARGE);
}

static void add_plies(unsigned count)
{
    static const char *const moves[] = {"Nf3 ", "Nf6 ", "Ng1 ", "Ng8 "};
    add("[A \"long\"]\n\n");
    for (unsigned i = 0; i < count; i++)
        add(moves[i % 4]);
    add("*");
}

static void test_plies(void **state)
{
    (void)state;
    add_plies(1200);
    assert_int_equal(read_first(), PGN_ACCEPTED);
    add_plies(PGN_PLIES_MAX);
    assert_int_equal(read_first(), PGN_ACCEPTED);
    add_plies(PGN_PLIES_MAX + 1);
    assert_int_equal(read_first(), PGN_TOO_LARGE);
}

/* A game of exactly that many bytes, most of them in a comment. */
static void add_game(size_t size)
{
    static const char begin[] = "[A \"large\"]\n\n1. e4 {", end[] = "} e5 *";
    size_t comment = size - (sizeof begin - 1) - (sizeof end - 1);
    add(begin);
    assert_int_equal(buffer_reserve(&text, comment, &err), 0);
    memset(text.data + text.length, 'x', comment);
    text.length += comment;
    add(end);
    assert_int_equal(text.length, size);
}

static void test_game_size(void **state)
{
    (void)state;
    add_game(PGN_GAME_MAX);
    assert_int_equal(read_first(), PGN_ACCEPTED);
    add_game((size_t)PGN_GAME_MAX + 1);
    assert_int_equal(read_first(), PGN_TOO_LARGE);
    /* So large that its end is never seen together with its beginning. */
    add_game((size_t)PGN_GAME_MAX * 5 / 2);
    assert_int_equal(read_first(), PGN_TOO_LARGE);
}

/* Blanks do not count as text, but a game that goes on behind too many is not one of a single move.
 */
static void test_blanks(void **state)
{
    (void)state;
    size_t blanks = (size_t)PGN_GAME_MAX * 5 / 4;
    add("[A \"blank\"]\n\n1. e4 ");
    assert_int_equal(buffer_reserve(&text, blanks, &err), 0);
    memset(text.data + text.length, ' ', blanks);
    text.length += blanks;
    add("e5 *");
    assert_int_equal(read_first(), PGN_TOO_LARGE);
}

static void test_long_value(void **state)
{
    struct seen seen;
    char *value = malloc(125001);
    (void)state;
    assert_non_null(value);
    memset(value, 'v', 125000);
    value[125000] = '\0';
    add("[A \"");
    add(value);
    add("\"]\n\n*");
    seen_read_text(&seen, text.data, text.length, PGN_STANDARD);
    assert_int_equal(seen.count, 1);
    assert_string_equal(seen_tag(&seen.game[0], "A"), value);
    seen_free(&seen);
    free(value);
}

static unsigned count_games(void)
{
    const struct pgn_options options = {.variants = PGN_STANDARD};
    const struct pgn_game *game;
    struct reader *reader = NULL;
    struct pgn *pgn = NULL;
    unsigned count = 0;
    int status;
    assert_int_equal(reader_open_memory(text.data, text.length, &reader, &err), 0);
    assert_int_equal(pgn_new(reader, &options, NULL, &pgn, &err), 0);
    while ((status = pgn_next(pgn, &game, &err)) == 1)
        count++;
    assert_int_equal(status, 0);
    pgn_free(pgn);
    reader_close(reader);
    return count;
}

/* Takes minutes where the text is searched from every brace to its end. */
static void test_open_comments(void **state)
{
    (void)state;
    add("[A \"first\"]\n\n1. e4 *\n");
    for (unsigned i = 0; i < 1000000; i++)
        add("{ {{");
    add(" 1. e4 *"); /* a game without tags is one behind open comments too */
    assert_int_equal(count_games(), 2);
    buffer_clear(&text);
    for (unsigned i = 0; i < 600000; i++)
        add("{\n[A \"\"]\n");
    assert_int_equal(count_games(), 600000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tags, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plies, setup, teardown),
        cmocka_unit_test_setup_teardown(test_game_size, setup, teardown),
        cmocka_unit_test_setup_teardown(test_blanks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_long_value, setup, teardown),
        cmocka_unit_test_setup_teardown(test_open_comments, setup, teardown),
    };
    return cmocka_run_group_tests_name("pgn caps", tests, NULL, NULL);
}
