/* SPDX-License-Identifier: MIT */
/*
 * The PGN reader from outside: a chunk of text, refilled when a game does not end inside it, and
 * the loop that finds a game, reads it and hands it out. The parts are listed in pgn_internal.h.
 */
#include "formats/pgn.h"

#include <stdlib.h>

#include "formats/io/fault.h"
#include "formats/pgn_internal.h"

/* The longest game and what has to be seen behind it to know that it ends. */
#define CAPACITY_MAX ((size_t)PGN_GAME_MAX + PGN_CHUNK)

/* Text of the given capacity, with what is held now. The arena holds nothing across a refill. */
static int chunk_resize(struct pgn *pgn, size_t capacity, struct error *err)
{
    char *block = fault_realloc(pgn->block, 1 + capacity + PGN_LOOKAHEAD);
    if (!block)
        return error_memory(err);
    pgn->block = block;
    pgn->text = block + 1;
    pgn->end = pgn->text + pgn->used;
    free(pgn->arena);
    pgn->arena = fault_malloc(capacity + 2 + PGN_LOOKAHEAD);
    if (!pgn->arena)
        return error_memory(err);
    pgn->capacity = capacity;
    return 0;
}

/* Drops what stands before pgn->next, but for one byte. */
static void chunk_shift(struct pgn *pgn)
{
    memmove(pgn->block, pgn->block + pgn->next, pgn->used - pgn->next + 1);
    pgn->base += pgn->next;
    pgn->used -= pgn->next;
    pgn->next = 0;
}

/* Reads until the chunk is full, so that the size of single reads changes nothing. */
static void chunk_fill(struct pgn *pgn)
{
    while (pgn->used < pgn->capacity) {
        ssize_t got = reader_read(pgn->reader, pgn->text + pgn->used, pgn->capacity - pgn->used,
                                  &pgn->failure);
        if (got <= 0) {
            pgn->eof = got == 0;
            pgn->failed = got < 0;
            break;
        }
        pgn->used += (size_t)got;
    }
    pgn->end = pgn->text + pgn->used;
    memset(pgn->text + pgn->used, 0, PGN_LOOKAHEAD);
}

/* More text behind what is needed: 1, 0 when no more fits, -1 when memory is short. */
static int chunk_refill(struct pgn *pgn, struct error *err)
{
    chunk_shift(pgn);
    if (pgn->used == pgn->capacity) {
        size_t larger = pgn->capacity * 2 < CAPACITY_MAX ? pgn->capacity * 2 : CAPACITY_MAX;
        if (pgn->capacity == CAPACITY_MAX)
            return 0;
        if (chunk_resize(pgn, larger, err) < 0)
            return -1;
    }
    chunk_fill(pgn);
    return 1;
}

int pgn_new(struct reader *reader, const struct pgn_options *options,
            const struct pgn_visitor *visitor, struct pgn **out, struct error *err)
{
    struct pgn *pgn = fault_malloc(sizeof *pgn);
    if (!pgn)
        return error_memory(err);
    /* The arrays behind are long, and written before they are read. */
    memset(pgn, 0, offsetof(struct pgn, moves));
    pgn->reader = reader;
    pgn->options = *options;
    if (visitor)
        pgn->visitor = *visitor;
    pgn->stop = UINT64_MAX;
    position_start(&pgn->standard);
    pgn->game.tags = pgn->tags;
    pgn->game.moves = pgn->moves;
    pgn->game.in_check = pgn->in_check;
    if (!options->skip_scores) {
        pgn->game.evals = pgn->evals;
        pgn->game.comments = pgn->comments;
        pgn->game.comment_depths = pgn->comment_depths;
    }
    if (chunk_resize(pgn, PGN_CHUNK, err) < 0) {
        pgn_free(pgn);
        return -1;
    }
    pgn->block[0] = '\n';
    memset(pgn->text, 0, PGN_LOOKAHEAD);
    *out = pgn;
    return 0;
}

char *pgn_hold(struct pgn *pgn)
{
    pgn->next = 0;
    pgn->base = 0;
    pgn->resync = false;
    pgn->close_from = pgn->close_end = 0;
    pgn->open_end = false;
    pgn->game.number = 0;
    pgn->block[0] = '\n';
    return pgn->text;
}

void pgn_held(struct pgn *pgn, size_t size, const struct error *failure)
{
    pgn->used = size;
    pgn->end = pgn->text + size;
    memset(pgn->text + size, 0, PGN_LOOKAHEAD);
    pgn->eof = !failure;
    pgn->failed = failure != NULL;
    if (failure)
        pgn->failure = *failure;
}

void pgn_set_stop(struct pgn *pgn, uint64_t stop)
{
    pgn->stop = stop;
}

const char *pgn_stopped_at(const struct pgn *pgn)
{
    return pgn->start;
}

void pgn_free(struct pgn *pgn)
{
    if (!pgn)
        return;
    free(pgn->block);
    free(pgn->arena);
    free(pgn);
}

void pgn_reject(struct pgn *pgn, enum pgn_reject reason, const char *at, const char *text,
                size_t size)
{
    struct pgn_game *game = &pgn->game;
    if (game->reject)
        return;
    game->reject = reason;
    game->reject_offset = pgn->base + (uint64_t)(at - pgn->text);
    game->reject_ply = pgn->movetext ? game->plies + 1 : 0;
    if (size >= sizeof game->reject_text)
        size = sizeof game->reject_text - 1;
    for (size_t i = 0; i < size; i++) {
        bool printable = text[i] >= ' ' && text[i] <= '~';
        game->reject_text[i] = printable ? text[i] : pgn_is_newline(text[i]) ? ' ' : '?';
    }
    game->reject_text[size] = '\0';
}

static void game_reset(struct pgn *pgn)
{
    struct pgn_game *game = &pgn->game;
    game->offset = pgn->base + (uint64_t)(pgn->start - pgn->text);
    game->text = pgn->start;
    game->text_size = 0;
    game->tag_count = 0;
    game->variant = PGN_STANDARD;
    game->result = PGN_UNKNOWN;
    game->plies = game->eval_count = game->comment_count = 0;
    game->reject = PGN_ACCEPTED;
    game->reject_offset = game->reject_ply = 0;
    game->reject_text[0] = '\0';
    pgn->arena_used = 0;
    pgn->movetext = NULL;
    pgn->has_words = false;
}

/* Is there a game that ends inside the text? Otherwise pgn->more says whether more text may help.
 */
static bool game_read(struct pgn *pgn)
{
    const char *p = pgn_find_start(pgn);
    if (!p)
        return false;
    pgn->more = false;
    if (pgn->base + (uint64_t)(p - pgn->text) >= pgn->stop)
        return false;
    game_reset(pgn);
    p = pgn_read_tags(pgn, p);
    if (!p)
        return false;
    pgn_apply_tags(pgn);
    pgn->movetext = p;
    pgn_read_moves(pgn, p);
    return !pgn->more;
}

/* The game ends before `end`, where the next one is sought. whole: all of it has been read. */
static void game_complete(struct pgn *pgn, const char *end, bool whole)
{
    struct pgn_game *game = &pgn->game;
    pgn->next = (size_t)(end - pgn->text);
    while (pgn_class_of(end[-1]) == PGN_CLASS_BLANK)
        end--;
    game->text_size = (size_t)(end - pgn->start);
    if ((!whole || game->text_size > PGN_GAME_MAX) && game->reject != PGN_SKIPPED) {
        game->reject = PGN_ACCEPTED;
        pgn_reject(pgn, PGN_TOO_LARGE, pgn->start, "", 0);
    }
    if (game->reject)
        game->plies = game->eval_count = game->comment_count = 0;
    game->hash = game->plies ? pgn->play.hash : 0;
}

/* The text holds no more and the game does not end: on to a tag at the start of a line. */
static void game_give_up(struct pgn *pgn)
{
    const char *movetext = pgn->movetext;
    game_complete(pgn, pgn->end, false);
    if (movetext)
        pgn->next = (size_t)(movetext - pgn->text);
    pgn->resync = true;
}

int pgn_next(struct pgn *pgn, const struct pgn_game **game, struct error *err)
{
    pgn->game.number++;
    pgn->asked = false;
    for (;;) {
        if (game_read(pgn)) {
            game_complete(pgn, pgn->after, true);
            break;
        }
        if (!pgn->more) {
            pgn->game.number--;
            return 0;
        }
        if (pgn->failed) {
            if (err)
                *err = pgn->failure;
            return -1;
        }
        int refilled = chunk_refill(pgn, err);
        if (refilled < 0)
            return -1;
        if (refilled == 0 && pgn->start) {
            game_give_up(pgn);
            break;
        }
        if (refilled == 0)
            pgn->next = pgn->used;
    }
    *game = &pgn->game;
    return 1;
}

const char *pgn_tag(const struct pgn_game *game, const char *name)
{
    for (unsigned i = 0; i < game->tag_count; i++)
        if (game->tags[i].name[0] == name[0] && strcmp(game->tags[i].name, name) == 0)
            return game->tags[i].value;
    return NULL;
}

const char *pgn_reject_text(enum pgn_reject reject)
{
    static const char *const text[PGN_REJECT_COUNT] = {
        [PGN_ACCEPTED] = "accepted",
        [PGN_SKIPPED] = "skipped",
        [PGN_VARIANT] = "variant",
        [PGN_BAD_FEN] = "bad FEN",
        [PGN_BAD_CASTLING] = "bad castling",
        [PGN_ILLEGAL_MOVE] = "illegal move",
        [PGN_AMBIGUOUS_MOVE] = "ambiguous move",
        [PGN_NULL_MOVE] = "null move",
        [PGN_BAD_TOKEN] = "bad token",
        [PGN_TOO_LARGE] = "too large",
        [PGN_TRUNCATED] = "left open",
    };
    return text[reject];
}

static const struct result_text {
    enum pgn_result result;
    size_t size;
    const char *text;
} results[] = {
    {PGN_WHITE_WINS, 3, "1-0"},
    {PGN_BLACK_WINS, 3, "0-1"},
    {PGN_DRAW, 7, "1/2-1/2"},
    {PGN_UNKNOWN, 1, "*"},
};

#define RESULTS (sizeof results / sizeof results[0])

const char *pgn_result_text(enum pgn_result result)
{
    for (size_t i = 0; i < RESULTS; i++)
        if (results[i].result == result)
            return results[i].text;
    return "*";
}

bool pgn_find_result(const char *text, size_t size, enum pgn_result *result)
{
    for (size_t i = 0; i < RESULTS; i++) {
        if (size == results[i].size && memcmp(text, results[i].text, size) == 0) {
            *result = results[i].result;
            return true;
        }
    }
    return false;
}
