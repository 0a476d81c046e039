/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/gameitem.h"

#include <string.h>

#include "formats/io/bytes.h"
#include "formats/record.h"

#define RANK_LONE 2

static void encode_key(const struct gameitem *game, const struct sampler_pick *picks,
                       uint8_t key[GAMEITEM_KEY_SIZE])
{
    memset(key, 0, GAMEITEM_KEY_SIZE);
    bytes_put_be32(key, game->shard);
    memcpy(key + 4, game->game_id, strnlen(game->game_id, GAMEITEM_ID_SIZE));
    if (game->lone) {
        key[22] = RANK_LONE;
        bytes_put_be32(key + 23, picks->ply);
        return;
    }
    key[22] = game->counts.taken + game->counts.not_drawn == 0;
    bytes_put_be32(key + 23, ~game->plies);
    bytes_put_be32(key + 27, ~game->evals);
    memcpy(key + 31, game->text_sha256, 32);
}

static void encode_head(const struct gameitem *game, uint8_t head[GAMEITEM_HEAD_SIZE])
{
    head[0] = game->split;
    head[1] = (uint8_t)game->result;
    bytes_put_u16(head + 2, game->white_rating);
    bytes_put_u16(head + 4, game->black_rating);
    bytes_put_u32(head + 6, game->plies);
    bytes_put_u32(head + 10, game->counts.out_of_range);
    bytes_put_u32(head + 14, game->counts.in_check);
    bytes_put_u32(head + 18, game->counts.no_move);
    bytes_put_u32(head + 22, game->counts.no_eval);
    bytes_put_u32(head + 26, game->counts.bad_eval);
    bytes_put_u32(head + 30, game->counts.not_drawn);
    bytes_put_u32(head + 34, game->counts.taken);
    bytes_put_u64(head + 38, game->opening);
}

static void encode_sample(const struct sampler_pick *pick, uint8_t sample[GAMEITEM_SAMPLE_SIZE])
{
    uint8_t *behind = sample + 4 + POSKEY_PACKED_SIZE;
    bytes_put_u32(sample, pick->ply);
    poskey_pack(&pick->position, sample + 4);
    bytes_put_u16(behind, pick->move);
    behind[2] = pick->eval.kind;
    bytes_put_u32(behind + 3, (uint32_t)pick->eval.value);
    bytes_put_u16(behind + 7, pick->eval_depth);
}

int gameitem_encode(const struct gameitem *game, const struct sampler_pick *picks,
                    uint8_t key[GAMEITEM_KEY_SIZE], struct buffer *data, struct error *err)
{
    uint8_t head[GAMEITEM_HEAD_SIZE];
    encode_key(game, picks, key);
    encode_head(game, head);
    buffer_clear(data);
    int status = buffer_append(data, head, sizeof head, err);
    for (uint32_t i = 0; i < game->counts.taken && status == 0; i++) {
        uint8_t sample[GAMEITEM_SAMPLE_SIZE];
        encode_sample(&picks[i], sample);
        status = buffer_append(data, sample, sizeof sample, err);
    }
    if (status == 0 && game->lone && picks->labeled) {
        uint8_t label[RECORD_LABEL_SIZE];
        record_label_encode(&picks->label, label);
        status = buffer_append(data, label, sizeof label, err);
    }
    return status;
}

int gameitem_decode(const struct extsort_item *item, struct gameitem *game)
{
    const uint8_t *key = item->key, *head = item->data;
    if (item->key_size != GAMEITEM_KEY_SIZE || item->data_size < GAMEITEM_HEAD_SIZE)
        return -1;
    memset(game, 0, sizeof *game);
    game->shard = bytes_get_be32(key);
    memcpy(game->game_id, key + 4, GAMEID_MAX - 1);
    game->lone = key[22] == RANK_LONE;
    game->evals = game->lone ? 0 : ~bytes_get_be32(key + 27);
    memcpy(game->text_sha256, key + 31, 32);
    game->split = head[0];
    game->result = (int8_t)head[1];
    game->white_rating = bytes_get_u16(head + 2);
    game->black_rating = bytes_get_u16(head + 4);
    game->plies = bytes_get_u32(head + 6);
    game->counts.out_of_range = bytes_get_u32(head + 10);
    game->counts.in_check = bytes_get_u32(head + 14);
    game->counts.no_move = bytes_get_u32(head + 18);
    game->counts.no_eval = bytes_get_u32(head + 22);
    game->counts.bad_eval = bytes_get_u32(head + 26);
    game->counts.not_drawn = bytes_get_u32(head + 30);
    game->counts.taken = bytes_get_u32(head + 34);
    game->opening = bytes_get_u64(head + 38);
    uint64_t samples = (uint64_t)game->counts.taken * GAMEITEM_SAMPLE_SIZE;
    uint64_t label = item->data_size - GAMEITEM_HEAD_SIZE - samples;
    bool labeled = game->lone && game->counts.taken == 1 && label == RECORD_LABEL_SIZE;
    return label == 0 || labeled ? 0 : -1;
}

int gameitem_sample(const struct extsort_item *item, uint32_t index, struct sampler_pick *pick)
{
    const uint8_t *sample = item->data + GAMEITEM_HEAD_SIZE + (size_t)index * GAMEITEM_SAMPLE_SIZE;
    pick->ply = bytes_get_u32(sample);
    const uint8_t *behind = sample + 4 + POSKEY_PACKED_SIZE;
    pick->move = bytes_get_u16(behind);
    pick->eval = (struct score){.kind = behind[2], .value = (int32_t)bytes_get_u32(behind + 3)};
    pick->eval_depth = bytes_get_u16(behind + 7);
    pick->labeled =
        item->key[22] == RANK_LONE && item->data_size > GAMEITEM_HEAD_SIZE + GAMEITEM_SAMPLE_SIZE;
    pick->label = (struct label){.status = LABEL_OK};
    if (pick->labeled && record_label_decode(sample + GAMEITEM_SAMPLE_SIZE, &pick->label) < 0)
        return -1;
    return poskey_unpack(sample + 4, &pick->position);
}
