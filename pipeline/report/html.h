/* SPDX-License-Identifier: MIT */
/*
 * Writes HTML and SVG into a buffer: elements that always close in the right order, text that is
 * always escaped.
 *
 * The first failure (memory, the buffer's cap, a fault in nesting) is kept and every later call
 * does nothing, so that a page is written without a check at each line and asked once, at its end.
 */
#ifndef PLYMILL_PIPELINE_REPORT_HTML_H
#define PLYMILL_PIPELINE_REPORT_HTML_H

#include <stddef.h>
#include <stdint.h>

#include "formats/io/buffer.h"
#include "formats/io/error.h"

#define HTML_DEPTH_MAX   32   /* elements open at once */
#define HTML_NUMBER_SIZE 48   /* a formatted number with its zero */
#define HTML_LINE_MAX    1024 /* one formatted text or list of attributes, with its zero */

struct html {
    struct buffer *out;
    struct error *err;
    int status; /* 0, or -1 from the first failure on */
    size_t depth;
    const char *open[HTML_DEPTH_MAX]; /* names of open elements: the caller's constants */
};

void html_begin(struct html *html, struct buffer *out, struct error *err);
/* 0, or -1 when anything failed or an element is still open. */
int html_end(struct html *html);

/* As it is: for constants of ours. */
void html_raw(struct html *html, const char *text);
/*
 * Escaped: & < > " ' as references. Control characters and bytes that are no UTF-8 become U+FFFD.
 */
void html_text(struct html *html, const char *text);
void html_textf(struct html *html, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* <name>, <name attributes> ... </name>. Attributes are not escaped: constants and numbers only. */
void html_open(struct html *html, const char *name);
void html_open_with(struct html *html, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void html_close(struct html *html);
/* Elements without content: <meta ...>; <rect .../> in SVG. */
void html_void(struct html *html, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void html_empty(struct html *html, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A whole element with text; attributes may be NULL. */
void html_element(struct html *html, const char *name, const char *attributes, const char *text);
void html_elementf(struct html *html, const char *name, const char *attributes, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));

/* 12,345,678 and -12,345 with a real minus sign. */
void html_format_integer(int64_t number, char out[HTML_NUMBER_SIZE]);
/* The same with decimals (0 .. 9). Never "-0". */
void html_format_real(double number, int decimals, char out[HTML_NUMBER_SIZE]);
/* 12.3 % of whole, with a space that does not break; "<0.1 %" where a part is there but would show
 * as 0; "-" of nothing. */
void html_format_share(int64_t part, int64_t whole, char out[HTML_NUMBER_SIZE]);

#endif
