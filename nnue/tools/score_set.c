/* SPDX-License-Identifier: MIT */
/*
 * Positions to score on, see score_set.h.
 */
#include "nnue/tools/score_set.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1024, LICHESS_ID_LENGTH = 8 };

/* By pieces: the largest number of a group. By label: the smallest |cp| of the next group. */
static const unsigned piece_bounds[] = {8, 16, 24, 32};
static const int label_bounds[] = {50, 150, 400, 1000};

enum { PIECE_GROUPS = sizeof piece_bounds / sizeof *piece_bounds };
enum { LABEL_GROUPS = sizeof label_bounds / sizeof *label_bounds + 2, MATE = LABEL_GROUPS - 1 };
enum { SITE_LICHESS, SITE_OTHER, SITE_NONE };

static const struct {
    const char *name;
    unsigned count;
    const char *groups[SCORE_BY_GROUPS_MAX];
} kinds[SCORE_BY_COUNT] = {
    [SCORE_BY_ALL] = {"all", 1, {"all"}},
    [SCORE_BY_PIECES] = {"pieces", PIECE_GROUPS, {"2-8", "9-16", "17-24", "25-32"}},
    [SCORE_BY_LABEL] = {"label",
                        LABEL_GROUPS,
                        {"0-49", "50-149", "150-399", "400-999", "1000-", "mate"}},
    [SCORE_BY_KIND] = {"kind", 2, {"exact", "bound"}},
    [SCORE_BY_SIDE] = {"side", 2, {"white", "black"}},
    [SCORE_BY_SOURCE] = {"source", 4, {"engine", "lichess-eval", "pgn-comment", "input"}},
    [SCORE_BY_SITE] = {"site", 3, {"lichess", "other", "none"}},
};

const char *score_by_name(enum score_by by)
{
    return kinds[by].name;
}

unsigned score_by_groups(enum score_by by)
{
    return kinds[by].count;
}

const char *score_group_name(enum score_by by, unsigned group)
{
    return kinds[by].groups[group];
}

static int8_t piece_group(const struct sample *sample)
{
    unsigned pieces = sample->count - (unsigned)sample_white_moves(sample);
    int8_t group = 0;
    while (group + 1 < PIECE_GROUPS && pieces > piece_bounds[group])
        group++;
    return group;
}

static int8_t label_group(const struct sample *sample, bool mate)
{
    int32_t size = abs(sample->cp);
    int8_t group = 0;
    if (mate)
        return MATE;
    while (group + 1 < MATE && size >= label_bounds[group])
        group++;
    return group;
}

/* formats/gameid.h says what ids look like. */
static int8_t site_group(const char *id)
{
    size_t length = strnlen(id, GAMEID_MAX);
    if (length == LICHESS_ID_LENGTH)
        return SITE_LICHESS;
    return length && id[0] == 'x' ? SITE_OTHER : SITE_NONE;
}

static void fill_groups(const struct record *record, const struct sample *sample, unsigned fields,
                        bool last_exact, int8_t groups[SCORE_BY_COUNT])
{
    bool mate = record_score(record, last_exact)->kind == SCORE_MATE;
    bool label = fields & CODEC_HOLDS_LABEL, bound = record->label.bound != BOUND_EXACT;
    groups[SCORE_BY_ALL] = 0;
    groups[SCORE_BY_PIECES] = piece_group(sample);
    groups[SCORE_BY_LABEL] = label_group(sample, mate);
    groups[SCORE_BY_KIND] = label ? (int8_t)(bound && !last_exact) : SCORE_GROUP_NONE;
    groups[SCORE_BY_SIDE] =
        fields & CODEC_HOLDS_SIDE ? (int8_t)record->position.side : SCORE_GROUP_NONE;
    groups[SCORE_BY_SOURCE] =
        fields & CODEC_HOLDS_SOURCE ? (int8_t)record->source : SCORE_GROUP_NONE;
    groups[SCORE_BY_SITE] =
        fields & CODEC_HOLDS_GAME_ID ? site_group(record->game_id) : SCORE_GROUP_NONE;
}

static int reserve(struct score_set *set, struct error *err)
{
    size_t capacity = set->group_capacity ? 2 * set->group_capacity : FIRST_CAPACITY;
    void *grown;
    if (set->samples.count < set->group_capacity)
        return 0;
    grown = realloc(set->groups, capacity * sizeof *set->groups);
    if (!grown)
        return error_memory(err);
    set->groups = grown;
    set->group_capacity = capacity;
    return 0;
}

int score_set_add(struct score_set *set, const struct record *record, unsigned fields,
                  bool last_exact, struct error *err)
{
    struct sample sample;
    if (record_score(record, last_exact)->kind == SCORE_NONE) {
        set->unlabeled++;
        return 0;
    }
    if (sample_from_record(record, last_exact, &sample, err) || reserve(set, err))
        return -1;
    fill_groups(record, &sample, fields, last_exact, set->groups[set->samples.count]);
    set->samples.mates += record_score(record, last_exact)->kind == SCORE_MATE;
    return samples_add(&set->samples, &sample, err);
}

/* The names of the games, one a sample. */
struct games {
    struct samples_game *list;
    size_t capacity;
};

static int note_game(struct games *games, const struct record *record, size_t sample,
                     struct error *err)
{
    if (sample >= games->capacity) {
        size_t capacity = games->capacity ? 2 * games->capacity : FIRST_CAPACITY;
        struct samples_game *grown = realloc(games->list, capacity * sizeof *grown);
        if (!grown)
            return error_memory(err);
        games->list = grown;
        games->capacity = capacity;
    }
    struct samples_game *game = &games->list[sample];
    memset(game->id, 0, sizeof game->id);
    memcpy(game->id, record->game_id, strnlen(record->game_id, GAMEID_MAX));
    game->sample = sample;
    return 0;
}

static int read_all(struct codec_reader *reader, bool last_exact, struct score_set *set,
                    struct games *games, struct error *err)
{
    unsigned fields = codec_reader_codec(reader)->fields;
    struct record *record = malloc(sizeof *record);
    int more = record ? 0 : error_memory(err);
    while (!more && (more = codec_reader_next(reader, record, err)) > 0)
        more = note_game(games, record, set->samples.count, err) ||
                       score_set_add(set, record, fields, last_exact, err)
                   ? -1
                   : 0;
    free(record);
    if (!more && (fields & CODEC_HOLDS_GAME_ID)) {
        set->has_games = true;
        samples_number_games(games->list, &set->samples);
    }
    return more;
}

int score_set_load(const char *path, const struct codec *codec, const struct codec_options *options,
                   struct score_set *set, struct error *err)
{
    struct codec_reader *reader;
    struct games games = {.list = NULL};
    int result;
    memset(set, 0, sizeof *set);
    if (codec_reader_open(path, codec, options, &reader, err))
        return -1;
    result = read_all(reader, options->last_exact, set, &games, err);
    codec_reader_close(reader);
    free(games.list);
    return result;
}

void score_set_free(struct score_set *set)
{
    samples_free(&set->samples);
    free(set->groups);
    memset(set, 0, sizeof *set);
}
