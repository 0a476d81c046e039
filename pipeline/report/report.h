/* SPDX-License-Identifier: MIT */
/*
 * report.html: a finished build on one page that needs no network and no script.
 *
 * The page is a function of the build (and of the nets named): no clock, no host, no path but names
 * within the build directory and base names of inputs and nets. With health it also shows how long
 * the engines took, and then equal builds have different pages.
 */
#ifndef PLYMILL_PIPELINE_REPORT_REPORT_H
#define PLYMILL_PIPELINE_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/io/buffer.h"
#include "pipeline/stages/build.h"

#define REPORT_NAME     "report.html"
#define REPORT_SIZE_MAX (64u << 20) /* bytes of the page */
#define REPORT_NETS_MAX 8           /* nets on one page */

struct report_options {
    const char *const *nets; /* paths of net files; may be NULL when there are none */
    size_t net_count;
    bool health; /* how the engines did (engine_health.h) */
};

/* Appends the page to out. */
int report_render(struct build *build, const struct report_options *options, struct buffer *out,
                  struct error *err);
/* Writes DIR/report.html; *path, its path, is the caller's to free. */
int report_write(struct build *build, const struct report_options *options, char **path,
                 struct error *err);

#endif
