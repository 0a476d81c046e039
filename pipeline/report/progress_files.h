/* SPDX-License-Identifier: MIT */
/*
 * Files that are read one behind the other, measured by the bytes that they have on disk: how far
 * a work is whose games or records nobody has counted.
 */
#ifndef PLYMILL_PIPELINE_REPORT_PROGRESS_FILES_H
#define PLYMILL_PIPELINE_REPORT_PROGRESS_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* Starts as {0}. */
struct progress_files {
    uint64_t total;  /* bytes of all files added */
    uint64_t before; /* of those that were read to their ends: the reader of files adds them */
    bool endless;    /* one of them has no size: stdin, a pipe */
};

/* What cannot be looked at counts nothing; opening it will say why. */
void progress_files_add(struct progress_files *files, const char *path);
/* For progress_measure: 0 when the end is not known. */
double progress_files_total(const struct progress_files *files);
/* For progress_update_part: position is that in the file being read. */
double progress_files_at(const struct progress_files *files, uint64_t position);

#endif
