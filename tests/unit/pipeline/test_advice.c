/* SPDX-License-Identifier: MIT */
/* What doctor says of machines that no test can be given: at the limits, and one past them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/cli/advice.h"

#define MIB 1048576.0
#define GIB 1073741824.0

static void memory(double available, unsigned workers, int64_t hash, const char *text)
{
    char out[ADVICE_SIZE];
    advice_memory(available, 16 * GIB, workers, hash, out);
    assert_string_equal(out, text);
}

static void test_memory(void **state)
{
    (void)state;
    memory(8 * GIB, 4, 4, "8.0 GiB free of 16.0");
    memory(4 * 124 * MIB, 4, 4, "0.5 GiB free of 16.0");
    memory(4 * 124 * MIB - 1, 4, 4,
           "0.5 GiB free of 16.0: too little for 4 engines of 124 MiB; take --workers 3");
    memory(10 * GIB, 64, 256,
           "10.0 GiB free of 16.0: too little for 64 engines of 376 MiB; take --workers 27");
    memory(124 * MIB, 1, 4, "0.1 GiB free of 16.0");
    memory(124 * MIB - 1, 1, 4,
           "0.1 GiB free of 16.0: too little for an engine of 124 MiB; end other programs");
}

static void disk(double available, const char *text)
{
    char out[ADVICE_SIZE];
    advice_disk(available, out);
    assert_string_equal(out, text);
}

static void test_disk(void **state)
{
    (void)state;
    disk(600e9, "558.8 GiB free in this folder: room for 2,000 million positions");
    disk(GIB, "1.0 GiB free in this folder: room for 3 million positions");
    disk(GIB - 1,
         "1.0 GiB free in this folder: room for 3 million positions; build where there is more");
    disk(0, "0.0 GiB free in this folder: room for 0 million positions; build where there is more");
}

static void test_simd(void **state)
{
    char out[ADVICE_SIZE];
    (void)state;
    advice_simd(PLYNNUE_ISA_AVX2, out);
    assert_string_equal(out, "avx2");
    advice_simd(PLYNNUE_ISA_SCALAR, out);
    assert_string_equal(
        out, "scalar: nets are slow here; a processor with AVX2 or NEON is several times as fast");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_disk),
        cmocka_unit_test(test_simd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
