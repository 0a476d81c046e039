/* SPDX-License-Identifier: MIT */
/*
 * The report's section on nets: how their training went, how far their values are from the labels.
 */
#ifndef PLYMILL_PIPELINE_REPORT_REPORT_NETS_H
#define PLYMILL_PIPELINE_REPORT_REPORT_NETS_H

#include "pipeline/report/html.h"
#include "pipeline/stages/build.h"

/* Writes the section; 0, or -1 when a net or the records cannot be read. */
int report_write_nets(struct html *html, struct build *build, const char *const *nets, size_t count,
                      struct error *err);

#endif
