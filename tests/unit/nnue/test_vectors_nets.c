/* SPDX-License-Identifier: MIT */
/*
 * Nets of HalfKP, HalfKA and bullet, made from seeds, against the published integers: to the last
 * unit, by stack, by batch and in every bucket, at every instruction set that this machine has.
 */
#include "nnue/core/arch.h"
#include "tests/unit/nnue/netgen.h"
#include "tests/unit/nnue/vectorfile.h"

struct subject {
    plynnue_net *net;
    plynnue_acc *acc;
    void *scratch;
    struct plynnue_position board;
    struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
    struct plynnue_raw raw;
};

static bool subject_open(struct subject *s, const struct netgen *g, const char *arch, unsigned isa)
{
    s->net = netgen_open(g, arch, (enum plynnue_isa)isa);
    if (!s->net)
        return false;
    assert_int_equal(plynnue_acc_new(s->net, 0, &s->acc, NULL), PLYNNUE_OK);
    s->scratch = malloc(plynnue_batch_scratch(s->net));
    assert_non_null(s->scratch);
    return true;
}

static void subject_close(struct subject *s)
{
    free(s->scratch);
    plynnue_acc_free(s->acc);
    plynnue_net_close(s->net);
}

/* Sets the board and fills raw; gives the value, which all ways must agree on. */
static int32_t subject_eval(struct subject *s, const char *fen)
{
    int32_t value, batch = 0;
    s->board = vectors_board(fen, s->pieces);
    assert_int_equal(plynnue_acc_set(s->acc, &s->board), PLYNNUE_OK);
    value = plynnue_acc_eval(s->acc, s->board.side);
    assert_true(plynnue_acc_eval_float(s->acc, s->board.side) == value);
    assert_int_equal(plynnue_eval_batch(s->net, &s->board, 1, &batch, s->scratch), PLYNNUE_OK);
    assert_int_equal(batch, value);
    plynnue_acc_eval_raw(s->acc, s->board.side, &s->raw);
    return value;
}

enum { HALFKP_VECTORS = 196 };

static void check_halfkp(const struct netgen *g, unsigned isa)
{
    struct subject s;
    struct vectorfile v = vectors_open("syn_sf12.tsv");
    if (subject_open(&s, g, NULL, isa)) {
        while (vectors_next(&v)) {
            int32_t value = subject_eval(&s, v.column[0]);
            vectors_expect(&v, 1, s.raw.positional[0]);
            assert_int_equal(value, s.raw.positional[0] / 16);
            assert_int_equal(s.raw.buckets, 1);
        }
        vectors_close(&v, HALFKP_VECTORS);
        subject_close(&s);
    } else {
        fclose(v.file);
    }
}

/* A kernel for blocks where this CPU has none. */
static void (*one_by_one)(const struct dense *layer, int32_t *out, const uint8_t *in);

static void plain_block(const struct dense *layer, int32_t *const out[DENSE_BLOCK],
                        const uint8_t *const in[DENSE_BLOCK])
{
    for (unsigned i = 0; i < DENSE_BLOCK; i++)
        one_by_one(layer, out[i], in[i]);
}

/* The vectors in batches of every number about the blocks that kernels take; a position that cannot
 * be ends a batch wherever it stands, and those before it have their values. */
static void check_batches(const plynnue_net *net)
{
    static struct plynnue_piece pieces[HALFKP_VECTORS][PLYNNUE_PIECES_MAX];
    static struct plynnue_position boards[HALFKP_VECTORS];
    int32_t want[HALFKP_VECTORS], got[HALFKP_VECTORS];
    void *scratch = malloc(plynnue_batch_scratch(net));
    struct vectorfile v = vectors_open("syn_sf12.tsv");
    for (unsigned i = 0; vectors_next(&v); i++) {
        assert_true(i < HALFKP_VECTORS);
        boards[i] = vectors_board(v.column[0], pieces[i]);
        want[i] = (int32_t)strtol(v.column[1], NULL, 10) / 16;
    }
    vectors_close(&v, HALFKP_VECTORS);
    assert_int_equal(plynnue_eval_batch(net, NULL, 0, NULL, scratch), PLYNNUE_OK);
    for (unsigned n = 0; n <= HALFKP_VECTORS; n += n < 13 ? 1 : 61) {
        uint8_t count = boards[n % HALFKP_VECTORS].count;
        memset(got, 0x55, sizeof got);
        assert_int_equal(plynnue_eval_batch(net, boards, n, got, scratch), PLYNNUE_OK);
        assert_memory_equal(got, want, n * sizeof *got);
        assert_true(n == HALFKP_VECTORS || got[n] == 0x55555555);
        boards[n % HALFKP_VECTORS].count = 1;
        memset(got, 0x55, sizeof got);
        assert_int_equal(plynnue_eval_batch(net, boards, HALFKP_VECTORS, got, scratch),
                         PLYNNUE_EBOARD);
        assert_memory_equal(got, want, n % HALFKP_VECTORS * sizeof *got);
        assert_true(got[n % HALFKP_VECTORS] == 0x55555555);
        boards[n % HALFKP_VECTORS].count = count;
    }
    free(scratch);
}

/* As the level has it, and in blocks. */
static void check_batches_at(const struct netgen *g, unsigned isa)
{
    plynnue_net *net = netgen_open(g, NULL, (enum plynnue_isa)isa);
    if (!net)
        return;
    struct kernels kernels = *net->kernels;
    struct plynnue_net blocks = {net->arch, &kernels, net->model};
    one_by_one = kernels.dense_i8;
    kernels.dense_block = plain_block;
    check_batches(net);
    check_batches(&blocks);
    plynnue_net_close(net);
}

static void test_halfkp(void **state)
{
    struct netgen g = netgen_halfkp(NETGEN_SEED, 256);
    (void)state;
    netgen_expect(&g, 0, 21022540,
                  "8aae70781e40667de4e5f2c621a5bc7b49cc3a9e516073052b6de1863db4924c");
    for (unsigned isa = PLYNNUE_ISA_AUTO; isa <= PLYNNUE_ISA_NEON; isa++) {
        check_halfkp(&g, isa);
        check_batches_at(&g, isa);
    }
    free(g.bytes);
}

/* Sum of a view's accumulator, which the first columns hold. */
static int64_t sum_of_view(struct subject *s, unsigned view, uint32_t width)
{
    size_t size;
    const int16_t *acc = acc_state(s->acc, view, &size);
    int64_t sum = 0;
    assert_int_equal(size, width * sizeof *acc);
    for (uint32_t i = 0; i < width; i++)
        sum += acc[i];
    return sum;
}

static const struct netgen_halfka seed_net = {256, 16, 1, true, "seed", NULL};
static const struct netgen_halfka seed8_net = {256, 16, 8, false, "seed", NULL};

static void check_halfka(const struct netgen *g, const char *arch, unsigned isa)
{
    struct subject s;
    struct vectorfile v = vectors_open("syn_halfka_seed.tsv");
    if (!subject_open(&s, g, arch, isa)) {
        fclose(v.file);
        return;
    }
    while (vectors_next(&v)) {
        vectors_expect(&v, 4, subject_eval(&s, v.column[0]));
        vectors_expect(&v, 4, s.raw.positional[0]);
        vectors_expect(&v, 1, sum_of_view(&s, s.board.side, 256));
        vectors_expect(&v, 2, sum_of_view(&s, s.board.side ^ 1u, 256));
    }
    vectors_close(&v, 308);
    subject_close(&s);
}

static void test_halfka(void **state)
{
    size_t data;
    struct netgen g = netgen_halfka(NETGEN_SEED, &seed_net, &data);
    (void)state;
    netgen_expect(&g, data, 11543124,
                  "968f936fc4314fb0532c9c3e243dcbfb4b912830d3f2398e7ddb7464622e5ea3");
    for (unsigned isa = PLYNNUE_ISA_AUTO; isa <= PLYNNUE_ISA_NEON; isa++)
        check_halfka(&g, isa ? NULL : "halfka(22528->256)x2->16->1 order=seed", isa);
    free(g.bytes);
}

static void check_halfka8(const struct netgen *g, unsigned isa)
{
    struct subject s;
    struct vectorfile v = vectors_open("syn_halfka_seed8.tsv");
    if (!subject_open(&s, g, NULL, isa)) {
        fclose(v.file);
        return;
    }
    while (vectors_next(&v)) {
        vectors_expect(&v, 2, subject_eval(&s, v.column[0]));
        vectors_expect(&v, 1, s.raw.bucket);
        assert_int_equal(s.raw.buckets, 8);
        for (unsigned i = 0; i < 8; i++)
            vectors_expect(&v, 3 + i, s.raw.positional[i]);
    }
    vectors_close(&v, 308);
    subject_close(&s);
}

/* The same net in both orders of rows. */
static void test_halfka_heads(void **state)
{
    struct netgen_halfka turned = seed8_net;
    size_t data;
    struct netgen g = netgen_halfka(NETGEN_SEED, &seed8_net, &data);
    (void)state;
    netgen_expect(&g, data, 11601056,
                  "35d05a4c9193d9f3b0ec9421c34504b27050b938eba08ea7f30037e86215a869");
    for (unsigned isa = PLYNNUE_ISA_AUTO; isa <= PLYNNUE_ISA_NEON; isa++)
        check_halfka8(&g, isa);
    free(g.bytes);
    turned.order = "stockfish";
    g = netgen_halfka(NETGEN_SEED, &turned, &data);
    check_halfka8(&g, PLYNNUE_ISA_AUTO);
    free(g.bytes);
}

/* Columns: [bucket,] sum, out, cp. */
static void check_bullet(const struct netgen *g, const char *arch, const char *name, unsigned lines,
                         bool heads, unsigned isa)
{
    struct subject s;
    struct vectorfile v = vectors_open(name);
    if (!subject_open(&s, g, arch, isa)) {
        fclose(v.file);
        return;
    }
    while (vectors_next(&v)) {
        int32_t cp = subject_eval(&s, v.column[0]);
        vectors_expect(&v, 1u + heads, s.raw.positional[s.raw.bucket]);
        vectors_expect(&v, 3u + heads, cp);
        if (heads)
            vectors_expect(&v, 1, s.raw.bucket);
        assert_int_equal(s.raw.buckets, heads ? 8 : 1);
    }
    vectors_close(&v, lines);
    subject_close(&s);
}

static void check_bullet_levels(const struct netgen *g, const char *arch, const char *name,
                                unsigned lines, bool heads)
{
    for (unsigned isa = PLYNNUE_ISA_AUTO; isa <= PLYNNUE_ISA_NEON; isa++)
        check_bullet(g, arch, name, lines, heads, isa);
}

static const struct netgen_bullet bullet_net = {128, 1, 1, 60, 120, 127, 0};
static const struct netgen_bullet bullet_hm8_net = {64, 10, 8, 60, 120, 127, 0};
static const struct netgen_bullet bullet_wide_net = {1024, 1, 1, 200, 200, 63, 64};

static void test_bullet(void **state)
{
    struct netgen g = netgen_bullet(NETGEN_SEED, &bullet_net);
    (void)state;
    netgen_expect(&g, 0, 197440,
                  "7f105fdd9e2e2f14966a19983f78f00b49ce00045ae1a7d676d1690e85beb884");
    check_bullet_levels(&g, "(768->128)x2->1 screlu qa=255 qb=64 scale=400",
                        "syn_bullet_screlu.tsv", 308, false);
    check_bullet_levels(&g, "(768->128)x2->1 crelu", "syn_bullet_crelu.tsv", 308, false);
    free(g.bytes);
}

/* l1w as bullet saves it when nobody transposes: [2N][B]. */
static void turn_heads(struct netgen *g, const struct netgen_bullet *shape)
{
    size_t count = (size_t)2 * shape->n, heads = shape->heads;
    uint8_t *l1w = g->bytes + 2 * ((size_t)768 * shape->king_buckets + 1) * shape->n;
    uint8_t *copy = malloc(2 * count * heads);
    assert_non_null(copy);
    memcpy(copy, l1w, 2 * count * heads);
    for (size_t head = 0; head < heads; head++)
        for (size_t i = 0; i < count; i++)
            memcpy(l1w + 2 * (i * heads + head), copy + 2 * (head * count + i), 2);
    free(copy);
}

static void test_bullet_buckets(void **state)
{
    struct netgen g = netgen_bullet(NETGEN_SEED, &bullet_hm8_net);
    (void)state;
    netgen_expect(&g, 0, 985280,
                  "eccdc3f18f57497eddd85691ef855d80adead2c0b062bad6a6ef21af32443496");
    check_bullet_levels(&g,
                        "(768x10hm->64)x2->1x8 screlu qa=255 qb=64 scale=400 transposed "
                        "table=" NETGEN_BULLET_TABLE,
                        "syn_bullet_screlu_hm8.tsv", 308, true);
    turn_heads(&g, &bullet_hm8_net);
    check_bullet(&g, "(768hm->64)x2->1x8 screlu table=" NETGEN_BULLET_TABLE,
                 "syn_bullet_screlu_hm8.tsv", 308, true, PLYNNUE_ISA_AUTO);
    free(g.bytes);
}

/* Sums leave int32: the exact value is right. */
static void test_bullet_wide(void **state)
{
    struct netgen g = netgen_bullet(NETGEN_SEED, &bullet_wide_net);
    (void)state;
    netgen_expect(&g, 0, 1579072,
                  "a4ff8253264f7482a4a211b20bd5afd548b556c9c65dea7acb6fcfb75a936d9e");
    check_bullet_levels(&g, "(768->1024)x2->1 screlu", "syn_bullet_screlu_wide.tsv", 60, false);
    free(g.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halfkp),         cmocka_unit_test(test_halfka),
        cmocka_unit_test(test_halfka_heads),   cmocka_unit_test(test_bullet),
        cmocka_unit_test(test_bullet_buckets), cmocka_unit_test(test_bullet_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
