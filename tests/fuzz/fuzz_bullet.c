/* SPDX-License-Identifier: MIT */
/*
 * Damaged bullet files: see fuzz_packed.h.
 */
#include "tests/fuzz/fuzz_packed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_packed(&codec_bullet, data, size);
}
