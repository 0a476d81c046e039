/* SPDX-License-Identifier: MIT */
/*
 * Duplicates, leaks and what stands in several splits: a small example by hand, then many positions
 * in all rules against a judge that compares everything with everything.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/chess/fen.h"
#include "formats/chess/movegen.h"
#include "pipeline/stages/repeats.h"
#include "pipeline/stages/select_item.h"

enum { TRAIN, VALIDATION, TEST };

#define ITEMS_MAX 3000

struct item {
    struct position position;
    unsigned split;
    uint64_t draw;
    uint8_t key[REPEATS_KEY_SIZE];
    uint8_t keys[REPEAT_KEYS][POSKEY_LABEL_SIZE]; /* zero-padded */
    enum fate fate;
};

struct rule {
    const char *duplicates, *leaks, *leak_key;
};

static struct position position_of(const char *fen)
{
    struct position position;
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &position, NULL), FEN_OK);
    return position;
}

static struct repeats *repeats_of(const struct rule *rule)
{
    struct settings *settings = settings_new();
    struct repeats *repeats = NULL;
    assert_int_equal(settings_set(settings, "split.duplicates", rule->duplicates, "test", NULL), 0);
    assert_int_equal(settings_set(settings, "split.leaks", rule->leaks, "test", NULL), 0);
    assert_int_equal(settings_set(settings, "split.leak_key", rule->leak_key, "test", NULL), 0);
    assert_int_equal(repeats_new(settings, &repeats, NULL), 0);
    settings_free(settings);
    return repeats;
}

static void make_keys(const struct repeats *repeats, struct item *item)
{
    uint8_t order[REPEATS_ORDER_SIZE];
    select_order("aBcDeFgH", 7, item->draw, order);
    repeats_key(repeats, &item->position, item->split, order, item->key);
    assert_int_equal(repeats_split(item->key), item->split);
    assert_memory_equal(repeats_order(repeats, item->key), order, sizeof order);
    memset(item->keys, 0, sizeof item->keys);
    poskey_label(&item->position, item->keys[REPEAT_LABEL]);
    poskey_board(&item->position, item->keys[REPEAT_BOARD]);
    poskey_leak(&item->position, item->keys[REPEAT_LEAK]);
}

static int compare_keys(const void *a, const void *b)
{
    return memcmp(((const struct item *)a)->key, ((const struct item *)b)->key, REPEATS_KEY_SIZE);
}

/* Sorts the items and has them judged. */
static void judge(const struct rule *rule, struct item *items, size_t count,
                  struct repeat_counts *before, struct repeat_counts *after)
{
    struct repeats *repeats = repeats_of(rule);
    for (size_t i = 0; i < count; i++)
        make_keys(repeats, &items[i]);
    qsort(items, count, sizeof *items, compare_keys);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(repeats_judge(repeats, items[i].key, &items[i].fate, NULL), 0);
    repeats_finish(repeats, before, after);
    repeats_free(repeats);
}

/* The fate of the item with that draw. */
static enum fate fate_of(const struct item *items, size_t count, uint64_t draw)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].draw == draw)
            return items[i].fate;
    return FATE_COUNT;
}

#define ROOK        "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"
#define ROOK_CLOCK  "4k3/8/8/8/8/8/8/R3K3 w - - 9 30"
#define ROOK_RIGHT  "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"
#define ROOK_MIRROR "3k4/8/8/8/8/8/8/3K3R w - - 0 1"
#define ROOK_FLIP   "r3k3/8/8/8/8/8/8/4K3 b - - 0 1"
#define KNIGHT      "4k3/8/8/8/8/8/8/N3K3 w - - 0 1"

static const struct {
    const char *fen;
    unsigned split;
} example[] = {
    {ROOK, TRAIN},           /* 0 */
    {ROOK_CLOCK, TRAIN},     /* 1 */
    {ROOK, TEST},            /* 2 */
    {ROOK_RIGHT, TEST},      /* 3 */
    {ROOK_MIRROR, TEST},     /* 4 */
    {ROOK_FLIP, VALIDATION}, /* 5 */
    {KNIGHT, VALIDATION},    /* 6 */
    {KNIGHT, TEST},          /* 7 */
    {KNIGHT, VALIDATION},    /* 8 */
};
enum { EXAMPLE = sizeof example / sizeof example[0] };

/* fates: a letter each: k kept, d duplicate, l leak. Draws go down, so the last has the smallest.
 */
static void check_example(const struct rule *rule, const char *fates, struct repeat_counts *before,
                          struct repeat_counts *after)
{
    struct item items[EXAMPLE];
    for (size_t i = 0; i < EXAMPLE; i++)
        items[i] = (struct item){
            .position = position_of(example[i].fen), .split = example[i].split, .draw = 100 - i};
    judge(rule, items, EXAMPLE, before, after);
    for (size_t i = 0; i < EXAMPLE; i++) {
        enum fate want = fates[i] == 'k' ? FATE_KEPT : fates[i] == 'd' ? FATE_DUPLICATE : FATE_LEAK;
        if (fate_of(items, EXAMPLE, 100 - i) != want)
            fail_msg("item %zu is not %c", i, fates[i]);
    }
}

static void check_counts(const int64_t shared[REPEAT_KEYS], int64_t label, int64_t board,
                         int64_t leak)
{
    assert_int_equal(shared[REPEAT_LABEL], label);
    assert_int_equal(shared[REPEAT_BOARD], board);
    assert_int_equal(shared[REPEAT_LEAK], leak);
}

/*
 * By label key the rook (train, test) and the knight (validation, test) stand in two splits, by
 * board key too; by leak key all rooks are one position, in all three.
 */
static void test_by_hand(void **state)
{
    (void)state;
    struct repeat_counts before, after;
    check_example(&(struct rule){"none", "keep", "leak"}, "kkkkkkkkk", &before, &after);
    check_counts(before.shared, 2, 2, 2);
    assert_memory_equal(&before, &after, sizeof before);
    for (int key = 0; key < REPEAT_KEYS; key++) {
        assert_int_equal(before.each[key][TRAIN], 1);
        assert_int_equal(before.each[key][VALIDATION], key == REPEAT_LEAK ? 2 : 1);
        assert_int_equal(before.each[key][TEST], 2);
    }
}

static void test_rules_by_hand(void **state)
{
    (void)state;
    struct repeat_counts before, after;
    /* Of the two clocks in train the later has the smaller draw; 7, in test, keeps the knight. */
    check_example(&(struct rule){"board", "drop-from-held-out", "leak"}, "dklllldkl", &before,
                  &after);
    check_counts(before.shared, 2, 2, 2);
    check_counts(after.shared, 0, 0, 0);
    check_example(&(struct rule){"label-key", "drop-from-held-out", "leak"}, "kklllldkl", &before,
                  &after);
    check_counts(after.shared, 0, 0, 0);
    /* By board key the right, the mirror image and the flip are others: they still leak by pieces.
     */
    check_example(&(struct rule){"none", "drop-from-held-out", "board"}, "kklkkklkl", &before,
                  &after);
    check_counts(after.shared, 0, 0, 1);
    assert_int_equal(after.each[REPEAT_LEAK][TRAIN], 1);
    assert_int_equal(after.each[REPEAT_LEAK][VALIDATION], 1);
    assert_int_equal(after.each[REPEAT_LEAK][TEST], 1);
    /* By label key, and of the two clocks in train only the other one is left. */
    check_example(&(struct rule){"board", "drop-from-held-out", "label-key"}, "dkkkkkdkl", &before,
                  &after);
    check_counts(after.shared, 0, 1, 1);
}

/* --- Against the slow judge --- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* As seen by the other side, or with the files mirrored; without rights. */
static struct position view_of(const struct position *position, bool flip, bool mirror)
{
    struct position view;
    position_clear(&view);
    for (unsigned square = 0; square < 64; square++) {
        uint8_t piece = position->board[square];
        if (piece == PIECE_NONE)
            continue;
        unsigned colour = piece_colour(piece) ^ flip;
        position_put(&view, piece_make(colour, piece_type_of(piece)),
                     square ^ (flip ? 56u : 0) ^ (mirror ? 7u : 0));
    }
    view.side = (uint8_t)(position->side ^ flip);
    view.halfmove = position->halfmove;
    return view;
}

/* Few kings and rooks, so that little differs and much is met again. */
static size_t random_items(struct item *items, uint64_t seed)
{
    static const char *const starts[] = {"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1",
                                         "r3k3/7p/8/8/8/8/7P/4K2R w Kq - 0 1",
                                         "4k3/2p5/8/3P4/8/8/8/4K3 b - - 0 1"};
    uint64_t random = seed;
    size_t count = 0;
    while (count < ITEMS_MAX) {
        struct position position = position_of(starts[next_random(&random) % 3]);
        uint16_t moves[MOVES_MAX];
        for (unsigned ply = 0; ply < 6 && count < ITEMS_MAX; ply++) {
            uint64_t chance = next_random(&random);
            struct item *item = &items[count++];
            *item = (struct item){.position = position,
                                  .split = (unsigned)(chance >> 8) % 3,
                                  .draw = next_random(&random)};
            if (chance % 4 == 0)
                item->position = view_of(&position, chance & 16, chance & 32);
            unsigned choices = movegen_legal(&position, moves);
            if (choices == 0)
                break;
            position_make(&position, moves[next_random(&random) % choices], NULL);
        }
    }
    return count;
}

static bool same(const struct item *a, const struct item *b, enum repeat_key key)
{
    return memcmp(a->keys[key], b->keys[key], POSKEY_LABEL_SIZE) == 0;
}

static bool slow_duplicate(const struct item *items, size_t count, const struct item *item,
                           enum repeat_key key)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].split == item->split && items[i].draw < item->draw &&
            same(&items[i], item, key))
            return true;
    return false;
}

/* Train wins over all, test over validation. */
static bool slow_leak(const struct item *items, size_t count, const bool *duplicate,
                      const struct item *item, enum repeat_key key)
{
    if (item->split == TRAIN)
        return false;
    for (size_t i = 0; i < count; i++) {
        bool wins =
            items[i].split == TRAIN || (items[i].split == TEST && item->split == VALIDATION);
        if (!duplicate[i] && wins && same(&items[i], item, key))
            return true;
    }
    return false;
}

/* Every key is counted at the first item that has it. */
static void slow_counts(const struct item *items, size_t count, bool kept,
                        struct repeat_counts *counts)
{
    memset(counts, 0, sizeof *counts);
    for (int key = 0; key < REPEAT_KEYS; key++) {
        for (size_t i = 0; i < count; i++) {
            unsigned splits = 0;
            bool first = true;
            for (size_t j = 0; j < count; j++) {
                if (!same(&items[i], &items[j], (enum repeat_key)key))
                    continue;
                first = first && j >= i;
                if (!kept || items[j].fate == FATE_KEPT)
                    splits |= 1u << items[j].split;
            }
            if (!first || splits == 0 || (splits & (splits - 1)) == 0)
                continue;
            counts->shared[key]++;
            for (unsigned split = 0; split < BUILD_SPLITS; split++)
                counts->each[key][split] += splits >> split & 1;
        }
    }
}

static enum repeat_key key_of(const char *word)
{
    if (strcmp(word, "board") == 0)
        return REPEAT_BOARD;
    return strcmp(word, "leak") == 0 ? REPEAT_LEAK : REPEAT_LABEL;
}

static void compare_judges(const struct rule *rule, struct item *items, size_t count)
{
    static bool duplicate[ITEMS_MAX];
    struct repeat_counts before, after, slow_before, slow_after;
    size_t fates[FATE_COUNT] = {0};
    judge(rule, items, count, &before, &after);
    bool drop = strcmp(rule->duplicates, "none") != 0, leaks = strcmp(rule->leaks, "keep") != 0;
    for (size_t i = 0; i < count; i++)
        duplicate[i] = drop && slow_duplicate(items, count, &items[i], key_of(rule->duplicates));
    for (size_t i = 0; i < count; i++) {
        enum fate fate = FATE_KEPT;
        if (duplicate[i])
            fate = FATE_DUPLICATE;
        else if (leaks && slow_leak(items, count, duplicate, &items[i], key_of(rule->leak_key)))
            fate = FATE_LEAK;
        assert_int_equal(items[i].fate, fate);
        fates[fate]++;
    }
    assert_int_equal(fates[FATE_DUPLICATE] > 100, drop); /* it is no empty test */
    assert_int_equal(fates[FATE_LEAK] > 50, leaks);
    slow_counts(items, count, false, &slow_before);
    slow_counts(items, count, true, &slow_after);
    assert_memory_equal(&before, &slow_before, sizeof before);
    assert_memory_equal(&after, &slow_after, sizeof after);
    assert_true(before.shared[REPEAT_LEAK] > 100);
}

static void test_like_the_slow_judge(void **state)
{
    static const char *const duplicates[] = {"board", "label-key", "none"};
    static const char *const leak_keys[] = {"leak", "board", "label-key"};
    struct item *items = malloc(ITEMS_MAX * sizeof *items);
    (void)state;
    assert_non_null(items);
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 3; j++) {
            size_t count = random_items(items, 10 * i + j);
            compare_judges(&(struct rule){duplicates[i], "drop-from-held-out", leak_keys[j]}, items,
                           count);
        }
        compare_judges(&(struct rule){duplicates[i], "keep", "leak"}, items,
                       random_items(items, 100 + i));
    }
    free(items);
}

/* Many clocks of one board: what is remembered of a group grows. */
static void test_a_board_with_every_clock(void **state)
{
    enum { CLOCKS = 1000 };
    struct item *items = malloc(2 * CLOCKS * sizeof *items);
    struct repeat_counts before, after;
    (void)state;
    assert_non_null(items);
    for (unsigned i = 0; i < 2 * CLOCKS; i++) {
        items[i] = (struct item){.position = position_of(ROOK),
                                 .split = i < CLOCKS ? TRAIN : TEST,
                                 .draw = (i * 7919u) % 100003u};
        items[i].position.halfmove = (uint16_t)(i % CLOCKS);
    }
    judge(&(struct rule){"none", "drop-from-held-out", "label-key"}, items, 2 * CLOCKS, &before,
          &after);
    check_counts(before.shared, CLOCKS, 1, 1);
    check_counts(after.shared, 0, 0, 0);
    free(items);
}

static void test_nothing(void **state)
{
    (void)state;
    struct repeat_counts before, after, none;
    struct item item;
    memset(&none, 0, sizeof none);
    judge(&(struct rule){"board", "drop-from-held-out", "leak"}, &item, 0, &before, &after);
    assert_memory_equal(&before, &none, sizeof none);
    assert_memory_equal(&after, &none, sizeof none);
}

static void test_names(void **state)
{
    (void)state;
    char name[REPEATS_NAME_SIZE];
    repeats_name(REPEAT_LEAK, false, false, name);
    assert_string_equal(name, "in several splits: leak key");
    repeats_name(REPEAT_LABEL, true, true, name);
    assert_string_equal(name, "left in several splits: label key, of each split");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_rules_by_hand),
        cmocka_unit_test(test_like_the_slow_judge),
        cmocka_unit_test(test_a_board_with_every_clock),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
