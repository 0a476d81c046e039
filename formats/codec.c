/* SPDX-License-Identifier: MIT */
/*
 * See codec.h.
 */
#include "formats/codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct codec *const codec_table[] = {
    &codec_plain,  &codec_bin,  &codec_binpack,       &codec_bullet,
    &codec_marlin, &codec_viri, &codec_csv,           &codec_jsonl,
    &codec_epd,    &codec_rec,  &codec_lichess_evals, &codec_lichess_puzzles,
    NULL,
};

const struct codec *codec_find(const char *name)
{
    for (const struct codec *const *codec = codec_table; *codec != NULL; codec++)
        if (strcmp((*codec)->name, name) == 0)
            return *codec;
    return NULL;
}

/* Does text, cut to *size, end in that extension? Then cuts it off. */
static bool cut_extension(const char *text, size_t *size, const char *extension)
{
    size_t length = strlen(extension);
    if (*size < length || memcmp(text + *size - length, extension, length) != 0)
        return false;
    *size -= length;
    return true;
}

const struct codec *codec_of_path(const char *path)
{
    static const char *const inner[] = {".bullet", ".marlin", ".viri"};
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    size_t size = strlen(name);
    if (!cut_extension(name, &size, ".zst"))
        cut_extension(name, &size, ".gz");
    size_t whole = size;
    if (cut_extension(name, &size, ".bin")) {
        for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
            if (cut_extension(name, &size, inner[i]))
                return codec_find(inner[i] + 1);
    }
    /* The longest extension: lichess_db_eval.jsonl is more than a .jsonl. */
    const struct codec *found = NULL;
    for (const struct codec *const *codec = codec_table; *codec != NULL; codec++) {
        size = whole;
        bool longer = found == NULL || strlen((*codec)->extension) > strlen(found->extension);
        if (longer && cut_extension(name, &size, (*codec)->extension))
            found = *codec;
    }
    return found;
}

const char *codec_misfit_text(enum codec_misfit misfit)
{
    switch (misfit) {
    case CODEC_FITS:
        return "fits";
    case CODEC_NO_RESULT:
        return "no result";
    case CODEC_MATE_SCORE:
        return "mate score";
    case CODEC_SCORE_RANGE:
        return "score out of range";
    case CODEC_NO_SCORE:
        return "no score";
    case CODEC_NO_MOVE:
        return "no move";
    case CODEC_ILLEGAL_MOVE:
        return "illegal move";
    case CODEC_PLY_RANGE:
        return "ply out of range";
    case CODEC_HALFMOVE_RANGE:
        return "half-move clock out of range";
    case CODEC_FULLMOVE_RANGE:
        return "full-move number out of range";
    case CODEC_NODES_RANGE:
        return "node count out of range";
    case CODEC_CHESS960:
        return "Chess960 castling";
    case CODEC_NO_CHAIN:
        return "no part of a game";
    case CODEC_MISFIT_COUNT:
        break;
    }
    return "unknown";
}

enum codec_misfit codec_integer_score(const struct record *record,
                                      const struct codec_options *options, long max, long *score)
{
    const struct score *chosen = record_score(record, options->last_exact);
    if (chosen->kind == SCORE_NONE)
        return CODEC_NO_SCORE;
    if (chosen->kind == SCORE_MATE)
        return CODEC_MATE_SCORE;
    if (options->score_scale == 1.0) { /* as nearly always; rounding costs as much as a board */
        *score = chosen->value;
    } else {
        double scaled = chosen->value * options->score_scale;
        if (!(fabs(scaled) < (double)max + 1.0))
            return CODEC_SCORE_RANGE;
        *score = lround(scaled);
    }
    return labs(*score) > max ? CODEC_SCORE_RANGE : CODEC_FITS;
}

struct score codec_score_read(long written, const struct codec_options *options)
{
    if (options->score_scale == 1.0 && written >= INT32_MIN && written <= INT32_MAX)
        return (struct score){.kind = SCORE_CP, .value = (int32_t)written};
    double cp = round((double)written / options->score_scale);
    if (!(cp > INT32_MIN))
        cp = INT32_MIN;
    if (cp > INT32_MAX)
        cp = INT32_MAX;
    return (struct score){.kind = SCORE_CP, .value = (int32_t)cp};
}

enum codec_misfit codec_sfen_score(const struct record *record, const struct codec_options *options,
                                   long *score)
{
    enum codec_misfit misfit = codec_integer_score(record, options, CODEC_SFEN_SCORE_MAX, score);
    return misfit == CODEC_FITS && labs(*score) == CODEC_SFEN_SCORE_NONE ? CODEC_SCORE_RANGE
                                                                         : misfit;
}

struct score codec_sfen_score_read(long written, const struct codec_options *options)
{
    if (written == CODEC_SFEN_SCORE_NONE)
        return (struct score){.kind = SCORE_NONE};
    return codec_score_read(written, options);
}

uint16_t codec_chosen_move(const struct record *record, const struct codec_options *options)
{
    return options->move == CODEC_MOVE_BEST ? record->label.best_move : record->played;
}

void codec_set_move(struct record *record, const struct codec_options *options, uint16_t move)
{
    if (options->move == CODEC_MOVE_BEST)
        record->label.best_move = move;
    else
        record->played = move;
}

void codec_set_score(struct record *record, const struct codec_options *options, struct score score)
{
    record->label.final = score;
    if (options->last_exact)
        record->label.exact = score;
}

int codec_turn_result(int result, const struct position *position)
{
    return position->side == WHITE ? result : -result;
}

bool codec_result_is_known(const struct record *record)
{
    return record->result >= -1 && record->result <= 1;
}
