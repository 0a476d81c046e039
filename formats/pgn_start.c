/* SPDX-License-Identifier: MIT */
/*
 * From the end of one game to the first byte of the next. A game begins at a tag, or, without tags,
 * at the move number 1 or a first move; anything else between games (a trailing comment, a second
 * result, a line of prose, a byte order mark) is passed over.
 */
#include "formats/chess/san.h"
#include "formats/pgn_internal.h"

/* "1. e4", "25... Kh1": a number with its dots, and something behind it. */
static bool is_move_number(const char *p)
{
    const char *dots = pgn_skip_digits(p);
    if (dots == p || *dots != '.')
        return false;
    while (*dots == '.')
        dots++;
    enum pgn_class behind = pgn_class_of(*dots);
    return behind == PGN_CLASS_BLANK || behind == PGN_CLASS_WORD;
}

/* Would this token be a move, be it a legal one or not? */
static bool is_move(const struct pgn *pgn, const char *p, size_t size)
{
    uint16_t move;
    if ((p[0] | 32) < 'a' || (p[0] | 32) > 'z')
        return false;
    switch (san_parse(&pgn->standard, p, size, &move)) {
    case SAN_OK:
    case SAN_ILLEGAL:
    case SAN_AMBIGUOUS:
        return true;
    default:
        return false;
    }
}

/* Over the token at p; p itself if a game begins there; NULL if text is missing. */
static const char *pass_token(struct pgn *pgn, const char *p)
{
    const char *end = pgn_token_end(p);
    if (pgn_is_cut(pgn, end))
        return pgn_need_more(pgn);
    if (is_move_number(p) || is_move(pgn, p, (size_t)(end - p))) {
        pgn->start = p;
        return p;
    }
    return end > p ? end : p + 1;
}

static const char *pass_tag(struct pgn *pgn, const char *p)
{
    enum pgn_likeness likeness = pgn_tag_likeness(pgn, p);
    if (likeness == PGN_CUT)
        return pgn_need_more(pgn);
    if (likeness == PGN_UNLIKE)
        return p + 1;
    pgn->start = p;
    return p;
}

static const char *pass_line(struct pgn *pgn, const char *p)
{
    const char *end = pgn_line_end(pgn, p);
    return pgn_is_cut(pgn, end) ? pgn_need_more(pgn) : end;
}

static const char *pass_comment(struct pgn *pgn, const char *p)
{
    struct pgn_comment comment;
    if (!pgn_find_comment_end(pgn, p, &comment))
        return pgn_need_more(pgn);
    if (comment.tag)
        return comment.tag;
    return comment.close ? comment.close + 1 : p + 1;
}

/* After a game whose end was not found: to the next '[' that begins a line. */
static const char *pass_to_tag(struct pgn *pgn, const char *p)
{
    const char *bracket = memchr(p, '[', (size_t)(pgn->end - p));
    if (!bracket)
        return pgn->end;
    p = bracket;
    if (!pgn_begins_line(pgn, p))
        return p + 1;
    p = pass_tag(pgn, p);
    pgn->resync = pgn->start == NULL;
    return p;
}

static const char *pass_one(struct pgn *pgn, const char *p)
{
    if (pgn->resync)
        return pass_to_tag(pgn, p);
    switch (pgn_class_of(*p)) {
    case PGN_CLASS_BLANK:
        return pgn_skip_blanks(p);
    case PGN_CLASS_TAG:
        return pass_tag(pgn, p);
    case PGN_CLASS_ESCAPE:
        return pgn_is_newline(p[-1]) ? pass_line(pgn, p) : p + 1;
    case PGN_CLASS_LINE_COMMENT:
        return pass_line(pgn, p);
    case PGN_CLASS_COMMENT:
        return pass_comment(pgn, p);
    case PGN_CLASS_DIGIT:
    case PGN_CLASS_WORD:
    case PGN_CLASS_HIGH:
        return pass_token(pgn, p);
    default:
        return p + 1;
    }
}

const char *pgn_find_start(struct pgn *pgn)
{
    const char *p = pgn->text + pgn->next;
    pgn->start = NULL;
    while (p && !pgn->start) {
        pgn->next = (size_t)(p - pgn->text);
        if (p == pgn->end)
            return pgn->eof ? pgn_finish(pgn, p) : pgn_need_more(pgn);
        p = pass_one(pgn, p);
    }
    return p;
}
