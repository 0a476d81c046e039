/* SPDX-License-Identifier: MIT */
/*
 * See codec.h.
 */
#include "formats/codec.h"

#include <string.h>

const struct codec *const codec_table[] = {&codec_plain, &codec_csv, NULL};

const struct codec *codec_find(const char *name)
{
    for (const struct codec *const *codec = codec_table; *codec != NULL; codec++)
        if (strcmp((*codec)->name, name) == 0)
            return *codec;
    return NULL;
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
    case CODEC_PLY_RANGE:
        return "ply out of range";
    case CODEC_CHESS960:
        return "Chess960 castling";
    case CODEC_MISFIT_COUNT:
        break;
    }
    return "unknown";
}
