/* SPDX-License-Identifier: MIT */
#include "pipeline/report/digits.h"

#include <stdio.h>
#include <string.h>

void digits_group(const char *sign, const char *digits, char *out, size_t size)
{
    size_t whole = strcspn(digits, "."), to = strlen(sign);
    (void)snprintf(out, size, "%s", sign);
    for (size_t i = 0; i < whole && to + 2 < size; i++) {
        if (i > 0 && (whole - i) % 3 == 0)
            out[to++] = ',';
        out[to++] = digits[i];
    }
    if (to < size)
        (void)snprintf(out + to, size - to, "%s", digits + whole);
}
