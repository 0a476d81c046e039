/* SPDX-License-Identifier: MIT */
/*
 * See tiny_order.h. Places whose products are added in 16 bits are a set; a set that has too much
 * of one sign in some output gives a unit away for a better one of another set, the best exchange
 * first, until nothing is too much or no exchange helps.
 */
#include "nnue/core/tiny_order.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROOM = INT16_MAX / 127, /* for weights of one sign, activations being 0 .. 127 */
    EXCHANGES_MAX = 64,
    DEPTH_MIN = 2,
    SET_MAX = 8,
    SETS_MAX = TINY_WIDTH_MAX / (2 * DEPTH_MIN),
    SIGNS = 2
};

/* Weights of one sign, of every output. */
struct weights {
    int32_t of[SIGNS][TINY_OUTPUTS];
};

struct set {
    uint16_t units[SET_MAX];
    struct weights sum;
    int32_t excess; /* what is beyond ROOM */
};

struct search {
    uint32_t sets, size; /* of a set */
    struct set set[SETS_MAX];
    struct weights unit[TINY_WIDTH_MAX];
};

struct exchange {
    struct set *a, *b;
    unsigned i, j;
    int32_t gain;
};

static int32_t beyond(int32_t sum)
{
    return sum > ROOM ? sum - ROOM : 0;
}

/* The excess of a set after one unit has gone and another one has come. */
static int32_t excess_with(const struct weights *sum, const struct weights *gone,
                           const struct weights *come)
{
    int32_t excess = 0;
    for (unsigned sign = 0; sign < SIGNS; sign++)
        for (unsigned o = 0; o < TINY_OUTPUTS; o++)
            excess += beyond(sum->of[sign][o] - gone->of[sign][o] + come->of[sign][o]);
    return excess;
}

static void move_weights(struct weights *sum, const struct weights *gone,
                         const struct weights *come)
{
    for (unsigned sign = 0; sign < SIGNS; sign++)
        for (unsigned o = 0; o < TINY_OUTPUTS; o++)
            sum->of[sign][o] += come->of[sign][o] - gone->of[sign][o];
}

static struct set *worst_set(struct search *s)
{
    struct set *worst = s->set;
    for (uint32_t k = 1; k < s->sets; k++)
        if (s->set[k].excess > worst->excess)
            worst = &s->set[k];
    return worst;
}

/* The best exchange of a unit of a; gain 0: none helps. */
static struct exchange best_exchange(struct search *s, struct set *a)
{
    struct exchange best = {.gain = 0};
    for (struct set *b = s->set; b < s->set + s->sets; b++)
        for (unsigned i = 0; i < s->size && b != a; i++)
            for (unsigned j = 0; j < s->size; j++) {
                const struct weights *u = &s->unit[a->units[i]], *v = &s->unit[b->units[j]];
                int32_t gain =
                    a->excess + b->excess - excess_with(&a->sum, u, v) - excess_with(&b->sum, v, u);
                if (gain > best.gain)
                    best = (struct exchange){a, b, i, j, gain};
            }
    return best;
}

static void make_exchange(struct search *s, const struct exchange *x)
{
    static const struct weights none;
    uint16_t u = x->a->units[x->i], v = x->b->units[x->j];
    move_weights(&x->a->sum, &s->unit[u], &s->unit[v]);
    move_weights(&x->b->sum, &s->unit[v], &s->unit[u]);
    x->a->units[x->i] = v;
    x->b->units[x->j] = u;
    x->a->excess = excess_with(&x->a->sum, &none, &none);
    x->b->excess = excess_with(&x->b->sum, &none, &none);
}

/* Where a set has the unit of a place. */
static uint16_t *unit_place(struct search *s, uint32_t place, unsigned depth)
{
    uint32_t group = place % 16 / 4, half = place % 4 / 2;
    uint32_t set = (place / 16 * (4 / depth) + group / depth) * 2 + half;
    return &s->set[set].units[group % depth * 2 + place % 2];
}

static void begin(struct search *s, const uint16_t *order, const int8_t *weights, uint32_t width,
                  unsigned depth)
{
    static const struct weights none;
    memset(s, 0, sizeof *s);
    s->size = 2 * depth;
    s->sets = width / s->size;
    for (uint32_t unit = 0; unit < width; unit++)
        for (uint32_t o = 0; o < TINY_OUTPUTS; o++) {
            const int8_t weight = weights[(size_t)o * width + unit];
            s->unit[unit].of[weight < 0][o] = abs(weight);
        }
    for (uint32_t place = 0; place < width; place++)
        *unit_place(s, place, depth) = order[place];
    for (uint32_t k = 0; k < s->sets; k++) {
        for (unsigned i = 0; i < s->size; i++)
            move_weights(&s->set[k].sum, &none, &s->unit[s->set[k].units[i]]);
        s->set[k].excess = excess_with(&s->set[k].sum, &none, &none);
    }
}

static bool search(struct search *s)
{
    for (unsigned made = 0;; made++) {
        struct set *worst = worst_set(s);
        struct exchange best;
        if (!worst->excess || made == EXCHANGES_MAX)
            return !worst->excess;
        best = best_exchange(s, worst);
        if (!best.gain)
            return false;
        make_exchange(s, &best);
    }
}

bool tiny_order_fit(uint16_t *order, const int8_t *weights, uint32_t width, unsigned depth)
{
    struct search *s = malloc(sizeof *s);
    bool found = false;
    if (!s)
        return false;
    begin(s, order, weights, width, depth);
    found = search(s);
    for (uint32_t place = 0; place < width && found; place++)
        order[place] = *unit_place(s, place, depth);
    free(s);
    return found;
}
