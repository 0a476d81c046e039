/* SPDX-License-Identifier: MIT */
/*
 * The searches over sixteen bytes at once against the question asked byte by byte: every byte value
 * at every place of two blocks, and random text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/pgn_find.h"

#define ROOM 128

static const char *first(const char *p, bool (*stops)(char))
{
    while (!stops(*p))
        p++;
    return p;
}

static void check_all(const char *text)
{
    assert_ptr_equal(PGN_FIND(text, line), first(text, pgn_stops_line));
    assert_ptr_equal(PGN_FIND(text, comment), first(text, pgn_stops_comment));
    assert_ptr_equal(PGN_FIND(text, letters), first(text, pgn_stops_letters));
    assert_ptr_equal(PGN_FIND(text, value), first(text, pgn_stops_value));
    assert_ptr_equal(PGN_FIND(text, skip), first(text, pgn_stops_skip));
}

static void test_every_byte(void **state)
{
    char text[ROOM];
    (void)state;
    for (unsigned place = 0; place < 32; place++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            memset(text, 'a', sizeof text);
            text[ROOM - PGN_LOOKAHEAD] = '\0';
            text[place] = (char)byte;
            check_all(text);
            check_all(text + 1);
        }
    }
}

static void test_random_text(void **state)
{
    char text[ROOM];
    uint32_t random = 1;
    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        for (unsigned i = 0; i < ROOM; i++) {
            random = random * 1664525 + 1013904223;
            text[i] = (char)(random >> 24);
            if (random >> 22 & 3)
                text[i] = 'a';
        }
        text[ROOM - PGN_LOOKAHEAD] = '\0';
        check_all(text + round % 32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_random_text),
    };
    return cmocka_run_group_tests_name("pgn find", tests, NULL, NULL);
}
