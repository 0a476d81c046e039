/* SPDX-License-Identifier: MIT */
/*
 * What goes to a person's terminal and how: colours, and whether progress is shown. Both are of the
 * process, as its stderr is, and set once from the command line.
 */
#ifndef PLYMILL_PIPELINE_REPORT_TERMINAL_H
#define PLYMILL_PIPELINE_REPORT_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum terminal_when { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER };

/* "auto", "always", "never"; false for anything else. */
bool terminal_when_from(const char *word, enum terminal_when *when);

/* Auto: on a terminal, unless NO_COLOR is set and not empty, or TERM is "dumb". */
void terminal_set_color(enum terminal_when when);
bool terminal_has_color(FILE *out);
/* What to write before and behind text in that colour: "" where there are none. */
const char *terminal_red(FILE *out);
const char *terminal_bold(FILE *out);
const char *terminal_plain(FILE *out);

#define TERMINAL_NUMBER_SIZE 32
/* 12,345,678 and -12,345, with the minus of ASCII, so that printf can align it; returns out. */
const char *terminal_number(int64_t number, char out[TERMINAL_NUMBER_SIZE]);
/* The same in storage of the caller's block: for arguments of printf. */
#define TERMINAL_NUMBER(number) terminal_number((int64_t)(number), (char[TERMINAL_NUMBER_SIZE]){0})

/* Auto: a line that is rewritten on a terminal, a line a minute elsewhere. */
void terminal_set_progress(enum terminal_when when);
enum terminal_when terminal_progress(void);
/* Columns of the terminal behind stderr, now; 80 where it is not known. */
unsigned terminal_columns(void);

#endif
