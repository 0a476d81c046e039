/* SPDX-License-Identifier: MIT */
/*
 * What the tests of the PGN reader share: everything that it says about the games of a text, copied
 * out so that two readings can be compared.
 */
#ifndef PLYMILL_TESTS_UNIT_FORMATS_TEST_PGN_H
#define PLYMILL_TESTS_UNIT_FORMATS_TEST_PGN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"
#include "formats/io/buffer.h"
#include "formats/pgn.h"

#define SEEN_GAMES 32
#define SEEN_PLIES 64 /* evals kept; moves are kept all */
#define SEEN_TAGS  32

#define ALL_VARIANTS (PGN_STANDARD | PGN_FROM_POSITION | PGN_CHESS960)

struct seen_game {
    uint64_t number, offset, reject_offset;
    size_t text_size;
    enum pgn_variant variant;
    enum pgn_result result;
    enum pgn_reject reject;
    uint32_t plies, eval_count, reject_ply;
    char reject_text[64], final_fen[FEN_MAX];
    char *uci; /* moves joined by spaces */
    struct score evals[SEEN_PLIES];
    unsigned tag_count;
    char *names[SEEN_TAGS], *values[SEEN_TAGS];
};

struct seen {
    struct seen_game game[SEEN_GAMES];
    size_t count;
    int status; /* of the last pgn_next */
    struct error err;
};

static inline void seen_copy_moves(struct seen_game *to, const struct pgn_game *game)
{
    struct position position = game->start;
    struct error err;
    struct buffer uci;
    buffer_init(&uci, 1u << 20);
    assert_int_equal(buffer_append(&uci, "", 0, &err), 0);
    for (uint32_t i = 0; i < game->plies; i++) {
        char text[UCIMOVE_MAX];
        assert_int_equal(game->in_check[i], position_checkers(&position) != 0);
        ucimove_format(game->moves[i], position.chess960, text);
        assert_int_equal(buffer_printf(&uci, &err, "%s%s", i ? " " : "", text), 0);
        position_make(&position, game->moves[i], NULL);
    }
    assert_int_equal(game->in_check[game->plies], position_checkers(&position) != 0);
    fen_format(&position, FEN_XFEN, to->final_fen);
    to->uci = uci.data ? uci.data : calloc(1, 1);
    for (uint32_t i = 0; i <= game->plies && i < SEEN_PLIES; i++)
        to->evals[i] = game->evals[i];
}

static inline void seen_copy(struct seen_game *to, const struct pgn_game *game)
{
    *to = (struct seen_game){.number = game->number,
                             .offset = game->offset,
                             .reject_offset = game->reject_offset,
                             .text_size = game->text_size,
                             .variant = game->variant,
                             .result = game->result,
                             .reject = game->reject,
                             .plies = game->plies,
                             .eval_count = game->eval_count,
                             .reject_ply = game->reject_ply};
    memcpy(to->reject_text, game->reject_text, sizeof to->reject_text);
    to->tag_count = game->tag_count < SEEN_TAGS ? game->tag_count : SEEN_TAGS;
    for (unsigned i = 0; i < to->tag_count; i++) {
        to->names[i] = strdup(game->tags[i].name);
        to->values[i] = strdup(game->tags[i].value);
        if (!game->reject)
            assert_int_equal(strlen(to->values[i]), game->tags[i].value_size);
    }
    if (!game->reject)
        seen_copy_moves(to, game);
}

static inline void seen_read(struct seen *seen, struct reader *reader, unsigned variants)
{
    struct pgn_options options = {.variants = variants};
    const struct pgn_game *game;
    struct pgn *pgn;
    memset(seen, 0, sizeof *seen);
    assert_int_equal(pgn_new(reader, &options, NULL, &pgn, &seen->err), 0);
    while ((seen->status = pgn_next(pgn, &game, &seen->err)) > 0) {
        assert_true(seen->count < SEEN_GAMES);
        seen_copy(&seen->game[seen->count++], game);
    }
    pgn_free(pgn);
}

static inline void seen_read_text(struct seen *seen, const char *text, size_t size,
                                  unsigned variants)
{
    struct reader *reader;
    assert_int_equal(reader_open_memory(text, size, &reader, &seen->err), 0);
    seen_read(seen, reader, variants);
    reader_close(reader);
}

static inline void seen_read_file(struct seen *seen, const char *path, unsigned variants)
{
    struct reader *reader;
    assert_int_equal(reader_open(path, false, &reader, &seen->err), 0);
    seen_read(seen, reader, variants);
    reader_close(reader);
}

static inline const char *seen_tag(const struct seen_game *game, const char *name)
{
    for (unsigned i = 0; i < game->tag_count; i++)
        if (strcmp(game->names[i], name) == 0)
            return game->values[i];
    return NULL;
}

static inline void seen_free(struct seen *seen)
{
    for (size_t i = 0; i < seen->count; i++) {
        free(seen->game[i].uci);
        for (unsigned t = 0; t < seen->game[i].tag_count; t++) {
            free(seen->game[i].names[t]);
            free(seen->game[i].values[t]);
        }
    }
}

/* The same games, the second time with `shift` bytes before them. */
static inline void seen_assert_equal(const struct seen *a, const struct seen *b, uint64_t shift)
{
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const struct seen_game *x = &a->game[i], *y = &b->game[i];
        assert_int_equal(x->number, y->number);
        assert_int_equal(x->offset + shift, y->offset);
        assert_int_equal(x->text_size, y->text_size);
        assert_int_equal(x->variant, y->variant);
        assert_int_equal(x->result, y->result);
        assert_int_equal(x->reject, y->reject);
        assert_int_equal(x->plies, y->plies);
        assert_int_equal(x->eval_count, y->eval_count);
        assert_int_equal(x->tag_count, y->tag_count);
        for (unsigned t = 0; t < x->tag_count; t++) {
            assert_string_equal(x->names[t], y->names[t]);
            assert_string_equal(x->values[t], y->values[t]);
        }
        if (x->reject) {
            assert_int_equal(x->reject_offset + shift, y->reject_offset);
            assert_int_equal(x->reject_ply, y->reject_ply);
            assert_string_equal(x->reject_text, y->reject_text);
        } else {
            assert_string_equal(x->uci, y->uci);
            assert_string_equal(x->final_fen, y->final_fen);
            for (uint32_t e = 0; e <= x->plies && e < SEEN_PLIES; e++) {
                assert_int_equal(x->evals[e].kind, y->evals[e].kind);
                if (x->evals[e].kind)
                    assert_int_equal(x->evals[e].value, y->evals[e].value);
            }
        }
    }
}

#endif
