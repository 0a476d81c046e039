/* SPDX-License-Identifier: MIT */
/* What is said to be left, with a clock of our own: it settles early and follows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "pipeline/report/progress.h"
#include "pipeline/report/progress_files.h"
#include "pipeline/report/terminal.h"

#define TICK 0.25 /* seconds between two looks */

/* Work that goes at a speed that depends on time: how much is done at a time. */
typedef double work_function(double time);

/* 7 seconds in which an engine starts, then 100 a second. */
static double slow_start(double time)
{
    return time < 7 ? 0 : 100 * (time - 7);
}

/* Batches: nothing for 1.5 seconds, then 150 at once. */
static double batches(double time)
{
    return 150 * floor(time / 1.5);
}

/* 100 a second for 100 seconds, then 50. */
static double slower(double time)
{
    return time < 100 ? 100 * time : 10000 + 50 * (time - 100);
}

/*
 * An archive of 100 MB at 1 MB a second, as the one who counts sees it: decoders run 3 MB ahead as
 * soon as they are there, and bytes come in pieces of 0.6 MB.
 */
static double archive(double time)
{
    double read = 3e6 + 0.6e6 * floor(time / 0.6);
    return time < TICK ? 0 : fmin(read, 100e6);
}

/* Behind it the same again with half the games in a byte: 40 MB in 80 seconds. */
static double dense_archive(double time)
{
    return time <= 100 ? 1e6 * time : 100e6 + 0.5e6 * (time - 100);
}

/*
 * Largest relative error of the time that was said to be left, between two times. finish: when the
 * work is at total.
 */
static double worst(work_function *work, double total, double finish, double from, double to)
{
    struct progress_rate rate;
    double most = 0;
    progress_rate_start(&rate, 0, 0);
    for (double time = TICK; time <= to; time += TICK) {
        progress_rate_note(&rate, time, work(time));
        if (time < from)
            continue;
        double left = progress_rate_left(&rate, total);
        assert_true(left >= 0);
        most = fmax(most, fabs(left - (finish - time)) / (finish - time));
    }
    return most;
}

static void test_slow_start_is_forgotten(void **state)
{
    (void)state;
    /* 100,000 at 100 a second: 1,000 seconds and the start. By the average from the beginning on it
     * would be wrong by 70 % at 10 seconds. */
    assert_true(worst(slow_start, 100000, 1007, 9.5, 900) < 0.02);
}

static void test_nothing_is_said_before_it_is_known(void **state)
{
    struct progress_rate rate;
    (void)state;
    progress_rate_start(&rate, 0, 500);
    for (double time = TICK; time < 8.5; time += TICK) {
        progress_rate_note(&rate, time, 500 + slow_start(time));
        assert_true(progress_rate_left(&rate, 10000) < 0);
        assert_true(progress_rate_get(&rate) <= 0);
    }
}

static void test_batches_do_not_shake_it(void **state)
{
    (void)state;
    assert_true(worst(batches, 150000, 1500, 8, 20) < 0.35);
    assert_true(worst(batches, 150000, 1500, 20, 1000) < 0.12);
}

static void test_it_follows(void **state)
{
    (void)state;
    /* 20,000: 100 seconds at 100 a second, 200 at 50. At 200 it has
     * forgotten the fast half. */
    assert_true(worst(slower, 20000, 300, 160, 290) < 0.3);
    assert_true(worst(slower, 20000, 300, 205, 290) < 0.05);
}

static void test_archives(void **state)
{
    (void)state;
    /* What is ahead at the beginning is not taken for speed. */
    assert_true(worst(archive, 100e6, 97.2, 5, 20) < 0.3);
    assert_true(worst(archive, 100e6, 97.2, 20, 80) < 0.1);
    assert_true(worst(dense_archive, 140e6, 180, 165, 175) < 0.3);
}

/* The work of an earlier run counts for nothing. */
static void test_resumed_work(void **state)
{
    struct progress_rate rate;
    (void)state;
    progress_rate_start(&rate, 50, 9000);
    for (double time = 50 + TICK; time <= 60; time += TICK)
        progress_rate_note(&rate, time, 9000 + 10 * (time - 50));
    assert_true(fabs(progress_rate_get(&rate) - 10) < 1e-6);
    assert_true(fabs(progress_rate_left(&rate, 10000) - 90) < 1e-3);
}

static void test_line(void **state)
{
    struct progress progress = {.label = "labels", .total = 67890, .cpu_share = 0};
    char line[PROGRESS_LINE_MAX];
    (void)state;
    progress_rate_start(&progress.rate, 0, 0);
    progress_format(&progress, 12, -1, line);
    assert_string_equal(line, "labels 12/67,890 (0 %)");
    progress_rate_note(&progress.rate, 1, 1000);
    progress_rate_note(&progress.rate, 11, 12345);
    progress_format(&progress, 12345, -1, line);
    assert_string_equal(line, "labels 12,345/67,890 (18 %), 1,135/s, 49 s left");
    progress_format(&progress, 67890, 678.9, line);
    assert_string_equal(line, "labels 67,890/67,890 (100 %), 100/s, 11 min");
    progress.total = 0;
    progress_format(&progress, 12345, -1, line);
    assert_string_equal(line, "labels 12,345, 1,135/s");
    progress.part_total = 1000;
    progress.part = 500;
    progress_rate_start(&progress.part_rate, 0, 0);
    progress_rate_note(&progress.part_rate, 1, 1);
    progress_rate_note(&progress.part_rate, 501, 500);
    progress_format(&progress, 12345, -1, line);
    assert_string_equal(line, "labels 12,345, 0.5/1.0 kB (50 %), 1,135/s, 8 min left");
}

static double fake_time;

static double fake_clock(void)
{
    return fake_time;
}

/* What a work of some seconds, 100 a second, writes to stderr, which is no terminal here. */
static void written_in(double seconds, enum terminal_when when, char *out, size_t size)
{
    struct progress progress;
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    assert_non_null(file);
    assert_true(kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    progress_use_clock(fake_clock);
    terminal_set_progress(when);
    fake_time = 1000;
    progress_start(&progress, "labels", 0, (uint64_t)(100 * seconds), false);
    for (int step = 1; step <= (int)(seconds / 0.05); step++) {
        fake_time = 1000 + step * 0.05;
        progress_update(&progress, (uint64_t)step * 5);
    }
    (void)fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0 && close(kept) == 0);
    progress_use_clock(NULL);
    terminal_set_progress(TERMINAL_AUTO);
    rewind(file);
    out[fread(out, 1, size - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
}

static int count_of(const char *text, const char *word)
{
    int count = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

/* A line a minute: of 200 seconds after 60, 120 and 180. */
static void test_a_line_a_minute(void **state)
{
    static char out[65536];
    (void)state;
    written_in(59.9, TERMINAL_AUTO, out, sizeof out);
    assert_string_equal(out, "");
    written_in(200, TERMINAL_AUTO, out, sizeof out);
    assert_int_equal(count_of(out, "\n"), 3);
    assert_non_null(strstr(out, "labels 6,000/20,000 (30 %), 100/s, 2 min left"));
    assert_non_null(strstr(out, "labels 12,000/20,000 (60 %), 100/s, 80 s left"));
    assert_non_null(strstr(out, "labels 18,000/20,000 (90 %), 100/s, 20 s left"));
}

/* On a terminal nothing in the first second, then five a second at most: 20 or a few less in 4. */
static void test_five_a_second(void **state)
{
    static char out[65536];
    (void)state;
    written_in(0.95, TERMINAL_ALWAYS, out, sizeof out);
    assert_string_equal(out, "");
    written_in(5, TERMINAL_ALWAYS, out, sizeof out);
    assert_in_range(count_of(out, "labels "), 16, 21);
    assert_int_equal(count_of(out, "\n"), 0);
    written_in(200, TERMINAL_NEVER, out, sizeof out);
    assert_string_equal(out, "");
}

/* What is said of bytes, in units of the whole. */
static void test_bytes(void **state)
{
    static const struct {
        double part, total;
        const char *line;
    } cases[] = {
        {0, 999, "games 7, 0.0/1.0 kB (0 %)"},
        {49e3, 999.9e3, "games 7, 49.0/999.9 kB (4 %)"},
        {1, 999.99e3, "games 7, 0.0/1.0 MB (0 %)"},
        {1.2e9, 6.4e9, "games 7, 1.2/6.4 GB (18 %)"},
        {31.4e12, 3.2e15, "games 7, 31.4/3200.0 TB (0 %)"},
        {0, 0, "games 7"}, /* stdin */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct progress progress = {.label = "games"};
        char line[PROGRESS_LINE_MAX];
        progress.part = cases[i].part;
        progress.part_total = cases[i].total;
        progress_format(&progress, 7, -1, line);
        assert_string_equal(line, cases[i].line);
    }
}

/* Files have sizes; what is no file, or one among files, has not. */
static void test_files(void **state)
{
    struct progress_files files = {0};
    char path[] = "/tmp/plymill-progress-XXXXXX";
    int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "0123456789", 10), 10);
    close(fd);
    progress_files_add(&files, path);
    progress_files_add(&files, "/nowhere/at/all");
    progress_files_add(&files, path);
    assert_true(progress_files_total(&files) == 20);
    files.before = 10;
    assert_true(progress_files_at(&files, 3) == 13);
    progress_files_add(&files, "/dev/null");
    assert_true(progress_files_total(&files) == 0);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_start_is_forgotten),
        cmocka_unit_test(test_nothing_is_said_before_it_is_known),
        cmocka_unit_test(test_batches_do_not_shake_it),
        cmocka_unit_test(test_it_follows),
        cmocka_unit_test(test_archives),
        cmocka_unit_test(test_resumed_work),
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_a_line_a_minute),
        cmocka_unit_test(test_five_a_second),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
