/* SPDX-License-Identifier: MIT */
/*
 * The nearest name to a mistyped one: for commands, options, and sections, keys and words of
 * recipes that do not exist.
 */
#ifndef PLYMILL_PIPELINE_RECIPE_SUGGEST_H
#define PLYMILL_PIPELINE_RECIPE_SUGGEST_H

#include <stddef.h>

#define SUGGEST_WORD_MAX 64 /* bytes; longer words are like nothing */

/* Starts as {.word = what was typed}. */
struct suggestion {
    const char *word;
    const char *answer; /* the best so far, NULL for none */
    size_t distance;    /* of the best so far */
};

/*
 * Is name near to the word, and nearer than all before it? Then answer is what to suggest. Near:
 * one letter added, left out or replaced in every four, and one more; or the word is how it begins.
 */
void suggest_consider(struct suggestion *suggestion, const char *name, const char *answer);
/* The smallest number of letters to add, leave out or replace that turns a into b. */
size_t suggest_distance(const char *a, const char *b);

#endif
