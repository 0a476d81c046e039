/* SPDX-License-Identifier: MIT */
/*
 * Draws against vectors made with another implementation of XXH64.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/draw.h"

#define VECTORS "tests/data/vectors/draws.tsv"

static enum draw_purpose purpose_of(const char *name)
{
    static const char *const names[] = {"split", "shard", "subsample", "sample", "shuffle"};
    for (unsigned i = 0; i < 5; i++)
        if (strcmp(names[i], name) == 0)
            return (enum draw_purpose)i;
    fail_msg("unknown purpose %s", name);
    return DRAW_SPLIT;
}

static void vectors(void **state)
{
    (void)state;
    FILE *file = fopen(VECTORS, "r");
    assert_non_null(file);
    char line[200], purpose[16], id[32], ply[16];
    unsigned count = 0, modulus;
    uint64_t seed, expected;
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%15s %31s %15s %" SCNu64 " %" SCNx64 " %u", purpose, id, ply,
                                &seed, &expected, &modulus),
                         6);
        enum draw_purpose number = purpose_of(purpose);
        uint64_t drawn = strcmp(ply, "-") == 0
                             ? draw_game(number, id, seed)
                             : draw_ply(number, id, (uint32_t)strtoul(ply, NULL, 10), seed);
        assert_true(drawn == expected);
        assert_int_equal(drawn % 10000, modulus);
        count++;
    }
    fclose(file);
    assert_int_equal(count, 15);
}

/* Values of an XXH64 written in Python by its specification, which gives the vectors too. */
static void the_draw_of_piece_weights(void **state)
{
    (void)state;
    assert_true(draw_ply(DRAW_PIECES, "aBcDeFgH", 10, 0) == UINT64_C(0xd6b3403cb20d880e));
    assert_true(draw_ply(DRAW_PIECES, "aBcDeFgH", 10, 5) == UINT64_C(0x385ee1d6fc29a345));
    assert_true(draw_ply(DRAW_PIECES, "x0123456789abcdef", 300, 0) == UINT64_C(0xefeeff2915096355));
    assert_true(draw_game(DRAW_SHUFFLE, "aBcDeFgH", 12345) == UINT64_C(0x91f3594834108392));
}

/* Case 045: of 10,000 made-up ids the shares stay within three standard deviations. */
static void shares_are_near_what_was_asked_for(void **state)
{
    (void)state;
    unsigned train = 0, validation = 0;
    for (unsigned i = 0; i < 10000; i++) {
        char id[16];
        snprintf(id, sizeof id, "g%07u", i);
        uint64_t share = draw_game(DRAW_SPLIT, id, 0) % 10000;
        train += share < 9000;
        validation += share >= 9000 && share < 9500;
    }
    assert_in_range(train, 8900, 9100);
    assert_in_range(validation, 420, 580);
    assert_in_range(10000 - train - validation, 420, 580);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),
        cmocka_unit_test(the_draw_of_piece_weights),
        cmocka_unit_test(shares_are_near_what_was_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
