/* SPDX-License-Identifier: MIT */
/*
 * Overflow bounds against the published ones, the coverage of traces, and that a check notices a
 * net whose updates are wrong.
 */
#include <math.h>
#include <stdio.h>

#include "nnue/core/arch.h"
#include "nnue/tools/bounds.h"
#include "nnue/tools/check.h"
#include "tests/unit/nnue/synthetic.h"

static void test_bounds(void **state)
{
    struct tinynnue_float net = synthetic_float(SYNTHETIC_SEED, 128, 32);
    struct quantized q;
    struct bounds b;
    (void)state;
    assert_int_equal(quantize_net(&net, 24, &q, NULL), 0);
    bounds_compute(&q.net, &b);
    assert_int_equal(b.acc1_exact, 4259);
    assert_int_equal(b.acc1_tight, 4175);
    assert_int_equal(b.acc1_loose, 33 * 127 + 175);
    assert_int_equal(b.acc2_exact, 631563);
    assert_int_equal(b.acc3_low, -132811);
    assert_int_equal(b.acc3_high, 147351);
    assert_true(b.int16_safe && b.int32_safe);
    q.net.b1[5] = 40000;
    bounds_compute(&q.net, &b);
    assert_false(b.int16_safe);
    quantized_free(&q);
    tinynnue_float_free(&net);
}

struct nets {
    struct tinynet tiny;
    struct tinynnue_float floats;
    struct buffer bytes;
    plynnue_net *net;
};

static struct nets nets_new(unsigned shift)
{
    struct nets nets = {.floats = synthetic_float(SYNTHETIC_SEED, 32, 8)};
    nets.bytes = synthetic_file(&nets.floats, shift);
    nets.net = synthetic_open(&nets.bytes, NULL);
    nets.tiny.is_float = shift == 0;
    if (shift) {
        struct quantized q;
        assert_int_equal(quantize_net(&nets.floats, shift, &q, NULL), 0);
        nets.tiny.ints = q.net;
    } else {
        nets.tiny.floats = synthetic_float(SYNTHETIC_SEED, 32, 8);
    }
    return nets;
}

static void nets_free(struct nets *nets)
{
    plynnue_net_close(nets->net);
    buffer_free(&nets->bytes);
    tinynet_free(&nets->tiny);
    tinynnue_float_free(&nets->floats);
}

static struct check_result run_check(const struct nets *nets, const plynnue_net *net)
{
    struct check *check;
    struct trace_visitor visitor;
    struct check_result result;
    assert_int_equal(check_new(net, nets->net, &nets->tiny, &check, NULL), 0);
    visitor = check_visitor(check);
    assert_int_equal(trace_fixed(&visitor, NULL), 0);
    assert_int_equal(trace_random(CHECK_SEED, CHECK_RANDOM_GAMES, &visitor, NULL), 0);
    result = *check_results(check);
    check_free(check);
    return result;
}

static void test_integer_net_is_exact(void **state)
{
    struct nets nets = nets_new(24);
    struct check_result result = run_check(&nets, nets.net);
    (void)state;
    assert_int_equal(result.differences, 0);
    assert_string_equal(result.first, "");
    assert_true(result.steps >= 18342);
    for (unsigned i = 0; i < CHECK_COUNTS; i++)
        if (result.counts[i] < 20)
            fail_msg("only %u: %s", (unsigned)result.counts[i],
                     check_count_text((enum check_count)i));
    assert_true(result.counts[CHECK_UNDO] >= 5316);
    /* 2 to 5 features a move */
    assert_true(result.changes >= 3 * result.moves && result.changes < 4 * result.moves);
    nets_free(&nets);
}

static void test_float_net_drifts_little(void **state)
{
    struct nets nets = nets_new(0);
    struct check_result result = run_check(&nets, nets.net);
    (void)state;
    assert_int_equal(result.differences, 0);
    assert_true(result.drift < 1e-9);
    assert_true(result.drift32 > 0 && result.drift32 < 0.1);
    nets_free(&nets);
}

static void forgetful_update(const struct plynnue_net *net, const struct change *change,
                             unsigned view, const void *before, void *after)
{
    struct plynnue_delta delta = *change->delta;
    struct change wrong = {&delta, change->before, change->after};
    if (delta.removed_count == 2) /* the captured piece, or the castling rook */
        delta.removed_count = 1;
    tinynnue_int_arch.update(net, &wrong, view, before, after);
}

static void test_wrong_updates_are_found(void **state)
{
    struct nets nets = nets_new(24);
    struct arch wrong_arch = tinynnue_int_arch;
    struct plynnue_net wrong_net = *nets.net;
    struct check_result result;
    (void)state;
    wrong_arch.update = forgetful_update;
    wrong_net.arch = &wrong_arch;
    result = run_check(&nets, &wrong_net);
    assert_true(result.differences > 100);
    assert_non_null(strstr(result.first, "differ"));
    nets_free(&nets);
}

/* A net whose value is one off for a single unit: only the plain computation can tell. */
static void test_wrong_weight_is_found(void **state)
{
    struct nets nets = nets_new(24);
    struct check_result result;
    (void)state;
    nets.tiny.ints.b3[0] += 200;
    result = run_check(&nets, nets.net);
    assert_true(result.differences > 0);
    assert_non_null(strstr(result.first, "plain computation"));
    nets_free(&nets);
}

struct counter {
    unsigned sets, steps;
    int depth, deepest;
};

static int count_step(void *context, const struct trace_step *step, struct error *err)
{
    struct counter *counter = context;
    (void)err;
    if (step->kind == TRACE_SET) {
        counter->sets++;
        counter->depth = 0;
        return 0;
    }
    counter->steps++;
    counter->depth += step->kind == TRACE_UNDO ? -1 : 1;
    if (counter->depth > counter->deepest)
        counter->deepest = counter->depth;
    return 0;
}

/* Knights that go there and back: as many moves as a trace holds, and one more. */
static void test_long_games_come_in_pieces(void **state)
{
    static const char *const texts[4] = {"g1f3", "g8f6", "f3g1", "f6g8"};
    uint16_t moves[TRACE_DEPTH_MAX + 1];
    struct position start;
    (void)state;
    position_start(&start);
    for (unsigned i = 0; i <= TRACE_DEPTH_MAX; i++) {
        const char *text = texts[i % 4];
        unsigned from = (unsigned)(text[0] - 'a' + 8 * (text[1] - '1'));
        unsigned to = (unsigned)(text[2] - 'a' + 8 * (text[3] - '1'));
        moves[i] = move_make(from, to, MOVE_NORMAL);
    }
    for (unsigned extra = 0; extra < 2; extra++) {
        struct counter counter = {0};
        struct trace_visitor visitor = {count_step, &counter};
        assert_int_equal(trace_game(&start, moves, TRACE_DEPTH_MAX + extra, &visitor, NULL), 0);
        assert_int_equal(counter.sets, 1 + extra);
        assert_int_equal(counter.steps, 2 * (TRACE_DEPTH_MAX + extra));
        assert_int_equal(counter.deepest, TRACE_DEPTH_MAX);
        assert_int_equal(counter.depth, 0);
    }
    struct counter empty = {0};
    struct trace_visitor visitor = {count_step, &empty};
    assert_int_equal(trace_game(&start, moves, 0, &visitor, NULL), 0);
    assert_int_equal(empty.sets, 1);
    assert_int_equal(empty.steps, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_integer_net_is_exact),
        cmocka_unit_test(test_float_net_drifts_little),
        cmocka_unit_test(test_wrong_updates_are_found),
        cmocka_unit_test(test_wrong_weight_is_found),
        cmocka_unit_test(test_long_games_come_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
