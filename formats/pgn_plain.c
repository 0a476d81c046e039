/* SPDX-License-Identifier: MIT */
/*
 * What nearly all movetext consists of: the move number that comes next, a plain move, a clock
 * comment, with single blanks between them. It is passed over in one loop, turn by turn, that
 * leaves for anything else; pgn_moves.c knows what that is. Whatever the loop passes over,
 * pgn_moves.c would have passed over alike.
 */
#include "formats/chess/hints.h"
#include "formats/chess/san.h"
#include "formats/io/bytes.h"
#include "formats/pgn_internal.h"

/*
 * The text of a move number with its dot, as eight bytes from the lowest on; the highest holds by
 * how many bits the others have to be shifted for the text alone to count. "1." is none, as it may
 * begin a game.
 */
#define NUMBER(n)                                                                                  \
    ((n) < 2     ? NUMBER_TEXT('2', '.', 0, 0, 2)                                                  \
     : (n) < 10  ? NUMBER_TEXT('0' + (n), '.', 0, 0, 2)                                            \
     : (n) < 100 ? NUMBER_TEXT('0' + (n) / 10, '0' + (n) % 10, '.', 0, 3)                          \
                 : NUMBER_TEXT('0' + (n) / 100, '0' + (n) / 10 % 10, '0' + (n) % 10, '.', 4))
#define NUMBER_TEXT(a, b, c, d, size)                                                              \
    ((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24 |              \
     (uint64_t)(64 - 8 * (size)) << 56)
#define NUMBERS4(n)  NUMBER(n), NUMBER((n) + 1), NUMBER((n) + 2), NUMBER((n) + 3)
#define NUMBERS16(n) NUMBERS4(n), NUMBERS4((n) + 4), NUMBERS4((n) + 8), NUMBERS4((n) + 12)
#define NUMBERS64(n) NUMBERS16(n), NUMBERS16((n) + 16), NUMBERS16((n) + 32), NUMBERS16((n) + 48)

static const uint64_t numbers[256] = {NUMBERS64(0), NUMBERS64(64), NUMBERS64(128), NUMBERS64(192)};

/* Behind the number of the move that comes next, if it stands at p; else p. */
static IN_LINE const char *pass_number(const char *p, unsigned number, unsigned us)
{
    uint64_t expected = numbers[number % 256], shift = expected >> 56;
    if ((bytes_get_u64((const uint8_t *)p) ^ expected) << shift)
        return p;
    const char *end = p + 8 - shift / 8;
    if (us == WHITE)
        return end;
    return bytes_get_u16((const uint8_t *)end) == ('.' | '.' << 8) ? end + 2 : p;
}

/* May a plain move end before c? What else could follow is for pgn_moves.c to know. */
static inline bool ends_move(char c)
{
    return pgn_classes[(uint8_t)c] & PGN_CLASS_ENDS_MOVE;
}

/* Behind a sign of check at p; NULL where the text goes on or does not stand here yet. */
static inline const char *pass_sign(const char *p)
{
    if (ends_move(*p))
        return p;
    return (*p == '+' || *p == '#') && ends_move(p[1]) ? p + 1 : NULL;
}

/* O-O or O-O-O at p: behind it and a sign of check, or NULL. */
static const char *pass_castling(struct pgn *pgn, const char *p)
{
    struct position *position = &pgn->play.position;
    if (p[1] != '-' || p[2] != 'O')
        return NULL;
    enum castling_side side = p[3] == '-' && p[4] == 'O' ? QUEEN_SIDE : KING_SIDE;
    const char *end = pass_sign(p + (side == KING_SIDE ? 3 : 5));
    if (!end || !legality_of_castling(position, side))
        return NULL;
    unsigned us = position->side;
    uint16_t move = move_make(position_king(position, us), position->rook[us][side], MOVE_CASTLING);
    pgn_play_castle(&pgn->play, side);
    pgn_note_move(pgn, move);
    return end;
}

/* What is no plain move. */
static OUT_OF_LINE const char *pass_other_move(struct pgn *pgn, const char *p)
{
    if (*p == 'O')
        return pass_castling(pgn, p);
    uint16_t move;
    const char *end = pgn_token_end(p);
    if (pgn_class_of(*p) != PGN_CLASS_WORD || *end == '(' || *end == '\0' ||
        san_parse(&pgn->play.position, p, (size_t)(end - p), &move) != SAN_OK)
        return NULL;
    pgn_play_move(&pgn->play, move);
    pgn_note_move(pgn, move);
    return end;
}

/* The move at p made: behind it, or NULL. */
static IN_LINE const char *pass_move(struct pgn *pgn, const char *p, unsigned us)
{
    struct pgn_play *play = &pgn->play;
    struct san_plain plain;
    if (pgn->game.plies == PGN_PLIES_MAX)
        return NULL;
    const char *end;
    if (san_plain_is_file(*p))
        end = san_plain_pawn(&play->position, &play->guard, us, p, &plain);
    else
        end = san_plain_piece(&play->position, &play->guard, us, p, &plain);
    if (!end || !(end = pass_sign(end)))
        return pass_other_move(pgn, p);
    pgn_play_plain(play, us, &plain);
    pgn_note_move(pgn, move_make(plain.from, plain.to, MOVE_NORMAL));
    return end;
}

/* Behind a move: over a comment and a blank. NULL: as pgn_pass_comment. */
static IN_LINE const char *pass_behind(struct pgn *pgn, const char *p)
{
    if (pgn_is_clock_comment(p))
        return p + PGN_CLOCK_LENGTH;
    p += *p == ' ';
    if (*p != '{')
        return p;
    p = pgn_pass_comment(pgn, p);
    return p ? p + (*p == ' ') : NULL;
}

/* A half-move with what belongs to it. False: not here. */
static IN_LINE bool pass_turn(struct pgn *pgn, const char **at, unsigned us)
{
    const char *p = pass_number(*at, pgn->play.position.fullmove, us);
    p += *p == ' ';
    const char *end = pass_move(pgn, p, us);
    *at = end ? pass_behind(pgn, end) : p;
    return end && *at;
}

const char *pgn_pass_plain(struct pgn *pgn, const char *p)
{
    p += *p == ' ';
    if (pgn->play.position.side == BLACK && !pass_turn(pgn, &p, BLACK))
        return p;
    while (pass_turn(pgn, &p, WHITE) && pass_turn(pgn, &p, BLACK))
        ;
    return p;
}
