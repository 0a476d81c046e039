/* SPDX-License-Identifier: MIT */
/*
 * Two labels of one position, every field compared.
 */
#ifndef PLYMILL_LABELER_LABEL_DIFF_H
#define PLYMILL_LABELER_LABEL_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/label.h"

/*
 * False when they are equal. Else true, with the first difference in words: "final score cp 31
 * (lower bound), and then cp 28 (exact)". The text is cut at size > 0.
 */
bool label_diff(const struct label *first, const struct label *second, char *text, size_t size);

#endif
