/* SPDX-License-Identifier: MIT */
/*
 * See error.h. Texts are made of parts of hostile input, so control characters are replaced: an
 * error stays one line and cannot drive a terminal.
 */
#define ERROR_IMPLEMENTATION
#include "formats/io/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void text_clean(char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f)
            *text = c == '\t' || c == '\n' ? ' ' : '?';
    }
}

static void text_format(struct error *err, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

static void text_format(struct error *err, const char *format, va_list args)
{
    int length = vsnprintf(err->text, sizeof err->text, format, args);
    if (length < 0)
        err->text[0] = '\0';
    text_clean(err->text);
}

int error_set(struct error *err, int code, const char *format, ...)
{
    if (err == NULL)
        return -1;
    va_list args;
    va_start(args, format);
    text_format(err, format, args);
    va_end(args);
    err->code = code;
    return -1;
}

int error_system(struct error *err, int errnum, const char *format, ...)
{
    if (err == NULL)
        return -1;
    va_list args;
    va_start(args, format);
    text_format(err, format, args);
    va_end(args);
    char words[128];
    const char *reason = strerror_r(errnum, words, sizeof words);
    size_t length = strlen(err->text);
    snprintf(err->text + length, sizeof err->text - length, ": %s", reason);
    err->code = errnum == ENOSPC || errnum == EDQUOT ? ERROR_RETRY : ERROR_FAILED;
    return -1;
}

int error_prefix(struct error *err, const char *format, ...)
{
    if (err == NULL)
        return -1;
    char old[ERROR_TEXT_MAX];
    memcpy(old, err->text, sizeof old);
    va_list args;
    va_start(args, format);
    text_format(err, format, args);
    va_end(args);
    size_t length = strlen(err->text);
    snprintf(err->text + length, sizeof err->text - length, ": %s", old);
    return -1;
}

int error_memory(struct error *err)
{
    return error_set(err, ERROR_FAILED, "out of memory");
}
