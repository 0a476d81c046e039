/* SPDX-License-Identifier: MIT */
/* Which plies of a game may be taken (against the oracle of real games) and which are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/chess/fen.h"
#include "formats/chess/movegen.h"
#include "formats/chess/san.h"
#include "formats/draw.h"
#include "formats/io/reader.h"
#include "pipeline/stages/gameitem.h"
#include "pipeline/stages/sampler.h"
#include "tests/unit/skip.h"

#define GAMES  "../shared/data/lichess-small.pgn.zst"
#define COUNTS "../shared/data/oracle/lichess-small.counts.tsv.zst"

struct expected {
    long game, plies, with_last, without_last;
};

static size_t read_counts(struct expected *rows, size_t capacity)
{
    struct reader *reader;
    if (reader_open(COUNTS, false, &reader, NULL) < 0)
        return 0;
    static char text[1 << 20];
    size_t length = 0;
    ssize_t got;
    while ((got = reader_read(reader, text + length, sizeof text - 1 - length, NULL)) > 0)
        length += (size_t)got;
    reader_close(reader);
    text[length] = '\0';
    size_t count = 0;
    for (char *line = text; line && *line && count < capacity;) {
        struct expected row;
        char id[32];
        if (sscanf(line, "%ld\t%31s\t%ld\t%ld\t%ld", &row.game, id, &row.plies, &row.with_last,
                   &row.without_last) == 5)
            rows[count++] = row;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return count;
}

static bool last_position_has_move(const struct pgn_game *game)
{
    struct position position = game->start;
    for (uint32_t ply = 0; ply < game->plies; ply++)
        position_make(&position, game->moves[ply], NULL);
    return movegen_has_legal(&position);
}

static void check_game(struct sampler *sampler, const struct pgn_game *game,
                       const struct expected *row)
{
    const struct sampler_rule rule = {.per_game = 0, .min_ply = 10, .max_ply = UINT32_MAX};
    const struct sampler_pick *picks;
    struct sampler_counts counts;
    assert_int_equal(game->plies, row->plies);
    assert_int_equal(sampler_take(sampler, &rule, game, "game", &picks, &counts, NULL), 0);
    long want = last_position_has_move(game) ? row->with_last : row->without_last;
    assert_int_equal(counts.taken, want);
    assert_int_equal(counts.taken + counts.in_check + counts.no_move + counts.out_of_range,
                     game->plies + 1);
}

static void test_eligible_plies_equal_the_oracle(void **state)
{
    (void)state;
    static struct expected rows[400];
    size_t count = read_counts(rows, 400), next = 0;
    if (count == 0) {
        SKIP_BECAUSE("no " COUNTS);
    }
    assert_int_equal(count, 300);
    struct reader *reader;
    struct pgn *pgn;
    const struct pgn_options options = {.variants = PGN_STANDARD | PGN_FROM_POSITION};
    const struct pgn_game *game;
    assert_int_equal(reader_open(GAMES, false, &reader, NULL), 0);
    assert_int_equal(pgn_new(reader, &options, NULL, &pgn, NULL), 0);
    struct sampler *sampler = sampler_new();
    while (pgn_next(pgn, &game, NULL) == 1 && next < count)
        if (game->number == (uint64_t)rows[next].game)
            check_game(sampler, game, &rows[next++]);
    assert_int_equal(next, count);
    sampler_free(sampler);
    pgn_free(pgn);
    reader_close(reader);
}

/* A game from SAN text. */
static void play(struct pgn_game *game, uint16_t *moves, bool *in_check, const char *text)
{
    struct position position;
    position_start(&position);
    *game = (struct pgn_game){.start = position, .moves = moves, .in_check = in_check};
    in_check[0] = false;
    while (*text) {
        size_t length = strcspn(text, " ");
        assert_int_equal(san_parse(&position, text, length, &moves[game->plies]), SAN_OK);
        position_make(&position, moves[game->plies++], NULL);
        in_check[game->plies] = position_checkers(&position) != 0;
        text += length + (text[length] == ' ');
    }
}

static const char fools_mate[] = "f3 e5 g4 Qh4#";
static const char spanish[] =
    "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O Bg4 h3 h5 hxg4 hxg4 Nxe5 Qh4 f4 g3 Nf3 Qh1#";

static void test_takes_the_smallest_draws(void **state)
{
    (void)state;
    struct pgn_game game;
    uint16_t moves[64];
    bool in_check[65];
    play(&game, moves, in_check, spanish);
    const struct sampler_rule rule = {.seed = 7, .per_game = 3, .min_ply = 4, .max_ply = 17};
    const struct sampler_pick *picks;
    struct sampler_counts counts;
    struct sampler *sampler = sampler_new();
    assert_int_equal(sampler_take(sampler, &rule, &game, "abcdefgh", &picks, &counts, NULL), 0);
    assert_int_equal(counts.taken, 3);
    assert_int_equal(counts.out_of_range, 4 + 3);
    /* No ply in range that was not taken has a smaller draw than one that was. */
    uint64_t largest = 0;
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t draw = draw_ply(DRAW_SAMPLE, "abcdefgh", picks[i].ply, 7);
        largest = draw > largest ? draw : largest;
        assert_true(i == 0 || picks[i].ply > picks[i - 1].ply);
        assert_int_equal(picks[i].move, moves[picks[i].ply]);
        assert_true(movegen_is_legal(&picks[i].position, picks[i].move));
    }
    uint32_t smaller = 0;
    for (uint32_t ply = 4; ply <= 17; ply++)
        smaller += !in_check[ply] && draw_ply(DRAW_SAMPLE, "abcdefgh", ply, 7) <= largest;
    assert_int_equal(smaller, 3);
    sampler_free(sampler);
}

static void test_mate_and_short_games(void **state)
{
    (void)state;
    struct pgn_game game;
    uint16_t moves[64];
    bool in_check[65];
    const struct sampler_pick *picks;
    struct sampler_counts counts;
    struct sampler *sampler = sampler_new();
    struct sampler_rule rule = {.per_game = 0, .min_ply = 10, .max_ply = UINT32_MAX};
    play(&game, moves, in_check, fools_mate);
    assert_int_equal(sampler_take(sampler, &rule, &game, "x", &picks, &counts, NULL), 0);
    assert_int_equal(counts.taken, 0);
    rule.min_ply = 0;
    assert_int_equal(sampler_take(sampler, &rule, &game, "x", &picks, &counts, NULL), 0);
    assert_int_equal(counts.taken, 4);
    assert_int_equal(counts.in_check, 1);
    /* In check allowed: the mated position still has no move. */
    rule.in_check = true;
    assert_int_equal(sampler_take(sampler, &rule, &game, "x", &picks, &counts, NULL), 0);
    assert_int_equal(counts.taken, 4);
    assert_int_equal(counts.no_move, 1);
    sampler_free(sampler);
}

static void test_items_read_back(void **state)
{
    (void)state;
    struct pgn_game game;
    uint16_t moves[64];
    bool in_check[65];
    play(&game, moves, in_check, spanish);
    const struct sampler_rule rule = {.per_game = 5, .min_ply = 0, .max_ply = UINT32_MAX};
    const struct sampler_pick *picks;
    struct gameitem item = {.shard = 3,
                            .game_id = "xdeadbeefdeadbeef",
                            .plies = 20,
                            .evals = 2,
                            .split = 2,
                            .result = -1,
                            .white_rating = 2850,
                            .black_rating = 1};
    struct sampler *sampler = sampler_new();
    assert_int_equal(sampler_take(sampler, &rule, &game, "g", &picks, &item.counts, NULL), 0);
    uint8_t key[GAMEITEM_KEY_SIZE];
    struct buffer data;
    buffer_init(&data, 1 << 20);
    assert_int_equal(gameitem_encode(&item, picks, key, &data, NULL), 0);
    struct extsort_item sorted = {key, (const uint8_t *)data.data, sizeof key,
                                  (uint32_t)data.length};
    struct gameitem back;
    assert_int_equal(gameitem_decode(&sorted, &back), 0);
    assert_memory_equal(&back, &item, sizeof back);
    for (uint32_t i = 0; i < 5; i++) {
        struct sampler_pick pick;
        assert_int_equal(gameitem_sample(&sorted, i, &pick), 0);
        assert_int_equal(pick.ply, picks[i].ply);
        assert_int_equal(pick.move, picks[i].move);
        assert_true(position_equal(&pick.position, &picks[i].position));
    }
    sorted.data_size--;
    assert_int_equal(gameitem_decode(&sorted, &back), -1);
    buffer_free(&data);
    sampler_free(sampler);
}

/* A position of a dataset: the label comes back where it is kept, the place is by ply. */
static void test_lone_items_read_back(void **state)
{
    (void)state;
    struct sampler_pick pick = {.ply = 70000, .move = move_make(12, 28, MOVE_NORMAL)}, back;
    struct gameitem item = {
        .lone = true, .shard = 1, .game_id = "p0123456789abcdef", .result = 2, .counts.taken = 1};
    struct gameitem read;
    uint8_t key[GAMEITEM_KEY_SIZE], later[GAMEITEM_KEY_SIZE];
    struct buffer data;
    buffer_init(&data, 1 << 20);
    position_start(&pick.position);
    for (int labeled = 0; labeled < 2; labeled++) {
        pick.labeled = labeled;
        pick.label = (struct label){.bound = BOUND_LOWER,
                                    .final = {SCORE_MATE, -7},
                                    .exact = {SCORE_CP, 31},
                                    .best_move = 77,
                                    .nodes = 123};
        assert_int_equal(gameitem_encode(&item, &pick, key, &data, NULL), 0);
        struct extsort_item sorted = {key, (const uint8_t *)data.data, sizeof key,
                                      (uint32_t)data.length};
        assert_int_equal(gameitem_decode(&sorted, &read), 0);
        assert_memory_equal(&read, &item, sizeof read);
        assert_int_equal(gameitem_sample(&sorted, 0, &back), 0);
        assert_int_equal(back.ply, 70000);
        assert_int_equal(back.move, pick.move);
        assert_int_equal(back.labeled, labeled);
        assert_int_equal(back.label.final.value, labeled ? -7 : 0);
        assert_int_equal(back.label.exact.value, labeled ? 31 : 0);
        assert_int_equal(back.label.best_move, labeled ? 77 : 0);
        sorted.data_size--;
        assert_int_equal(gameitem_decode(&sorted, &read), -1);
    }
    pick.ply++;
    assert_int_equal(gameitem_encode(&item, &pick, later, &data, NULL), 0);
    assert_true(memcmp(key, later, sizeof key) < 0);
    item.lone = false;
    item.counts.taken = 0;
    assert_int_equal(gameitem_encode(&item, &pick, later, &data, NULL), 0);
    assert_true(memcmp(later, key, sizeof key) < 0);
    buffer_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eligible_plies_equal_the_oracle),
        cmocka_unit_test(test_takes_the_smallest_draws),
        cmocka_unit_test(test_mate_and_short_games),
        cmocka_unit_test(test_items_read_back),
        cmocka_unit_test(test_lone_items_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
