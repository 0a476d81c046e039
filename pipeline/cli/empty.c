/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/empty.h"

#include <stdio.h>
#include <string.h>

#include "pipeline/stages/fate.h"

struct tally {
    const char *stage, *name;
    int64_t train, all; /* of the training split, of all */
};

static int add_count(void *context, const struct catalogue_count *count, struct error *err)
{
    struct tally *tally = context;
    (void)err;
    if (strcmp(count->stage, tally->stage) != 0 || strcmp(count->name, tally->name) != 0)
        return 0;
    tally->all += count->value;
    tally->train += count->split == 0 ? count->value : 0;
    return 0;
}

static int tell(const struct build *build, const char *what)
{
    fprintf(stderr,
            "plymill: %s: %s: the table says what became of games and positions; the keys of "
            "[input], [sample], [filter] and [split] decide it\n",
            build->directory, what);
    return 1;
}

int empty_tell_samples(struct build *build, struct error *err)
{
    struct tally tally = {.stage = "sample", .name = "samples"};
    if (catalogue_each_count(build->catalogue, add_count, &tally, err) < 0)
        return -1;
    return tally.all == 0 ? tell(build, "no position was sampled") : 0;
}

int empty_tell_records(struct build *build, struct error *err)
{
    struct tally tally = {.stage = "select", .name = fate_text(FATE_KEPT)};
    if (catalogue_each_count(build->catalogue, add_count, &tally, err) < 0)
        return -1;
    if (tally.all == 0)
        return tell(build, "no position was kept, there is nothing to train on");
    return tally.train == 0
               ? tell(build, "no position of the training split was kept, there is nothing to "
                             "train on")
               : 0;
}
