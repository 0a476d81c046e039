/* SPDX-License-Identifier: MIT */
/*
 * Writing: what stands in the file, its digests, the two steps of publishing, and failures.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

#include "formats/io/buffer.h"
#include "formats/io/file.h"
#include "formats/io/writer.h"
#include "tests/unit/io/again.h"

#define TEXT_SIZE 700001 /* some blocks and a rest */

static char folder[64], target[96];
static char text[TEXT_SIZE];

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/plymill-test-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(target, sizeof target, "%s/out", folder);
    for (size_t i = 0; i < TEXT_SIZE; i++)
        text[i] = (char)("RNBQKBNR pppp w - 0 1\n"[(i * i / 7 + i) % 22]);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(target);
    return rmdir(folder); /* fails when a temporary file was left */
}

static void write_text(bool zstd, size_t step, struct writer_result *result)
{
    struct writer *writer;
    struct error err = {0};
    assert_int_equal(writer_create(target, zstd, &writer, &err), 0);
    for (size_t at = 0; at < TEXT_SIZE; at += step) {
        size_t part = TEXT_SIZE - at < step ? TEXT_SIZE - at : step;
        assert_int_equal(writer_write(writer, text + at, part, &err), 0);
    }
    assert_false(file_exists(target));
    assert_int_equal(writer_commit(writer, result, &err), 0);
}

static void check_digests(const struct writer_result *result)
{
    char hex[DIGEST_HEX_SIZE];
    uint8_t binary[DIGEST_SIZE];
    uint64_t bytes;
    struct error err = {0};
    assert_int_equal(digest_file(target, hex, &bytes, &err), 0);
    assert_string_equal(result->file_sha256, hex);
    assert_int_equal(result->file_bytes, bytes);
    digest_bytes(text, TEXT_SIZE, binary);
    digest_to_hex(binary, DIGEST_SIZE, hex);
    assert_string_equal(result->content_sha256, hex);
    assert_int_equal(result->content_bytes, TEXT_SIZE);
}

static void read_target(struct buffer *bytes)
{
    struct error err = {0};
    buffer_init(bytes, 2 * TEXT_SIZE);
    assert_int_equal(file_read_all(target, bytes, &err), 0);
}

static void plain_content_is_the_file(void **state)
{
    (void)state;
    struct writer_result result;
    struct buffer bytes;
    write_text(false, 1000, &result);
    check_digests(&result);
    read_target(&bytes);
    assert_int_equal(bytes.length, TEXT_SIZE);
    assert_memory_equal(bytes.data, text, TEXT_SIZE);
    buffer_free(&bytes);
}

static void zstd_content_is_one_frame_with_a_checksum(void **state)
{
    (void)state;
    static char back[TEXT_SIZE];
    struct writer_result result;
    struct buffer bytes;
    write_text(true, 1000, &result);
    check_digests(&result);
    read_target(&bytes);
    assert_true(bytes.length < TEXT_SIZE);
    assert_int_equal(ZSTD_findFrameCompressedSize(bytes.data, bytes.length), bytes.length);
    assert_true((bytes.data[4] & 4) != 0); /* the checksum flag of the frame header */
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    assert_int_equal(ZSTD_decompressDCtx(zstd, back, TEXT_SIZE, bytes.data, bytes.length),
                     TEXT_SIZE);
    ZSTD_freeDCtx(zstd);
    assert_memory_equal(back, text, TEXT_SIZE);
    buffer_free(&bytes);
}

static void calls_do_not_show_in_the_archive(void **state)
{
    (void)state;
    struct writer_result one, other;
    write_text(true, 1, &one);
    unlink(target);
    write_text(true, TEXT_SIZE, &other);
    assert_string_equal(one.file_sha256, other.file_sha256);
}

static void an_empty_archive_is_a_frame(void **state)
{
    (void)state;
    struct writer *writer;
    struct buffer bytes;
    struct error err = {0};
    char none[1];
    assert_int_equal(writer_create(target, true, &writer, &err), 0);
    assert_int_equal(writer_commit(writer, NULL, &err), 0);
    read_target(&bytes);
    assert_int_equal(ZSTD_decompress(none, sizeof none, bytes.data, bytes.length), 0);
    buffer_free(&bytes);
}

static void two_steps(void **state)
{
    (void)state;
    struct writer *writer;
    struct writer_result result;
    struct error err = {0};
    char hex[DIGEST_HEX_SIZE];
    assert_int_equal(writer_create(target, false, &writer, &err), 0);
    assert_int_equal(writer_printf(writer, &err, "ply %d %s\n", 12, "e2e4"), 0);
    assert_int_equal(writer_finish(writer, &result, &err), 0);
    assert_false(file_exists(target));
    assert_int_equal(digest_file(writer_path(writer), hex, NULL, &err), 0);
    assert_string_equal(hex, result.file_sha256);
    assert_int_equal(writer_publish(writer, &err), 0);
    struct buffer bytes;
    read_target(&bytes);
    assert_string_equal(bytes.data, "ply 12 e2e4\n");
    buffer_free(&bytes);
}

static void a_long_text_is_formatted(void **state)
{
    (void)state;
    struct writer *writer;
    struct error err = {0};
    struct writer_result result;
    assert_int_equal(writer_create(target, false, &writer, &err), 0);
    for (int width = 1022; width <= 1026; width++)
        assert_int_equal(writer_printf(writer, &err, "%*d", width, 7), 0);
    assert_int_equal(writer_commit(writer, &result, &err), 0);
    assert_int_equal(result.content_bytes, 5 * 1024);
    struct buffer bytes;
    read_target(&bytes);
    for (int width = 1022, end = 0; width <= 1026; width++) {
        end += width;
        assert_int_equal(bytes.data[end - 1], '7');
    }
    buffer_free(&bytes);
}

static void a_discard_leaves_nothing(void **state)
{
    (void)state;
    struct writer *writer;
    struct error err = {0};
    assert_int_equal(writer_create(target, true, &writer, &err), 0);
    assert_int_equal(writer_write(writer, text, TEXT_SIZE, &err), 0);
    writer_discard(writer);
    writer_discard(NULL);
    assert_false(file_exists(target));
}

/* After a failure nothing more is written and nothing published, whatever the caller does. */
static void a_full_disk_is_to_be_tried_again(void **state)
{
    (void)state;
    struct writer *writer;
    struct error err = {0};
    assert_int_equal(writer_create("/dev/full", false, &writer, &err), 0);
    assert_int_equal(writer_write(writer, text, TEXT_SIZE, &err), -1);
    assert_int_equal(err.code, ERROR_RETRY);
    assert_int_equal(writer_write(writer, text, 1, &err), -1);
    assert_int_equal(writer_commit(writer, NULL, &err), -1);
}

/* Child: writes the text under a fault; exit code of the error. */
static int task_write(const char *path)
{
    struct writer *writer;
    struct error err = {0};
    struct writer_result result;
    signal(SIGPIPE, SIG_IGN); /* as main does */
    memset(text, 'x', sizeof text);
    if (writer_create(path, strcmp(path, "-") != 0, &writer, &err) < 0)
        return err.code;
    if (writer_write(writer, text, TEXT_SIZE, &err) < 0) {
        writer_discard(writer);
        return strstr(err.text, "standard output: Broken pipe") != NULL ? 50 : err.code;
    }
    return writer_commit(writer, &result, &err) < 0 ? err.code : 0;
}

static void failures_leave_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *fault;
        int code;
    } cases[] = {
        {"write:1:fail", ERROR_FAILED},  {"write:1:full", ERROR_RETRY},
        {"fsync:1:fail", ERROR_FAILED},  {"rename:1:fail", ERROR_FAILED},
        {"malloc:1:fail", ERROR_FAILED}, {"malloc:2:fail", ERROR_FAILED},
        {"malloc:3:fail", ERROR_FAILED}, {"malloc:4:fail", ERROR_FAILED},
        {"malloc:5:fail", ERROR_FAILED}, {"malloc:6:fail", ERROR_FAILED},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(run_again_code(cases[i].fault, "write", target), cases[i].code);
        assert_false(file_exists(target));
    }
    assert_int_equal(run_again_code("write:0:short", "write", target), 0);
    assert_true(file_exists(target));
}

static void a_closed_pipe_is_an_error(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    int keep = dup(STDOUT_FILENO);
    fflush(stdout);
    dup2(ends[1], STDOUT_FILENO);
    int code = run_again_code(NULL, "write", "-");
    dup2(keep, STDOUT_FILENO);
    close(keep);
    close(ends[1]);
    assert_int_equal(code, 50);
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return task_write(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plain_content_is_the_file, setup, teardown),
        cmocka_unit_test_setup_teardown(zstd_content_is_one_frame_with_a_checksum, setup, teardown),
        cmocka_unit_test_setup_teardown(calls_do_not_show_in_the_archive, setup, teardown),
        cmocka_unit_test_setup_teardown(an_empty_archive_is_a_frame, setup, teardown),
        cmocka_unit_test_setup_teardown(two_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(a_long_text_is_formatted, setup, teardown),
        cmocka_unit_test_setup_teardown(a_discard_leaves_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_full_disk_is_to_be_tried_again, setup, teardown),
        cmocka_unit_test_setup_teardown(failures_leave_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_closed_pipe_is_an_error, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
