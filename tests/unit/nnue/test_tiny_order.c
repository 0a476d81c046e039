/* SPDX-License-Identifier: MIT */
/*
 * Orders of hidden units: what is found is an order and fits, by a sum over every output that knows
 * nothing of how it was found; and nets whose units were put in one give the reference's values.
 */
#include "nnue/core/board.h"
#include "nnue/core/kernels.h"
#include "nnue/core/memory.h"
#include "nnue/core/tiny_order.h"
#include "tests/unit/nnue/synthetic.h"

enum { SIZE_MAX_OF_ALL = TINY_OUTPUTS * TINY_WIDTH_MAX, DRAWS = 60 };

/* The sum of all products of one sign at the places [first, first + 16) that are added in 16 bits
 * with the one of number `run` in half `half`. */
static int run_sum(const int8_t *row, const uint16_t *order, unsigned first, unsigned run,
                   unsigned half, unsigned depth, int sign)
{
    int sum = 0;
    for (unsigned group = run * depth; group < (run + 1) * depth; group++)
        for (unsigned i = 0; i < 2; i++) {
            int weight = row[order[first + 4 * group + 2 * half + i]];
            sum += weight * sign > 0 ? 127 * weight : 0;
        }
    return sum;
}

static bool fits(const int8_t *weights, const uint16_t *order, unsigned width, unsigned depth)
{
    for (unsigned o = 0; o < TINY_OUTPUTS; o++)
        for (unsigned at = 0; at < width * 2; at++) {
            const int8_t *row = weights + (size_t)o * width;
            unsigned first = at / 32 * 16, run = at / 2 % 16, half = at % 2;
            if (run < 4 / depth && (run_sum(row, order, first, run, half, depth, 1) > INT16_MAX ||
                                    run_sum(row, order, first, run, half, depth, -1) < INT16_MIN))
                return false;
        }
    return true;
}

static void expect_permutation(const uint16_t *order, unsigned width)
{
    bool seen[TINY_WIDTH_MAX] = {false};
    for (unsigned i = 0; i < width; i++) {
        assert_true(order[i] < width && !seen[order[i]]);
        seen[order[i]] = true;
    }
}

static void set_identity(uint16_t *order, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        order[i] = (uint16_t)i;
}

/* Small weights, and some in a hundred of any size. */
static void draw_weights(struct rng *rng, int8_t *weights, size_t count, unsigned hundredths)
{
    for (size_t i = 0; i < count; i++)
        weights[i] = rng_below(rng, 100) < hundredths ? (int8_t)((int)rng_below(rng, 255) - 127)
                                                      : (int8_t)((int)rng_below(rng, 21) - 10);
}

static void test_found(void **state)
{
    static int8_t weights[SIZE_MAX_OF_ALL];
    uint16_t order[TINY_WIDTH_MAX], identity[TINY_WIDTH_MAX];
    struct rng rng = {1};
    unsigned changed[2] = {0, 0}, missed = 0;
    (void)state;
    set_identity(identity, TINY_WIDTH_MAX);
    for (unsigned width = 16; width <= TINY_WIDTH_MAX; width *= 2)
        for (unsigned draw = 0; draw < DRAWS; draw++)
            for (unsigned depth = 2; depth <= 4; depth += 2) {
                draw_weights(&rng, weights, (size_t)TINY_OUTPUTS * width,
                             rng_below(&rng, depth == 4 ? 60 : 101));
                set_identity(order, width);
                bool before = fits(weights, order, width, depth);
                bool found = tiny_order_fit(order, weights, width, depth);
                expect_permutation(order, width);
                assert_true(found || !before);
                if (!found)
                    assert_memory_equal(order, identity, width * sizeof *order);
                missed += !found;
                assert_true(fits(weights, order, width, depth) == found);
                changed[depth / 4] += found && !before;
            }
    assert_true(changed[0] > DRAWS && changed[1] > DRAWS && missed > DRAWS);
}

/* Three large weights of one sign must part, whatever the sign and wherever they are. */
static void test_parted(void **state)
{
    static int8_t weights[TINY_OUTPUTS * 64];
    uint16_t order[64];
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2)
        for (unsigned o = 0; o < TINY_OUTPUTS; o++) {
            memset(weights, 0, sizeof weights);
            for (unsigned i = 0; i < 3; i++)
                weights[o * 64 + 32 + 4 * i + i % 2] = (int8_t)(sign * 127);
            set_identity(order, 64);
            assert_false(fits(weights, order, 64, 4));
            assert_true(tiny_order_fit(order, weights, 64, 4));
            expect_permutation(order, 64);
            assert_true(fits(weights, order, 64, 4));
        }
}

static void test_left_alone(void **state)
{
    static int8_t weights[SIZE_MAX_OF_ALL];
    uint16_t order[TINY_WIDTH_MAX], identity[TINY_WIDTH_MAX];
    (void)state;
    set_identity(identity, TINY_WIDTH_MAX);
    /* 8 * 32 * 127 fits, 8 * 33 * 127 does not, in any order. */
    for (int weight = -33; weight <= 33; weight += 66) {
        memset(weights, weight, sizeof weights);
        set_identity(order, TINY_WIDTH_MAX);
        assert_false(tiny_order_fit(order, weights, TINY_WIDTH_MAX, 4));
        assert_memory_equal(order, identity, sizeof order);
        memset(weights, weight < 0 ? -32 : 32, sizeof weights);
        assert_true(tiny_order_fit(order, weights, TINY_WIDTH_MAX, 4));
        assert_memory_equal(order, identity, sizeof order);
    }
}

/* Weights that trained nets have: small, with a few large ones. */
static struct buffer peaked_file(uint32_t h1)
{
    struct tinynnue_float floats = synthetic_float(SYNTHETIC_SEED + h1, h1, TINY_OUTPUTS);
    for (size_t i = 0; i < (size_t)h1 * TINY_OUTPUTS; i++) {
        float drawn = floats.w2[i] / 0.2499F;
        for (unsigned power = 1; power < 9; power++)
            floats.w2[i] *= drawn;
    }
    struct buffer bytes = synthetic_file(&floats, 24);
    tinynnue_float_free(&floats);
    return bytes;
}

/* Pushes moves of any piece to any square but a king's. */
static void push_any(struct rng *rng, uint8_t board[64], plynnue_acc *const acc[2])
{
    struct plynnue_delta delta = {.removed_count = 1, .added_count = 1};
    unsigned from, to;
    do {
        from = rng_below(rng, 64);
        to = rng_below(rng, 64);
    } while (board[from] == BOARD_EMPTY || from == to ||
             (board[to] != BOARD_EMPTY && board[to] % 6 == KING));
    delta.removed[0] = (struct plynnue_piece){board[from], (uint8_t)from};
    delta.added[0] = (struct plynnue_piece){board[from], (uint8_t)to};
    if (board[to] != BOARD_EMPTY) {
        delta.removed_count = 2;
        delta.removed[1] = (struct plynnue_piece){board[to], (uint8_t)to};
    }
    board[to] = board[from];
    board[from] = BOARD_EMPTY;
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(plynnue_acc_push(acc[i], &delta), PLYNNUE_OK);
}

static void compare_nets(plynnue_net *const nets[2], uint64_t seed)
{
    enum { MOVES = 24 };
    struct position start =
        synthetic_position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    struct plynnue_piece pieces[64];
    struct plynnue_position board = synthetic_board(&start, pieces);
    struct rng rng = {seed};
    plynnue_acc *acc[2];
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(plynnue_acc_new(nets[i], MOVES, &acc[i], NULL), PLYNNUE_OK);
        assert_int_equal(plynnue_acc_set(acc[i], &board), PLYNNUE_OK);
    }
    uint8_t squares[64];
    memset(squares, BOARD_EMPTY, sizeof squares);
    for (unsigned i = 0; i < board.count; i++)
        squares[pieces[i].square] = pieces[i].piece;
    for (unsigned move = 0; move < MOVES; move++) {
        push_any(&rng, squares, acc);
        for (unsigned i = move; i < move + 2; i++) {
            int side = (int)(i % 2);
            assert_int_equal(plynnue_acc_eval(acc[0], side), plynnue_acc_eval(acc[1], side));
        }
    }
    plynnue_acc_free(acc[0]);
    plynnue_acc_free(acc[1]);
}

static void test_nets(void **state)
{
    (void)state;
    for (uint32_t h1 = TINY_WIDTH_STEP; h1 <= 256; h1 += TINY_WIDTH_STEP) {
        struct buffer bytes = peaked_file(h1);
        struct plynnue_options options = {.size = sizeof options, .isa = PLYNNUE_ISA_SCALAR};
        plynnue_net *nets[2] = {synthetic_open(&bytes, &options), NULL};
        for (unsigned isa = PLYNNUE_ISA_SCALAR + 1; isa <= PLYNNUE_ISA_NEON; isa++) {
            if (!kernels_find((enum plynnue_isa)isa))
                continue;
            options.isa = (enum plynnue_isa)isa;
            nets[1] = synthetic_open(&bytes, &options);
            for (uint64_t seed = 1; seed <= 20; seed++)
                compare_nets(nets, seed);
            plynnue_net_close(nets[1]);
        }
        plynnue_net_close(nets[0]);
        buffer_free(&bytes);
    }
}

/* How tiny layers with these weights are run, in an order or as they are. */
static struct tiny_functions run_of(const struct kernels *kernels, const int8_t *weights,
                                    uint32_t width, const uint16_t *order)
{
    static int8_t ordered[SIZE_MAX_OF_ALL];
    static const int8_t weights3[TINY_OUTPUTS];
    struct tiny_layers *tiny = memory_new(sizeof *tiny);
    tiny->width = width;
    tiny->weights2 = memory_new((size_t)TINY_OUTPUTS * width);
    for (size_t o = 0; o < TINY_OUTPUTS; o++)
        for (size_t i = 0; i < width; i++)
            ordered[o * width + i] = weights[o * width + order[i]];
    kernels->tiny_pack(tiny, ordered, weights3);
    struct tiny_functions run = tiny->run;
    memory_free(tiny->weights2);
    memory_free(tiny);
    return run;
}

/* Kernels that want an order run nets in it as if all weights were 0, in their quickest way, where
 * they would not as the units stand. */
static void test_kernels_gain(void **state)
{
    static int8_t weights[SIZE_MAX_OF_ALL], zeros[SIZE_MAX_OF_ALL];
    uint16_t order[TINY_WIDTH_MAX], identity[TINY_WIDTH_MAX];
    (void)state;
    set_identity(identity, TINY_WIDTH_MAX);
    for (unsigned isa = PLYNNUE_ISA_SCALAR; isa <= PLYNNUE_ISA_NEON; isa++) {
        const struct kernels *kernels = kernels_find((enum plynnue_isa)isa);
        struct rng rng = {3};
        unsigned gained = 0;
        assert_true(!kernels || kernels->tiny_order || isa != PLYNNUE_ISA_AVX2);
        if (!kernels || !kernels->tiny_order)
            continue;
        for (unsigned draw = 0; draw < DRAWS; draw++) {
            uint32_t width = TINY_WIDTH_STEP * (1 + draw % 4);
            draw_weights(&rng, weights, (size_t)TINY_OUTPUTS * width, 8);
            kernels->tiny_order(order, weights, width);
            expect_permutation(order, width);
            struct tiny_functions best = run_of(kernels, zeros, width, identity);
            struct tiny_functions before = run_of(kernels, weights, width, identity);
            struct tiny_functions after = run_of(kernels, weights, width, order);
            assert_true(after.forward == best.forward || before.forward != best.forward);
            gained += after.step == best.step && before.step != best.step;
        }
        assert_true(gained > DRAWS / 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),      cmocka_unit_test(test_parted),
        cmocka_unit_test(test_left_alone), cmocka_unit_test(test_kernels_gain),
        cmocka_unit_test(test_nets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
