/* SPDX-License-Identifier: MIT */
/*
 * Which training it is, see train_identity.h.
 */
#include "nnue/tools/train_identity.h"

#include <stdio.h>

#include "formats/io/bytes.h"

enum { TEXT_SIZE = 2048 };

static void add_set(struct digest *digest, const struct train_set *set)
{
    uint8_t count[8];
    bytes_put_u64(count, train_set_count(set));
    digest_update(digest, count, sizeof count);
    digest_update(digest, train_set_digest(set), DIGEST_SIZE);
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

int train_identity(const struct train_options *options, const struct train_set *train,
                   const struct train_set *validation, uint8_t out[DIGEST_SIZE], struct error *err)
{
    char text[TEXT_SIZE];
    struct digest *digest = digest_new();
    if (!digest)
        return error_memory(err);
    digest_update(digest, text, (size_t)format_options(options, text));
    add_set(digest, train);
    add_set(digest, validation);
    digest_finish(digest, out);
    digest_free(digest);
    return 0;
}
