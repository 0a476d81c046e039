/* SPDX-License-Identifier: MIT */
/*
 * The reader of jsonl: see fuzz_lines.h.
 */
#include "tests/fuzz/fuzz_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_lines(&codec_jsonl, data, size);
}
