/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/knownbad.h"

#include <stddef.h>

#define OPENING_PLIES 15

static const struct {
    struct dates days;
    bool variants_only;
    struct knownbad bad;
} table[] = {
    {{20161200, 20161299}, false, {.game = true}},
    {{20200700, 20200899}, false, {.first_ply = OPENING_PLIES + 1}},
    {{20201200, 20210199}, true, {.game = true}},
    {{20210209, 20210209}, false, {.game = true}},
    {{20210312, 20210312}, false, {.result = true}},
};

struct knownbad knownbad_of(const struct dates *day, bool variant)
{
    for (size_t i = 0; day && i < sizeof table / sizeof table[0]; i++)
        if (dates_within(day, &table[i].days) && (variant || !table[i].variants_only))
            return table[i].bad;
    return (struct knownbad){0};
}
