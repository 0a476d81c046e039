/* SPDX-License-Identifier: MIT */
#include "labeler/label_diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/chess/ucimove.h"

#define WORD_MAX 48

static void score_text(const struct score *score, const char *bound, char out[WORD_MAX])
{
    static const char *const kinds[] = {"none", "cp", "mate"};
    if (score->kind == SCORE_NONE)
        (void)snprintf(out, WORD_MAX, "none");
    else
        (void)snprintf(out, WORD_MAX, "%s %" PRId32 "%s", kinds[score->kind], score->value, bound);
}

static bool scores_equal(const struct score *a, const struct score *b)
{
    return a->kind == b->kind && (a->kind == SCORE_NONE || a->value == b->value);
}

static bool final_differs(const struct label *a, const struct label *b, char *text, size_t size)
{
    static const char *const bounds[] = {" (exact)", " (lower bound)", " (upper bound)"};
    char one[WORD_MAX], two[WORD_MAX];
    if (scores_equal(&a->final, &b->final) && a->bound == b->bound)
        return false;
    score_text(&a->final, bounds[a->bound], one);
    score_text(&b->final, bounds[b->bound], two);
    (void)snprintf(text, size, "final score %s, and then %s", one, two);
    return true;
}

static bool exact_differs(const struct label *a, const struct label *b, char *text, size_t size)
{
    char one[WORD_MAX], two[WORD_MAX];
    if (scores_equal(&a->exact, &b->exact))
        return false;
    score_text(&a->exact, "", one);
    score_text(&b->exact, "", two);
    (void)snprintf(text, size, "last exact score %s, and then %s", one, two);
    return true;
}

static bool move_differs(const struct label *a, const struct label *b, char *text, size_t size)
{
    char one[UCIMOVE_MAX], two[UCIMOVE_MAX];
    if (a->best_move == b->best_move)
        return false;
    ucimove_format(a->best_move, true, one);
    ucimove_format(b->best_move, true, two);
    (void)snprintf(text, size, "best move %s, and then %s", one, two);
    return true;
}

static bool number_differs(const char *name, uint64_t a, uint64_t b, char *text, size_t size)
{
    if (a == b)
        return false;
    (void)snprintf(text, size, "%s %" PRIu64 ", and then %" PRIu64, name, a, b);
    return true;
}

bool label_diff(const struct label *first, const struct label *second, char *text, size_t size)
{
    static const char *const states[] = {"a label", "no legal move", "no answer"};
    if (first->status != second->status) {
        (void)snprintf(text, size, "%s, and then %s", states[first->status],
                       states[second->status]);
        return true;
    }
    return number_differs("kind of limit", first->limit_kind, second->limit_kind, text, size) ||
           number_differs("limit", first->limit, second->limit, text, size) ||
           (first->status == LABEL_OK &&
            (final_differs(first, second, text, size) || exact_differs(first, second, text, size) ||
             number_differs("depth of the exact score", first->exact_depth, second->exact_depth,
                            text, size) ||
             move_differs(first, second, text, size) ||
             number_differs("depth", first->depth, second->depth, text, size) ||
             number_differs("nodes", first->nodes, second->nodes, text, size)));
}
