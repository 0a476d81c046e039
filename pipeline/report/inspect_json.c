/* SPDX-License-Identifier: MIT */
/*
 * What inspect found, as JSON: docs/INSPECT.md describes it.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"
#include "pipeline/report/inspect.h"

/* Takes value, which may be NULL when memory was short: the whole is NULL then, too. */
static void set(json_t *object, const char *name, json_t *value)
{
    (void)json_object_set_new(object, name, value ? value : json_null());
}

static void set_count(json_t *object, const char *name, uint64_t count)
{
    set(object, name, json_integer((json_int_t)count));
}

/* Text from outside: bytes that are no UTF-8 become '?'. */
static json_t *text_json(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    size_t size = strlen(text);
    char *copy = malloc(size + 1);
    for (size_t i = 0; copy && i <= size; i++)
        copy[i] = (unsigned char)text[i] >= 0x80 ? '?' : text[i];
    value = copy ? json_string(copy) : NULL;
    free(copy);
    return value;
}

static json_t *counts_json(const uint64_t *counts, const char *const *names, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++)
        set_count(object, names[i], counts[i]);
    return object;
}

/* [[value, count], ...] of what occurs. */
static json_t *pairs_json(const uint64_t *counts, int first, int last, int offset)
{
    json_t *list = json_array();
    for (int i = first; i <= last; i++)
        if (counts[i] > 0)
            (void)json_array_append_new(list,
                                        json_pack("[i, I]", i - offset, (json_int_t)counts[i]));
    return list;
}

static json_t *fields_json(const struct inspect *inspect)
{
    json_t *list = json_array();
    for (unsigned field = 0; inspect_field_name(field); field++)
        if (inspect->codec->fields & 1u << field)
            (void)json_array_append_new(list, json_string(inspect_field_name(field)));
    return list;
}

static json_t *unit_json(const struct inspect *inspect)
{
    if (!inspect->has_unit)
        return json_null();
    return json_pack("{s:f, s:o}", "units_per_centipawn", inspect->unit.scale, "source",
                     inspect->codec->centipawns ? json_null() : text_json(inspect->unit.source));
}

static json_t *scores_json(const struct inspect *inspect)
{
    static const char *const kinds[] = {"none", "numbers", "mates"};
    static const char *const bounds[] = {"exact", "lower", "upper"};
    int32_t scores[INSPECT_QUANTILES];
    json_t *object = counts_json(inspect->kinds, kinds, 3);
    json_t *quantiles = json_array();
    inspect_quantiles(inspect, scores);
    set(object, "bounds", counts_json(inspect->bounds, bounds, 3));
    if (inspect->kinds[SCORE_CP] > 0) {
        set(object, "lowest", json_integer(inspect->score_min));
        set(object, "highest", json_integer(inspect->score_max));
        set(object, "mean",
            json_real((double)inspect->score_sum / (double)inspect->kinds[SCORE_CP]));
        for (int i = 0; i < INSPECT_QUANTILES; i++)
            (void)json_array_append_new(quantiles,
                                        json_pack("[f, i]", inspect_fractions[i], (int)scores[i]));
    }
    set(object, "quantiles", quantiles);
    set(object, "histogram",
        pairs_json(inspect->scores, 0, 2 * INSPECT_SCORE_MAX, INSPECT_SCORE_MAX));
    return object;
}

static json_t *score_json(const struct score *score)
{
    if (score->kind == SCORE_NONE)
        return json_null();
    return json_pack("{s:i}", score->kind == SCORE_CP ? "cp" : "mate", (int)score->value);
}

static json_t *move_json(const struct record *record, uint16_t move)
{
    char text[UCIMOVE_MAX];
    if (move == MOVE_NONE)
        return json_null();
    ucimove_format(move, record->position.chess960, text);
    return json_string(text);
}

static json_t *record_json(const struct inspect *inspect, const struct record *record)
{
    unsigned fields = inspect->codec->fields;
    char fen[FEN_MAX];
    json_t *object = json_object();
    fen_format(&record->position, FEN_XFEN, fen);
    set(object, "fen", json_string(fen));
    set(object, "score", score_json(&record->label.final));
    set(object, "best", move_json(record, record->label.best_move));
    set(object, "played", move_json(record, record->played));
    set(object, "result",
        !(fields & CODEC_HOLDS_RESULT) || record->result > 1 ? json_null()
                                                             : json_integer(record->result));
    set(object, "ply", fields & CODEC_HOLDS_PLY ? json_integer(record->ply) : json_null());
    set(object, "game", record->game_id[0] ? json_string(record->game_id) : json_null());
    return object;
}

static json_t *head_json(const struct inspect *inspect)
{
    json_t *list = json_array();
    for (uint64_t i = 0; i < inspect->head_count; i++)
        (void)json_array_append_new(list, record_json(inspect, &inspect->head[i]));
    return list;
}

static json_t *repeats_json(const struct inspect_repeats *repeats)
{
    if (repeats->distinct == 0)
        return json_null();
    return json_pack("{s:I, s:I}", "different", (json_int_t)repeats->distinct, "most",
                     (json_int_t)repeats->most);
}

static void set_positions(const struct inspect *inspect, json_t *whole)
{
    set(whole, "positions", repeats_json(&inspect->boards));
    set(whole, "games", repeats_json(&inspect->games));
    set_count(whole, "white_to_move", inspect->sides[0]);
    set_count(whole, "black_to_move", inspect->sides[1]);
    set_count(whole, "in_check", inspect->in_check);
    set_count(whole, "en_passant", inspect->en_passant);
    set_count(whole, "chess960", inspect->chess960);
    set_count(whole, "best_moves", inspect->best);
    set_count(whole, "played_moves", inspect->played);
    set_count(whole, "captures", inspect->captures);
    set_count(whole, "promotions", inspect->promotions);
}

static json_t *whole_json(const struct inspect *inspect)
{
    static const char *const results[] = {"white", "draw", "black", "unknown"};
    static const char *const sources[] = {"engine", "lichess-eval", "pgn-comment", "input"};
    json_t *whole = json_object();
    bool plies = inspect->codec->fields & CODEC_HOLDS_PLY;
    set(whole, "path", text_json(inspect->path));
    set(whole, "format", json_string(inspect->codec->name));
    set_count(whole, "records", inspect->records);
    set(whole, "file_bytes",
        inspect->file_bytes ? json_integer((json_int_t)inspect->file_bytes) : json_null());
    set_count(whole, "content_bytes", inspect->content_bytes);
    set(whole, "fields", fields_json(inspect));
    set(whole, "unit", unit_json(inspect));
    set(whole, "results", counts_json(inspect->results, results, INSPECT_RESULTS));
    set(whole, "sources", counts_json(inspect->sources, sources, 4));
    set_positions(inspect, whole);
    set(whole, "scores", scores_json(inspect));
    set(whole, "phases", pairs_json(inspect->phases, 0, INSPECT_PHASE_MAX, 0));
    set(whole, "pieces", pairs_json(inspect->pieces, 0, 32, 0));
    set(whole, "plies", plies ? pairs_json(inspect->plies, 0, INSPECT_PLY_MAX, 0) : json_null());
    set(whole, "head", head_json(inspect));
    return whole;
}

int inspect_write_json(const struct inspect *inspect, FILE *out, struct error *err)
{
    json_t *whole = whole_json(inspect);
    char *text = json_dumps(whole, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    json_decref(whole);
    if (!text)
        return error_memory(err);
    fprintf(out, "%s\n", text);
    free(text);
    return 0;
}
