/* SPDX-License-Identifier: MIT */
/*
 * A streaming reader of PGN archives: every game is read whole and checked move by move, or
 * rejected whole with a reason, or skipped without looking at its moves when the caller's tag test
 * says so.
 *
 * The reader holds a chunk of text that ends in a zero sentinel. A game that does not end inside
 * the chunk is read again from its start after the chunk was refilled (and grown, up to
 * PGN_GAME_MAX), so that the parser itself never checks bounds and never sees half a game.
 *
 * Text is bytes: only ASCII delimiters matter. Comments, variations, NAGs, move numbers, % lines
 * and ; comments never change the moves.
 *
 * A game begins at a tag, or without tags at "1." or a first move; what else stands between games
 * is passed over. A tag line that follows a tag section without movetext between them continues
 * that section, unless it follows an empty line and names the section's first tag again: then the
 * section was a game without moves. A game ends at its result token, at the next tag section, at a
 * paragraph that begins with "1." again, or at the end of the file. A comment that was left open
 * ends at the tag section inside it: a second '{' behind that, or no '}' at all, gives it away.
 */
#ifndef PLYMILL_FORMATS_PGN_H
#define PLYMILL_FORMATS_PGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/chess/position.h"
#include "formats/io/error.h"
#include "formats/io/reader.h"
#include "formats/label.h"

#define PGN_GAME_MAX  (16u << 20) /* bytes of one game's text */
#define PGN_TAGS_MAX  256         /* tags of one game */
#define PGN_PLIES_MAX 32768       /* half-moves of one game */

enum pgn_result { PGN_BLACK_WINS = -1, PGN_DRAW = 0, PGN_WHITE_WINS = 1, PGN_UNKNOWN = 2 };

enum pgn_reject {
    PGN_ACCEPTED = 0,
    PGN_SKIPPED,      /* the visitor's tag test said so; not an error */
    PGN_VARIANT,      /* a variant that is not asked for: decided by the tag */
    PGN_BAD_FEN,      /* the FEN tag is unreadable or impossible */
    PGN_BAD_CASTLING, /* the FEN tag holds a castling right without king or rook */
    PGN_ILLEGAL_MOVE,
    PGN_AMBIGUOUS_MOVE,
    PGN_NULL_MOVE,
    PGN_BAD_TOKEN, /* something that is no move stands where a move should */
    PGN_TOO_LARGE, /* over one of the caps above */
    PGN_TRUNCATED, /* the file ends inside the game: a comment, variation or tag left open */
    PGN_REJECT_COUNT
};

enum pgn_variant { PGN_STANDARD = 1, PGN_FROM_POSITION = 2, PGN_CHESS960 = 4 };

struct pgn_tag {
    const char *name, *value; /* zero-terminated; the value with \" and \\ undone */
    size_t value_size;
};

/* Valid until the next call of pgn_next. */
struct pgn_game {
    uint64_t number; /* from 1; rejected and skipped games count */
    uint64_t offset; /* of its first byte in the decoded text */
    const char *text;
    size_t text_size; /* from the first tag (or token) to the end of the result token */
    const struct pgn_tag *tags;
    unsigned tag_count;
    enum pgn_variant variant;
    enum pgn_result result; /* the Result tag where it is one of the four, else the token */
    struct position start;
    const uint16_t *moves;
    const bool *in_check;      /* [plies + 1]: is the side to move in check at this ply */
    const struct score *evals; /* [plies + 1]: [%eval] of the position AT this ply, White's view */
    /* [plies]: what an engine match's comment says of the position AT this ply, the mover's view */
    const struct score *comments;
    const uint16_t *comment_depths; /* [plies], where there is one */
    uint32_t plies, eval_count, comment_count;
    uint64_t hash;          /* the sum of pgn_hash_board over every position after a move */
    enum pgn_reject reject; /* for anything but PGN_ACCEPTED moves and plies mean nothing */
    uint64_t reject_offset; /* where in the decoded text */
    uint32_t reject_ply;    /* the half-move (from 1) that could not be read; 0: in the tags */
    char reject_text[64];   /* the offending text, printable */
};

struct pgn_visitor {
    void *context;
    /*
     * After the tags: false skips the game. NULL reads all. It is asked once, also where a game is
     * read again after a refill.
     */
    bool (*want)(void *context, const struct pgn_game *game);
};

struct pgn_options {
    unsigned variants; /* or of enum pgn_variant */
    bool skip_scores;  /* leave the scores in comments unread: evals, comments, depths are NULL */
};

struct pgn;

/* Reads from reader, which the caller closes afterwards. visitor may be NULL. */
int pgn_new(struct reader *reader, const struct pgn_options *options,
            const struct pgn_visitor *visitor, struct pgn **pgn, struct error *err);
/*
 * The next game: 1 with *game set (look at game->reject), 0 at the end, -1 when the input cannot be
 * read on (truncated archive, I/O). A truncated archive gives every complete game first; the game
 * that it cuts is never given.
 */
int pgn_next(struct pgn *pgn, const struct pgn_game **game, struct error *err);
void pgn_free(struct pgn *pgn);

/* A tag's value, or NULL. Names compare with case. */
const char *pgn_tag(const struct pgn_game *game, const char *name);
/* "illegal move", "variant", ...: the words used in counts, quarantine and errors. */
const char *pgn_reject_text(enum pgn_reject reject);
/* "1-0", "0-1", "1/2-1/2", "*" */
const char *pgn_result_text(enum pgn_result result);

#endif
