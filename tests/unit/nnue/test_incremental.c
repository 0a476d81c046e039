/* SPDX-License-Identifier: MIT */
/*
 * Nets with two sides over traces of moves made and taken back: an accumulator that is updated, or
 * made from the refresh cache, equals one made afresh, element by element and in every value, at
 * every instruction set. Wrapping weights are among them, kings that cross the middle, and king
 * buckets with and without mirroring.
 */
#include "nnue/core/arch.h"
#include "nnue/tools/check.h"
#include "tests/unit/nnue/netgen.h"

enum { GAMES = 60 };

static void check_levels(const struct netgen *g, const char *arch)
{
    const plynnue_net *nets[CHECK_LEVELS_MAX];
    unsigned count = 0;
    struct check *check;
    for (unsigned isa = PLYNNUE_ISA_SCALAR; isa <= PLYNNUE_ISA_NEON; isa++) {
        const plynnue_net *net = netgen_open(g, arch, (enum plynnue_isa)isa);
        if (net)
            nets[count++] = net;
    }
    assert_int_equal(check_new(nets, count, NULL, &check, NULL), 0);
    struct trace_visitor visitor = check_visitor(check);
    assert_int_equal(trace_fixed(&visitor, NULL), 0);
    assert_int_equal(trace_random(count, GAMES, &visitor, NULL), 0);
    const struct check_result *result = check_results(check);
    assert_true(result->steps > 3000);
    if (result->differences)
        fail_msg("%s: %s", arch ? arch : "", result->first);
    check_free(check);
    while (count)
        plynnue_net_close((plynnue_net *)(uintptr_t)nets[--count]);
}

static void test_halfkp(void **state)
{
    static const struct {
        uint32_t l1, l2, l3;
        const char *arch;
    } shapes[] = {{32, 32, 32, NULL},
                  {64, 1, 3, "halfkp(41024->64)x2->1->3->1"},
                  {32, 17, 100, "halfkp(41024->32)x2->17->100->1"},
                  {96, 4, 5, "halfkp(41024->96)x2->4->5->1"}};
    (void)state;
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct netgen g = netgen_halfkp_shape(1, shapes[i].l1, shapes[i].l2, shapes[i].l3);
        check_levels(&g, shapes[i].arch);
        free(g.bytes);
    }
}

static void test_halfka(void **state)
{
    static const struct netgen_halfka shapes[] = {{32, 5, 1, true, "seed", NULL},
                                                  {96, 16, 8, false, "stockfish", NULL},
                                                  {64, 33, 3, false, "seed", NULL}};
    (void)state;
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        size_t data;
        struct netgen g = netgen_halfka(i, &shapes[i], &data);
        check_levels(&g, NULL);
        free(g.bytes);
    }
}

/* N that fills no vector, weights that are not narrow, all kinds of king buckets. */
static void test_bullet(void **state)
{
    static const struct {
        struct netgen_bullet shape;
        const char *arch;
    } cases[] = {
        {{33, 1, 1, 12000, 12000, 32000, 0}, "(768->33)x2->1 screlu qa=32767 qb=32767 scale=1"},
        {{64, 1, 1, 60, 120, 127, 0}, "(768hm->64)x2->1 crelu"},
        {{16, 5, 4, 60, 120, 127, 0}, "(768x5->16)x2->1x4 screlu table=" NETGEN_PLAIN_TABLE},
        {{32, 10, 8, 400, 400, 128, 0},
         "(768x10hm->32)x2->1x8 screlu transposed table=" NETGEN_BULLET_TABLE}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct netgen g = netgen_bullet(i, &cases[i].shape);
        check_levels(&g, cases[i].arch);
        free(g.bytes);
    }
}

/* A cached refresh is used, and is wrong if the cache is spoilt: the test above can fail. */
static unsigned advances;

static void counting_advance(const struct plynnue_net *net, const struct board *from,
                             const struct board *to, unsigned view, void *state)
{
    (void)net, (void)from, (void)to, (void)view, (void)state;
    advances++;
}

static void test_cache_is_used(void **state)
{
    struct netgen g = netgen_halfkp(1, 32);
    plynnue_net *net = netgen_open(&g, NULL, PLYNNUE_ISA_SCALAR);
    struct arch wrong_arch = *net->arch;
    struct plynnue_net wrong = *net;
    struct check *check;
    (void)state;
    wrong_arch.advance = counting_advance;
    wrong.arch = &wrong_arch;
    const plynnue_net *const nets[] = {&wrong};
    assert_int_equal(check_new(nets, 1, NULL, &check, NULL), 0);
    struct trace_visitor visitor = check_visitor(check);
    assert_int_equal(trace_random(1, 5, &visitor, NULL), 0);
    assert_true(advances > 100);
    assert_true(check_results(check)->differences > 0);
    check_free(check);
    plynnue_net_close(net);
    free(g.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halfkp),
        cmocka_unit_test(test_halfka),
        cmocka_unit_test(test_bullet),
        cmocka_unit_test(test_cache_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
