/* SPDX-License-Identifier: MIT */
/*
 * Small synthetic nets of every design of Stockfish, at every instruction set that this machine
 * has: raw integers and values against a second implementation, updates against fresh boards over
 * traces with every kind of move, and what the library says about such nets.
 */
#include "nnue/tools/trace.h"
#include "tests/unit/nnue/sf_reference.h"
#include "tests/unit/nnue/vectorfile.h"

enum { RANDOM_GAMES = 6, REFERENCE_EVERY = 61, SEED = 99 };

/* Files hold positions of games and such as no game reaches. */
#define POSITIONS "sf19lite_61e7af4bb97d.tsv"

struct subject {
    struct synthetic_net *net;
    struct buffer bytes;
    const char *arch;
};

static struct subject make_subject(enum synthetic_kind kind, uint32_t l1, uint32_t stacks)
{
    struct subject subject = {.arch = synthetic_facts(kind).arch};
    subject.net = synthetic_sf_new(kind, SEED, l1, stacks);
    subject.bytes = synthetic_sf_encode(subject.net, SEED, synthetic_facts(kind).packed);
    return subject;
}

static void free_subject(struct subject *subject)
{
    synthetic_sf_free(subject->net);
    buffer_free(&subject->bytes);
}

/* NULL where this machine lacks the instruction set. */
static plynnue_net *open_subject(const struct subject *subject, const char *arch, int isa)
{
    struct plynnue_options options = {sizeof options, arch, (enum plynnue_isa)isa};
    struct plynnue_error error = {.text = ""};
    plynnue_net *net;
    int code =
        plynnue_net_from_memory(subject->bytes.data, subject->bytes.length, &options, &net, &error);
    if (code && code != PLYNNUE_EISA)
        fail_msg("%s: %s", arch ? arch : "no arch", error.text);
    return net;
}

static void squares_of(const struct plynnue_position *position, uint8_t board[64])
{
    memset(board, REF_EMPTY, 64);
    for (unsigned i = 0; i < position->count; i++)
        board[position->pieces[i].square] = position->pieces[i].piece;
}

static void assert_answer(const struct ref_answer *expected, plynnue_acc *acc, int side,
                          unsigned stacks)
{
    struct plynnue_raw raw;
    plynnue_acc_eval_raw(acc, side, &raw);
    assert_int_equal(raw.bucket, expected->bucket);
    assert_int_equal(raw.buckets, stacks);
    for (unsigned i = 0; i < stacks; i++) {
        assert_int_equal(raw.psqt[i], expected->psqt[i]);
        assert_int_equal(raw.positional[i], expected->positional[i]);
    }
    assert_int_equal(plynnue_acc_eval(acc, side), expected->value);
}

struct levels {
    plynnue_net *net[PLYNNUE_ISA_NEON + 1];
    plynnue_acc *acc[PLYNNUE_ISA_NEON + 1], *fresh[PLYNNUE_ISA_NEON + 1];
};

static struct levels open_levels(const struct subject *subject)
{
    struct levels levels;
    memset(&levels, 0, sizeof levels);
    for (int isa = PLYNNUE_ISA_SCALAR; isa <= PLYNNUE_ISA_NEON; isa++) {
        plynnue_net *net = levels.net[isa] = open_subject(subject, subject->arch, isa);
        if (!net)
            continue;
        assert_int_equal(plynnue_acc_new(net, TRACE_DEPTH_MAX, &levels.acc[isa], NULL), 0);
        assert_int_equal(plynnue_acc_new(net, 0, &levels.fresh[isa], NULL), 0);
    }
    assert_non_null(levels.net[PLYNNUE_ISA_SCALAR]);
    return levels;
}

static void close_levels(struct levels *levels)
{
    for (int isa = PLYNNUE_ISA_SCALAR; isa <= PLYNNUE_ISA_NEON; isa++) {
        plynnue_acc_free(levels->acc[isa]);
        plynnue_acc_free(levels->fresh[isa]);
        plynnue_net_close(levels->net[isa]);
    }
}

static void check_positions(const struct subject *subject, const struct levels *levels,
                            unsigned every)
{
    struct vectorfile v = vectors_open(POSITIONS);
    unsigned seen = 0;
    while (vectors_next(&v)) {
        struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
        struct plynnue_position position = vectors_board(v.column[0], pieces);
        struct ref_answer answer;
        uint8_t board[64];
        if (seen++ % every)
            continue;
        squares_of(&position, board);
        answer = ref_eval(subject->net, board, position.side);
        for (int isa = PLYNNUE_ISA_SCALAR; isa <= PLYNNUE_ISA_NEON; isa++) {
            if (!levels->net[isa])
                continue;
            assert_int_equal(plynnue_acc_set(levels->fresh[isa], &position), PLYNNUE_OK);
            assert_answer(&answer, levels->fresh[isa], position.side, subject->net->stacks);
        }
    }
    fclose(v.file);
}

/* A trace on every level at once. */
struct walk {
    const struct subject *subject;
    const struct levels *levels;
    unsigned steps;
};

static struct plynnue_position position_of(const struct position *position,
                                           struct plynnue_piece *pieces)
{
    struct plynnue_position out = {.pieces = pieces, .side = position->side};
    for (unsigned square = 0; square < 64; square++)
        if (position->board[square] != PIECE_NONE)
            pieces[out.count++] = (struct plynnue_piece){position->board[square], (uint8_t)square};
    return out;
}

static void follow(plynnue_acc *acc, const struct trace_step *step,
                   const struct plynnue_position *after)
{
    struct plynnue_delta delta = {.removed_count = step->delta.removed_count,
                                  .added_count = step->delta.added_count};
    for (unsigned i = 0; i < 2; i++) {
        delta.removed[i] =
            (struct plynnue_piece){step->delta.removed[i].piece, step->delta.removed[i].square};
        delta.added[i] =
            (struct plynnue_piece){step->delta.added[i].piece, step->delta.added[i].square};
    }
    if (step->kind == TRACE_SET)
        assert_int_equal(plynnue_acc_set(acc, after), PLYNNUE_OK);
    else if (step->kind == TRACE_UNDO)
        assert_int_equal(plynnue_acc_pop(acc), PLYNNUE_OK);
    else
        assert_int_equal(plynnue_acc_push(acc, &delta), PLYNNUE_OK);
}

static int visit(void *context, const struct trace_step *step, struct error *err)
{
    struct walk *walk = context;
    const struct levels *levels = walk->levels;
    struct plynnue_piece pieces[64];
    struct plynnue_position after = position_of(step->after, pieces);
    int32_t scalar = 0;
    (void)err;
    walk->steps++;
    for (int isa = PLYNNUE_ISA_SCALAR; isa <= PLYNNUE_ISA_NEON; isa++) {
        if (!levels->net[isa])
            continue;
        follow(levels->acc[isa], step, &after);
        if (walk->steps % 5 == 3)
            continue; /* now and then several moves at once */
        int32_t value = plynnue_acc_eval(levels->acc[isa], after.side);
        assert_int_equal(plynnue_acc_set(levels->fresh[isa], &after), PLYNNUE_OK);
        assert_int_equal(value, plynnue_acc_eval(levels->fresh[isa], after.side));
        if (isa == PLYNNUE_ISA_SCALAR)
            scalar = value;
        assert_int_equal(value, scalar);
    }
    if (walk->steps % REFERENCE_EVERY == 0) {
        uint8_t board[64];
        squares_of(&after, board);
        struct ref_answer answer = ref_eval(walk->subject->net, board, after.side);
        assert_answer(&answer, levels->acc[PLYNNUE_ISA_SCALAR], after.side,
                      walk->subject->net->stacks);
    }
    return 0;
}

static void check_kind(enum synthetic_kind kind, uint32_t l1, uint32_t stacks, unsigned games)
{
    struct subject subject = make_subject(kind, l1, stacks);
    struct levels levels = open_levels(&subject);
    struct walk walk = {&subject, &levels, 0};
    const struct trace_visitor visitor = {visit, &walk};
    check_positions(&subject, &levels, 5);
    if (games) {
        assert_int_equal(trace_fixed(&visitor, NULL), 0);
        assert_int_equal(trace_random(l1, games, &visitor, NULL), 0);
    }
    close_levels(&levels);
    free_subject(&subject);
}

static void test_kind(void **state)
{
    enum synthetic_kind kind = (enum synthetic_kind)(uintptr_t)*state;
    check_kind(kind, 64, 8, RANDOM_GAMES);
}

/* Widths that fill no vector, and other numbers of stacks. */
static void test_odd_shapes(void **state)
{
    (void)state;
    check_kind(SYN_SF15_1, 2, 8, 0);
    check_kind(SYN_SF15_1, 96, 1, 1);
    check_kind(SYN_SF14, 34, 3, 1);
    check_kind(SYN_SF19LITE, 62, 32, 1);
    check_kind(SYN_SF18, 20, 5, 1);
}

static void assert_arch(const struct subject *subject, const char *asked, const char *arch,
                        uint32_t inputs)
{
    plynnue_net *net = open_subject(subject, asked, PLYNNUE_ISA_SCALAR);
    struct plynnue_info info = {.size = sizeof info};
    plynnue_net_info(net, &info);
    assert_string_equal(info.arch, arch);
    assert_int_equal(info.inputs, inputs);
    assert_int_equal(info.l1, subject->net->l1);
    assert_int_equal(info.output_buckets, subject->net->stacks);
    assert_int_equal(info.has_psqt, 1);
    plynnue_net_close(net);
}

static void refuse_arch(const struct subject *subject, const char *asked, const char *text)
{
    struct plynnue_options options = {sizeof options, asked, PLYNNUE_ISA_SCALAR};
    struct plynnue_error error = {.text = ""};
    plynnue_net *net;
    assert_int_equal(
        plynnue_net_from_memory(subject->bytes.data, subject->bytes.length, &options, &net, &error),
        PLYNNUE_EARCH);
    assert_null(net);
    if (!strstr(error.text, text))
        fail_msg("%s, expected: %s", error.text, text);
}

/* Headers of 15 and 15.1 are equal: only the caller knows. */
static void test_names(void **state)
{
    struct subject subject = make_subject(SYN_SF15_1, 96, 8);
    (void)state;
    assert_arch(&subject, "sf15.1", "sf15.1(22528->96)x2->16->32->1x8", 22528);
    assert_arch(&subject, "sf15", "sf15(22528->96)x2->16->32->1x8", 22528);
    assert_arch(&subject, "sf15.1(22528->96)x2->16->32->1x8", "sf15.1(22528->96)x2->16->32->1x8",
                22528);
    assert_arch(&subject, "sf17.1", "sf17.1(22528->96)x2->16->32->1x8", 22528);
    refuse_arch(&subject, NULL, "sf15, sf15.1");
    refuse_arch(&subject, "sf14", "asked for sf14");
    refuse_arch(&subject, "sf19", "asked for sf19");
    refuse_arch(&subject, "sf15.2", "sf15.2 is not known");
    refuse_arch(&subject, "sf15.1(22528->128)x2->16->32->1x8", "L1 is 96");
    refuse_arch(&subject, "sf15.1(45056->96)x2->16->32->1x8", "has 22528 inputs");
    refuse_arch(&subject, "sf15.1(22528->96)x2->16->32->1x33", "1 .. 32 stacks");
    refuse_arch(&subject, "sf15.1(22528->96)x2->2->32->1x8", "3 .. 256");
    refuse_arch(&subject, "sf15.1(22528->96)x2->257->32->1x8", "3 .. 256");
    refuse_arch(&subject, "sf15.1(22528->96)x2->16->257->1x8", "1 .. 256");
    refuse_arch(&subject, "sf15.1(22528->96)x2->16->32->2x8", "is not known");
    refuse_arch(&subject, "sf15.1(22528->96)x2->16->032->1x8", "is not known");
    refuse_arch(&subject, "sf15.1(22528->96)x2->16->32->1x8 ", "is not known");
    free_subject(&subject);
}

/* What a file says by itself. */
static void test_implied(void **state)
{
    static const struct {
        enum synthetic_kind kind;
        uint32_t l1, inputs;
        const char *arch;
    } cases[] = {
        {SYN_SF14, 32, 45056, "sf14(45056->32)x2->16->32->1x8"},
        {SYN_SMALL, 128, 22528, "sf18(22528->128)x2->16->32->1x8"},
        {SYN_SF18, 32, 102384, "sf18(102384->32)x2->16->32->1x8"},
        {SYN_SF19, 32, 86896, "sf19(86896->32)x2->32->32->1x8"},
        {SYN_SF19LITE, 32, 768, "sf19lite(768->32)x2->32->32->1x8"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct subject subject = make_subject(cases[i].kind, cases[i].l1, 8);
        assert_arch(&subject, NULL, cases[i].arch, cases[i].inputs);
        assert_arch(&subject, cases[i].arch, cases[i].arch, cases[i].inputs);
        free_subject(&subject);
    }
    struct subject packed = make_subject(SYN_SF16, 64, 8);
    refuse_arch(&packed, NULL, "sf16, sf16.1 or sf17");
    assert_arch(&packed, "sf16.1", "sf16.1(22528->64)x2->16->32->1x8", 22528);
    free_subject(&packed);
}

/* Layers of other widths are found by hashes and sizes, or may be asked for. */
static void test_found_shape(void **state)
{
    struct subject subject = {.arch = "sf15.1"};
    (void)state;
    subject.net = synthetic_sf_shaped(SYN_SF15_1, SEED, (struct synthetic_shape){64, 9, 24, 4});
    subject.bytes = synthetic_sf_encode(subject.net, SEED, false);
    assert_arch(&subject, "sf15.1", "sf15.1(22528->64)x2->9->24->1x4", 22528);
    assert_arch(&subject, "sf15.1(22528->64)x2->9->24->1x4", "sf15.1(22528->64)x2->9->24->1x4",
                22528);
    struct levels levels = open_levels(&subject);
    check_positions(&subject, &levels, 5);
    close_levels(&levels);
    free_subject(&subject);
    subject.net = synthetic_sf_shaped(SYN_SF19LITE, SEED, (struct synthetic_shape){32, 5, 7, 2});
    subject.bytes = synthetic_sf_encode(subject.net, SEED, true);
    subject.arch = NULL;
    assert_arch(&subject, NULL, "sf19lite(768->32)x2->5->7->1x2", 768);
    levels = open_levels(&subject);
    check_positions(&subject, &levels, 5);
    close_levels(&levels);
    free_subject(&subject);
}

/* The same arrays, packed or not, are the same net. */
static void test_packing(void **state)
{
    struct subject packed = make_subject(SYN_SF19, 32, 8), plain = {.arch = "sf19"};
    (void)state;
    plain.net = packed.net;
    plain.bytes = synthetic_sf_encode(plain.net, SEED, false);
    assert_true(plain.bytes.length != packed.bytes.length);
    struct levels levels = open_levels(&plain);
    check_positions(&packed, &levels, 29);
    close_levels(&levels);
    buffer_free(&plain.bytes);
    free_subject(&packed);
}

#define KIND_TEST(kind)                                                                            \
    {                                                                                              \
#kind, test_kind, NULL, NULL, (void *)(uintptr_t)(kind)                                    \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIND_TEST(SYN_SF14),
        KIND_TEST(SYN_SF15),
        KIND_TEST(SYN_SF15_1),
        KIND_TEST(SYN_SF16),
        KIND_TEST(SYN_SF17),
        KIND_TEST(SYN_SMALL),
        KIND_TEST(SYN_SF18),
        KIND_TEST(SYN_SF19),
        KIND_TEST(SYN_SF19LITE),
        cmocka_unit_test(test_odd_shapes),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_implied),
        cmocka_unit_test(test_found_shape),
        cmocka_unit_test(test_packing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
