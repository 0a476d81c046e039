/* SPDX-License-Identifier: MIT */
/*
 * The reader of binpack: whatever the bytes, what it gives are sane positions, and written again,
 * in chains and without, they are read as the same. With checks it gives no more than without them,
 * and every move is legal.
 */
#include "formats/codec_compare.h"
#include "formats/codec_file.h"
#include "tests/fuzz/fuzz.h"

#define RECORDS_MAX 4096 /* what is looked at */
#define OUT_MAX     (1u << 20)

static size_t decode(const void *data, size_t size, bool validate, struct record *records)
{
    const struct codec_options options = {.score_scale = 1.0, .validate = validate};
    struct codec_reader *reader;
    struct error err = {0};
    size_t count = 0;
    FUZZ_ASSERT(
        codec_reader_open_memory("fuzz", data, size, &codec_binpack, &options, &reader, &err) == 0);
    int status = 1;
    while (count < RECORDS_MAX && (status = codec_reader_next(reader, &records[count], &err)) == 1)
        count++;
    FUZZ_ASSERT((status < 0) == (err.code != 0));
    codec_reader_close(reader);
    return count;
}

/* Those that fit, moved to the front. */
static size_t encode(struct record *records, size_t count, bool chains, struct buffer *out)
{
    const struct codec_options options = {.score_scale = 1.0, .chains = chains};
    void *state = calloc(1, codec_binpack.encoder_size);
    struct error err = {0};
    size_t kept = 0;
    FUZZ_ASSERT(state != NULL);
    buffer_init(out, OUT_MAX);
    FUZZ_ASSERT(codec_binpack.begin(state, out, &err) == 0);
    for (size_t i = 0; i < count; i++) {
        enum codec_misfit misfit = CODEC_FITS;
        FUZZ_ASSERT(codec_binpack.encode(state, &records[i], &options, out, &misfit, &err) == 0);
        if (misfit == CODEC_FITS)
            records[kept++] = records[i];
    }
    FUZZ_ASSERT(codec_binpack.end(state, out, &err) == 0);
    codec_binpack.free_encoder(state);
    free(state);
    return kept;
}

static void check_again(struct record *records, size_t count, bool chains)
{
    static struct record again[RECORDS_MAX];
    const struct codec_options options = {.score_scale = 1.0};
    struct buffer out;
    size_t kept = encode(records, count, chains, &out);
    FUZZ_ASSERT(decode(out.data, out.length, false, again) == kept);
    for (size_t i = 0; i < kept; i++) {
        FUZZ_ASSERT(again[i].position.fullmove == again[i].ply / 2 + 1);
        FUZZ_ASSERT(codec_find_difference(&again[i], &records[i],
                                          codec_binpack.fields | CODEC_HOLDS_FULLMOVE,
                                          &options) == NULL);
    }
    buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct record records[RECORDS_MAX], checked[RECORDS_MAX];
    size_t count = decode(data, size, false, records);
    size_t good = decode(data, size, true, checked);
    FUZZ_ASSERT(good <= count);
    for (size_t i = 0; i < good; i++) {
        uint16_t move = checked[i].label.best_move;
        FUZZ_ASSERT(position_equal(&checked[i].position, &records[i].position));
        FUZZ_ASSERT(position_find_fault(&checked[i].position) == POSITION_OK);
        FUZZ_ASSERT(move == MOVE_NONE || movegen_is_legal(&checked[i].position, move));
    }
    for (size_t i = 0; i < count; i++) {
        FUZZ_ASSERT(position_board_is_sane(&records[i].position));
        movegen_has_legal(&records[i].position);
    }
    check_again(records, count, true);
    check_again(records, count, false);
    return 0;
}
