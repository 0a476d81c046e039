/* SPDX-License-Identifier: MIT */
/*
 * libplynnue: evaluates NNUE nets, updates them incrementally and never drifts.
 *
 * Opaque handles, no globals, no printing, no exit; nothing is allocated after plynnue_acc_new. A
 * net is read-only once loaded and may be shared between threads; an accumulator belongs to one
 * thread. The library never sees a chess rule: it is told which pieces leave and enter which
 * squares.
 *
 *     plynnue_net *net;
 *     plynnue_acc *acc;
 *     plynnue_net_open("net.safetensors", NULL, &net, NULL);
 *     plynnue_acc_new(net, 128, &acc, NULL);
 *     plynnue_acc_set(acc, &position);         // once, at the root
 *     plynnue_acc_push(acc, &delta);           // with every move made: O(1)
 *     value = plynnue_acc_eval(acc, side);     // where a value is wanted
 *     plynnue_acc_pop(acc);                    // with every move taken back
 *
 * Squares: a1 = 0, b1 = 1 .. h8 = 63. Pieces: P0 N1 B2 R3 Q4 K5, +6 for black. Sides: 0 White, 1
 * Black. Functions that can fail give PLYNNUE_OK (0) or a negative enum plynnue_code.
 */
#ifndef PLYNNUE_H
#define PLYNNUE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* what the shared library shows */
#endif

#define PLYNNUE_PIECES_MAX 32        /* pieces on a board, both kings counted; at least 2 */
#define PLYNNUE_PLY_MAX    65535     /* deepest stack that plynnue_acc_new makes */
#define PLYNNUE_FILE_MAX   (1 << 30) /* bytes of the largest net file that is read */

/* A loaded net: read-only, to be shared between threads. */
typedef struct plynnue_net plynnue_net;
/* A board, a stack of accumulators over it, scratch memory: one thread each. Outlived by its net.
 */
typedef struct plynnue_acc plynnue_acc;

/* Instruction sets. AUTO takes the best that this CPU and this build have. */
enum plynnue_isa {
    PLYNNUE_ISA_AUTO,
    PLYNNUE_ISA_SCALAR,
    PLYNNUE_ISA_AVX2,
    PLYNNUE_ISA_AVXVNNI,
    PLYNNUE_ISA_AVX512VNNI,
    PLYNNUE_ISA_NEON
};

enum plynnue_code {
    PLYNNUE_OK = 0,
    PLYNNUE_EIO = -1,     /* the file cannot be read */
    PLYNNUE_EFORMAT = -2, /* damaged, or no net file */
    PLYNNUE_EARCH = -3, /* sound, but of an architecture that is unknown or not the one asked for */
    PLYNNUE_ENOMEM = -4,
    PLYNNUE_EISA = -5,   /* this CPU or this build lacks the instruction set asked for */
    PLYNNUE_EBOARD = -6, /* a position or delta that cannot be: wrong squares, pieces, kings */
    PLYNNUE_EDEPTH = -7  /* push on a full stack, pop from an empty one */
};

/* Owned by the caller, filled on failure. Every function takes NULL for it. */
struct plynnue_error {
    int code;        /* enum plynnue_code */
    uint64_t offset; /* byte of the file where the fault was seen; 0 where that says nothing */
    char text[240];  /* one line in English */
};

/* How to load. NULL everywhere stands for all defaults. */
struct plynnue_options {
    size_t size;      /* sizeof(struct plynnue_options): lets the struct grow */
    const char *arch; /* "769->128->32->1", "sf15.1", "(768->128)x2->1 screlu", ... (docs/NETS.md);
                       * NULL: what the file says, or its side file */
    enum plynnue_isa isa; /* PLYNNUE_ISA_AUTO is 0 */
};

/* What a net is. */
struct plynnue_info {
    size_t size;             /* set by the caller to sizeof(struct plynnue_info) */
    char arch[128];          /* the canonical architecture string */
    uint32_t inputs;         /* features: 769 */
    uint32_t l1;             /* width of one accumulator */
    uint32_t king_buckets;   /* 1: none */
    uint32_t output_buckets; /* 1: none */
    enum plynnue_isa isa;    /* in use: never AUTO */
    double cp_per_unit;      /* centipawns that a value of 1 is worth; 0: unknown */
    uint32_t is_float;       /* 1: float tensors, ask plynnue_acc_eval_float */
    uint32_t has_psqt;       /* 1: psqt of struct plynnue_raw counts */
    uint32_t verified;       /* 1: integers of this kind were compared with its own engine's */
    /* centipawns = value * cp_num / cp_den, truncated, as the net's engine computes them; both 0
     * where that is unknown or floats */
    uint32_t cp_num, cp_den;
};

struct plynnue_piece {
    uint8_t piece;  /* 0 .. 11 */
    uint8_t square; /* 0 .. 63 */
};

/* One king each, 2 .. 32 pieces, no two on one square; the order is free. */
struct plynnue_position {
    const struct plynnue_piece *pieces; /* [count] */
    uint8_t count;
    uint8_t side; /* to move */
};

/*
 * What a move changes. Removals come before additions, so that a square may stand in both lists
 * (Chess960: king and rook may swap squares, or one may stay). A promotion takes the pawn off and
 * puts the piece on. A push passes the move to the other side: an empty delta is a null move.
 */
struct plynnue_delta {
    uint8_t removed_count, added_count; /* 0 .. 2 */
    struct plynnue_piece removed[2], added[2];
};

/*
 * The integers before they become a value, of every output bucket. What positional is: the last
 * layer's sum; of (768->N)x2->1 the sum of products before it is divided and the bias is added; of
 * 769->H1->H2->1 White's view, whoever is to move.
 */
struct plynnue_raw {
    int bucket;             /* the one in use */
    int buckets;            /* 1 .. 32; 0: a float net, which has no integers */
    int64_t psqt[32];       /* [buckets]; 0 where a net has none */
    int64_t positional[32]; /* [buckets] */
};

/*
 * Loads a net file. *net is the caller's, to be closed; NULL on failure. Where options name no
 * arch, the first line of a file PATH.arch is one, if there is such a file.
 */
int plynnue_net_open(const char *path, const struct plynnue_options *options, plynnue_net **net,
                     struct plynnue_error *error);
/* The same from bytes, which are copied and not needed afterwards. */
int plynnue_net_from_memory(const void *data, size_t size, const struct plynnue_options *options,
                            plynnue_net **net, struct plynnue_error *error);
/* Fills the fields that fit into info->size bytes. */
void plynnue_net_info(const plynnue_net *net, struct plynnue_info *info);
/* NULL is allowed. */
void plynnue_net_close(plynnue_net *net);

/*
 * A stack for max_ply (0 .. PLYNNUE_PLY_MAX) pushes over one position: the only allocation. It
 * holds the bare kings on e1 and e8, White to move, until plynnue_acc_set.
 */
int plynnue_acc_new(const plynnue_net *net, int max_ply, plynnue_acc **acc,
                    struct plynnue_error *error);
/* NULL is allowed. */
void plynnue_acc_free(plynnue_acc *acc);
/* Puts a position at the bottom and empties the stack. PLYNNUE_EBOARD leaves all as it was. */
int plynnue_acc_set(plynnue_acc *acc, const struct plynnue_position *position);
/* O(1): nothing is computed before an eval. PLYNNUE_EBOARD and PLYNNUE_EDEPTH change nothing. */
int plynnue_acc_push(plynnue_acc *acc, const struct plynnue_delta *delta);
/* Takes the last push back. PLYNNUE_EDEPTH when there is none. */
int plynnue_acc_pop(plynnue_acc *acc);

/* The net's value in its own units, as if side were to move and from its view. Float nets: rounded.
 */
int32_t plynnue_acc_eval(plynnue_acc *acc, int side);
/* The same without rounding; for integer nets the integer. */
double plynnue_acc_eval_float(plynnue_acc *acc, int side);
/* Every bucket's integers. */
void plynnue_acc_eval_raw(plynnue_acc *acc, int side, struct plynnue_raw *raw);

/* Bytes of scratch that plynnue_eval_batch needs; any alignment. */
size_t plynnue_batch_scratch(const plynnue_net *net);
/*
 * value[i] = the value of positions[i], side to move. Stops with PLYNNUE_EBOARD at the first
 * position that cannot be; the values before it are filled.
 */
int plynnue_eval_batch(const plynnue_net *net, const struct plynnue_position *positions, size_t n,
                       int32_t *value, void *scratch);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
