/* SPDX-License-Identifier: MIT */
#include "pipeline/report/report_records.h"

#include <stdlib.h>

#include "formats/chess/bitboard.h"
#include "formats/chess/types.h"

/* What a label's nodes count as at most, so that sums of many have room. */
#define NODES_MAX INT64_C(1000000000000)

unsigned report_phase(const struct position *position)
{
    static const unsigned weights[6] = {0, 1, 1, 2, 4, 0};
    unsigned phase = 0;
    for (unsigned type = KNIGHT; type <= QUEEN; type++)
        phase += weights[type] * (unsigned)bitboard_count(position->type[type]);
    return phase < REPORT_PHASES ? phase : REPORT_PHASES - 1;
}

static int white_score(const struct score *score, unsigned side, bool *clipped)
{
    int64_t value = side == WHITE ? score->value : -(int64_t)score->value;
    *clipped = score->kind != SCORE_CP || value > REPORT_SCORE_CLIP || value < -REPORT_SCORE_CLIP;
    if (!*clipped)
        return (int)value;
    return value > 0 ? REPORT_SCORE_CLIP : -REPORT_SCORE_CLIP;
}

static enum report_result result_of(const struct record *record)
{
    switch (record->result) {
    case 1:
        return RESULT_WHITE_WINS;
    case 0:
        return RESULT_DRAW;
    case -1:
        return RESULT_BLACK_WINS;
    default:
        return RESULT_NONE;
    }
}

static void add_score(struct report_records *records, const struct record *record, bool last_exact)
{
    const struct score *score = record_score(record, last_exact);
    bool clipped;
    int cp = white_score(score, record->position.side, &clipped);
    records->score[cp + REPORT_SCORE_CLIP]++;
    records->clipped += clipped;
    records->mates += score->kind == SCORE_MATE;
    records->bounds += !last_exact && record->label.bound != BOUND_EXACT;
    records->results[result_of(record)]++;
    records->score_size_sum += cp < 0 ? -cp : cp;
    scale_cells_add(&records->games, score, record->position.side, record->result);
}

static void add_search(struct report_records *records, const struct label *label)
{
    if (label->depth > 0) {
        records->searches++;
        records->depth_sum += label->depth;
        records->depth[label->depth < REPORT_DEPTHS ? label->depth : REPORT_DEPTHS - 1]++;
    }
    if (label->nodes > 0) {
        int64_t nodes = label->nodes < NODES_MAX ? (int64_t)label->nodes : NODES_MAX;
        records->counted++;
        records->nodes_sum += nodes;
        records->nodes_most = nodes > records->nodes_most ? nodes : records->nodes_most;
    }
}

void report_records_add(struct report_records *records, const struct record *record,
                        bool last_exact)
{
    const struct position *position = &record->position;
    unsigned pieces = (unsigned)bitboard_count(position->colour[WHITE] | position->colour[BLACK]);
    uint32_t column = record->ply / REPORT_PLY_WIDTH;
    records->count++;
    records->white_moves += position->side == WHITE;
    add_score(records, record, last_exact);
    add_search(records, &record->label);
    records->pieces[pieces < REPORT_PIECES ? pieces : REPORT_PIECES - 1]++;
    records->phase[report_phase(position)]++;
    records->ply[column < REPORT_PLIES ? column : REPORT_PLIES - 1]++;
    records->ply_sum += record->ply;
    records->pieces_sum += pieces;
}

int report_records_read(const char *path, bool last_exact, struct report_records *records,
                        struct error *err)
{
    struct record_reader *reader = NULL;
    struct record record;
    int status = record_reader_open(path, &reader, err);
    if (status < 0)
        return -1;
    while ((status = record_reader_next(reader, &record, err)) == 1)
        report_records_add(records, &record, last_exact);
    record_reader_close(reader);
    return status;
}

static void add_all(int64_t *sum, const int64_t *part, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += part[i];
}

void report_records_sum(struct report_records *sum, const struct report_records *part)
{
    sum->count += part->count;
    sum->white_moves += part->white_moves;
    sum->clipped += part->clipped;
    sum->mates += part->mates;
    sum->bounds += part->bounds;
    sum->ply_sum += part->ply_sum;
    sum->pieces_sum += part->pieces_sum;
    sum->score_size_sum += part->score_size_sum;
    sum->searches += part->searches;
    sum->depth_sum += part->depth_sum;
    sum->counted += part->counted;
    sum->nodes_sum += part->nodes_sum;
    sum->nodes_most = part->nodes_most > sum->nodes_most ? part->nodes_most : sum->nodes_most;
    add_all(sum->depth, part->depth, REPORT_DEPTHS);
    add_all(sum->results, part->results, RESULT_KINDS);
    add_all(sum->score, part->score, REPORT_SCORE_CELLS);
    add_all(sum->games.known, part->games.known, SCALE_FIT_CELLS);
    add_all(sum->games.half_points, part->games.half_points, SCALE_FIT_CELLS);
    add_all(sum->pieces, part->pieces, REPORT_PIECES);
    add_all(sum->phase, part->phase, REPORT_PHASES);
    add_all(sum->ply, part->ply, REPORT_PLIES);
}

int report_median_score(const struct report_records *records)
{
    int64_t seen = 0, middle = (records->count + 1) / 2;
    for (int cell = 0; cell < REPORT_SCORE_CELLS && records->count > 0; cell++) {
        seen += records->score[cell];
        if (seen >= middle)
            return cell - REPORT_SCORE_CLIP;
    }
    return 0;
}
