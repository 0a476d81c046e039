/* SPDX-License-Identifier: MIT */
/*
 * The coverage of traces, nets of every kind that pass, and that a check notices updates, kernels,
 * a cache and numbers that are wrong. (Bounds: test_bounds.c.)
 */
#include <math.h>
#include <stdio.h>

#include "nnue/core/arch.h"
#include "nnue/tools/check.h"
#include "tests/unit/nnue/netgen.h"
#include "tests/unit/nnue/sf_synthetic.h"
#include "tests/unit/nnue/synthetic.h"

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

/* All traces, over the sound net and another that ought to be the same. */
static struct check_result run_check(const struct nets *nets, const plynnue_net *other)
{
    const plynnue_net *const list[] = {nets->net, other};
    struct check *check;
    struct trace_visitor visitor;
    struct check_result result;
    assert_int_equal(check_new(list, 2, &nets->tiny, &check, NULL), 0);
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
    assert_int_equal(result.level_differences[0], 0);
    nets_free(&nets);
}

/* Kernels with a fault each: the first of the other functions than those that stay. */
static void short_rows(int16_t *to, const int16_t *from, const int16_t *weights, size_t width,
                       size_t columns, const struct row_list *rows)
{
    struct row_list fewer;
    fewer.removed_count = rows->removed_count;
    fewer.added_count = rows->added_count;
    memcpy(fewer.removed, rows->removed, sizeof fewer.removed);
    memcpy(fewer.added, rows->added, sizeof fewer.added);
    if (rows->removed_count == 2 && rows->added_count == 1) /* a capture leaves its piece behind */
        fewer.removed_count = 1;
    kernels_scalar.rows_i16(to, from, weights, width, columns, &fewer);
}

/* Two products at a time, added in 16 bits with saturation, as maddubs followed by adds does. */
static void saturating_dense(const struct dense *layer, int32_t *out, const uint8_t *in)
{
    for (size_t o = 0; o < layer->outputs; o++) {
        const int8_t *row = layer->weights + o * layer->inputs;
        out[o] = layer->bias[o];
        for (size_t i = 0; i + 3 < layer->inputs; i += 4) {
            int32_t sum = 0;
            for (size_t k = 0; k < 4; k++)
                sum += row[i + k] * in[i + k];
            out[o] += sum > INT16_MAX ? INT16_MAX : sum < INT16_MIN ? INT16_MIN : sum;
        }
    }
}

static void no_advance(const struct plynnue_net *net, const struct board *from,
                       const struct board *to, unsigned view, void *state)
{
    (void)net, (void)from, (void)to, (void)view, (void)state;
}

enum fault { FAULT_NONE, FAULT_ROWS, FAULT_DENSE, FAULT_CACHE };

/* The traces over a HalfKA net and one with a fault; the verdict's exit status in err. */
static struct check_result run_with(enum fault fault, struct error *err)
{
    const struct netgen_halfka shape = {32, 4, 2, true, "seed", NULL};
    size_t data;
    struct netgen g = netgen_halfka(7, &shape, &data);
    plynnue_net *net = netgen_open(&g, NULL, PLYNNUE_ISA_SCALAR);
    struct kernels kernels = kernels_scalar;
    struct arch arch = *net->arch;
    struct plynnue_net faulty = {&arch, &kernels, net->model};
    const plynnue_net *const nets[] = {net, &faulty};
    struct check *check;
    if (fault == FAULT_ROWS)
        kernels.rows_i16 = short_rows;
    if (fault == FAULT_DENSE)
        kernels.dense_i8 = saturating_dense;
    if (fault == FAULT_CACHE)
        arch.advance = no_advance;
    assert_int_equal(check_new(nets, 2, NULL, &check, NULL), 0);
    struct trace_visitor visitor = check_visitor(check);
    assert_int_equal(trace_fixed(&visitor, NULL), 0);
    assert_int_equal(trace_random(CHECK_SEED, 20, &visitor, NULL), 0);
    struct check_result result = *check_results(check);
    assert_int_equal(check_verdict(&result, "net", err), result.differences ? -1 : 0);
    check_free(check);
    plynnue_net_close(net);
    free(g.bytes);
    return result;
}

/* ERROR_DIFFERS is the exit status: 3. */
static void test_faults_are_found(void **state)
{
    static const char *const texts[] = {"", "incremental and fresh accumulator differ",
                                        "another value than that of the reference kernels",
                                        "the refresh cache's and the fresh accumulator differ"};
    (void)state;
    for (unsigned fault = FAULT_NONE; fault <= FAULT_CACHE; fault++) {
        struct error err = {.text = ""};
        struct check_result result = run_with((enum fault)fault, &err);
        assert_true((result.differences > 0) == (fault != FAULT_NONE));
        assert_int_equal(result.level_differences[0], 0);
        assert_int_equal(result.level_differences[1], result.differences);
        if (!fault)
            continue;
        assert_int_equal(err.code, 3);
        assert_non_null(strstr(err.text, texts[fault]));
        assert_non_null(strstr(err.text, "net: "));
    }
}

/* Every level, 12 games. */
static void check_kind(const void *bytes, size_t size, const char *arch, uint64_t active_low,
                       uint64_t active_high)
{
    const struct netgen g = {.bytes = (uint8_t *)(uintptr_t)bytes, .size = size};
    const plynnue_net *nets[CHECK_LEVELS_MAX];
    struct check *check;
    unsigned count = 0;
    for (int isa = PLYNNUE_ISA_SCALAR; isa <= PLYNNUE_ISA_NEON; isa++) {
        const plynnue_net *net = netgen_open(&g, arch, (enum plynnue_isa)isa);
        if (net)
            nets[count++] = net;
    }
    assert_int_equal(check_new(nets, count, NULL, &check, NULL), 0);
    struct trace_visitor visitor = check_visitor(check);
    assert_int_equal(trace_fixed(&visitor, NULL), 0);
    assert_int_equal(trace_random(CHECK_SEED, 12, &visitor, NULL), 0);
    const struct check_result *result = check_results(check);
    if (result->differences)
        fail_msg("%s: %s", arch ? arch : "", result->first);
    assert_true(result->views == 2 * result->positions);
    assert_true(result->active >= active_low * result->views &&
                result->active <= active_high * result->views);
    assert_true(result->refreshes > 0 && result->changes >= 2 * result->updates);
    assert_true(result->seen.low < 0 && result->seen.high > 0);
    check_free(check);
    while (count)
        plynnue_net_close((plynnue_net *)(uintptr_t)nets[--count]);
}

static void test_stockfish_kinds(void **state)
{
    static const enum synthetic_kind kinds[] = {SYN_SF14, SYN_SF15_1, SYN_SF18, SYN_SF19};
    (void)state;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool related = kinds[i] == SYN_SF18 || kinds[i] == SYN_SF19;
        struct synthetic_net *net = synthetic_sf_new(kinds[i], 3, 32, 8);
        struct buffer bytes = synthetic_sf_encode(net, 3, synthetic_facts(kinds[i]).packed);
        /* up to 32 pieces, and what they attack */
        check_kind(bytes.data, bytes.length, synthetic_facts(kinds[i]).arch, related ? 33 : 12,
                   related ? 140 : 32);
        buffer_free(&bytes);
        synthetic_sf_free(net);
    }
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

/* Thinned out, the way back is compared now and then; the stacks follow all of it. */
static void test_undos_are_thinned_out(void **state)
{
    struct nets nets = nets_new(24);
    const plynnue_net *const list[] = {nets.net};
    struct check *check;
    (void)state;
    assert_int_equal(check_new(list, 1, &nets.tiny, &check, NULL), 0);
    struct trace_visitor visitor = check_visitor(check);
    check_thin_undos(check, 8);
    assert_int_equal(trace_random(CHECK_SEED, 60, &visitor, NULL), 0);
    const struct check_result *r = check_results(check);
    uint64_t undos = r->counts[CHECK_UNDO], left_out = r->positions - r->compared;
    assert_int_equal(r->differences, 0);
    assert_true(undos > 1000 && left_out > undos * 3 / 4 && left_out < undos);
    check_free(check);
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

/* HalfKA in floats: no integers, so the drift of two views is measured. */
static void test_float_halfka_drifts_little(void **state)
{
    const struct netgen_halfka shape = {32, 4, 2, false, "seed", NULL};
    struct netgen g = netgen_new(3);
    struct check *check;
    size_t numbers = (22528 + 1) * 32 + 2 * (4 * 64 + 4 + 4 + 1);
    (void)state;
    netgen_halfka_header(&g, &shape, true);
    for (size_t i = 0; i < numbers; i++) {
        float value = (float)netgen_draw(&g, 1000) / 8000.0F;
        netgen_put(&g, &value, sizeof value);
    }
    plynnue_net *net = netgen_open(&g, NULL, PLYNNUE_ISA_SCALAR);
    const plynnue_net *const nets[] = {net};
    assert_int_equal(check_new(nets, 1, NULL, &check, NULL), 0);
    struct trace_visitor visitor = check_visitor(check);
    assert_int_equal(trace_fixed(&visitor, NULL), 0);
    assert_int_equal(trace_random(CHECK_SEED, 12, &visitor, NULL), 0);
    const struct check_result *result = check_results(check);
    assert_int_equal(result->differences, 0);
    assert_true(result->drift < 1e-9);
    assert_true(result->drift32 > 0 && result->drift32 < 0.1);
    check_free(check);
    plynnue_net_close(net);
    free(g.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integer_net_is_exact),
        cmocka_unit_test(test_float_net_drifts_little),
        cmocka_unit_test(test_wrong_updates_are_found),
        cmocka_unit_test(test_wrong_weight_is_found),
        cmocka_unit_test(test_faults_are_found),
        cmocka_unit_test(test_stockfish_kinds),
        cmocka_unit_test(test_float_halfka_drifts_little),
        cmocka_unit_test(test_undos_are_thinned_out),
        cmocka_unit_test(test_long_games_come_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
