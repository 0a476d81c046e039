/* SPDX-License-Identifier: MIT */
/*
 * The bin format against files made by Stockfish's data tools, and against a packer that follows
 * the description bit by bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "formats/io/bytes.h"
#include "tests/unit/formats/codec_test.h"
#include "tests/unit/formats/sample_record.h"

#define VECTORS      "tests/data/vectors/"
#define RECORD_BYTES 40
#define AT_PADDING   39
#define RECORDS_MAX  200

static const struct codec_options checked = {.score_scale = 1.0, .validate = true};
static const struct codec_options unchecked = {.score_scale = 1.0};

static size_t load_records(const struct codec *codec, const char *path,
                           struct record records[RECORDS_MAX])
{
    struct buffer bytes;
    struct error err = {0};
    codec_test_load(path, &bytes);
    long count =
        codec_test_decode(codec, &checked, bytes.data, bytes.length, records, RECORDS_MAX, &err);
    assert_string_equal(err.text, "");
    assert_true(count > 0);
    buffer_free(&bytes);
    return (size_t)count;
}

/* Records written in that format are the bytes of the file, padding aside. */
static void assert_written_as(const struct codec *codec, const struct record *records, size_t count,
                              const char *path)
{
    struct buffer want, got;
    codec_test_load(path, &want);
    buffer_init(&got, CODEC_TEST_MAX);
    assert_int_equal(codec_test_encode(codec, &checked, records, count, &got), CODEC_FITS);
    assert_int_equal(got.length, want.length);
    for (size_t i = AT_PADDING; codec == &codec_bin && i < want.length; i += RECORD_BYTES) {
        assert_int_equal(got.data[i], 0);
        want.data[i] = 0;
    }
    assert_memory_equal(got.data, want.data, want.length);
    buffer_free(&want);
    buffer_free(&got);
}

static void reference_files_both_ways(void **state)
{
    static const char *const names[][2] = {
        {VECTORS "edge.in.plain", VECTORS "edge.bin"},
        {VECTORS "games200.in.plain", VECTORS "games200.bin"},
        {VECTORS "shuffled200.in.plain", VECTORS "shuffled200.bin"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        struct record records[RECORDS_MAX];
        size_t count = load_records(&codec_plain, names[i][0], records);
        assert_written_as(&codec_bin, records, count, names[i][1]);
        assert_int_equal(load_records(&codec_bin, names[i][1], records), count);
        assert_written_as(&codec_plain, records, count, names[i][0]);
    }
}

/* From the description of the format: the start position, e2e4, score 30, the side to move wins. */
static void the_worked_example(void **state)
{
    static const uint8_t example[RECORD_BYTES] = {
        0x08, 0xfe, 0xce, 0x9a, 0xeb, 0xbc, 0x31, 0xc6, 0x18, 0x63, 0x8c, 0x00, 0x00, 0x00,
        0x00, 0x21, 0x84, 0x10, 0x42, 0x08, 0x67, 0x94, 0x54, 0xc6, 0x79, 0x40, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x1e, 0x00, 0x1c, 0x03, 0x00, 0x00, 0x01, 0xff};
    struct record record, want = {.result = 1, .source = SOURCE_INPUT};
    struct error err = {0};
    (void)state;
    position_start(&want.position);
    want.label.best_move = move_make(12, 28, MOVE_NORMAL);
    want.label.final = (struct score){SCORE_CP, 30};
    assert_int_equal(
        codec_test_decode(&codec_bin, &checked, example, RECORD_BYTES, &record, 1, &err), 1);
    assert_true(same_record(&record, &want));
}

/* The description, bit by bit. */

struct bits {
    uint8_t bytes[RECORD_BYTES];
    unsigned count;
};

static void put(struct bits *bits, unsigned value, unsigned count)
{
    for (unsigned i = 0; i < count; i++, bits->count++)
        bits->bytes[bits->count / 8] |= (uint8_t)((i < 32 ? value >> i & 1 : 0) << bits->count % 8);
}

static void put_square(struct bits *bits, const struct position *position, unsigned square)
{
    unsigned piece = position->board[square];
    if (piece == PIECE_NONE) {
        put(bits, 0, 1);
    } else if (piece % 6 != KING) {
        put(bits, 1, 1);
        put(bits, piece % 6, 3);
        put(bits, piece / 6, 1);
    }
}

static void put_position(struct bits *bits, const struct position *position)
{
    put(bits, position->side, 1);
    put(bits, position_king(position, WHITE), 6);
    put(bits, position_king(position, BLACK), 6);
    for (int rank = 7; rank >= 0; rank--)
        for (int file = 0; file < 8; file++)
            put_square(bits, position, (unsigned)(8 * rank + file));
    for (unsigned right = 0; right < 4; right++)
        put(bits, position->rook[right / 2][right % 2] != SQUARE_NONE, 1);
    put(bits, position->ep != SQUARE_NONE, 1);
    if (position->ep != SQUARE_NONE)
        put(bits, position->ep, 6);
    put(bits, position->halfmove & 63, 6);
    put(bits, position->fullmove, 16);
    put(bits, position->halfmove >> 6, 1);
}

static void set_fen(struct record *record, const char *fen)
{
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &record->position, NULL),
                     FEN_OK);
}

static void set_uci(struct record *record, const char *uci)
{
    record->label.best_move = ucimove_parse(&record->position, uci, strlen(uci));
    assert_int_not_equal(record->label.best_move, MOVE_NONE);
}

/* A record that fits, with that position and move. */
static void make_record(struct record *record, const char *fen, const char *uci)
{
    *record = (struct record){.ply = 7, .source = SOURCE_INPUT};
    set_fen(record, fen);
    set_uci(record, uci);
    record->label.final = (struct score){SCORE_CP, 12};
}

static enum codec_misfit encode_one(const struct record *record,
                                    const struct codec_options *options,
                                    uint8_t bytes[RECORD_BYTES])
{
    struct buffer out;
    buffer_init(&out, RECORD_BYTES);
    enum codec_misfit misfit = codec_test_encode(&codec_bin, options, record, 1, &out);
    assert_int_equal(out.length, misfit == CODEC_FITS ? RECORD_BYTES : 0);
    if (misfit == CODEC_FITS)
        memcpy(bytes, out.data, RECORD_BYTES);
    buffer_free(&out);
    return misfit;
}

/* NULL, or the error. */
static const char *decode_one(const uint8_t bytes[RECORD_BYTES],
                              const struct codec_options *options, struct record *record)
{
    static struct error err;
    err = (struct error){0};
    long count = codec_test_decode(&codec_bin, options, bytes, RECORD_BYTES, record, 1, &err);
    return count == 1 ? NULL : err.text;
}

/* Written as the description says, and read back whole. */
static void check_one(const struct record *record)
{
    uint8_t bytes[RECORD_BYTES];
    struct bits bits = {{0}, 0};
    struct record back;
    assert_int_equal(encode_one(record, &unchecked, bytes), CODEC_FITS);
    put_position(&bits, &record->position);
    assert_true(bits.count <= 229);
    assert_memory_equal(bytes, bits.bytes, 32);
    assert_null(decode_one(bytes, &checked, &back));
    assert_true(same_record(&back, record));
}

static void positions_of_all_kinds(void **state)
{
    static const char *const cases[][2] = {
        {"8/8/8/8/8/8/k7/7K w - - 0 1", "h1h2"},
        {"7k/8/8/8/8/8/8/K7 b - - 127 65535", "h8g8"},
        {"7K/8/8/8/8/8/8/k7 w - - 64 256", "h8g8"},
        {"k6K/8/8/8/8/8/8/8 w - - 63 255", "h8g8"},
        {"8/8/8/8/8/8/8/k6K w - - 0 1", "h1h2"},
        {"8/8/8/8/8/7k/8/5K1B w - - 1 60", "h1a8"},
        {"B7/8/8/8/8/7k/8/5K2 w - - 1 60", "a8h1"},
        {"k7/8/8/8/8/8/8/6KR w - - 1 60", "h1h8"},
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "g1f3"},
        {"rnbqkbnr/pp1p1ppp/8/2pPp3/8/8/PPP1PPPP/RNBQKBNR w KQkq e6 0 3", "d5e6"},
        {"rnbqkbnr/pp1p1ppp/8/2pPp3/8/8/PPP1PPPP/RNBQKBNR w KQkq c6 0 3", "d5c6"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w Kq - 5 9", "e1g1"},
        {"r3k2r/8/8/8/8/8/8/R3K2R b Qk - 5 9", "e8g8"},
        {"8/P6k/8/8/8/8/7K/8 w - - 0 1", "a7a8r"},
        {"rqbnnbqr/ppppppp1/8/8/k7/8/PPPPPPPP/RNBQKBNR w KQ - 9 99", "b2b3"},
        /* Chess960: rights of the outermost rooks are held. */
        {"1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 3 9", "e1b1"},
        {"r1k3r1/8/8/8/8/8/8/R1K3R1 b KQkq - 3 9", "c8a8"},
        {"qqnnkrbb/pppppppp/8/8/8/8/PPPPPPPP/QQNNKRBB w Kk - 0 1", "a2a4"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record record, flipped;
        make_record(&record, cases[i][0], cases[i][1]);
        check_one(&record);
        flip_record(&record, &flipped);
        check_one(&flipped);
    }
}

static void colours_flipped_the_mover_sees_the_same(void **state)
{
    struct record records[RECORDS_MAX];
    size_t count = load_records(&codec_bin, VECTORS "edge.bin", records);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        uint8_t one[RECORD_BYTES], other[RECORD_BYTES];
        struct record flipped, back;
        flip_record(&records[i], &flipped);
        assert_int_equal(encode_one(&records[i], &unchecked, one), CODEC_FITS);
        assert_int_equal(encode_one(&flipped, &unchecked, other), CODEC_FITS);
        assert_memory_equal(one + 32, other + 32, 2); /* score */
        assert_memory_equal(one + 36, other + 36, 3); /* ply, result */
        assert_null(decode_one(other, &checked, &back));
        assert_int_equal(back.result, -records[i].result);
        assert_true(same_record(&back, &flipped));
    }
}

static enum codec_misfit misfit_of(const struct record *record)
{
    uint8_t bytes[RECORD_BYTES];
    return encode_one(record, &unchecked, bytes);
}

static enum codec_misfit misfit_of_score(int32_t value, double scale)
{
    struct codec_options options = {.score_scale = scale};
    struct record record;
    uint8_t bytes[RECORD_BYTES];
    make_record(&record, "8/8/8/8/8/8/k7/7K w - - 0 1", "h1h2");
    record.label.final.value = value;
    return encode_one(&record, &options, bytes);
}

static void scores_fit_or_are_named(void **state)
{
    (void)state;
    assert_int_equal(misfit_of_score(32767, 1), CODEC_FITS);
    assert_int_equal(misfit_of_score(32768, 1), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(-32767, 1), CODEC_FITS);
    assert_int_equal(misfit_of_score(-32768, 1), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(40000, 1), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(32001, 1), CODEC_FITS);
    assert_int_equal(misfit_of_score(32002, 1), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(-32002, 1), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(32003, 1), CODEC_FITS);
    assert_int_equal(misfit_of_score(16001, 2), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(9076, 3.61), CODEC_FITS); /* 32764.36 */
    assert_int_equal(misfit_of_score(9077, 3.61), CODEC_SCORE_RANGE);
}

static void other_misfits(void **state)
{
    struct record good, record;
    (void)state;
    make_record(&good, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 127 65535", "e1g1");
    good.ply = 65535;
    assert_int_equal(misfit_of(&good), CODEC_FITS);
    record = good;
    record.ply = 65536;
    assert_int_equal(misfit_of(&record), CODEC_PLY_RANGE);
    record = good;
    record.position.halfmove = 128;
    assert_int_equal(misfit_of(&record), CODEC_HALFMOVE_RANGE);
    record = good;
    record.result = 2;
    assert_int_equal(misfit_of(&record), CODEC_NO_RESULT);
    record = good;
    record.label.best_move = MOVE_NONE;
    assert_int_equal(misfit_of(&record), CODEC_NO_MOVE);
    record = good;
    record.label.final = (struct score){SCORE_MATE, 3};
    assert_int_equal(misfit_of(&record), CODEC_MATE_SCORE);
    record = good;
    record.label.final = (struct score){SCORE_NONE, 0};
    assert_int_equal(misfit_of(&record), CODEC_NO_SCORE);
    make_record(&record, "4k3/8/8/8/8/8/8/R2RK3 w D - 0 1", "e1d1"); /* not the outermost rook */
    assert_int_equal(misfit_of(&record), CODEC_CHESS960);
    make_record(&record, "4k1rr/8/8/8/8/8/8/4K3 b g - 0 1", "e8g8");
    assert_int_equal(misfit_of(&record), CODEC_CHESS960);
}

static void options_choose_score_and_move(void **state)
{
    struct codec_options options = {
        .move = CODEC_MOVE_PLAYED, .last_exact = true, .score_scale = 3.61, .validate = true};
    struct record record, back;
    uint8_t bytes[RECORD_BYTES];
    (void)state;
    assert_true(sample_record(&record));
    record.ply = 13;
    record.label.exact = (struct score){SCORE_CP, 7};
    assert_int_equal(encode_one(&record, &options, bytes), CODEC_FITS);
    assert_int_equal(bytes_get_u16(bytes + 32), 25); /* 25.27 */
    assert_null(decode_one(bytes, &options, &back));
    assert_int_equal(back.played, record.played);
    assert_int_equal(back.label.best_move, MOVE_NONE);
    assert_int_equal(back.label.exact.value, 7);
    assert_int_equal(back.label.final.value, 7);
    options.last_exact = false;
    options.move = CODEC_MOVE_BEST;
    assert_int_equal(encode_one(&record, &options, bytes), CODEC_FITS);
    assert_int_equal((int16_t)bytes_get_u16(bytes + 32), -1159); /* -1158.81 */
    assert_int_equal((int8_t)bytes[38], 1);
    assert_null(decode_one(bytes, &options, &back));
    assert_int_equal(back.label.final.value, -321);
    assert_int_equal(back.label.exact.kind, SCORE_NONE);
    assert_int_equal(back.label.best_move, record.label.best_move);
    assert_int_equal(back.result, -1);
}

/* Files from before the last two fields: zeros stand there. */
static void old_files(void **state)
{
    struct bits bits = {{0}, 0};
    struct record record, back;
    (void)state;
    make_record(&record, "8/8/8/8/8/8/k7/7K w - - 100 300", "h1h2");
    put_position(&bits, &record.position);
    for (unsigned bit = bits.count - 9; bit < bits.count; bit++)
        bits.bytes[bit / 8] &= (uint8_t) ~(1 << bit % 8);
    bytes_put_u16(bits.bytes + 34, record.label.best_move);
    assert_null(decode_one(bits.bytes, &checked, &back));
    assert_int_equal(back.position.halfmove, 100 - 64);
    assert_int_equal(back.position.fullmove, 300 - 256);
    bits = (struct bits){{0}, 0};
    record.position.fullmove = 0; /* 256 in an old file */
    put_position(&bits, &record.position);
    assert_null(decode_one(bits.bytes, &checked, &back));
    assert_int_equal(back.position.fullmove, 1);
    assert_int_equal(back.label.best_move, MOVE_NONE);
}

static void unusual_values_are_read(void **state)
{
    struct record record, back;
    uint8_t bytes[RECORD_BYTES];
    (void)state;
    make_record(&record, "8/8/8/8/8/8/k7/7K w - - 0 1", "h1h2");
    assert_int_equal(encode_one(&record, &unchecked, bytes), CODEC_FITS);
    bytes[AT_PADDING] = 0xff;
    bytes_put_u16(bytes + 32, 32002);
    assert_null(decode_one(bytes, &checked, &back));
    assert_int_equal(back.label.final.kind, SCORE_NONE);
    bytes_put_u16(bytes + 32, 0x8000);
    assert_null(decode_one(bytes, &checked, &back));
    assert_int_equal(back.label.final.value, -32768);
    /* The en passant square fits the board and no capture is legal: dropped. */
    make_record(&record, "8/8/8/8/k2Pp2R/8/8/4K3 b - - 0 1", "a4b5");
    record.position.ep = 19;
    assert_int_equal(encode_one(&record, &unchecked, bytes), CODEC_FITS);
    assert_null(decode_one(bytes, &checked, &back));
    assert_int_equal(back.position.ep, SQUARE_NONE);
}

static void assert_error(const uint8_t bytes[RECORD_BYTES], const struct codec_options *options,
                         const char *words)
{
    struct record record;
    const char *text = decode_one(bytes, options, &record);
    if (text == NULL || strstr(text, words) == NULL ||
        strstr(text, "test: record 1 (byte 0): ") == NULL)
        fail_msg("'%s' where '%s' was expected", text != NULL ? text : "no error", words);
}

/* Kings on those squares; then cells: that many empty ones, and a piece code. */
struct cells {
    unsigned gap, code;
};

static void pack_cells(unsigned white, unsigned black, const struct cells *cells, size_t count,
                       unsigned tail, struct bits *bits)
{
    unsigned cell = 0;
    *bits = (struct bits){{0}, 0};
    put(bits, white << 1 | black << 7, 13);
    for (size_t i = 0; i < count; i++) {
        put(bits, 0, cells[i].gap);
        put(bits, cells[i].code << 1 | 1, 5);
        cell += cells[i].gap + 1;
    }
    put(bits, 0, 62 - cell);
    put(bits, tail, 30);
}

/* Kings on e1 and e8 where no others are named. */
static void assert_bad_board(const struct cells *cells, size_t count, unsigned tail,
                             const char *words)
{
    struct bits bits;
    pack_cells(4, 60, cells, count, tail, &bits);
    assert_error(bits.bytes, &unchecked, words);
}

static void impossible_boards(void **state)
{
    struct cells many[62];
    struct bits bits;
    (void)state;
    pack_cells(20, 20, NULL, 0, 0, &bits);
    assert_error(bits.bytes, &unchecked, "both kings on one square");
    for (unsigned code = 5; code < 16; code += code == 7 ? 6 : 1)
        assert_bad_board(&(struct cells){9, code}, 1, 0,
                         code % 8 == KING ? "a king among the pieces"
                                          : "a piece of an unknown kind");
    assert_bad_board(&(struct cells){0, 0}, 1, 0, "a pawn on the first or last rank");
    assert_bad_board(&(struct cells){61, 8}, 1, 0, "a pawn on the first or last rank");
    for (unsigned i = 0; i < 62; i++)
        many[i] = (struct cells){i == 0 ? 7 : 0, i % 2 ? 1 : 9};
    pack_cells(4, 60, many, 30, 0, &bits);
    assert_null(decode_one(bits.bytes, &unchecked, &(struct record){0}));
    assert_bad_board(many, 31, 0, "more than 32 pieces");
    assert_bad_board(many + 1, 37, 0, "more than 32 pieces");
    many[1].code = 9; /* one more of Black's */
    assert_bad_board(many, 30, 0, "more than 16 pieces of a colour");
    memset(bits.bytes, 0xff, 32);
    bits.bytes[0] = 0;
    assert_error(bits.bytes, &unchecked, "unknown kind");
}

static void impossible_fields(void **state)
{
    struct cells rook = {61, ROOK}, pawn = {26, PAWN | 8}; /* h1; d5 */
    struct bits bits;
    struct record record;
    (void)state;
    assert_bad_board(NULL, 0, 1, "castling right without king and rook");
    assert_bad_board(&rook, 1, 2, "castling right without king and rook");
    pack_cells(4, 60, &rook, 1, 1, &bits);
    assert_null(decode_one(bits.bytes, &unchecked, &record));
    assert_int_equal(record.position.rook[WHITE][KING_SIDE], 7);
    pack_cells(12, 60, &rook, 1, 1, &bits); /* the king has left its rank */
    assert_error(bits.bytes, &unchecked, "castling right without king and rook");
    pack_cells(4, 60, &pawn, 1, 1u << 4 | 43u << 5, &bits); /* d6 */
    assert_null(decode_one(bits.bytes, &unchecked, &record));
    for (unsigned square = 0; square < 64; square++)
        if (square != 43)
            assert_bad_board(&pawn, 1, 1u << 4 | square << 5, "impossible en passant square");
}

static void wrong_bits(void **state)
{
    struct record record;
    uint8_t good[RECORD_BYTES], bytes[RECORD_BYTES];
    (void)state;
    make_record(&record, "8/8/8/8/8/8/k7/7K w - - 127 65535", "h1h2");
    assert_int_equal(encode_one(&record, &unchecked, good), CODEC_FITS);
    for (unsigned bit = 13 + 62 + 4 + 1 + 6 + 16 + 1; bit < 256; bit++) {
        memcpy(bytes, good, sizeof bytes);
        bytes[bit / 8] |= (uint8_t)(1 << bit % 8);
        assert_error(bytes, &unchecked, "bits that are not zero behind the end of the position");
    }
    for (int result = -128; result < 128; result++) {
        memcpy(bytes, good, sizeof bytes);
        bytes[38] = (uint8_t)result;
        if (result < -1 || result > 1)
            assert_error(bytes, &unchecked, "is not -1, 0 or 1");
    }
    memcpy(bytes, good, sizeof bytes);
    for (unsigned kind = 0; kind < 4; kind++) {
        bytes_put_u16(bytes + 34, (uint16_t)(kind << 14 | 1 << 12 | 7 << 6 | 15));
        if (kind != MOVE_PROMOTION)
            assert_error(bytes, &unchecked, "promotes and is no promotion");
    }
    assert_error(bytes, &unchecked, "move 0xd1cf promotes");
    bytes_put_u16(bytes + 34, 1 << 14 | 7 << 6 | 15);
    assert_error(bytes, &checked, "illegal move 'h1h2n' (kind 1)");
    assert_null(decode_one(bytes, &unchecked, &record));
    assert_int_equal(record.label.best_move, 1 << 14 | 7 << 6 | 15);
}

static void only_checked_when_asked(void **state)
{
    struct record record;
    uint8_t bytes[RECORD_BYTES];
    (void)state;
    make_record(&record, "8/8/8/8/8/8/k7/7K w - - 0 1", "h1h2");
    record.label.best_move = move_make(7, 31, MOVE_NORMAL);
    assert_int_equal(encode_one(&record, &unchecked, bytes), CODEC_FITS);
    assert_null(decode_one(bytes, &unchecked, &record));
    assert_error(bytes, &checked, "illegal move 'h1h4' (kind 0) in '8/8/8/8/8/8/k7/7K w - - 0 1'");
    record.label.best_move = MOVE_NONE;
    make_record(&record, "8/8/8/8/8/8/k7/7K w - - 0 1", "h1h2");
    position_put(&record.position, ROOK, 16);
    assert_int_equal(encode_one(&record, &unchecked, bytes), CODEC_FITS);
    assert_null(decode_one(bytes, &unchecked, &record));
    assert_error(bytes, &checked, "the side to move could take the king");
}

static void cut_files(void **state)
{
    struct record records[RECORDS_MAX];
    struct buffer bytes;
    (void)state;
    codec_test_load(VECTORS "edge.bin", &bytes);
    for (size_t size = 0; size <= 3 * RECORD_BYTES; size++) {
        struct error err = {0};
        char where[60];
        long count =
            codec_test_decode(&codec_bin, &unchecked, bytes.data, size, records, RECORDS_MAX, &err);
        if (size % RECORD_BYTES == 0) {
            assert_int_equal(count, size / RECORD_BYTES);
            continue;
        }
        assert_int_equal(count, -1);
        (void)snprintf(where, sizeof where, "test: record %zu (byte %zu): %zu bytes behind",
                       size / RECORD_BYTES + 1, size / RECORD_BYTES * RECORD_BYTES,
                       size % RECORD_BYTES);
        assert_non_null(strstr(err.text, where));
    }
    buffer_free(&bytes);
}

/*
 * Every bit of a file flipped, one at a time: the record is refused, or it is what the flipped
 * bytes say, so that writing it gives them again. What is let through in reading and written
 * otherwise: padding, a full-move number of 0, an en passant square that nobody can use, no score.
 */
static void check_flipped(const uint8_t bytes[RECORD_BYTES], const struct codec_options *options)
{
    struct record record;
    uint8_t again[RECORD_BYTES];
    if (decode_one(bytes, options, &record) != NULL)
        return;
    enum codec_misfit misfit = encode_one(&record, options, again);
    if (misfit != CODEC_FITS) {
        assert_true(misfit == CODEC_SCORE_RANGE || misfit == CODEC_NO_MOVE ||
                    misfit == CODEC_NO_SCORE);
        return;
    }
    if (memcmp(bytes, again, AT_PADDING) == 0)
        return;
    assert_true(record.position.ep == SQUARE_NONE || record.position.fullmove == 1);
    assert_memory_equal(bytes + 32, again + 32, 7);
}

static void flipped_bits(void **state)
{
    struct buffer bytes;
    (void)state;
    codec_test_load(VECTORS "edge.bin", &bytes);
    for (size_t at = 0; at < bytes.length; at += RECORD_BYTES) {
        for (unsigned bit = 0; bit < 8 * RECORD_BYTES; bit++) {
            uint8_t flipped[RECORD_BYTES];
            memcpy(flipped, bytes.data + at, sizeof flipped);
            flipped[bit / 8] ^= (uint8_t)(1 << bit % 8);
            check_flipped(flipped, &unchecked);
            check_flipped(flipped, &checked);
        }
    }
    buffer_free(&bytes);
}

static void the_table_has_it(void **state)
{
    (void)state;
    assert_ptr_equal(codec_find("bin"), &codec_bin);
    assert_ptr_equal(codec_of_path("train.bin"), &codec_bin);
    assert_ptr_equal(codec_of_path("x/train.bin.zst"), &codec_bin);
    assert_int_equal(codec_bin.record_size, RECORD_BYTES);
    assert_true(codec_bin.internal_unit);
    assert_false(codec_bin.compress);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_files_both_ways),
        cmocka_unit_test(the_worked_example),
        cmocka_unit_test(positions_of_all_kinds),
        cmocka_unit_test(colours_flipped_the_mover_sees_the_same),
        cmocka_unit_test(scores_fit_or_are_named),
        cmocka_unit_test(other_misfits),
        cmocka_unit_test(options_choose_score_and_move),
        cmocka_unit_test(old_files),
        cmocka_unit_test(unusual_values_are_read),
        cmocka_unit_test(impossible_boards),
        cmocka_unit_test(impossible_fields),
        cmocka_unit_test(wrong_bits),
        cmocka_unit_test(only_checked_when_asked),
        cmocka_unit_test(cut_files),
        cmocka_unit_test(flipped_bits),
        cmocka_unit_test(the_table_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
