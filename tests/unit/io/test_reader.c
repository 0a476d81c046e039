/* SPDX-License-Identifier: MIT */
/*
 * Reading: the archives of cases 027 and 029, archives made here of many frames and cut at every
 * byte, gzip the same, other input, and all of it a byte at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "formats/io/buffer.h"
#include "formats/io/bytes.h"
#include "formats/io/file.h"
#include "formats/io/reader.h"
#include "tests/unit/io/again.h"

#define CASE_PZSTD     "tests/data/cases/027-zst-skippable-first-pzstd-layout/input.pgn.zst"
#define CASE_TRUNCATED "tests/data/cases/029-zst-truncated-download/"
#define ROOM           (1u << 20)
#define PARTS          3

/* What reading to the end gave. */
struct outcome {
    struct buffer text;
    struct error err; /* code 0: it ended well */
    bool truncated;
};

static void read_to_end(struct reader *reader, size_t step, struct outcome *outcome)
{
    static char chunk[ROOM];
    struct error err = {0};
    ssize_t got;
    *outcome = (struct outcome){.truncated = false};
    buffer_init(&outcome->text, 64u << 20);
    while ((got = reader_read(reader, chunk, step, &outcome->err)) > 0)
        assert_int_equal(buffer_append(&outcome->text, chunk, (size_t)got, &err), 0);
    /* An error and an end stay what they are. */
    assert_int_equal(reader_read(reader, chunk, step, &err), got);
    assert_string_equal(err.text, outcome->err.text);
    outcome->truncated = reader_truncated(reader);
}

static void read_memory(const struct buffer *bytes, size_t step, struct outcome *outcome)
{
    struct reader *reader;
    struct error err = {0};
    assert_int_equal(reader_open_memory(bytes->data, bytes->length, &reader, &err), 0);
    read_to_end(reader, step, outcome);
    assert_int_equal(reader_position(reader), bytes->length);
    reader_close(reader);
}

static void read_path(const char *path, struct outcome *outcome)
{
    struct reader *reader;
    struct error err = {0};
    assert_int_equal(reader_open(path, true, &reader, &err), 0);
    read_to_end(reader, ROOM, outcome);
    uint64_t bytes, file_bytes;
    char hex[DIGEST_HEX_SIZE], file_hex[DIGEST_HEX_SIZE];
    assert_int_equal(reader_digest(reader, hex, &bytes, &err), 0);
    assert_int_equal(digest_file(path, file_hex, &file_bytes, &err), 0);
    assert_string_equal(hex, file_hex);
    assert_int_equal(bytes, file_bytes);
    assert_int_equal(reader_file_size(reader), file_bytes);
    assert_string_equal(reader_path(reader), path);
    reader_close(reader);
}

static void assert_text_digest(const struct buffer *text, const char *expected)
{
    uint8_t binary[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    digest_bytes(text->data, text->length, binary);
    digest_to_hex(binary, DIGEST_SIZE, hex);
    assert_string_equal(hex, expected);
}

/* The values stand in the cases' expected.md. */
static void case_027_skippable_frame_first(void **state)
{
    (void)state;
    struct outcome outcome;
    read_path(CASE_PZSTD, &outcome);
    assert_int_equal(outcome.err.code, 0);
    assert_int_equal(outcome.text.length, 1861);
    assert_text_digest(&outcome.text,
                       "41baf8d93830db2a476e2fc6d9f04410e5ff27b30e3b460bd3d05f8f9a3303b4");
    buffer_free(&outcome.text);
}

static void case_029_truncated_download(void **state)
{
    (void)state;
    struct outcome outcome;
    read_path(CASE_TRUNCATED "input.pgn.zst", &outcome);
    assert_true(outcome.truncated);
    assert_int_equal(outcome.err.code, ERROR_FAILED);
    assert_string_equal(outcome.err.text, CASE_TRUNCATED "input.pgn.zst: truncated at byte 584");
    buffer_free(&outcome.text);
    read_path(CASE_TRUNCATED "input2.pgn.zst", &outcome);
    assert_int_equal(outcome.err.code, 0);
    assert_int_equal(outcome.text.length, 10100);
    assert_text_digest(&outcome.text,
                       "aff08268e57d20193d7674570b1d8c36951f3e0c4f1b53ec7826e2eabdca822c");
    buffer_free(&outcome.text);
    read_path(CASE_TRUNCATED "input3.pgn.zst", &outcome);
    assert_true(outcome.truncated);
    assert_non_null(strstr(outcome.err.text, "truncated at byte 356"));
    assert_int_equal(outcome.text.length, 10100); /* what was complete was delivered */
    buffer_free(&outcome.text);
}

/* An archive of parts, and after how many bytes of it how much text is complete. */
struct archive {
    struct buffer bytes, text;
    size_t border[3 * PARTS + 2], complete[3 * PARTS + 2];
    unsigned borders;
};

static void archive_border(struct archive *archive)
{
    archive->border[archive->borders] = archive->bytes.length;
    archive->complete[archive->borders++] = archive->text.length;
}

static void archive_start(struct archive *archive)
{
    *archive = (struct archive){.borders = 0};
    buffer_init(&archive->bytes, ROOM);
    buffer_init(&archive->text, ROOM);
}

static void archive_free(struct archive *archive)
{
    buffer_free(&archive->bytes);
    buffer_free(&archive->text);
}

static void add_skippable(struct archive *archive, unsigned variant, uint32_t size)
{
    uint8_t frame[64] = {0};
    bytes_put_u32(frame, 0x184D2A50u + variant);
    bytes_put_u32(frame + 4, size);
    memset(frame + 8, 0x28, size);
    assert_int_equal(buffer_append(&archive->bytes, frame, 8 + size, NULL), 0);
    archive_border(archive);
}

static size_t part_text(unsigned part, char *text)
{
    size_t size = part == 1 ? 0 : 400 + part; /* one frame without content */
    for (size_t i = 0; i < size; i++)
        text[i] = (char)("NBRQKabcdefgh12345678"[(i * i + part) % 21]);
    return size;
}

static void add_frame(struct archive *archive, unsigned part)
{
    char text[500], packed[1000];
    size_t size = part_text(part, text);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, part == 2);
    size_t packed_size = ZSTD_compress2(zstd, packed, sizeof packed, text, size);
    ZSTD_freeCCtx(zstd);
    assert_false(ZSTD_isError(packed_size));
    assert_int_equal(buffer_append(&archive->bytes, packed, packed_size, NULL), 0);
    assert_int_equal(buffer_append(&archive->text, text, size, NULL), 0);
    archive_border(archive);
}

static void add_member(struct archive *archive, unsigned part)
{
    char text[500], packed[1000];
    size_t size = part_text(part, text);
    z_stream gzip = {.next_in = (Bytef *)text, .avail_in = (uInt)size};
    assert_int_equal(deflateInit2(&gzip, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    gzip.next_out = (Bytef *)packed;
    gzip.avail_out = sizeof packed;
    assert_int_equal(deflate(&gzip, Z_FINISH), Z_STREAM_END);
    assert_int_equal(buffer_append(&archive->bytes, packed, gzip.total_out, NULL), 0);
    deflateEnd(&gzip);
    assert_int_equal(buffer_append(&archive->text, text, size, NULL), 0);
    archive_border(archive);
}

static void make_zstd(struct archive *archive)
{
    archive_start(archive);
    for (unsigned part = 0; part < PARTS; part++) {
        add_skippable(archive, 5 * part, 4);
        add_frame(archive, part);
        add_skippable(archive, 15, 0);
    }
}

static void make_gzip(struct archive *archive)
{
    archive_start(archive);
    for (unsigned part = 0; part < PARTS; part++)
        add_member(archive, part);
}

static void check_cut(const struct archive *archive, size_t cut, size_t step)
{
    struct buffer part = archive->bytes;
    struct outcome outcome;
    bool at_border = false;
    size_t complete = 0;
    for (unsigned i = 0; i < archive->borders && archive->border[i] <= cut; i++) {
        at_border = archive->border[i] == cut;
        complete = archive->complete[i];
    }
    part.length = cut;
    read_memory(&part, step, &outcome);
    assert_int_equal(outcome.truncated, !at_border);
    assert_int_equal(outcome.err.code, at_border ? 0 : ERROR_FAILED);
    assert_true(outcome.text.length >= complete);
    if (at_border)
        assert_int_equal(outcome.text.length, complete);
    assert_memory_equal(outcome.text.data, archive->text.data, outcome.text.length);
    if (!at_border) {
        char words[64];
        snprintf(words, sizeof words, "memory: truncated at byte %zu", cut);
        assert_string_equal(outcome.err.text, words);
    }
    buffer_free(&outcome.text);
}

/* From the magic number on, as a shorter file tells nothing about its kind. */
static void check_cuts(const struct archive *archive)
{
    for (size_t cut = 4; cut <= archive->bytes.length; cut++) {
        check_cut(archive, cut, ROOM);
        check_cut(archive, cut, 1);
        check_cut(archive, cut, 7);
    }
}

static void zstd_cut_at_every_byte(void **state)
{
    (void)state;
    struct archive archive;
    make_zstd(&archive);
    check_cuts(&archive);
    archive_free(&archive);
}

static void gzip_cut_at_every_byte(void **state)
{
    (void)state;
    struct archive archive;
    make_gzip(&archive);
    check_cuts(&archive);
    archive_free(&archive);
}

static void check_garbage(struct archive *archive, const char *garbage, size_t size,
                          const char *what)
{
    struct outcome outcome;
    char words[128];
    size_t length = archive->bytes.length;
    assert_int_equal(buffer_append(&archive->bytes, garbage, size, NULL), 0);
    read_memory(&archive->bytes, 100, &outcome);
    snprintf(words, sizeof words, "memory: byte %zu: no %s where one must begin", length, what);
    assert_string_equal(outcome.err.text, words);
    assert_false(outcome.truncated);
    assert_int_equal(outcome.text.length, archive->text.length);
    buffer_free(&outcome.text);
    archive->bytes.length = length;
}

static void garbage_behind_the_last_frame_is_named(void **state)
{
    (void)state;
    struct archive archive;
    make_zstd(&archive);
    check_garbage(&archive, "[Event", 6, "zstd frame");
    check_garbage(&archive, "\n", 1, "zstd frame");
    check_garbage(&archive, "\0\0\0\0", 4, "zstd frame");
    archive_free(&archive);
    make_gzip(&archive);
    check_garbage(&archive, "[Event", 6, "gzip member");
    check_garbage(&archive, "\n", 1, "gzip member");
    archive_free(&archive);
}

static void check_damage(const struct archive *archive, size_t at, const char *what)
{
    struct outcome outcome;
    archive->bytes.data[at] ^= 0x10;
    read_memory(&archive->bytes, ROOM, &outcome);
    assert_int_equal(outcome.err.code, ERROR_FAILED);
    assert_non_null(strstr(outcome.err.text, what));
    assert_false(outcome.truncated);
    archive->bytes.data[at] ^= 0x10;
    buffer_free(&outcome.text);
}

static void a_damaged_checksum_is_an_error(void **state)
{
    (void)state;
    struct archive archive;
    archive_start(&archive);
    add_frame(&archive, 2);
    check_damage(&archive, archive.bytes.length - 1, "damaged zstd frame");
    archive_free(&archive);
    archive_start(&archive);
    add_member(&archive, 2);
    check_damage(&archive, archive.bytes.length - 6, "damaged gzip member");
    archive_free(&archive);
}

/* libzstd itself calls this fault one thing in a fresh decoder, another in one that was used. */
static void a_damaged_frame_is_called_the_same_in_any_decoder(void **state)
{
    (void)state;
    enum { FRAME = 318, FRAME_SIZE = 591 };
    uint8_t archive[2000];
    FILE *file = fopen("tests/fuzz/corpus/reader/pzstd-damaged", "rb");
    assert_non_null(file);
    size_t size = fread(archive, 1, sizeof archive, file);
    fclose(file);
    assert_int_equal(size, 1111);
    struct buffer whole = {.data = (char *)archive, .length = size};
    struct buffer alone = {.data = (char *)archive + FRAME, .length = FRAME_SIZE};
    struct outcome after, fresh;
    read_memory(&whole, ROOM, &after);
    read_memory(&alone, ROOM, &fresh);
    assert_string_equal(after.err.text,
                        "memory: byte 327: damaged zstd frame: data corruption detected");
    assert_string_equal(fresh.err.text,
                        "memory: byte 9: damaged zstd frame: data corruption detected");
    buffer_free(&after.text);
    buffer_free(&fresh.text);
}

/* zstd --long=28: its window is over what a decoder allows unless it is told. */
static void long_windows_are_read(void **state)
{
    (void)state;
    struct archive archive;
    struct outcome outcome;
    char packed[1000];
    archive_start(&archive);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, 28);
    ZSTD_inBuffer in = {"abc", 3, 0};
    ZSTD_outBuffer out = {packed, sizeof packed, 0};
    ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_flush);
    assert_int_equal(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_end), 0);
    ZSTD_freeCCtx(zstd);
    assert_int_equal(buffer_append(&archive.bytes, packed, out.pos, NULL), 0);
    read_memory(&archive.bytes, ROOM, &outcome);
    assert_int_equal(outcome.err.code, 0);
    assert_string_equal(outcome.text.data, "abc");
    buffer_free(&outcome.text);
    archive_free(&archive);
}

static void check_plain(const char *bytes, size_t size, bool truncated)
{
    struct buffer whole = {.length = size, .capacity = size, .limit = size};
    struct outcome outcome;
    char copy[16];
    memcpy(copy, bytes, size);
    whole.data = copy;
    read_memory(&whole, 2, &outcome);
    assert_int_equal(outcome.truncated, truncated);
    assert_int_equal(outcome.text.length, truncated ? 0 : size);
    if (!truncated && size > 0)
        assert_memory_equal(outcome.text.data, bytes, size);
    buffer_free(&outcome.text);
}

static void short_files_of_every_kind(void **state)
{
    (void)state;
    check_plain("", 0, false);
    check_plain("(", 1, false);
    check_plain("P*M", 3, false);
    check_plain("\x28\xb5\x2f", 3, true);
    check_plain("\x1f\x8b", 2, true);
    check_plain("1. e4 e5\n", 9, false);
    check_plain("\xef\xbb\xbf[", 4, false);
}

static void what_cannot_be_opened_is_named(void **state)
{
    (void)state;
    struct reader *reader;
    struct error err = {0};
    assert_int_equal(reader_open("/nonexistent-file", false, &reader, &err), -1);
    assert_string_equal(err.text, "/nonexistent-file: No such file or directory");
    assert_null(reader);
    assert_int_equal(reader_open("/tmp", true, &reader, &err), -1);
    assert_string_equal(err.text, "/tmp: Is a directory");
}

enum { LARGE_PATH = 40 };

/* A file of several buffers under a new name, which the caller removes. */
static void make_large_file(char path[LARGE_PATH])
{
    static char text[1 << 20];
    struct error err = {0};
    snprintf(path, LARGE_PATH, "/tmp/plymill-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    memset(text, 'x', sizeof text);
    assert_int_equal(file_write_all(path, text, sizeof text, &err), 0);
}

/* The digest is of the whole file, also when reading stopped early. */
static void the_digest_covers_what_was_not_read(void **state)
{
    (void)state;
    struct reader *reader;
    struct error err = {0};
    char path[LARGE_PATH], chunk[10], hex[DIGEST_HEX_SIZE], file_hex[DIGEST_HEX_SIZE];
    uint64_t bytes;
    make_large_file(path);
    assert_int_equal(reader_open(path, true, &reader, &err), 0);
    assert_int_equal(reader_read(reader, chunk, sizeof chunk, &err), sizeof chunk);
    assert_true(reader_position(reader) < 1 << 20);
    assert_int_equal(reader_digest(reader, hex, &bytes, &err), 0);
    assert_int_equal(digest_file(path, file_hex, NULL, &err), 0);
    assert_string_equal(hex, file_hex);
    assert_int_equal(bytes, 1 << 20);
    assert_int_equal(reader_digest(reader, hex, &bytes, &err), -1);
    reader_close(reader);
    assert_int_equal(reader_open(path, false, &reader, &err), 0);
    assert_int_equal(reader_digest(reader, hex, &bytes, &err), -1);
    reader_close(reader);
    unlink(path);
}

/* Child: reads the file; exit code 0 when it ends well and its digest is that of case 027. */
static int task_read(const char *path)
{
    struct reader *reader;
    struct error err = {0};
    char chunk[1000];
    struct digest *digest = digest_new();
    uint8_t binary[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    ssize_t got;
    if (digest == NULL || reader_open(path, true, &reader, &err) < 0) {
        digest_free(digest);
        return 10;
    }
    while ((got = reader_read(reader, chunk, sizeof chunk, &err)) > 0)
        digest_update(digest, chunk, (size_t)got);
    digest_finish(digest, binary);
    digest_to_hex(binary, DIGEST_SIZE, hex);
    bool truncated = reader_truncated(reader);
    reader_close(reader);
    digest_free(digest);
    if (got < 0)
        return truncated ? 20 : 30;
    return strncmp(hex, "41baf8d93830db2a", 16) == 0 ? 0 : 40;
}

static void a_byte_at_a_time_gives_the_same(void **state)
{
    (void)state;
    assert_int_equal(run_again_code("read:0:short", "read", CASE_PZSTD), 0);
    assert_int_equal(run_again_code("read:2:short", "read", CASE_PZSTD), 0);
    assert_int_equal(run_again_code("read:0:short", "read", CASE_TRUNCATED "input.pgn.zst"), 20);
    assert_int_equal(run_again_code("read:0:short", "read", CASE_TRUNCATED "input3.pgn.zst"), 20);
}

static void a_failing_read_and_no_memory_are_errors(void **state)
{
    (void)state;
    assert_int_equal(run_again_code("read:1:fail", "read", CASE_PZSTD), 10);
    assert_int_equal(run_again_code("read:2:fail", "read", CASE_PZSTD), 30);
    for (int n = 1; n <= 6; n++) {
        char fault[32];
        snprintf(fault, sizeof fault, "malloc:%d:fail", n);
        assert_int_equal(run_again_code(fault, "read", CASE_PZSTD), 10);
    }
    assert_int_equal(run_again_code("malloc:7:fail", "read", CASE_PZSTD), 0);
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return task_read(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_027_skippable_frame_first),
        cmocka_unit_test(case_029_truncated_download),
        cmocka_unit_test(zstd_cut_at_every_byte),
        cmocka_unit_test(gzip_cut_at_every_byte),
        cmocka_unit_test(garbage_behind_the_last_frame_is_named),
        cmocka_unit_test(a_damaged_checksum_is_an_error),
        cmocka_unit_test(a_damaged_frame_is_called_the_same_in_any_decoder),
        cmocka_unit_test(long_windows_are_read),
        cmocka_unit_test(short_files_of_every_kind),
        cmocka_unit_test(what_cannot_be_opened_is_named),
        cmocka_unit_test(the_digest_covers_what_was_not_read),
        cmocka_unit_test(a_byte_at_a_time_gives_the_same),
        cmocka_unit_test(a_failing_read_and_no_memory_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
