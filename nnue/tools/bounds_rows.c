/* SPDX-License-Identifier: MIT */
/*
 * Bounds of accumulators of piece-squares, see bounds_rows.h.
 */
#include "nnue/tools/bounds_rows.h"

#include <string.h>

#include "nnue/core/sf_rows.h"

enum { SQUARES = 64, TYPES = 6, KING = 5, MEN = 30, LARGEST = 32, LANES = 32 };

#define NEVER (-(INT64_C(1) << 40)) /* less than any row is worth */

/* Where the numbers are: bias and one row a feature, int16 or int32. */
struct source {
    const struct feature_map *map;
    size_t width, stride;
    const int16_t *bias, *w16; /* either these */
    const int32_t *w32;        /* or this, without a bias */
};

/* Some neighbouring units of a source. */
struct block {
    const struct source *source;
    size_t first, lanes;
};

static void grow(struct range *range, int64_t value)
{
    if (value < range->low)
        range->low = value;
    if (value > range->high)
        range->high = value;
}

static int64_t weight(const struct block *block, size_t row, size_t lane)
{
    const struct source *source = block->source;
    size_t at = row * source->stride + block->first + lane;
    return source->w16 ? source->w16[at] : source->w32[at];
}

static int64_t bias(const struct block *block, size_t lane)
{
    return block->source->bias ? block->source->bias[block->first + lane] : 0;
}

/* One way to see the board: from view, the own king on this square. */
struct seat {
    unsigned view, king;
};

/* What a piece on a square adds to every unit, times sign: 0 where it is no feature. */
static void worth(const struct block *block, const struct seat *seat, unsigned piece,
                  unsigned square, int sign, int64_t out[LANES])
{
    const struct feature_map *map = block->source->map;
    const struct feature_king *king = &map->king[seat->view][seat->king];
    uint32_t plane = map->plane[seat->view][piece];
    size_t row = king->base + (size_t)plane + (square ^ king->flip);
    for (size_t lane = 0; lane < block->lanes; lane++)
        out[lane] = plane == FEATURE_NONE ? 0 : sign * weight(block, row, lane);
}

static bool on_edge_rank(unsigned square)
{
    return square < 8 || square >= SQUARES - 8;
}

/* best[square][lane]: the most that a piece other than a king there adds, at least 0 (none). */
static void find_best(const struct block *block, const struct seat *seat, int sign, bool edge_pawns,
                      int64_t best[SQUARES][LANES])
{
    int64_t value[LANES];
    memset(best, 0, SQUARES * sizeof best[0]);
    for (unsigned piece = 0; piece < 2 * TYPES; piece++) {
        if (piece % TYPES == KING)
            continue;
        for (unsigned square = 0; square < SQUARES; square++) {
            if (square == seat->king || (piece % TYPES == 0 && !edge_pawns && on_edge_rank(square)))
                continue;
            worth(block, seat, piece, square, sign, value);
            for (size_t lane = 0; lane < block->lanes; lane++)
                if (value[lane] > best[square][lane])
                    best[square][lane] = value[lane];
        }
    }
    for (size_t lane = 0; lane < LANES; lane++)
        best[seat->king][lane] = NEVER;
}

/* The larger of two to the front, lane by lane. */
static void order(int64_t *restrict a, int64_t *restrict b)
{
    for (size_t lane = 0; lane < LANES; lane++) {
        int64_t x = a[lane], y = b[lane];
        a[lane] = x > y ? x : y;
        b[lane] = x > y ? y : x;
    }
}

/* Batcher's odd-even merge sort of every lane, largest first. */
static void sort_lanes(int64_t values[SQUARES][LANES])
{
    for (unsigned p = 1; p < SQUARES; p *= 2)
        for (unsigned k = p; k >= 1; k /= 2)
            for (unsigned j = k % p; j + k < SQUARES; j += 2 * k)
                for (unsigned i = j; i < j + k && i + k < SQUARES; i++)
                    if (i / (2 * p) == (i + k) / (2 * p))
                        order(values[i], values[i + k]);
}

/* The most that the enemy king adds, wherever he may stand. The 30 best other pieces count already:
 * if he takes the square of one of them, the 31st comes in. */
static void add_enemy_king(const struct block *block, const struct seat *seat, int sign,
                           int64_t best[SQUARES][LANES], int64_t sorted[SQUARES][LANES],
                           int64_t out[LANES])
{
    int64_t value[LANES], top[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        top[lane] = NEVER;
    for (unsigned square = 0; square < SQUARES; square++) {
        if (square == seat->king)
            continue;
        worth(block, seat, KING + TYPES * (seat->view ^ 1), square, sign, value);
        for (size_t lane = 0; lane < block->lanes; lane++) {
            if (best[square][lane] >= sorted[MEN - 1][lane])
                value[lane] += sorted[MEN][lane] - best[square][lane];
            if (value[lane] > top[lane])
                top[lane] = value[lane];
        }
    }
    for (size_t lane = 0; lane < block->lanes; lane++)
        out[lane] += top[lane];
}

/* The most of sign * (bias + rows). */
static void most(const struct block *block, const struct seat *seat, int sign, bool edge_pawns,
                 int64_t out[LANES])
{
    int64_t best[SQUARES][LANES], sorted[SQUARES][LANES];
    find_best(block, seat, sign, edge_pawns, best);
    memcpy(sorted, best, sizeof sorted);
    sort_lanes(sorted);
    worth(block, seat, KING + TYPES * seat->view, seat->king, sign, out);
    for (size_t lane = 0; lane < block->lanes; lane++) {
        out[lane] += sign * bias(block, lane);
        for (unsigned i = 0; i < MEN; i++)
            out[lane] += sorted[i][lane];
    }
    add_enemy_king(block, seat, sign, best, sorted, out);
}

static void grow_exact(const struct block *block, const struct seat *seat, bool edge_pawns,
                       struct range *range)
{
    int64_t values[LANES];
    for (int sign = -1; sign <= 1; sign += 2) {
        most(block, seat, sign, edge_pawns, values);
        for (size_t lane = 0; lane < block->lanes; lane++)
            grow(range, sign * values[lane]);
    }
}

static int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

/* Puts a value into a list of the largest ones, largest first. */
static void keep_largest(int64_t list[LARGEST], int64_t value)
{
    unsigned i = LARGEST - 1;
    if (value <= list[i])
        return;
    for (; i > 0 && list[i - 1] < value; i--)
        list[i] = list[i - 1];
    list[i] = value;
}

static int64_t loose_bound(const struct block *block, size_t lane, size_t first_row, size_t rows)
{
    int64_t largest[LARGEST] = {0}, sum = magnitude(bias(block, lane));
    for (size_t row = first_row; row < first_row + rows; row++)
        keep_largest(largest, magnitude(weight(block, row, lane)));
    for (unsigned i = 0; i < LARGEST; i++)
        sum += largest[i];
    return sum;
}

/*
 * Has a seat been looked at in another guise? Seats of equal base whose kings are seen on one
 * square differ by a flip of the whole board, which takes no pawn to or from an edge rank.
 */
static bool is_new(const struct feature_map *map, const struct seat *seat)
{
    const struct feature_king *kings = map->king[seat->view];
    for (unsigned king = 0; king < seat->king; king++)
        if (kings[king].base == kings[seat->king].base &&
            (king ^ kings[king].flip) == (seat->king ^ kings[seat->king].flip))
            return false;
    return true;
}

/* Is Black's view White's with all turned round? Then one of them says all. */
static bool views_alike(const struct feature_map *map)
{
    unsigned turn = map->king[0][0].flip ^ map->king[1][SQUARES - 8].flip;
    if (turn != SQUARES - 8)
        turn = SQUARES - 1;
    for (unsigned king = 0; king < SQUARES; king++) {
        const struct feature_king *a = &map->king[0][king], *b = &map->king[1][king ^ turn];
        if (a->base != b->base || (a->flip ^ b->flip) != turn)
            return false;
    }
    for (unsigned piece = 0; piece < 2 * TYPES; piece++)
        if (map->plane[0][piece] != map->plane[1][(piece + TYPES) % (2 * TYPES)])
            return false;
    return true;
}

static void bound_block(const struct block *block, unsigned views, struct row_bounds *out)
{
    const struct feature_map *map = block->source->map;
    size_t rows = map->rows / map->king_buckets;
    for (unsigned view = 0; view < views; view++)
        for (unsigned king = 0; king < SQUARES; king++) {
            const struct seat seat = {view, king};
            if (!is_new(map, &seat))
                continue;
            grow_exact(block, &seat, true, &out->any);
            grow_exact(block, &seat, false, &out->games);
        }
    for (size_t lane = 0; lane < block->lanes; lane++)
        for (size_t bucket = 0; bucket < map->king_buckets; bucket++) {
            int64_t loose = loose_bound(block, lane, bucket * rows, rows);
            if (loose > out->loose)
                out->loose = loose;
        }
}

static struct row_bounds bound(const struct source *source)
{
    struct row_bounds out = {{INT64_MAX, INT64_MIN}, {INT64_MAX, INT64_MIN}, 0};
    unsigned views = views_alike(source->map) ? 1 : 2;
    for (size_t first = 0; first < source->width; first += LANES) {
        size_t left = source->width - first;
        const struct block block = {source, first, left < LANES ? left : LANES};
        bound_block(&block, views, &out);
    }
    return out;
}

struct row_bounds row_bounds_i16(const struct transformer *squares)
{
    const struct source source = {.map = &squares->map,
                                  .width = squares->width,
                                  .stride = transformer_stride(squares),
                                  .bias = squares->bias,
                                  .w16 = squares->weights};
    return bound(&source);
}

struct row_bounds row_bounds_psqt(const struct transformer *squares)
{
    const struct source source = {.map = &squares->map,
                                  .width = squares->psqt,
                                  .stride = transformer_stride(squares) / 2,
                                  .w32 = transformer_psqt(squares, squares->weights)};
    return squares->psqt ? bound(&source) : (struct row_bounds){{0, 0}, {0, 0}, 0};
}

struct range dense_bounds(const struct parts_layer *layer, unsigned heads)
{
    struct range out = {INT64_MAX, INT64_MIN};
    for (unsigned head = 0; head < heads; head++) {
        const struct dense *dense = layer->head[head];
        for (size_t o = 0; o < dense->outputs; o++) {
            struct range sum = {dense->bias[o], dense->bias[o]};
            for (size_t i = 0; i < dense->inputs; i++) {
                int64_t most = (int64_t)TINYNNUE_ONE * dense->weights[o * dense->inputs + i];
                *(most < 0 ? &sum.low : &sum.high) += most;
            }
            grow(&out, sum.low);
            grow(&out, sum.high);
        }
    }
    return out;
}

struct range output_bounds(const struct parts_output *output, unsigned heads)
{
    struct range out = {INT64_MAX, INT64_MIN};
    for (size_t head = 0; head < heads; head++) {
        struct range sum = {0, 0};
        for (size_t i = 0; i < output->inputs; i++) {
            int64_t w = output->weights[head * output->inputs + i];
            *(w < 0 ? &sum.low : &sum.high) += w * output->activation_max;
        }
        grow(&out, sum.low);
        grow(&out, sum.high);
    }
    return out;
}

/* Columns of threats and pawn pairs: as many rows as there can be, all like the largest. */
static int64_t relations_psqt(const struct sf_relations *relations)
{
    int64_t largest = 0;
    for (size_t i = 0; i < (size_t)relations->rows * relations->psqt; i++)
        if (magnitude(relations->psqt_weights[i]) > largest)
            largest = magnitude(relations->psqt_weights[i]);
    return largest * (SF_THREATS_MAX + (relations->pairs ? SF_PAIRS_MAX : 0));
}

void net_bounds(const plynnue_net *scalar, struct net_bounds *out)
{
    struct net_parts parts;
    net_parts(scalar, &parts);
    memset(out, 0, sizeof *out);
    out->squares = row_bounds_i16(parts.squares);
    out->psqt = row_bounds_psqt(parts.squares);
    if (parts.relations) {
        int64_t more = relations_psqt(parts.relations);
        out->relations = row_bounds_relations(parts.relations);
        out->psqt.any.low -= more;
        out->psqt.any.high += more;
    }
    out->total.low = out->squares.any.low + out->relations.low;
    out->total.high = out->squares.any.high + out->relations.high;
    out->int16_safe = range_fits(&out->total, INT16_MIN, INT16_MAX);
    out->int32_safe = range_fits(&out->psqt.any, INT32_MIN, INT32_MAX);
    for (unsigned i = 0; i < parts.layer_count; i++) {
        out->layers[i] = dense_bounds(&parts.layers[i], parts.heads);
        out->int32_safe &= range_fits(&out->layers[i], INT32_MIN, INT32_MAX);
    }
    if (parts.output.weights) {
        out->output = output_bounds(&parts.output, parts.heads);
        out->int32_safe &= range_fits(&out->output, INT32_MIN, INT32_MAX);
    }
}
