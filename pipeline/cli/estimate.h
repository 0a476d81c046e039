/* SPDX-License-Identifier: MIT */
/*
 * What a build will cost, before it begins: from the first games of every archive, the size of the
 * archives, and the time that the engine took for its signature.
 */
#ifndef PLYMILL_PIPELINE_CLI_ESTIMATE_H
#define PLYMILL_PIPELINE_CLI_ESTIMATE_H

#include <stdbool.h>
#include <stdio.h>

#include "pipeline/stages/build.h"

#define ESTIMATE_GAMES    20000 /* that are looked at of an archive: a second at most */
#define ESTIMATE_ASK_DAYS 1.0   /* core days above which a person is asked */

struct estimate {
    size_t files;
    double games, used; /* there are, and that the recipe's filters by tags leave, max_games too */
    double labels;      /* samples, the in_check rule and the like counted */
    bool exact;         /* every game was looked at; else games, used, labels are extrapolated */
    bool partial;       /* pipes and datasets are among the inputs: what they hold is not counted */
    double core_seconds; /* of the engine; 0 when no engine is asked, or its rate is not known */
    unsigned workers;
};

/*
 * build: after label_prepare. Games given twice count twice, since that shows only when all are
 * read. Damaged archives are no error here: reading them will say it.
 */
int estimate_make(const struct build *build, struct estimate *estimate, struct error *err);
/*
 * Seconds of a core for one label of so many nodes by an engine that took so long for its
 * signature: a part for clearing the hash that is the same for all, and the rest by nodes.
 */
double estimate_label_seconds(double signature_seconds, double nodes);
/* A line or two. */
void estimate_write(const struct estimate *estimate, const struct build *build, FILE *out);

#endif
