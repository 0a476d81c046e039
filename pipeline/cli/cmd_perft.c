/* SPDX-License-Identifier: MIT */
/*
 * See cmd_perft.h. Output is so little that it goes to stdout at once; main checks that it arrived.
 */
#include "pipeline/cli/cmd_perft.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/movegen.h"
#include "formats/chess/ucimove.h"
#include "pipeline/cli/fenline.h"

#define PERFT_DEPTH_MAX 20 /* far beyond what ends in a lifetime, near enough to catch a typo */

static int read_depth(const char *text, unsigned *depth, struct error *err)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < 0 || value > PERFT_DEPTH_MAX)
        return error_set(err, ERROR_USAGE, "depth \"%s\": a whole number from 0 to %d is needed",
                         text, PERFT_DEPTH_MAX);
    *depth = (unsigned)value;
    return 0;
}

static int read_position(const char *fen, struct position *position, struct error *err)
{
    enum fen_status status = fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, position, NULL);
    if (status != FEN_OK)
        return error_set(err, ERROR_FAILED, "FEN \"%s\": %s", fen, fen_status_text(status));
    return 0;
}

/* One line a move, or a pair of moves where that is not NULL; their sum is the perft. */
static uint64_t divide(const struct position *position, unsigned depth, json_t *pairs)
{
    uint16_t moves[MOVES_MAX];
    unsigned count = movegen_legal(position, moves);
    uint64_t total = 0;
    for (unsigned i = 0; i < count; i++) {
        struct position next = *position;
        char text[UCIMOVE_MAX];
        position_make(&next, moves[i], NULL);
        uint64_t leaves = movegen_perft(&next, depth - 1);
        ucimove_format(moves[i], position->chess960, text);
        if (pairs)
            (void)json_object_set_new(pairs, text, json_integer((json_int_t)leaves));
        else
            printf("%s: %" PRIu64 "\n", text, leaves);
        total += leaves;
    }
    if (!pairs)
        printf("\n");
    return total;
}

static int run_json(const char *fen, const struct position *position, unsigned depth, bool divided,
                    struct error *err)
{
    json_t *moves = divided ? json_object() : NULL;
    uint64_t leaves = divided ? divide(position, depth, moves) : movegen_perft(position, depth);
    json_t *report = json_pack("{s:s, s:i, s:I, s:o*}", "fen", fen, "depth", (int)depth, "leaves",
                               (json_int_t)leaves, "moves", moves);
    int status = report && json_dumpf(report, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER) == 0
                     ? 0
                     : error_set(err, ERROR_FAILED, "the result is no JSON");
    printf("\n");
    json_decref(report);
    return status;
}

static int run(struct invocation *invocation, struct error *err)
{
    const char *fen = fenline_meant(invocation->arguments[0]);
    struct position position;
    unsigned depth = 0;
    if (read_position(fen, &position, err) < 0 ||
        read_depth(invocation->arguments[1], &depth, err) < 0)
        return -1;
    bool divided = invocation_has(invocation, "divide") && depth > 0;
    if (invocation_has(invocation, "json"))
        return run_json(fen, &position, depth, divided, err);
    printf("%" PRIu64 "\n",
           divided ? divide(&position, depth, NULL) : movegen_perft(&position, depth));
    return 0;
}

const struct command command_perft = {
    .name = "perft",
    .arguments = "FEN DEPTH",
    .summary = "counts the leaf nodes of the tree of legal moves",
    .details = "FEN is one argument, in quotes, or startpos; X-FEN and Shredder-FEN set up "
               "Chess960 positions.",
    .minimum = 2,
    .maximum = 2,
    .options = {{"divide", NULL, "the count behind each move, an empty line, the sum"},
                {"json", NULL, "the same as JSON"}},
    .examples =
        {"plymill perft startpos 5",
         "plymill perft --divide 'bnrqkrnb/pppppppp/8/8/8/8/PPPPPPPP/BNRQKRNB w FCfc - 0 1' 3"},
    .run = run,
};
