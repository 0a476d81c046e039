/* SPDX-License-Identifier: MIT */
/*
 * Comments in braces. They do not nest, and what stands in them is text: only the evaluation that
 * Lichess writes there is read.
 */
#include "formats/pgn_internal.h"

#define EVAL_DIGITS_MAX 6 /* before the decimal point, and of moves to mate: beyond is no score */

/* The first line in [p, end) that begins like a tag. */
static const char *find_tag_line(const struct pgn *pgn, const char *p, const char *end)
{
    while ((p = memchr(p, '[', (size_t)(end - p))) != NULL) {
        if (p[1] != '%' && pgn_begins_line(pgn, p) && pgn_tag_likeness(pgn, p) == PGN_ALIKE)
            return p;
        p++;
    }
    return NULL;
}

/*
 * The first '}' from p on, or NULL. It is the first one from all places before it too, so that text
 * full of comments that nothing closes is not searched from each of them.
 */
static const char *find_close(struct pgn *pgn, const char *p)
{
    uint64_t at = pgn->base + (uint64_t)(p - pgn->text);
    if (at < pgn->close_from || at >= pgn->close_end) {
        const char *close = memchr(p, '}', (size_t)(pgn->end - p));
        if (!close && !pgn->eof)
            return NULL;
        pgn->close_from = at;
        pgn->close_end = pgn->base + (uint64_t)((close ? close : pgn->end) - pgn->text) + 1;
    }
    const char *close = pgn->text + (pgn->close_end - 1 - pgn->base);
    return *close == '}' ? close : NULL;
}

bool pgn_find_comment_end(struct pgn *pgn, const char *p, struct pgn_comment *comment)
{
    *comment = (struct pgn_comment){NULL, NULL};
    if (pgn->open_end)
        return true;
    const char *stop = PGN_FIND(p, comment);
    comment->close = *stop == '}' ? stop : find_close(pgn, stop);
    if (comment->close == stop)
        return true; /* no tag without a line of its own */
    if (!comment->close && !pgn->eof)
        return false;
    const char *end = comment->close ? comment->close : pgn->end;
    comment->tag = find_tag_line(pgn, p, end);
    if (comment->tag && comment->close && !memchr(comment->tag, '{', (size_t)(end - comment->tag)))
        comment->tag = NULL;
    pgn->open_end = !comment->close && !comment->tag;
    return true;
}

/* Digits at *p as a number; false if there is none or it is too long. */
static bool read_number(const char **p, int32_t *number)
{
    const char *end = pgn_skip_digits(*p);
    if (end == *p || end - *p > EVAL_DIGITS_MAX)
        return false;
    *number = 0;
    while (*p < end)
        *number = *number * 10 + (*(*p)++ - '0');
    return true;
}

/* "31" behind the decimal point, as hundredths, rounded half up. */
static int32_t read_hundredths(const char **p)
{
    int32_t value = 0;
    for (int place = 100; place > 0; place /= 10)
        if (pgn_class_of(**p) == PGN_CLASS_DIGIT)
            value += place * (*(*p)++ - '0');
    *p = pgn_skip_digits(*p);
    return (value + 5) / 10;
}

static bool read_sign(const char **p)
{
    bool negative = **p == '-';
    if (negative || **p == '+')
        ++*p;
    return negative;
}

/* The score at p, up to the ']' or ',' behind it. */
static bool read_score(const char *p, struct score *score)
{
    bool mate = *p == '#';
    p += mate;
    bool negative = read_sign(&p);
    int32_t value;
    if (!read_number(&p, &value) || (mate ? value == 0 : *p != '.'))
        return false;
    if (!mate) {
        p++;
        value = value * 100 + read_hundredths(&p);
    }
    p = pgn_skip_blanks(p);
    if (*p != ']' && *p != ',')
        return false;
    score->kind = mate ? SCORE_MATE : SCORE_CP;
    score->value = negative ? -value : value;
    return true;
}

bool pgn_read_eval(const char *p, const char *close, struct score *eval)
{
    while ((p = memchr(p, '[', (size_t)(close - p))) != NULL) {
        p++;
        if (p[0] == '%' && p[1] == 'e' && strncmp(p, "%eval", 5) == 0 &&
            read_score(pgn_skip_blanks(p + 5), eval))
            return true;
    }
    return false;
}
