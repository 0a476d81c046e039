/* SPDX-License-Identifier: MIT */
/*
 * Error filling, see fail.h.
 */
#include "nnue/core/fail.h"

#include <stdarg.h>
#include <stdio.h>

int core_fail(struct plynnue_error *error, enum plynnue_code code, uint64_t offset,
              const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->code = code;
        error->offset = offset;
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return code;
}
