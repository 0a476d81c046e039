/* SPDX-License-Identifier: MIT */
/*
 * The [train] keys, see train_recipe.h.
 */
#include "pipeline/cli/train_recipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct preset {
    const char *name;
    int64_t epochs, batch, patience;
    double learning_rate, warmup, weight_decay, dropout, average, scale;
    const char *schedule, *augment, *keep;
    bool factoriser;
};

static const struct preset presets[] = {{.name = "best",
                                         .epochs = 100,
                                         .batch = 512,
                                         .patience = 0,
                                         .learning_rate = 0.005,
                                         .warmup = 1,
                                         .weight_decay = 0.3,
                                         .dropout = 0.1,
                                         .average = 0,
                                         .scale = 400,
                                         .schedule = "cosine",
                                         .augment = "both",
                                         .keep = "best",
                                         .factoriser = true},
                                        {.name = "tinynnue",
                                         .epochs = 40,
                                         .batch = 512,
                                         .learning_rate = 0.001,
                                         .scale = 400,
                                         .schedule = "constant",
                                         .augment = "none",
                                         .keep = "last"}};

static const struct preset *find_preset(const char *name)
{
    const struct preset *preset = presets;
    while (strcmp(preset->name, name) != 0)
        preset++; /* the table of settings knows no other names */
    return preset;
}

static int64_t integer_or(const struct settings *settings, const char *key, int64_t preset)
{
    return settings_is_set(settings, key) ? settings_integer(settings, key) : preset;
}

static double real_or(const struct settings *settings, const char *key, double preset)
{
    return settings_is_set(settings, key) ? settings_real(settings, key) : preset;
}

static const char *string_or(const struct settings *settings, const char *key, const char *preset)
{
    return settings_is_set(settings, key) ? settings_string(settings, key) : preset;
}

static bool boolean_or(const struct settings *settings, const char *key, bool preset)
{
    return settings_is_set(settings, key) ? settings_boolean(settings, key) : preset;
}

static int choose_scale(const struct settings *settings, double preset,
                        const struct scale_cells *cells, double *scale, struct error *err)
{
    *scale = real_or(settings, "train.scale", preset);
    if (*scale == 0)
        *scale = scale_fit(cells);
    if (*scale > 0)
        return 0;
    return error_set(err, ERROR_FAILED,
                     "train.scale = 0: no game's result is known beside a score that "
                     "counts, so no scale can be fitted; "
                     "give it as a number of centipawns");
}

int train_recipe_from(const struct settings *settings, const struct scale_cells *cells,
                      struct train_recipe *recipe, struct error *err)
{
    const char *name = settings_string(settings, "train.preset");
    const struct preset *preset = find_preset(name);
    struct train_options *options = &recipe->options;
    *recipe =
        (struct train_recipe){.preset = name, .arch = settings_string(settings, "train.arch")};
    recipe->augment = string_or(settings, "train.augment", preset->augment);
    options->seed = (uint64_t)settings_integer(settings, "train.seed");
    options->epochs = (unsigned)integer_or(settings, "train.epochs", preset->epochs);
    options->batch = (size_t)integer_or(settings, "train.batch", preset->batch);
    options->patience = (unsigned)integer_or(settings, "train.patience", preset->patience);
    options->learning_rate = real_or(settings, "train.learning_rate", preset->learning_rate);
    options->warmup = real_or(settings, "train.warmup", preset->warmup);
    options->weight_decay = real_or(settings, "train.weight_decay", preset->weight_decay);
    options->dropout = real_or(settings, "train.dropout", preset->dropout);
    options->average = real_or(settings, "train.average", preset->average);
    options->cosine = !strcmp(string_or(settings, "train.schedule", preset->schedule), "cosine");
    options->best = !strcmp(string_or(settings, "train.keep", preset->keep), "best");
    options->flip = !strcmp(recipe->augment, "both") || !strcmp(recipe->augment, "flip");
    options->mirror = !strcmp(recipe->augment, "both") || !strcmp(recipe->augment, "mirror");
    options->wdl = settings_real(settings, "train.wdl");
    options->threads = (unsigned)settings_integer(settings, "build.threads");
    options->isa = PLYNNUE_ISA_AUTO;
    options->interval = (double)settings_integer(settings, "train.checkpoint_s");
    const int bad = train_arch_parse(recipe->arch, &options->arch, err);
    if (!bad && boolean_or(settings, "train.factoriser", preset->factoriser))
        train_arch_share(&options->arch);
    return bad || choose_scale(settings, preset->scale, cells, &options->scale, err) ? -1 : 0;
}

/* What a list of entries grows by. */
struct text_list {
    struct train_texts *own;
    struct text_out *out;
    size_t count;
};

static void add_word(struct text_list *list, const char *key, const char *word)
{
    list->out[list->count++] = (struct text_out){key, word};
}

static void add_integer(struct text_list *list, const char *key, uint64_t value)
{
    char *text = list->own->values[list->count];
    (void)snprintf(text, TINYNET_SCALE_SIZE, "%" PRIu64, value);
    add_word(list, key, text);
}

static void add_real(struct text_list *list, const char *key, double value)
{
    char *text = list->own->values[list->count];
    tinynet_format_double(value, text);
    add_word(list, key, text);
}

size_t train_recipe_texts(const struct train_recipe *recipe, uint64_t positions,
                          struct train_texts *own, struct text_out out[TRAIN_TEXTS])
{
    const struct train_options *options = &recipe->options;
    struct text_list list = {own, out, 0};
    add_word(&list, "train.preset", recipe->preset);
    add_integer(&list, "train.seed", options->seed);
    add_integer(&list, "train.epochs", options->epochs);
    add_integer(&list, "train.batch", options->batch);
    add_real(&list, "train.learning_rate", options->learning_rate);
    add_word(&list, "train.schedule", options->cosine ? "cosine" : "constant");
    add_real(&list, "train.warmup", options->warmup);
    add_real(&list, "train.weight_decay", options->weight_decay);
    add_real(&list, "train.dropout", options->dropout);
    add_word(&list, "train.augment", recipe->augment);
    add_word(&list, "train.factoriser", options->arch.shared ? "true" : "false");
    add_real(&list, "train.average", options->average);
    add_real(&list, "train.wdl", options->wdl);
    add_real(&list, "train.scale", options->scale);
    add_word(&list, "train.keep", options->best ? "best" : "last");
    add_integer(&list, "train.patience", options->patience);
    add_integer(&list, "train.positions", positions);
    return list.count;
}
