/* SPDX-License-Identifier: MIT */
#include "pipeline/recipe/pieceweights.h"

__extension__ typedef unsigned __int128 wide;

/* A fraction; numerators and denominators of those that are compared stay below 2^64. */
struct ratio {
    uint64_t over, under;
};

static bool ratio_less(struct ratio a, struct ratio b)
{
    return (wide)a.over * b.under < (wide)b.over * a.under;
}

/* A number without sign or leading zeros at *text, at most `most`. */
static bool read_number(const char **text, unsigned long most, unsigned long *number)
{
    const char *at = *text;
    *number = 0;
    if (at[0] == '0' && at[1] >= '0' && at[1] <= '9')
        return false;
    for (; *at >= '0' && *at <= '9' && *number <= most; at++)
        *number = 10 * *number + (unsigned long)(*at - '0');
    bool any = at != *text;
    *text = at;
    return any && *number <= most;
}

bool pieceweights_add(struct pieceweights *weights, const char *text)
{
    unsigned long low, high, weight;
    if (!read_number(&text, PIECEWEIGHTS_HIGH, &low))
        return false;
    high = low;
    if (*text == '-') {
        text++;
        if (!read_number(&text, PIECEWEIGHTS_HIGH, &high))
            return false;
    }
    if (low < PIECEWEIGHTS_LOW || high < low || *text++ != ':' ||
        !read_number(&text, PIECEWEIGHTS_MAX, &weight) || *text != '\0')
        return false;
    for (unsigned long pieces = low; pieces <= high; pieces++)
        if (weights->class_of[pieces] != 0)
            return false;
    weights->weight[weights->classes++] = (uint32_t)weight;
    for (unsigned long pieces = low; pieces <= high; pieces++)
        weights->class_of[pieces] = (uint8_t)weights->classes;
    return true;
}

/* k: the smallest c / w, but not below the largest c / w by the thinning that is allowed. */
static struct ratio find_scale(const struct pieceweights *weights,
                               const uint64_t counts[PIECEWEIGHTS_CLASSES])
{
    struct ratio least = {1, 0}, most = {0, 1};
    for (unsigned i = 0; i < weights->classes; i++) {
        struct ratio here = {counts[i], weights->weight[i]};
        if (here.over == 0 || here.under == 0)
            continue;
        if (ratio_less(here, least))
            least = here;
        if (ratio_less(most, here))
            most = here;
    }
    most.under *= PIECEWEIGHTS_THINNING;
    return ratio_less(least, most) ? most : least;
}

void pieceweights_keep(const struct pieceweights *weights,
                       const int64_t counts[PIECEWEIGHTS_HIGH + 1], struct piecekeep *keep)
{
    uint64_t sums[PIECEWEIGHTS_CLASSES] = {0};
    for (unsigned pieces = PIECEWEIGHTS_LOW; pieces <= PIECEWEIGHTS_HIGH; pieces++)
        if (weights->class_of[pieces] != 0)
            sums[weights->class_of[pieces] - 1] += (uint64_t)counts[pieces];
    struct ratio scale = find_scale(weights, sums);
    *keep = (struct piecekeep){.all = {false}};
    for (unsigned pieces = PIECEWEIGHTS_LOW; pieces <= PIECEWEIGHTS_HIGH; pieces++) {
        unsigned number = weights->class_of[pieces];
        if (number == 0 || sums[number - 1] == 0 || weights->weight[number - 1] == 0)
            continue;
        wide over = (wide)scale.over * weights->weight[number - 1];
        wide under = (wide)scale.under * sums[number - 1];
        keep->all[pieces] = over >= under;
        if (!keep->all[pieces])
            keep->below[pieces] = (uint64_t)((over << 64) / under);
    }
}
