/* SPDX-License-Identifier: MIT */
/* What the sorts of selection carry: orders compare as draw, game id, ply; records lose no byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline/stages/select_item.h"

/* In ascending order. */
static const struct {
    uint64_t draw;
    const char *game_id;
    uint32_t ply;
} orders[] = {
    {0, "zzzzzzzz", 70000},        {1, "00000000", 0},
    {255, "aBcDeFgH", 1},          {256, "aBcDeFgH", 0}, /* big-endian: 256 is more than 255 */
    {256, "aBcDeFgH", 1},          {256, "aBcDeFgH", 255},
    {256, "aBcDeFgH", 256},        {256, "aBcDeFgh", 0},
    {256, "x0123456789abcdef", 0}, {256, "x0123456789abcdeg", 0},
    {UINT64_MAX, "00000000", 0},
};
enum { ORDERS = sizeof orders / sizeof orders[0] };

static void test_orders(void **state)
{
    uint8_t before[REPEATS_ORDER_SIZE], order[REPEATS_ORDER_SIZE];
    (void)state;
    for (size_t i = 0; i < ORDERS; i++) {
        char game_id[GAMEID_MAX];
        select_order(orders[i].game_id, orders[i].ply, orders[i].draw, order);
        if (i > 0)
            assert_true(memcmp(before, order, sizeof order) < 0);
        select_order_game(order, game_id);
        assert_string_equal(game_id, orders[i].game_id);
        memcpy(before, order, sizeof order);
    }
}

static void test_trimmed_records_come_back(void **state)
{
    uint8_t bytes[RECORD_SIZE], back[RECORD_SIZE];
    (void)state;
    for (uint32_t size = 0; size <= RECORD_SIZE; size++) {
        memset(bytes, 0, sizeof bytes);
        for (uint32_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)(i % 3); /* zeros in the middle too */
        if (size > 0)
            bytes[size - 1] = 7;
        assert_int_equal(select_trim(bytes), size);
        memset(back, 0xaa, sizeof back);
        assert_int_equal(select_untrim(bytes, size, back), 0);
        assert_memory_equal(back, bytes, sizeof bytes);
    }
    assert_int_equal(select_untrim(bytes, RECORD_SIZE + 1, back), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_trimmed_records_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
