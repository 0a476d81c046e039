/* SPDX-License-Identifier: MIT */
/*
 * What a net was trained on goes into its file and comes out again; files that say nothing of it
 * are no error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/io/file.h"
#include "nnue/tools/origin.h"
#include "nnue/tools/tinynet.h"

static char path[] = "/tmp/plymill-origin-XXXXXX";

static void write_net(const struct text_out *texts, size_t count)
{
    struct tinynnue_float net;
    struct buffer bytes;
    assert_int_equal(tinynnue_float_new(&net, 8, 4), 0);
    buffer_init(&bytes, TINYNET_FILE_MAX);
    assert_int_equal(tinynet_encode_float(&net, texts, count, &bytes, NULL), 0);
    assert_int_equal(file_write_all(path, bytes.data, bytes.length, NULL), 0);
    buffer_free(&bytes);
    tinynnue_float_free(&net);
}

static void test_round_trip(void **state)
{
    struct origin origin = {.seed = "7", .shares = "90,5,5"}, back;
    struct text_out texts[ORIGIN_TEXTS];
    (void)state;
    memset(origin.records, 'a', DIGEST_HEX_SIZE - 1);
    memset(origin.build, 'b', DIGEST_HEX_SIZE - 1);
    assert_int_equal(origin_texts(&origin, texts), ORIGIN_TEXTS);
    write_net(texts, ORIGIN_TEXTS);
    assert_int_equal(origin_read(path, &back, NULL), 0);
    assert_string_equal(back.records, origin.records);
    assert_string_equal(back.build, origin.build);
    assert_string_equal(back.seed, "7");
    assert_string_equal(back.shares, "90,5,5");
}

static void test_unknown_is_left_out(void **state)
{
    const struct origin origin = {.records = "ff", .seed = "7"};
    struct origin back;
    struct text_out texts[ORIGIN_TEXTS];
    (void)state;
    assert_int_equal(origin_texts(&origin, texts), 2);
    write_net(texts, 2);
    assert_int_equal(origin_read(path, &back, NULL), 0);
    assert_string_equal(back.records, "ff");
    assert_string_equal(back.build, "");
}

static void test_nets_that_say_nothing(void **state)
{
    static const char other[] = "no net at all";
    struct origin origin;
    (void)state;
    write_net(NULL, 0);
    assert_int_equal(origin_read(path, &origin, NULL), 0);
    assert_string_equal(origin.records, "");
    assert_int_equal(file_write_all(path, other, sizeof other - 1, NULL), 0);
    assert_int_equal(origin_read(path, &origin, NULL), 0);
    assert_string_equal(origin.records, "");
    assert_int_equal(origin_read("/nowhere/net", &origin, NULL), -1);
}

/* In the description of a .nnue, and behind the first line of a side file. */
static void test_other_files(void **state)
{
    static const char nnue[] = "\x16\x2f\xf3\x7a"
                               "hash"
                               "\x2b\0\0\0"
                               "halfkp train.records=ff  split.shares=90,5,5";
    static const char side[] =
        "(768->1)x2->1 screlu train.build=no\ntrain.records=ee\nsplit.seed=8";
    struct origin origin;
    char name[sizeof path + 5];
    (void)state;
    assert_int_equal(file_write_all(path, nnue, sizeof nnue - 1, NULL), 0);
    assert_int_equal(origin_read(path, &origin, NULL), 0);
    assert_string_equal(origin.records, "ff");
    assert_string_equal(origin.shares, "90,5,"); /* the description has 43 bytes */
    assert_string_equal(origin.seed, "");
    snprintf(name, sizeof name, "%s.arch", path);
    assert_int_equal(file_write_all(name, side, sizeof side - 1, NULL), 0);
    assert_int_equal(file_write_all(path, "bytes", 5, NULL), 0);
    assert_int_equal(origin_read(path, &origin, NULL), 0);
    assert_string_equal(origin.records, "ee");
    assert_string_equal(origin.seed, "8");
    assert_string_equal(origin.build, "");
    unlink(name);
}

static void test_value_that_does_not_fit(void **state)
{
    char seed[ORIGIN_SEED_MAX + 1];
    const struct text_out texts[] = {{"split.seed", seed}};
    struct origin origin;
    (void)state;
    memset(seed, '1', sizeof seed);
    seed[ORIGIN_SEED_MAX] = '\0';
    write_net(texts, 1);
    assert_int_equal(origin_read(path, &origin, NULL), 0);
    assert_string_equal(origin.seed, "");
    seed[ORIGIN_SEED_MAX - 1] = '\0';
    write_net(texts, 1);
    assert_int_equal(origin_read(path, &origin, NULL), 0);
    assert_string_equal(origin.seed, seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_unknown_is_left_out),
        cmocka_unit_test(test_nets_that_say_nothing),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_value_that_does_not_fit),
    };
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    (void)close(fd);
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(path);
    return status;
}
