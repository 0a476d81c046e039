/* SPDX-License-Identifier: MIT */
/*
 * Reading architecture strings, see archtext.h.
 */
#include "nnue/core/archtext.h"

#include <string.h>

bool archtext_skip(const char **text, const char *letters)
{
    size_t length = strlen(letters);
    if (strncmp(*text, letters, length) != 0)
        return false;
    *text += length;
    return true;
}

bool archtext_number(const char **text, uint32_t minimum, uint32_t maximum, uint32_t *value)
{
    const char *c = *text;
    uint64_t number = 0;
    if (*c < '0' || *c > '9' || (c[0] == '0' && c[1] >= '0' && c[1] <= '9'))
        return false;
    for (; *c >= '0' && *c <= '9' && number <= maximum; c++)
        number = number * 10 + (uint64_t)(*c - '0');
    if (number < minimum || number > maximum || (*c >= '0' && *c <= '9'))
        return false;
    *value = (uint32_t)number;
    *text = c;
    return true;
}

bool archtext_ends(const char **text)
{
    *text += strspn(*text, " ");
    return !**text;
}
