/* SPDX-License-Identifier: MIT */
/*
 * Trained nets as files, see train_write.h: the padding goes, the names come.
 */
#include "nnue/tools/train_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/tools/tinynet.h"
#include "nnue/tools/train.h"
#include "nnue/tools/train_features.h"

enum { TENSORS_MAX = 2 + 2 * TRAIN_LAYERS_MAX, OWN_TEXTS = 4 };

/* Tensors in the making; the floats of all of them are one array. */
struct net_file {
    const struct train_model *model;
    float *floats;
    size_t used;
    struct tensor_out tensors[TENSORS_MAX];
    size_t count;
};

/* count rows, each of `parts` parts of `size` floats that stand `step` apart. */
static void copy_rows(struct net_file *file, const float *from, size_t count, size_t parts,
                      size_t size, size_t step)
{
    for (size_t i = 0; i < count * parts; i++, from += step, file->used += size)
        memcpy(file->floats + file->used, from, size * sizeof *from);
}

/* The shared rows go into the features' own, which stay within their limit. */
static int merge_shared(const struct train_model *model, float *rows, struct error *err)
{
    const struct train_arch *arch = &model->arch;
    const float limit = arch->limits[0];
    uint16_t *places = malloc(arch->inputs * sizeof *places), shared[TRAIN_SHARED];
    if (!places)
        return error_memory(err);
    train_features_places(arch, places);
    for (uint32_t row = 0; row < arch->inputs; row++, rows += arch->l1) {
        if (places[row] == TRAIN_NO_PLACE)
            continue;
        for (unsigned k = 0, count = train_features_shared(arch, places[row], shared); k < count;
             k++)
            for (uint32_t i = 0; i < arch->l1; i++)
                rows[i] += model->values[shared[k] * model->width + i];
        for (uint32_t i = 0; i < arch->l1; i++)
            rows[i] = fminf(fmaxf(rows[i], -limit), limit);
    }
    free(places);
    return 0;
}

static void add_tensor(struct net_file *file, const char *name, unsigned rank, uint64_t a,
                       uint64_t b, uint64_t c)
{
    file->tensors[file->count++] = (struct tensor_out){.name = name,
                                                       .type = TENSOR_F32,
                                                       .rank = rank,
                                                       .shape = {a, b, c},
                                                       .values = file->floats + file->used};
}

static void add_layer(struct net_file *file, unsigned index)
{
    const struct train_model *model = file->model;
    const struct train_layer *layer = &model->layers[index];
    const unsigned heads = model->arch.heads, parts = index ? 1 : model->arch.views;
    const bool last = index + 1 == model->arch.layers;
    const char *name = last ? "out.weight" : index == 0 ? "l1.weight" : "l2.weight";
    const char *bias = last ? "out.bias" : index == 0 ? "l1.bias" : "l2.bias";
    if (last)
        add_tensor(file, name, 2, heads, layer->inputs, 0);
    else if (model->arch.family == TRAIN_HALFKA)
        add_tensor(file, name, 3, heads, layer->outputs, layer->inputs);
    else
        add_tensor(file, name, 2, layer->outputs, layer->inputs, 0);
    for (unsigned head = 0; head < heads; head++)
        copy_rows(file, model->values + train_model_weights(model, head, index), layer->outputs,
                  parts, layer->inputs / parts, layer->in_width / parts);
    if (last)
        add_tensor(file, bias, 1, heads, 0, 0);
    else if (model->arch.family == TRAIN_HALFKA)
        add_tensor(file, bias, 2, heads, layer->outputs, 0);
    else
        add_tensor(file, bias, 1, layer->outputs, 0, 0);
    for (unsigned head = 0; head < heads; head++)
        copy_rows(file, model->values + train_model_bias(model, head, index), 1, 1, layer->outputs,
                  0);
}

static int encode_mapped(const struct train_model *model, const struct text_out *texts,
                         size_t text_count, struct buffer *out, struct error *err)
{
    struct net_file file = {.model = model, .floats = malloc(model->total * sizeof(float))};
    const struct train_arch *arch = &model->arch;
    struct text_out all[TRAIN_TEXTS_MAX + OWN_TEXTS];
    char unit[TINYNET_SCALE_SIZE];
    size_t count = 0;
    if (!file.floats)
        return error_memory(err);
    (void)snprintf(unit, sizeof unit, "%.17g", arch->unit_cp); /* no exponent: 400 */
    all[count++] = (struct text_out){"family", train_arch_family(arch)};
    all[count++] = (struct text_out){"arch", arch->text};
    all[count++] = (struct text_out){"unit_cp", unit};
    if (arch->family == TRAIN_HALFKA)
        all[count++] = (struct text_out){"order", "seed"};
    for (size_t i = 0; i < text_count; i++)
        all[count + i] = texts[i];
    add_tensor(&file, "ft.weight", 2, arch->inputs, arch->l1, 0);
    copy_rows(&file, model->values, arch->inputs, 1, arch->l1, model->width);
    if (arch->shared && merge_shared(model, file.floats, err)) {
        free(file.floats);
        return -1;
    }
    add_tensor(&file, "ft.bias", 1, arch->l1, 0, 0);
    copy_rows(&file, model->values + model->bias, 1, 1, arch->l1, 0);
    for (unsigned i = 0; i < arch->layers && i < TRAIN_LAYERS_MAX; i++)
        add_layer(&file, i);
    int status = safetensors_write(all, count + text_count, file.tensors, file.count, out, err);
    free(file.floats);
    return status;
}

int train_encode(const struct train_model *model, const struct text_out *texts, size_t text_count,
                 struct buffer *out, struct error *err)
{
    struct tinynnue_float net;
    if (model->arch.family != TRAIN_769)
        return encode_mapped(model, texts, text_count, out, err);
    if (tinynnue_float_new(&net, model->arch.l1, model->arch.outputs[0]))
        return error_memory(err);
    train_export_769(model, &net);
    int status = tinynet_encode_float(&net, texts, text_count, out, err);
    tinynnue_float_free(&net);
    return status;
}
