/* SPDX-License-Identifier: MIT */
/*
 * Is a finished build what it was? All digests again, the catalogue against manifest.json, every
 * sample, label, record and dataset position decoded and compared, and on demand labels made anew
 * by the engine.
 *
 * First the bytes of all files (SHA256SUMS, the seal of build.db): what fails there is said and
 * ends it, since nothing can be compared with a damaged file. Then what the files hold.
 */
#ifndef PLYMILL_PIPELINE_STAGES_VERIFY_H
#define PLYMILL_PIPELINE_STAGES_VERIFY_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "formats/io/error.h"

struct verify_options {
    double audit;       /* share of the labels to make again, 0: none */
    const char *engine; /* for the audit, NULL: the recipe's */
    unsigned workers;   /* 0: the recipe's */
    bool quiet;
    const volatile sig_atomic_t *stop; /* may be NULL */
    /* Called for every difference, with a line that says what differs from what. */
    void (*differs)(void *context, const char *text);
    void *context;
};

struct verify_counts {
    uint64_t differences;
    uint64_t files, bytes;             /* hashed, of the build itself */
    uint64_t inputs, inputs_gone;      /* inputs that are there no longer are passed over */
    uint64_t shards, samples, records; /* decoded; each sample with its label */
    uint64_t dataset_files, dataset_records;
    uint64_t audited;
};

/*
 * 0 when nothing differs; ERROR_DIFFERS when something does, with the number and the first of them;
 * ERROR_FAILED when there is no finished build or it cannot be read.
 */
int verify_run(const char *directory, const struct verify_options *options,
               struct verify_counts *counts, struct error *err);

#endif
