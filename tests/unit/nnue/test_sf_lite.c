/* SPDX-License-Identifier: MIT */
/*
 * The small net of Stockfish 19 out of ../shared/nets against the integers of its engine, at every
 * instruction set that this machine has. (The large nets: tests/unit/nets/test_stockfish.c.)
 */
#include "formats/io/buffer.h"
#include "formats/io/reader.h"
#include "tests/unit/nnue/sf_vectors.h"
#include "tests/unit/skip.h"

#define NET "../shared/nets/nn-61e7af4bb97d.nnue.zst"

enum { NET_SIZE = 1166381 };

/* false: there is no such file here. */
static bool read_net(struct buffer *out)
{
    struct reader *reader;
    struct error err = {.text = ""};
    ssize_t got = 1;
    buffer_init(out, NET_SIZE + 1);
    if (reader_open(NET, false, &reader, &err))
        return false;
    assert_int_equal(buffer_reserve(out, NET_SIZE + 1, &err), 0);
    while (got > 0) {
        got = reader_read(reader, out->data + out->length, NET_SIZE + 1 - out->length, &err);
        assert_true(got >= 0);
        out->length += (size_t)got;
    }
    reader_close(reader);
    assert_int_equal(out->length, NET_SIZE);
    return true;
}

static void test_lite(void **state)
{
    struct buffer bytes;
    struct plynnue_options options = {.size = sizeof options};
    struct plynnue_error error = {.text = ""};
    (void)state;
    if (!read_net(&bytes))
        SKIP_BECAUSE("no " NET);
    for (int isa = PLYNNUE_ISA_AUTO; isa <= PLYNNUE_ISA_NEON; isa++) {
        plynnue_net *net;
        options.isa = (enum plynnue_isa)isa;
        int code = plynnue_net_from_memory(bytes.data, bytes.length, &options, &net, &error);
        if (code == PLYNNUE_EISA)
            continue;
        if (code)
            fail_msg("%s", error.text);
        sf_expect_file(net, "sf19lite_61e7af4bb97d.tsv", SF_VALUE_BUCKET, 392);
        plynnue_net_close(net);
    }
    buffer_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
