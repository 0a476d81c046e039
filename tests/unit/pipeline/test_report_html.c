/* SPDX-License-Identifier: MIT */
/* The HTML builder: escaping, numbers, nesting; and the charts' choice of ticks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline/report/html.h"
#include "pipeline/report/svg.h"

#define OUT_MAX 100000

static bool near(double a, double b)
{
    return a - b < 1e-9 && b - a < 1e-9;
}

static void check_text(const char *text, const char *want)
{
    struct buffer out;
    struct html html;
    struct error err = {0};
    buffer_init(&out, OUT_MAX);
    html_begin(&html, &out, &err);
    html_raw(&html, "=");
    html_text(&html, text);
    assert_int_equal(html_end(&html), 0);
    assert_string_equal(out.data + 1, want);
    buffer_free(&out);
}

static void test_text_is_escaped(void **state)
{
    (void)state;
    check_text("a & b < c > d", "a &amp; b &lt; c &gt; d");
    check_text("\"x\" 'y'", "&quot;x&quot; &#39;y&#39;");
    check_text("</title><script>", "&lt;/title&gt;&lt;script&gt;");
    check_text("tab\tline\n", "tab\tline\n");
    check_text("bell\a del\x7f", "bell\xEF\xBF\xBD del\xEF\xBF\xBD");
}

static void test_bytes_that_are_not_utf8(void **state)
{
    (void)state;
    check_text("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
    check_text("\xE9t\xE9", "\xEF\xBF\xBDt\xEF\xBF\xBD"); /* Latin-1 */
    check_text("\x80", "\xEF\xBF\xBD");
    check_text("\xC3", "\xEF\xBF\xBD");                                 /* cut */
    check_text("\xC0\xBC", "\xEF\xBF\xBD\xEF\xBF\xBD");                 /* '<', too long */
    check_text("\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); /* surrogate */
    check_text("\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    check_text("\xFF<", "\xEF\xBF\xBD&lt;");
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        int64_t number;
        const char *want;
    } cases[] = {{0, "0"},
                 {999, "999"},
                 {1000, "1,000"},
                 {12345678, "12,345,678"},
                 {-1000, "\xE2\x88\x92"
                         "1,000"},
                 {INT64_MAX, "9,223,372,036,854,775,807"},
                 {INT64_MIN, "\xE2\x88\x92"
                             "9,223,372,036,854,775,808"}};
    char out[HTML_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        html_format_integer(cases[i].number, out);
        assert_string_equal(out, cases[i].want);
    }
    html_format_real(1234.56, 1, out);
    assert_string_equal(out, "1,234.6");
    html_format_real(-0.04, 1, out);
    assert_string_equal(out, "0.0");
    html_format_real(-0.06, 1, out);
    assert_string_equal(out, "\xE2\x88\x92"
                             "0.1");
}

static void test_shares(void **state)
{
    (void)state;
    static const struct {
        int64_t part, whole;
        const char *want;
    } cases[] = {{0, 10, "0.0\xC2\xA0%"},         {10, 10, "100.0\xC2\xA0%"},
                 {1, 3, "33.3\xC2\xA0%"},         {1, 10000, "<0.1\xC2\xA0%"},
                 {9999, 10000, ">99.9\xC2\xA0%"}, {0, 0, "-"}};
    char out[HTML_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        html_format_share(cases[i].part, cases[i].whole, out);
        assert_string_equal(out, cases[i].want);
    }
}

static void test_elements_close_in_order(void **state)
{
    (void)state;
    struct buffer out;
    struct html html;
    struct error err = {0};
    buffer_init(&out, OUT_MAX);
    html_begin(&html, &out, &err);
    html_open_with(&html, "td", "class=\"a%d\"", 7);
    html_element(&html, "b", NULL, "x<y");
    html_close(&html);
    assert_int_equal(html_end(&html), 0);
    assert_string_equal(out.data, "<td class=\"a7\"><b>x&lt;y</b></td>");
    html_open(&html, "p");
    assert_int_equal(html_end(&html), -1);
    assert_non_null(strstr(err.text, "<p>"));
    html_begin(&html, &out, &err);
    html_close(&html);
    assert_int_equal(html_end(&html), -1);
    buffer_free(&out);
}

static void test_depth_at_the_limit_and_past_it(void **state)
{
    (void)state;
    for (int depth = HTML_DEPTH_MAX; depth <= HTML_DEPTH_MAX + 1; depth++) {
        struct buffer out;
        struct html html;
        struct error err = {0};
        buffer_init(&out, OUT_MAX);
        html_begin(&html, &out, &err);
        for (int i = 0; i < depth; i++)
            html_open(&html, "div");
        for (int i = 0; i < depth; i++)
            html_close(&html);
        assert_int_equal(html.status, depth == HTML_DEPTH_MAX ? 0 : -1);
        buffer_free(&out);
    }
}

static void test_line_at_the_limit_and_past_it(void **state)
{
    (void)state;
    for (int length = HTML_LINE_MAX - 1; length <= HTML_LINE_MAX; length++) {
        struct buffer out;
        struct html html;
        struct error err = {0};
        buffer_init(&out, OUT_MAX);
        html_begin(&html, &out, &err);
        html_textf(&html, "%0*d", length, 0);
        assert_int_equal(html_end(&html), length < HTML_LINE_MAX ? 0 : -1);
        buffer_free(&out);
    }
}

static void test_the_first_failure_is_kept(void **state)
{
    (void)state;
    struct buffer out;
    struct html html;
    struct error err = {0};
    buffer_init(&out, 8);
    html_begin(&html, &out, &err);
    html_text(&html, "more than eight bytes");
    html_open(&html, "p");
    html_close(&html);
    assert_int_equal(html_end(&html), -1);
    assert_non_null(strstr(err.text, "over 8 bytes"));
    buffer_free(&out);
}

static void test_ticks_stand_at_round_numbers(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        int most;
        double first, step;
        size_t ticks;
        int decimals;
    } cases[] = {{0, 100, 6, 0, 20, 6, 0},         {-2000, 2000, 6, -2000, 1000, 5, 0},
                 {0, 7.4, 5, 0, 2, 4, 0},          {1, 33, 9, 5, 5, 6, 0},
                 {0, 0.08, 5, 0, 0.02, 5, 2},      {-7, 7, 4, -5, 5, 3, 0},
                 {0, 1000000, 3, 0, 500000, 3, 0}, {0.3, 0.9, 2, 0.5, 0.5, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct svg_axis axis;
        svg_axis_set(&axis, cases[i].low, cases[i].high, cases[i].most, "x");
        assert_true(near(axis.step, cases[i].step));
        assert_true(near(axis.first, cases[i].first));
        assert_int_equal(svg_axis_ticks(&axis), cases[i].ticks);
        assert_int_equal(axis.decimals, cases[i].decimals);
    }
}

static void test_axes_that_end_on_ticks(void **state)
{
    (void)state;
    struct svg_axis axis;
    char text[HTML_NUMBER_SIZE];
    svg_axis_set_count(&axis, 7.4, 5, "x");
    assert_true(near(axis.high, 8));
    svg_axis_set_count(&axis, 0, 5, "x");
    assert_true(axis.high > 0);
    svg_axis_set_wide(&axis, 0.0031, 0.0652, 5, "x");
    assert_true(near(axis.low, 0));
    assert_true(near(axis.high, 0.08));
    svg_axis_set(&axis, 5, 5, 5, "x");
    assert_true(axis.low < axis.high);
    svg_axis_set(&axis, -2000, 2000, 6, "x");
    axis.suffix = " cp";
    svg_axis_format(&axis, -1000, text);
    assert_string_equal(text, "\xE2\x88\x92"
                              "1,000 cp");
}

static void test_density_steps(void **state)
{
    (void)state;
    static const struct {
        int64_t highest, last;
    } cases[] = {{0, 16}, {80, 16}, {81, 81}, {255, 81}, {256, 256}, {100000, 83521}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t bounds[SVG_DENSITY_STEPS];
        svg_density_bounds(cases[i].highest, bounds);
        assert_int_equal(bounds[0], 1);
        assert_int_equal(bounds[SVG_DENSITY_STEPS - 1], cases[i].last);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_escaped),
        cmocka_unit_test(test_bytes_that_are_not_utf8),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_elements_close_in_order),
        cmocka_unit_test(test_depth_at_the_limit_and_past_it),
        cmocka_unit_test(test_line_at_the_limit_and_past_it),
        cmocka_unit_test(test_the_first_failure_is_kept),
        cmocka_unit_test(test_ticks_stand_at_round_numbers),
        cmocka_unit_test(test_axes_that_end_on_ticks),
        cmocka_unit_test(test_density_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
