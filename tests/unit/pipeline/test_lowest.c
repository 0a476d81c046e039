/* SPDX-License-Identifier: MIT */
/*
 * The games with the lowest draws, against a naive sort of all of them: over orders, repetitions
 * and numbers of games around the sizes at which memory is cut.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline/stages/lowest.h"

#define GAMES 9000

struct game {
    uint64_t draw;
    char id[GAMEID_MAX];
};

static int by_draw(const void *a, const void *b)
{
    const struct game *x = a, *y = b;
    if (x->draw != y->draw)
        return x->draw < y->draw ? -1 : 1;
    return strcmp(x->id, y->id);
}

/* Ids are all different; some draws are equal. */
static void make_games(struct game *games)
{
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < GAMES; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        games[i].draw = i % 10 == 0 ? state & 1 ? UINT64_MAX : 0 : state;
        (void)snprintf(games[i].id, sizeof games[i].id, "g%04d", i);
    }
}

/* Fed in a stride through the games, each `times` times, refused ones left out. */
static void check(const struct game *games, const struct game *sorted, int count, uint64_t wanted,
                  int stride, int times)
{
    struct lowest *lowest;
    assert_int_equal(lowest_new(wanted, &lowest, NULL), 0);
    for (int round = 0; round < times; round++) {
        for (int i = 0; i < count; i++) {
            const struct game *game = &games[(long)i * stride % count];
            if (lowest_admits(lowest, game->draw, game->id))
                assert_int_equal(lowest_add(lowest, game->draw, game->id, NULL), 0);
        }
    }
    lowest_finish(lowest);
    for (int i = 0; i < count; i++)
        if (lowest_admits(lowest, sorted[i].draw, sorted[i].id) != ((uint64_t)i < wanted))
            fail_msg("%s of rank %d, %d games, %d wanted", sorted[i].id, i, count, (int)wanted);
    char rank[LOWEST_RANK_SIZE], want[LOWEST_RANK_SIZE];
    assert_int_equal(lowest_last_rank(lowest, rank), wanted <= (uint64_t)count);
    if (wanted <= (uint64_t)count) {
        lowest_rank(sorted[wanted - 1].draw, sorted[wanted - 1].id, want);
        assert_string_equal(rank, want);
    }
    lowest_free(lowest);
}

static void test_equals_a_sort(void **state)
{
    static const uint64_t wanted[] = {1, 2, 511, 512, 513, 1024, 2000, 8999, 9000, 9001, 1000000};
    static const int strides[] = {1, 8999, 7, 4001};
    static struct game games[GAMES], sorted[GAMES];
    (void)state;
    make_games(games);
    memcpy(sorted, games, sizeof sorted);
    qsort(sorted, GAMES, sizeof sorted[0], by_draw);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        for (size_t j = 0; j < sizeof strides / sizeof strides[0]; j++)
            check(games, sorted, GAMES, wanted[i], strides[j], 1 + (int)(j % 2));
    /* The worst order for memory, and the best. */
    check(sorted, sorted, GAMES, 100, 1, 3);
    check(sorted, sorted, GAMES, 100, GAMES - 1, 3);
}

static void test_none(void **state)
{
    struct lowest *lowest;
    char rank[LOWEST_RANK_SIZE];
    (void)state;
    assert_int_equal(lowest_new(1, &lowest, NULL), 0);
    lowest_finish(lowest);
    assert_true(lowest_admits(lowest, UINT64_MAX, "zzzzzzzz"));
    assert_false(lowest_last_rank(lowest, rank));
    lowest_free(lowest);
}

/* Ranks sort as text in the order of games. */
static void test_ranks(void **state)
{
    static const struct game games[] = {
        {0, "aaaaaaaa"}, {0, "aaaaaaab"}, {9, "zzzzzzzz"}, {10, "aaaaaaaa"}, {UINT64_MAX, "x"}};
    char before[LOWEST_RANK_SIZE] = "", rank[LOWEST_RANK_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof games / sizeof games[0]; i++) {
        lowest_rank(games[i].draw, games[i].id, rank);
        assert_true(strcmp(before, rank) < 0);
        memcpy(before, rank, sizeof before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_a_sort),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
