/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/gamesign.h"

bool gamesign_in_tags(const struct pgn_game *game)
{
    static const char *const names[] = {"Event", "Site",  "Date",   "Round",
                                        "White", "Black", "Result", "FEN"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pgn_tag(game, names[i]))
            return true;
    return false;
}

bool gamesign_in(const struct pgn_game *game)
{
    bool has_tags = game->tag_count > 0;
    if (!game->reject || game->reject_ply > (has_tags ? 1 : 2) || gamesign_in_tags(game))
        return true;
    return has_tags && game->reject != PGN_BAD_TOKEN && game->reject != PGN_TRUNCATED;
}

int gamesign_missing(bool is_empty, struct error *err)
{
    return error_set(err, ERROR_FAILED,
                     "no PGN game found: %s; give an archive of games (PGN, plain, .zst or .gz)",
                     is_empty ? "it is empty" : "it holds something else");
}
