/* SPDX-License-Identifier: MIT */
#include "pipeline/report/html.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/report/digits.h"

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */
#define MINUS       "\xE2\x88\x92" /* U+2212 */
#define NBSP        "\xC2\xA0"

void html_begin(struct html *html, struct buffer *out, struct error *err)
{
    *html = (struct html){.out = out, .err = err};
}

static void fail(struct html *html, const char *what, const char *name)
{
    if (html->status == 0)
        html->status = error_set(html->err, ERROR_FAILED, "report: %s at <%s>", what, name);
}

int html_end(struct html *html)
{
    if (html->depth > 0)
        fail(html, "an element was left open", html->open[html->depth - 1]);
    return html->status;
}

static void put(struct html *html, const char *text, size_t size)
{
    if (html->status == 0)
        html->status = buffer_append(html->out, text, size, html->err);
}

void html_raw(struct html *html, const char *text)
{
    put(html, text, strlen(text));
}

/* Bytes of the UTF-8 character that text begins with; 0 when there is none. */
static size_t utf8_length(const unsigned char *text)
{
    static const unsigned smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = text[0] < 0x80 ? 1 : text[0] >> 5 == 6 ? 2 : text[0] >> 4 == 14 ? 3 : 4;
    if (length == 1)
        return 1;
    if (length == 4 && text[0] >> 3 != 30)
        return 0;
    unsigned code = text[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (text[i] >> 6 != 2)
            return 0;
        code = code << 6 | (text[i] & 0x3F);
    }
    bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code >= smallest[length] && code <= 0x10FFFF && !surrogate ? length : 0;
}

static const char *reference_for(unsigned char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\n':
    case '\t':
        return NULL;
    default:
        return byte < 0x20 || byte == 0x7F ? REPLACEMENT : NULL;
    }
}

void html_text(struct html *html, const char *text)
{
    while (*text != '\0') {
        size_t length = utf8_length((const unsigned char *)text);
        const char *reference = length == 0 ? REPLACEMENT : reference_for((unsigned char)*text);
        if (reference)
            html_raw(html, reference);
        else
            put(html, text, length);
        text += length > 0 ? length : 1;
    }
}

static bool format_line(struct html *html, char line[HTML_LINE_MAX], const char *format,
                        va_list list) __attribute__((format(printf, 3, 0)));

static bool format_line(struct html *html, char line[HTML_LINE_MAX], const char *format,
                        va_list list)
{
    int length = vsnprintf(line, HTML_LINE_MAX, format, list);
    if (length >= 0 && length < HTML_LINE_MAX)
        return true;
    fail(html, "a text is too long", html->depth > 0 ? html->open[html->depth - 1] : "");
    return false;
}

void html_textf(struct html *html, const char *format, ...)
{
    char line[HTML_LINE_MAX];
    va_list list;
    va_start(list, format);
    if (format_line(html, line, format, list))
        html_text(html, line);
    va_end(list);
}

static void put_tag(struct html *html, const char *name, const char *attributes, const char *end)
{
    html_raw(html, "<");
    html_raw(html, name);
    if (attributes && *attributes) {
        html_raw(html, " ");
        html_raw(html, attributes);
    }
    html_raw(html, end);
}

static void push(struct html *html, const char *name, const char *attributes)
{
    if (html->depth == HTML_DEPTH_MAX) {
        fail(html, "elements are nested too deeply", name);
        return;
    }
    put_tag(html, name, attributes, ">");
    html->open[html->depth++] = name;
}

void html_open(struct html *html, const char *name)
{
    push(html, name, NULL);
}

void html_open_with(struct html *html, const char *name, const char *format, ...)
{
    char line[HTML_LINE_MAX];
    va_list list;
    va_start(list, format);
    if (format_line(html, line, format, list))
        push(html, name, line);
    va_end(list);
}

/* Ends of these elements are followed by a new line, so that a page can be read and compared. */
static bool ends_line(const char *name)
{
    static const char *const inner[] = {"a",    "b",     "code", "dd",    "em", "span", "strong",
                                        "text", "title", "th",   "tspan", "td", "time", "desc"};
    for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++)
        if (strcmp(name, inner[i]) == 0)
            return strcmp(name, "dd") == 0;
    return true;
}

void html_close(struct html *html)
{
    if (html->status < 0)
        return;
    if (html->depth == 0) {
        fail(html, "nothing is open", "");
        return;
    }
    const char *name = html->open[--html->depth];
    html_raw(html, "</");
    html_raw(html, name);
    html_raw(html, ends_line(name) ? ">\n" : ">");
}

void html_void(struct html *html, const char *name, const char *format, ...)
{
    char line[HTML_LINE_MAX];
    va_list list;
    va_start(list, format);
    if (format_line(html, line, format, list))
        put_tag(html, name, line, ">\n");
    va_end(list);
}

void html_empty(struct html *html, const char *name, const char *format, ...)
{
    char line[HTML_LINE_MAX];
    va_list list;
    va_start(list, format);
    if (format_line(html, line, format, list))
        put_tag(html, name, line, "/>\n");
    va_end(list);
}

void html_element(struct html *html, const char *name, const char *attributes, const char *text)
{
    push(html, name, attributes);
    html_text(html, text);
    html_close(html);
}

void html_elementf(struct html *html, const char *name, const char *attributes, const char *format,
                   ...)
{
    char line[HTML_LINE_MAX];
    va_list list;
    va_start(list, format);
    if (format_line(html, line, format, list))
        html_element(html, name, attributes, line);
    va_end(list);
}

void html_format_integer(int64_t number, char out[HTML_NUMBER_SIZE])
{
    char digits[HTML_NUMBER_SIZE];
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    (void)snprintf(digits, sizeof digits, "%" PRIu64, size);
    digits_group(number < 0 ? MINUS : "", digits, out, HTML_NUMBER_SIZE);
}

void html_format_real(double number, int decimals, char out[HTML_NUMBER_SIZE])
{
    char digits[HTML_NUMBER_SIZE];
    (void)snprintf(digits, sizeof digits, "%.*f", decimals, number < 0 ? -number : number);
    bool zero = strspn(digits, "0.") == strlen(digits);
    digits_group(number < 0 && !zero ? MINUS : "", digits, out, HTML_NUMBER_SIZE);
}

void html_format_share(int64_t part, int64_t whole, char out[HTML_NUMBER_SIZE])
{
    if (whole <= 0) {
        (void)snprintf(out, HTML_NUMBER_SIZE, "-");
        return;
    }
    double percent = 100.0 * (double)part / (double)whole;
    if (part > 0 && percent < 0.05)
        (void)snprintf(out, HTML_NUMBER_SIZE, "<0.1" NBSP "%%");
    else if (part < whole && percent >= 99.95)
        (void)snprintf(out, HTML_NUMBER_SIZE, ">99.9" NBSP "%%");
    else
        (void)snprintf(out, HTML_NUMBER_SIZE, "%.1f" NBSP "%%", percent);
}
