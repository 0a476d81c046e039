/* SPDX-License-Identifier: MIT */
/*
 * Positions for training and scoring, see samples.h.
 */
#include "nnue/tools/samples.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1024 };

void sample_from_position(const struct position *position, struct sample *sample)
{
    memset(sample, 0, sizeof *sample);
    sample->result = SAMPLES_RESULT_UNKNOWN;
    for (unsigned piece = 0; piece < 12; piece++) {
        uint64_t left =
            position->type[piece_type_of(piece)] & position->colour[piece_colour(piece)];
        for (; left; left &= left - 1)
            sample->features[sample->count++] =
                feature769_index(piece, (unsigned)__builtin_ctzll(left));
    }
    if (position->side == WHITE)
        sample->features[sample->count++] = FEATURE769_WHITE_MOVE;
}

/* Eight ranks from the eighth down. Gives the text behind them, NULL on nonsense. */
static const char *read_ranks(const char *fen, struct position *position)
{
    static const char letters[] = "PNBRQKpnbrqk";
    unsigned file = 0, rank = 7;
    for (; *fen && *fen != ' '; fen++) {
        const char *letter = strchr(letters, *fen);
        if (*fen == '/') {
            if (file != 8 || !rank--)
                return NULL;
            file = 0;
        } else if (*fen >= '1' && *fen <= '8') {
            file += (unsigned)(*fen - '0');
        } else if (letter && file < 8) {
            position_put(position, (uint8_t)(letter - letters), square_make(file++, rank));
        } else {
            return NULL;
        }
    }
    return file == 8 && rank == 0 ? fen : NULL;
}

bool sample_from_fen(const char *fen, struct sample *sample)
{
    struct position position;
    uint64_t kings, all;
    position_clear(&position);
    fen = read_ranks(fen, &position);
    if (!fen || fen[0] != ' ' || (fen[1] != 'w' && fen[1] != 'b') || (fen[2] && fen[2] != ' '))
        return false;
    kings = position.type[KING];
    all = position.colour[WHITE] | position.colour[BLACK];
    if (__builtin_popcountll(kings & position.colour[WHITE]) != 1 ||
        __builtin_popcountll(kings & position.colour[BLACK]) != 1 ||
        __builtin_popcountll(all) > PLYNNUE_PIECES_MAX)
        return false;
    position.side = fen[1] == 'w' ? WHITE : BLACK;
    sample_from_position(&position, sample);
    return true;
}

bool sample_white_moves(const struct sample *sample)
{
    return sample->count && sample->features[sample->count - 1] == FEATURE769_WHITE_MOVE;
}

void sample_to_pieces(const struct sample *sample, struct plynnue_piece *pieces,
                      struct plynnue_position *position)
{
    unsigned count = sample->count - (unsigned)sample_white_moves(sample);
    for (unsigned i = 0; i < count; i++) {
        pieces[i].piece = (uint8_t)(sample->features[i] / 64);
        pieces[i].square = (uint8_t)(sample->features[i] % 64);
    }
    position->pieces = pieces;
    position->count = (uint8_t)count;
    position->side = sample_white_moves(sample) ? WHITE : BLACK;
}

int32_t samples_target(const struct score *score, unsigned side)
{
    int32_t cp = score->value > -INT32_MAX ? score->value : -INT32_MAX; /* can be turned */
    if (score->kind == SCORE_MATE)
        cp = score->value > 0 ? SAMPLES_MATE_CP : -SAMPLES_MATE_CP;
    return side == WHITE ? cp : -cp;
}

int samples_add(struct samples *samples, const struct sample *sample, struct error *err)
{
    if (samples->count == samples->capacity) {
        size_t capacity = samples->capacity ? 2 * samples->capacity : FIRST_CAPACITY;
        struct sample *grown = realloc(samples->items, capacity * sizeof *grown);
        if (!grown)
            return error_memory(err);
        samples->items = grown;
        samples->capacity = capacity;
    }
    samples->items[samples->count++] = *sample;
    return 0;
}

void samples_free(struct samples *samples)
{
    free(samples->items);
    memset(samples, 0, sizeof *samples);
}

static int compare_games(const void *a, const void *b)
{
    const struct samples_game *x = a, *y = b;
    int order = memcmp(x->id, y->id, GAMEID_MAX);
    return order ? order : (x->sample > y->sample) - (x->sample < y->sample);
}

void samples_number_games(struct samples_game *list, struct samples *samples)
{
    if (!samples->count)
        return;
    qsort(list, samples->count, sizeof *list, compare_games);
    for (size_t i = 0; i < samples->count; i++) {
        if (i && memcmp(list[i].id, list[i - 1].id, GAMEID_MAX) != 0)
            samples->games++;
        samples->items[list[i].sample].game = samples->games;
    }
    samples->games++;
}

int sample_from_record(const struct record *record, bool last_exact, struct sample *sample,
                       struct error *err)
{
    const struct score *score = record_score(record, last_exact);
    if (score->kind == SCORE_NONE)
        return error_set(err, ERROR_FAILED, "no %s score", last_exact ? "exact" : "final");
    sample_from_position(&record->position, sample);
    sample->cp = samples_target(score, record->position.side);
    sample->result = record->result;
    return 0;
}

static int add_record(const struct record *record, bool last_exact, struct samples_game *game,
                      struct samples *samples, struct error *err)
{
    struct sample sample;
    if (sample_from_record(record, last_exact, &sample, err))
        return error_prefix(err, "record %zu", samples->count + 1);
    samples->mates += record_score(record, last_exact)->kind == SCORE_MATE;
    memset(game->id, 0, sizeof game->id);
    memcpy(game->id, record->game_id, strnlen(record->game_id, GAMEID_MAX));
    game->sample = samples->count;
    return samples_add(samples, &sample, err);
}

int samples_load(const char *path, bool last_exact, struct samples *samples, struct error *err)
{
    struct record_reader *reader = NULL;
    struct samples_game *games = NULL;
    struct record *record = malloc(sizeof *record);
    int more, result = -1;
    memset(samples, 0, sizeof *samples);
    if (record_reader_open(path, &reader, err))
        goto out;
    games = calloc(record_reader_count(reader) + 1, sizeof *games);
    if (!games || !record) {
        error_memory(err);
        goto out;
    }
    while ((more = record_reader_next(reader, record, err)) > 0)
        if (add_record(record, last_exact, &games[samples->count], samples, err)) {
            error_prefix(err, "%s", path);
            goto out;
        }
    if (more < 0)
        goto out;
    samples_number_games(games, samples);
    result = 0;
out:
    record_reader_close(reader);
    free(games);
    free(record);
    if (result)
        samples_free(samples);
    return result;
}
