/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/select_item.h"

#include <string.h>

#include "formats/io/bytes.h"

#define AT_GAME_ID 8
#define ID_SIZE    (GAMEID_MAX - 1)
#define AT_PLY     (AT_GAME_ID + ID_SIZE)

_Static_assert(AT_PLY + 4 == REPEATS_ORDER_SIZE, "draw, game id, ply");

void select_order(const char *game_id, uint32_t ply, uint64_t draw, uint8_t out[REPEATS_ORDER_SIZE])
{
    memset(out, 0, REPEATS_ORDER_SIZE);
    bytes_put_be64(out, draw);
    memcpy(out + AT_GAME_ID, game_id, strnlen(game_id, ID_SIZE));
    bytes_put_be32(out + AT_PLY, ply);
}

void select_order_game(const uint8_t order[REPEATS_ORDER_SIZE], char game_id[GAMEID_MAX])
{
    memcpy(game_id, order + AT_GAME_ID, ID_SIZE);
    game_id[ID_SIZE] = '\0';
}

uint32_t select_trim(const uint8_t bytes[RECORD_SIZE])
{
    uint32_t size = RECORD_SIZE;
    while (size > 0 && bytes[size - 1] == 0)
        size--;
    return size;
}

int select_untrim(const uint8_t *bytes, uint32_t size, uint8_t out[RECORD_SIZE])
{
    if (size > RECORD_SIZE)
        return -1;
    memcpy(out, bytes, size);
    memset(out + size, 0, RECORD_SIZE - size);
    return 0;
}

int select_damaged(struct error *err)
{
    return error_set(err, ERROR_FAILED, "a sorted run was damaged; run the same command again");
}
