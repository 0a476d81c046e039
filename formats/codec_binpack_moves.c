/* SPDX-License-Identifier: MIT */
/*
 * Move text of a `.binpack`: a position that follows another one by its move needs only the move
 * that is made in it, and how the score has changed. Bits, highest first:
 *
 *   w(n)  number of the moving piece among the n of its side, in square order
 *   w(m)  number of the move among the m candidates of that piece, by target square
 *   5, ..  change of the score, zigzag, in blocks: 1 = more blocks follow, then four bits of the
 *          value, the lowest four in the first block
 *
 * w(x) is the number of bits that x - 1 needs. Candidates are not all legal:
 *
 *   knight .. queen  attacked squares without own pieces
 *   pawn             enemy pieces and the en passant square it attacks, one step, two steps; on the
 *                    rank before the last every target counts four times (N B R Q)
 *   king             squares around it without own pieces; then one for every castling right, the
 *                    queen's side first, whether castling is possible or not
 */
#include "formats/chess/attacks.h"
#include "formats/chess/bitboard.h"
#include "formats/codec_binpack.h"

#define SCORE_BITS  16
#define BLOCK_BITS  4
#define BLOCK_MORE  (1u << BLOCK_BITS)
#define BLOCK_MASK  (BLOCK_MORE - 1)
#define PROMOTIONS  4
#define WINDOW_BITS 64

/* The candidates of one piece. */
struct candidates {
    uint64_t targets;
    unsigned copies;    /* of every target: 4 for promotions */
    unsigned castlings; /* behind them */
    unsigned count;     /* of all */
    uint8_t rooks[2];   /* of these castlings */
};

static unsigned width(unsigned count)
{
    return count < 2 ? 0 : 32 - (unsigned)__builtin_clz(count - 1);
}

static uint64_t pawn_targets(const struct position *position, unsigned from)
{
    unsigned us = position->side;
    uint64_t empty = ~(position->colour[WHITE] | position->colour[BLACK]);
    uint64_t pawn = bitboard_of(from), takes = position->colour[us ^ 1];
    bool start = square_rank(from) == (us == WHITE ? 1u : 6u);
    uint64_t once = (us == WHITE ? pawn << 8 : pawn >> 8) & empty;
    uint64_t twice = (us == WHITE ? once << 8 : once >> 8) & empty;

    if (position->ep != SQUARE_NONE)
        takes |= bitboard_of(position->ep);
    return once | (start ? twice : 0) | (attacks_pawn(us, from) & takes);
}

static void find_candidates(const struct position *position, unsigned from,
                            struct candidates *candidates)
{
    unsigned us = position->side, type = position->board[from] - 6u * us;
    uint64_t own = position->colour[us], occupied = own | position->colour[us ^ 1];

    candidates->copies = 1;
    candidates->castlings = 0;
    if (type == PAWN) {
        candidates->targets = pawn_targets(position, from);
        if (candidates->targets & BITBOARD_EDGE_RANKS)
            candidates->copies = PROMOTIONS;
    } else {
        candidates->targets = attacks_of(position->board[from], from, occupied) & ~own;
    }
    for (unsigned side = QUEEN_SIDE + 1; type == KING && side-- > KING_SIDE;)
        if (position->rook[us][side] != SQUARE_NONE)
            candidates->rooks[candidates->castlings++] = position->rook[us][side];
    candidates->count =
        bitboard_count(candidates->targets) * candidates->copies + candidates->castlings;
}

/* The number of the move among the candidates of its piece; -1 when it is none of them. */
static int find_number(const struct position *position, uint16_t move,
                       const struct candidates *candidates)
{
    unsigned to = move_to(move), from = move_from(move), promotion = move >> 12 & 3;
    unsigned targets = candidates->count - candidates->castlings;
    bool pawn = position->board[from] == piece_make(position->side, PAWN);
    enum move_kind kind = MOVE_NORMAL;

    if (move_kind(move) == MOVE_CASTLING && promotion == 0) {
        for (unsigned i = 0; i < candidates->castlings; i++)
            if (candidates->rooks[i] == to)
                return (int)(targets + i);
        return -1;
    }
    if (candidates->copies == PROMOTIONS)
        kind = MOVE_PROMOTION;
    else if (pawn && to == position->ep)
        kind = MOVE_EN_PASSANT;
    if (!(candidates->targets & bitboard_of(to)) || move_kind(move) != kind ||
        (promotion != 0 && kind != MOVE_PROMOTION))
        return -1;
    unsigned before = bitboard_count(candidates->targets & (bitboard_of(to) - 1));
    return (int)(before * candidates->copies + promotion);
}

/* The candidates of the moving piece and the move's number; -1 also without such a piece. */
static int find_move(const struct position *position, uint16_t move, struct candidates *candidates)
{
    unsigned from = move_from(move);
    if (!(position->colour[position->side] & bitboard_of(from)))
        return -1;
    find_candidates(position, from, candidates);
    return find_number(position, move, candidates);
}

bool binpack_move_is_known(const struct position *position, uint16_t move)
{
    struct candidates candidates;
    return find_move(position, move, &candidates) >= 0;
}

bool binpack_move_is_sound(const struct position *position, uint16_t move)
{
    unsigned from = move_from(move), to = move_to(move);
    uint64_t occupied = position->colour[WHITE] | position->colour[BLACK];
    if (move_kind(move) == MOVE_CASTLING)
        return !(attacks_between(from, to) & occupied);
    return !(position->type[KING] & bitboard_of(to));
}

static void append_bits(struct binpack_text *text, unsigned value, unsigned count)
{
    text->bits = text->bits << count | value;
    text->count += count;
}

bool binpack_text_encode(const struct position *position, uint16_t move, int16_t change,
                         struct binpack_text *text)
{
    struct candidates candidates;
    uint64_t own = position->colour[position->side];
    int number = find_move(position, move, &candidates);
    if (number < 0)
        return false;
    *text = (struct binpack_text){0, 0};
    append_bits(text, bitboard_count(own & (bitboard_of(move_from(move)) - 1)),
                width(bitboard_count(own)));
    append_bits(text, (unsigned)number, width(candidates.count));
    unsigned value = binpack_zigzag(change);
    for (; value > BLOCK_MASK; value >>= BLOCK_BITS)
        append_bits(text, (value & BLOCK_MASK) | BLOCK_MORE, BLOCK_BITS + 1);
    append_bits(text, value, BLOCK_BITS + 1);
    return true;
}

/* Bits from the front of the window. */
static unsigned take_bits(uint64_t *window, unsigned count)
{
    unsigned value = (unsigned)(*window >> 1 >> (WINDOW_BITS - 1 - count));
    *window <<= count;
    return value;
}

/* The nth square of a set that has it. */
static unsigned nth_square(uint64_t set, unsigned n)
{
    while (n-- > 0)
        set &= set - 1;
    return bitboard_first(set);
}

/* The move with that number, which is one of the candidates. */
static uint16_t move_of_number(const struct position *position, unsigned from, unsigned number,
                               const struct candidates *candidates)
{
    unsigned targets = candidates->count - candidates->castlings;
    if (number >= targets)
        return move_make(from, candidates->rooks[number - targets], MOVE_CASTLING);
    unsigned to = nth_square(candidates->targets, number / candidates->copies);
    if (candidates->copies == PROMOTIONS)
        return move_make_promotion(from, to, KNIGHT + number % PROMOTIONS);
    bool takes_passing =
        to == position->ep && position->board[from] == piece_make(position->side, PAWN);
    return move_make(from, to, takes_passing ? MOVE_EN_PASSANT : MOVE_NORMAL);
}

/* Gives the bits read, or -1. */
static int take_change(uint64_t *window, int16_t *change, struct error *err)
{
    unsigned value = 0, block;
    int shift = 0;
    do {
        block = take_bits(window, BLOCK_BITS + 1);
        value |= (block & BLOCK_MASK) << shift;
        shift += BLOCK_BITS;
    } while (block & BLOCK_MORE && shift < SCORE_BITS);
    if (block & BLOCK_MORE)
        return error_set(err, ERROR_FAILED, "a change of score in more than %d bits", SCORE_BITS);
    if (block == 0 && shift > BLOCK_BITS)
        return error_set(err, ERROR_FAILED, "a change of score with an empty last block");
    *change = binpack_unzigzag((uint16_t)value);
    return shift / BLOCK_BITS * (BLOCK_BITS + 1);
}

int binpack_text_decode(const struct position *position, uint64_t window, uint16_t *move,
                        int16_t *change, struct error *err)
{
    struct candidates candidates;
    uint64_t own = position->colour[position->side];
    unsigned pieces = bitboard_count(own), piece_bits = width(pieces);
    unsigned piece = take_bits(&window, piece_bits);

    if (piece >= pieces)
        return error_set(err, ERROR_FAILED, "piece %u of %u", piece + 1, pieces);
    unsigned from = nth_square(own, piece);
    find_candidates(position, from, &candidates);
    unsigned move_bits = width(candidates.count), number = take_bits(&window, move_bits);
    if (number >= candidates.count)
        return error_set(err, ERROR_FAILED, "move %u of %u of the piece on %c%u", number + 1,
                         candidates.count, 'a' + (int)square_file(from), square_rank(from) + 1);
    *move = move_of_number(position, from, number, &candidates);
    int score_bits = take_change(&window, change, err);
    return score_bits < 0 ? -1 : (int)(piece_bits + move_bits) + score_bits;
}
