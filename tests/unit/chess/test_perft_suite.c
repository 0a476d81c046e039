/* SPDX-License-Identifier: MIT */
/*
 * Published perft collections, standard and Chess960, read from ../shared/data/odd/epd.
 *
 * With PLYMILL_LONG_TESTS in the environment: every published depth up to 4 of every position, and
 * a position published only deeper at its own least depth. Without it: every depth up to 3, of
 * every fourth position in the largest file.
 */
#include "tests/unit/chess/chess_test.h"
#include "tests/unit/skip.h"

#define FOLDER           "../shared/data/odd/epd/"
#define SHORT_DEPTH      3
#define LONG_DEPTH       4
#define DEPTHS_MAX       16
#define LONG_ENVIRONMENT "PLYMILL_LONG_TESTS"

/* A position and the counts published for it, by depth; 0 where there is none. */
struct entry {
    char fen[FEN_MAX];
    uint64_t nodes[DEPTHS_MAX];
};

static void check_depth(const struct entry *entry, unsigned depth)
{
    struct position position = test_position(entry->fen);
    uint64_t nodes = movegen_perft(&position, depth);
    if (nodes != entry->nodes[depth])
        fail_msg("%s at depth %u: %llu nodes, not %llu", entry->fen, depth,
                 (unsigned long long)nodes, (unsigned long long)entry->nodes[depth]);
}

/* The number of depths checked. */
static unsigned check_entry(const struct entry *entry)
{
    bool is_long = getenv(LONG_ENVIRONMENT) != NULL;
    unsigned checked = 0;

    for (unsigned depth = 1; depth < DEPTHS_MAX; depth++) {
        bool in_reach = depth <= (is_long ? LONG_DEPTH : SHORT_DEPTH);
        if (entry->nodes[depth] && (in_reach || (is_long && checked == 0))) {
            check_depth(entry, depth);
            checked++;
        }
    }
    return checked;
}

static void note_depth(struct entry *entry, const char *text)
{
    unsigned depth;
    unsigned long long nodes;

    assert_int_equal(sscanf(text, "%u %llu", &depth, &nodes), 2);
    assert_in_range(depth, 1, DEPTHS_MAX - 1);
    entry->nodes[depth] = nodes;
}

static void note_fen(struct entry *entry, const char *fen)
{
    memset(entry, 0, sizeof *entry);
    int length = snprintf(entry->fen, sizeof entry->fen, "%s", fen);
    assert_in_range(length, 1, sizeof entry->fen - 1);
}

/* Lines "FEN ;D1 20 ;D2 400"; the number of depths checked. */
static unsigned check_suite(const char *path)
{
    char *text = test_read_file(path), *cursor = text, *line;
    unsigned checked = 0;

    while ((line = test_next_line(&cursor))) {
        struct entry entry;
        char *part = strchr(line, ';') ? test_cut(line, ";") : NULL;
        if (line[0] == '#' || !part)
            continue;
        note_fen(&entry, line);
        for (; part; part = strchr(part, ';') ? test_cut(part, ";") : NULL)
            note_depth(&entry, part + strlen("D"));
        checked += check_entry(&entry);
    }
    free(text);
    return checked;
}

/* Blocks "epd FEN", "perft 1 20", ...; the number of depths checked. */
static unsigned check_blocks(const char *path)
{
    char *text = test_read_file(path), *cursor = text, *line;
    struct entry entry = {0};
    unsigned checked = 0;

    while ((line = test_next_line(&cursor))) {
        if (strncmp(line, "epd ", 4) == 0) {
            checked += check_entry(&entry);
            note_fen(&entry, line + 4);
        } else if (strncmp(line, "perft ", 6) == 0) {
            note_depth(&entry, line + strlen("perft "));
        }
    }
    checked += check_entry(&entry);
    free(text);
    return checked;
}

static void check_count(unsigned checked, unsigned at_least)
{
    print_message("%u counts compared\n", checked);
    assert_true(checked >= at_least);
}

static void test_perftsuite(void **state)
{
    (void)state;
    check_count(check_suite(FOLDER "perftsuite.epd.zst"), 126 * SHORT_DEPTH);
}

static void test_perftsuite2(void **state)
{
    (void)state;
    /* Every line gives one depth, and all are deeper than 3. */
    if (!getenv(LONG_ENVIRONMENT))
        SKIP_BECAUSE("all its lines are deep: set " LONG_ENVIRONMENT "=1");
    check_count(check_suite(FOLDER "perftsuite2.epd.zst"), 32);
}

static void test_tricky(void **state)
{
    (void)state;
    check_count(check_blocks(FOLDER "tricky.perft.zst"), 19 * SHORT_DEPTH);
}

static void test_chess960(void **state)
{
    (void)state;
    check_count(check_blocks(FOLDER "chess960.perft.zst"), 960 * SHORT_DEPTH);
}

static void test_random_positions(void **state)
{
    (void)state;
    check_count(check_blocks(FOLDER "random.perft.zst"), 4096 * SHORT_DEPTH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_perftsuite),       cmocka_unit_test(test_perftsuite2),
        cmocka_unit_test(test_tricky),           cmocka_unit_test(test_chess960),
        cmocka_unit_test(test_random_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
