/* SPDX-License-Identifier: MIT */
/*
 * The whole page, of a made-up build: it is sound HTML, holds every figure and every number of the
 * catalogue, refers to nothing outside of itself, and depends on nothing but the build.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/chess/movegen.h"
#include "formats/io/file.h"
#include "formats/record.h"
#include "nnue/tools/tinynet.h"
#include "pipeline/cli/cmd_report.h"
#include "pipeline/report/html.h"
#include "pipeline/report/report.h"
#include "pipeline/report/report_facts.h"
#include "pipeline/report/trained_on.h"
#include "pipeline/stages/fate.h"
#include "pipeline/stages/repeats.h"
#include "pipeline/stages/select.h"

#define PAGE_MAX     (8u << 20)
#define OPEN_MAX     64
#define TAG_SIZE     32
#define HOSTILE_NAME "a<b>&\"c'.pgn"

/* A folder of its own for each build. */
struct fixture {
    char folder[64], directory[80];
    struct build *build;
};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Positions of random games, scored by how the dice fall. */
static void random_record(uint32_t *state, int number, struct record *record)
{
    uint16_t moves[MOVES_MAX];
    *record = (struct record){.result = (int8_t)((int)(next_random(state) % 3) - 1)};
    (void)snprintf(record->game_id, sizeof record->game_id, "g%07d", number / 3);
    position_start(&record->position);
    unsigned plies = 10 + next_random(state) % 40, count = 0;
    for (; record->ply < plies; record->ply++) {
        count = movegen_legal(&record->position, moves);
        if (count == 0)
            break;
        position_make(&record->position, moves[next_random(state) % count], NULL);
    }
    count = movegen_legal(&record->position, moves);
    record->label = (struct label){.best_move = count > 0 ? moves[0] : MOVE_NONE,
                                   .limit_kind = LIMIT_NODES,
                                   .limit = 1000,
                                   .nodes = 1000,
                                   .depth = 6};
    record->label.final = (struct score){SCORE_CP, (int32_t)(next_random(state) % 4400) - 2200};
    record->label.exact = record->label.final;
}

static void write_records(struct fixture *fixture, int split, int64_t count)
{
    struct error err = {0};
    struct record_writer *writer = NULL;
    struct writer_result result;
    uint32_t state = 77u + (uint32_t)split;
    char *path = select_record_path(fixture->build, split, &err);
    assert_int_equal(record_writer_create(path, (uint64_t)count, &writer, &err), 0);
    for (int64_t i = 0; i < count;) {
        struct record record;
        random_record(&state, (int)i, &record);
        if (record.label.best_move == MOVE_NONE)
            continue;
        assert_int_equal(record_writer_add(writer, &record, &err), 0);
        i++;
    }
    assert_int_equal(record_writer_commit(writer, &result, &err), 0);
    struct catalogue_file file = {.stage = "select",
                                  .content_bytes = (int64_t)result.content_bytes,
                                  .file_bytes = (int64_t)result.file_bytes,
                                  .records = count};
    (void)snprintf(file.name, sizeof file.name, "records/%s.rec", build_split_names[split]);
    memcpy(file.content_sha256, result.content_sha256, sizeof file.content_sha256);
    memcpy(file.file_sha256, result.file_sha256, sizeof file.file_sha256);
    assert_int_equal(catalogue_put_file(fixture->build->catalogue, &file, &err), 0);
    free(path);
}

static void put_count(struct fixture *fixture, const char *stage, const char *name, int split,
                      int64_t value)
{
    struct error err = {0};
    struct catalogue_count count = {.split = split, .value = value};
    (void)snprintf(count.stage, sizeof count.stage, "%s", stage);
    (void)snprintf(count.name, sizeof count.name, "%s", name);
    assert_int_equal(catalogue_put_count(fixture->build->catalogue, &count, &err), 0);
}

static void put_counts(struct fixture *fixture, const int64_t kept[BUILD_SPLITS])
{
    static const char *const names[] = {
        "games read",          "games used",          "games: duplicate game",
        "games: illegal move", "positions: in check", "positions: not picked"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        put_count(fixture, "sample", names[i], CATALOGUE_SPLIT_NONE, 1234567 + 10007 * (int64_t)i);
    for (int split = 0; split < BUILD_SPLITS; split++) {
        put_count(fixture, "sample", "samples", split, 70001 + 1009 * split);
        for (int fate = 0; fate < FATE_COUNT; fate++)
            put_count(fixture, "select", fate_text((enum fate)fate), split,
                      fate == FATE_KEPT ? kept[split] : 2003 + 101 * fate + 11 * split);
    }
}

/* Positions in several splits: each name with numbers that stand nowhere else. */
static void put_repeats(struct fixture *fixture)
{
    for (int key = 0; key < REPEAT_KEYS; key++) {
        for (int after = 0; after < 2; after++) {
            char name[REPEATS_NAME_SIZE];
            int64_t value = 50021 + 1301 * key + 17 * after;
            repeats_name((enum repeat_key)key, after, false, name);
            put_count(fixture, "select", name, CATALOGUE_SPLIT_NONE, value);
            repeats_name((enum repeat_key)key, after, true, name);
            for (int split = 0; split < BUILD_SPLITS; split++)
                put_count(fixture, "select", name, split, value - 101 * (split + 1));
        }
    }
}

static void put_sources(struct fixture *fixture)
{
    static const char *const meta[][2] = {{"engine.name", "Engine <1> & Co"},
                                          {"engine.net", "net.nnue"},
                                          {"engine.options", "Hash=4;Threads=1"},
                                          {"engine.files", "engine 00ff"},
                                          {"engine.signature", "5161"}};
    struct error err = {0};
    struct catalogue_input input = {.bytes = 987654, .games = 4321, .plies = 345678, .rejected = 9};
    (void)snprintf(input.path, sizeof input.path, "%s/%s", fixture->folder, HOSTILE_NAME);
    memset(input.sha256, 'c', DIGEST_HEX_SIZE - 1);
    assert_int_equal(catalogue_put_input(fixture->build->catalogue, &input, &err), 0);
    for (size_t i = 0; i < sizeof meta / sizeof meta[0]; i++)
        assert_int_equal(catalogue_set(fixture->build->catalogue, meta[i][0], meta[i][1], &err), 0);
}

static void write_quarantine(struct fixture *fixture)
{
    struct error err = {0};
    char *path = build_path(fixture->build, &err, "quarantine.tsv");
    assert_int_equal(file_write_all(path, "kind\n", 5, &err), 0);
    free(path);
}

static void fixture_open(struct fixture *fixture, const int64_t kept[BUILD_SPLITS])
{
    struct error err = {0};
    (void)snprintf(fixture->folder, sizeof fixture->folder, "/tmp/plymill-report-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    (void)snprintf(fixture->directory, sizeof fixture->directory, "%s/build", fixture->folder);
    struct settings *settings = settings_new();
    if (build_open(fixture->directory, BUILD_CREATE, settings, &fixture->build, &err) < 0)
        fail_msg("%s", err.text);
    fixture->build->quiet = true;
    assert_int_equal(catalogue_begin(fixture->build->catalogue, &err), 0);
    put_sources(fixture);
    put_counts(fixture, kept);
    put_repeats(fixture);
    for (int split = 0; split < BUILD_SPLITS; split++)
        write_records(fixture, split, kept[split]);
    write_quarantine(fixture);
    for (int stage = 0; stage < BUILD_STAGES; stage++)
        assert_int_equal(build_stage_finish(fixture->build, (enum build_stage)stage, &err), 0);
    assert_int_equal(catalogue_commit(fixture->build->catalogue, &err), 0);
}

static void fixture_close(struct fixture *fixture)
{
    char command[160];
    build_close(fixture->build);
    (void)snprintf(command, sizeof command, "rm -rf %s", fixture->folder);
    assert_int_equal(system(command), 0);
}

static const int64_t usual[BUILD_SPLITS] = {1200, 150, 160};

static char *render(struct fixture *fixture, const char *const *nets, size_t count)
{
    struct buffer page;
    struct error err = {0};
    buffer_init(&page, PAGE_MAX);
    if (report_render(fixture->build, &(struct report_options){.nets = nets, .net_count = count},
                      &page, &err) < 0)
        fail_msg("%s", err.text);
    return page.data;
}

/* Every element that opens closes, in order; no bare & or <. */
static void check_balance(const char *page)
{
    char open[OPEN_MAX][TAG_SIZE];
    int depth = 0;
    for (const char *at = page; (at = strchr(at, '<')); at++) {
        char name[TAG_SIZE];
        bool closes = at[1] == '/';
        if (at[1] == '!')
            continue;
        if (sscanf(at + 1 + closes, "%31[a-zA-Z0-9]", name) != 1)
            fail_msg("a bare < at: %.40s", at);
        const char *end = strchr(at, '>');
        assert_non_null(end);
        if (closes) {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/' && strcmp(name, "meta") != 0 && strcmp(name, "br") != 0) {
            assert_true(depth < OPEN_MAX);
            memcpy(open[depth++], name, sizeof name);
        }
    }
    assert_int_equal(depth, 0);
    for (const char *at = page; (at = strchr(at, '&')); at++) {
        size_t length = strspn(at + 1, "#abcdefghijklmnopqrstuvwxyz0123456789");
        assert_int_equal(at[1 + length], ';');
    }
}

static size_t occurrences(const char *page, const char *word)
{
    size_t count = 0;
    for (const char *at = page; (at = strstr(at, word)); at++)
        count++;
    return count;
}

/* Is there a row with this heading and, among its cells, this number? */
static bool row_holds(const char *page, const char *heading, int64_t value)
{
    char start[160], number[HTML_NUMBER_SIZE], cell[HTML_NUMBER_SIZE + 8];
    (void)snprintf(start, sizeof start, "<th scope=\"row\">%s</th>", heading);
    html_format_integer(value, number);
    (void)snprintf(cell, sizeof cell, ">%s</td>", number);
    for (const char *row = page; (row = strstr(row, start)); row++) {
        const char *end = strstr(row, "</tr>"), *found = strstr(row, cell);
        if (found && found < end)
            return true;
    }
    return false;
}

static void test_page_is_sound(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_open(&fixture, usual);
    char *page = render(&fixture, NULL, 0);
    check_balance(page);
    assert_int_equal(strncmp(page, "<!DOCTYPE html>\n<html lang=\"en\">", 32), 0);
    free(page);
    fixture_close(&fixture);
}

static void test_page_refers_to_nothing(void **state)
{
    (void)state;
    static const char *const words[] = {
        "http", "<script", "<link", "src=", "href=", "@import", "url(", "/tmp", "onload"};
    struct fixture fixture;
    fixture_open(&fixture, usual);
    char *page = render(&fixture, NULL, 0);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(page, words[i]))
            fail_msg("the page holds %s", words[i]);
    assert_non_null(strstr(page, "a&lt;b&gt;&amp;&quot;c&#39;.pgn"));
    assert_non_null(strstr(page, "Engine &lt;1&gt; &amp; Co"));
    free(page);
    fixture_close(&fixture);
}

static void test_every_figure_is_there_and_named(void **state)
{
    (void)state;
    static const char *const ids[] = {"scores", "win-rate", "pieces", "phase",
                                      "plies",  "depth",    "results"};
    struct fixture fixture;
    fixture_open(&fixture, usual);
    char *page = render(&fixture, NULL, 0);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        char text[128];
        (void)snprintf(text, sizeof text, "aria-labelledby=\"%s-title %s-desc\"", ids[i], ids[i]);
        assert_int_equal(occurrences(page, text), 1);
        (void)snprintf(text, sizeof text, "<title id=\"%s-title\">", ids[i]);
        assert_int_equal(occurrences(page, text), 1);
        (void)snprintf(text, sizeof text, "<desc id=\"%s-desc\">", ids[i]);
        assert_int_equal(occurrences(page, text), 1);
    }
    assert_int_equal(occurrences(page, "role=\"img\""), 7);
    assert_int_equal(occurrences(page, "<figure>"), 7);
    assert_int_equal(occurrences(page, "<figcaption>"), 7);
    assert_non_null(strstr(page, "took 1,000 nodes on average and 1,000 at most"));
    assert_true(row_holds(page, "Mean nodes of the search", 1000));
    free(page);
    fixture_close(&fixture);
}

/* The heading of the row that shows a count of positions in several splits. */
static bool find_repeats_heading(const char *count, char heading[REPEATS_NAME_SIZE])
{
    for (int key = 0; key < REPEAT_KEYS; key++) {
        for (int i = 0; i < 4; i++) {
            char name[REPEATS_NAME_SIZE];
            bool after = i & 1, each = i & 2;
            repeats_name((enum repeat_key)key, after, each, name);
            if (strcmp(name, count) != 0)
                continue;
            (void)snprintf(heading, REPEATS_NAME_SIZE, "by %s%s",
                           repeats_text((enum repeat_key)key), after ? ", in the end" : "");
            return true;
        }
    }
    return false;
}

static int check_count(void *context, const struct catalogue_count *count, struct error *err)
{
    (void)err;
    static const struct {
        const char *name, *heading;
    } headings[] = {{"games read", "Games read"},
                    {"games used", "Games used"},
                    {"games: duplicate game", "duplicate game"},
                    {"games: illegal move", "illegal move"},
                    {"positions: in check", "in check"},
                    {"positions: not picked", "not picked"}};
    char repeats[REPEATS_NAME_SIZE];
    const char *heading = find_repeats_heading(count->name, repeats) ? repeats : count->name;
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++)
        if (strcmp(headings[i].name, count->name) == 0)
            heading = headings[i].heading;
    if (!row_holds(context, heading, count->value))
        fail_msg("no row \"%s\" with %ld", heading, (long)count->value);
    return 0;
}

static void test_numbers_are_those_of_the_catalogue(void **state)
{
    (void)state;
    struct fixture fixture;
    struct error err = {0};
    fixture_open(&fixture, usual);
    char *page = render(&fixture, NULL, 0);
    assert_int_equal(catalogue_each_count(fixture.build->catalogue, check_count, page, &err), 0);
    assert_true(row_holds(page, "Records kept", 1200 + 150 + 160));
    assert_true(row_holds(page, "Positions sampled", 3 * 70001 + 3 * 1009));
    assert_true(row_holds(page, "mate", 3 * (2003 + 101 * FATE_MATE) + 33));
    assert_true(row_holds(page, "Records", 1200));
    assert_true(row_holds(page, "records/<wbr/>train.rec", 64 + 128 * 1200));
    assert_true(row_holds(page, "a&lt;b&gt;&amp;&quot;c&#39;.pgn", 345678));
    assert_false(row_holds(page, "Records", 1201));
    free(page);
    fixture_close(&fixture);
}

static void test_equal_builds_give_equal_pages(void **state)
{
    (void)state;
    struct fixture first, second;
    struct error err = {0};
    char *path = NULL;
    fixture_open(&first, usual);
    fixture_open(&second, usual);
    char *page = render(&first, NULL, 0), *other = render(&second, NULL, 0);
    assert_string_equal(page, other);
    assert_int_equal(report_write(second.build, &(struct report_options){0}, &path, &err), 0);
    struct buffer written;
    buffer_init(&written, PAGE_MAX);
    assert_int_equal(file_read_all(path, &written, &err), 0);
    assert_int_equal(written.length, strlen(page));
    assert_memory_equal(written.data, page, written.length);
    buffer_free(&written);
    free(path);
    free(page);
    free(other);
    fixture_close(&first);
    fixture_close(&second);
}

static char *render_health(struct fixture *fixture)
{
    struct buffer page;
    struct error err = {0};
    buffer_init(&page, PAGE_MAX);
    if (report_render(fixture->build, &(struct report_options){.health = true}, &page, &err) < 0)
        fail_msg("%s", err.text);
    return page.data;
}

static void test_health_is_shown_when_asked_for(void **state)
{
    (void)state;
    static const struct catalogue_health rows[] = {
        {4000, 0, 0, 0, 3, 40000000, 80000000, 19500, 31000, 150000, 28000000},
        {0, 1, 2, 2, 3, 0, 0, 0, 0, 0, 9000000},
        {1000, 0, 1, 0, 3, 11000000, 30000000, 28000, 44000, 700500, 13000000},
    };
    struct fixture fixture;
    struct error err = {0};
    fixture_open(&fixture, usual);
    char *without = render(&fixture, NULL, 0), *page = render_health(&fixture);
    assert_non_null(strstr(page, "Nothing was written down"));
    assert_null(strstr(page, "health-time"));
    free(page);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(catalogue_add_health(fixture.build->catalogue, &rows[i], &err), 0);
    page = render(&fixture, NULL, 0);
    assert_string_equal(page, without);
    free(page);
    page = render_health(&fixture);
    check_balance(page);
    assert_int_equal(occurrences(page, "aria-labelledby=\"health-time-title health-time-desc\""),
                     1);
    assert_int_equal(occurrences(page, "aria-labelledby=\"health-rate-title health-rate-desc\""),
                     1);
    assert_int_equal(occurrences(page, "<figcaption>"), 9);
    assert_non_null(strstr(page,
                           "Engines made 5,000 labels here. They had to be killed and started "
                           "anew 3 times, 2 of these for being late; 1 position was given"));
    assert_non_null(
        strstr(page, "A label took 10,200 nodes on average; the slowest took 700.5 ms"));
    assert_non_null(strstr(page, "up to 3 engines made in a second, starts and restarts included: "
                                 "100.0 on average"));
    assert_non_null(strstr(page, "labels 4,000 to 5,000: 1 restart, 0 for being late"));
    assert_non_null(strstr(page, "and for how the engine did"));
    free(page);
    free(without);
    fixture_close(&fixture);
}

static void test_build_that_is_not_finished(void **state)
{
    (void)state;
    struct fixture fixture;
    struct error err = {0};
    char *path = NULL;
    fixture_open(&fixture, usual);
    assert_int_equal(build_stage_forget(fixture.build, BUILD_EXPORT, &err), 0);
    assert_int_equal(report_write(fixture.build, &(struct report_options){0}, &path, &err), -1);
    assert_null(path);
    assert_non_null(strstr(err.text, "export"));
    assert_non_null(strstr(err.text, "run: plymill build"));
    path = build_path(fixture.build, &err, "%s", REPORT_NAME);
    assert_false(file_exists(path));
    free(path);
    fixture_close(&fixture);
}

static void test_splits_without_records(void **state)
{
    (void)state;
    static const int64_t none[BUILD_SPLITS] = {0, 0, 0};
    static const char *const nets[] = {"absent.safetensors"};
    struct fixture fixture;
    fixture_open(&fixture, none);
    char *page = render(&fixture, nets, 1);
    check_balance(page);
    assert_null(strstr(page, "nan"));
    assert_null(strstr(page, "inf "));
    assert_non_null(strstr(page, "nothing can be measured"));
    free(page);
    fixture_close(&fixture);
}

/* A net that says 0.25 * 400 cp of every position: its last layer is a bias. */
static void write_net(const char *path, const struct text_out *texts, size_t count)
{
    struct tinynnue_float net;
    struct buffer bytes;
    struct error err = {0};
    assert_int_equal(tinynnue_float_new(&net, 8, 4), 0);
    net.b3[0] = 0.25F;
    buffer_init(&bytes, TINYNET_FILE_MAX);
    assert_int_equal(tinynet_encode_float(&net, texts, count, &bytes, &err), 0);
    assert_int_equal(file_write_all(path, bytes.data, bytes.length, &err), 0);
    buffer_free(&bytes);
    tinynnue_float_free(&net);
}

static void test_nets(void **state)
{
    (void)state;
    static const char log[] = "epoch,train_loss,validation_loss\n1,0.05,0.06\n2,0.04,0.07\n";
    struct fixture fixture;
    struct error err = {0};
    char net[128], csv[128];
    fixture_open(&fixture, usual);
    (void)snprintf(net, sizeof net, "%s/net.safetensors", fixture.folder);
    (void)snprintf(csv, sizeof csv, "%s/net.train.csv", fixture.folder);
    write_net(net, NULL, 0);
    assert_int_equal(file_write_all(csv, log, sizeof log - 1, &err), 0);
    const char *const nets[] = {net};
    char *page = render(&fixture, nets, 1);
    check_balance(page);
    assert_null(strstr(page, "/tmp"));
    assert_int_equal(occurrences(page, "aria-labelledby=\"density-1-title"), 1);
    assert_int_equal(occurrences(page, "aria-labelledby=\"calibration-1-title"), 1);
    assert_int_equal(occurrences(page, "aria-labelledby=\"errors-1-title"), 1);
    assert_int_equal(occurrences(page, "aria-labelledby=\"losses-1-title"), 1);
    assert_int_equal(occurrences(page, "<figure class=\"board\">"), 20);
    assert_int_equal(occurrences(page, "aria-labelledby=\"board-1-20-title"), 1);
    assert_int_equal(occurrences(page, "http"),
                     occurrences(page, "<a href=\"https://lichess.org/"));
    assert_non_null(strstr(page, "<th scope=\"row\">net.safetensors</th>"));
    assert_non_null(strstr(page, "<th scope=\"row\">material fitted</th>"));
    assert_non_null(strstr(page, "The validation loss was lowest, 0.060000, after epoch 1 of 2."));
    assert_non_null(strstr(page, "<th scope=\"row\">side white</th>"));
    /* Of this net nothing but its last bias is rounded: 0.25 to 32/127, 0.787 of 400 cp. */
    assert_int_equal(occurrences(page, "class=\"rounding\""), 1);
    assert_non_null(strstr(page, "<th scope=\"row\">b3</th><td class=\"number\">0.787</td>"));
    assert_non_null(strstr(page, "<th scope=\"row\">all, S = 16</th>"));
    free(page);
    fixture_close(&fixture);
}

/* Keys of the recipe are told in words, not by their values. */
static void test_rules_in_words(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_open(&fixture, usual);
    char *page = render(&fixture, NULL, 0);
    assert_non_null(strstr(page, "when train has the same board, mirrored"));
    assert_null(strstr(page, "drop-from-held-out"));
    free(page);
    fixture_close(&fixture);
}

static size_t count_warnings(struct fixture *fixture, const char *net)
{
    const char *const nets[] = {net, net};
    char *page = render(fixture, nets, 2);
    check_balance(page);
    /* Values against labels are drawn for the first net alone. */
    assert_int_equal(occurrences(page, "aria-labelledby=\"density-"), 1);
    size_t count = occurrences(page, "was trained on other records (build 0123456789ab,");
    free(page);
    return count;
}

static void test_net_of_other_records(void **state)
{
    (void)state;
    struct fixture fixture;
    struct origin origin;
    struct error err = {0};
    char net[128];
    fixture_open(&fixture, usual);
    assert_int_equal(trained_on_build(fixture.build, &origin, &err), 0);
    assert_int_equal(strlen(origin.records), 64);
    assert_string_equal(origin.shares, "90,5,5");
    (void)snprintf(net, sizeof net, "%s/net.safetensors", fixture.folder);
    struct text_out texts[] = {{"train.records", origin.records},
                               {"train.build", "0123456789abcdef"}};
    write_net(net, texts, 2);
    assert_int_equal(count_warnings(&fixture, net), 0);
    origin.records[0] ^= 1;
    write_net(net, texts, 2);
    assert_int_equal(count_warnings(&fixture, net), 2);
    fixture_close(&fixture);
}

static void test_net_that_is_not_there(void **state)
{
    (void)state;
    static const char *const nets[] = {"absent.safetensors"};
    struct fixture fixture;
    struct buffer page;
    struct error err = {0};
    fixture_open(&fixture, usual);
    buffer_init(&page, PAGE_MAX);
    assert_int_equal(report_render(fixture.build,
                                   &(struct report_options){.nets = nets, .net_count = 1}, &page,
                                   &err),
                     -1);
    assert_non_null(strstr(err.text, "absent.safetensors"));
    buffer_free(&page);
    fixture_close(&fixture);
}

enum limited { COUNTS, INPUTS, FILES };

static void put_limited(struct fixture *fixture, enum limited what, int number)
{
    struct catalogue *catalogue = fixture->build->catalogue;
    struct error err = {0};
    struct catalogue_input input = {.bytes = 1};
    struct catalogue_file file = {.stage = "other"};
    char name[32];
    (void)snprintf(name, sizeof name, "number %d", number);
    memcpy(input.path, name, sizeof name);
    memcpy(file.name, name, sizeof name);
    if (what == COUNTS)
        put_count(fixture, "other", name, CATALOGUE_SPLIT_NONE, number);
    else if (what == INPUTS)
        assert_int_equal(catalogue_put_input(catalogue, &input, &err), 0);
    else
        assert_int_equal(catalogue_put_file(catalogue, &file, &err), 0);
}

/* Rows of the catalogue until there are `total`; then whether they can be read. */
static int read_with(enum limited what, int total)
{
    struct fixture fixture;
    struct error err = {0};
    fixture_open(&fixture, usual);
    struct report_facts facts = {0};
    assert_int_equal(report_facts_read(fixture.build, &facts, &err), 0);
    const size_t have[] = {facts.count_count, facts.input_count, facts.file_count};
    report_facts_free(&facts);
    assert_int_equal(catalogue_begin(fixture.build->catalogue, &err), 0);
    for (int i = (int)have[what]; i < total; i++)
        put_limited(&fixture, what, i);
    assert_int_equal(catalogue_commit(fixture.build->catalogue, &err), 0);
    int status = report_facts_read(fixture.build, &facts, &err);
    if (status < 0)
        assert_non_null(strstr(err.text, "more than"));
    report_facts_free(&facts);
    fixture_close(&fixture);
    return status;
}

static void test_rows_at_the_limits_and_past_them(void **state)
{
    (void)state;
    assert_int_equal(read_with(COUNTS, REPORT_COUNTS_MAX), 0);
    assert_int_equal(read_with(COUNTS, REPORT_COUNTS_MAX + 1), -1);
    assert_int_equal(read_with(INPUTS, REPORT_INPUTS_MAX), 0);
    assert_int_equal(read_with(INPUTS, REPORT_INPUTS_MAX + 1), -1);
    assert_int_equal(read_with(FILES, REPORT_FILES_MAX), 0);
    assert_int_equal(read_with(FILES, REPORT_FILES_MAX + 1), -1);
}

/* Eight nets are looked for in a build that is not there; nine are a wrong command line. */
static void test_nets_at_the_limit_and_past_it(void **state)
{
    (void)state;
    static char directory[] = "/tmp/plymill-report-absent";
    char *arguments[] = {directory};
    struct invocation invocation = {
        .command = &command_report, .argument_count = 1, .arguments = arguments};
    struct error err = {0};
    invocation.values[0] = "1,2,3,4,5,6,7,8";
    assert_int_equal(command_report.run(&invocation, &err), -1);
    assert_int_equal(err.code, ERROR_FAILED);
    invocation.values[0] = "1,2,3,4,5,6,7,8,9";
    assert_int_equal(command_report.run(&invocation, &err), -1);
    assert_int_equal(err.code, ERROR_USAGE);
    invocation.values[0] = "1,,2";
    assert_int_equal(command_report.run(&invocation, &err), -1);
    assert_int_equal(err.code, ERROR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page_is_sound),
        cmocka_unit_test(test_page_refers_to_nothing),
        cmocka_unit_test(test_every_figure_is_there_and_named),
        cmocka_unit_test(test_numbers_are_those_of_the_catalogue),
        cmocka_unit_test(test_equal_builds_give_equal_pages),
        cmocka_unit_test(test_health_is_shown_when_asked_for),
        cmocka_unit_test(test_build_that_is_not_finished),
        cmocka_unit_test(test_splits_without_records),
        cmocka_unit_test(test_nets),
        cmocka_unit_test(test_rules_in_words),
        cmocka_unit_test(test_net_of_other_records),
        cmocka_unit_test(test_net_that_is_not_there),
        cmocka_unit_test(test_rows_at_the_limits_and_past_them),
        cmocka_unit_test(test_nets_at_the_limit_and_past_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
