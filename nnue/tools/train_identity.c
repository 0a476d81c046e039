/* SPDX-License-Identifier: MIT */
/*
 * Which training it is, see train_identity.h.
 */
#include "nnue/tools/train_identity.h"

#include <stdio.h>

#include "formats/io/bytes.h"

enum { TEXT_SIZE = 2048, SAMPLE_SIZE = 2 * FEATURE769_ACTIVE_MAX + 6 };

static void add_samples(struct digest *digest, const struct samples *samples)
{
    uint8_t bytes[SAMPLE_SIZE] = {0};
    bytes_put_u64(bytes, samples->count);
    digest_update(digest, bytes, 8);
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        for (unsigned k = 0; k < FEATURE769_ACTIVE_MAX; k++)
            bytes_put_u16(bytes + 2 * k, k < sample->count ? sample->features[k] : UINT16_MAX);
        bytes_put_u32(bytes + 2 * FEATURE769_ACTIVE_MAX, (uint32_t)sample->cp);
        bytes[SAMPLE_SIZE - 2] = sample->count;
        bytes[SAMPLE_SIZE - 1] = (uint8_t)sample->result;
        digest_update(digest, bytes, sizeof bytes);
    }
}

/* Numbers as C99's %a: exact, and the same everywhere. */
static int format_options(const struct train_options *o, char text[TEXT_SIZE])
{
    return snprintf(text, TEXT_SIZE,
                    "plymill training %d\narch %s\nshared %u\n"
                    "seed %llu epochs %u batch %zu rate %a decay %a dropout %a turns %d %d\n"
                    "cosine %d warmup %a average %a wdl %a scale %a best %d patience %u\n",
                    TRAIN_VERSION, o->arch.text, o->arch.shared, (unsigned long long)o->seed,
                    o->epochs, o->batch, o->learning_rate, o->weight_decay, o->dropout, o->flip,
                    o->mirror, o->cosine, o->warmup, o->average, o->wdl, o->scale, o->best,
                    o->patience);
}

int train_identity(const struct train_options *options, const struct samples *train,
                   const struct samples *validation, uint8_t out[DIGEST_SIZE], struct error *err)
{
    char text[TEXT_SIZE];
    struct digest *digest = digest_new();
    if (!digest)
        return error_memory(err);
    digest_update(digest, text, (size_t)format_options(options, text));
    add_samples(digest, train);
    add_samples(digest, validation);
    digest_finish(digest, out);
    digest_free(digest);
    return 0;
}
