/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/opening.h"

#include <xxhash.h>

#include "formats/chess/poskey.h"

uint64_t opening_of_position(const struct position *position)
{
    uint8_t key[POSKEY_BOARD_SIZE];
    poskey_board(position, key);
    return XXH64(key, sizeof key, 0);
}

uint64_t opening_of_game(const struct pgn_game *game)
{
    struct position position = game->start;
    for (uint32_t ply = 0; ply < OPENING_PLY && ply < game->plies; ply++)
        position_make(&position, game->moves[ply], NULL);
    return opening_of_position(&position);
}
