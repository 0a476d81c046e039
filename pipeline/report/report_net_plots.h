/* SPDX-License-Identifier: MIT */
/*
 * Pictures of what one net says of the positions of test: against their labels, against what came
 * of such values, and where it errs.
 *
 * Errors are told in points of win share, 100 |sigmoid(cp / 400) - sigmoid(label / 400)|: there
 * they weigh as in training, and those of decided positions do not drown all others.
 */
#ifndef PLYMILL_PIPELINE_REPORT_REPORT_NET_PLOTS_H
#define PLYMILL_PIPELINE_REPORT_REPORT_NET_PLOTS_H

#include "nnue/tools/score_set.h"
#include "pipeline/report/html.h"

#define REPORT_CALIBRATION_LEAST 20 /* positions that a point of the calibration needs */

struct report_net_view {
    const char *name; /* base name */
    size_t number;    /* of the net on the page, from 0: part of ids */
    const struct score_set *set;
    const double *cp; /* [set->samples.count], White's view */
};

/* 100 |sigmoid(cp / 400) - sigmoid(label / 400)| */
double report_net_error(double cp, double label);

/* Predicted against labeled scores, as a density. */
void report_net_plot_density(struct html *html, const struct report_net_view *view);
/* Mean label and mean result of the positions by the win share that the net gives them. */
void report_net_plot_calibration(struct html *html, const struct report_net_view *view);
/* Mean error by phase (24: all pieces there) and size of the label. */
void report_net_plot_errors(struct html *html, const struct report_net_view *view);

#endif
