/* SPDX-License-Identifier: MIT */
/*
 * Reading with threads: whatever one thread gives (bytes, error, truncation) every number of
 * threads gives, on whole archives of all kinds, cut and damaged at every byte, and announced
 * wrongly. One thread itself is tested in test_reader.c, and here by reads of every size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "formats/io/buffer.h"
#include "formats/io/bytes.h"
#include "formats/io/file.h"
#include "formats/io/reader.h"
#include "tests/unit/io/again.h"
#include "tests/unit/skip.h"

#define ROOM        (1u << 20)
#define BUFFER_MAX  (256u << 20)
#define MEMORY_MAX  (64u << 10) /* KiB: what reading may take, whatever the file */
#define MIXED_PARTS 40

/* What reading to the end gave. */
struct outcome {
    struct buffer text;
    struct error err; /* code 0: it ended well */
    bool truncated;
};

static void read_all(struct reader *reader, unsigned threads, size_t step, struct outcome *outcome)
{
    static char chunk[ROOM];
    struct error err = {0};
    ssize_t got;
    *outcome = (struct outcome){.truncated = false};
    buffer_init(&outcome->text, BUFFER_MAX);
    assert_int_equal(reader_set_threads(reader, threads, &err), 0);
    while ((got = reader_read(reader, chunk, step, &outcome->err)) > 0)
        assert_int_equal(buffer_append(&outcome->text, chunk, (size_t)got, &err), 0);
    assert_int_equal(reader_read(reader, chunk, step, &err), got);
    assert_string_equal(err.text, outcome->err.text);
    outcome->truncated = reader_truncated(reader);
}

static void read_memory(const void *data, size_t size, unsigned threads, size_t step,
                        struct outcome *outcome)
{
    struct reader *reader;
    struct error err = {0};
    assert_int_equal(reader_open_memory(data, size, &reader, &err), 0);
    read_all(reader, threads, step, outcome);
    reader_close(reader);
}

static void check_same(const void *data, size_t size)
{
    static const struct {
        unsigned threads;
        size_t step;
    } ways[] = {{1, 777}, {2, 501}, {4, ROOM}};
    struct outcome want, got;
    read_memory(data, size, 1, ROOM, &want);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        read_memory(data, size, ways[i].threads, ways[i].step, &got);
        assert_string_equal(got.err.text, want.err.text);
        assert_int_equal(got.err.code, want.err.code);
        assert_int_equal(got.truncated, want.truncated);
        assert_int_equal(got.text.length, want.text.length);
        if (want.text.length > 0)
            assert_memory_equal(got.text.data, want.text.data, want.text.length);
        buffer_free(&got.text);
    }
    buffer_free(&want.text);
}

static uint64_t noise_next(uint64_t *noise)
{
    *noise = *noise * 6364136223846793005u + 1442695040888963407u;
    return *noise >> 33;
}

static char *make_text(size_t size, uint64_t noise)
{
    char *text = malloc(size + 1);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++)
        text[i] = "NBRQKabcdefgh12345678 x+#=-O.\n{}"[noise_next(&noise) % 32];
    return text;
}

static void append(struct buffer *bytes, const void *data, size_t size)
{
    struct error err = {0};
    assert_int_equal(buffer_append(bytes, data, size, &err), 0);
}

/* A frame at the given level; its size. */
static size_t append_frame(struct buffer *bytes, size_t size, uint64_t noise, int window)
{
    char *text = make_text(size, noise);
    size_t room = ZSTD_compressBound(size);
    char *packed = malloc(room);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 1);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, window);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
    /* As a stream, so that the frame has a window and does not tell its size. */
    ZSTD_inBuffer in = {text, size, 0};
    ZSTD_outBuffer out = {packed, room, 0};
    assert_false(ZSTD_isError(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_flush)));
    assert_int_equal(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_end), 0);
    append(bytes, packed, out.pos);
    ZSTD_freeCCtx(zstd);
    free(packed);
    free(text);
    return out.pos;
}

static void append_skippable(struct buffer *bytes, unsigned variant, uint32_t payload)
{
    uint8_t frame[12];
    bytes_put_u32(frame, 0x184D2A50u + variant);
    bytes_put_u32(frame + 4, 4);
    bytes_put_u32(frame + 8, payload);
    append(bytes, frame, sizeof frame);
}

/* As pzstd writes them, the announced size wrong by `wrong`. */
static void append_announced(struct buffer *bytes, size_t size, uint64_t noise, int wrong)
{
    size_t at = bytes->length + 8;
    append_skippable(bytes, 0, 0);
    size_t packed = append_frame(bytes, size, noise, 17);
    bytes_put_u32((uint8_t *)bytes->data + at, (uint32_t)((int64_t)packed + wrong));
}

static void append_member(struct buffer *bytes, size_t size, uint64_t noise)
{
    char *text = make_text(size, noise);
    char *packed = malloc(size + 1000);
    z_stream gzip = {.next_in = (Bytef *)text, .avail_in = (uInt)size};
    assert_int_equal(deflateInit2(&gzip, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    gzip.next_out = (Bytef *)packed;
    gzip.avail_out = (uInt)size + 1000;
    assert_int_equal(deflate(&gzip, Z_FINISH), Z_STREAM_END);
    append(bytes, packed, gzip.total_out);
    deflateEnd(&gzip);
    free(packed);
    free(text);
}

static void whole_archives(void **state)
{
    (void)state;
    struct buffer bytes;
    buffer_init(&bytes, BUFFER_MAX);
    check_same("", 0);
    char *text = make_text(3000000, 1);
    check_same(text, 3000000);
    check_same(text, 1);
    free(text);
    append_frame(&bytes, 3000000, 1, 20);
    check_same(bytes.data, bytes.length);
    for (unsigned i = 0; i < MIXED_PARTS; i++)
        append_frame(&bytes, i * 5000, i, 17);
    check_same(bytes.data, bytes.length);
    bytes.length = 0;
    for (unsigned i = 0; i < 5; i++)
        append_member(&bytes, i * 200000, i);
    check_same(bytes.data, bytes.length);
    buffer_free(&bytes);
}

/* Announced frames of all sizes, more of them than threads, and others between them. */
static void append_mixture(struct buffer *bytes)
{
    for (unsigned i = 0; i < MIXED_PARTS; i++) {
        append_announced(bytes, i % 7 * 70000, i, 0);
        if (i % 5 == 4)
            append_frame(bytes, 1000 * i, i, 18);
        if (i % 9 == 8)
            append_skippable(bytes, i % 16, i);
    }
}

static void pzstd_archives(void **state)
{
    (void)state;
    struct buffer bytes;
    buffer_init(&bytes, BUFFER_MAX);
    append_mixture(&bytes);
    check_same(bytes.data, bytes.length);
    for (size_t cut = 1; cut < bytes.length; cut += bytes.length / 25)
        check_same(bytes.data, cut);
    append(&bytes, "[Event", 6);
    check_same(bytes.data, bytes.length);
    buffer_free(&bytes);
}

/* What an archive announces is believed only after a look. */
static void wrong_announcements(void **state)
{
    (void)state;
    static const int wrong[] = {-100000, -400, -1, 1, 12, 5000, 1 << 22, 1 << 30};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        for (unsigned place = 0; place < 3; place++) {
            struct buffer bytes;
            buffer_init(&bytes, BUFFER_MAX);
            for (unsigned part = 0; part < 6; part++)
                append_announced(&bytes, 100000, part, part / 2 == place ? wrong[i] : 0);
            check_same(bytes.data, bytes.length);
            buffer_free(&bytes);
        }
    }
}

static void make_small(struct buffer *bytes, bool gzip)
{
    buffer_init(bytes, ROOM);
    for (unsigned part = 0; part < 4; part++) {
        if (gzip)
            append_member(bytes, part * 90, part);
        else
            append_announced(bytes, part * 90, part, 0);
    }
}

static void cut_at_every_byte(void **state)
{
    (void)state;
    for (int gzip = 0; gzip < 2; gzip++) {
        struct buffer bytes;
        make_small(&bytes, gzip);
        for (size_t cut = 4; cut <= bytes.length; cut++)
            check_same(bytes.data, cut);
        buffer_free(&bytes);
    }
}

static void damaged_at_every_byte(void **state)
{
    (void)state;
    for (int gzip = 0; gzip < 2; gzip++) {
        struct buffer bytes;
        make_small(&bytes, gzip);
        for (size_t at = 4; at < bytes.length; at++) {
            for (unsigned bit = 0; bit < 8; bit += 5) {
                bytes.data[at] = (char)(bytes.data[at] ^ 1 << bit);
                check_same(bytes.data, bytes.length);
                bytes.data[at] = (char)(bytes.data[at] ^ 1 << bit);
            }
        }
        buffer_free(&bytes);
    }
}

static void damaged_in_a_large_frame(void **state)
{
    (void)state;
    struct buffer bytes;
    buffer_init(&bytes, BUFFER_MAX);
    for (unsigned part = 0; part < 5; part++)
        append_announced(&bytes, 700000, part, 0);
    append_member(&bytes, 1, 1);
    for (size_t at = 20; at < bytes.length; at += bytes.length / 20) {
        bytes.data[at] = (char)(bytes.data[at] ^ 0x55);
        check_same(bytes.data, bytes.length);
        bytes.data[at] = (char)(bytes.data[at] ^ 0x55);
    }
    bytes.length = 0;
    append_member(&bytes, 1000000, 1);
    for (size_t at = 20; at < bytes.length; at += bytes.length / 20) {
        bytes.data[at] = (char)(bytes.data[at] ^ 0x55);
        check_same(bytes.data, bytes.length);
        bytes.data[at] = (char)(bytes.data[at] ^ 0x55);
    }
    buffer_free(&bytes);
}

enum { PATH_ROOM = 40 };

/* A new file with these bytes, which the caller removes. */
static void make_file(char path[PATH_ROOM], const struct buffer *bytes)
{
    struct error err = {0};
    snprintf(path, PATH_ROOM, "/tmp/plymill-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(file_write_all(path, bytes->data, bytes->length, &err), 0);
}

/* Reads `size` bytes with so many threads, then asks for the digest or closes at once. */
static void stop_early(const char *path, unsigned threads, size_t size, bool digest)
{
    static char chunk[ROOM];
    struct reader *reader;
    struct error err = {0};
    char hex[DIGEST_HEX_SIZE], file_hex[DIGEST_HEX_SIZE];
    uint64_t bytes, file_bytes;
    assert_int_equal(reader_open(path, digest, &reader, &err), 0);
    assert_int_equal(reader_set_threads(reader, threads, &err), 0);
    for (size_t done = 0; done < size;) {
        ssize_t got = reader_read(reader, chunk, size - done < ROOM ? size - done : ROOM, &err);
        assert_true(got > 0);
        done += (size_t)got;
    }
    if (digest) {
        assert_int_equal(reader_digest(reader, hex, &bytes, &err), 0);
        assert_int_equal(digest_file(path, file_hex, &file_bytes, &err), 0);
        assert_string_equal(hex, file_hex);
        assert_int_equal(bytes, file_bytes);
    }
    reader_close(reader);
}

static void stopping_early_and_digests(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 10, 500000, 3000000};
    char path[PATH_ROOM];
    struct buffer bytes;
    buffer_init(&bytes, BUFFER_MAX);
    append_mixture(&bytes);
    make_file(path, &bytes);
    for (unsigned threads = 1; threads <= 4; threads++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            stop_early(path, threads, sizes[i], true);
            stop_early(path, threads, sizes[i], false);
        }
    unlink(path);
    buffer_free(&bytes);
}

/* A pipe that is left open and gives nothing more must not hold anybody up. */
static void a_pipe_that_waits_can_be_closed(void **state)
{
    (void)state;
    struct reader *reader;
    struct error err = {0};
    char chunk[8], path[PATH_ROOM];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "1. e4 e5\n", 9), 9);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(reader_open(path, false, &reader, &err), 0);
    assert_int_equal(reader_set_threads(reader, 2, &err), 0);
    alarm(20);
    reader_close(reader);
    alarm(0);
    assert_int_equal(write(ends[1], "1. d4 d5\n", 9), 9);
    assert_int_equal(read(ends[0], chunk, 5), 5);
    close(ends[0]);
    close(ends[1]);
}

/* Child: reads the file with the threads named by the task; 0 when it ends well. */
static int task_read(const char *task, const char *path)
{
    static char chunk[1000];
    struct reader *reader;
    struct error err = {0};
    char hex[DIGEST_HEX_SIZE];
    ssize_t got = -1;
    if (reader_open(path, true, &reader, &err) < 0)
        return 10;
    if (reader_set_threads(reader, (unsigned)strtoul(task, NULL, 10), &err) == 0)
        while ((got = reader_read(reader, chunk, sizeof chunk, &err)) > 0)
            continue;
    bool truncated = reader_truncated(reader);
    if (got == 0 && reader_digest(reader, hex, NULL, &err) < 0)
        got = -1;
    reader_close(reader);
    return got == 0 ? 0 : truncated ? 20 : err.code == ERROR_FAILED ? 30 : 40;
}

static void a_byte_at_a_time(void **state)
{
    (void)state;
    char path[PATH_ROOM];
    struct buffer bytes;
    buffer_init(&bytes, BUFFER_MAX);
    for (unsigned i = 0; i < 5; i++)
        append_announced(&bytes, 50000, i, 0);
    make_file(path, &bytes);
    assert_int_equal(run_again_code("read:0:short", "2", path), 0);
    assert_int_equal(run_again_code("read:0:short", "4", path), 0);
    unlink(path);
    buffer_free(&bytes);
}

static void failing_reads_and_no_memory(void **state)
{
    (void)state;
    char path[PATH_ROOM], fault[32];
    struct buffer bytes;
    buffer_init(&bytes, BUFFER_MAX);
    append_mixture(&bytes);
    make_file(path, &bytes);
    assert_int_equal(run_again_code("read:1:fail", "4", path), 10);
    for (int n = 2; n <= 24; n += 4) {
        snprintf(fault, sizeof fault, "read:%d:fail", n);
        int want = run_again_code(fault, "1", path);
        assert_int_equal(run_again_code(fault, "2", path), want);
        assert_int_equal(run_again_code(fault, "4", path), want);
    }
    for (int n = 1; n <= 30; n++) {
        snprintf(fault, sizeof fault, "malloc:%d:fail", n);
        int code = run_again_code(fault, "4", path);
        assert_true(code == 0 || code == 10 || code == 30);
    }
    unlink(path);
    buffer_free(&bytes);
}

/* Frames that are too large to be taken out whole are read as a stream. */
static void memory_is_bounded(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP_BECAUSE("sanitizers take more memory than the bound");
#else
    char path[PATH_ROOM];
    struct rusage usage;
    struct buffer bytes;
    buffer_init(&bytes, BUFFER_MAX);
    append_announced(&bytes, 1000000, 1, 0);
    append_announced(&bytes, 60000000, 2, 0);
    for (unsigned i = 0; i < 20; i++)
        append_announced(&bytes, 4000000, i, 0);
    make_file(path, &bytes);
    buffer_free(&bytes);
    assert_int_equal(run_again_code(NULL, "40", path), 0);
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    assert_true(usage.ru_maxrss < MEMORY_MAX);
    unlink(path);
#endif
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return task_read(argv[1], argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(whole_archives),
        cmocka_unit_test(pzstd_archives),
        cmocka_unit_test(wrong_announcements),
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(damaged_at_every_byte),
        cmocka_unit_test(damaged_in_a_large_frame),
        cmocka_unit_test(stopping_early_and_digests),
        cmocka_unit_test(a_pipe_that_waits_can_be_closed),
        cmocka_unit_test(a_byte_at_a_time),
        cmocka_unit_test(failing_reads_and_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
