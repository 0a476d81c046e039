/* SPDX-License-Identifier: MIT */
#include "pipeline/recipe/shell_quote.h"

#include <stdlib.h>
#include <string.h>

char *shell_quote(const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,:@%";
    if (*text && strspn(text, plain) == strlen(text))
        return strdup(text);
    char *quoted = malloc(4 * strlen(text) + 3), *to = quoted;
    if (!quoted)
        return NULL;
    *to++ = '\'';
    for (; *text; text++) {
        if (*text == '\'')
            to = stpcpy(to, "'\\''");
        else
            *to++ = *text;
    }
    *to++ = '\'';
    *to = '\0';
    return quoted;
}
