/* SPDX-License-Identifier: MIT */
/*
 * The net of Stockfish 13 against its engines' integers: fresh boards, and games made and taken
 * back move by move.
 */
#include "tests/unit/nets/realnets.h"

#define NET "nn-62ef826d1a6d"

static void check_fresh(const plynnue_net *net)
{
    struct vectorfile v = vectors_open("halfkp_62ef826d1a6d.tsv");
    void *scratch = malloc(plynnue_batch_scratch(net));
    plynnue_acc *acc;
    assert_non_null(scratch);
    assert_int_equal(plynnue_acc_new(net, 0, &acc, NULL), PLYNNUE_OK);
    while (vectors_next(&v)) {
        struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
        struct plynnue_position board = vectors_board(v.column[0], pieces);
        struct plynnue_raw raw;
        int32_t value;
        assert_int_equal(plynnue_acc_set(acc, &board), PLYNNUE_OK);
        vectors_expect(&v, 1, plynnue_acc_eval(acc, board.side));
        plynnue_acc_eval_raw(acc, board.side, &raw);
        vectors_expect(&v, 2, raw.positional[0]);
        assert_int_equal(plynnue_eval_batch(net, &board, 1, &value, scratch), PLYNNUE_OK);
        vectors_expect(&v, 1, value);
    }
    vectors_close(&v, 475);
    plynnue_acc_free(acc);
    free(scratch);
}

static void test_fresh(void **state)
{
    (void)state;
    for (unsigned isa = PLYNNUE_ISA_AUTO; isa <= PLYNNUE_ISA_NEON; isa++) {
        plynnue_net *net = realnet_open(NET, NULL, (enum plynnue_isa)isa);
        if (net)
            check_fresh(net);
        plynnue_net_close(net);
    }
}

static void test_traces(void **state)
{
    (void)state;
    for (unsigned isa = PLYNNUE_ISA_AUTO; isa <= PLYNNUE_ISA_NEON; isa++) {
        plynnue_net *net = realnet_open(NET, NULL, (enum plynnue_isa)isa);
        for (int every = 1; net && every < 8; every += 3)
            realnet_trace(net, 4, every);
        plynnue_net_close(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fresh), cmocka_unit_test(test_traces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
