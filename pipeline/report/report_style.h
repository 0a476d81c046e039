/* SPDX-License-Identifier: MIT */
/*
 * The report's style sheet: one for light and dark screens, phones and paper.
 */
#ifndef PLYMILL_PIPELINE_REPORT_REPORT_STYLE_H
#define PLYMILL_PIPELINE_REPORT_REPORT_STYLE_H

#include "pipeline/report/html.h"

/* The whole <style> element. */
void report_write_style(struct html *html);

#endif
