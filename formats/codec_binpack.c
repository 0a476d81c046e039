/* SPDX-License-Identifier: MIT */
/*
 * The `.binpack` format of Stockfish's data tools. A file is a sequence of chunks and nothing else,
 * so that files can be put one behind the other:
 *
 *    0  4  "BINP"
 *    4  4  size of the payload, u32 little-endian
 *    8     payload: chains
 *
 * A chain never crosses the end of its chunk:
 *
 *    0 32  stem: a whole position (codec_binpack_stem.c)
 *   32  2  number of positions that follow, u16 big-endian
 *   34     their move text (codec_binpack_moves.c), zero bits up to a whole byte
 *
 * A chunk is closed when a chain begins and the payload holds 1 MiB or more: all that is in memory
 * at a time. A position continues a chain when it is the one before after its move: ply one more,
 * result of the same game, board, side, castling rights and en passant square equal; and, more than
 * the tools ask, the half-move clock is what it comes out as on reading: 0 after a pawn move or a
 * capture, else one more. They would write another clock and never know.
 *
 * Scores are 16 bits, and the change from one to the next wraps in 16 bits: that loses nothing.
 */
#include "formats/codec_binpack.h"

#include <string.h>

#include "formats/codec.h"
#include "formats/codec_check.h"
#include "formats/codec_nibbles.h"
#include "formats/io/bytes.h"

#define CHUNK_MAGIC      "BINP"
#define CHUNK_MAGIC_SIZE 4
#define CHUNK_HEAD_SIZE  8
#define CHUNK_ENOUGH     (1u << 20)   /* payload with which no new chain is begun */
#define CHUNK_SIZE_MAX   (100u << 20) /* that is read */
#define CHUNK_LIMIT      (4u << 20)   /* of the buffer: enough, and the longest chain behind it */
#define CHAIN_HEAD_SIZE  (BINPACK_STEM_SIZE + 2)
#define CHAIN_MAX        65535 /* positions behind a stem */
#define PLY_READ_MAX     65535 /* of positions behind a stem: what other writers count up to */

_Static_assert(BINPACK_PLY_MAX <= CHAIN_MAX, "a chain is never longer than plies count");

/* Writing. */

struct encoder {
    struct buffer chunk; /* head and payload */
    size_t count_at;     /* where the number of the open chain stands; 0: no chain is open */
    unsigned count;
    unsigned bits, bit_count;  /* of move text, less than a byte */
    bool sound;                /* the last move can be made */
    struct binpack_entry last; /* of the open chain */
};

static int close_chain(struct encoder *encoder, struct error *err)
{
    if (encoder->count_at == 0)
        return 0;
    uint8_t *at = (uint8_t *)encoder->chunk.data + encoder->count_at;
    at[0] = (uint8_t)(encoder->count >> 8);
    at[1] = (uint8_t)encoder->count;
    encoder->count_at = 0;
    if (encoder->bit_count == 0)
        return 0;
    uint8_t last = (uint8_t)(encoder->bits << (8 - encoder->bit_count));
    encoder->bit_count = 0;
    return buffer_append(&encoder->chunk, &last, 1, err);
}

static int close_chunk(struct encoder *encoder, struct buffer *out, struct error *err)
{
    struct buffer *chunk = &encoder->chunk;
    if (chunk->length == 0)
        return 0;
    bytes_put_u32((uint8_t *)chunk->data + CHUNK_MAGIC_SIZE,
                  (uint32_t)(chunk->length - CHUNK_HEAD_SIZE));
    if (buffer_append(out, chunk->data, chunk->length, err) < 0)
        return -1;
    buffer_clear(chunk);
    return 0;
}

static int begin_chain(struct encoder *encoder, struct buffer *out, struct error *err)
{
    static const uint8_t head[CHUNK_HEAD_SIZE] = CHUNK_MAGIC;
    uint8_t stem[CHAIN_HEAD_SIZE] = {0};
    struct buffer *chunk = &encoder->chunk;

    if (close_chain(encoder, err) < 0)
        return -1;
    if (chunk->length >= CHUNK_HEAD_SIZE + CHUNK_ENOUGH && close_chunk(encoder, out, err) < 0)
        return -1;
    if (chunk->length == 0 && buffer_append(chunk, head, sizeof head, err) < 0)
        return -1;
    binpack_stem_pack(&encoder->last, stem);
    if (buffer_append(chunk, stem, sizeof stem, err) < 0)
        return -1;
    encoder->count_at = chunk->length - 2;
    encoder->count = 0;
    return 0;
}

static int append_text(struct encoder *encoder, const struct binpack_text *text, struct error *err)
{
    uint64_t bits = (uint64_t)encoder->bits << text->count | text->bits;
    unsigned count = encoder->bit_count + text->count;
    uint8_t bytes[sizeof bits];
    bytes_put_be64(bytes, bits << (64 - count));
    encoder->bit_count = count % 8;
    encoder->bits = (unsigned)bits & ((1u << encoder->bit_count) - 1);
    encoder->count++;
    return buffer_append(&encoder->chunk, bytes, count / 8, err);
}

/* As a reader of the chain would have it, up to the full-move number. */
static bool same_position(const struct position *a, const struct position *b)
{
    return memcmp(a->colour, b->colour, sizeof a->colour) == 0 &&
           memcmp(a->type, b->type, sizeof a->type) == 0 && a->side == b->side && a->ep == b->ep &&
           memcmp(a->rook, b->rook, sizeof a->rook) == 0 && a->halfmove == b->halfmove;
}

static bool continues(const struct encoder *encoder, const struct binpack_entry *entry)
{
    const struct binpack_entry *last = &encoder->last;
    if (encoder->count_at == 0 || !encoder->sound || entry->ply != last->ply + 1 ||
        entry->result != -last->result)
        return false;
    struct position next = last->position;
    position_make(&next, last->move, NULL);
    return same_position(&next, &entry->position);
}

/* In 16 bits, as the format reckons. */
static int16_t change_of_score(const struct encoder *encoder, const struct binpack_entry *entry)
{
    return (int16_t)(uint16_t)((unsigned)entry->score + (unsigned)encoder->last.score);
}

static enum codec_misfit find_misfit(const struct record *record, uint16_t move)
{
    if (!codec_result_is_known(record))
        return CODEC_NO_RESULT;
    if (move == MOVE_NONE)
        return CODEC_NO_MOVE;
    if (record->ply > BINPACK_PLY_MAX)
        return CODEC_PLY_RANGE;
    return position_castling_is_odd(&record->position) ? CODEC_CHESS960 : CODEC_FITS;
}

static enum codec_misfit make_entry(const struct record *record,
                                    const struct codec_options *options,
                                    struct binpack_entry *entry)
{
    uint16_t move = codec_chosen_move(record, options);
    long score = 0;
    enum codec_misfit misfit = find_misfit(record, move);
    if (misfit == CODEC_FITS)
        misfit = codec_sfen_score(record, options, &score);
    if (misfit != CODEC_FITS)
        return misfit;
    entry->position = record->position;
    entry->ply = record->ply;
    entry->move = move;
    entry->score = (int16_t)score;
    entry->result = (int8_t)codec_turn_result(record->result, &record->position);
    return CODEC_FITS;
}

static int binpack_begin(void *state, struct buffer *out, struct error *err)
{
    struct encoder *encoder = state;
    (void)out;
    (void)err;
    buffer_init(&encoder->chunk, CHUNK_LIMIT);
    return 0;
}

static int binpack_encode(void *state, const struct record *record,
                          const struct codec_options *options, struct buffer *out,
                          enum codec_misfit *misfit, struct error *err)
{
    struct encoder *encoder = state;
    struct binpack_entry entry;
    struct binpack_text text;
    *misfit = make_entry(record, options, &entry);
    if (*misfit != CODEC_FITS)
        return 0;
    bool goes_on =
        options->chains && continues(encoder, &entry) &&
        binpack_text_encode(&entry.position, entry.move, change_of_score(encoder, &entry), &text);
    encoder->last = entry;
    encoder->sound = options->chains && binpack_move_is_known(&entry.position, entry.move) &&
                     binpack_move_is_sound(&entry.position, entry.move);
    return goes_on ? append_text(encoder, &text, err) : begin_chain(encoder, out, err);
}

static int binpack_end(void *state, struct buffer *out, struct error *err)
{
    struct encoder *encoder = state;
    return close_chain(encoder, err) < 0 ? -1 : close_chunk(encoder, out, err);
}

static void free_encoder(void *state)
{
    struct encoder *encoder = state;
    buffer_free(&encoder->chunk);
}

/* Reading. */

struct decoder {
    size_t left;               /* bytes of the open chunk */
    unsigned more;             /* positions that follow in the open chain */
    unsigned bit_count;        /* bits of the next byte that are read already */
    struct binpack_entry last; /* of the open chain */
};

/* 1, 0 at the end of the file, -1. */
static int open_chunk(struct decoder *decoder, struct codec_source *source, struct error *err)
{
    const uint8_t *data;
    ssize_t got = codec_source_peek(source, CHUNK_HEAD_SIZE, &data, err);
    if (got <= 0)
        return (int)got;
    if (got < CHUNK_HEAD_SIZE)
        return error_set(err, ERROR_FAILED, "%zd bytes behind the last chunk", got);
    if (memcmp(data, CHUNK_MAGIC, CHUNK_MAGIC_SIZE) != 0)
        return error_set(err, ERROR_FAILED, "the chunk does not begin with \"%s\"", CHUNK_MAGIC);
    size_t size = bytes_get_u32(data + CHUNK_MAGIC_SIZE);
    if (size > CHUNK_SIZE_MAX)
        return error_set(err, ERROR_FAILED, "the chunk claims %zu bytes, over %u", size,
                         CHUNK_SIZE_MAX);
    got = codec_source_peek(source, CHUNK_HEAD_SIZE + size, &data, err);
    if (got < 0)
        return -1;
    if ((size_t)got < CHUNK_HEAD_SIZE + size)
        return error_set(err, ERROR_FAILED, "the chunk claims %zu bytes and is cut after %zu", size,
                         (size_t)got - CHUNK_HEAD_SIZE);
    codec_source_take(source, CHUNK_HEAD_SIZE);
    decoder->left = size;
    return 1;
}

static void take_bytes(struct decoder *decoder, struct codec_source *source, size_t size)
{
    codec_source_take(source, size);
    decoder->left -= size;
}

/* The bytes of the open chunk that are left: they are in memory since it was opened. */
static int peek_chunk(const struct decoder *decoder, struct codec_source *source,
                      const uint8_t **data, struct error *err)
{
    return codec_source_peek(source, decoder->left, data, err) < 0 ? -1 : 0;
}

/* The last entry of a chain that goes on must have a move that can be made. */
static int check_going_on(const struct decoder *decoder, struct error *err)
{
    const struct binpack_entry *last = &decoder->last;
    if (decoder->more == 0 || binpack_move_is_sound(&last->position, last->move))
        return 0;
    return error_set(err, ERROR_FAILED, "%u positions follow a move that cannot be made",
                     decoder->more);
}

static int read_stem(struct decoder *decoder, struct codec_source *source, struct error *err)
{
    const uint8_t *data;
    const struct binpack_entry *last = &decoder->last;
    if (decoder->left < CHAIN_HEAD_SIZE)
        return error_set(err, ERROR_FAILED, "%zu stray bytes at the end of a chunk", decoder->left);
    if (peek_chunk(decoder, source, &data, err) < 0 ||
        binpack_stem_unpack(data, &decoder->last, err) < 0)
        return -1;
    decoder->more = (unsigned)data[BINPACK_STEM_SIZE] << 8 | data[BINPACK_STEM_SIZE + 1];
    decoder->bit_count = 0;
    take_bytes(decoder, source, CHAIN_HEAD_SIZE);
    if (decoder->more > 0 && !binpack_move_is_known(&last->position, last->move))
        return error_set(err, ERROR_FAILED, "%u positions follow no move or a wrong one",
                         decoder->more);
    return check_going_on(decoder, err);
}

static uint64_t load_window(const uint8_t *data, size_t size, unsigned skip)
{
    uint8_t bytes[sizeof(uint64_t)] = {0};
    if (size >= sizeof bytes)
        return bytes_get_be64(data) << skip;
    memcpy(bytes, data, size);
    return bytes_get_be64(bytes) << skip;
}

/* Bits of move text are read; behind the last position of a chain the byte is filled with zeros. */
static int take_bits(struct decoder *decoder, struct codec_source *source, uint64_t window,
                     unsigned bits, struct error *err)
{
    size_t end = decoder->bit_count + bits, size = end / 8;
    if (end > 8 * decoder->left)
        return error_set(err, ERROR_FAILED, "the chain runs over the end of its chunk");
    decoder->bit_count = end % 8;
    if (--decoder->more == 0 && decoder->bit_count > 0) {
        if (window << bits >> (64 - (8 - decoder->bit_count)))
            return error_set(err, ERROR_FAILED, "bits that are not zero behind the end of a chain");
        size++;
    }
    take_bytes(decoder, source, size);
    return 0;
}

static int read_text(struct decoder *decoder, struct codec_source *source, struct error *err)
{
    struct binpack_entry *entry = &decoder->last;
    const uint8_t *data;
    int16_t change;
    if (peek_chunk(decoder, source, &data, err) < 0)
        return -1;
    position_make(&entry->position, entry->move, NULL);
    if (++entry->ply > PLY_READ_MAX)
        return error_set(err, ERROR_FAILED, "ply over %d", PLY_READ_MAX);
    uint64_t window = load_window(data, decoder->left, decoder->bit_count);
    int bits = binpack_text_decode(&entry->position, window, &entry->move, &change, err);
    if (bits < 0 || take_bits(decoder, source, window, (unsigned)bits, err) < 0)
        return -1;
    entry->position.fullmove = (uint16_t)(entry->ply / 2 + 1);
    entry->score = (int16_t)(uint16_t)((unsigned)change - (unsigned)entry->score);
    entry->result = (int8_t)-entry->result;
    return check_going_on(decoder, err);
}

static void fill_record(const struct binpack_entry *entry, const struct codec_options *options,
                        struct record *record)
{
    nibbles_clear_record(record);
    record->ply = entry->ply;
    record->source = SOURCE_INPUT;
    record->position = entry->position;
    record->result = (int8_t)codec_turn_result(entry->result, &entry->position);
    codec_set_move(record, options, entry->move);
    codec_set_score(record, options, codec_sfen_score_read(entry->score, options));
}

static int binpack_decode(void *state, struct codec_source *source,
                          const struct codec_options *options, struct record *record,
                          struct error *err)
{
    struct decoder *decoder = state;
    bool stem = decoder->more == 0;
    while (stem && decoder->left == 0) {
        int opened = open_chunk(decoder, source, err);
        if (opened <= 0)
            return opened;
        codec_source_mark(source, codec_source_offset(source));
    }
    if ((stem ? read_stem(decoder, source, err) : read_text(decoder, source, err)) < 0)
        return -1;
    const struct binpack_entry *entry = &decoder->last;
    if (options->validate && ((stem && codec_check_position(&entry->position, err) < 0) ||
                              codec_check_move(&entry->position, entry->move, err) < 0))
        return -1;
    fill_record(entry, options, record);
    return 1;
}

const struct codec codec_binpack = {
    .name = "binpack",
    .extension = ".binpack",
    .summary = "Stockfish's compressed chains of positions",
    .fields = CODEC_HOLDS_SIDE | CODEC_HOLDS_CASTLING | CODEC_HOLDS_EP | CODEC_HOLDS_HALFMOVE |
              CODEC_HOLDS_PLY | CODEC_HOLDS_RESULT | CODEC_HOLDS_MOVE | CODEC_HOLDS_SCORE,
    .internal_unit = true,
    .encoder_size = sizeof(struct encoder),
    .decoder_size = sizeof(struct decoder),
    .begin = binpack_begin,
    .encode = binpack_encode,
    .end = binpack_end,
    .decode = binpack_decode,
    .free_encoder = free_encoder,
};
