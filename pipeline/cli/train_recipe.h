/* SPDX-License-Identifier: MIT */
/*
 * From the recipe's [train] keys to the options of training, and to what a net says of its training
 * in its metadata. The preset stands in for every key that is not set.
 */
#ifndef PLYMILL_PIPELINE_CLI_TRAIN_RECIPE_H
#define PLYMILL_PIPELINE_CLI_TRAIN_RECIPE_H

#include "nnue/tools/tinynet.h"
#include "nnue/tools/train.h"
#include "pipeline/recipe/settings.h"

#define TRAIN_TEXTS 19 /* metadata entries */

struct train_recipe {
    const char *preset, *arch, *augment; /* borrowed from the settings */
    struct train_options options;        /* isa is AUTO */
};

/* cells: of the training positions, to which the scale is fitted where that is asked for. */
int train_recipe_from(const struct settings *settings, const struct scale_cells *cells,
                      struct train_recipe *recipe, struct error *err);

/* Room for the values of the metadata. */
struct train_texts {
    char values[TRAIN_TEXTS][TINYNET_SCALE_SIZE];
};
/* Entries that point into own and recipe; how many. positions: trained on. */
size_t train_recipe_texts(const struct train_recipe *recipe, uint64_t positions,
                          struct train_texts *own, struct text_out out[TRAIN_TEXTS]);

#endif
