/* SPDX-License-Identifier: MIT */
/*
 * libplynnue: evaluates NNUE nets, updates them incrementally and never drifts.
 *
 * Opaque handles, no globals, no printing, no exit; nothing is allocated after plynnue_acc_new. A net
 * is read-only once loaded and may be shared between threads; an accumulator belongs to one thread.
 * The library never sees a chess rule: it is told which pieces leave and enter which squares.
 *
 * Squares: a1 = 0 .. h8 = 63. Pieces: P0 N1 B2 R3 Q4 K5, +6 for black. Sides: 0 white, 1 black.
 */
#ifndef PLYNNUE_H
#define PLYNNUE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plynnue_net plynnue_net; /* read-only once loaded: share between threads */
typedef struct plynnue_acc plynnue_acc; /* board + accumulator stack + refresh cache: one thread each */
enum plynnue_isa { PLYNNUE_ISA_AUTO, PLYNNUE_ISA_SCALAR, PLYNNUE_ISA_AVX2, PLYNNUE_ISA_AVXVNNI, PLYNNUE_ISA_AVX512VNNI, PLYNNUE_ISA_NEON };
enum plynnue_code { PLYNNUE_OK = 0, PLYNNUE_EIO = -1, PLYNNUE_EFORMAT = -2, PLYNNUE_EARCH = -3, PLYNNUE_ENOMEM = -4,
                    PLYNNUE_EISA = -5, PLYNNUE_EBOARD = -6, PLYNNUE_EDEPTH = -7 };
struct plynnue_error { int code; uint64_t offset; char text[240]; };        /* caller-owned, may be NULL */
struct plynnue_options { size_t size; const char *arch; enum plynnue_isa isa; }; /* arch NULL: from the file */
struct plynnue_info { size_t size; char arch[128]; uint32_t inputs, l1, king_buckets, output_buckets; enum plynnue_isa isa; double cp_per_unit; };
/* P0 N1 B2 R3 Q4 K5, +6 black; a1 0 .. h8 63; side 0 white; one king each, 2..32 pieces */
struct plynnue_piece { uint8_t piece, square; };
struct plynnue_position { const struct plynnue_piece *pieces; uint8_t count, side; };
/* removals before additions (Chess960 king and rook may swap squares); promotion: pawn off, piece on;
   a push passes the move to the other side, an empty delta is a null move */
struct plynnue_delta { uint8_t removed_count, added_count; struct plynnue_piece removed[2], added[2]; };
struct plynnue_raw { int bucket, buckets; int64_t psqt[32], positional[32]; };
int  plynnue_net_open(const char *path, const struct plynnue_options *, plynnue_net **, struct plynnue_error *);
int  plynnue_net_from_memory(const void *, size_t, const struct plynnue_options *, plynnue_net **, struct plynnue_error *);
void plynnue_net_info(const plynnue_net *, struct plynnue_info *);
void plynnue_net_close(plynnue_net *);
int  plynnue_acc_new(const plynnue_net *, int max_ply, plynnue_acc **, struct plynnue_error *); /* the only allocation */
void plynnue_acc_free(plynnue_acc *);
int  plynnue_acc_set(plynnue_acc *, const struct plynnue_position *);       /* empties the stack */
int  plynnue_acc_push(plynnue_acc *, const struct plynnue_delta *);         /* O(1), lazy; on error unchanged */
int  plynnue_acc_pop(plynnue_acc *);
int32_t plynnue_acc_eval(plynnue_acc *, int side);                          /* net units, as if side were to move */
double plynnue_acc_eval_float(plynnue_acc *, int side);                     /* float nets */
void plynnue_acc_eval_raw(plynnue_acc *, int side, struct plynnue_raw *);   /* every bucket */
size_t plynnue_batch_scratch(const plynnue_net *);
int  plynnue_eval_batch(const plynnue_net *, const struct plynnue_position *, size_t n, int32_t *value, void *scratch);

#ifdef __cplusplus
}
#endif

#endif
