/* SPDX-License-Identifier: MIT */
/*
 * The log of a training, NET.train.csv beside NET.safetensors, and its loss curves.
 *
 * Its first line is "epoch,train_loss,validation_loss"; the last column may be empty.
 */
#ifndef PLYMILL_PIPELINE_REPORT_REPORT_LOSSES_H
#define PLYMILL_PIPELINE_REPORT_REPORT_LOSSES_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/io/error.h"
#include "pipeline/report/html.h"

#define REPORT_LOG_MAX    (16u << 20) /* bytes of a log */
#define REPORT_EPOCHS_MAX 100000

struct report_losses {
    size_t count;
    double *epoch, *train, *validation; /* [count] each, owned */
    bool has_validation;                /* in every epoch */
};

/* "net.safetensors" to "net.train.csv"; the caller frees it. NULL with err set. */
char *report_losses_path(const char *net, struct error *err);
/* text: zero-terminated. losses: {0}; report_losses_free in every case. */
int report_losses_parse(const char *text, struct report_losses *losses, struct error *err);
/* 1, 0 when there is no log beside the net, -1. */
int report_losses_read(const char *net, struct report_losses *losses, struct error *err);
void report_losses_free(struct report_losses *losses);

/* number: of the net on the page, from 0. name: its base name. */
void report_losses_plot(struct html *html, size_t number, const char *name,
                        const struct report_losses *losses);

#endif
