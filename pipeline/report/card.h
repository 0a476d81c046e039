/* SPDX-License-Identifier: MIT */
/*
 * README.md of a finished build: the dataset card, with the front matter that dataset hubs read.
 * What is in the files, what they were made from, in which units, and how to make them again.
 */
#ifndef PLYMILL_PIPELINE_REPORT_CARD_H
#define PLYMILL_PIPELINE_REPORT_CARD_H

#include "pipeline/stages/build.h"

/* Writes DIR/README.md where it differs from what is there. Needs all stages done. */
int card_write(struct build *build, struct error *err);

#endif
