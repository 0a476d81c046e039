/* SPDX-License-Identifier: MIT */
/*
 * Reading back what convert wrote. The records are not kept: of every block of them there is a hash
 * over the fields that the format holds, as they were given to it, and the file must give the same.
 * So inputs that cannot be read twice are checked, too, in 8 bytes for a block.
 */
#ifndef PLYMILL_PIPELINE_CLI_CONVERT_CHECK_H
#define PLYMILL_PIPELINE_CLI_CONVERT_CHECK_H

#include <signal.h>

#include "formats/codec.h"
#include "formats/io/error.h"
#include "formats/record.h"

#define CONVERT_CHECK_BLOCK 1024 /* records */

struct convert_check;

/* options: those that the file is written with; copied. */
int convert_check_new(const struct codec *codec, const struct codec_options *options,
                      struct convert_check **check, struct error *err);
/* A record that was written. */
int convert_check_add(struct convert_check *check, const struct record *record, struct error *err);
/*
 * Reads the file at path, called `name` in errors: ERROR_DIFFERS when it does not hold the records
 * that were added, which it says to a block; ERROR_RETRY once *stop is set.
 */
int convert_check_run(struct convert_check *check, const char *path, const char *name,
                      const volatile sig_atomic_t *stop, struct error *err);
void convert_check_free(struct convert_check *check);

#endif
