/* SPDX-License-Identifier: MIT */
/* How many games share an opening: counted in shards, told under the picture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "labeler/store.h"
#include "pipeline/report/report_openings.h"

#define PAGE_MAX (1u << 20)

static char *draw(const struct report_openings *openings)
{
    struct buffer out;
    struct html html;
    struct error err = {0};
    buffer_init(&out, PAGE_MAX);
    html_begin(&html, &out, &err);
    report_openings_plot(&html, openings);
    assert_int_equal(html_end(&html), 0);
    return out.data;
}

/* Games with these openings, two samples each. */
static void write_shard(const struct build *build, unsigned shard, const uint64_t *keys,
                        size_t count)
{
    struct error err = {0};
    struct store_samples *store = NULL;
    char *path = build_samples_path(build, shard, &err);
    assert_int_equal(store_samples_create(path, &store, &err), 0);
    for (size_t i = 0; i < count; i++) {
        struct store_game game = {.id = (int64_t)i + 1, .result = 2, .opening = keys[i]};
        (void)snprintf(game.game_id, sizeof game.game_id, "g%u%u", shard % 10, (unsigned)i % 10);
        assert_int_equal(store_samples_add_game(store, &game, &err), 0);
        for (int64_t k = 1; k <= 2; k++) {
            struct store_sample sample = {.id = 2 * (int64_t)i + k, .game = game.id, .ply = 10};
            position_start(&sample.position);
            assert_int_equal(store_samples_add(store, &sample, &err), 0);
        }
    }
    if (store_samples_seal(store, &err) < 0)
        fail_msg("%s", err.text);
    free(path);
}

/* An opening of two shards is one; keys with the highest bit set are read as they were written. */
static void test_games_of_shards(void **state)
{
    (void)state;
    static const uint64_t first[] = {7, UINT64_MAX, 7, 1}, second[] = {7, UINT64_MAX, 2};
    char folder[] = "/tmp/plymill-openings-XXXXXX", path[64], command[80];
    struct error err = {0};
    struct report_openings openings;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/shards", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    struct build build = {.directory = folder, .shards = 2};
    write_shard(&build, 0, first, 4);
    write_shard(&build, 1, second, 3);
    if (report_openings_read(&build, &openings, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(openings.games, 7);
    assert_int_equal(openings.openings, 4);
    assert_int_equal(openings.top[0], 3);
    assert_int_equal(openings.top[1], 2);
    assert_int_equal(openings.top[2], 1);
    assert_int_equal(openings.top[4], 0);
    build.shards = 3;
    assert_int_equal(report_openings_read(&build, &openings, &err), -1);
    assert_non_null(strstr(err.text, "0002.samples.db"));
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

/* One opening more than are drawn: the rarest one is counted and not drawn. */
static void test_more_than_are_drawn(void **state)
{
    (void)state;
    struct report_openings openings = {0};
    for (int64_t games = 1; games <= REPORT_OPENINGS + 1; games++)
        report_openings_add(&openings, games);
    assert_int_equal(openings.top[0], REPORT_OPENINGS + 1);
    assert_int_equal(openings.top[REPORT_OPENINGS - 1], 2);
    char *page = draw(&openings);
    assert_non_null(strstr(page, "the 231 games had 21 different boards"));
    assert_non_null(strstr(page, "stands for 9.1\u00a0% of the games"));
    assert_non_null(strstr(page, "number 20: 2 games"));
    assert_null(strstr(page, "number 21:"));
    free(page);
}

static void test_no_game(void **state)
{
    (void)state;
    char *page = draw(&(struct report_openings){0});
    assert_true(page == NULL || *page == '\0');
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_games_of_shards),
        cmocka_unit_test(test_more_than_are_drawn),
        cmocka_unit_test(test_no_game),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
