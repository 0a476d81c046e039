/* SPDX-License-Identifier: MIT */
/*
 * Games that are not wanted are passed over without reading their moves, and still begin and end
 * where reading finds them: comments of all kinds, tags and results inside them, variations,
 * results glued to moves, games without tags.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/pgn.h"

#define GAMES_MAX 8192

struct place {
    uint64_t offset;
    size_t size;
    enum pgn_result result;
};

struct places {
    unsigned count;
    int status;
    struct place at[GAMES_MAX];
};

static bool want_none(void *context, const struct pgn_game *game)
{
    (void)context;
    (void)game;
    return false;
}

static void find_places(struct reader *reader, const struct pgn_visitor *visitor,
                        struct places *places)
{
    const struct pgn_options options = {.variants =
                                            PGN_STANDARD | PGN_FROM_POSITION | PGN_CHESS960};
    const struct pgn_game *game;
    struct pgn *pgn;
    struct error err;
    places->count = 0;
    assert_int_equal(pgn_new(reader, &options, visitor, &pgn, &err), 0);
    while ((places->status = pgn_next(pgn, &game, &err)) > 0) {
        assert_true(places->count < GAMES_MAX);
        if (visitor)
            assert_int_not_equal(game->reject, PGN_ACCEPTED);
        places->at[places->count++] = (struct place){game->offset, game->text_size, game->result};
    }
    pgn_free(pgn);
}

static void assert_same(const struct places *read, const struct places *skipped, const char *what)
{
    if (read->count != skipped->count)
        fail_msg("%s: %u games read, %u skipped", what, read->count, skipped->count);
    for (unsigned i = 0; i < read->count; i++) {
        const struct place *a = &read->at[i], *b = &skipped->at[i];
        if (a->offset != b->offset || a->size != b->size || a->result != b->result)
            fail_msg("%s: game %u: at %llu, %zu bytes, but skipped at %llu, %zu bytes", what, i + 1,
                     (unsigned long long)a->offset, a->size, (unsigned long long)b->offset,
                     b->size);
    }
}

static const struct pgn_visitor visit_none = {.want = want_none};

static unsigned compare_text(const char *text, size_t size)
{
    struct places *places = malloc(2 * sizeof *places);
    struct reader *reader;
    struct error err;
    assert_non_null(places);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(reader_open_memory(text, size, &reader, &err), 0);
        find_places(reader, i ? &visit_none : NULL, &places[i]);
        reader_close(reader);
    }
    assert_same(&places[0], &places[1], text);
    unsigned count = places[0].count;
    free(places);
    return count;
}

static void test_hidden_ends(void **state)
{
    static const struct {
        const char *text;
        unsigned games;
    } table[] = {
        {"[A \"a\"]\n\n1. e4 { 1-0 * } e5 2. d4 1-0\n\n[A \"b\"]\n\n1. e4 *\n", 2},
        {"[A \"a\"]\n\n1. e4 { x\n[B \"b\"]\n y } e5 *\n\n[A \"b\"]\n\n1. e4 *\n", 2},
        {"[A \"a\"]\n\n1. e4 { x\n\n[A \"b\"]\n\n1. e4 { y } *\n", 2},
        {"[A \"a\"]\n\n1. e4 ; { 1-0 [B \"b\"]\n1... e5 0-1\n[A \"b\"]\n\n1. e4 *\n", 2},
        {"[A \"a\"]\n\n1. e4\n% 1-0 {\ne5 1/2-1/2\n[A \"b\"]\n\n1. e4 *\n", 2},
        {"[A \"a\"]\n\n1. e4 (1. d4 1-0 (1. c4 *) {)}) e5 *\n[A \"b\"]\n\n1. e4 *\n", 2},
        {"[A \"a\"]\n\n1. e4 (1. d4\n[A \"b\"]\n\n1. e4 *\n", 2},
        {"[A \"a\"]\n\n1. e4 e51-0\n\n1. d4 d5 1/2\n\n1. c4 O-O-O0-1 ", 3},
        {"[A \"a\"]\n\n1. e4 $1-0 e5 $1 -0 0-0 O-O-O *", 1},
        {"[A \"a\"]\n\n1. e4 e5\n\n1. d4 d5\n\n\r\n1. c4", 3},
        {"[A \"a\"]\n\n1.\n\n1. e4 e5 1.\n\n 1. d4", 2},
        {"[A \"a\"]\n\n1. e4 { [%clk 0:05:00] } e5 { [%clk 0:} :0] } 1-0 x [A \"b\"] 1. d4 *", 2},
        {"[A \"a\"]\n\n1. e8(Q)-1 [B \"b\"] 1. d4 12.0-0 12.1-0", 2},
        {"[A \"a\"]\n\n1. e4\n\n[A \"b\"]\n\n[A \"c\"]\n\n*", 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        unsigned games = compare_text(table[i].text, strlen(table[i].text));
        if (games != table[i].games)
            fail_msg("%s: %u games, not %u", table[i].text, games, table[i].games);
    }
}

/* Pieces of text strung together at random. */
static void test_random_texts(void **state)
{
    static const char *const pieces[] = {
        "1. e4 ", "1... e5 ", "Nf3 ",  "O-O ",  "{ [%clk 0:01:00] } ", "{", "}",   "(",     ")",
        "; x\n",  "\n% y\n",  "\n\n",  "\r\n",  "\n[A \"b\"]\n",       "*", "1-0", "$1",    "1/2",
        "[",      "1.",       "0-0-0", "\0 1-", "\xE2\x80\xA6",        "!", " ",   "e8(Q)", "-"};
    static const char start[] = "[A \"a\"]\n\n1. e4 e5 ";
    uint32_t random = 7;
    char text[4096];
    (void)state;
    for (unsigned round = 0; round < 4000; round++) {
        size_t size = sizeof start - 1;
        memcpy(text, start, size);
        for (unsigned i = 0; i < 40; i++) {
            random = random * 1664525 + 1013904223;
            const char *piece = pieces[(random >> 8) % (sizeof pieces / sizeof *pieces)];
            size_t length = *piece ? strlen(piece) : 4;
            memcpy(text + size, piece, length);
            size += length;
        }
        text[size] = '\0';
        compare_text(text, size);
    }
}

static void test_archives(void **state)
{
    static const char *const paths[] = {"configs/demo.pgn.zst",
                                        "../shared/data/lichess-small.pgn.zst"};
    struct places *places = malloc(2 * sizeof *places);
    struct reader *reader;
    struct error err;
    unsigned archives = 0;
    (void)state;
    assert_non_null(places);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (reader_open(paths[i], false, &reader, &err) < 0)
            continue;
        find_places(reader, NULL, &places[0]);
        reader_close(reader);
        assert_int_equal(reader_open(paths[i], false, &reader, &err), 0);
        find_places(reader, &visit_none, &places[1]);
        reader_close(reader);
        assert_same(&places[0], &places[1], paths[i]);
        archives++;
    }
    free(places);
    assert_true(archives > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hidden_ends),
        cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_archives),
    };
    return cmocka_run_group_tests_name("pgn skip", tests, NULL, NULL);
}
