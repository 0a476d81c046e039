/* SPDX-License-Identifier: MIT */
/*
 * The report's tables: what was built from what, the way from games to records, the records and
 * files that came out.
 */
#ifndef PLYMILL_PIPELINE_REPORT_REPORT_TABLES_H
#define PLYMILL_PIPELINE_REPORT_REPORT_TABLES_H

#include "pipeline/report/html.h"
#include "pipeline/report/report_facts.h"
#include "pipeline/report/report_records.h"

/* A table that a phone may scroll sideways; label says what it is. */
void report_table_begin(struct html *html, const char *class_name, const char *label);
void report_table_end(struct html *html);
/* A row of headings: the first one on the left, numbers on the right. Ended by NULL. */
void report_table_head(struct html *html, const char *const *names);

void report_write_engine(struct html *html, const struct build *build,
                         const struct report_facts *facts);
void report_write_inputs(struct html *html, const struct report_facts *facts);
void report_write_rules(struct html *html, const struct build *build);
/* The funnel: games, positions, samples, each with its counts by reason. */
void report_write_funnel(struct html *html, const struct report_facts *facts);
void report_write_fates(struct html *html, const struct report_facts *facts);
void report_write_records(struct html *html, const struct report_records splits[BUILD_SPLITS],
                          const struct report_records *all);
void report_write_files(struct html *html, const struct build *build,
                        const struct report_facts *facts);

#endif
