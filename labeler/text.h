/* SPDX-License-Identifier: MIT */
/*
 * Text of strangers (engines, their error output) made fit for error texts and stores.
 */
#ifndef PLYMILL_LABELER_TEXT_H
#define PLYMILL_LABELER_TEXT_H

#include <stddef.h>

/*
 * Copies text, cut to size - 1 bytes, with everything that is not printable ASCII as '?'. size > 0.
 */
void text_copy_printable(char *out, size_t size, const char *text);

#endif
