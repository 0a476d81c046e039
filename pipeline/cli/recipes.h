/* SPDX-License-Identifier: MIT */
/*
 * Where recipes are: in configs/ of a checkout, in share/plymill beside the bin of an installed
 * program.
 */
#ifndef PLYMILL_PIPELINE_CLI_RECIPES_H
#define PLYMILL_PIPELINE_CLI_RECIPES_H

#include "formats/io/error.h"

/*
 * The recipe that a command line names must be there: 0, or -1 with err (ERROR_USAGE) saying where
 * there are some, and which one has that name.
 */
int recipes_check(const char *path, struct error *err);

#endif
