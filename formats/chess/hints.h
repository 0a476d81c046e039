/* SPDX-License-Identifier: MIT */
/*
 * What the compiler cannot know about paths. Use it only where a measurement shows a difference.
 */
#ifndef PLYMILL_FORMATS_CHESS_HINTS_H
#define PLYMILL_FORMATS_CHESS_HINTS_H

/* The rarer path beside a hot one: compiled on its own, so that it takes no registers there. */
#define OUT_OF_LINE __attribute__((noinline))
/* The hot path itself, where it has two callers and would become a call. */
#define IN_LINE inline __attribute__((always_inline))

#endif
