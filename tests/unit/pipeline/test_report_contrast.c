/* SPDX-License-Identifier: MIT */
/*
 * Whether the report's colours can be told apart, by the formula of WCAG 2.1: texts need a contrast
 * of 4.5 to what they stand on (AA), marks of a chart 3. In the light theme, the dark one and on
 * paper.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline/report/html.h"
#include "pipeline/report/report_style.h"

#define STYLE_MAX (1u << 16)
#define TEXT      4.5
#define MARK      3.0

struct pair {
    const char *front, *back;
    double least;
};

static const struct pair pairs[] = {
    {"ink", "paper", TEXT},
    {"soft", "paper", TEXT},
    {"first", "paper", TEXT},
    {"second", "paper", TEXT},
    {"on-white", "white", TEXT},
    {"on-draw", "draw", TEXT},
    {"on-black", "black", TEXT},
    {"on-low", "d1", TEXT},
    {"on-low", "d2", TEXT},
    {"on-low", "d3", TEXT},
    {"on-high", "d4", TEXT},
    {"on-high", "d5", TEXT},
    {"lost", "paper", MARK},
    {"second", "d1", MARK},
    {"piece-black", "light-square", MARK},
    {"piece-black", "dark-square", MARK},
    {"outline-white", "light-square", MARK},
    {"outline-white", "dark-square", MARK},
};

/* x^2.4 = (x^12)^(1/5), by Newton's method: for 0 .. 1. */
static double power_24(double x)
{
    double target = x * x * x * x * x * x * x * x * x * x * x * x, root = 1;
    for (int i = 0; i < 200; i++)
        root = (4 * root + target / (root * root * root * root)) / 5;
    return root;
}

static double luminance(const char *colour)
{
    static const double weights[3] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    unsigned long bits = strtoul(colour, NULL, 16);
    if (strspn(colour, "0123456789abcdef") == 3)
        bits = ((bits >> 8) * 0x11 << 16) | ((bits >> 4 & 15) * 0x11 << 8) | (bits & 15) * 0x11;
    for (int i = 0; i < 3; i++) {
        double share = (double)(bits >> (16 - 8 * i) & 255) / 255;
        sum += weights[i] * (share <= 0.04045 ? share / 12.92 : power_24((share + 0.055) / 1.055));
    }
    return sum;
}

static double contrast(const char *a, const char *b)
{
    double one = luminance(a) + 0.05, other = luminance(b) + 0.05;
    return one > other ? one / other : other / one;
}

/* The digits of a colour in a theme, in the one before where it is not changed; NULL: nowhere. */
static const char *find_colour(const char *theme, const char *base, const char *name)
{
    char text[32];
    (void)snprintf(text, sizeof text, "--%s:#", name);
    const char *end = strchr(theme, '}'), *found = strstr(theme, text);
    if (found && found < end)
        return found + strlen(text);
    return theme == base ? NULL : find_colour(base, base, name);
}

/* text: how the theme's rules begin. */
static int check_theme(const char *style, const char *text)
{
    int bad = 0;
    const char *base = strstr(style, ":root{"), *theme = strstr(style, text);
    assert_non_null(base);
    assert_non_null(theme);
    theme = strstr(theme, ":root{");
    assert_non_null(theme);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const char *front = find_colour(theme, base, pairs[i].front);
        const char *back = find_colour(theme, base, pairs[i].back);
        if (!front || !back)
            fail_msg("no colour %s or %s", pairs[i].front, pairs[i].back);
        double found = contrast(front, back);
        if (found < pairs[i].least)
            print_error("%s: %s on %s has %.2f, not %.1f\n", text, pairs[i].front, pairs[i].back,
                        found, pairs[i].least);
        bad += found < pairs[i].least;
    }
    return bad;
}

/* The contrasts that WCAG's own examples and its definition give. */
static void test_the_formula(void **state)
{
    (void)state;
    assert_true(contrast("000000", "ffffff") > 20.999 && contrast("000000", "ffffff") < 21.001);
    assert_true(contrast("fff", "000") > 20.999);
    assert_true(contrast("767676", "ffffff") > 4.54 && contrast("767676", "ffffff") < 4.55);
    assert_true(contrast("777777", "ffffff") > 4.47 && contrast("777777", "ffffff") < 4.48);
    assert_true(contrast("123456", "123456") == 1);
}

static void test_contrast(void **state)
{
    (void)state;
    struct buffer out;
    struct html html;
    struct error err = {0};
    buffer_init(&out, STYLE_MAX);
    html_begin(&html, &out, &err);
    report_write_style(&html);
    assert_int_equal(html_end(&html), 0);
    int bad = check_theme(out.data, ":root{") +
              check_theme(out.data, "@media(prefers-color-scheme:dark)") +
              check_theme(out.data, "@media print");
    assert_int_equal(bad, 0);
    buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_formula),
        cmocka_unit_test(test_contrast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
