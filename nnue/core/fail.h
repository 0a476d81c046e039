/* SPDX-License-Identifier: MIT */
/*
 * How the library says what went wrong: one call that fills the caller's struct and gives the code.
 */
#ifndef PLYNNUE_FAIL_H
#define PLYNNUE_FAIL_H

#include "nnue/core/plynnue.h"

/* Fills error (may be NULL) and gives code, so that `return core_fail(...)` reads. */
int core_fail(struct plynnue_error *error, enum plynnue_code code, uint64_t offset,
              const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
