/* SPDX-License-Identifier: MIT */
/*
 * Threats and pawn pairs: the published numbers of rows, the published worked example, a second
 * implementation that walks over the board, and differences between boards against whole lists.
 */
#include "formats/chess/attacks.h"
#include "formats/chess/position.h"
#include "nnue/core/sf_pairs.h"
#include "nnue/core/sf_threats.h"
#include "nnue/tools/trace.h"
#include "tests/unit/nnue/sf_reference.h"
#include "tests/unit/nnue/vectorfile.h"

enum { RANDOM_GAMES = 40, REFERENCE_EVERY = 97, KINGS = 2 };

struct fixture {
    struct sf_threats sets[2]; /* by enum sf_threat_set */
    unsigned steps;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    sf_threats_init(&f->sets[SF_THREATS_18], SF_THREATS_18);
    sf_threats_init(&f->sets[SF_THREATS_19], SF_THREATS_19);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

static void make_board(struct board *board, const struct plynnue_piece *pieces, unsigned count)
{
    const struct plynnue_position position = {.pieces = pieces, .count = (uint8_t)count};
    assert_int_equal(board_set(board, &position), PLYNNUE_OK);
}

static int compare_rows(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort_rows(uint32_t *rows, unsigned count)
{
    qsort(rows, count, sizeof *rows, compare_rows);
}

/* A square for a king where it disturbs neither the two pieces nor the line between them. */
static uint8_t king_square(uint64_t taken, bool left)
{
    for (unsigned square = 0; square < 64; square++)
        if (!(taken >> square & 1) && (!left || square % 8 < 4))
            return (uint8_t)square;
    fail_msg("no room for a king");
    return 0;
}

/* Two pieces and kings, seen by White, whose king stands on files a-d. */
static void put_two(struct board *board, struct plynnue_piece a, struct plynnue_piece b)
{
    uint64_t taken = 1ULL << a.square | 1ULL << b.square | attacks_between(a.square, b.square);
    struct plynnue_piece pieces[4] = {a, b, {5, king_square(taken, true)}, {11, 0}};
    pieces[3].square = king_square(taken | 1ULL << pieces[2].square, false);
    make_board(board, pieces, 4);
}

static unsigned count_set(const bool *seen, unsigned size)
{
    unsigned count = 0;
    for (unsigned i = 0; i < size; i++)
        count += seen[i];
    return count;
}

/* Marks the rows of all boards of two pieces that are not kings, pawns where pawns may stand. */
static void mark_rows(const struct fixture *f, bool *threats, bool *pairs)
{
    for (unsigned i = 0; i < 10 * 10 * 64 * 64; i++) {
        struct plynnue_piece a = {(uint8_t)(i % 10), (uint8_t)(i / 100 % 64)};
        struct plynnue_piece b = {(uint8_t)(i / 10 % 10), (uint8_t)(i / 6400)};
        struct board board;
        struct row_list rows = {.removed_count = 0};
        a.piece = (uint8_t)(a.piece + (a.piece >= 5));
        b.piece = (uint8_t)(b.piece + (b.piece >= 5));
        if (a.square == b.square || (a.piece % 6 == 0 && (a.square < 8 || a.square >= 56)) ||
            (b.piece % 6 == 0 && (b.square < 8 || b.square >= 56)))
            continue;
        put_two(&board, a, b);
        sf_threats_active(&f->sets[SF_THREATS_19], &board, 0, &rows);
        for (unsigned k = 0; k < rows.added_count; k++)
            threats[rows.added[k]] = true;
        rows.added_count = 0;
        sf_pairs_active(&board, 0, 0, &rows);
        for (unsigned k = 0; k < rows.added_count; k++)
            pairs[rows.added[k]] = true;
    }
}

static void test_row_counts(void **state)
{
    const struct fixture *f = *state;
    bool *threats = calloc(SF_THREATS_19_ROWS, 1), *pairs = calloc(SF_PAIRS_ROWS, 1);
    assert_int_equal(f->sets[SF_THREATS_18].rows, SF_THREATS_18_ROWS);
    assert_int_equal(f->sets[SF_THREATS_19].rows, SF_THREATS_19_ROWS);
    mark_rows(f, threats, pairs);
    assert_int_equal(count_set(threats, SF_THREATS_19_ROWS), 50416);
    assert_int_equal(count_set(pairs, SF_PAIRS_ROWS), 1488);
    free(threats);
    free(pairs);
}

static void assert_rows(struct row_list *rows, const uint32_t *expected, unsigned count)
{
    assert_int_equal(rows->added_count, count);
    sort_rows(rows->added, rows->added_count);
    assert_memory_equal(rows->added, expected, count * sizeof *expected);
}

static void test_worked_example(void **state)
{
    const struct fixture *f = *state;
    static const uint32_t threats[2][3] = {{366, 9242, 11937}, {32197, 38812, 43295}};
    static const uint32_t pairs[2] = {2289, 3431};
    struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
    struct plynnue_position position =
        vectors_board("3k4/8/8/2b5/4p3/3P4/1N2R3/2K5 b - - 3 40", pieces);
    struct board board;
    make_board(&board, pieces, position.count);
    for (unsigned view = 0; view < 2; view++) {
        struct row_list rows = {.removed_count = 0};
        sf_threats_active(&f->sets[SF_THREATS_19], &board, view, &rows);
        assert_rows(&rows, threats[view], 3);
        rows.added_count = 0;
        sf_pairs_active(&board, view, 100000, &rows);
        assert_int_equal(rows.added_count, 1);
        assert_int_equal(rows.added[0], 100000 + pairs[view]);
    }
}

static void assert_reference(const struct fixture *f, const struct board *board)
{
    static const enum synthetic_kind kinds[2] = {SYN_SF18, SYN_SF19};
    for (unsigned view = 0; view < 2; view++) {
        struct row_list rows;
        struct ref_rows expected;
        for (unsigned set = 0; set < 2; set++) {
            rows.removed_count = rows.added_count = 0;
            sf_threats_active(&f->sets[set], board, view, &rows);
            ref_threats(kinds[set], board->piece, view, &expected);
            sort_rows(expected.row, expected.count);
            assert_rows(&rows, expected.row, expected.count);
        }
        rows.added_count = 0;
        sf_pairs_active(board, view, 0, &rows);
        ref_pairs(board->piece, view, &expected);
        sort_rows(expected.row, expected.count);
        assert_rows(&rows, expected.row, expected.count);
    }
}

/* Rows of before, minus removed, plus added: rows of after. before and after as rows to add. */
static void assert_changes(const struct row_list *before, const struct row_list *changes,
                           const struct row_list *after)
{
    uint32_t left[2 * ROW_LIST_MAX], right[2 * ROW_LIST_MAX];
    unsigned l = 0, r = 0;
    for (unsigned i = 0; i < before->added_count; i++)
        left[l++] = before->added[i];
    for (unsigned i = 0; i < changes->added_count; i++)
        left[l++] = changes->added[i];
    for (unsigned i = 0; i < after->added_count; i++)
        right[r++] = after->added[i];
    for (unsigned i = 0; i < changes->removed_count; i++)
        right[r++] = changes->removed[i];
    assert_int_equal(l, r);
    sort_rows(left, l);
    sort_rows(right, r);
    assert_memory_equal(left, right, l * sizeof *left);
}

static void check_view(const struct fixture *f, const struct board *before,
                       const struct board *after, unsigned view)
{
    uint64_t changed = board_differences(before, after);
    struct row_list old, new, changes;
    for (unsigned set = 0; set < 2; set++) {
        old.added_count = new.added_count = changes.added_count = changes.removed_count = 0;
        sf_threats_active(&f->sets[set], before, view, &old);
        sf_threats_active(&f->sets[set], after, view, &new);
        sf_threats_changes(&f->sets[set], before, after, changed, view, &changes);
        assert_changes(&old, &changes, &new);
    }
    old.added_count = new.added_count = changes.added_count = changes.removed_count = 0;
    sf_pairs_active(before, view, 0, &old);
    sf_pairs_active(after, view, 0, &new);
    sf_pairs_changes(before, after, changed, view, 0, &changes);
    assert_changes(&old, &changes, &new);
}

static struct board board_of(const struct position *position)
{
    struct plynnue_piece pieces[64];
    struct board board;
    unsigned count = 0;
    for (unsigned square = 0; square < 64; square++)
        if (position->board[square] != PIECE_NONE)
            pieces[count++] = (struct plynnue_piece){position->board[square], (uint8_t)square};
    make_board(&board, pieces, count);
    return board;
}

static int visit(void *context, const struct trace_step *step, struct error *err)
{
    struct fixture *f = context;
    struct board before, after;
    (void)err;
    if (step->kind == TRACE_SET)
        return 0;
    before = board_of(step->before);
    after = board_of(step->after);
    for (unsigned view = 0; view < 2; view++)
        if (sf_rows_follow(before.king[view], after.king[view]))
            check_view(f, &before, &after, view);
    if (f->steps++ % REFERENCE_EVERY == 0)
        assert_reference(f, &after);
    return 0;
}

static void test_changes(void **state)
{
    struct fixture *f = *state;
    const struct trace_visitor visitor = {visit, f};
    f->steps = 0;
    assert_int_equal(trace_fixed(&visitor, NULL), 0);
    assert_int_equal(trace_random(7, RANDOM_GAMES, &visitor, NULL), 0);
    assert_true(f->steps > 2000);
}

/* Boards that no game reaches must stay within the tables and the lists. */
static void test_crowded(void **state)
{
    const struct fixture *f = *state;
    struct rng rng = {3};
    for (unsigned round = 0; round < 60; round++) {
        struct plynnue_piece pieces[PLYNNUE_PIECES_MAX] = {{5, 0}, {11, 0}};
        struct board board;
        uint64_t taken = 0;
        for (unsigned i = 0; i < PLYNNUE_PIECES_MAX; i++) {
            do
                pieces[i].square = (uint8_t)rng_below(&rng, 64);
            while (taken >> pieces[i].square & 1);
            taken |= UINT64_C(1) << pieces[i].square;
            if (i >= KINGS && round % 3 == 0)
                pieces[i].piece = (uint8_t)(6 * rng_below(&rng, 2)); /* pawns anywhere */
            else if (i >= KINGS && round % 3 == 1)
                pieces[i].piece = (uint8_t)(4 + 6 * rng_below(&rng, 2));
            else if (i >= KINGS)
                pieces[i].piece = (uint8_t)(rng_below(&rng, 5) + 6 * rng_below(&rng, 2));
        }
        make_board(&board, pieces, PLYNNUE_PIECES_MAX);
        assert_reference(f, &board);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_counts),
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_crowded),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
