/* SPDX-License-Identifier: MIT */
/*
 * What `plymill --version` says, and the number that stands in build ids.
 */
#ifndef PLYMILL_PIPELINE_CLI_VERSION_H
#define PLYMILL_PIPELINE_CLI_VERSION_H

#include <stdio.h>

/* Raised whenever the bytes of a record or dataset file change for the same recipe and inputs. */
#define PLYMILL_OUTPUT_VERSION 1

/* Version, compiler, libraries, SIMD level in use. */
void version_write(FILE *out);

#endif
