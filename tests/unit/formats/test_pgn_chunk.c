/* SPDX-License-Identifier: MIT */
/*
 * The chunk: a text of everything that PGN knows gives the same games wherever the chunk ends in
 * it, the files of the cases give the same a byte at a time, and an input that breaks off gives
 * every game that was complete.
 */
#include "tests/unit/formats/test_pgn.h"

#include <glob.h>
#include <zstd.h>

#include "formats/io/file.h"
#include "formats/pgn_internal.h"

static const char mixture[] =
    "% escape\n[Event \"A \\\"b\\\" c\"]\r\n[Result \"1-0\"]\r\n\r\n"
    "1. e4! {[%eval 0.31] two\nlines} 1... e5?! $6 ; rest\n2. Nf3 (2. d4 {)} (2. c4) exd4) Nc6 "
    "3. Bc4 Bc5 4. 0-0 {[%eval #-3]} Nf6 1-0 {after} junk\n\n"
    "\xEF\xBB\xBF[A \"no result\"]\n[FEN \"7k/3P4/7K/8/8/8/8/8 w - - 6 55\"]\n55. d8(Q)+\n"
    "% x\n[A \"x\"] 1... e5 *\n\n[A \"y\"]\n[B \"\"]\n\n[C \"\"]\n\n[A \"z\"]\n\n1. e4 -- 1-0\n\n"
    "[A \"open\"]\n\n1. e4 { open\n\n[A \"next\"]\n\n1. d4 { x } d5 1/2-1/2\n"
    "[Variant \"Atomic\"]\n\n1. xx (yy) zz 0-1\n1. e4 e50-1\n\n"
    "1. c4 e5\n\n1. d4 (\n[A \"cut\"]\n1\xE2\x80\xA6 d4 d5 2. \\$1 c4 e6\r\r[A \"cr\"]\r\r1. e4 "
    "*\r";

static char *pad_text(size_t pad, size_t *size)
{
    char *text = malloc(pad + sizeof mixture);
    assert_non_null(text);
    memset(text, 'x', pad);
    text[0] = '{';
    text[pad - 1] = '}';
    memcpy(text + pad, mixture, sizeof mixture);
    *size = pad + sizeof mixture - 1;
    return text;
}

static void test_every_border(void **state)
{
    struct seen alone, padded;
    (void)state;
    seen_read_text(&alone, mixture, sizeof mixture - 1, ALL_VARIANTS);
    assert_int_equal(alone.status, 0);
    assert_int_equal(alone.count, 13);
    for (size_t held = 0; held < sizeof mixture; held++) {
        size_t pad = PGN_CHUNK - held, size;
        char *text = pad_text(pad, &size);
        seen_read_text(&padded, text, size, ALL_VARIANTS);
        seen_assert_equal(&alone, &padded, pad);
        seen_free(&padded);
        free(text);
    }
    seen_free(&alone);
}

static void test_short_reads(void **state)
{
    glob_t found;
    (void)state;
    assert_int_equal(glob("tests/data/cases/*/input.pgn", 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 10);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct seen whole, bytes;
        struct buffer text;
        struct error err;
        buffer_init(&text, 1u << 20);
        assert_int_equal(file_read_all(found.gl_pathv[i], &text, &err), 0);
        seen_read_text(&whole, text.data, text.length, ALL_VARIANTS);
        seen_read_file(&bytes, found.gl_pathv[i], ALL_VARIANTS);
        seen_assert_equal(&whole, &bytes, 0);
        seen_free(&whole);
        seen_free(&bytes);
        buffer_free(&text);
    }
    globfree(&found);
}

/* An archive cut anywhere gives the first of its games, whole, and an error. */
static void test_truncated_archive(void **state)
{
    static const char first[] = "[A \"1\"]\n\n1. e4 *\n\n[A \"2\"]\n\n1. d4 d5 2. c4";
    static const char second[] =
        " e6 *\n\n[A \"3\"]\n\n1. c4 *\n\n[A \"4\"]\n\n1. Nf3 d5 2. e3 *\n";
    static const char *const uci[] = {"e2e4", "d2d4 d7d5 c2c4 e7e6", "c2c4", "g1f3 d7d5 e2e3"};
    char archive[1024];
    struct seen seen;
    (void)state;
    size_t size = ZSTD_compress(archive, sizeof archive, first, sizeof first - 1, 1);
    assert_false(ZSTD_isError(size));
    size_t more =
        ZSTD_compress(archive + size, sizeof archive - size, second, sizeof second - 1, 1);
    assert_false(ZSTD_isError(more));
    for (size_t cut = size + 1; cut < size + more; cut++) {
        seen_read_text(&seen, archive, cut, PGN_STANDARD);
        assert_int_equal(seen.status, -1);
        assert_non_null(strstr(seen.err.text, "truncated"));
        assert_in_range(seen.count, 1, 4);
        for (size_t i = 0; i < seen.count; i++)
            assert_string_equal(seen.game[i].uci, uci[i]);
        seen_free(&seen);
    }
    seen_read_text(&seen, archive, size + more, PGN_STANDARD);
    assert_int_equal(seen.status, 0);
    assert_int_equal(seen.count, 4);
    seen_free(&seen);
}

struct wanted {
    unsigned calls;
    uint64_t last;
};

static bool want_even(void *context, const struct pgn_game *game)
{
    struct wanted *wanted = context;
    wanted->calls++;
    assert_true(game->number > wanted->last);
    wanted->last = game->number;
    return game->number % 2 == 0;
}

/* Asked once per game, also for the game that is read again; skipped games are given. */
static void test_want(void **state)
{
    struct wanted wanted = {0, 0};
    struct pgn_options options = {.variants = ALL_VARIANTS};
    struct pgn_visitor visitor = {.context = &wanted, .want = want_even};
    const struct pgn_game *game;
    struct reader *reader;
    struct pgn *pgn;
    struct error err;
    uint64_t games = 0;
    size_t size;
    char *text = pad_text(PGN_CHUNK - sizeof mixture / 2, &size);
    (void)state;
    assert_int_equal(reader_open_memory(text, size, &reader, &err), 0);
    assert_int_equal(pgn_new(reader, &options, &visitor, &pgn, &err), 0);
    while (pgn_next(pgn, &game, &err) > 0) {
        assert_int_equal(game->number, ++games);
        if (game->number % 2)
            assert_true(game->reject == PGN_SKIPPED || game->reject == PGN_VARIANT);
        else
            assert_int_not_equal(game->reject, PGN_SKIPPED);
    }
    assert_int_equal(games, 13);
    assert_int_equal(wanted.calls, games - 1); /* the Atomic game is rejected before */
    pgn_free(pgn);
    reader_close(reader);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_border),
        cmocka_unit_test(test_short_reads),
        cmocka_unit_test(test_truncated_archive),
        cmocka_unit_test(test_want),
    };
    /* Before the first read: every read of a file returns one byte. */
    setenv("PLYMILL_FAULT", "read:0:short", 1);
    return cmocka_run_group_tests_name("pgn chunk", tests, NULL, NULL);
}
