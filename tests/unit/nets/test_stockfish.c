/* SPDX-License-Identifier: MIT */
/*
 * The nets of Stockfish 15.1, 16, 17, 18 and 19 against the integers of their own engines, at every
 * instruction set that this machine has. Nets are real ones (realnets.h), one made from a real one
 * so that 16-bit sums of products saturate, and synthetic ones, which their SHA-256 proves right.
 */
#include "formats/io/digest.h"
#include "tests/unit/nets/realnets.h"
#include "tests/unit/nnue/sf_synthetic.h"
#include "tests/unit/nnue/sf_vectors.h"

/* A net and the lines that it is held against. */
struct vector {
    const char *net, *arch, *file;
    enum sf_columns columns;
    unsigned lines;
};

static const struct vector sf151 = {"nn-ad9b42354671", "sf15.1", "halfka_hm_ad9b42354671.tsv",
                                    SF_VALUE_BUCKET_PAIRS, 475};
static const struct vector sf151_more = {"nn-ad9b42354671", "sf15.1", "sf151_eval.tsv",
                                         SF_BUCKET_PARTS_VALUE, 293};
static const struct vector stress = {"stress", "sf15.1", "stress_72bf941bf04a.tsv",
                                     SF_VALUE_BUCKET_PAIR, 229};
static const struct vector sf19 = {"nn-1a298aa575a0", NULL, "sf19_1a298aa575a0.tsv",
                                   SF_VALUE_BUCKET, 392};

/* The games of traces.tsv move by move and back again, against fresh boards. */
static void trace_fresh(const plynnue_net *net)
{
    struct vectorfile v = vectors_open("traces.tsv");
    struct realnet_game game = {.depth = 0};
    struct position before;
    plynnue_acc *fresh;
    assert_int_equal(plynnue_acc_new(net, REALNET_PLIES, &game.acc, NULL), PLYNNUE_OK);
    assert_int_equal(plynnue_acc_new(net, 0, &fresh, NULL), PLYNNUE_OK);
    while (vectors_next(&v)) {
        struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
        struct plynnue_position board = vectors_board(v.column[3], pieces);
        int64_t ply = vectors_number(&v, 1);
        assert_int_equal(plynnue_acc_set(fresh, &board), PLYNNUE_OK);
        if (ply == 0) {
            realnet_unwind(&game);
            assert_int_equal(plynnue_acc_set(game.acc, &board), PLYNNUE_OK);
        } else {
            realnet_push(game.acc, &before, v.column[2]);
        }
        game.depth = (int)ply;
        game.values[ply] = plynnue_acc_eval(fresh, board.side);
        game.sides[ply] = board.side;
        if (ply % 3 != 1)
            assert_int_equal(plynnue_acc_eval(game.acc, board.side), game.values[ply]);
        realnet_position(v.column[3], &before);
    }
    realnet_unwind(&game);
    vectors_close(&v, 1818);
    plynnue_acc_free(game.acc);
    plynnue_acc_free(fresh);
}

static void test_real(void **state)
{
    const struct vector *vector = *state;
    for (int isa = PLYNNUE_ISA_AUTO; isa <= PLYNNUE_ISA_NEON; isa++) {
        plynnue_net *net = realnet_open(vector->net, vector->arch, (enum plynnue_isa)isa);
        if (net)
            sf_expect_file(net, vector->file, vector->columns, vector->lines);
        if (net && isa != PLYNNUE_ISA_SCALAR)
            trace_fresh(net);
        plynnue_net_close(net);
    }
}

static void test_traces(void **state)
{
    (void)state;
    for (int isa = PLYNNUE_ISA_AUTO; isa <= PLYNNUE_ISA_NEON; isa++) {
        plynnue_net *net = realnet_open("nn-ad9b42354671", "sf15.1", (enum plynnue_isa)isa);
        for (int every = 1; net && every < 8; every += 3)
            realnet_trace(net, 5, every);
        plynnue_net_close(net);
    }
}

/* A net made from the seed. file NULL: there are no lines, the net has to load. */
struct synthetic {
    enum synthetic_kind kind;
    uint32_t l1;
    const char *sha256, *arch, *file;
};

static const struct synthetic syn151 = {
    SYN_SF15_1, 1024, "5d2e5917365847e808390c35ac3b58a61aef22ea573814ee8254470c2b506af7", "sf15.1",
    NULL};
static const struct synthetic syn16 = {
    SYN_SF16, 1536, "562a8fa8156b6d5cf4c4b38a2c2cd9b7d5841ee80f7e0545ab72e90a5989a63d", NULL,
    "syn_sf16.tsv"};
static const struct synthetic small = {
    SYN_SMALL, 128, "53d6d47b63050cc886515c45eafe1b5147bf6f069644208121d17d9323149239", NULL, NULL};
static const struct synthetic syn17 = {
    SYN_SF17, 3072, "2b5f5d31329dd71fc5d50c77518f1f4665094ee1d7021f50dbf0e5a7cbd16dc6", NULL,
    "syn_sf17.tsv"};
static const struct synthetic syn18 = {
    SYN_SF18, 1024, "d736605f4788c859564dbf0d76525bb90a5ec15d9bf82f62ab0e6c0e7a6dd559", NULL,
    "syn_sf18.tsv"};

static struct buffer make_file(const struct synthetic *synthetic)
{
    struct synthetic_net *net = synthetic_sf_new(synthetic->kind, SYN_SEED, synthetic->l1, 8);
    struct buffer bytes =
        synthetic_sf_encode(net, SYN_SEED, synthetic_facts(synthetic->kind).packed);
    uint8_t digest[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    synthetic_sf_free(net);
    digest_bytes(bytes.data, bytes.length, digest);
    digest_to_hex(digest, sizeof digest, hex);
    assert_string_equal(hex, synthetic->sha256);
    return bytes;
}

static void test_synthetic(void **state)
{
    const struct synthetic *synthetic = *state;
    struct buffer bytes = make_file(synthetic);
    for (int isa = PLYNNUE_ISA_AUTO; isa <= PLYNNUE_ISA_NEON; isa++) {
        struct plynnue_options options = {sizeof options, synthetic->arch, (enum plynnue_isa)isa};
        struct plynnue_error error = {.text = ""};
        plynnue_net *net;
        int code = plynnue_net_from_memory(bytes.data, bytes.length, &options, &net, &error);
        if (code && code != PLYNNUE_EISA)
            fail_msg("%s", error.text);
        if (net && synthetic->file)
            sf_expect_file(net, synthetic->file, SF_BUCKET_PAIRS, 196);
        if (net && isa != PLYNNUE_ISA_SCALAR)
            trace_fresh(net);
        plynnue_net_close(net);
    }
    buffer_free(&bytes);
}

#define WITH(function, data)                                                                       \
    {                                                                                              \
#data, function, NULL, NULL, (void *)(uintptr_t) & (data)                                  \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(test_real, sf151),      WITH(test_real, sf151_more), cmocka_unit_test(test_traces),
        WITH(test_real, stress),     WITH(test_real, sf19),       WITH(test_synthetic, syn151),
        WITH(test_synthetic, syn16), WITH(test_synthetic, small), WITH(test_synthetic, syn17),
        WITH(test_synthetic, syn18),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
