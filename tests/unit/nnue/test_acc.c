/* SPDX-License-Identifier: MIT */
/*
 * The library's stack: what a push accepts, that an error changes nothing, that values after pushes
 * and pops are those of a fresh board, and what it says about options and nets it cannot load.
 */
#include <stdio.h>

#include "formats/chess/ucimove.h"
#include "nnue/core/board.h"
#include "tests/unit/nnue/netgen.h"
#include "tests/unit/nnue/synthetic.h"

#define SPECIAL_MOVES "tests/data/cases/041-feature-deltas-special-moves/input.tsv"

struct fixture {
    struct tinynnue_float floats;
    struct buffer bytes;
    plynnue_net *net;
    plynnue_acc *acc, *fresh;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->floats = synthetic_float(SYNTHETIC_SEED, 128, 32);
    f->bytes = synthetic_file(&f->floats, 24);
    f->net = synthetic_open(&f->bytes, NULL);
    assert_int_equal(plynnue_acc_new(f->net, 4, &f->acc, NULL), PLYNNUE_OK);
    assert_int_equal(plynnue_acc_new(f->net, 0, &f->fresh, NULL), PLYNNUE_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    plynnue_acc_free(f->acc);
    plynnue_acc_free(f->fresh);
    plynnue_net_close(f->net);
    buffer_free(&f->bytes);
    tinynnue_float_free(&f->floats);
    free(f);
    return 0;
}

static void set_board(plynnue_acc *acc, const struct position *position)
{
    struct plynnue_piece pieces[64];
    struct plynnue_position board = synthetic_board(position, pieces);
    assert_int_equal(plynnue_acc_set(acc, &board), PLYNNUE_OK);
}

static void assert_same(const struct fixture *f, const struct position *position)
{
    set_board(f->fresh, position);
    for (int side = 0; side < 2; side++)
        assert_int_equal(plynnue_acc_eval(f->acc, side), plynnue_acc_eval(f->fresh, side));
}

static struct plynnue_delta convert(const struct delta *delta)
{
    struct plynnue_delta out = {.removed_count = delta->removed_count,
                                .added_count = delta->added_count};
    for (unsigned i = 0; i < 2; i++) {
        out.removed[i] = (struct plynnue_piece){delta->removed[i].piece, delta->removed[i].square};
        out.added[i] = (struct plynnue_piece){delta->added[i].piece, delta->added[i].square};
    }
    return out;
}

static void test_special_moves(void **state)
{
    const struct fixture *f = *state;
    char line[256];
    unsigned lines = 0;
    FILE *file = fopen(SPECIAL_MOVES, "r");
    assert_non_null(file);
    for (; fgets(line, sizeof line, file); lines++) {
        char *move_text = strchr(line, '\t');
        struct position before, after;
        struct delta delta;
        assert_non_null(move_text);
        *move_text++ = '\0';
        before = after = synthetic_position(line);
        uint16_t move = ucimove_parse(&before, move_text, strcspn(move_text, "\t\n"));
        assert_int_not_equal(move, MOVE_NONE);
        position_delta(&before, move, &delta);
        position_make(&after, move, NULL);
        struct plynnue_delta pushed = convert(&delta);
        for (unsigned early = 0; early < 2; early++) {
            set_board(f->acc, &before);
            if (early)
                assert_same(f, &before); /* an update, not a refresh, follows */
            assert_int_equal(plynnue_acc_push(f->acc, &pushed), PLYNNUE_OK);
            assert_same(f, &after);
            assert_int_equal(plynnue_acc_pop(f->acc), PLYNNUE_OK);
            assert_same(f, &before);
        }
    }
    assert_int_equal(lines, 11);
    fclose(file);
}

/* King c1 stays, rook b1 to d1: with the king in both lists or in none. */
static void test_square_removed_and_added(void **state)
{
    const struct fixture *f = *state;
    struct position before = synthetic_position("4k3/8/8/8/8/8/8/1RK5 w B - 0 1");
    struct position after = synthetic_position("4k3/8/8/8/8/8/8/2KR4 b - - 1 1");
    const struct plynnue_delta with_king = {2, 2, {{5, 2}, {3, 1}}, {{5, 2}, {3, 3}}};
    const struct plynnue_delta without = {1, 1, {{3, 1}, {0, 0}}, {{3, 3}, {0, 0}}};
    set_board(f->acc, &before);
    assert_int_equal(plynnue_acc_push(f->acc, &with_king), PLYNNUE_OK);
    assert_same(f, &after);
    assert_int_equal(plynnue_acc_pop(f->acc), PLYNNUE_OK);
    assert_int_equal(plynnue_acc_push(f->acc, &without), PLYNNUE_OK);
    assert_same(f, &after);
}

static void test_null_move(void **state)
{
    const struct fixture *f = *state;
    struct position white = synthetic_position("4k3/8/8/8/3p4/8/4P3/3K4 w - - 0 1");
    struct position black = synthetic_position("4k3/8/8/8/3p4/8/4P3/3K4 b - - 0 1");
    const struct plynnue_delta null = {.removed_count = 0};
    set_board(f->acc, &black);
    assert_int_equal(plynnue_acc_eval(f->acc, 1), -238); /* vectors */
    assert_int_equal(plynnue_acc_eval(f->acc, 0), 321);
    assert_int_equal(plynnue_acc_push(f->acc, &null), PLYNNUE_OK);
    assert_same(f, &white);
    assert_int_equal(plynnue_acc_push(f->acc, &null), PLYNNUE_OK);
    assert_same(f, &black);
}

static void test_bad_deltas_change_nothing(void **state)
{
    const struct fixture *f = *state;
    struct position start = synthetic_position("4k3/8/8/8/3p4/8/4P3/3K4 b - - 0 1");
    static const struct plynnue_delta bad[] = {
        {1, 0, {{6, 28}, {0, 0}}, {{0, 0}, {0, 0}}},   /* nothing stands there */
        {1, 0, {{0, 27}, {0, 0}}, {{0, 0}, {0, 0}}},   /* another piece stands there */
        {2, 0, {{6, 27}, {6, 27}}, {{0, 0}, {0, 0}}},  /* the same twice */
        {0, 1, {{0, 0}, {0, 0}}, {{1, 12}, {0, 0}}},   /* square taken */
        {0, 2, {{0, 0}, {0, 0}}, {{1, 40}, {2, 40}}},  /* two on one square */
        {1, 0, {{11, 60}, {0, 0}}, {{0, 0}, {0, 0}}},  /* a king vanishes */
        {0, 1, {{0, 0}, {0, 0}}, {{5, 40}, {0, 0}}},   /* a second king */
        {1, 1, {{11, 60}, {0, 0}}, {{5, 61}, {0, 0}}}, /* a king of the other colour */
        {1, 1, {{6, 27}, {0, 0}}, {{12, 19}, {0, 0}}}, /* no such piece */
        {1, 1, {{6, 27}, {0, 0}}, {{6, 64}, {0, 0}}},  /* no such square */
        {1, 1, {{12, 0}, {0, 0}}, {{6, 19}, {0, 0}}},  /* an empty square's code */
        {3, 0, {{6, 27}, {0, 12}}, {{0, 0}, {0, 0}}},  {0, 3, {{0, 0}, {0, 0}}, {{1, 40}, {1, 41}}},
    };
    set_board(f->acc, &start);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(plynnue_acc_push(f->acc, &bad[i]), PLYNNUE_EBOARD);
        assert_int_equal(plynnue_acc_pop(f->acc), PLYNNUE_EDEPTH);
        assert_same(f, &start);
    }
}

static void test_bad_positions_change_nothing(void **state)
{
    const struct fixture *f = *state;
    struct position start = synthetic_position("4k3/8/8/8/3p4/8/4P3/3K4 b - - 0 1");
    struct plynnue_piece two[3] = {{5, 4}, {11, 60}, {0, 4}}, many[33] = {{5, 0}, {11, 1}};
    static const struct plynnue_piece no_king[2] = {{5, 4}, {10, 60}},
                                      three[3] = {{5, 4}, {11, 60}, {5, 5}};
    for (uint8_t i = 2; i < 33; i++)
        many[i] = (struct plynnue_piece){1, i};
    const struct plynnue_position bad[] = {{two, 1, 0},     {two, 3, 0},   {two, 2, 2},
                                           {no_king, 2, 0}, {three, 3, 0}, {many, 33, 0}};
    const struct plynnue_position full = {many, 32, 1};
    set_board(f->acc, &start);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(plynnue_acc_set(f->acc, &bad[i]), PLYNNUE_EBOARD);
        assert_same(f, &start);
    }
    assert_int_equal(plynnue_acc_set(f->acc, &full), PLYNNUE_OK);
    /* 32 is the most: nothing more comes on */
    const struct plynnue_delta more = {0, 1, {{0, 0}, {0, 0}}, {{1, 60}, {0, 0}}};
    assert_int_equal(plynnue_acc_push(f->acc, &more), PLYNNUE_EBOARD);
    void *scratch = malloc(plynnue_batch_scratch(f->net));
    int32_t values[2];
    const struct plynnue_position mixed[2] = {full, bad[0]};
    assert_int_equal(plynnue_eval_batch(f->net, mixed, 2, values, scratch), PLYNNUE_EBOARD);
    assert_int_equal(values[0], plynnue_acc_eval(f->acc, 1));
    free(scratch);
}

static void test_depth(void **state)
{
    const struct fixture *f = *state;
    struct position start = synthetic_position("4k3/8/8/8/3p4/8/4P3/3K4 b - - 0 1");
    const struct plynnue_delta null = {.removed_count = 0};
    plynnue_acc *acc;
    set_board(f->acc, &start);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(plynnue_acc_push(f->acc, &null), PLYNNUE_OK);
    assert_int_equal(plynnue_acc_push(f->acc, &null), PLYNNUE_EDEPTH);
    assert_same(f, &start);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(plynnue_acc_pop(f->acc), PLYNNUE_OK);
    assert_int_equal(plynnue_acc_pop(f->acc), PLYNNUE_EDEPTH);
    assert_int_equal(plynnue_acc_new(f->net, PLYNNUE_PLY_MAX, &acc, NULL), PLYNNUE_OK);
    plynnue_acc_free(acc);
    assert_int_equal(plynnue_acc_new(f->net, PLYNNUE_PLY_MAX + 1, &acc, NULL), PLYNNUE_EDEPTH);
    assert_null(acc);
    assert_int_equal(plynnue_acc_new(f->net, -1, &acc, NULL), PLYNNUE_EDEPTH);
    plynnue_acc_free(NULL);
    plynnue_net_close(NULL);
}

static void test_fresh_stack_has_bare_kings(void **state)
{
    const struct fixture *f = *state;
    struct position kings = synthetic_position("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    plynnue_acc *acc;
    assert_int_equal(plynnue_acc_new(f->net, 0, &acc, NULL), PLYNNUE_OK);
    set_board(f->fresh, &kings);
    assert_int_equal(plynnue_acc_eval(acc, 0), plynnue_acc_eval(f->fresh, 0));
    plynnue_acc_free(acc);
}

static void test_info_and_options(void **state)
{
    const struct fixture *f = *state;
    struct plynnue_info info;
    struct plynnue_options options = {.size = sizeof options};
    struct plynnue_error error;
    plynnue_net *net;
    memset(&info, 0xee, sizeof info);
    info.size = offsetof(struct plynnue_info, l1);
    plynnue_net_info(f->net, &info);
    assert_string_equal(info.arch, "769->128->32->1");
    assert_int_equal(info.inputs, 769);
    assert_int_equal(info.l1, 0xeeeeeeee);
    info.size = sizeof info;
    plynnue_net_info(f->net, &info);
    assert_int_equal(info.l1, 128);
    assert_int_not_equal(info.isa, PLYNNUE_ISA_AUTO);
    assert_true(info.cp_per_unit == 1);
    assert_int_equal(info.is_float, 0);
    options.arch = "769->128->32->1";
    net = synthetic_open(&f->bytes, &options);
    plynnue_net_close(net);
    options.arch = "769->64->32->1";
    assert_int_equal(
        plynnue_net_from_memory(f->bytes.data, f->bytes.length, &options, &net, &error),
        PLYNNUE_EARCH);
    assert_null(net);
    /* A shorter struct of an older caller: what it does not hold is default. */
    options.size = offsetof(struct plynnue_options, arch);
    net = synthetic_open(&f->bytes, &options);
    plynnue_net_close(net);
    assert_int_equal(plynnue_net_open("tests/data/no-such-net", NULL, &net, &error), PLYNNUE_EIO);
    assert_int_equal(plynnue_net_open("tests/data", NULL, &net, &error), PLYNNUE_EIO);
    assert_int_equal(error.code, PLYNNUE_EIO);
}

/* 16-byte accounting of scratch must hold at any address. */
static void test_scratch_of_any_alignment(void **state)
{
    const struct fixture *f = *state;
    struct netgen g = netgen_halfkp(1, 32);
    plynnue_net *halfkp = netgen_open(&g, NULL, PLYNNUE_ISA_AUTO);
    const plynnue_net *const nets[] = {f->net, halfkp};
    struct plynnue_piece pieces[64];
    struct position start = synthetic_position("4k3/8/8/8/3p4/8/4P3/3K4 b - - 0 1");
    struct plynnue_position board = synthetic_board(&start, pieces);
    const struct plynnue_position boards[5] = {board, board, board, board, board};
    for (size_t offset = 0; offset < 2 * 64; offset += 7) {
        const plynnue_net *net = nets[offset & 1];
        /* the sanitizer sees one byte too many */
        char *memory = malloc(plynnue_batch_scratch(net) + offset);
        int32_t values[5];
        assert_int_equal(plynnue_eval_batch(net, boards, 5, values, memory + offset), 0);
        assert_int_equal(values[4], values[0]);
        assert_true(net == halfkp || values[0] == -238);
        free(memory);
    }
    plynnue_net_close(halfkp);
    free(g.bytes);
}

/* Any numbers, mostly those of a piece that is there and of a square. */
static struct plynnue_piece draw_item(struct rng *rng, const struct board *board)
{
    struct plynnue_piece item = {.square = (uint8_t)rng_below(rng, 64)};
    item.piece = board->piece[item.square];
    if (rng_below(rng, 8) == 0)
        item.piece = (uint8_t)rng_below(rng, 256);
    if (rng_below(rng, 16) == 0)
        item.square = (uint8_t)rng_below(rng, 256);
    return item;
}

static struct plynnue_delta draw_delta(struct rng *rng, const struct board *board)
{
    struct plynnue_delta delta = {.removed_count = (uint8_t)(1 + rng_below(rng, 2)),
                                  .added_count = 1};
    for (unsigned i = 0; i < 2; i++) {
        delta.removed[i] = draw_item(rng, board);
        delta.added[i] = draw_item(rng, board);
    }
    if (rng_below(rng, 4))
        delta.added[0].piece = delta.removed[0].piece;
    if (rng_below(rng, 2))
        delta.removed[1] =
            (struct plynnue_piece){board->piece[delta.added[0].square % 64], delta.added[0].square};
    if (rng_below(rng, 8) == 0)
        delta.removed_count = (uint8_t)rng_below(rng, 4);
    if (rng_below(rng, 8) == 0)
        delta.added_count = (uint8_t)rng_below(rng, 4);
    return delta;
}

/* The short way to make a move makes none that the long way refuses, and the same board. */
static void test_plain_moves(void **state)
{
    enum { DELTAS = 2000000, FEW = 1000 };
    struct rng rng = {7};
    struct board board, moved, applied;
    unsigned quiet = 0, captures = 0, others = 0;
    (void)state;
    board_reset(&board);
    for (unsigned i = 0; i < DELTAS; i++) {
        if (i % FEW == 0) {
            struct position start = synthetic_position(
                i % (2 * FEW) ? "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/1BN1PN2/PP3PPP/R1BQ1RK1 w - - 0 9"
                              : "8/2k5/3p4/1r2q3/4Q3/5N2/2K5/7B b - - 0 1");
            struct plynnue_piece pieces[64];
            struct plynnue_position position = synthetic_board(&start, pieces);
            assert_int_equal(board_set(&board, &position), PLYNNUE_OK);
        }
        struct plynnue_delta delta = draw_delta(&rng, &board);
        bool is_move = board_is_move(&board, &delta);
        int code = board_apply(&applied, &board, &delta);
        others += !is_move && code == PLYNNUE_OK;
        if (!is_move)
            continue;
        assert_int_equal(code, PLYNNUE_OK);
        board_move(&moved, &board, &delta);
        assert_memory_equal(&moved, &applied, sizeof moved);
        quiet += delta.removed_count == 1;
        captures += delta.removed_count == 2;
        board = moved;
    }
    assert_true(quiet > FEW && captures > FEW && others > FEW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_moves),
        cmocka_unit_test(test_special_moves),
        cmocka_unit_test(test_square_removed_and_added),
        cmocka_unit_test(test_null_move),
        cmocka_unit_test(test_bad_deltas_change_nothing),
        cmocka_unit_test(test_bad_positions_change_nothing),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_fresh_stack_has_bare_kings),
        cmocka_unit_test(test_info_and_options),
        cmocka_unit_test(test_scratch_of_any_alignment),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
