/* SPDX-License-Identifier: MIT */
/*
 * Errors: an int that is 0 or negative, and a caller-owned struct error that says what happened.
 *
 * The text is filled where the fault is known and prefixed with "where" on the way up, so that the
 * one line that main prints reads `games.pgn: game 12 (byte 3456): ...`. Libraries never print.
 */
#ifndef PLYMILL_FORMATS_IO_ERROR_H
#define PLYMILL_FORMATS_IO_ERROR_H

#define ERROR_TEXT_MAX 1024

/* The code of an error is the exit status that it leads to. */
enum error_code {
    ERROR_FAILED = 1,  /* bad input, a failed system call, a broken file */
    ERROR_USAGE = 2,   /* wrong command line or recipe */
    ERROR_DIFFERS = 3, /* a verification found a difference */
    ERROR_RETRY = 75   /* try again later: signal, lock, disk full, too many engine failures */
};

struct error {
    int code;                  /* enum error_code; 0 while nothing went wrong */
    char text[ERROR_TEXT_MAX]; /* one line without a newline; cut when longer */
};

/* Sets code and text. err may be NULL. Always returns -1, so that `return error_set(...)` reads. */
int error_set(struct error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * The same for a failed system call: appends ": " and the words for errnum. A full disk (ENOSPC,
 * EDQUOT) becomes ERROR_RETRY, anything else ERROR_FAILED.
 */
int error_system(struct error *err, int errnum, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts text and ": " in front of what is there. Keeps the code. Returns -1. */
int error_prefix(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "out of memory". Returns -1. */
int error_memory(struct error *err);

/* Static analysis sees one file at a time: this tells it that the value is always -1. */
#if defined(__clang_analyzer__) && !defined(ERROR_IMPLEMENTATION)
#define error_set(...)    (error_set(__VA_ARGS__), -1)
#define error_system(...) (error_system(__VA_ARGS__), -1)
#define error_prefix(...) (error_prefix(__VA_ARGS__), -1)
#define error_memory(err) (error_memory(err), -1)
#endif

#endif
