/* SPDX-License-Identifier: MIT */
/*
 * Float nets with two sides. Those of bullet's kind are made from seeded integers divided by their
 * scales, so that the published sums say what they must give; HalfKA and HalfKP are compared with a
 * computation that finds its features square by square and shares no code with the library.
 */
#include <math.h>

#include "nnue/tools/check.h"
#include "tests/unit/nnue/netgen.h"
#include "tests/unit/nnue/vectorfile.h"

#define WITHIN_CP 0.001

enum { TEXT_SIZE = 2048 };

/* A file under construction: header text first, then floats. */
struct file {
    struct netgen g;
    char header[TEXT_SIZE];
    size_t at; /* of the data, while the header is written */
};

static void begin(struct file *f, uint64_t seed, const char *metadata)
{
    memset(f, 0, sizeof *f);
    f->g = netgen_new(seed);
    snprintf(f->header, TEXT_SIZE, "{\"__metadata__\":{%s}", metadata);
}

static void tensor(struct file *f, const char *name, unsigned rank, const uint32_t *dims)
{
    netgen_entry(f->header, TEXT_SIZE, name, "F32", 4, dims, rank, &f->at);
}

static void end_header(struct file *f)
{
    netgen_header(&f->g, f->header, sizeof f->header);
}

static void put_floats(struct netgen *g, const float *values, size_t count)
{
    netgen_put(g, values, count * sizeof *values);
}

/* count draws of -m .. m, in units of scale. */
static float *draw_floats(struct rng *rng, size_t count, int64_t m, double scale)
{
    float *out = malloc(count * sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++)
        out[i] =
            (float)((double)((int64_t)((rng_next(rng) >> 33) % (uint64_t)(2 * m + 1)) - m) / scale);
    return out;
}

/* bullet: (768xI->N)x2->1xB with everything that the seed's integers stand for. */

static struct netgen bullet_floats(const struct netgen_bullet *shape, const char *arch)
{
    const uint32_t rows = 768 * shape->king_buckets;
    const uint32_t ft[2] = {rows, shape->n}, out[2] = {shape->heads, 2 * shape->n};
    char metadata[512];
    struct file f;
    struct rng rng = {NETGEN_SEED};
    snprintf(metadata, sizeof metadata, "\"arch\":\"%s\",\"unit_cp\":\"400\"", arch);
    begin(&f, 0, metadata);
    tensor(&f, "ft.weight", 2, ft);
    tensor(&f, "ft.bias", 1, &shape->n);
    tensor(&f, "out.weight", 2, out);
    tensor(&f, "out.bias", 1, &shape->heads);
    end_header(&f);
    const struct {
        size_t count;
        int64_t m;
        double scale;
    } parts[] = {{(size_t)rows * shape->n, shape->l0w, 255},
                 {shape->n, shape->l0b, 255},
                 {(size_t)2 * shape->n * shape->heads, shape->l1w, 64},
                 {shape->heads, 16000, 255 * 64}};
    for (unsigned i = 0; i < 4; i++) {
        float *values = draw_floats(&rng, parts[i].count, parts[i].m, parts[i].scale);
        put_floats(&f.g, values, parts[i].count);
        free(values);
    }
    return f.g;
}

static double eval_fen(plynnue_acc *acc, const char *fen)
{
    struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
    struct plynnue_position board = vectors_board(fen, pieces);
    assert_int_equal(plynnue_acc_set(acc, &board), PLYNNUE_OK);
    return plynnue_acc_eval_float(acc, board.side);
}

/* sum: its column; unit: what 1.0 of the sum of products is in it. out - sum (/255) is the bias. */
static void check_bullet(const struct netgen_bullet *shape, const char *arch, const char *name,
                         bool screlu, unsigned sum)
{
    struct netgen g = bullet_floats(shape, arch);
    plynnue_net *net = netgen_open(&g, NULL, PLYNNUE_ISA_AUTO);
    struct vectorfile v = vectors_open(name);
    plynnue_acc *acc;
    assert_int_equal(plynnue_acc_new(net, 0, &acc, NULL), PLYNNUE_OK);
    while (vectors_next(&v)) {
        int64_t whole = vectors_number(&v, sum), out = vectors_number(&v, sum + 1);
        double exact = screlu ? (double)whole / 255 + (double)(out - whole / 255) : (double)out;
        double cp = eval_fen(acc, v.column[0]);
        if (fabs(cp - exact * 400 / (255 * 64)) > WITHIN_CP)
            fail_msg("%s: %f, expected %f", v.column[0], cp, exact * 400 / (255 * 64));
    }
    vectors_close(&v, 308);
    plynnue_acc_free(acc);
    plynnue_net_close(net);
    free(g.bytes);
}

static void test_bullet(void **state)
{
    static const struct netgen_bullet plain = {128, 1, 1, 60, 120, 127, 0};
    static const struct netgen_bullet hm8 = {64, 10, 8, 60, 120, 127, 0};
    (void)state;
    check_bullet(&plain, "(768->128)x2->1 screlu", "syn_bullet_screlu.tsv", true, 1);
    check_bullet(&plain, "(768->128)x2->1 crelu", "syn_bullet_crelu.tsv", false, 1);
    check_bullet(&hm8, "(768x10hm->64)x2->1x8 screlu table=" NETGEN_BULLET_TABLE,
                 "syn_bullet_screlu_hm8.tsv", true, 2);
}

/* HalfKA and HalfKP, with all numbers at hand for the plain computation. */

enum kind { HALFKA, HALFKP };

struct plain {
    enum kind kind;
    uint32_t l1, l2, l3, heads; /* l3: HalfKP */
    float *ft, *ft_bias, *w1, *b1, *w2, *b2, *w3, *b3;
};

static uint32_t feature_rows(const struct plain *p)
{
    return p->kind == HALFKA ? 22528 : 41024;
}

static struct plain plain_new(enum kind kind, uint32_t l1, uint32_t l2, uint32_t l3, uint32_t heads)
{
    struct plain p = {.kind = kind, .l1 = l1, .l2 = l2, .l3 = l3, .heads = heads};
    struct rng rng = {NETGEN_SEED};
    p.ft = draw_floats(&rng, (size_t)feature_rows(&p) * l1, 2000, 10000);
    p.ft_bias = draw_floats(&rng, l1, 5000, 10000);
    p.w1 = draw_floats(&rng, (size_t)heads * l2 * 2 * l1, 2000, 10000);
    p.b1 = draw_floats(&rng, (size_t)heads * l2, 5000, 10000);
    p.w2 = draw_floats(&rng, (size_t)heads * l2 * l3, 5000, 10000);
    p.b2 = draw_floats(&rng, (size_t)heads * l3, 5000, 10000);
    p.w3 = draw_floats(&rng, l3, 9000, 10000);
    p.b3 = draw_floats(&rng, 1, 5000, 10000);
    return p;
}

static void plain_free(struct plain *p)
{
    float *const all[] = {p->ft, p->ft_bias, p->w1, p->b1, p->w2, p->b2, p->w3, p->b3};
    for (unsigned i = 0; i < 8; i++)
        free(all[i]);
}

/* The row of a piece seen by a side, as the pages say it; -1: none. */
static int plain_row(const struct plain *p, int side, int king, int piece, int square)
{
    int type = piece % 6;
    bool enemy = piece / 6 != side;
    if (p->kind == HALFKP) {
        int turn = side ? 63 : 0;
        return type == 5 ? -1 : (square ^ turn) + 1 + 64 * (2 * type + enemy) + 641 * (king ^ turn);
    }
    if (side) {
        king ^= 56;
        square ^= 56;
    }
    if (king % 8 < 4) {
        king ^= 7;
        square ^= 7;
    }
    int bucket = 4 * (king / 8) + king % 8 - 4;
    int plane = type == 5 ? 10 : type + (enemy ? 5 : 0);
    return (bucket * 11 + plane) * 64 + square;
}

static double clamp01(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static void plain_view(const struct plain *p, const struct plynnue_position *board, int side,
                       double *out)
{
    int king = -1;
    for (unsigned i = 0; i < board->count; i++)
        if (board->pieces[i].piece == 5 + 6 * side)
            king = board->pieces[i].square;
    for (uint32_t i = 0; i < p->l1; i++)
        out[i] = (double)p->ft_bias[i];
    for (unsigned k = 0; k < board->count; k++) {
        int row = plain_row(p, side, king, board->pieces[k].piece, board->pieces[k].square);
        for (uint32_t i = 0; i < p->l1 && row >= 0; i++)
            out[i] += (double)p->ft[(size_t)row * p->l1 + i];
    }
    for (uint32_t i = 0; i < p->l1; i++)
        out[i] = clamp01(out[i]);
}

static void plain_layer(const float *weights, const float *bias, const double *in, uint32_t inputs,
                        double *out, uint32_t outputs)
{
    for (uint32_t o = 0; o < outputs; o++) {
        out[o] = (double)bias[o];
        for (uint32_t i = 0; i < inputs; i++)
            out[o] += (double)weights[(size_t)o * inputs + i] * in[i];
    }
}

/* The output, 1.0 being one unit. */
static double plain_eval(const struct plain *p, const struct plynnue_position *board)
{
    double x[256], h[64], second[64], out;
    uint32_t head = p->heads == 1 ? 0 : (board->count - 1u) / 4;
    plain_view(p, board, board->side, x);
    plain_view(p, board, board->side ^ 1, x + p->l1);
    plain_layer(p->w1 + (size_t)head * p->l2 * 2 * p->l1, p->b1 + (size_t)head * p->l2, x,
                2 * p->l1, h, p->l2);
    for (uint32_t i = 0; i < p->l2; i++)
        h[i] = clamp01(h[i]);
    plain_layer(p->w2 + (size_t)head * p->l3 * p->l2, p->b2 + (size_t)head * p->l3, h, p->l2,
                second, p->l3);
    if (p->kind == HALFKA)
        return second[0];
    for (uint32_t i = 0; i < p->l3; i++)
        second[i] = clamp01(second[i]);
    plain_layer(p->w3, p->b3, second, p->l3, &out, 1);
    return out;
}

static void put_rows(struct netgen *g, const struct plain *p, bool turned)
{
    size_t rows = feature_rows(p);
    uint8_t *out = netgen_room(g, rows * p->l1 * sizeof(float));
    for (size_t row = 0; row < rows; row++)
        memcpy(out + (turned ? netgen_stockfish_row(row) : row) * p->l1 * sizeof(float),
               p->ft + row * p->l1, p->l1 * sizeof(float));
}

static struct netgen halfka_file(const struct plain *p, const char *order, const char *more)
{
    struct netgen_halfka shape = {p->l1, p->l2, p->heads, false, order, more};
    struct netgen g = netgen_new(0);
    netgen_halfka_header(&g, &shape, true);
    put_rows(&g, p, !strcmp(order, "stockfish"));
    put_floats(&g, p->ft_bias, p->l1);
    put_floats(&g, p->w1, (size_t)p->heads * p->l2 * 2 * p->l1);
    put_floats(&g, p->b1, (size_t)p->heads * p->l2);
    put_floats(&g, p->w2, (size_t)p->heads * p->l2);
    put_floats(&g, p->b2, p->heads);
    return g;
}

static struct netgen halfkp_file(const struct plain *p, const char *more)
{
    const uint32_t ft[2] = {41024, p->l1}, w1[2] = {p->l2, 2 * p->l1}, w2[2] = {p->l3, p->l2};
    const uint32_t w3[2] = {1, p->l3};
    char metadata[256];
    struct file f;
    snprintf(metadata, sizeof metadata, "\"arch\":\"halfkp(41024->%u)x2->%u->%u->1\"%s", p->l1,
             p->l2, p->l3, more);
    begin(&f, 0, metadata);
    tensor(&f, "ft.weight", 2, ft);
    tensor(&f, "ft.bias", 1, &p->l1);
    tensor(&f, "l1.weight", 2, w1);
    tensor(&f, "l1.bias", 1, &p->l2);
    tensor(&f, "l2.weight", 2, w2);
    tensor(&f, "l2.bias", 1, &p->l3);
    tensor(&f, "out.weight", 2, w3);
    tensor(&f, "out.bias", 1, w3);
    end_header(&f);
    put_rows(&f.g, p, false);
    put_floats(&f.g, p->ft_bias, p->l1);
    put_floats(&f.g, p->w1, (size_t)p->l2 * 2 * p->l1);
    put_floats(&f.g, p->b1, p->l2);
    put_floats(&f.g, p->w2, (size_t)p->l3 * p->l2);
    put_floats(&f.g, p->b2, p->l3);
    put_floats(&f.g, p->w3, p->l3);
    put_floats(&f.g, p->b3, 1);
    return f.g;
}

/* On the positions of a vector file, whose values are of another net. */
static void check_plain(const struct plain *p, struct netgen *g, double unit_cp)
{
    struct vectorfile v = vectors_open("syn_halfka_seed8.tsv");
    plynnue_net *net = netgen_open(g, NULL, PLYNNUE_ISA_AUTO);
    plynnue_acc *acc;
    assert_int_equal(plynnue_acc_new(net, 0, &acc, NULL), PLYNNUE_OK);
    while (vectors_next(&v)) {
        struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
        struct plynnue_position board = vectors_board(v.column[0], pieces);
        double cp = eval_fen(acc, v.column[0]), expected = unit_cp * plain_eval(p, &board);
        if (fabs(cp - expected) > WITHIN_CP)
            fail_msg("%s: %f, expected %f", v.column[0], cp, expected);
        assert_int_equal(plynnue_acc_eval(acc, board.side), (int32_t)round(cp));
    }
    vectors_close(&v, 308);
    plynnue_acc_free(acc);
    plynnue_net_close(net);
    free(g->bytes);
}

static void test_halfka(void **state)
{
    struct plain p = plain_new(HALFKA, 32, 7, 1, 8);
    struct netgen g = halfka_file(&p, "seed", NULL);
    (void)state;
    check_plain(&p, &g, 400);
    g = halfka_file(&p, "stockfish", ",\"unit_cp\":\"288.25\"");
    check_plain(&p, &g, 288.25);
    plain_free(&p);
}

static void test_halfkp(void **state)
{
    struct plain p = plain_new(HALFKP, 32, 32, 32, 1);
    struct netgen g = halfkp_file(&p, "");
    (void)state;
    check_plain(&p, &g, 600.0 * 100 / 208);
    g = halfkp_file(&p, ",\"unit_cp\":\"100\"");
    check_plain(&p, &g, 100);
    plain_free(&p);
}

/* Updates drift by rounding alone. */
static void test_drift(void **state)
{
    struct plain p = plain_new(HALFKA, 32, 4, 1, 8);
    struct netgen g = halfka_file(&p, "seed", NULL);
    plynnue_net *net = netgen_open(&g, NULL, PLYNNUE_ISA_AUTO);
    const plynnue_net *const nets[] = {net, net};
    struct check *check;
    (void)state;
    assert_int_equal(check_new(nets, 2, NULL, &check, NULL), 0);
    struct trace_visitor visitor = check_visitor(check);
    assert_int_equal(trace_fixed(&visitor, NULL), 0);
    assert_int_equal(trace_random(1, 20, &visitor, NULL), 0);
    assert_int_equal(check_results(check)->differences, 0);
    assert_true(check_results(check)->drift < 1e-9);
    check_free(check);
    plynnue_net_close(net);
    free(g.bytes);
    plain_free(&p);
}

static void expect_refused(const struct netgen *g, const char *arch, int code, const char *text)
{
    struct plynnue_options options = {.size = sizeof options, .arch = arch};
    struct plynnue_error error = {.text = ""};
    plynnue_net *net;
    assert_int_equal(plynnue_net_from_memory(g->bytes, g->size, &options, &net, &error), code);
    if (!strstr(error.text, text))
        fail_msg("%s, expected %s", error.text, text);
}

static void test_refused(void **state)
{
    struct plain p = plain_new(HALFKP, 32, 8, 8, 1);
    struct netgen g = halfkp_file(&p, ",\"unit_cp\":\"1.5e3\"");
    struct plynnue_info info = {.size = sizeof info};
    (void)state;
    expect_refused(&g, NULL, PLYNNUE_EARCH, "unit_cp");
    free(g.bytes);
    g = halfkp_file(&p, "");
    plynnue_net *net = netgen_open(&g, NULL, PLYNNUE_ISA_AUTO);
    plynnue_net_info(net, &info);
    assert_int_equal(info.verified, 0);
    assert_int_equal(info.is_float, 1);
    plynnue_net_close(net);
    expect_refused(&g, "halfkp(41024->32)x2->8->16->1", PLYNNUE_EARCH, "asked for");
    memcpy(g.bytes + g.size - 4, "\0\0\x80\x7f", 4);
    expect_refused(&g, NULL, PLYNNUE_EFORMAT, "finite");
    memcpy(memmem(g.bytes, 1024, "x2->8->8->1", 11), "x2->8->9->1", 11);
    expect_refused(&g, NULL, PLYNNUE_EARCH, "l2.weight");
    memcpy(memmem(g.bytes, 1024, "halfkp(", 7), "halfqp(", 7);
    expect_refused(&g, NULL, PLYNNUE_EARCH, "not known");
    free(g.bytes);
    plain_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bullet),  cmocka_unit_test(test_halfka),
        cmocka_unit_test(test_halfkp),  cmocka_unit_test(test_drift),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
