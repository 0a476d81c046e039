/* SPDX-License-Identifier: MIT */
/*
 * Real games against the oracle in ../shared: every position of the games that it lists, as another
 * program sees them; the number of games in an archive of one frame and of many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/chess/fen.h"
#include "formats/io/buffer.h"
#include "formats/io/file.h"
#include "formats/pgn.h"
#include "formats/pgn_hash.h"
#include "tests/unit/skip.h"

#define DATA   "../shared/data/"
#define ORACLE DATA "oracle/lichess-small.fen.zst"

/* Of the boards after a move in the oracle's lines, computed from their text by a script. */
#define ORACLE_HASH  UINT64_C(0x69c21a58a0158e98)
#define ORACLE_GAMES 300
#define ORACLE_LINES 23246

struct sums {
    uint64_t games, rejected, listed, lines, hash;
};

static char *read_whole(const char *path, struct buffer *text)
{
    struct reader *reader;
    struct error err;
    ssize_t got;
    buffer_init(text, 64u << 20);
    assert_int_equal(reader_open(path, false, &reader, &err), 0);
    do {
        assert_int_equal(buffer_reserve(text, 1u << 16, &err), 0);
        got = reader_read(reader, text->data + text->length, 1u << 16, &err);
        assert_true(got >= 0);
        text->length += (size_t)got;
    } while (got > 0);
    reader_close(reader);
    text->data[text->length] = '\0';
    return text->data;
}

static void assert_line(char **oracle, uint64_t number, uint32_t ply,
                        const struct position *position)
{
    char fen[FEN_MAX], expected[FEN_MAX + 64];
    char *line = strsep(oracle, "\n");
    assert_non_null(line);
    fen_format(position, FEN_XFEN, fen);
    snprintf(expected, sizeof expected, "%llu\t%u\t%s", (unsigned long long)number, ply, fen);
    assert_string_equal(line, expected);
}

/* Is the oracle's next line about this game? */
static bool is_listed(const char *oracle, uint64_t number)
{
    return oracle && *oracle && strtoull(oracle, NULL, 10) == number;
}

static void add_game(struct sums *sums, char **oracle, const struct pgn_game *game)
{
    sums->games++;
    if (game->reject)
        sums->rejected++;
    if (game->reject || !is_listed(*oracle, game->number))
        return;
    struct position position = game->start;
    sums->listed++;
    for (uint32_t ply = 0; ply <= game->plies; ply++) {
        assert_line(oracle, game->number, ply, &position);
        sums->lines++;
        sums->hash += ply > 0 ? pgn_hash_board(&position) : 0;
        if (ply < game->plies)
            position_make(&position, game->moves[ply], NULL);
    }
}

static struct sums read_archive(const char *path, char *oracle)
{
    struct pgn_options options = {.variants = PGN_STANDARD | PGN_FROM_POSITION};
    const struct pgn_game *game;
    struct sums sums = {0};
    struct reader *reader;
    struct pgn *pgn;
    struct error err;
    int status;
    assert_int_equal(reader_open(path, false, &reader, &err), 0);
    assert_int_equal(pgn_new(reader, &options, NULL, &pgn, &err), 0);
    while ((status = pgn_next(pgn, &game, &err)) > 0)
        add_game(&sums, &oracle, game);
    assert_int_equal(status, 0);
    pgn_free(pgn);
    reader_close(reader);
    return sums;
}

static void assert_oracle(const char *path)
{
    struct buffer text;
    if (!file_exists(path) || !file_exists(ORACLE))
        SKIP_BECAUSE("no %s or " ORACLE, path);
    struct sums sums = read_archive(path, read_whole(ORACLE, &text));
    assert_int_equal(sums.games, 2010);
    assert_int_equal(sums.rejected, 0);
    assert_int_equal(sums.listed, ORACLE_GAMES);
    assert_int_equal(sums.lines, ORACLE_LINES);
    assert_int_equal(sums.hash, ORACLE_HASH);
    buffer_free(&text);
}

static void test_one_frame(void **state)
{
    (void)state;
    assert_oracle(DATA "lichess-small.pgn.zst");
}

static void test_many_frames(void **state)
{
    (void)state;
    assert_oracle(DATA "lichess-small.pzstd.pgn.zst");
}

/* Counts from the list of sources: games by their Event tags. */
static void test_counts(void **state)
{
    static const struct {
        const char *path;
        uint64_t games, rejected;
    } table[] = {
        {DATA "lichess-large.pgn.zst", 5837, 0},
        {DATA "odd/variants/chess960-headers-only.pgn.zst", 2619, 2619},
        {DATA "odd/variants/crazyhouse-pychess.pgn.zst", 83, 83},
        {DATA "odd/exports/worldcup-clk.pgn.zst", 555, 0},
        {DATA "odd/exports/bdg-correspondence.pgn.zst", 2237, 0},
        {DATA "odd/exports/dortmund-latin1.pgn.zst", 347, 0},
        {DATA "odd/exports/chesslib__resources_longest.pgn.zst", 1, 0},
        {DATA "odd/engine/redqueen-analysis.pgn.zst", 165, 0},
        {DATA "odd/studies/lichess-broadcast.pgn.zst", 304, 0},
        {DATA "odd/exports/scid-scarborough_2001.pgn.zst", 385, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!file_exists(table[i].path))
            SKIP_BECAUSE("no %s", table[i].path);
        struct sums sums = read_archive(table[i].path, NULL);
        assert_int_equal(sums.games, table[i].games);
        assert_int_equal(sums.rejected, table[i].rejected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_frame),
        cmocka_unit_test(test_many_frames),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests_name("pgn oracle", tests, NULL, NULL);
}
