/* SPDX-License-Identifier: MIT */
/*
 * Makes archives of any size to measure with: random legal games with an [%eval] comment behind
 * every move, so that positions are labeled without an engine and what is timed is plymill.
 *
 * makegames GAMES PLIES SEED > games.pgn
 *
 * Game i depends on SEED and i only. Its first plies prefer a few of the legal moves, so that games
 * share openings as real ones do; a game ends after PLIES plies or where no move is left.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/chess/movegen.h"
#include "formats/chess/position.h"
#include "formats/chess/ucimove.h"
#include "nnue/tools/rng.h"

#define GAMES_MAX     UINT64_C(1000000000000)
#define PLIES_MAX     1000
#define OPENING_PLIES 12  /* whose moves are chosen from few */
#define STEP          60  /* how far an eval wanders in a ply, centipawns */
#define DECIDED       300 /* an eval at the end from which on a game is won */
#define ID_SIZE       8

static unsigned choose(struct rng *rng, unsigned ply, unsigned choices)
{
    unsigned chosen = rng_below(rng, choices);
    if (ply >= OPENING_PLIES)
        return chosen;
    for (unsigned i = 0; i < 3; i++) {
        unsigned other = rng_below(rng, choices);
        chosen = other < chosen ? other : chosen;
    }
    return chosen;
}

static void write_id(uint64_t number, char out[ID_SIZE + 1])
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (unsigned i = ID_SIZE; i-- > 0; number /= 62)
        out[i] = digits[number % 62];
    out[ID_SIZE] = '\0';
}

static void write_head(uint64_t number, struct rng *rng)
{
    char id[ID_SIZE + 1];
    write_id(number, id);
    printf("[Event \"made\"]\n[Site \"https://lichess.org/%s\"]\n[WhiteElo \"%u\"]\n[BlackElo "
           "\"%u\"]\n\n",
           id, 800 + rng_below(rng, 2000), 800 + rng_below(rng, 2000));
}

static void write_moves(struct rng *rng, unsigned plies)
{
    struct position position;
    uint16_t moves[MOVES_MAX];
    int eval = 0;
    position_start(&position);
    for (unsigned ply = 0; ply < plies; ply++) {
        unsigned choices = movegen_legal(&position, moves);
        if (choices == 0)
            break;
        char text[UCIMOVE_MAX];
        uint16_t move = moves[choose(rng, ply, choices)];
        ucimove_format(move, false, text);
        position_make(&position, move, NULL);
        eval += (int)rng_below(rng, 2 * STEP + 1) - STEP;
        if (ply % 2 == 0)
            printf("%u. ", ply / 2 + 1);
        printf("%s { [%%eval %s%d.%02d] } ", text, eval < 0 ? "-" : "", abs(eval) / 100,
               abs(eval) % 100);
    }
    puts(eval > DECIDED ? "1-0\n" : eval < -DECIDED ? "0-1\n" : "1/2-1/2\n");
}

static uint64_t number_of(const char *text, uint64_t most)
{
    char *end;
    uint64_t number = strtoull(text, &end, 10);
    if (end == text || *end != '\0' || number > most) {
        fprintf(stderr, "makegames: expected a number up to %" PRIu64 ", not %s\n", most, text);
        exit(2);
    }
    return number;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: makegames GAMES PLIES SEED\n");
        return 2;
    }
    uint64_t games = number_of(argv[1], GAMES_MAX), seed = number_of(argv[3], UINT64_MAX);
    unsigned plies = (unsigned)number_of(argv[2], PLIES_MAX);
    for (uint64_t i = 0; i < games; i++) {
        struct rng rng = rng_derive(seed, i);
        write_head(i, &rng);
        write_moves(&rng, plies);
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
