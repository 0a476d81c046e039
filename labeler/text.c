/* SPDX-License-Identifier: MIT */
/*
 * Printable copies of foreign text.
 */
#include "labeler/text.h"

void text_copy_printable(char *out, size_t size, const char *text)
{
    size_t i = 0;
    for (; i + 1 < size && text[i] != 0; i++) {
        out[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    }
    out[i] = 0;
}
