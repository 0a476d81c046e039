/* SPDX-License-Identifier: MIT */
/*
 * Movetext: every move of the main line is resolved against the legal moves and made; everything
 * else (numbers, glyphs, comments, variations) is passed over without a meaning of its own. After a
 * reason to reject the game only its end is looked for.
 */
#include "formats/chess/hints.h"
#include "formats/chess/san.h"
#include "formats/enginecomment.h"
#include "formats/pgn_internal.h"

static bool is_text(const char *p, size_t size, const char *text)
{
    return size == strlen(text) && memcmp(p, text, size) == 0;
}

static void reject_here(struct pgn *pgn, enum pgn_reject reason, const char *p, size_t size)
{
    pgn_reject(pgn, reason, p, p, size);
}

static enum pgn_reject reason_for(enum san_status status)
{
    switch (status) {
    case SAN_ILLEGAL:
        return PGN_ILLEGAL_MOVE;
    case SAN_AMBIGUOUS:
        return PGN_AMBIGUOUS_MOVE;
    case SAN_NULL_MOVE:
        return PGN_NULL_MOVE;
    default:
        return PGN_BAD_TOKEN;
    }
}

/* Words that stand behind a move and are none; the backslash comes from an escaped "\\$14". */
static bool is_ornament(const char *p, size_t size)
{
    return is_text(p, size, "e.p.") || is_text(p, size, "ep") || is_text(p, size, "\\");
}

static void read_move(struct pgn *pgn, const char *p, size_t size)
{
    uint16_t move;
    enum san_status status = san_parse(&pgn->play.position, p, size, &move);
    if (status != SAN_OK) {
        if (status != SAN_SYNTAX || pgn->game.plies == 0 || !is_ornament(p, size))
            reject_here(pgn, reason_for(status), p, size);
    } else if (pgn->game.plies == PGN_PLIES_MAX) {
        reject_here(pgn, PGN_TOO_LARGE, p, size);
    } else {
        pgn_play_move(&pgn->play, move);
        pgn_note_move(pgn, move);
    }
}

/* Without the result that is glued to it ("Qg20-1"). */
static const char *find_move_end(const char *p, const char *end)
{
    if (end - p < 4 || (end[-2] != '-' && end[-2] != '/'))
        return end;
    for (int result = PGN_BLACK_WINS; result < PGN_UNKNOWN; result++) {
        const char *text = pgn_result_text((enum pgn_result)result);
        size_t size = strlen(text);
        if ((size_t)(end - p) > size && memcmp(end - size, text, size) == 0)
            return end - size;
    }
    return end;
}

static const char *pass_word(struct pgn *pgn, const char *p)
{
    const char *end = pgn_token_end(p);
    /* A promotion in brackets: e8(Q). */
    if (*end == '(' && end[1] && strchr("NBRQnbrq", end[1]) && end[2] == ')')
        end = pgn_token_end(end + 3);
    if (pgn_is_cut(pgn, end))
        return pgn_need_more(pgn);
    end = find_move_end(p, end);
    pgn->has_words = true;
    if (!pgn->game.reject)
        read_move(pgn, p, (size_t)(end - p));
    return end;
}

static const char *end_with_result(struct pgn *pgn, const char *after, enum pgn_result result)
{
    if (!pgn->has_result)
        pgn->game.result = result;
    return pgn_finish(pgn, after);
}

/* A token of digits and '-' or '/': a result, or castling with zeros. */
static const char *pass_result(struct pgn *pgn, const char *p)
{
    const char *end = pgn_token_end(p);
    size_t size = (size_t)(end - p);
    if (pgn_is_cut(pgn, end))
        return pgn_need_more(pgn);
    enum pgn_result result;
    if (pgn_find_result(p, size, &result))
        return end_with_result(pgn, end, result);
    if (is_text(p, size, "1/2"))
        return end_with_result(pgn, end, PGN_DRAW);
    return pass_word(pgn, p);
}

/*
 * "1." when there were moves. At the start of a paragraph it begins the next game, which has no
 * tags, behind one that has no result. ("1..." and "1. ..." are the black half of a first move.)
 */
static const char *pass_first_number(struct pgn *pgn, const char *p)
{
    const char *behind = pgn_skip_blanks(p + 2);
    if (pgn_is_cut(pgn, behind))
        return pgn_need_more(pgn);
    if (*behind != '.' && pgn_follows_empty_line(pgn, p))
        return pgn_finish(pgn, p);
    return behind;
}

static bool has_moves(const struct pgn *pgn)
{
    return pgn->has_words || pgn->game.plies > 0;
}

static const char *pass_number(struct pgn *pgn, const char *p)
{
    const char *end = pgn_skip_digits(p);
    if (*end == '-' || *end == '/')
        return pass_result(pgn, p);
    if (*p == '1' && end == p + 1 && *end == '.' && has_moves(pgn))
        return pass_first_number(pgn, p);
    if (*p == '0' && is_text(p, (size_t)(end - p), "0000"))
        return pass_word(pgn, p);
    while (*end == '.')
        end++;
    return end;
}

/* The comment at p was left open: there the game breaks off. */
static const char *end_in_comment(struct pgn *pgn, const char *p, const struct pgn_comment *comment)
{
    const char *end = comment->tag ? comment->tag : pgn->end;
    reject_here(pgn, PGN_TRUNCATED, p, (size_t)(end - p));
    return pgn_finish(pgn, end);
}

/* No score stands at the plies up to this one but for those that were read. */
static void clear_scores(struct pgn *pgn, uint32_t ply)
{
    for (; pgn->scored <= ply; pgn->scored++)
        pgn->evals[pgn->scored].kind = pgn->comments[pgn->scored].kind = SCORE_NONE;
}

/* The first of each kind counts. The engine's own comment is about the position before the move. */
static void read_comment(struct pgn *pgn, const char *p, const char *close)
{
    struct pgn_game *game = &pgn->game;
    uint32_t ply = game->plies;
    if (game->reject || pgn->options.skip_scores)
        return;
    clear_scores(pgn, ply);
    if (pgn->evals[ply].kind == SCORE_NONE && pgn_read_eval(p, close, &pgn->evals[ply]))
        game->eval_count++;
    if (ply > 0 && pgn->comments[ply - 1].kind == SCORE_NONE &&
        enginecomment_read(p + 1, &pgn->comments[ply - 1], &pgn->comment_depths[ply - 1]))
        game->comment_count++;
}

/* One that does not close on its line. */
static OUT_OF_LINE const char *pass_long_comment(struct pgn *pgn, const char *p)
{
    struct pgn_comment comment;
    if (!pgn_find_comment_end(pgn, p, &comment))
        return pgn_need_more(pgn);
    if (!comment.close || comment.tag)
        return end_in_comment(pgn, p, &comment);
    read_comment(pgn, p, comment.close);
    return comment.close + 1;
}

const char *pgn_pass_comment(struct pgn *pgn, const char *p)
{
    const char *stop = pgn->open_end ? p : PGN_FIND(p, comment);
    if (*stop != '}')
        return pass_long_comment(pgn, p);
    if (!pgn->options.skip_scores)
        read_comment(pgn, p, stop);
    return stop + 1;
}

static const char *pass_junk(struct pgn *pgn, const char *p)
{
    if (p == pgn->end)
        return pgn->eof ? pgn_finish(pgn, p) : pgn_need_more(pgn);
    reject_here(pgn, PGN_BAD_TOKEN, p, 1);
    return p + 1;
}

/* A tag ends the game; another bracket has no meaning here. */
static const char *pass_bracket(struct pgn *pgn, const char *p)
{
    switch (pgn_tag_likeness(pgn, p)) {
    case PGN_CUT:
        return pgn_need_more(pgn);
    case PGN_ALIKE:
        return pgn_finish(pgn, p);
    default:
        return pass_junk(pgn, p);
    }
}

/* A variation that the end of the text or the tags of the next game show to be left open. */
static const char *pass_open_variation(struct pgn *pgn, const char *variation, const char *p)
{
    enum pgn_likeness likeness = p == pgn->end ? PGN_ALIKE : pgn_tag_likeness(pgn, p);
    if (pgn_is_cut(pgn, p) || likeness == PGN_CUT)
        return pgn_need_more(pgn);
    if (likeness == PGN_UNLIKE)
        return p + 1;
    reject_here(pgn, PGN_TRUNCATED, variation, (size_t)(p - variation));
    return pgn_finish(pgn, p);
}

static const char *pass_variation_comment(struct pgn *pgn, const char *p)
{
    struct pgn_comment comment;
    if (!pgn_find_comment_end(pgn, p, &comment))
        return pgn_need_more(pgn);
    if (comment.close && !comment.tag)
        return comment.close + 1;
    return end_in_comment(pgn, p, &comment);
}

/* By depth alone: nothing inside a variation is parsed. */
static const char *pass_variation(struct pgn *pgn, const char *variation)
{
    size_t depth = 0;
    const char *p = variation;
    while (p) {
        switch (*p) {
        case '(':
            depth++;
            p++;
            break;
        case ')':
            p++;
            if (--depth == 0)
                return p;
            break;
        case '{':
            p = pass_variation_comment(pgn, p);
            break;
        case ';':
            p = pgn_line_end(pgn, p);
            break;
        case '%':
            p = pgn_is_newline(p[-1]) ? pgn_line_end(pgn, p) : p + 1;
            break;
        case '[':
            p = pgn_begins_line(pgn, p) ? pass_open_variation(pgn, variation, p) : p + 1;
            break;
        case '\0':
            p = p == pgn->end ? pass_open_variation(pgn, variation, p) : p + 1;
            break;
        default:
            p++;
        }
    }
    return NULL;
}

/* Bytes beyond ASCII: a byte order mark and the one-character ellipsis are blanks. */
static const char *pass_high(struct pgn *pgn, const char *p)
{
    if (strncmp(p, "\xEF\xBB\xBF", 3) == 0 || strncmp(p, "\xE2\x80\xA6", 3) == 0)
        return p + 3;
    return pass_word(pgn, p);
}

static OUT_OF_LINE const char *pass_one(struct pgn *pgn, const char *p)
{
    switch (pgn_class_of(*p)) {
    case PGN_CLASS_BLANK:
    case PGN_CLASS_DOT:
    case PGN_CLASS_GLYPH:
        return p + 1;
    case PGN_CLASS_NAG:
        return pgn_skip_digits(p + 1);
    case PGN_CLASS_WORD:
        return pass_word(pgn, p);
    case PGN_CLASS_DIGIT:
        return pass_number(pgn, p);
    case PGN_CLASS_COMMENT:
        return pgn_pass_comment(pgn, p);
    case PGN_CLASS_VARIATION:
        return pass_variation(pgn, p);
    case PGN_CLASS_STAR:
        return end_with_result(pgn, p + 1, PGN_UNKNOWN);
    case PGN_CLASS_TAG:
        return pass_bracket(pgn, p);
    case PGN_CLASS_LINE_COMMENT:
        return pgn_line_end(pgn, p);
    case PGN_CLASS_ESCAPE:
        return pgn_is_newline(p[-1]) ? pgn_line_end(pgn, p) : pass_junk(pgn, p);
    case PGN_CLASS_HIGH:
        return pass_high(pgn, p);
    default:
        return pass_junk(pgn, p);
    }
}

/* A game without tags that begins at another number than 1 is the rest of one: from where? */
static bool begins_in_the_middle(const struct pgn *pgn, const char *p)
{
    return pgn->game.tag_count == 0 && pgn_class_of(*p) == PGN_CLASS_DIGIT &&
           !is_text(p, (size_t)(pgn_skip_digits(p) - p), "1");
}

static void begin_moves(struct pgn *pgn)
{
    pgn_play_begin(&pgn->play, &pgn->game.start);
    pgn->in_check[0] = pgn->play.guard.checkers != 0;
    pgn->scored = 0;
}

/* Over blanks; the game may end behind them at "1.", which has no other meaning then. */
static const char *pass_to_paragraph(struct pgn *pgn, const char *p)
{
    p = pgn_skip_blanks(p);
    while (p && p[0] == '1' && p[1] == '.')
        p = pass_one(pgn, p);
    return p;
}

/*
 * Once moves are not read: to what may end the game or hide its end. A word or number has no other
 * meaning then, but a result may be part of it, so it is read from its start.
 */
static const char *pass_unread(struct pgn *pgn, const char *p)
{
    const char *stop = PGN_FIND(p, skip);
    while (pgn_is_clock_comment(stop - 1)) {
        p = stop - 1 + PGN_CLOCK_LENGTH;
        stop = PGN_FIND(p, skip);
    }
    if (*stop == '{')
        return pgn_pass_comment(pgn, stop);
    if (pgn_class_of(*stop) == PGN_CLASS_BLANK)
        return pass_to_paragraph(pgn, stop);
    while (stop > p && pgn_classes[(uint8_t)stop[-1]] & PGN_CLASS_IN_TOKEN)
        stop--;
    if (stop > p && stop[-1] == '$')
        stop--;
    return pass_one(pgn, stop);
}

void pgn_read_moves(struct pgn *pgn, const char *p)
{
    if (begins_in_the_middle(pgn, p))
        reject_here(pgn, PGN_BAD_TOKEN, p, (size_t)(pgn_token_end(p) - p));
    if (!pgn->game.reject)
        begin_moves(pgn);
    while (p && !pgn->game.reject) {
        p = pgn_pass_plain(pgn, p);
        if (p)
            p = pass_one(pgn, p);
    }
    if (!pgn->game.reject && !pgn->options.skip_scores)
        clear_scores(pgn, pgn->game.plies);
    while (p && !has_moves(pgn))
        p = pass_one(pgn, p);
    while (p)
        p = pass_unread(pgn, p);
}
