/* SPDX-License-Identifier: MIT */
/*
 * What `plymill --version` says.
 */
#ifndef PLYMILL_PIPELINE_CLI_VERSION_H
#define PLYMILL_PIPELINE_CLI_VERSION_H

#include <stdio.h>

/* Version, compiler, libraries, SIMD level in use, the engine that would be started. */
void version_write(FILE *out);

#endif
