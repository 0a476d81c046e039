/* SPDX-License-Identifier: MIT */
/*
 * What the files of the PGN reader share: the reader's state and the rules by which its parts hand
 * the cursor on.
 *
 *   pgn.c          the chunk of text, its refills, the loop over games
 *   pgn_text.c     characters, lines, what looks like a tag
 *   pgn_start.c    from the end of one game to the first byte of the next
 *   pgn_tags.c     the tag section, and what follows from it: variant, start position, result
 *   pgn_plain.c    movetext as far as it is plain, in one loop
 *   pgn_moves.c    movetext: moves, numbers, variations, results
 *   pgn_play.c     the board that the moves are made on
 *   pgn_comment.c  comments: their end, [%eval]
 *
 * A part takes a cursor and returns where reading goes on. NULL stops the reading of this game:
 * pgn->more says whether text is missing (the game is then read again from its start, after a
 * refill), else the game is over and the next one is sought from pgn->after. The text ends in a
 * zero byte at pgn->end, which no part passes; any other zero byte is a character like others.
 */
#ifndef PLYMILL_FORMATS_PGN_INTERNAL_H
#define PLYMILL_FORMATS_PGN_INTERNAL_H

#include <string.h>

#include "formats/pgn.h"
#include "formats/pgn_find.h"
#include "formats/pgn_play.h"

#ifndef PGN_CHUNK /* fuzzing takes a small one */
#define PGN_CHUNK                                                                                  \
    (1u << 20) /* bytes of text held at first, and what fits behind the longest game */
#endif

struct pgn {
    struct reader *reader;
    struct pgn_options options;
    struct pgn_visitor visitor;
    struct position standard; /* the start position */

    char *block;     /* owned: the byte before the text, the text, zeros to look ahead at */
    char *text;      /* block + 1; text[-1] is the byte that came before, a newline at first */
    const char *end; /* of the text: always a zero byte */
    size_t used;     /* bytes of text */
    size_t capacity; /* bytes of text that fit */
    size_t next;     /* where the next game is sought, or the game being read begins */
    uint64_t base;   /* offset of text[0] in the decoded input */
    uint64_t stop;   /* games that begin at this offset or behind it are not read */
    bool eof;        /* the input ends at `end` */
    bool failed;     /* the input cannot be read on: why is in failure */
    bool resync;     /* after a game that is too large: only a tag at the start of a line counts */
    struct error failure;

    uint64_t close_from, close_end; /* between these offsets the first '}' is the byte at the end,
                                       or there is none */
    bool open_end;                  /* a comment was left open, behind which no tag line follows */

    bool more;         /* see above */
    const char *after; /* see above */
    const char *start; /* of the game being read, NULL while it is sought */
    const char *movetext;
    bool has_result;    /* the Result tag decides */
    bool has_words;     /* moves were seen that are not in game.plies, read or not */
    bool asked, wanted; /* visitor.want was called for this game, and said */
    uint32_t scored;    /* of evals and comments so many are set */

    struct pgn_game game;
    struct pgn_play play; /* after the last move */
    struct pgn_tag tags[PGN_TAGS_MAX];
    char *arena; /* owned: names and values of tags; as large as the text, so they always fit */
    size_t arena_used;
    uint16_t moves[PGN_PLIES_MAX];
    bool in_check[PGN_PLIES_MAX + 1];
    struct score evals[PGN_PLIES_MAX + 1];
    struct score comments[PGN_PLIES_MAX + 1];
    uint16_t comment_depths[PGN_PLIES_MAX];
};

/* Is this the end of what is here, with more to come? */
static inline bool pgn_is_cut(const struct pgn *pgn, const char *p)
{
    return p == pgn->end && !pgn->eof;
}

static inline const char *pgn_need_more(struct pgn *pgn)
{
    pgn->more = true;
    return NULL;
}

static inline const char *pgn_finish(struct pgn *pgn, const char *after)
{
    pgn->more = false;
    pgn->after = after;
    return NULL;
}

/*
 * Notes why the game is rejected, unless a reason stands already; reading goes on to its end.
 * at: where in the text of the chunk; text: what it was.
 */
void pgn_reject(struct pgn *pgn, enum pgn_reject reason, const char *at, const char *text,
                size_t size);

/*
 * pgn.c, for pgn_split.c: begins anew with text that the caller puts in place, at most PGN_CHUNK
 * bytes of it, and then says how much it is. failure: what stands behind it, NULL where it ends
 * well. Such a reader needs no struct reader.
 */
char *pgn_hold(struct pgn *pgn);
void pgn_held(struct pgn *pgn, size_t size, const struct error *failure);

/* No game that begins at this offset or behind it is read: there pgn_next gives 0. */
void pgn_set_stop(struct pgn *pgn, uint64_t stop);
/* After that 0: the first byte of the game that it stopped at, or NULL: there was no further one.
 */
const char *pgn_stopped_at(const struct pgn *pgn);

/* Is this the text of a result? Sets it then. */
bool pgn_find_result(const char *text, size_t size, enum pgn_result *result);

/* pgn_text.c */

enum pgn_class {
    PGN_CLASS_JUNK, /* has no meaning in movetext: zero, quotes, stray brackets */
    PGN_CLASS_BLANK,
    PGN_CLASS_DOT,
    PGN_CLASS_DIGIT,
    PGN_CLASS_WORD, /* letters and the symbols of moves */
    PGN_CLASS_HIGH, /* not ASCII */
    PGN_CLASS_GLYPH,
    PGN_CLASS_NAG,
    PGN_CLASS_COMMENT,
    PGN_CLASS_LINE_COMMENT,
    PGN_CLASS_ESCAPE,
    PGN_CLASS_VARIATION,
    PGN_CLASS_TAG,
    PGN_CLASS_STAR,
    PGN_CLASS_IN_TOKEN = 16,  /* a bit: may stand inside a token */
    PGN_CLASS_IN_NAME = 32,   /* a bit: may stand in the name of a tag */
    PGN_CLASS_ENDS_MOVE = 64, /* a bit: what stands behind moves, be they glued to it */
    PGN_CLASS_MASK = 15
};

extern const uint8_t pgn_classes[256];

static inline enum pgn_class pgn_class_of(char c)
{
    return (enum pgn_class)(pgn_classes[(uint8_t)c] & PGN_CLASS_MASK);
}

/* The end of the token that begins at p. */
static inline const char *pgn_token_end(const char *p)
{
    while (pgn_classes[(uint8_t)*p] & PGN_CLASS_IN_TOKEN)
        p++;
    return p;
}

/* May it stand in the name of a tag? */
static inline bool pgn_is_name_character(char c)
{
    return pgn_classes[(uint8_t)c] & PGN_CLASS_IN_NAME;
}

static inline const char *pgn_skip_blanks(const char *p)
{
    while (pgn_class_of(*p) == PGN_CLASS_BLANK)
        p++;
    return p;
}

static inline bool pgn_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline const char *pgn_skip_digits(const char *p)
{
    while (pgn_is_digit(*p))
        p++;
    return p;
}

static inline bool pgn_is_newline(char c)
{
    return c == '\n' || c == '\r';
}

/* The first line end from p on, or the end of the text. */
const char *pgn_line_end(const struct pgn *pgn, const char *p);
/* Is p the first character of its line but for spaces? */
bool pgn_begins_line(const struct pgn *pgn, const char *p);
/* Does an empty line stand before p, with nothing but blanks between? */
bool pgn_follows_empty_line(const struct pgn *pgn, const char *p);

enum pgn_likeness { PGN_UNLIKE, PGN_ALIKE, PGN_CUT };

/* Does p begin a tag: '[', a name, a quote? PGN_CUT: the text ends too soon to tell. */
enum pgn_likeness pgn_tag_likeness(const struct pgn *pgn, const char *p);

/* pgn_start.c: the first byte of the next game from pgn->next on, which it moves; or NULL. */
const char *pgn_find_start(struct pgn *pgn);

/* pgn_tags.c */

/* The tag section at p. NULL only when text is missing. */
const char *pgn_read_tags(struct pgn *pgn, const char *p);
/* Result, variant and start position from the tags; asks the visitor. */
void pgn_apply_tags(struct pgn *pgn);

/* pgn_plain.c: moves from p on, to what is not plain or not here; NULL as pgn_pass_comment. */
const char *pgn_pass_plain(struct pgn *pgn, const char *p);

/* pgn_moves.c */

/* Movetext to the end of the game, or of the text. */
void pgn_read_moves(struct pgn *pgn, const char *p);
/* Behind the comment at p. NULL: text is missing, or the game ends in it. */
const char *pgn_pass_comment(struct pgn *pgn, const char *p);

/* The move that pgn->play has just made. */
static inline void pgn_note_move(struct pgn *pgn, uint16_t move)
{
    uint32_t ply = pgn->game.plies++;
    pgn->moves[ply] = move;
    pgn->in_check[ply + 1] = pgn->play.guard.checkers != 0;
}

/* pgn_comment.c */

struct pgn_comment {
    const char *close; /* its '}', or NULL when the text ends before */
    /*
     * The comment was left open, and this is the tag that begins the next game inside it. A tag
     * line alone is text like any other; a comment that begins behind it, or that no '}' follows at
     * all, is what gives the missing brace away.
     */
    const char *tag;
};

/* What Lichess writes behind every move, and how long it is. */
#define PGN_CLOCK_COMMENT " { [%clk 0:00:00] } "
#define PGN_CLOCK_LENGTH  (sizeof PGN_CLOCK_COMMENT - 1)

static inline uint64_t pgn_load_8(const char *p)
{
    uint64_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    return bytes;
}

static inline uint32_t pgn_load_4(const char *p)
{
    uint32_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    return bytes;
}

/*
 * Is p the blank before a comment like PGN_CLOCK_COMMENT? Its time may hold anything from 0 to '?':
 * all that matters is that no brace, line end or eval is in it.
 */
static inline bool pgn_is_clock_comment(const char *p)
{
    return pgn_load_8(p) == pgn_load_8(" { [%clk") &&
           (pgn_load_8(p + 8) & UINT64_C(0xf0f0f0f0f0f0f0f0)) == pgn_load_8(" 0000000") &&
           pgn_load_4(p + 16) == pgn_load_4("] } ");
}

/* Where the comment at p ends. False when text is missing. */
bool pgn_find_comment_end(struct pgn *pgn, const char *p, struct pgn_comment *comment);
/*
 * "[%eval 0.31]", "[%eval #-3]" in the comment [p, close): pawns with a decimal point, or moves to
 * mate. (A number without a point is another program's: centipawns and a depth.)
 */
bool pgn_read_eval(const char *p, const char *close, struct score *eval);

#endif
