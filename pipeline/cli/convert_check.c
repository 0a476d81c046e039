/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/convert_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "formats/chess/poskey.h"
#include "formats/codec_compare.h"
#include "formats/codec_file.h"
#include "formats/io/buffer.h"
#include "formats/io/bytes.h"

#define HASHES_MAX   ((size_t)1 << 40)
#define FIELDS_SIZE  128
#define LABEL_FIELDS 36

/* Hashes of blocks, of which the last may be open. */
struct hasher {
    XXH3_state_t *state;
    uint64_t count; /* records */
};

struct convert_check {
    const struct codec *codec;
    struct codec_options options;
    struct hasher hasher;
    struct buffer hashes; /* 8 bytes for each whole block */
};

static size_t put_position(const struct position *position, unsigned fields, uint8_t *out)
{
    struct position held = *position;
    if (!(fields & CODEC_HOLDS_CASTLING))
        memset(held.rook, SQUARE_NONE, sizeof held.rook);
    if (!(fields & CODEC_HOLDS_EP))
        held.ep = SQUARE_NONE;
    poskey_board(&held, out);
    bytes_put_u16(out + POSKEY_BOARD_SIZE, fields & CODEC_HOLDS_HALFMOVE ? position->halfmove : 0);
    bytes_put_u16(out + POSKEY_BOARD_SIZE + 2,
                  fields & CODEC_HOLDS_FULLMOVE ? position->fullmove : 0);
    return POSKEY_BOARD_SIZE + 4;
}

static size_t put_label(const struct label *label, uint8_t *out)
{
    memset(out, 0, LABEL_FIELDS);
    out[0] = label->final.kind;
    out[1] = label->exact.kind;
    out[2] = label->bound;
    out[3] = label->limit_kind;
    bytes_put_u32(out + 4, (uint32_t)label->final.value);
    bytes_put_u32(out + 8, (uint32_t)label->exact.value);
    bytes_put_u16(out + 12, label->depth);
    bytes_put_u16(out + 14, label->exact_depth);
    bytes_put_u64(out + 16, label->nodes);
    bytes_put_u64(out + 24, label->limit);
    return LABEL_FIELDS;
}

/* The chosen score as it is written, so that rounding is no difference. */
static size_t put_score(const struct record *record, const struct codec_options *options,
                        uint8_t *out)
{
    const struct score *score = record_score(record, options->last_exact);
    double value = score->value;
    out[0] = score->kind;
    if (score->kind == SCORE_CP)
        value = round(value * options->score_scale);
    bytes_put_u64(out + 1, (uint64_t)(int64_t)value);
    return 9;
}

static size_t put_moves(const struct record *record, unsigned fields,
                        const struct codec_options *options, uint8_t *out)
{
    bool both = fields & CODEC_HOLDS_BOTH_MOVES, one = fields & CODEC_HOLDS_MOVE;
    bytes_put_u16(out, both ? record->label.best_move
                            : (one ? codec_chosen_move(record, options) : MOVE_NONE));
    bytes_put_u16(out + 2, both ? record->played : MOVE_NONE);
    return 4;
}

/* What the format holds of a record; the number of bytes, at most FIELDS_SIZE. */
static size_t put_fields(const struct convert_check *check, const struct record *given,
                         uint8_t out[FIELDS_SIZE])
{
    unsigned fields = check->codec->fields;
    struct record turned;
    const struct record *record = given;
    if (!(fields & CODEC_HOLDS_SIDE)) {
        codec_turn_to_white(given, &turned);
        record = &turned;
    }
    size_t at = put_position(&record->position, fields, out);
    at += put_moves(record, fields, &check->options, out + at);
    if (fields & CODEC_HOLDS_LABEL)
        at += put_label(&record->label, out + at);
    else if (fields & CODEC_HOLDS_SCORE)
        at += put_score(record, &check->options, out + at);
    bytes_put_u32(out + at, fields & CODEC_HOLDS_PLY ? record->ply : 0);
    out[at + 4] = fields & CODEC_HOLDS_RESULT ? (uint8_t)record->result : 0;
    out[at + 5] = fields & CODEC_HOLDS_SOURCE ? record->source : 0;
    bytes_put_u16(out + at + 6, fields & CODEC_HOLDS_RATINGS ? record->white_rating : 0);
    bytes_put_u16(out + at + 8, fields & CODEC_HOLDS_RATINGS ? record->black_rating : 0);
    at += 10;
    if (fields & CODEC_HOLDS_GAME_ID) {
        memcpy(out + at, record->game_id, GAMEID_MAX);
        at += GAMEID_MAX;
    }
    return at;
}

static int hasher_begin(struct hasher *hasher, struct error *err)
{
    hasher->count = 0;
    if (!hasher->state && !(hasher->state = XXH3_createState()))
        return error_memory(err);
    (void)XXH3_64bits_reset(hasher->state);
    return 0;
}

/* True at the end of a block, whose hash is in *hash. */
static bool hasher_add(struct hasher *hasher, const uint8_t *bytes, size_t size, uint64_t *hash)
{
    (void)XXH3_64bits_update(hasher->state, bytes, size);
    if (++hasher->count % CONVERT_CHECK_BLOCK != 0)
        return false;
    *hash = XXH3_64bits_digest(hasher->state);
    (void)XXH3_64bits_reset(hasher->state);
    return true;
}

int convert_check_new(const struct codec *codec, const struct codec_options *options,
                      struct convert_check **out, struct error *err)
{
    struct convert_check *check = calloc(1, sizeof *check);
    *out = NULL;
    if (!check)
        return error_memory(err);
    check->codec = codec;
    check->options = *options;
    buffer_init(&check->hashes, HASHES_MAX);
    if (hasher_begin(&check->hasher, err) < 0) {
        convert_check_free(check);
        return -1;
    }
    *out = check;
    return 0;
}

int convert_check_add(struct convert_check *check, const struct record *record, struct error *err)
{
    uint8_t fields[FIELDS_SIZE];
    uint64_t hash;
    size_t size = put_fields(check, record, fields);
    if (!hasher_add(&check->hasher, fields, size, &hash))
        return 0;
    return buffer_append(&check->hashes, &hash, sizeof hash, err);
}

/* The hash of a whole block, or of the open one behind them. */
static uint64_t hash_of(const struct convert_check *check, uint64_t block)
{
    uint64_t hash;
    if (block >= check->hashes.length / sizeof hash)
        return XXH3_64bits_digest(check->hasher.state);
    memcpy(&hash, check->hashes.data + block * sizeof hash, sizeof hash);
    return hash;
}

static int differs(uint64_t block, uint64_t last, const char *name, struct error *err)
{
    return error_set(err, ERROR_DIFFERS,
                     "%s: records %" PRIu64 " to %" PRIu64
                     " are not read back as they were written; please report this",
                     name, block * CONVERT_CHECK_BLOCK + 1, last);
}

static int compare(struct convert_check *check, struct codec_reader *reader, struct hasher *hasher,
                   const char *name, const volatile sig_atomic_t *stop, struct error *err)
{
    uint8_t fields[FIELDS_SIZE];
    struct record record;
    uint64_t hash = 0;
    int status;
    while ((status = codec_reader_next(reader, &record, err)) == 1) {
        uint64_t block = hasher->count / CONVERT_CHECK_BLOCK;
        size_t size = put_fields(check, &record, fields);
        if (hasher->count >= check->hasher.count)
            break;
        if (!hasher_add(hasher, fields, size, &hash))
            continue;
        if (*stop)
            return error_set(err, ERROR_RETRY, "stopped by a signal; nothing was written");
        if (hash != hash_of(check, block))
            return differs(block, hasher->count, name, err);
    }
    if (status < 0)
        return error_prefix(err, "reading back");
    if (status == 1 || hasher->count != check->hasher.count)
        return error_set(err, ERROR_DIFFERS,
                         "%s: %" PRIu64 " records were written, and %s%" PRIu64
                         " are read back; please report this",
                         name, check->hasher.count, status == 1 ? "more than " : "", hasher->count);
    uint64_t open = hasher->count / CONVERT_CHECK_BLOCK;
    bool same = XXH3_64bits_digest(hasher->state) == XXH3_64bits_digest(check->hasher.state);
    return same ? 0 : differs(open, hasher->count, name, err);
}

int convert_check_run(struct convert_check *check, const char *path, const char *name,
                      const volatile sig_atomic_t *stop, struct error *err)
{
    struct hasher hasher = {.count = 0};
    struct codec_reader *reader = NULL;
    int status = hasher_begin(&hasher, err);
    if (status == 0)
        status = codec_reader_open(path, check->codec, &check->options, &reader, err);
    if (status == 0)
        status = compare(check, reader, &hasher, name, stop, err);
    codec_reader_close(reader);
    (void)XXH3_freeState(hasher.state);
    return status;
}

void convert_check_free(struct convert_check *check)
{
    if (!check)
        return;
    (void)XXH3_freeState(check->hasher.state);
    buffer_free(&check->hashes);
    free(check);
}
