/* SPDX-License-Identifier: MIT */
/*
 * Overflow bounds: against published ones, against a plainer computation, and against boards that
 * reach them.
 */
#include <stdio.h>

#include "formats/io/reader.h"
#include "nnue/core/arch.h"
#include "nnue/core/sf_pairs.h"
#include "nnue/tools/bounds.h"
#include "nnue/tools/bounds_rows.h"
#include "tests/unit/nnue/netgen.h"
#include "tests/unit/nnue/sf_synthetic.h"
#include "tests/unit/nnue/synthetic.h"
#include "tests/unit/skip.h"

enum { SQUARES = 64, ENEMY_KING = 11, MEN = 30, LITE_SIZE = 1166381 };

#define LITE "../shared/nets/nn-61e7af4bb97d.nnue.zst"

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

static struct net_bounds bounds_of(const struct netgen *g, const char *arch)
{
    plynnue_net *net = netgen_open(g, arch, PLYNNUE_ISA_SCALAR);
    struct net_bounds bounds;
    net_bounds(net, &bounds);
    plynnue_net_close(net);
    return bounds;
}

/* The published bounds of the seeded HalfKA nets. */
static void test_halfka(void **state)
{
    const struct netgen_halfka wraps = {256, 16, 1, true, "seed", NULL};
    const struct netgen_halfka safe = {256, 16, 8, false, "seed", NULL};
    size_t data;
    struct netgen g = netgen_halfka(NETGEN_SEED, &wraps, &data);
    struct net_bounds b = bounds_of(&g, NULL);
    (void)state;
    assert_int_equal(b.squares.loose, 379236);
    assert_false(b.int16_safe);
    assert_true(b.int32_safe);
    free(g.bytes);
    g = netgen_halfka(NETGEN_SEED, &safe, &data);
    b = bounds_of(&g, NULL);
    assert_int_equal(b.squares.loose, 1342);
    assert_true(b.int16_safe && b.int32_safe);
    assert_true(b.total.low > -1342 && b.total.high < 1342);
    free(g.bytes);
}

/* The wide one of the seeded nets leaves int32, the other does not. */
static void test_bullet(void **state)
{
    const struct netgen_bullet narrow = {128, 1, 1, 60, 120, 127, 0};
    const struct netgen_bullet wide = {1024, 1, 1, 400, 400, 128, 0};
    struct netgen g = netgen_bullet(1, &narrow);
    struct net_bounds b = bounds_of(&g, "(768->128)x2->1 crelu");
    (void)state;
    assert_true(b.int32_safe);
    assert_true(b.output.high <= 2 * 128 * 255 * 127 && b.output.low >= -2 * 128 * 255 * 127);
    free(g.bytes);
    g = netgen_bullet(1, &wide);
    b = bounds_of(&g, "(768->1024)x2->1 screlu");
    assert_false(b.int32_safe);
    free(g.bytes);
}

/* A number of an accumulator, or a psqt column. */
struct unit {
    const struct transformer *t;
    size_t number;
    bool psqt;
};

/* Of a row, the biases or a state. */
static int number_of(const struct unit *unit, const int16_t *row)
{
    return unit->psqt ? transformer_psqt(unit->t, row)[unit->number] : row[unit->number];
}

/* Piece on square, seen by White with the king on k. */
static int weight_of(const struct unit *unit, unsigned k, unsigned piece, unsigned square)
{
    const struct transformer *t = unit->t;
    const struct feature_king *king = &t->map.king[0][k];
    uint32_t plane = t->map.plane[0][piece];
    size_t row = king->base + (size_t)plane + (square ^ king->flip);
    return plane == FEATURE_NONE ? 0 : number_of(unit, t->weights + row * transformer_stride(t));
}

/* The best piece for each square, and how good it is: 0 and none where none helps. */
struct choice {
    int value;
    uint8_t piece, square;
};

static int by_value(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    return (x->value < y->value) - (x->value > y->value);
}

static void find_choices(const struct unit *unit, unsigned k, int sign, bool edge_pawns,
                         struct choice out[SQUARES])
{
    for (unsigned square = 0; square < SQUARES; square++) {
        out[square] = (struct choice){0, BOARD_EMPTY, (uint8_t)square};
        for (unsigned piece = 0; piece < 12; piece++) {
            bool edge = piece % 6 == 0 && (square < 8 || square > 55);
            int value = sign * weight_of(unit, k, piece, square);
            if (piece % 6 != KING && (edge_pawns || !edge) && value > out[square].value)
                out[square] = (struct choice){value, (uint8_t)piece, (uint8_t)square};
        }
    }
    qsort(out, SQUARES, sizeof *out, by_value);
}

/* A board that is as good for sign * unit as any; gives its value. pieces: room for 32. */
static int best_board(const struct unit *unit, unsigned k, int sign, struct plynnue_piece *pieces,
                      uint8_t *count)
{
    struct choice choices[SQUARES];
    int best = INT32_MIN;
    find_choices(unit, k, sign, true, choices);
    for (unsigned enemy = 0; enemy < SQUARES; enemy++) {
        struct plynnue_piece list[PLYNNUE_PIECES_MAX] = {{KING, (uint8_t)k},
                                                         {ENEMY_KING, (uint8_t)enemy}};
        uint8_t used = 2;
        int value = sign * (number_of(unit, unit->t->bias) + weight_of(unit, k, KING, k) +
                            weight_of(unit, k, ENEMY_KING, enemy));
        for (unsigned i = 0; i < SQUARES && used < PLYNNUE_PIECES_MAX && choices[i].value; i++)
            if (choices[i].square != k && choices[i].square != enemy) {
                list[used++] = (struct plynnue_piece){choices[i].piece, choices[i].square};
                value += choices[i].value;
            }
        if (enemy != k && value > best) {
            best = value;
            *count = used;
            memcpy(pieces, list, sizeof list);
        }
    }
    return sign * best;
}

/* What the library makes of a board, in White's view. */
static int computed(plynnue_acc *acc, const struct unit *unit, const struct plynnue_piece *pieces,
                    uint8_t count)
{
    const struct plynnue_position position = {.pieces = pieces, .count = count, .side = 0};
    size_t size;
    assert_int_equal(plynnue_acc_set(acc, &position), 0);
    return number_of(unit, acc_state(acc, 0, &size));
}

/* No board does worse than the bound, and one reaches it. */
static void expect_range(plynnue_acc *acc, struct unit unit, size_t units,
                         const struct row_bounds *bounds)
{
    struct range found = {0, 0};
    struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
    uint8_t count = 0;
    for (unit.number = 0; unit.number < units; unit.number++)
        for (unsigned k = 0; k < SQUARES; k++)
            for (int sign = -1; sign <= 1; sign += 2) {
                int value = best_board(&unit, k, sign, pieces, &count);
                if (value < found.low || value > found.high)
                    assert_int_equal(computed(acc, &unit, pieces, count), value);
                found.low = value < found.low ? value : found.low;
                found.high = value > found.high ? value : found.high;
            }
    assert_int_equal(bounds->any.low, found.low);
    assert_int_equal(bounds->any.high, found.high);
    assert_true(bounds->games.low >= found.low && bounds->games.high <= found.high);
    assert_true(bounds->loose >= found.high && -bounds->loose <= found.low);
}

static void expect_reached(plynnue_net *net, size_t units)
{
    struct net_parts parts;
    struct net_bounds b;
    plynnue_acc *acc;
    net_parts(net, &parts);
    net_bounds(net, &b);
    assert_int_equal(plynnue_acc_new(net, 0, &acc, NULL), 0);
    expect_range(acc, (struct unit){parts.squares, 0, false}, units, &b.squares);
    if (parts.squares->psqt)
        expect_range(acc, (struct unit){parts.squares, 0, true}, parts.squares->psqt, &b.psqt);
    plynnue_acc_free(acc);
    plynnue_net_close(net);
}

static void expect_generated(struct netgen g, const char *arch, size_t units)
{
    expect_reached(netgen_open(&g, arch, PLYNNUE_ISA_SCALAR), units);
    free(g.bytes);
}

/* Stacks that fill part of a line of columns, and two lines. */
static void expect_psqt(uint32_t stacks)
{
    struct synthetic_net *made = synthetic_sf_new(SYN_SF15_1, 3, 32, stacks);
    struct buffer bytes = synthetic_sf_encode(made, 3, false);
    char arch[64];
    snprintf(arch, sizeof arch, "sf15.1(22528->32)x2->16->32->1x%u", stacks);
    const struct plynnue_options options = {
        .size = sizeof options, .isa = PLYNNUE_ISA_SCALAR, .arch = arch};
    plynnue_net *net;
    assert_int_equal(plynnue_net_from_memory(bytes.data, bytes.length, &options, &net, NULL),
                     PLYNNUE_OK);
    expect_reached(net, 32);
    buffer_free(&bytes);
    synthetic_sf_free(made);
}

static void test_bounds_are_reached(void **state)
{
    const struct netgen_halfka halfka = {32, 4, 1, false, "seed", NULL};
    const struct netgen_bullet plain = {9, 5, 1, 60, 120, 127, 0};
    const struct netgen_bullet mirrored = {7, 10, 1, 200, 30, 127, 0};
    size_t data;
    (void)state;
    expect_generated(netgen_halfkp(5, 32), NULL, 32);
    expect_generated(netgen_halfka(5, &halfka, &data), NULL, 32);
    expect_generated(netgen_bullet(5, &plain), "(768x5->9)x2->1 screlu table=" NETGEN_PLAIN_TABLE,
                     9);
    expect_generated(netgen_bullet(5, &mirrored),
                     "(768x10hm->7)x2->1 screlu table=" NETGEN_BULLET_TABLE, 7);
    expect_psqt(5);
    expect_psqt(20);
}

/* false: there is no such file here. */
static bool read_lite(struct netgen *g)
{
    struct reader *reader;
    struct error err = {.text = ""};
    ssize_t got;
    if (reader_open(LITE, false, &reader, &err))
        return false;
    netgen_room(g, LITE_SIZE);
    for (size_t at = 0; at < LITE_SIZE; at += (size_t)got) {
        got = reader_read(reader, g->bytes + at, LITE_SIZE - at, &err);
        assert_true(got > 0);
    }
    reader_close(reader);
    return true;
}

/*
 * The published bound of Stockfish 19's lite net lets the enemy king share a square with another
 * piece: it is a little wider than the exact one.
 */
static void test_lite(void **state)
{
    struct netgen g = netgen_new(0);
    struct range shared = {0, 0};
    struct net_parts parts;
    (void)state;
    if (!read_lite(&g))
        SKIP_BECAUSE("no " LITE);
    plynnue_net *net = netgen_open(&g, NULL, PLYNNUE_ISA_SCALAR);
    net_parts(net, &parts);
    struct unit unit = {parts.squares, 0, false};
    for (; unit.number < 1024; unit.number++)
        for (unsigned k = 0; k < SQUARES; k++)
            for (int sign = -1; sign <= 1; sign += 2) {
                struct choice choices[SQUARES];
                int enemy = INT32_MIN, sum;
                find_choices(&unit, k, sign, false, choices);
                for (unsigned square = 0; square < SQUARES; square++) {
                    int value = sign * weight_of(&unit, k, ENEMY_KING, square);
                    enemy = square != k && value > enemy ? value : enemy;
                }
                sum = enemy +
                      sign * (parts.squares->bias[unit.number] + weight_of(&unit, k, KING, k));
                for (unsigned i = 0; i < MEN; i++)
                    sum += choices[i].value;
                shared.low = sign * sum < shared.low ? sign * sum : shared.low;
                shared.high = sign * sum > shared.high ? sign * sum : shared.high;
            }
    assert_int_equal(shared.low, -18369);
    assert_int_equal(shared.high, 19702);
    plynnue_net_close(net);
    struct net_bounds b = bounds_of(&g, NULL);
    assert_true(b.squares.games.low >= -18369 && b.squares.games.low <= -18369 + 100);
    assert_true(b.squares.games.high <= 19702 && b.squares.games.high >= 19702 - 100);
    assert_true(b.int16_safe && b.int32_safe);
    free(g.bytes);
}

static struct sf_relations relations_new(enum sf_threat_set set, bool pairs)
{
    struct sf_relations r;
    assert_int_equal(sf_relations_new(&r, set, pairs, 32, 8), 0);
    return r;
}

/* One row each, and all rows at once: as many as a list of rows has room for. */
static void test_relations(void **state)
{
    struct sf_relations r = relations_new(SF_THREATS_19, true);
    struct range range = row_bounds_relations(&r);
    (void)state;
    assert_true(range.low == 0 && range.high == 0);
    /* a white knight on b2 attacks one on d3: both directions are one row, to the smaller square */
    uint32_t base = r.threats->base[0][1][0][1];
    r.weights[(size_t)(base + r.threats->rank[1][19][9]) * 32] = -9;
    range = row_bounds_relations(&r);
    assert_true(range.low == -9 && range.high == 0);
    r.weights[(size_t)(base + r.threats->rank[1][9][19]) * 32] = 50; /* no board has it */
    range = row_bounds_relations(&r);
    assert_true(range.low == -9 && range.high == 0);
    r.weights[((size_t)r.threats->rows + 1 * 0 / 2 + 0) * 32 + 5] = 7; /* pawns on a2 and b2 */
    range = row_bounds_relations(&r);
    assert_true(range.low == -9 && range.high == 7);
    memset(r.weights, 1, (size_t)r.rows * r.width);
    range = row_bounds_relations(&r);
    assert_true(range.low == 0 && range.high <= SF_THREATS_MAX + SF_PAIRS_MAX);
    assert_true(range.high >= 200 + SF_PAIRS_MAX);
    sf_relations_free(&r);
    r = relations_new(SF_THREATS_18, false);
    memset(r.weights, -2, (size_t)r.rows * r.width);
    range = row_bounds_relations(&r);
    assert_true(range.high == 0 && range.low >= -2 * SF_THREATS_MAX && range.low <= -400);
    sf_relations_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds), cmocka_unit_test(test_halfka),
        cmocka_unit_test(test_bullet), cmocka_unit_test(test_bounds_are_reached),
        cmocka_unit_test(test_lite),   cmocka_unit_test(test_relations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
