/* SPDX-License-Identifier: MIT */
/*
 * What a net is taken for: architecture strings, side files, what info says, and every way in which
 * a file can be wrong, cut, longer or another than it claims.
 */
#include <unistd.h>

#include "nnue/core/bullet.h"
#include "nnue/core/halfka.h"
#include "nnue/core/halfkp.h"
#include "tests/unit/nnue/netgen.h"

/* Loads and closes: the code; the text of an error stays in error. */
static int try_load(const void *bytes, size_t size, const char *arch, struct plynnue_error *error)
{
    struct plynnue_options options = {.size = sizeof options, .arch = arch};
    plynnue_net *net;
    /* A copy of exactly that size: the sanitizer sees a byte read too many. */
    uint8_t *copy = malloc(size + (size == 0));
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    *error = (struct plynnue_error){.code = 1};
    int code = plynnue_net_from_memory(copy, size, &options, &net, error);
    free(copy);
    if (code)
        assert_null(net);
    if (code && (code != error->code || !error->text[0] || strchr(error->text, '\n')))
        fail_msg("code %d, error %d: %s", code, error->code, error->text);
    plynnue_net_close(net);
    return code;
}

static void expect(const struct netgen *g, size_t size, const char *arch, int code,
                   const char *text)
{
    struct plynnue_error error;
    int found = try_load(g->bytes, size, arch, &error);
    if (found != code || (text && !strstr(error.text, text)))
        fail_msg("code %d: %s; expected %d: %s", found, error.text, code, text ? text : "");
}

static void test_info(void **state)
{
    static const struct netgen_halfka shape = {
        64, 8, 8, false, "seed", ",\"cp_num\":\"400\",\"cp_den\":\"8128\""};
    static const struct netgen_bullet bullet = {32, 10, 8, 60, 120, 127, 0};
    struct plynnue_info info = {.size = sizeof info};
    size_t data;
    struct netgen g = netgen_halfkp(1, 32);
    plynnue_net *net = netgen_open(&g, "sf12", PLYNNUE_ISA_AUTO);
    (void)state;
    plynnue_net_info(net, &info);
    assert_string_equal(info.arch, "halfkp(41024->32)x2->32->32->1");
    assert_int_equal(info.inputs, 41024);
    assert_int_equal(info.king_buckets, 64);
    assert_int_equal(info.output_buckets, 1);
    assert_int_equal(info.cp_num, 100);
    assert_int_equal(info.cp_den, 208);
    assert_int_equal(info.has_psqt, 0);
    assert_int_equal(info.verified, 1);
    plynnue_net_close(net);
    free(g.bytes);

    g = netgen_halfka(1, &shape, &data);
    net = netgen_open(&g, NULL, PLYNNUE_ISA_AUTO);
    plynnue_net_info(net, &info);
    assert_string_equal(info.arch, "halfka(22528->64)x2->8->1x8");
    assert_int_equal(info.l1, 64);
    assert_int_equal(info.king_buckets, 32);
    assert_int_equal(info.output_buckets, 8);
    assert_int_equal(info.cp_num, 400);
    assert_true(info.cp_per_unit == 400.0 / 8128);
    plynnue_net_close(net);
    free(g.bytes);

    g = netgen_bullet(1, &bullet);
    net = netgen_open(&g, "(768x10hm->32)x2->1x8 screlu table=" NETGEN_BULLET_TABLE,
                      PLYNNUE_ISA_AUTO);
    plynnue_net_info(net, &info);
    assert_string_equal(info.arch, "(768x10hm->32)x2->1x8 screlu qa=255 qb=64 scale=400");
    assert_int_equal(info.inputs, 7680);
    assert_int_equal(info.king_buckets, 10);
    assert_int_equal(info.output_buckets, 8);
    assert_true(info.cp_per_unit == 1);
    plynnue_net_close(net);
    free(g.bytes);
}

static void test_halfkp_files(void **state)
{
    struct netgen g = netgen_halfkp(1, 32);
    const size_t header = 12 + strlen("synthetic sf12 1");
    (void)state;
    expect(&g, g.size, NULL, PLYNNUE_OK, NULL);
    expect(&g, g.size, "halfkp(41024->32)x2->32->32->1", PLYNNUE_OK, NULL);
    expect(&g, g.size, "halfkp(41024->64)x2->32->32->1", PLYNNUE_EARCH, "L1 asked for");
    expect(&g, g.size, "halfkp(41024->32)x2->16->32->1", PLYNNUE_EARCH, "hash");
    expect(&g, g.size, "halfkp(41024->33)x2->32->32->1", PLYNNUE_EARCH, "is not halfkp");
    expect(&g, g.size, "769->128->32->1", PLYNNUE_EARCH, "is not halfkp");
    for (size_t size = 0; size < g.size; size += size < 100 ? 1 : g.size / 7)
        expect(&g, size, NULL, PLYNNUE_EFORMAT, NULL);
    expect(&g, g.size - 1, NULL, PLYNNUE_EFORMAT, "cut");
    netgen_put(&g, "x", 1);
    expect(&g, g.size, NULL, PLYNNUE_EFORMAT, "1 bytes follow");
    g.size--;
    g.bytes[4] ^= 1; /* file hash */
    expect(&g, g.size, NULL, PLYNNUE_EARCH, "hash");
    g.bytes[4] ^= 1;
    g.bytes[header] ^= 2; /* hash of the transformer: another L1 */
    expect(&g, g.size, NULL, PLYNNUE_EARCH, "feature transformer");
    g.bytes[header] ^= 2;
    g.bytes[header + 4 + 64 + 41024 * 64] ^= 1; /* hash of the network */
    expect(&g, g.size, NULL, PLYNNUE_EFORMAT, "the network");
    g.bytes[header + 4 + 64 + 41024 * 64] ^= 1;
    memset(g.bytes + 8, 0xff, 4); /* length of the description */
    expect(&g, g.size, NULL, PLYNNUE_EFORMAT, "description");
    free(g.bytes);
}

/* Replaces the first text in the header, which keeps its length. */
static void expect_changed(const struct netgen *g, const char *from, const char *to, int code,
                           const char *text)
{
    char *place = memmem(g->bytes, 1024, from, strlen(from));
    assert_non_null(place);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(place, to, strlen(to));
    expect(g, g->size, NULL, code, text);
    memcpy(place, from, strlen(from));
}

static void test_halfka_files(void **state)
{
    static const struct netgen_halfka shape = {32, 4, 8, false, "seed", ",\"shift\":\"6\""};
    size_t data;
    struct netgen g = netgen_halfka(1, &shape, &data);
    (void)state;
    expect(&g, g.size, NULL, PLYNNUE_OK, NULL);
    expect(&g, g.size, "halfka(22528->32)x2->4->1x8", PLYNNUE_OK, NULL);
    expect(&g, g.size, "halfka(22528->32)x2->4->1x8 order=seed", PLYNNUE_OK, NULL);
    expect(&g, g.size, "halfka(22528->32)x2->4->1x8 order=stockfish", PLYNNUE_EARCH, "order");
    expect(&g, g.size, "halfka(22528->32)x2->4->1", PLYNNUE_EARCH, "asked for");
    expect(&g, g.size - 1, NULL, PLYNNUE_EFORMAT, NULL);
    expect_changed(&g, "\"order\":\"seed\"", "\"order\":\"feed\"", PLYNNUE_EARCH, "feed");
    expect_changed(&g, "\"order\"", "\"older\"", PLYNNUE_EARCH, "order=");
    expect_changed(&g, "\"shift\":\"6\"", "\"shift\":\"7\"", PLYNNUE_EARCH, "shift");
    expect_changed(&g, "\"l1\":\"32\"", "\"l1\":\"64\"", PLYNNUE_EARCH, "l1");
    expect_changed(&g, "\"buckets\":\"8\"", "\"buckets\":\"1\"", PLYNNUE_EARCH, "buckets");
    expect_changed(&g, "x2->4->1x8", "x2->4->1x9", PLYNNUE_EARCH, NULL);
    expect_changed(&g, "\"I16\",\"shape\":[32]", "\"F16\",\"shape\":[32]", PLYNNUE_EARCH, "F16");
    expect_changed(&g, "out.bias", "out.boas", PLYNNUE_EARCH, "out.bias is missing");
    free(g.bytes);
    /* The order may come from the string. */
    g = netgen_halfka(1, &shape, &data);
    memcpy(memmem(g.bytes, 1024, "\"order\"", 7), "\"older\"", 7);
    expect(&g, g.size, "halfka(22528->32)x2->4->1x8 order=stockfish", PLYNNUE_OK, NULL);
    free(g.bytes);
}

static void test_bullet_files(void **state)
{
    static const struct netgen_bullet shape = {30, 1, 1, 60, 120, 127, 0};
    struct netgen g = netgen_bullet(1, &shape);
    (void)state;
    expect(&g, g.size, "(768->30)x2->1 crelu", PLYNNUE_OK, NULL);
    expect(&g, g.size, NULL, PLYNNUE_EFORMAT, "not a net: ");
    expect(&g, g.size, "769->128->32->1", PLYNNUE_EFORMAT, "not a net: ");
    expect(&g, 0, "(768->30)x2->1 crelu", PLYNNUE_EFORMAT, "empty");
    expect(&g, g.size - 1, "(768->30)x2->1 crelu", PLYNNUE_EFORMAT, "bytes");
    expect(&g, g.size, "(768->31)x2->1 crelu", PLYNNUE_EFORMAT, "bytes");
    expect(&g, g.size, "(768->30)x2->1x2 crelu", PLYNNUE_EFORMAT, NULL);
    netgen_put(&g, "x", 1);
    expect(&g, g.size, "(768->30)x2->1 crelu", PLYNNUE_EFORMAT, "bytes");
    g.size--;
    g.bytes[g.size - 1] ^= 1;
    expect(&g, g.size, "(768->30)x2->1 crelu", PLYNNUE_EFORMAT, "padding");
    free(g.bytes);
}

static void test_bullet_strings(void **state)
{
    static const char *const bad[] = {"(768->30)x2->1",
                                      "(768->0)x2->1 screlu",
                                      "(768->8193)x2->1 screlu",
                                      "(768->030)x2->1 screlu",
                                      "(768->30)x2->1x33 screlu",
                                      "(768->30)x2->1x0 screlu",
                                      "(768->30)x2->1screlu",
                                      "(768->30)x2->1 screlu qa=0",
                                      "(768->30)x2->1 screlu qa=32768",
                                      "(768->30)x2->1 screlu scale=65536",
                                      "(768->30)x2->1 screlu qb",
                                      "(768->30)x2->1 relu",
                                      "(768x2->30)x2->1 screlu",
                                      "(768x65->30)x2->1 screlu",
                                      "(768x2->30)x2->1 screlu table=0,1",
                                      "(768x9hm->30)x2->1 screlu table=" NETGEN_BULLET_TABLE,
                                      "(768x10->30)x2->1 screlu table=" NETGEN_BULLET_TABLE,
                                      "(768hm->30)x2->1 screlu table=" NETGEN_BULLET_TABLE ",9",
                                      "(768->30)x2->1 screlu table=" NETGEN_PLAIN_TABLE ",4"};
    struct bullet_shape shape;
    struct plynnue_error error;
    (void)state;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        if (bullet_parse_arch(bad[i], &shape, &error) != PLYNNUE_EARCH)
            fail_msg("accepted: %s", bad[i]);
    assert_int_equal(bullet_parse_arch("(768x10hm->64)x2->1x8 screlu qa=255 qb=64 scale=400 "
                                       "transposed table=" NETGEN_BULLET_TABLE,
                                       &shape, &error),
                     PLYNNUE_OK);
    assert_true(shape.n == 64 && shape.king_buckets == 10 && shape.heads == 8 && shape.mirrored &&
                shape.screlu && shape.transposed && shape.table[31] == 9);
    assert_int_equal(
        bullet_parse_arch("(768hm->8192)x2->1x32  crelu  qa=32767 scale=65535 ", &shape, &error),
        PLYNNUE_OK);
    assert_true(shape.n == 8192 && shape.king_buckets == 1 && shape.heads == 32 && !shape.screlu &&
                shape.qa == 32767 && shape.qb == 64 && shape.scale == 65535);
}

static void test_other_strings(void **state)
{
    struct halfka_shape a;
    struct halfkp_shape p;
    (void)state;
    assert_true(halfka_parse_arch("halfka(22528->4096)x2->1024->1x32 order=stockfish", &a));
    assert_true(a.l1 == 4096 && a.l2 == 1024 && a.heads == 32 && a.order == HALFKA_STOCKFISH);
    assert_false(halfka_parse_arch("halfka(22528->4128)x2->16->1", &a));
    assert_false(halfka_parse_arch("halfka(22528->256)x2->1025->1", &a));
    assert_false(halfka_parse_arch("halfka(22528->256)x2->16->1x33", &a));
    assert_false(halfka_parse_arch("halfka(22528->40)x2->16->1", &a));
    assert_false(halfka_parse_arch("halfka(22528->256)x2->16->1 order=", &a));
    assert_false(halfka_parse_arch("halfka(22528->256)x2->16->1y", &a));
    assert_true(halfkp_parse_arch("halfkp(41024->4096)x2->1024->1024->1", &p));
    assert_false(halfkp_parse_arch("halfkp(41024->4096)x2->1025->1024->1", &p));
    assert_false(halfkp_parse_arch("halfkp(41024->256)x2->32->32->1 ", &p));
}

/* The first line of NET.arch says what NET is. */
static void test_side_file(void **state)
{
    static const struct netgen_bullet shape = {30, 1, 1, 60, 120, 127, 0};
    struct netgen g = netgen_bullet(1, &shape);
    char folder[] = "/tmp/plymill-kinds-XXXXXX", path[64], side[80];
    struct plynnue_options options = {.size = sizeof options, .arch = "(768->30)x2->1 screlu"};
    struct plynnue_info info = {.size = sizeof info};
    struct plynnue_error error;
    plynnue_net *net;
    FILE *file;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/quantised.bin", folder);
    snprintf(side, sizeof side, "%s.arch", path);
    file = fopen(path, "wb");
    assert_int_equal(fwrite(g.bytes, 1, g.size, file), g.size);
    fclose(file);
    assert_int_equal(plynnue_net_open(path, NULL, &net, &error), PLYNNUE_EFORMAT);
    file = fopen(side, "wb");
    fputs("(768->30)x2->1 crelu\r\nwhat it was trained on\n", file);
    fclose(file);
    assert_int_equal(plynnue_net_open(path, NULL, &net, &error), PLYNNUE_OK);
    plynnue_net_info(net, &info);
    assert_non_null(strstr(info.arch, " crelu "));
    plynnue_net_close(net);
    assert_int_equal(plynnue_net_open(path, &options, &net, &error), PLYNNUE_OK);
    plynnue_net_info(net, &info);
    assert_non_null(strstr(info.arch, " screlu ")); /* who asks is right */
    plynnue_net_close(net);
    file = fopen(side, "wb");
    for (unsigned i = 0; i < 600; i++)
        fputc(' ', file);
    fclose(file);
    assert_int_equal(plynnue_net_open(path, NULL, &net, &error), PLYNNUE_EARCH);
    assert_non_null(strstr(error.text, ".arch"));
    unlink(side);
    unlink(path);
    rmdir(folder);
    free(g.bytes);
}

/* A container of a kind that no page describes: HalfKA 49216 of a web build of Stockfish. */
static void test_unknown_container(void **state)
{
    struct netgen g = netgen_new(1);
    (void)state;
    netgen_u32(&g, 0x7AF32F20u);
    netgen_u32(&g, 0x1C253E72u);
    netgen_u32(&g, 4);
    netgen_put(&g, "name", 4);
    netgen_u32(&g, 0x7F1648B8u);
    netgen_numbers(&g, 4096, 100, 0, 2);
    expect(&g, g.size, NULL, PLYNNUE_EARCH, "not known");
    free(g.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_info),           cmocka_unit_test(test_halfkp_files),
        cmocka_unit_test(test_halfka_files),   cmocka_unit_test(test_bullet_files),
        cmocka_unit_test(test_bullet_strings), cmocka_unit_test(test_other_strings),
        cmocka_unit_test(test_side_file),      cmocka_unit_test(test_unknown_container),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
