/* SPDX-License-Identifier: MIT */
/*
 * Reading architecture strings: a cursor that goes on when what is asked for stands there.
 */
#ifndef PLYNNUE_ARCHTEXT_H
#define PLYNNUE_ARCHTEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Is the cursor at these letters? Then it goes behind them. */
bool archtext_skip(const char **text, const char *letters);
/* A decimal number minimum .. maximum without leading zeros. The cursor moves only on success. */
bool archtext_number(const char **text, uint32_t minimum, uint32_t maximum, uint32_t *value);
/* Skips blanks; is the text at its end then? */
bool archtext_ends(const char **text);

#endif
