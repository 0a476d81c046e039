/* SPDX-License-Identifier: MIT */
/*
 * A line of a list of positions as they occur in the wild: a FEN of six fields, or four fields with
 * EPD operations behind them, of which hmvc and fmvn set the clocks, or the word "startpos".
 */
#ifndef PLYMILL_PIPELINE_CLI_FENLINE_H
#define PLYMILL_PIPELINE_CLI_FENLINE_H

#include <stddef.h>

#include "formats/chess/position.h"

/* The FEN that an argument or a line means: "startpos" is that of the start, others themselves. */
const char *fenline_meant(const char *text);

/*
 * Reads size bytes (no line end). *dropped gets the number of castling letters dropped. NULL, or
 * why the position is unusable. Behind six fields only a comment that begins with ';' may follow.
 */
const char *fenline_parse(const char *text, size_t size, struct position *position,
                          unsigned *dropped);

#endif
