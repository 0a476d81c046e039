/* SPDX-License-Identifier: MIT */
/*
 * Architectures of training, see train_arch.h.
 */
#include "nnue/tools/train_arch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nnue/core/bullet.h"
#include "nnue/core/halfka.h"
#include "nnue/core/halfkp.h"
#include "nnue/core/tinynnue.h"

enum {
    SHARED_ROWS = 12 + 12 * 8 + 12 * 8, /* pieces; their ranks; their files */
    STEPS_FT = 127                      /* of HalfKA's and HalfKP's transformers */
};

/* The largest weights whose integers fit: int8 in steps of 1/64; the last layer of HalfKP 127 at
 * 9600/127; bullet's own trainer stops at 1.98. Biases in int32, of up to 9,600 steps, leave the
 * other half of the range to the sums. */
static const float byte_limit = 127.0F / 64, halfkp_out_limit = 127.0F * 127 / 9600,
                   bullet_limit = 1.98F, wide_limit = (float)(1 << 30) / 9600;
static const double halfkp_unit_cp = 600.0 * 100 / 208, other_unit_cp = 400;

/* Accumulators of int16 with `steps` steps a unit: a bias and as many rows as there are pieces. */
static void limit_transformer(struct train_arch *arch, double steps)
{
    const double row = INT16_MAX / (PLYNNUE_PIECES_MAX + 1); /* whole steps */
    arch->limits[0] = (float)fmin((double)bullet_limit, row / steps);
    arch->bias_limits[0] =
        (float)(floor(INT16_MAX - PLYNNUE_PIECES_MAX * ceil((double)arch->limits[0] * steps)) /
                steps);
}

static bool parse_769(const char *text, struct train_arch *arch)
{
    uint32_t h1, h2;
    if (!tinynnue_parse_arch(text, &h1, &h2))
        return false;
    *arch = (struct train_arch){.family = TRAIN_769,
                                .inputs = TINYNNUE_INPUTS,
                                .views = 1,
                                .l1 = h1,
                                .layers = 2,
                                .outputs = {h2, 1},
                                .heads = 1,
                                .unit_cp = TINYNNUE_UNIT_CP,
                                .limits = {INFINITY, INFINITY, INFINITY, INFINITY},
                                .bias_limits = {INFINITY, INFINITY, INFINITY, INFINITY}};
    return true;
}

static bool parse_bullet(const char *text, struct train_arch *arch)
{
    struct bullet_shape shape;
    if (strncmp(text, "(768", 4) != 0 || bullet_parse_arch(text, &shape, NULL))
        return false;
    *arch =
        (struct train_arch){.family = TRAIN_BULLET,
                            .views = 2,
                            .l1 = shape.n,
                            .layers = 1,
                            .outputs = {1},
                            .heads = shape.heads,
                            .squared = shape.screlu,
                            .unit_cp = shape.scale,
                            .limits = {0, fminf(bullet_limit, (float)INT16_MAX / (float)shape.qb)},
                            .bias_limits = {0, (float)(INT16_MAX / ((double)shape.qa * shape.qb))},
                            .least = 2};
    limit_transformer(arch, shape.qa);
    bullet_map(&shape, &arch->map);
    return true;
}

static bool parse_halfka(const char *text, struct train_arch *arch)
{
    struct halfka_shape shape;
    if (strncmp(text, "halfka(", 7) != 0 || !halfka_parse_arch(text, &shape) ||
        shape.order == HALFKA_STOCKFISH)
        return false;
    *arch = (struct train_arch){.family = TRAIN_HALFKA,
                                .views = 2,
                                .l1 = shape.l1,
                                .layers = 2,
                                .outputs = {shape.l2, 1},
                                .heads = shape.heads,
                                .unit_cp = other_unit_cp,
                                .limits = {0, byte_limit, byte_limit},
                                .bias_limits = {0, wide_limit, wide_limit},
                                .least = 1};
    limit_transformer(arch, STEPS_FT);
    feature_map_halfka_seed(&arch->map);
    return true;
}

static bool parse_halfkp(const char *text, struct train_arch *arch)
{
    struct halfkp_shape shape;
    if (strncmp(text, "halfkp(", 7) != 0 || !halfkp_parse_arch(text, &shape))
        return false;
    *arch = (struct train_arch){.family = TRAIN_HALFKP,
                                .views = 2,
                                .l1 = shape.l1,
                                .layers = 3,
                                .outputs = {shape.l2, shape.l3, 1},
                                .heads = 1,
                                .unit_cp = halfkp_unit_cp,
                                .limits = {0, byte_limit, byte_limit, halfkp_out_limit},
                                .bias_limits = {0, wide_limit, wide_limit, wide_limit},
                                .least = 1};
    limit_transformer(arch, STEPS_FT);
    feature_map_halfkp(&arch->map);
    return true;
}

const char *train_arch_family(const struct train_arch *arch)
{
    static const char *const names[] = {"tinynnue", "bullet", "halfka", "halfkp"};
    return names[arch->family];
}

void train_arch_share(struct train_arch *arch)
{
    arch->squares = arch->views == 2 && arch->map.king_buckets > 1 ? TRAIN_SQUARES : 0;
    arch->shared = arch->squares + SHARED_ROWS;
}

int train_arch_parse(const char *text, struct train_arch *arch, struct error *err)
{
    if (strlen(text) < sizeof arch->text &&
        (parse_769(text, arch) || parse_bullet(text, arch) || parse_halfka(text, arch) ||
         parse_halfkp(text, arch))) {
        (void)snprintf(arch->text, sizeof arch->text, "%s", text);
        if (arch->views == 2)
            arch->inputs = arch->map.rows;
        return 0;
    }
    return error_set(err, ERROR_USAGE,
                     "train.arch \"%s\": expected 769->H1->H2->1 with H1 <= %d and H2 <= %d, "
                     "(768->N)x2->1 with king and output buckets and screlu or crelu behind it, "
                     "halfka(22528->L1)x2->L2->1xB or halfkp(41024->L1)x2->L2->L3->1",
                     text, TINYNNUE_H1_MAX, TINYNNUE_H2_MAX);
}
