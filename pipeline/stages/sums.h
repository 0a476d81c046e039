/* SPDX-License-Identifier: MIT */
/*
 * SHA256SUMS: the digests of all files of a finished build but build.db, which has a seal of its
 * own (catalogue.h), in the form that sha256sum -c reads.
 *
 * Digests come from where a file was written, not from what lies there now, so that running a build
 * again never makes a damaged file look whole.
 */
#ifndef PLYMILL_PIPELINE_STAGES_SUMS_H
#define PLYMILL_PIPELINE_STAGES_SUMS_H

#include "formats/io/buffer.h"
#include "pipeline/stages/build.h"

#define SUMS_NAME     "SHA256SUMS"
#define SUMS_MAX      (64u << 20) /* bytes of the file */
#define SUMS_CARD     "README.md"
#define SUMS_REPORT   "report.html"
#define SUMS_PATH_MAX 512 /* of a name in it, with the zero */

/* A line of the file: 64 hex digits, two blanks, a name. */
struct sums_line {
    char hex[DIGEST_HEX_SIZE];
    char name[SUMS_PATH_MAX];
};
/*
 * Takes the line at *at of text, and moves behind it: 1, 0 at the end, -1 when it is none: digits
 * in lower case and a name that stays in the directory, with its newline.
 */
int sums_next(const struct buffer *text, size_t *at, struct sums_line *line);

/*
 * Appends the text as it should be. Of report.html, which anyone may write again, the digest is the
 * present one; NULL leaves it out.
 */
int sums_render(struct build *build, const char *report_sha256, struct buffer *out,
                struct error *err);
/*
 * Writes the file where it differs, and seals the catalogue. Does nothing to a build without a
 * build id.
 */
int sums_run(struct build *build, struct error *err);
/* After report.html was written: the present one is listed. Only where the file is there. */
int sums_add_report(struct build *build, struct error *err);

#endif
