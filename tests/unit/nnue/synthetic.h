/* SPDX-License-Identifier: MIT */
/*
 * The synthetic TinyNNUE net of the tests: made from a seed, so that no net has to be stored, and
 * known by its SHA-256.
 */
#ifndef PLYMILL_TESTS_SYNTHETIC_H
#define PLYMILL_TESTS_SYNTHETIC_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the headers above before it. */
#include <cmocka.h>

#include "formats/chess/fen.h"
#include "formats/chess/position.h"
#include "formats/io/digest.h"
#include "nnue/core/plynnue.h"
#include "nnue/tools/quantize.h"
#include "nnue/tools/rng.h"
#include "nnue/tools/tinynet.h"

#define SYNTHETIC_SEED         12345
#define SYNTHETIC_FLOAT_SHA256 "6b276248f8336ab786fc7468a439372b7efbecb2c6b0a2658e5a9cd0b0ab7da8"
#define SYNTHETIC_S24_SHA256   "1bb0bfd2eecafe95f362df94f72ccb8d9f88893eb6747bd61d5e8c552d000740"
#define SYNTHETIC_S16_SHA256   "00084253113ba0b9deff3e50ebf9da9126508b90b8816a94dd00ff88a6029408"

static inline void synthetic_fill(struct rng *rng, float *out, size_t count, int64_t m)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (float)((int64_t)((rng_next(rng) >> 33) % (uint64_t)(2 * m + 1)) - m) / 10000.0F;
}

static inline struct tinynnue_float synthetic_float(uint64_t seed, uint32_t h1, uint32_t h2)
{
    struct tinynnue_float net;
    struct rng rng = {seed};
    assert_int_equal(tinynnue_float_new(&net, h1, h2), 0);
    synthetic_fill(&rng, net.w1, (size_t)TINYNNUE_INPUTS * h1, 3599);
    synthetic_fill(&rng, net.b1, h1, 4999);
    synthetic_fill(&rng, net.w2, (size_t)h2 * h1, 2499);
    synthetic_fill(&rng, net.b2, h2, 4999);
    synthetic_fill(&rng, net.w3, h2, 7499);
    synthetic_fill(&rng, net.b3, 1, 4999);
    return net;
}

static inline plynnue_net *synthetic_open(const struct buffer *bytes,
                                          const struct plynnue_options *options)
{
    plynnue_net *net;
    struct plynnue_error error = {.text = ""};
    if (plynnue_net_from_memory(bytes->data, bytes->length, options, &net, &error))
        fail_msg("%s", error.text);
    return net;
}

/* The file of the float net, or of the integer net at a shift. */
static inline struct buffer synthetic_file(const struct tinynnue_float *net, unsigned shift)
{
    struct buffer bytes;
    struct error err = {.text = ""};
    buffer_init(&bytes, TINYNET_FILE_MAX);
    if (!shift) {
        assert_int_equal(tinynet_encode_float(net, NULL, 0, &bytes, &err), 0);
    } else {
        struct quantized q;
        assert_int_equal(quantize_net(net, shift, &q, &err), 0);
        assert_int_equal(tinynet_encode_int(&q.net, q.scale, NULL, 0, &bytes, &err), 0);
        quantized_free(&q);
    }
    return bytes;
}

static inline struct position synthetic_position(const char *fen)
{
    struct position position;
    if (fen_parse(fen, strlen(fen), FEN_DROP_BAD_CASTLING, &position, NULL) != FEN_OK)
        fail_msg("not a position: %s", fen);
    return position;
}

/* The board as the library takes it; pieces has room for 64. */
static inline struct plynnue_position synthetic_board(const struct position *position,
                                                      struct plynnue_piece *pieces)
{
    struct plynnue_position board = {.pieces = pieces, .side = position->side};
    for (unsigned square = 0; square < 64; square++)
        if (position->board[square] != PIECE_NONE)
            pieces[board.count++] =
                (struct plynnue_piece){position->board[square], (uint8_t)square};
    return board;
}

#endif
