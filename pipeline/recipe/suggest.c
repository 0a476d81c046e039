/* SPDX-License-Identifier: MIT */
#include "pipeline/recipe/suggest.h"

#include <stdbool.h>
#include <string.h>

#define BEGINNING_MIN 3 /* letters: of fewer too much begins so */

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

size_t suggest_distance(const char *a, const char *b)
{
    size_t row[SUGGEST_WORD_MAX + 1]; /* row[j]: from what was read of a to the first j of b */
    size_t length_a = strlen(a), length_b = strlen(b);
    if (length_a > SUGGEST_WORD_MAX || length_b > SUGGEST_WORD_MAX)
        return length_a + length_b;
    for (size_t j = 0; j <= length_b; j++)
        row[j] = j;
    for (size_t i = 1; i <= length_a; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = smallest(replaced, row[j] + 1, row[j - 1] + 1);
        }
    }
    return row[length_b];
}

static bool begins(const char *name, const char *word)
{
    size_t length = strlen(word);
    return length >= BEGINNING_MIN && strncmp(name, word, length) == 0;
}

void suggest_consider(struct suggestion *suggestion, const char *name, const char *answer)
{
    size_t distance = suggest_distance(suggestion->word, name);
    bool near = distance <= 1 + strlen(suggestion->word) / 4 && distance < strlen(name);
    if (!near && !begins(name, suggestion->word))
        return;
    if (suggestion->answer && distance >= suggestion->distance)
        return;
    suggestion->answer = answer;
    suggestion->distance = distance;
}
