/* SPDX-License-Identifier: MIT */
/*
 * Stockfish's nets a second time, slowly and by another way: features straight from their
 * definitions by walking over the board, sums in 64 bits, no tables, nothing shared with the
 * library.
 */
#ifndef PLYMILL_TESTS_SF_REFERENCE_H
#define PLYMILL_TESTS_SF_REFERENCE_H

#include "tests/unit/nnue/sf_synthetic.h"

enum { REF_EMPTY = 12, REF_ROWS_MAX = 1024 };

/* Pieces P N B R Q K, +6 for black; what stands on each square, REF_EMPTY where nothing does. */
struct ref_rows {
    unsigned count;
    uint32_t row[REF_ROWS_MAX];
};

static inline unsigned ref_king(const uint8_t board[64], unsigned side)
{
    for (unsigned square = 0; square < 64; square++)
        if (board[square] == 5 + 6 * side)
            return square;
    fail_msg("no king of side %u", side);
    return 64;
}

/* The rows of the piece-square set of a kind. */
static inline void ref_squares(enum synthetic_kind kind, const uint8_t board[64], unsigned me,
                               struct ref_rows *out)
{
    unsigned king = ref_king(board, me), turn = me ? 56 : 0;
    if (kind != SYN_SF14 && king % 8 < 4)
        turn ^= 7;
    king ^= turn;
    out->count = 0;
    for (unsigned square = 0; square < 64; square++) {
        unsigned type = board[square] % 6, theirs = (board[square] >= 6) != me;
        if (board[square] == REF_EMPTY)
            continue;
        unsigned plane = type == 5 ? 10 : 2 * type + theirs, seen = square ^ turn;
        if (kind == SYN_SF19LITE)
            out->row[out->count++] = 64 * (type + 6 * theirs) + seen;
        else if (kind == SYN_SF14)
            out->row[out->count++] = 704 * king + 64 * plane + seen;
        else
            out->row[out->count++] = 704 * (4 * (7 - king / 8) + 7 - king % 8) + 64 * plane + seen;
    }
}

/* Does a piece that stands alone on from attack to? up: of a pawn that goes up the board. */
static inline bool ref_attacks_empty(unsigned type, bool up, unsigned from, unsigned to)
{
    int files = (int)(to % 8) - (int)(from % 8), ranks = (int)(to / 8) - (int)(from / 8);
    int wide = abs(files), high = abs(ranks);
    switch (type) {
    case 0:
        return from / 8 > 0 && from / 8 < 7 && wide == 1 && ranks == (up ? 1 : -1);
    case 1:
        return (wide == 1 && high == 2) || (wide == 2 && high == 1);
    case 2:
        return wide == high && wide > 0;
    case 3:
        return (wide == 0) != (high == 0);
    case 4:
        return (wide == high && wide > 0) || (wide == 0) != (high == 0);
    default:
        return wide <= 1 && high <= 1 && wide + high > 0;
    }
}

static inline bool ref_attacks(const uint8_t board[64], unsigned from, unsigned to)
{
    unsigned type = board[from] % 6;
    if (!ref_attacks_empty(type, board[from] < 6, from, to))
        return false;
    if (type < 2 || type == 5)
        return true;
    int file_step = (to % 8 > from % 8) - (to % 8 < from % 8);
    int rank_step = (to / 8 > from / 8) - (to / 8 < from / 8);
    for (int at = (int)from + 8 * rank_step + file_step; at != (int)to;
         at += 8 * rank_step + file_step)
        if (board[at] != REF_EMPTY)
            return false;
    return true;
}

/* The column of a target's type, or -1; by attacker. */
static inline int ref_column(enum synthetic_kind kind, unsigned attacker, unsigned target)
{
    static const char *const seen18[6] = {"PNR", "PNBRQK", "PNBRK", "PNBRK", "PNBRQK", "PNBR"};
    static const char *const seen19[6] = {"NR", "PNBRQ", "PNBR", "PNBR", "PNBRQ", ""};
    const char *seen = kind == SYN_SF18 ? seen18[attacker] : seen19[attacker];
    const char *found = strchr(seen, "PNBRQK"[target]);
    return found ? (int)(found - seen) : -1;
}

static inline unsigned ref_columns(enum synthetic_kind kind, unsigned attacker)
{
    unsigned count = 0;
    for (unsigned target = 0; target < 6; target++)
        count += ref_column(kind, attacker, target) >= 0;
    return count;
}

/* How many (from, to) there are on an empty board, up to but without this one. */
static inline uint32_t ref_rank(unsigned type, bool up, unsigned from, unsigned to)
{
    uint32_t count = 0;
    for (unsigned a = 0; a < 64; a++)
        for (unsigned b = 0; b < 64; b++) {
            if (a == from && b == to)
                return count;
            count += ref_attacks_empty(type, up, a, b);
        }
    return count; /* from 64: all */
}

/* The row of one threat, or -1: squares as seen, colours 0 mine. */
static inline int64_t ref_threat(enum synthetic_kind kind, const uint8_t pieces[2],
                                 const unsigned squares[2])
{
    unsigned type = pieces[0] % 6, theirs = pieces[0] / 6, target = pieces[1] % 6;
    int column = ref_column(kind, type, target);
    uint32_t start = 0;
    if (column < 0)
        return -1;
    if (type == target && (type != 0 || pieces[0] / 6 != pieces[1] / 6) && squares[0] < squares[1])
        return -1;
    for (unsigned before = 0; before < pieces[0]; before++)
        start += 2 * ref_columns(kind, before % 6) * ref_rank(before % 6, before < 6, 64, 64);
    return start +
           (pieces[1] / 6 * ref_columns(kind, type) + (uint32_t)column) *
               ref_rank(type, !theirs, 64, 64) +
           ref_rank(type, !theirs, squares[0], squares[1]);
}

static inline unsigned ref_turn(const uint8_t board[64], unsigned me)
{
    return (me ? 56U : 0U) ^ (ref_king(board, me) % 8 >= 4 ? 7U : 0U);
}

static inline uint8_t ref_seen_piece(uint8_t piece, unsigned me)
{
    return (uint8_t)(me ? (piece + 6) % 12 : piece);
}

static inline void ref_threats(enum synthetic_kind kind, const uint8_t board[64], unsigned me,
                               struct ref_rows *out)
{
    unsigned turn = ref_turn(board, me);
    out->count = 0;
    for (unsigned from = 0; from < 64; from++)
        for (unsigned to = 0; to < 64; to++) {
            if (board[from] == REF_EMPTY || board[to] == REF_EMPTY || !ref_attacks(board, from, to))
                continue;
            const uint8_t pieces[2] = {ref_seen_piece(board[from], me),
                                       ref_seen_piece(board[to], me)};
            const unsigned squares[2] = {from ^ turn, to ^ turn};
            int64_t row = ref_threat(kind, pieces, squares);
            if (row >= 0)
                out->row[out->count++] = (uint32_t)row;
        }
}

static inline bool ref_counts_as_pawn(const uint8_t board[64], unsigned square)
{
    return board[square] % 6 == 0 && board[square] != REF_EMPTY && square >= 8 && square < 56;
}

static inline void ref_pairs(const uint8_t board[64], unsigned me, struct ref_rows *out)
{
    unsigned turn = ref_turn(board, me);
    out->count = 0;
    for (unsigned a = 0; a < 64; a++)
        for (unsigned b = a + 1; b < 64; b++) {
            if (!ref_counts_as_pawn(board, a) || !ref_counts_as_pawn(board, b) ||
                abs((int)(a % 8) - (int)(b % 8)) > 1)
                continue;
            uint32_t first = 48U * ((board[a] >= 6) != me) + (a ^ turn) - 8;
            uint32_t second = 48U * ((board[b] >= 6) != me) + (b ^ turn) - 8;
            uint32_t high = first > second ? first : second;
            uint32_t low = first > second ? second : first;
            out->row[out->count++] = high * (high - 1) / 2 + low;
        }
}

/* Accumulators of one side, exact, then wrapped as 16 and 32 bits wrap. */
struct ref_half {
    int64_t unit[8192];
    int64_t psqt[32];
};

static inline void ref_add(const struct synthetic_net *net, struct ref_half *half, uint32_t row,
                           const int16_t *wide, const int8_t *narrow, const int32_t *psqt)
{
    for (uint32_t i = 0; i < net->l1; i++)
        half->unit[i] += wide ? wide[(size_t)row * net->l1 + i] : narrow[(size_t)row * net->l1 + i];
    for (uint32_t i = 0; i < net->stacks; i++)
        half->psqt[i] += psqt[(size_t)row * net->stacks + i];
}

static inline void ref_half(const struct synthetic_net *net, const uint8_t board[64], unsigned me,
                            struct ref_half *half)
{
    struct ref_rows rows;
    memset(half, 0, sizeof *half);
    for (uint32_t i = 0; i < net->l1; i++)
        half->unit[i] = net->bias[i];
    ref_squares(net->kind, board, me, &rows);
    for (unsigned i = 0; i < rows.count; i++)
        ref_add(net, half, rows.row[i], net->weights, NULL, net->psqt);
    rows.count = 0;
    if (net->threats)
        ref_threats(net->kind, board, me, &rows);
    for (unsigned i = 0; i < rows.count; i++)
        ref_add(net, half, rows.row[i], NULL, net->threats, net->threat_psqt);
    rows.count = 0;
    if (net->pairs)
        ref_pairs(board, me, &rows);
    for (unsigned i = 0; i < rows.count; i++)
        ref_add(net, half, rows.row[i], NULL, net->pairs, net->pair_psqt);
    for (uint32_t i = 0; i < net->l1; i++)
        half->unit[i] = (int16_t)(uint16_t)half->unit[i];
}

static inline int64_t ref_clamp(int64_t value, int64_t high)
{
    return value < 0 ? 0 : value > high ? high : value;
}

static inline void ref_layer(const struct synthetic_layer *layer, const int64_t *in, int64_t *out)
{
    for (uint32_t o = 0; o < layer->outputs; o++) {
        out[o] = layer->bias[o];
        for (uint32_t i = 0; i < layer->inputs; i++)
            out[o] += layer->weights[(size_t)o * layer->stride + i] * in[i];
    }
}

/* Appends activations of sums to z; gives the new length. */
static inline uint32_t ref_activate(const int64_t *y, uint32_t count, unsigned shift, bool squared,
                                    int64_t *z, uint32_t length)
{
    for (uint32_t i = 0; squared && i < count; i++)
        z[length++] = ref_clamp((y[i] * y[i]) >> (2 * shift + 7), 127);
    for (uint32_t i = 0; i < count; i++)
        z[length++] = ref_clamp(y[i] >> shift, 127);
    return length;
}

/* What the first layer sees of both sides. */
static inline void ref_inputs(const struct synthetic_net *net, const struct ref_half halves[2],
                              unsigned side, int64_t *x)
{
    bool wide = net->kind >= SYN_SF18;
    for (unsigned i = 0; i < 2; i++) {
        const int64_t *a = halves[side ^ i].unit;
        for (uint32_t j = 0; net->kind == SYN_SF14 && j < net->l1; j++)
            *x++ = ref_clamp(a[j], 127);
        for (uint32_t j = 0; net->kind != SYN_SF14 && j < net->l1 / 2; j++)
            *x++ = ref_clamp(a[j], wide ? 255 : 127) *
                   ref_clamp(a[j + net->l1 / 2], wide ? 255 : 127) / (wide ? 512 : 128);
    }
}

struct ref_answer {
    int bucket;
    int64_t psqt[32], positional[32];
    int64_t value;
};

static inline int64_t ref_positional(const struct synthetic_net *net, unsigned stack,
                                     const int64_t *x)
{
    const struct synthetic_layer *layer = net->layer[stack];
    bool newest = net->kind == SYN_SF19 || net->kind == SYN_SF19LITE, first = net->kind == SYN_SF14;
    int64_t y0[256], y1[256], z[1024], z1[512], out;
    uint32_t used = newest || first ? net->l2 : net->l2 - 1;
    ref_layer(&layer[0], x, y0);
    uint32_t length = ref_activate(y0, used, newest ? 7 : 6, net->kind >= SYN_SF15_1, z, 0);
    ref_layer(&layer[1], z, y1);
    if (newest)
        ref_activate(y1, net->l3, 6, true, z, length);
    else
        ref_activate(y1, net->l3, 6, false, z1, 0);
    ref_layer(&layer[2], newest ? z : z1, &out);
    if (newest)
        return (out + y0[net->l2 - 2] - y0[net->l2 - 1]) * 9600 / 16384;
    return first ? out : out + y0[net->l2 - 1] * 9600 / 8128;
}

static inline struct ref_answer ref_eval(const struct synthetic_net *net, const uint8_t board[64],
                                         unsigned side)
{
    static struct ref_half halves[2];
    static int64_t x[16384];
    struct ref_answer answer;
    int pieces = 0;
    for (unsigned square = 0; square < 64; square++)
        pieces += board[square] != REF_EMPTY;
    answer.bucket = (pieces - 1) / (int)((32 + net->stacks - 1) / net->stacks);
    ref_half(net, board, 0, &halves[0]);
    ref_half(net, board, 1, &halves[1]);
    ref_inputs(net, halves, side, x);
    for (uint32_t i = 0; i < net->stacks; i++) {
        answer.psqt[i] = (halves[side].psqt[i] - halves[side ^ 1].psqt[i]) / 2;
        answer.positional[i] = ref_positional(net, i, x);
    }
    int64_t psqt = answer.psqt[answer.bucket], positional = answer.positional[answer.bucket];
    bool apart = net->kind >= SYN_SMALL;
    answer.value = apart ? psqt / 16 + positional / 16 : (psqt + positional) / 16;
    return answer;
}

#endif
