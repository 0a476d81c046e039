/* SPDX-License-Identifier: MIT */
/*
 * See cmd_eval.h. A net looks at the board and at whose move it is: boards that no game can reach
 * are evaluated too.
 */
#include "pipeline/cli/cmd_eval.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/chess/fen.h"
#include "nnue/tools/samples.h"
#include "pipeline/cli/fenline.h"
#include "pipeline/cli/netarg.h"

enum { FIELDS_LEAST = 4 }; /* of a FEN; fewer are a piece of one that a shell has cut */

struct evaluator {
    plynnue_net *net;
    plynnue_acc *acc;
    struct plynnue_info info;
    bool white, cp, raw;
};

static unsigned count_fields(const char *fen)
{
    unsigned count = 0;
    for (; *fen; fen += strspn(fen, " ")) {
        fen += strcspn(fen, " ");
        count++;
    }
    return count;
}

static int read_board(const char *fen, struct sample *sample, struct error *err)
{
    struct position position;
    enum fen_status status = fen_parse(fen, strlen(fen), FEN_DROP_BAD_CASTLING, &position, NULL);
    if (status != FEN_BAD_SYNTAX && sample_from_fen(fen, sample))
        return 0;
    return error_set(err, ERROR_FAILED, "FEN \"%.200s\": %s%s", fen,
                     fen_status_text(status == FEN_OK ? FEN_BAD_BOARD : status),
                     count_fields(fen) < FIELDS_LEAST ? " (quote each FEN)" : "");
}

static void print_value(const struct evaluator *e, double value, bool negate)
{
    const struct plynnue_info *info = &e->info;
    bool whole = !info->is_float && (!e->cp || info->cp_den);
    if (e->cp && whole) { /* as the net's engine computes them: truncated */
        const int64_t truncated = (int64_t)value * info->cp_num / info->cp_den;
        value = (double)truncated;
    } else if (e->cp) {
        value *= info->cp_per_unit;
    }
    if (negate)
        value = -value;
    if (whole)
        printf("\t%.0f", value == 0 ? 0 : value); /* never -0 */
    else if (info->is_float)
        printf("\t%.4f", value < 0 && value > -0.00005 ? 0 : value);
    else
        printf("\t%.2f", value);
}

/* Every head, but of bullet's nets the one in use alone. */
static void print_raw(const struct evaluator *e, unsigned side)
{
    struct plynnue_raw raw;
    plynnue_acc_eval_raw(e->acc, (int)side, &raw);
    bool one = !strncmp(e->info.arch, "(768", 4);
    printf("\t%d", raw.bucket);
    for (int i = one ? raw.bucket : 0; i < (one ? raw.bucket + 1 : raw.buckets); i++)
        if (e->info.has_psqt)
            printf("\t%" PRId64 ",%" PRId64, raw.psqt[i], raw.positional[i]);
        else
            printf("\t%" PRId64, raw.positional[i]);
}

static int evaluate(const struct evaluator *e, const char *fen, struct error *err)
{
    struct sample sample;
    struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
    struct plynnue_position position;
    double value;
    fen = fenline_meant(fen);
    if (read_board(fen, &sample, err))
        return -1;
    sample_to_pieces(&sample, pieces, &position);
    if (plynnue_acc_set(e->acc, &position))
        return error_set(err, ERROR_FAILED, "FEN \"%.200s\": not a board that the net can see",
                         fen);
    value = plynnue_acc_eval_float(e->acc, position.side);
    printf("%s", fen);
    print_value(e, value, e->white && position.side == BLACK);
    if (e->raw)
        print_raw(e, position.side);
    printf("\n");
    return 0;
}

static int evaluate_lines(const struct evaluator *e, struct error *err)
{
    char *line = NULL;
    size_t capacity = 0, number = 0;
    int result = 0;
    if (isatty(STDIN_FILENO) == 1)
        fprintf(stderr, "plymill: FENs, one a line; Ctrl-D ends\n");
    while (!result && getline(&line, &capacity, stdin) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        number++;
        if (line[0] && evaluate(e, line, err))
            result = error_prefix(err, "stdin: line %zu", number);
    }
    if (!result && ferror(stdin))
        result = error_set(err, ERROR_FAILED, "stdin: cannot be read");
    free(line);
    return result;
}

/* What was asked for must be there; what is not proved is said. */
static int check_net(const struct evaluator *e, const char *path, struct error *err)
{
    if (e->raw && e->info.is_float)
        return error_set(err, ERROR_USAGE, "--raw: %s is a float net and has no integers", path);
    if (e->cp && !(e->info.cp_per_unit > 0))
        return error_set(err, ERROR_USAGE, "--cp: %s does not say what its unit is worth", path);
    if (!e->info.verified)
        fprintf(stderr,
                "warning: %s: %s is unverified: no published values of this kind of net to "
                "compare with\n",
                path, e->info.arch);
    return 0;
}

static int evaluator_open(const struct invocation *invocation, struct evaluator *e,
                          struct error *err)
{
    const char *path = invocation->arguments[0];
    struct plynnue_error error;
    enum plynnue_isa isa;
    if (netarg_isa(invocation, &isa, err) ||
        netarg_open_as(path, invocation_value(invocation, "arch"), isa, &e->net, err))
        return -1;
    e->info.size = sizeof e->info;
    plynnue_net_info(e->net, &e->info);
    if (check_net(e, path, err))
        return -1;
    if (plynnue_acc_new(e->net, 0, &e->acc, &error))
        return error_set(err, ERROR_FAILED, "%s", error.text);
    return 0;
}

static int run_eval(struct invocation *invocation, struct error *err)
{
    struct evaluator e = {.white = invocation_has(invocation, "white"),
                          .cp = invocation_has(invocation, "cp"),
                          .raw = invocation_has(invocation, "raw")};
    int result = evaluator_open(invocation, &e, err);
    if (!result && invocation->argument_count == 1)
        result = evaluate_lines(&e, err);
    for (int i = 1; i < invocation->argument_count && !result; i++)
        result = evaluate(&e, invocation->arguments[i], err);
    plynnue_acc_free(e.acc);
    plynnue_net_close(e.net);
    return result;
}

const struct command command_eval = {
    .name = "eval",
    .arguments = "NET [FEN...]",
    .summary = "evaluates positions",
    .details =
        "FENs come as arguments, each in quotes, or as lines of standard input; startpos stands "
        "for that of the start. Prints the FEN, a tab and the value from the side to move in the "
        "net's own units: an engine's internal units, centipawns for 769->H1->H2->1, "
        "(768->N)x2->1 and all float nets, which print four decimals. A net whose kind has no "
        "published values to compare with is said to be unverified.\n"
        "--raw adds the output bucket and for every head the integer before the value is made of "
        "it (psqt,positional where a net has both; the head in use alone for (768->N)x2->1).\n"
        "A quantised.bin does not say what it is, and some .nnue files do not say whose arithmetic "
        "they want: --arch does, or the first line of the file NET.arch.",
    .minimum = 1,
    .maximum = -1,
    .options = {{"white", NULL, "values from White's view"},
                {"cp", NULL, "values in centipawns"},
                {"raw", NULL, "adds the output bucket and the integers of every head"},
                NETARG_ARCH_OPTION,
                NETARG_ISA_OPTION},
    .examples = {"plymill eval nn-62ef826d1a6d.nnue startpos",
                 "cut -f1 positions.tsv | plymill eval quantised.bin --arch '(768->128)x2->1 "
                 "screlu'"},
    .no_progress = true,
    .run = run_eval,
};
