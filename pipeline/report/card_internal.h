/* SPDX-License-Identifier: MIT */
/*
 * The parts of the dataset card.
 */
#ifndef PLYMILL_PIPELINE_REPORT_CARD_INTERNAL_H
#define PLYMILL_PIPELINE_REPORT_CARD_INTERNAL_H

#include "formats/io/buffer.h"
#include "pipeline/report/report_facts.h"
#include "pipeline/stages/build.h"

struct card {
    const struct build *build;
    const struct report_facts *facts;
    struct buffer *out;
};

/*
 * The YAML between two lines of "---" that dataset hubs read: licence, size, tasks, tags, and for
 * every format that they can show a configuration with the files of each split.
 */
int card_put_head(const struct card *card, struct error *err);

#endif
