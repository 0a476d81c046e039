/* SPDX-License-Identifier: MIT */
/*
 * In what do two canonical recipes differ? For messages that refuse to mix them.
 */
#ifndef PLYMILL_PIPELINE_RECIPE_DIFFERENCE_H
#define PLYMILL_PIPELINE_RECIPE_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes "label.nodes was 500, now 400" for the first key whose line differs (a key that is only in
 * one of them "was not set" or is "now not set"), cut at size. False when there is none.
 */
bool difference_describe(const char *was, const char *now, char *out, size_t size);

#endif
