/* SPDX-License-Identifier: MIT */
/*
 * The dataset format that a command line means.
 */
#ifndef PLYMILL_PIPELINE_CLI_FORMATARG_H
#define PLYMILL_PIPELINE_CLI_FORMATARG_H

#include "formats/codec.h"
#include "pipeline/cli/command.h"

/*
 * Of a file to read: by --from where it is given, else by its name, and where that is not enough by
 * its first line. ERROR_USAGE says what there is.
 */
int formatarg_input(const struct invocation *invocation, const char *path,
                    const struct codec **codec, struct error *err);
/* Of a file to write: by --to where it is given, else by its name. It can be written. */
int formatarg_output(const struct invocation *invocation, const char *path,
                     const struct codec **codec, struct error *err);

#endif
