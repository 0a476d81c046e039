/* SPDX-License-Identifier: MIT */
/*
 * Piece-square features, see features.h.
 */
#include "nnue/core/features.h"

#include <string.h>

enum { PIECES = 12, SQUARES = 64, KING = 5, KINGS_PLANE = 10, PLANE = 64, FLIP_RANKS = 56 };
enum { FLIP_FILES = 7, FLIP_BOTH = 63 };

static unsigned rank_of(unsigned square)
{
    return square >> 3;
}

static unsigned file_of(unsigned square)
{
    return square & 7;
}

static unsigned ranks_flip(unsigned view)
{
    return view ? FLIP_RANKS : 0;
}

/* The flip that brings a view's king to files e-h. */
static unsigned to_king_side(unsigned view, unsigned king)
{
    return ranks_flip(view) ^ (file_of(king) < 4 ? FLIP_FILES : 0);
}

static bool is_enemy(unsigned view, unsigned piece)
{
    return piece / 6 != view;
}

/* Numbers the kings by what they mean, and counts. */
static void number_slots(struct feature_map *map)
{
    for (unsigned view = 0; view < 2; view++) {
        struct feature_king *kings = map->king[view];
        map->slots = 0;
        for (unsigned i = 0; i < SQUARES; i++) {
            unsigned k = 0;
            while (k < i && (kings[k].base != kings[i].base || kings[k].flip != kings[i].flip))
                k++;
            kings[i].slot = (uint8_t)(k < i ? kings[k].slot : map->slots++);
        }
    }
}

/* Planes own and enemy in turn, kings (where they are features) in one. */
static void planes_in_turn(struct feature_map *map, uint32_t first, bool with_kings)
{
    for (unsigned view = 0; view < 2; view++)
        for (unsigned piece = 0; piece < PIECES; piece++) {
            unsigned type = piece % 6;
            if (type == KING)
                map->plane[view][piece] = with_kings ? KINGS_PLANE * PLANE : FEATURE_NONE;
            else
                map->plane[view][piece] = first + PLANE * (2 * type + is_enemy(view, piece));
        }
}

/* Own planes, then the enemy's, kings too; in one plane or in two. */
static void planes_by_side(struct feature_map *map, unsigned enemy_first, bool kings_in_one)
{
    for (unsigned view = 0; view < 2; view++)
        for (unsigned piece = 0; piece < PIECES; piece++) {
            unsigned type = piece % 6;
            map->plane[view][piece] =
                type == KING && kings_in_one
                    ? KINGS_PLANE * PLANE
                    : PLANE * (type + (is_enemy(view, piece) ? enemy_first : 0));
        }
}

void feature_map_halfkp(struct feature_map *map)
{
    enum { ROWS_A_KING = 641 };
    memset(map, 0, sizeof *map);
    map->rows = SQUARES * ROWS_A_KING;
    map->king_buckets = SQUARES;
    planes_in_turn(map, 1, false);
    for (unsigned view = 0; view < 2; view++)
        for (unsigned king = 0; king < SQUARES; king++) {
            unsigned flip = view ? FLIP_BOTH : 0;
            map->king[view][king].base = ROWS_A_KING * (king ^ flip);
            map->king[view][king].flip = (uint8_t)flip;
        }
    number_slots(map);
}

enum { HALFKA_ROWS_A_KING = 11 * PLANE, HALFKA_BUCKETS = 32 };

/* 32 buckets from e1 to h8, or turned round. */
static void mirrored_kings(struct feature_map *map, bool turned)
{
    map->rows = HALFKA_BUCKETS * HALFKA_ROWS_A_KING;
    map->king_buckets = HALFKA_BUCKETS;
    for (unsigned view = 0; view < 2; view++)
        for (unsigned king = 0; king < SQUARES; king++) {
            unsigned flip = to_king_side(view, king), seen = king ^ flip;
            unsigned bucket = 4 * rank_of(seen) + file_of(seen) - 4;
            if (turned)
                bucket = HALFKA_BUCKETS - 1 - bucket;
            map->king[view][king].base = HALFKA_ROWS_A_KING * bucket;
            map->king[view][king].flip = (uint8_t)flip;
        }
    number_slots(map);
}

void feature_map_halfka_seed(struct feature_map *map)
{
    memset(map, 0, sizeof *map);
    planes_by_side(map, 5, true);
    mirrored_kings(map, false);
}

void feature_map_halfka_hm(struct feature_map *map)
{
    memset(map, 0, sizeof *map);
    planes_in_turn(map, 0, true);
    mirrored_kings(map, true);
}

void feature_map_halfka_v2(struct feature_map *map)
{
    memset(map, 0, sizeof *map);
    map->rows = SQUARES * HALFKA_ROWS_A_KING;
    map->king_buckets = SQUARES;
    planes_in_turn(map, 0, true);
    for (unsigned view = 0; view < 2; view++)
        for (unsigned king = 0; king < SQUARES; king++) {
            unsigned flip = ranks_flip(view);
            map->king[view][king].base = HALFKA_ROWS_A_KING * (king ^ flip);
            map->king[view][king].flip = (uint8_t)flip;
        }
    number_slots(map);
}

void feature_map_p_hm(struct feature_map *map)
{
    memset(map, 0, sizeof *map);
    map->rows = PIECES * PLANE;
    map->king_buckets = 1;
    planes_by_side(map, 6, false);
    for (unsigned view = 0; view < 2; view++)
        for (unsigned king = 0; king < SQUARES; king++)
            map->king[view][king].flip = (uint8_t)to_king_side(view, king);
    number_slots(map);
}

void feature_map_768(struct feature_map *map, const uint8_t *table, bool mirrored)
{
    memset(map, 0, sizeof *map);
    map->king_buckets = 1;
    planes_by_side(map, 6, false);
    for (unsigned view = 0; view < 2; view++)
        for (unsigned king = 0; king < SQUARES; king++) {
            unsigned flip = ranks_flip(view) ^ (mirrored && file_of(king) > 3 ? FLIP_FILES : 0);
            unsigned seen = king ^ flip;
            unsigned entry = mirrored ? 4 * rank_of(seen) + file_of(seen) : seen;
            unsigned bucket = table ? table[entry] : 0;
            if (bucket >= map->king_buckets)
                map->king_buckets = bucket + 1;
            map->king[view][king].base = PIECES * PLANE * bucket;
            map->king[view][king].flip = (uint8_t)flip;
        }
    map->rows = PIECES * PLANE * map->king_buckets;
    number_slots(map);
}

/* Appends a piece's row, if it has one. */
static unsigned put_row(const struct feature_map *map, unsigned view,
                        const struct feature_king *king, unsigned piece, unsigned square,
                        uint32_t *rows, unsigned count)
{
    uint32_t plane = map->plane[view][piece];
    rows[count] = king->base + plane + (square ^ king->flip);
    return count + (plane != FEATURE_NONE);
}

void feature_map_active(const struct feature_map *map, const struct board *board, unsigned view,
                        struct row_list *rows)
{
    const struct feature_king *king = &map->king[view][board->king[view]];
    unsigned count = 0;
    for (uint64_t left = board->occupied; left; left &= left - 1) {
        unsigned square = (unsigned)__builtin_ctzll(left);
        count = put_row(map, view, king, board->piece[square], square, rows->added, count);
    }
    rows->removed_count = 0;
    rows->added_count = count;
}

void feature_map_changes(const struct feature_map *map, const struct change *change, unsigned view,
                         struct row_list *rows)
{
    const struct feature_king *king = &map->king[view][change->after->king[view]];
    const struct plynnue_delta *delta = change->delta;
    unsigned removed = 0, added = 0;
    for (unsigned i = 0; i < delta->removed_count; i++)
        removed = put_row(map, view, king, delta->removed[i].piece, delta->removed[i].square,
                          rows->removed, removed);
    for (unsigned i = 0; i < delta->added_count; i++)
        added = put_row(map, view, king, delta->added[i].piece, delta->added[i].square, rows->added,
                        added);
    rows->removed_count = removed;
    rows->added_count = added;
}

void feature_map_difference(const struct feature_map *map, const struct board *from,
                            const struct board *to, unsigned view, struct row_list *rows)
{
    const struct feature_king *king = &map->king[view][to->king[view]];
    unsigned removed = 0, added = 0;
    for (uint64_t left = board_differences(from, to); left; left &= left - 1) {
        unsigned square = (unsigned)__builtin_ctzll(left);
        if (from->piece[square] != BOARD_EMPTY)
            removed = put_row(map, view, king, from->piece[square], square, rows->removed, removed);
        if (to->piece[square] != BOARD_EMPTY)
            added = put_row(map, view, king, to->piece[square], square, rows->added, added);
    }
    rows->removed_count = removed;
    rows->added_count = added;
}
