/* SPDX-License-Identifier: MIT */
/*
 * The binpack format against files made by Stockfish's data tools: chains, chunks, limits, damage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "formats/chess/movegen.h"
#include "formats/codec_binpack.h"
#include "formats/codec_compare.h"
#include "formats/io/bytes.h"
#include "tests/unit/formats/codec_test.h"
#include "tests/unit/formats/sample_record.h"

#define VECTORS     "tests/data/vectors/"
#define HEAD_BYTES  8
#define STEM_BYTES  34 /* with the count */
#define RECORDS_MAX 320
#define ENOUGH      (1u << 20)

static const struct codec_options chained = {.score_scale = 1.0, .validate = true, .chains = true};
static const struct codec_options single = {.score_scale = 1.0, .validate = true};
static const struct codec_options unchecked = {.score_scale = 1.0, .chains = true};

static size_t load_records(const struct codec *codec, const char *path,
                           struct record records[RECORDS_MAX])
{
    struct buffer bytes;
    struct error err = {0};
    codec_test_load(path, &bytes);
    long count =
        codec_test_decode(codec, &chained, bytes.data, bytes.length, records, RECORDS_MAX, &err);
    assert_string_equal(err.text, "");
    assert_true(count > 0);
    buffer_free(&bytes);
    return (size_t)count;
}

static void encode(const struct codec *codec, const struct record *records, size_t count,
                   const struct codec_options *options, struct buffer *out)
{
    buffer_init(out, CODEC_TEST_MAX);
    assert_int_equal(codec_test_encode(codec, options, records, count, out), CODEC_FITS);
}

static void assert_written_as(const struct codec *codec, const struct record *records, size_t count,
                              const char *path)
{
    struct buffer want, got;
    codec_test_load(path, &want);
    encode(codec, records, count, &chained, &got);
    assert_int_equal(got.length, want.length);
    assert_memory_equal(got.data, want.data, want.length);
    buffer_free(&want);
    buffer_free(&got);
}

static void reference_files_both_ways(void **state)
{
    static const char *const names[][2] = {
        {VECTORS "edge.in.plain", VECTORS "edge.binpack"},
        {VECTORS "games200.in.plain", VECTORS "games200.binpack"},
        {VECTORS "shuffled200.in.plain", VECTORS "shuffled200.binpack"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        struct record records[RECORDS_MAX];
        size_t count = load_records(&codec_plain, names[i][0], records);
        assert_written_as(&codec_binpack, records, count, names[i][1]);
        assert_int_equal(load_records(&codec_binpack, names[i][1], records), count);
        assert_written_as(&codec_plain, records, count, names[i][0]);
    }
}

/* From the description: a stem, and the first two positions that continue it. */
static void the_worked_example(void **state)
{
    static const uint8_t example[] = {
        0x42, 0x49, 0x4e, 0x50, 0x4e, 0x03, 0x00, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff,
        0xff, 0x2d, 0x84, 0x4a, 0xd2, 0x00, 0x00, 0x00, 0x00, 0x11, 0x11, 0x11, 0x11, 0x3e, 0x95,
        0x5b, 0xe3, 0x0c, 0x70, 0x00, 0x3c, 0x80, 0x00, 0x00, 0x00, 0x00, 0x0b, 0x42, 0x99};
    struct record records[3];
    struct buffer out;
    const char *const moves[3] = {"e2e4", "e7e5", "g1f3"};
    const int32_t scores[3] = {30, -25, 28};
    (void)state;
    records[0] = (struct record){.result = 1};
    position_start(&records[0].position);
    for (unsigned i = 0; i < 3; i++) {
        struct record *record = &records[i];
        if (i > 0) {
            *record = records[i - 1];
            position_make(&record->position, record->label.best_move, NULL);
        }
        record->ply = i;
        record->label.best_move = ucimove_parse(&record->position, moves[i], 4);
        record->label.final = (struct score){SCORE_CP, scores[i]};
    }
    encode(&codec_binpack, records, 3, &chained, &out);
    /* 34 bytes of stem, 10 + 12 bits: chunk size, chain length and the last bits are others here.
     */
    assert_int_equal(out.length, HEAD_BYTES + STEM_BYTES + 3);
    assert_memory_equal(out.data, example, 4);
    assert_memory_equal(out.data + HEAD_BYTES, example + HEAD_BYTES, 32);
    assert_int_equal((uint8_t)out.data[HEAD_BYTES + 33], 2);
    assert_memory_equal(out.data + HEAD_BYTES + STEM_BYTES, example + HEAD_BYTES + STEM_BYTES, 2);
    assert_int_equal((uint8_t)out.data[out.length - 1], 0x30); /* 001100 of 0 0110 */
    buffer_free(&out);
}

static void without_chains_34_bytes_each(void **state)
{
    struct record records[RECORDS_MAX], back[RECORDS_MAX];
    struct error err = {0};
    struct buffer out;
    size_t count = load_records(&codec_plain, VECTORS "games200.in.plain", records);
    (void)state;
    encode(&codec_binpack, records, count, &single, &out);
    assert_int_equal(out.length, HEAD_BYTES + STEM_BYTES * count);
    assert_int_equal(
        codec_test_decode(&codec_binpack, &chained, out.data, out.length, back, RECORDS_MAX, &err),
        count);
    for (size_t i = 0; i < count; i++)
        assert_true(same_record(&back[i], &records[i]));
    buffer_free(&out);
}

static void files_behind_one_another(void **state)
{
    struct record records[RECORDS_MAX];
    struct error err = {0};
    struct buffer all, part;
    (void)state;
    codec_test_load(VECTORS "edge.binpack", &all);
    codec_test_load(VECTORS "games200.binpack", &part);
    assert_int_equal(buffer_append(&all, part.data, part.length, &err), 0);
    assert_int_equal(codec_test_decode(&codec_binpack, &chained, all.data, all.length, records,
                                       RECORDS_MAX, &err),
                     306);
    buffer_free(&all);
    buffer_free(&part);
}

static void nothing_gives_nothing(void **state)
{
    struct buffer out;
    struct record record;
    struct error err = {0};
    (void)state;
    encode(&codec_binpack, NULL, 0, &chained, &out);
    assert_int_equal(out.length, 0);
    assert_int_equal(codec_test_decode(&codec_binpack, &chained, "", 0, &record, 1, &err), 0);
    assert_int_equal(
        codec_test_decode(&codec_binpack, &chained, "BINP\0\0\0\0BINP\0\0\0", 16, &record, 1, &err),
        0);
    buffer_free(&out);
}

/* A position, its move and a fitting rest. */
static void make_record(struct record *record, const char *fen, const char *uci)
{
    *record = (struct record){.ply = 6, .result = 1, .source = SOURCE_INPUT};
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &record->position, NULL),
                     FEN_OK);
    record->label.best_move = ucimove_parse(&record->position, uci, strlen(uci));
    assert_int_not_equal(record->label.best_move, MOVE_NONE);
    record->label.final = (struct score){SCORE_CP, 12};
}

/* The position after its move, with that move in it. */
static void follow(const struct record *record, const char *uci, struct record *next)
{
    *next = *record;
    position_make(&next->position, record->label.best_move, NULL);
    next->ply++;
    next->position.fullmove = (uint16_t)(next->ply / 2 + 1);
    next->label.best_move = ucimove_parse(&next->position, uci, strlen(uci));
    assert_int_not_equal(next->label.best_move, MOVE_NONE);
}

/* Both records come back; the bytes that they take without the head of the chunk. */
static size_t size_of_two(const struct record *one, const struct record *two)
{
    struct record records[2] = {*one, *two}, back[2];
    struct error err = {0};
    struct buffer out;
    encode(&codec_binpack, records, 2, &unchecked, &out);
    assert_int_equal(
        codec_test_decode(&codec_binpack, &unchecked, out.data, out.length, back, 2, &err), 2);
    for (unsigned i = 0; i < 2; i++) {
        const char *difference =
            codec_find_difference(&back[i], &records[i], codec_binpack.fields, &chained);
        if (difference != NULL)
            fail_msg("record %u: %s", i, difference);
    }
    size_t size = out.length - HEAD_BYTES;
    buffer_free(&out);
    return size;
}

static void moves_of_all_kinds(void **state)
{
    static const struct {
        const char *fen, *first, *second;
    } cases[] = {
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 4", "g1f3", "b8c6"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4", "e1g1", "e8c8"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4", "e1c1", "e8g8"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w Kk - 3 4", "e1e2", "e8g8"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4", "a1a8", "e8e7"}, /* takes a right */
        {"4k3/2p5/8/3P4/8/8/8/4K3 b - - 0 4", "c7c5", "d5c6"},    /* en passant */
        {"4k3/8/8/8/2p1p3/8/3P4/4K3 w - - 0 4", "d2d4", "c4d3"},
        {"4k3/8/8/8/2p1p3/8/3P4/4K3 w - - 0 4", "d2d4", "e4d3"},
        {"4k3/8/8/8/2p1p3/8/3P4/4K3 w - - 0 4", "d2d4", "e4e3"},
        {"8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 4", "e2e4", "a4b5"}, /* pinned: no en passant */
        {"2n1n3/3P4/8/8/8/7k/3p4/2N1N1K1 w - - 0 4", "g1h1", "d2e1q"},
        {"2n1n3/3P4/8/8/8/7k/3p4/2N1N1K1 w - - 0 4", "d7c8n", "d2c1b"},
        {"2n1n3/3P4/8/8/8/7k/3p4/2N1N1K1 w - - 0 4", "d7d8r", "d2d1n"},
        {"7k/8/8/3Q4/8/8/8/K6q w - - 65534 4", "d5h1", "h8g8"},
        {"7k/8/8/3Q4/8/8/8/K7 w - - 65534 4", "d5d1", "h8g8"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record one, two, flipped[2];
        make_record(&one, cases[i].fen, cases[i].first);
        follow(&one, cases[i].second, &two);
        two.label.final.value = -11;
        assert_in_range(size_of_two(&one, &two), STEM_BYTES + 1, STEM_BYTES + 3);
        flip_record(&one, &flipped[0]);
        flip_record(&two, &flipped[1]);
        assert_in_range(size_of_two(&flipped[0], &flipped[1]), STEM_BYTES + 1, STEM_BYTES + 3);
    }
}

static void what_breaks_a_chain(void **state)
{
    struct record one, two, other;
    (void)state;
    make_record(&one, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4", "a1b1");
    follow(&one, "h8g8", &two);
    assert_in_range(size_of_two(&one, &two), STEM_BYTES + 1, STEM_BYTES + 3);
    other = two;
    other.ply += 1;
    assert_int_equal(size_of_two(&one, &other), 2 * STEM_BYTES);
    other = two;
    other.result = -1;
    assert_int_equal(size_of_two(&one, &other), 2 * STEM_BYTES);
    other = two;
    other.position.halfmove = 0;
    assert_int_equal(size_of_two(&one, &other), 2 * STEM_BYTES);
    other = two;
    other.position.rook[BLACK][QUEEN_SIDE] = SQUARE_NONE;
    assert_int_equal(size_of_two(&one, &other), 2 * STEM_BYTES);
    other = two;
    position_put(&other.position, PAWN, 20);
    assert_int_equal(size_of_two(&one, &other), 2 * STEM_BYTES);
    other = one;
    other.label.best_move = move_make(0, 2, MOVE_NORMAL); /* another move than the one made */
    assert_int_equal(size_of_two(&other, &two), 2 * STEM_BYTES);
    other.label.best_move = move_make(0, 34, MOVE_NORMAL); /* none at all */
    assert_int_equal(size_of_two(&other, &two), 2 * STEM_BYTES);
    other = two;
    other.label.best_move = move_make(63, 34, MOVE_NORMAL);
    assert_int_equal(size_of_two(&one, &other), 2 * STEM_BYTES);
}

/* Without checks a move may castle over pieces or take the king: nothing can follow it. */
static void moves_that_cannot_be_made(void **state)
{
    struct record one, two;
    (void)state;
    make_record(&one, "r3k2r/8/8/8/8/8/8/R3K1NR w KQkq - 3 4", "a1b1");
    follow(&one, "h8g8", &two);
    one.label.best_move = move_make(4, 7, MOVE_CASTLING);
    assert_int_equal(size_of_two(&one, &two), 2 * STEM_BYTES);
    one.label.best_move = move_make(0, 60, MOVE_NORMAL);
    assert_int_equal(size_of_two(&one, &two), 2 * STEM_BYTES);
    assert_true(binpack_move_is_known(&one.position, move_make(4, 7, MOVE_CASTLING)));
    assert_false(binpack_move_is_sound(&one.position, move_make(4, 7, MOVE_CASTLING)));
    assert_true(binpack_move_is_sound(&one.position, move_make(4, 0, MOVE_CASTLING)));
}

/* All moves that text can name, of all positions of the references, as text and back. */
static void every_move_as_text(void **state)
{
    struct record records[RECORDS_MAX];
    struct error err = {0};
    size_t count = load_records(&codec_binpack, VECTORS "edge.binpack", records);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        const struct position *position = &records[i].position;
        uint16_t legal[MOVES_MAX];
        unsigned known = 0, legal_count = movegen_legal(position, legal);
        for (unsigned move = 0; move < 65536; move++) {
            struct binpack_text text;
            uint16_t back;
            int16_t change = (int16_t)(uint16_t)(move * 40503u), change_back;
            if (!binpack_text_encode(position, (uint16_t)move, change, &text))
                continue;
            known++;
            assert_true(text.count <= BINPACK_TEXT_MAX);
            uint64_t window = (uint64_t)text.bits << (64 - text.count);
            assert_int_equal(binpack_text_decode(position, window, &back, &change_back, &err),
                             text.count);
            assert_int_equal(back, move);
            assert_int_equal(change_back, change);
        }
        assert_true(known >= legal_count);
        for (unsigned j = 0; j < legal_count; j++)
            assert_true(binpack_move_is_known(position, legal[j]) &&
                        binpack_move_is_sound(position, legal[j]));
    }
}

static void scores_wrap_and_come_back(void **state)
{
    static const int32_t values[] = {32767, -32767, 0, 1, -1, 16384, -16384, 32001, -32001, 7};
    struct record one, two;
    (void)state;
    make_record(&one, "7k/8/8/3Q4/8/8/8/K7 w - - 9 4", "d5d1");
    follow(&one, "h8g8", &two);
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        for (unsigned j = 0; j < sizeof values / sizeof *values; j++) {
            one.label.final.value = values[i];
            two.label.final.value = values[j];
            assert_in_range(size_of_two(&one, &two), STEM_BYTES + 1, STEM_BYTES + 3);
        }
    }
}

static enum codec_misfit misfit_of(const struct record *record)
{
    struct buffer out;
    buffer_init(&out, CODEC_TEST_MAX);
    enum codec_misfit misfit = codec_test_encode(&codec_binpack, &chained, record, 1, &out);
    assert_int_equal(out.length, misfit == CODEC_FITS ? HEAD_BYTES + STEM_BYTES : 0);
    buffer_free(&out);
    return misfit;
}

static enum codec_misfit misfit_of_score(int32_t value)
{
    struct record record;
    make_record(&record, "7k/8/8/3Q4/8/8/8/K7 w - - 9 4", "d5d1");
    record.label.final.value = value;
    return misfit_of(&record);
}

static void misfits(void **state)
{
    struct record good, record;
    (void)state;
    assert_int_equal(misfit_of_score(32767), CODEC_FITS);
    assert_int_equal(misfit_of_score(32768), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(-32767), CODEC_FITS);
    assert_int_equal(misfit_of_score(-32768), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(32002), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(-32002), CODEC_SCORE_RANGE);
    make_record(&good, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 65535 65535", "e1g1");
    good.ply = 16383;
    assert_int_equal(misfit_of(&good), CODEC_FITS);
    record = good;
    record.ply = 16384;
    assert_int_equal(misfit_of(&record), CODEC_PLY_RANGE);
    record.ply = UINT32_MAX;
    assert_int_equal(misfit_of(&record), CODEC_PLY_RANGE);
    record = good;
    record.result = 2;
    assert_int_equal(misfit_of(&record), CODEC_NO_RESULT);
    record = good;
    record.label.best_move = MOVE_NONE;
    assert_int_equal(misfit_of(&record), CODEC_NO_MOVE);
    record = good;
    record.label.final.kind = SCORE_MATE;
    assert_int_equal(misfit_of(&record), CODEC_MATE_SCORE);
    record = good;
    record.label.final = (struct score){SCORE_NONE, 0};
    assert_int_equal(misfit_of(&record), CODEC_NO_SCORE);
    make_record(&record, "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 3 9", "e1b1");
    assert_int_equal(misfit_of(&record), CODEC_CHESS960);
    make_record(&record, "r3k2r/8/8/8/8/8/8/R4K1R b kq - 3 9", "e8c8");
    record.position.chess960 = true; /* of such a game, and these rights can be said */
    assert_int_equal(misfit_of(&record), CODEC_FITS);
}

/* One record between two that would be a chain does not fit: three files' worth of one. */
static void a_misfit_breaks_the_chain_only(void **state)
{
    struct record records[4], back[4];
    struct error err = {0};
    struct buffer out;
    (void)state;
    make_record(&records[0], "7k/8/8/3Q4/8/8/8/K7 w - - 9 4", "d5d1");
    follow(&records[0], "h8g8", &records[1]);
    follow(&records[1], "d1d2", &records[2]);
    follow(&records[2], "g8h8", &records[3]);
    records[1].label.final.kind = SCORE_MATE;
    buffer_init(&out, CODEC_TEST_MAX);
    assert_int_equal(codec_test_encode(&codec_binpack, &chained, records, 4, &out),
                     CODEC_MATE_SCORE);
    assert_int_equal(
        codec_test_decode(&codec_binpack, &chained, out.data, out.length, back, 4, &err), 3);
    assert_true(same_record(&back[0], &records[0]));
    assert_true(same_record(&back[1], &records[2]));
    assert_true(same_record(&back[2], &records[3]));
    buffer_free(&out);
}

static void colours_flipped_the_mover_sees_the_same(void **state)
{
    struct record records[RECORDS_MAX], back[RECORDS_MAX];
    struct error err = {0};
    struct buffer out;
    size_t count = load_records(&codec_binpack, VECTORS "edge.binpack", records);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        struct record flipped;
        flip_record(&records[i], &flipped);
        records[i] = flipped;
    }
    encode(&codec_binpack, records, count, &single, &out);
    struct buffer bytes;
    codec_test_load(VECTORS "edge.bin", &bytes); /* what the side to move sees: bytes 32 to 38 */
    for (size_t i = 0; i < count; i++) {
        const uint8_t *stem = (const uint8_t *)out.data + HEAD_BYTES + STEM_BYTES * i;
        const uint8_t *bin = (const uint8_t *)bytes.data + 40 * i;
        assert_int_equal(stem[26] << 8 | stem[27],
                         binpack_zigzag((int16_t)bytes_get_u16(bin + 32)));
        assert_int_equal(stem[28] << 8 | stem[29],
                         binpack_zigzag((int8_t)bin[38]) << 14 | bytes_get_u16(bin + 36));
    }
    assert_int_equal(
        codec_test_decode(&codec_binpack, &chained, out.data, out.length, back, RECORDS_MAX, &err),
        count);
    for (size_t i = 0; i < count; i++)
        assert_true(same_record(&back[i], &records[i]));
    buffer_free(&bytes);
    buffer_free(&out);
}

/* The longest game that plies allow is one chain. */
static void the_longest_chain(void **state)
{
    enum { PLIES = BINPACK_PLY_MAX + 1 };
    static const char *const moves[4] = {"g1f3", "g8f6", "f3g1", "f6g8"};
    struct record *records = calloc(PLIES + 1, sizeof *records);
    struct record *back = calloc(PLIES, sizeof *back);
    struct error err = {0};
    struct buffer out;
    (void)state;
    assert_non_null(records);
    assert_non_null(back);
    make_record(&records[0], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", moves[0]);
    records[0].ply = 0;
    for (unsigned i = 1; i <= PLIES; i++)
        follow(&records[i - 1], moves[i % 4], &records[i]);
    buffer_init(&out, CODEC_TEST_MAX);
    assert_int_equal(codec_test_encode(&codec_binpack, &chained, records, PLIES + 1, &out),
                     CODEC_PLY_RANGE);
    assert_int_equal((uint8_t)out.data[HEAD_BYTES + 32] << 8 | (uint8_t)out.data[HEAD_BYTES + 33],
                     PLIES - 1);
    assert_int_equal(
        codec_test_decode(&codec_binpack, &chained, out.data, out.length, back, PLIES, &err),
        PLIES);
    for (size_t i = 0; i < PLIES; i++)
        assert_true(same_record(&back[i], &records[i]));
    buffer_free(&out);
    free(records);
    free(back);
}

/* A chunk takes chains while it holds less than 1 MiB. */
static void chunks_are_closed(void **state)
{
    const size_t full = (ENOUGH + STEM_BYTES - 1) / STEM_BYTES;
    struct record *records = calloc(2 * full + 1, sizeof *records);
    struct buffer out;
    (void)state;
    assert_non_null(records);
    for (size_t i = 0; i < 2 * full + 1; i++)
        make_record(&records[i], "7k/8/8/3Q4/8/8/8/K7 w - - 9 4", "d5d1");
    encode(&codec_binpack, records, full, &chained, &out);
    assert_int_equal(out.length, HEAD_BYTES + full * STEM_BYTES);
    buffer_free(&out);
    encode(&codec_binpack, records, 2 * full + 1, &chained, &out);
    assert_int_equal(out.length, 3 * HEAD_BYTES + (2 * full + 1) * STEM_BYTES);
    const char *chunk = out.data;
    for (unsigned i = 0; i < 3; i++) {
        size_t size = (i < 2 ? full : 1) * STEM_BYTES;
        assert_memory_equal(chunk, "BINP", 4);
        assert_int_equal(bytes_get_u32((const uint8_t *)chunk + 4), size);
        chunk += HEAD_BYTES + size;
    }
    struct record *back = calloc(2 * full + 1, sizeof *back);
    struct error err = {0};
    assert_non_null(back);
    assert_int_equal(
        codec_test_decode(&codec_binpack, &chained, out.data, out.length, back, 2 * full + 1, &err),
        2 * full + 1);
    free(back);
    buffer_free(&out);
    free(records);
}

/* Damage. */

/* 8 bytes of head for the size, then that payload. */
static void make_chunk(const void *payload, size_t size, struct buffer *out)
{
    struct error err = {0};
    uint8_t head[HEAD_BYTES] = "BINP";
    bytes_put_u32(head + 4, (uint32_t)size);
    buffer_init(out, CODEC_TEST_MAX);
    assert_int_equal(buffer_append(out, head, sizeof head, &err), 0);
    assert_int_equal(buffer_append(out, payload, size, &err), 0);
}

static void assert_error_in(const struct buffer *bytes, const struct codec_options *options,
                            const char *words)
{
    struct record records[RECORDS_MAX];
    struct error err = {0};
    long count = codec_test_decode(&codec_binpack, options, bytes->data, bytes->length, records,
                                   RECORDS_MAX, &err);
    if (count != -1 || strstr(err.text, words) == NULL)
        fail_msg("'%s' where '%s' was expected", err.text, words);
}

static void assert_error(const void *payload, size_t size, const struct codec_options *options,
                         const char *words)
{
    struct buffer bytes;
    make_chunk(payload, size, &bytes);
    assert_error_in(&bytes, options, words);
    buffer_free(&bytes);
}

static void damaged_chunks(void **state)
{
    struct buffer bytes;
    (void)state;
    codec_test_load(VECTORS "games200.binpack", &bytes);
    for (unsigned i = 0; i < 4; i++) {
        bytes.data[i] ^= 1;
        assert_error_in(&bytes, &unchecked,
                        "test: record 1 (byte 0): the chunk does not begin with \"BINP\"");
        bytes.data[i] ^= 1;
    }
    uint8_t *size = (uint8_t *)bytes.data + 4;
    bytes_put_u32(size, (100u << 20) + 1);
    assert_error_in(&bytes, &unchecked, "the chunk claims 104857601 bytes, over 104857600");
    bytes_put_u32(size, 100u << 20);
    assert_error_in(&bytes, &unchecked, "the chunk claims 104857600 bytes and is cut after 1143");
    bytes_put_u32(size, 1143 + 1);
    assert_error_in(&bytes, &unchecked, "the chunk claims 1144 bytes and is cut after 1143");
    bytes_put_u32(size, 1143 - 1); /* its last byte is of move text */
    assert_error_in(&bytes, &unchecked, "runs over the end of its chunk");
    bytes_put_u32(size, 0);
    assert_error_in(&bytes, &unchecked, "test: record 1 (byte 8): the chunk does not begin with");
    bytes_put_u32(size, 1143);
    for (bytes.length = 1; bytes.length < 1151; bytes.length++)
        assert_error_in(&bytes, &unchecked,
                        bytes.length < HEAD_BYTES ? "bytes behind the last chunk" : "is cut after");
    buffer_free(&bytes);
}

static void stray_bytes(void **state)
{
    struct record record;
    struct buffer out;
    uint8_t payload[3 * STEM_BYTES] = {0};
    (void)state;
    make_record(&record, "7k/8/8/3Q4/8/8/8/K7 w - - 9 4", "d5d1");
    encode(&codec_binpack, &record, 1, &single, &out);
    memcpy(payload, out.data + HEAD_BYTES, STEM_BYTES);
    for (unsigned stray = 1; stray < STEM_BYTES; stray++)
        assert_error(payload, STEM_BYTES + stray, &unchecked, "stray bytes at the end of a chunk");
    assert_error(payload, STEM_BYTES + 3, &unchecked, "test: record 2 (byte 42): 3 stray bytes");
    assert_error(payload, STEM_BYTES - 1, &unchecked, "33 stray bytes");
    buffer_free(&out);
}

/* A stem with that many positions behind it, of which there is one: d5d1, then g8. */
static void two_in_a_chain(uint8_t payload[STEM_BYTES + 2])
{
    struct record records[2];
    struct buffer out;
    make_record(&records[0], "7k/8/8/3Q4/8/8/8/K7 w - - 9 4", "d5d1");
    follow(&records[0], "h8g8", &records[1]);
    records[1].label.final.value = -12;
    encode(&codec_binpack, records, 2, &chained, &out);
    /* One piece: no bits; g7, h7 and g8: 2 bits, number 2; no change: 5 bits; one bit of padding.
     */
    assert_int_equal(out.length, HEAD_BYTES + STEM_BYTES + 1);
    memcpy(payload, out.data + HEAD_BYTES, STEM_BYTES + 1);
    assert_int_equal(payload[STEM_BYTES], 2 << 6);
    buffer_free(&out);
}

static void damaged_chains(void **state)
{
    uint8_t payload[STEM_BYTES + 2] = {0};
    uint8_t *text = payload + STEM_BYTES;
    (void)state;
    two_in_a_chain(payload);
    assert_error(payload, STEM_BYTES, &unchecked, "the chain runs over the end of its chunk");
    text[0] |= 1;
    assert_error(payload, STEM_BYTES + 1, &unchecked,
                 "test: record 2 (byte 42): bits that are not zero behind the end of a chain");
    text[0] = 3 << 6;
    assert_error(payload, STEM_BYTES + 1, &unchecked, "move 4 of 3 of the piece on h8");
    text[0] = 2 << 6 | 1 << 5; /* one more block, of zeros */
    assert_error(payload, STEM_BYTES + 2, &unchecked, "a change of score with an empty last block");
    text[0] = 2 << 6;
    payload[33] = 2; /* and a second one behind it */
    assert_error(payload, STEM_BYTES + 1, &unchecked, "the chain runs over the end of its chunk");
    payload[33] = 1;
    payload[24] = payload[25] = 0; /* no move */
    assert_error(payload, STEM_BYTES + 1, &unchecked, "1 positions follow no move or a wrong one");
    payload[24] = 0x08; /* a3 */
    assert_error(payload, STEM_BYTES + 1, &unchecked, "1 positions follow no move or a wrong one");
}

static void more_damaged_chains(void **state)
{
    uint8_t payload[STEM_BYTES + 8] = {0};
    uint8_t *text = payload + STEM_BYTES;
    (void)state;
    two_in_a_chain(payload);
    memset(text, 0xff, 4); /* piece: no bits; move 1, blocks without an end */
    text[0] = 0x7f;
    assert_error(payload, STEM_BYTES + 8, &unchecked, "a change of score in more than 16 bits");
    struct record records[2];
    struct buffer out;
    make_record(&records[0], "6kr/8/8/8/3Q4/8/8/K7 w - - 9 4", "d4d1");
    follow(&records[0], "h8h7", &records[1]);
    position_put(&records[0].position, PAWN + 6, 55); /* three pieces: two bits */
    position_put(&records[1].position, PAWN + 6, 55);
    records[1].label.best_move = move_make(55, 47, MOVE_NORMAL);
    encode(&codec_binpack, records, 2, &chained, &out);
    assert_int_equal(out.length, HEAD_BYTES + STEM_BYTES + 2);
    out.data[HEAD_BYTES + STEM_BYTES] |= (char)0xc0;
    assert_error_in(&out, &unchecked, "piece 4 of 3");
    buffer_free(&out);
}

/* A king that is taken, or castling over a piece, ends what can follow. */
static void moves_that_cannot_be_followed(void **state)
{
    struct record record;
    uint8_t payload[STEM_BYTES + 4] = {0};
    struct buffer out;
    (void)state;
    make_record(&record, "r3k2r/8/8/8/8/8/8/R3K1NR w KQkq - 3 4", "a1b1");
    record.label.best_move = move_make(4, 7, MOVE_CASTLING);
    encode(&codec_binpack, &record, 1, &single, &out);
    memcpy(payload, out.data + HEAD_BYTES, STEM_BYTES);
    buffer_free(&out);
    assert_error(payload, STEM_BYTES, &single, "illegal move 'e1h1' (kind 3)");
    payload[33] = 1;
    assert_error(payload, sizeof payload, &unchecked, "follow a move that cannot be made");
    make_record(&record, "4k3/8/8/8/8/8/8/4K2R w K - 3 4", "e1g1");
    position_remove(&record.position, 60);
    position_put(&record.position, KING + 6, 63);
    encode(&codec_binpack, &record, 1, &single, &out);
    memcpy(payload, out.data + HEAD_BYTES, STEM_BYTES);
    buffer_free(&out);
    assert_error(payload, STEM_BYTES, &single, "the side to move could take the king");
    payload[24] = 7;
    payload[25] = 63 << 2;
    payload[33] = 1;
    assert_error(payload, sizeof payload, &unchecked, "follow a move that cannot be made");
}

/* The stem of a position with a nibble changed. */
static void assert_bad_stem(const char *fen, const char *uci, unsigned nibble, unsigned code,
                            const char *words)
{
    struct record record;
    struct buffer out;
    make_record(&record, fen, uci);
    encode(&codec_binpack, &record, 1, &single, &out);
    uint8_t *at = (uint8_t *)out.data + HEAD_BYTES + 8 + nibble / 2;
    *at = (uint8_t)(nibble % 2 ? (*at & 15) | code << 4 : (*at & 0xf0) | code);
    assert_error_in(&out, &unchecked, words);
    buffer_free(&out);
}

static void damaged_stems(void **state)
{
    static const char start[] = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    static const char few[] = "6k1/8/8/8/3Q4/8/8/K6R w - - 9 4"; /* K, R, Q, k */
    (void)state;
    assert_bad_stem(few, "d4d1", 0, 0, "impossible board");   /* no king */
    assert_bad_stem(few, "d4d1", 1, 10, "impossible board");  /* two */
    assert_bad_stem(few, "d4d1", 3, 8, "impossible board");   /* no black one */
    assert_bad_stem(few, "d4d1", 1, 1, "impossible board");   /* a pawn on h1 */
    assert_bad_stem(start, "e2e4", 8, 1, "impossible board"); /* 17 black ones */
    assert_bad_stem(few, "d4d1", 4, 1, "codes of more pieces than there are");
    assert_bad_stem(few, "d4d1", 31, 1, "codes of more pieces than there are");
    assert_bad_stem(few, "d4d1", 1, 12, "a pawn after a double step (code 12) on h1");
    assert_bad_stem(few, "d4d1", 2, 13, "a white castling rook (code 13) on d4");
    assert_bad_stem(few, "d4d1", 2, 14, "a black castling rook (code 14) on d4");
    assert_bad_stem(few, "d4d1", 1, 14, "a black castling rook (code 14) on h1");
    assert_bad_stem(few, "d4d1", 1, 13, "a castling right of White without its king on e1");
    assert_bad_stem(few, "d4d1", 2, 12, "an impossible en passant square, d3"); /* White moves */
}

static void more_damaged_stems(void **state)
{
    static const char pawns[] = "4k3/8/8/3pP3/3P4/8/8/4K3 w - d6 0 4"; /* K, P d4, p d5, P e5, k */
    static const char middle[] = "4k3/8/8/8/2P5/2n5/8/4K3 b - - 3 4";
    uint8_t payload[STEM_BYTES];
    (void)state;
    assert_bad_stem(pawns, "e5d6", 1, 12, "a pawn after a double step (code 12) on d5");
    assert_bad_stem(pawns, "e5d6", 4, 15, "an impossible en passant square, d6");
    assert_bad_stem(middle, "c3b1", 2, 12, "an impossible en passant square, c3");
    uint8_t chain[STEM_BYTES + 2] = {0};
    two_in_a_chain(chain);
    memcpy(payload, chain, sizeof payload);
    payload[33] = 0;
    payload[28] |= 0xc0;
    assert_error(payload, sizeof payload, &unchecked, "result -2 is not -1, 0 or 1");
    payload[28] &= 0x3f;
    payload[25] |= 3;
    assert_error(payload, sizeof payload, &unchecked, "promotes and is no promotion");
    memset(payload, 0xff, 8);
    assert_error(payload, sizeof payload, &unchecked, "more");
}

static void only_checked_when_asked(void **state)
{
    struct record record, back;
    struct error err = {0};
    struct buffer out;
    (void)state;
    make_record(&record, "7k/8/8/3Q4/8/8/8/K7 w - - 9 4", "d5d1");
    record.label.best_move = move_make(35, 18, MOVE_NORMAL);
    encode(&codec_binpack, &record, 1, &unchecked, &out);
    assert_int_equal(
        codec_test_decode(&codec_binpack, &unchecked, out.data, out.length, &back, 1, &err), 1);
    assert_int_equal(back.label.best_move, record.label.best_move);
    assert_error_in(&out, &single, "illegal move 'd5c3' (kind 0)");
    buffer_free(&out);
}

/* Records that were read are written and read again the same. */
static void check_again(const struct record *records, size_t count)
{
    struct record back[RECORDS_MAX];
    struct error err = {0};
    struct buffer out;
    buffer_init(&out, CODEC_TEST_MAX);
    if (codec_test_encode(&codec_binpack, &unchecked, records, count, &out) == CODEC_FITS) {
        assert_int_equal(codec_test_decode(&codec_binpack, &unchecked, out.data, out.length, back,
                                           RECORDS_MAX, &err),
                         count);
        for (size_t i = 0; i < count; i++)
            assert_null(
                codec_find_difference(&back[i], &records[i], codec_binpack.fields, &unchecked));
    }
    buffer_free(&out);
}

/*
 * Every bit of a file flipped, one at a time. The format holds next to nothing twice, so not all
 * of them show; none does harm, and every one in the head of a chunk or in the unused ones shows.
 */
static void flipped_bits(void **state)
{
    struct record *records = calloc(RECORDS_MAX, sizeof *records);
    struct buffer bytes;
    unsigned refused = 0, refused_checked = 0;
    (void)state;
    assert_non_null(records);
    codec_test_load(VECTORS "edge.binpack", &bytes);
    for (size_t bit = 0; bit < 8 * bytes.length; bit++) {
        struct error err = {0};
        bytes.data[bit / 8] ^= (char)(1 << bit % 8);
        long count = codec_test_decode(&codec_binpack, &unchecked, bytes.data, bytes.length,
                                       records, RECORDS_MAX, &err);
        assert_true(count < 0 || bit >= 8 * HEAD_BYTES);
        refused += count < 0;
        if (count > 0)
            check_again(records, (size_t)count);
        refused_checked += codec_test_decode(&codec_binpack, &single, bytes.data, bytes.length,
                                             records, RECORDS_MAX, &err) < 0;
        bytes.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    assert_true(refused_checked >= refused);
    assert_true(refused > 8 * bytes.length / 3);
    buffer_free(&bytes);
    free(records);
}

static void the_table_has_it(void **state)
{
    (void)state;
    assert_ptr_equal(codec_find("binpack"), &codec_binpack);
    assert_ptr_equal(codec_of_path("train.binpack"), &codec_binpack);
    assert_true(codec_binpack.internal_unit);
    assert_false(codec_binpack.compress);
    assert_false(codec_binpack.fields & (CODEC_HOLDS_FULLMOVE | CODEC_HOLDS_CHESS960));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_files_both_ways),
        cmocka_unit_test(the_worked_example),
        cmocka_unit_test(without_chains_34_bytes_each),
        cmocka_unit_test(files_behind_one_another),
        cmocka_unit_test(nothing_gives_nothing),
        cmocka_unit_test(moves_of_all_kinds),
        cmocka_unit_test(what_breaks_a_chain),
        cmocka_unit_test(moves_that_cannot_be_made),
        cmocka_unit_test(every_move_as_text),
        cmocka_unit_test(scores_wrap_and_come_back),
        cmocka_unit_test(misfits),
        cmocka_unit_test(a_misfit_breaks_the_chain_only),
        cmocka_unit_test(colours_flipped_the_mover_sees_the_same),
        cmocka_unit_test(the_longest_chain),
        cmocka_unit_test(chunks_are_closed),
        cmocka_unit_test(damaged_chunks),
        cmocka_unit_test(stray_bytes),
        cmocka_unit_test(damaged_chains),
        cmocka_unit_test(more_damaged_chains),
        cmocka_unit_test(moves_that_cannot_be_followed),
        cmocka_unit_test(damaged_stems),
        cmocka_unit_test(more_damaged_stems),
        cmocka_unit_test(only_checked_when_asked),
        cmocka_unit_test(flipped_bits),
        cmocka_unit_test(the_table_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
