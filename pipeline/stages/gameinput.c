/* SPDX-License-Identifier: MIT */
/*
 * See gameinput.h. What a thread does with a part of an archive touches nothing but the part and,
 * where there is one thread, the lowest draws so far.
 */
#include "pipeline/stages/gameinput.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/draw.h"
#include "formats/io/cores.h"
#include "formats/io/reader.h"
#include "formats/pgn_split.h"
#include "pipeline/stages/gamesign.h"
#include "pipeline/stages/opening.h"

#define PART_MAX ((size_t)1 << 30) /* bytes of what one part gives, which is 1 MiB of text */

/* An item of the sort before its data, in part.items. */
struct item_head {
    uint8_t key[GAMEITEM_KEY_SIZE];
    uint32_t data_size;
};

/* A rejected game, in part.rejects, until the games before it are counted. */
struct reject {
    uint64_t number; /* within the part, from 1 */
    uint64_t offset;
    uint32_t ply;
    enum pgn_reject reason;
    char text[sizeof((struct pgn_game *)NULL)->reject_text];
    char rank[LOWEST_RANK_SIZE];
};

/* What a part of an archive gives. */
struct part {
    struct sampler *sampler; /* NULL until it is needed */
    struct buffer data;      /* of one item, while it is made */
    struct buffer items, rejects;
    bool found; /* a game that is one beyond doubt (gamesign.h) */
    uint64_t games, plies, rejected, refused[REFUSAL_COUNT];
    /* The game at hand: */
    bool identified; /* game_id is known by its tags */
    char game_id[GAMEID_MAX];
    enum refusal refusal;
};

/* An archive being read. */
struct archive {
    struct sample_stage *stage;
    struct catalogue_input input;
    bool found;
    uint64_t taken; /* bytes of its file */
};

/* The id that a game's tags give it; most others have none. */
static bool identify_by_tags(const struct pgn_game *game, char id[GAMEID_MAX])
{
    static const char *const names[] = {"GameId", "LichessId"};
    const char *site = pgn_tag(game, "Site");
    if (site && gameid_from_site(site, strlen(site), id))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = pgn_tag(game, names[i]);
        if (value && gameid_from_reference(value, strlen(value), id))
            return true;
    }
    return false;
}

/* The visitor's question, between tags and moves. What may be no game is read, wanted or not. */
static bool want_game(void *context, void *result, const struct pgn_game *game)
{
    const struct sample_stage *stage = ((const struct archive *)context)->stage;
    struct part *part = result;
    part->identified = identify_by_tags(game, part->game_id);
    part->refusal = gamefilter_judge(&stage->filter, game);
    if (part->refusal == REFUSAL_NONE && part->identified)
        part->refusal = sample_judge_draw(stage, part->game_id);
    return part->refusal == REFUSAL_NONE || !gamesign_in_tags(game);
}

static int add_item(struct part *part, const struct gameitem *item,
                    const struct sampler_pick *picks, struct error *err)
{
    struct item_head head;
    if (gameitem_encode(item, picks, head.key, &part->data, err) < 0)
        return -1;
    head.data_size = (uint32_t)part->data.length;
    if (buffer_append(&part->items, &head, sizeof head, err) < 0)
        return -1;
    return buffer_append(&part->items, part->data.data, part->data.length, err);
}

/* A game that is good and wanted, with its id: picks its samples. */
static int sample_game(struct sample_stage *stage, struct part *part, const struct pgn_game *game,
                       struct error *err)
{
    struct knownbad bad = gamefilter_known_bad(&stage->filter, game);
    struct sampler_rule rule = stage->rule;
    rule.first_eval = bad.first_ply;
    struct gameitem item = {.plies = game->plies,
                            .evals = game->eval_count,
                            .result = (int8_t)(bad.result ? PGN_UNKNOWN : game->result),
                            .white_rating = gamefilter_rating(game, "WhiteElo"),
                            .black_rating = gamefilter_rating(game, "BlackElo"),
                            .shard = sample_shard_of(stage->build, part->game_id),
                            .split = (uint8_t)sample_split_of(stage->build, part->game_id),
                            .opening = opening_of_game(game)};
    const struct sampler_pick *picks;
    memcpy(item.game_id, part->game_id, sizeof item.game_id);
    if (sampler_take(part->sampler, &rule, game, item.game_id, &picks, &item.counts, err) < 0)
        return -1;
    uint64_t draw = draw_game(DRAW_SUBSAMPLE, item.game_id, stage->filter.seed);
    if (stage->lowest && item.counts.taken > 0 &&
        lowest_add(stage->lowest, draw, item.game_id, err) < 0)
        return -1;
    digest_bytes(game->text, game->text_size, item.text_sha256);
    return add_item(part, &item, picks, err);
}

static int take_game(struct sample_stage *stage, struct part *part, const struct pgn_game *game,
                     struct error *err)
{
    part->plies += game->plies;
    if (!part->identified) {
        if (gameid_from_moves(&game->start, game->moves, game->plies, part->game_id) < 0)
            return error_memory(err);
        part->refusal = sample_judge_draw(stage, part->game_id);
    }
    if (part->refusal == REFUSAL_NONE)
        return sample_game(stage, part, game, err);
    part->refused[part->refusal]++;
    return 0;
}

static int note_reject(const struct sample_stage *stage, struct part *part, uint64_t base,
                       const struct pgn_game *game, struct error *err)
{
    struct reject reject = {.number = part->games,
                            .offset = base + game->reject_offset,
                            .ply = game->reject_ply,
                            .reason = game->reject};
    memcpy(reject.text, game->reject_text, sizeof reject.text);
    if (part->identified)
        lowest_rank(draw_game(DRAW_SUBSAMPLE, part->game_id, stage->filter.seed), part->game_id,
                    reject.rank);
    part->rejected++;
    return buffer_append(&part->rejects, &reject, sizeof reject, err);
}

static int part_begin(struct part *part, struct error *err)
{
    if (part->sampler)
        return 0;
    buffer_init(&part->data, EXTSORT_ITEM_MAX);
    buffer_init(&part->items, PART_MAX);
    buffer_init(&part->rejects, PART_MAX);
    part->sampler = sampler_new();
    return part->sampler ? 0 : error_memory(err);
}

static int add_game(void *context, void *result, uint64_t base, const struct pgn_game *game,
                    struct error *err)
{
    struct sample_stage *stage = ((struct archive *)context)->stage;
    struct part *part = result;
    int status = part_begin(part, err);
    part->games++;
    part->found = part->found || gamesign_in(game);
    if (status == 0 && part->refusal != REFUSAL_NONE)
        part->refused[part->refusal]++;
    else if (status == 0 && game->reject != PGN_ACCEPTED)
        status = note_reject(stage, part, base, game, err);
    else if (status == 0)
        status = take_game(stage, part, game, err);
    part->identified = false; /* until want_game is asked, which it is not of all games */
    part->refusal = REFUSAL_NONE;
    return status;
}

static int merge_items(struct sample_stage *stage, const struct buffer *items, struct error *err)
{
    struct item_head head;
    for (size_t at = 0; at < items->length; at += sizeof head + head.data_size) {
        memcpy(&head, items->data + at, sizeof head);
        struct extsort_item item = {.key = head.key,
                                    .key_size = sizeof head.key,
                                    .data = (const uint8_t *)items->data + at + sizeof head,
                                    .data_size = head.data_size};
        if (extsort_add(stage->sorter, &item, err) < 0)
            return -1;
    }
    return 0;
}

static int merge_rejects(const struct archive *archive, const struct buffer *rejects,
                         struct error *err)
{
    const struct catalogue_input *input = &archive->input;
    struct reject reject;
    for (size_t at = 0; at < rejects->length; at += sizeof reject) {
        memcpy(&reject, rejects->data + at, sizeof reject);
        struct catalogue_reject row = {.game = input->games + (int64_t)reject.number,
                                       .offset = (int64_t)reject.offset,
                                       .ply = reject.ply};
        (void)snprintf(row.path, sizeof row.path, "%s", input->path);
        (void)snprintf(row.reason, sizeof row.reason, "%s", pgn_reject_text(reject.reason));
        (void)snprintf(row.text, sizeof row.text, "%s", reject.text);
        (void)snprintf(row.rank, sizeof row.rank, "%s", reject.rank);
        if (catalogue_put_reject(archive->stage->build->catalogue, &row, err) < 0)
            return -1;
    }
    return 0;
}

/* Adds up and empties the part, which may be used again. */
static void merge_counts(struct archive *archive, struct part *part)
{
    struct sample_totals *totals = &archive->stage->totals;
    struct catalogue_input *input = &archive->input;
    totals->read += (int64_t)part->games;
    for (int refusal = 0; refusal < REFUSAL_COUNT; refusal++)
        totals->refused[refusal] += (int64_t)part->refused[refusal];
    archive->found = archive->found || part->found;
    input->games += (int64_t)part->games;
    input->plies += (int64_t)part->plies;
    input->rejected += (int64_t)part->rejected;
    part->found = part->identified = false;
    part->refusal = REFUSAL_NONE;
    part->games = part->plies = part->rejected = 0;
    memset(part->refused, 0, sizeof part->refused);
    buffer_clear(&part->items);
    buffer_clear(&part->rejects);
}

static int merge_part(void *context, void *result, struct error *err)
{
    struct archive *archive = context;
    struct sample_stage *stage = archive->stage;
    struct part *part = result;
    if (build_check_stop(stage->build, err) < 0 || merge_items(stage, &part->items, err) < 0 ||
        merge_rejects(archive, &part->rejects, err) < 0)
        return -1;
    merge_counts(archive, part);
    progress_update_part(&stage->progress, (uint64_t)stage->totals.read,
                         progress_files_at(&stage->files, archive->taken));
    return 0;
}

static void drop_part(void *context, void *result)
{
    struct part *part = result;
    (void)context;
    sampler_free(part->sampler);
    buffer_free(&part->data);
    buffer_free(&part->items);
    buffer_free(&part->rejects);
    memset(part, 0, sizeof *part);
}

static unsigned threads_of(const struct sample_stage *stage)
{
    long long threads = settings_integer(stage->build->settings, "build.threads");
    return threads > 0 ? (unsigned)threads : cores_available();
}

static int read_games(struct archive *archive, struct reader *reader, struct error *err)
{
    struct sample_stage *stage = archive->stage;
    unsigned threads = threads_of(stage), readers = stage->lowest ? 1 : threads;
    const struct pgn_split_options options = {.pgn = stage->options,
                                              .threads = readers,
                                              .result_size = sizeof(struct part),
                                              .taken = &archive->taken};
    const struct pgn_split_visitor visitor = {archive, want_game, add_game, merge_part, drop_part};
    /* The games' own readers decode too: of two threads none is left to decode alone. */
    if (reader_set_threads(reader, threads > 2 || readers == 1 ? threads : 1, err) < 0)
        return -1;
    int status = pgn_split_read(reader, &options, &visitor, err);
    if (status < 0 && reader_truncated(reader) &&
        settings_boolean(stage->build->settings, "input.allow_truncated"))
        return sample_note_truncation(stage, &archive->input, archive->input.games + 1, err);
    return status < 0 ? -1 : build_check_stop(stage->build, err);
}

static int note_input(struct archive *archive, struct reader *reader, struct error *err)
{
    struct catalogue_input *input = &archive->input;
    uint64_t bytes = 0;
    if (reader_digest(reader, input->sha256, &bytes, err) < 0)
        return -1;
    if (!archive->found)
        return gamesign_missing(bytes == 0, err);
    input->bytes = (int64_t)bytes;
    return sample_put_input(archive->stage, input, err);
}

/* Puts the input's name before an error, unless the reader did. */
static int name_input(const char *path, struct error *err)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    if (err && strncmp(err->text, name, strlen(name)) == 0)
        return -1;
    return error_prefix(err, "%s", name);
}

int gameinput_read(struct sample_stage *stage, const char *path, struct error *err)
{
    struct reader *reader = NULL;
    struct archive archive = {.stage = stage};
    (void)snprintf(archive.input.path, sizeof archive.input.path, "%s", path);
    if (reader_open(path, true, &reader, err) < 0)
        return -1;
    reader_watch(reader, stage->build->stop);
    int status = read_games(&archive, reader, err);
    if (status == 0)
        status = note_input(&archive, reader, err);
    if (status < 0) /* of reading that a signal ended, the signal is what to say */
        (void)build_check_stop(stage->build, err);
    reader_close(reader);
    return status < 0 ? name_input(path, err) : 0;
}
