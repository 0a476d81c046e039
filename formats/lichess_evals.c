/* SPDX-License-Identifier: MIT */
/*
 * Lichess's database of evaluations (lichess_db_eval.jsonl.zst), a source of positions to label or
 * to take with what users' browsers computed. One JSON object a line:
 *
 *   {"fen": "<board, side, castling, en passant>",
 *    "evals": [{"knodes": 206765, "depth": 36,
 *               "pvs": [{"cp": 311 | "mate": 3, "line": "g2e4 f7f5 ..."}, ...]}, ...]}
 *
 * cp and mate are from White's view, castling in a line is king takes rook. Of several evaluations
 * the deepest counts, of those the one with most nodes, of those the first; of its lines the first,
 * which is the mover's best. Different engines and depths are mixed, so such scores are nobody's
 * that could be asked again. The lines know no clocks, no result and no game.
 *
 * What cannot be read as JSON of this form is damage. A position that no game can reach (users make
 * them on a board) or a best move that is illegal is passed over and counted: one such line among
 * hundreds of millions must not end the work.
 */
#include <jansson.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"
#include "formats/codec.h"
#include "formats/pgn.h"

#define KNODES_MAX (INT64_MAX / 1000)
#define CP_MAX     10000000 /* nobody writes more; INT32_MIN could not be negated */

struct evals_decoder {
    uint64_t refused;
};

/* A whole number of [low, high] under that name, else false. */
static bool take_number(const json_t *object, const char *name, json_int_t low, json_int_t high,
                        json_int_t *number)
{
    const json_t *value = json_object_get(object, name);
    *number = json_integer_value(value);
    return json_is_integer(value) && *number >= low && *number <= high;
}

/* Deeper, or as deep and with more nodes. */
static bool is_better(const struct label *label, const struct label *than)
{
    return label->depth != than->depth ? label->depth > than->depth : label->nodes > than->nodes;
}

static int bad_line(const char *what, struct error *err)
{
    return error_set(err, ERROR_FAILED, "no evaluation of Lichess: %s", what);
}

/* Depth, nodes, score from White's view; *line is the first line's text. */
static int read_eval(const json_t *eval, struct label *label, const char **line, struct error *err)
{
    json_int_t knodes, depth, score;
    const json_t *pv = json_array_get(json_object_get(eval, "pvs"), 0);
    *line = json_string_value(json_object_get(pv, "line"));
    if (!take_number(eval, "knodes", 0, KNODES_MAX, &knodes) ||
        !take_number(eval, "depth", 0, UINT16_MAX, &depth))
        return bad_line("knodes or depth missing or out of range", err);
    if (*line == NULL)
        return bad_line("no line", err);
    bool mate = json_object_get(pv, "cp") == NULL;
    if (!take_number(pv, mate ? "mate" : "cp", -CP_MAX, CP_MAX, &score))
        return bad_line("neither cp nor mate, or out of range", err);
    *label =
        (struct label){.depth = (uint16_t)depth,
                       .exact_depth = (uint16_t)depth,
                       .final = {.kind = mate ? SCORE_MATE : SCORE_CP, .value = (int32_t)score},
                       .nodes = (uint64_t)knodes * 1000};
    return 0;
}

/* The best of the evaluations into label. */
static int choose_eval(const json_t *evals, struct label *label, const char **line,
                       struct error *err)
{
    for (size_t i = 0; i < json_array_size(evals); i++) {
        struct label other;
        const char *other_line;
        if (read_eval(json_array_get(evals, i), &other, &other_line, err) < 0)
            return -1;
        if (i == 0 || is_better(&other, label)) {
            *label = other;
            *line = other_line;
        }
    }
    return json_array_size(evals) > 0 ? 0 : bad_line("no evals", err);
}

/* 1, or 0 when the position or its move is unusable. */
static int read_position(const char *fen, const char *line, struct record *record)
{
    struct label *label = &record->label;
    if (fen_parse(fen, strlen(fen), FEN_DROP_BAD_CASTLING, &record->position, NULL) != FEN_OK)
        return 0;
    label->best_move = ucimove_parse(&record->position, line, strcspn(line, " "));
    if (label->best_move == MOVE_NONE)
        return 0;
    if (record->position.side == BLACK)
        label->final.value = -label->final.value;
    label->exact = label->final;
    return 1;
}

/* 1, 0 when it is to be passed over, -1. */
static int read_line(struct text_span text, struct record *record, struct error *err)
{
    json_error_t fault;
    json_t *object = json_loadb(text.text, text.size, 0, &fault);
    const char *fen = json_string_value(json_object_get(object, "fen")), *line = "";
    int status;
    *record = (struct record){.result = PGN_UNKNOWN, .source = SOURCE_INPUT};
    if (object == NULL)
        status = bad_line(fault.text, err);
    else if (fen == NULL)
        status = bad_line("no fen", err);
    else
        status = choose_eval(json_object_get(object, "evals"), &record->label, &line, err);
    if (status == 0 && fen != NULL)
        status = read_position(fen, line, record);
    json_decref(object);
    return status;
}

static int evals_decode(void *state, struct codec_source *source,
                        const struct codec_options *options, struct record *record,
                        struct error *err)
{
    struct evals_decoder *decoder = state;
    struct text_span line;
    int status, found = 0;
    (void)options; /* always checked; always centipawns */
    while (found == 0 && (status = codec_source_line(source, &line, err)) == 1) {
        if (line.size == 0)
            continue;
        found = read_line(line, record, err);
        decoder->refused += found == 0;
        if (found == 0)
            codec_source_mark(source, codec_source_offset(source));
    }
    return found != 0 ? found : status;
}

static uint64_t evals_refused(const void *state)
{
    return ((const struct evals_decoder *)state)->refused;
}

const struct codec codec_lichess_evals = {
    .name = "lichess-evals",
    .extension = "lichess_db_eval.jsonl",
    .summary = "Lichess's evaluations, JSON (only read)",
    .fields = CODEC_HOLDS_SIDE | CODEC_HOLDS_CASTLING | CODEC_HOLDS_CHESS960 | CODEC_HOLDS_EP |
              CODEC_HOLDS_MOVE | CODEC_HOLDS_SCORE | CODEC_HOLDS_LABEL,
    .centipawns = true,
    .decoder_size = sizeof(struct evals_decoder),
    .decode = evals_decode,
    .refused = evals_refused,
};
