/* SPDX-License-Identifier: MIT */
/*
 * The formats that are only read: records of a build, Lichess's evaluations and puzzles. The first
 * byte says which. Whatever the bytes, a position is legal with legal moves, and jsonl, which holds
 * every field, gives it back.
 */
#include "tests/fuzz/fuzz_lines.h"

static void check(const struct codec *codec, const struct codec_options *options,
                  const struct record *record)
{
    FUZZ_ASSERT(position_find_fault(&record->position) == POSITION_OK);
    FUZZ_ASSERT(fuzz_move_is_good(&record->position, record->label.best_move));
    FUZZ_ASSERT(fuzz_move_is_good(&record->position, record->played));
    FUZZ_ASSERT(record->label.final.kind <= SCORE_MATE && record->source <= SOURCE_INPUT);
    FUZZ_ASSERT(codec == &codec_rec || codec->fields & CODEC_HOLDS_RESULT || record->result == 2);
    fuzz_line_again(&codec_jsonl, options, record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct codec *const codecs[] = {&codec_rec, &codec_lichess_evals,
                                                 &codec_lichess_puzzles};
    const struct codec_options options = {.score_scale = 1.0, .validate = true};
    struct codec_reader *reader;
    struct error err = {0};
    struct record record;
    int status;
    if (size == 0)
        return 0;
    const struct codec *codec = codecs[data[0] % 3];
    FUZZ_ASSERT(
        codec_reader_open_memory("fuzz", data + 1, size - 1, codec, &options, &reader, &err) == 0);
    while ((status = codec_reader_next(reader, &record, &err)) == 1)
        check(codec, &options, &record);
    FUZZ_ASSERT(status == 0 ||
                (err.code == ERROR_FAILED && strncmp(err.text, "fuzz: record ", 13) == 0));
    FUZZ_ASSERT(codec_reader_refused(reader) <= size);
    codec_reader_close(reader);
    return 0;
}
