/* SPDX-License-Identifier: MIT */
/*
 * See draw.h.
 */
#include "formats/draw.h"

#include <stddef.h>
#include <string.h>
#include <xxhash.h>

#include "formats/gameid.h"
#include "formats/io/bytes.h"

#define DRAW_TEXT_MAX (16 + GAMEID_MAX + 4) /* purpose and zero, game id and zero, ply */

/* "purpose \0 game-id" into text: its length. An id over GAMEID_MAX is no id; it is cut. */
static size_t draw_text(enum draw_purpose purpose, const char *game_id, uint8_t *text)
{
    static const char *const names[] = {"split",  "shard",   "subsample",
                                        "sample", "shuffle", "pieces"};
    size_t length = strlen(names[purpose]) + 1;
    memcpy(text, names[purpose], length);
    size_t id_length = strnlen(game_id, GAMEID_MAX - 1);
    memcpy(text + length, game_id, id_length);
    return length + id_length;
}

uint64_t draw_game(enum draw_purpose purpose, const char *game_id, uint64_t seed)
{
    uint8_t text[DRAW_TEXT_MAX];
    return XXH64(text, draw_text(purpose, game_id, text), seed);
}

uint64_t draw_ply(enum draw_purpose purpose, const char *game_id, uint32_t ply, uint64_t seed)
{
    uint8_t text[DRAW_TEXT_MAX];
    size_t length = draw_text(purpose, game_id, text);
    text[length++] = 0;
    bytes_put_u32(text + length, ply);
    return XXH64(text, length + 4, seed);
}
