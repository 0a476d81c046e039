/* SPDX-License-Identifier: MIT */
/*
 * Real nets for the tests: files NAME.nnue in the folder that PLYMILL_NETS names (tests/nets.sh
 * fills one). A test whose net is not there is skipped.
 */
#ifndef PLYMILL_TESTS_REALNETS_H
#define PLYMILL_TESTS_REALNETS_H

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"
#include "nnue/core/plynnue.h"
#include "tests/unit/nnue/vectorfile.h"

/*
 * The net at an instruction set, or NULL when this machine lacks it. arch: NULL, or what the file
 * cannot say. Skips the test when there is no such file.
 */
static inline plynnue_net *realnet_open(const char *name, const char *arch, enum plynnue_isa isa)
{
    struct plynnue_options options = {.size = sizeof options, .arch = arch, .isa = isa};
    struct plynnue_error error = {.text = ""};
    const char *folder = getenv("PLYMILL_NETS");
    char path[512];
    plynnue_net *net;
    int code;
    snprintf(path, sizeof path, "%s/%s.nnue", folder ? folder : ".", name);
    code = plynnue_net_open(path, &options, &net, &error);
    if (code == PLYNNUE_EIO) {
        printf("# skip: no %s.nnue in PLYMILL_NETS\n", name);
        skip();
    }
    if (code == PLYNNUE_EISA)
        return NULL;
    if (code)
        fail_msg("%s: %s", path, error.text);
    return net;
}

static inline struct plynnue_delta realnet_delta(const struct delta *delta)
{
    struct plynnue_delta out = {.removed_count = delta->removed_count,
                                .added_count = delta->added_count};
    for (unsigned i = 0; i < 2; i++) {
        out.removed[i] = (struct plynnue_piece){delta->removed[i].piece, delta->removed[i].square};
        out.added[i] = (struct plynnue_piece){delta->added[i].piece, delta->added[i].square};
    }
    return out;
}

/* Pushes the move that a line of traces.tsv names: a null move where it is "0000". */
static inline void realnet_push(plynnue_acc *acc, struct position *position, const char *text)
{
    struct delta delta = {.removed_count = 0};
    if (strcmp(text, "0000") != 0) {
        uint16_t move = ucimove_parse(position, text, strlen(text));
        assert_int_not_equal(move, MOVE_NONE);
        position_delta(position, move, &delta);
    }
    struct plynnue_delta pushed = realnet_delta(&delta);
    assert_int_equal(plynnue_acc_push(acc, &pushed), PLYNNUE_OK);
}

static inline void realnet_position(const char *fen, struct position *position)
{
    if (fen_parse(fen, strlen(fen), FEN_DROP_BAD_CASTLING, position, NULL) != FEN_OK)
        fail_msg("not a position: %s", fen);
}

enum { REALNET_PLIES = 1024 };

struct realnet_game {
    plynnue_acc *acc;
    int depth;
    int64_t values[REALNET_PLIES]; /* what each ply's line says, for the way back */
    uint8_t sides[REALNET_PLIES];
};

/* Takes the game back, ply by ply: the values must be there again. */
static inline void realnet_unwind(struct realnet_game *game)
{
    while (game->depth > 0) {
        assert_int_equal(plynnue_acc_pop(game->acc), PLYNNUE_OK);
        game->depth--;
        assert_int_equal(plynnue_acc_eval(game->acc, game->sides[game->depth]),
                         game->values[game->depth]);
    }
}

/*
 * Plays the games of traces.tsv on one stack and takes them back; column holds the values. Every
 * `every`-th position is evaluated on the way, so that updates catch up with several moves.
 */
static inline void realnet_trace(const plynnue_net *net, unsigned column, int every)
{
    struct vectorfile v = vectors_open("traces.tsv");
    struct realnet_game game = {.depth = 0};
    struct position before;
    assert_int_equal(plynnue_acc_new(net, REALNET_PLIES, &game.acc, NULL), PLYNNUE_OK);
    while (vectors_next(&v)) {
        struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
        struct plynnue_position board = vectors_board(v.column[3], pieces);
        int64_t ply = vectors_number(&v, 1);
        if (ply == 0) {
            realnet_unwind(&game);
            assert_int_equal(plynnue_acc_set(game.acc, &board), PLYNNUE_OK);
        } else {
            assert_int_equal(ply, game.depth + 1);
            realnet_push(game.acc, &before, v.column[2]);
        }
        game.depth = (int)ply;
        game.values[ply] = vectors_number(&v, column);
        game.sides[ply] = board.side;
        if (ply % every == 0)
            vectors_expect(&v, column, plynnue_acc_eval(game.acc, board.side));
        realnet_position(v.column[3], &before);
    }
    realnet_unwind(&game);
    vectors_close(&v, 1818);
    plynnue_acc_free(game.acc);
}

#endif
