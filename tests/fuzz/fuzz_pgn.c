/* SPDX-License-Identifier: MIT */
/*
 * The PGN reader on any bytes: accepted games replay legally, games lie
 * one behind the other in the text, it does not matter where the chunk of text ends, and a game
 * that is skipped ends where it ends when it is read.
 */
#include "formats/pgn.h"
#include "formats/pgn_hash.h"
#include "formats/pgn_internal.h"
#include "tests/fuzz/fuzz.h"

#define TEXT_MAX     (8u << 10)
#define PAD          3 /* "{x}": the least comment before the text; the longest fills a chunk */
#define GAMES_MAX    512
#define ALL_VARIANTS (PGN_STANDARD | PGN_FROM_POSITION | PGN_CHESS960)

struct seen_game {
    uint64_t offset, hash, reject_offset;
    size_t size;
    uint32_t plies, evals, comments, reject_ply;
    enum pgn_reject reject;
    enum pgn_result result;
    unsigned tags;
};

struct seen {
    bool skip;
    size_t count;
    struct seen_game game[GAMES_MAX];
};

static bool want(void *context, const struct pgn_game *game)
{
    (void)game;
    return !((struct seen *)context)->skip;
}

static void check_replay(const struct pgn_game *game)
{
    struct position position = game->start;
    uint64_t sum = 0;
    FUZZ_ASSERT(position_find_fault(&position) == POSITION_OK);
    for (uint32_t ply = 0; ply < game->plies; ply++) {
        FUZZ_ASSERT(game->in_check[ply] == (position_checkers(&position) != 0));
        FUZZ_ASSERT(movegen_is_legal(&position, game->moves[ply]));
        position_make(&position, game->moves[ply], NULL);
        sum += pgn_hash_board(&position);
    }
    FUZZ_ASSERT(game->in_check[game->plies] == (position_checkers(&position) != 0));
    FUZZ_ASSERT(game->hash == sum);
}

static void note_game(struct seen *seen, const struct pgn_game *game, size_t pad)
{
    struct seen_game *note = &seen->game[seen->count++];
    FUZZ_ASSERT(game->number == seen->count);
    *note = (struct seen_game){.offset = game->offset - pad,
                               .size = game->text_size,
                               .reject = game->reject,
                               .tags = game->tag_count};
    if (seen->count > 1)
        FUZZ_ASSERT(note->offset >= note[-1].offset + note[-1].size);
    if (game->reject && game->reject != PGN_SKIPPED) {
        note->reject_offset = game->reject_offset - pad;
        note->reject_ply = game->reject_ply;
    }
    if (game->reject)
        return;
    note->plies = game->plies;
    note->evals = game->eval_count;
    note->comments = game->comment_count;
    note->result = game->result;
    note->hash = game->hash;
    check_replay(game);
}

static void read_all(const char *text, size_t size, size_t pad, bool skip, struct seen *seen)
{
    struct pgn_options options = {.variants = ALL_VARIANTS};
    struct pgn_visitor visitor = {.context = seen, .want = want};
    const struct pgn_game *game;
    struct reader *reader;
    struct pgn *pgn;
    int status = 0;
    seen->skip = skip;
    seen->count = 0;
    FUZZ_ASSERT(reader_open_memory(text, size, &reader, NULL) == 0);
    FUZZ_ASSERT(pgn_new(reader, &options, &visitor, &pgn, NULL) == 0);
    while (seen->count < GAMES_MAX && (status = pgn_next(pgn, &game, NULL)) > 0)
        note_game(seen, game, pad);
    FUZZ_ASSERT(status >= 0);
    pgn_free(pgn);
    reader_close(reader);
}

static void check_same(const struct seen *a, const struct seen *b)
{
    FUZZ_ASSERT(a->count == b->count);
    for (size_t i = 0; i < a->count; i++) {
        const struct seen_game *x = &a->game[i], *y = &b->game[i];
        FUZZ_ASSERT(x->offset == y->offset && x->size == y->size);
        FUZZ_ASSERT(x->reject == y->reject && x->reject_ply == y->reject_ply);
        FUZZ_ASSERT(x->reject_offset == y->reject_offset && x->result == y->result);
        FUZZ_ASSERT(x->plies == y->plies && x->evals == y->evals && x->tags == y->tags);
        FUZZ_ASSERT(x->hash == y->hash && x->comments == y->comments);
    }
}

static void check_skipped(const struct seen *read, const struct seen *skipped)
{
    FUZZ_ASSERT(read->count == skipped->count);
    for (size_t i = 0; i < read->count; i++) {
        FUZZ_ASSERT(read->game[i].offset == skipped->game[i].offset);
        FUZZ_ASSERT(read->game[i].size == skipped->game[i].size);
        FUZZ_ASSERT(skipped->game[i].reject != PGN_ACCEPTED);
    }
}

/* A comment of pad bytes, then the text; the same memory every time. */
static const char *padded(const uint8_t *data, size_t size, size_t pad)
{
    static char text[PGN_CHUNK + TEXT_MAX];
    if (text[1] == '\0')
        memset(text, 'x', sizeof text);
    char *start = text + (PGN_CHUNK - pad);
    start[0] = '{';
    start[pad - 1] = '}';
    memcpy(start + pad, data, size);
    return start;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct seen alone, other;
    if (size < 2 || size > TEXT_MAX)
        return 0;
    size_t held = (data[0] | (size_t)data[1] << 8) % (size - 1); /* bytes in the first chunk */
    held %= PGN_CHUNK - PAD;
    data += 2;
    size -= 2;
    read_all((const char *)data, size, 0, false, &alone);
    read_all((const char *)data, size, 0, true, &other);
    check_skipped(&alone, &other);
    read_all(padded(data, size, PAD), size + PAD, PAD, false, &alone);
    size_t pad = PGN_CHUNK - held;
    const char *text = padded(data, size, pad);
    read_all(text, size + pad, pad, false, &other);
    memset((char *)(uintptr_t)text, 'x', pad);
    check_same(&alone, &other);
    return 0;
}
