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

#include "formats/chess/fen.h"
#include "nnue/tools/samples.h"
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
    double scale = e->cp ? e->info.cp_per_unit : 1;
    value *= negate ? -scale : scale;
    if (e->info.is_float)
        printf("\t%.4f", value < 0 && value > -0.00005 ? 0 : value);
    else if (e->cp && e->info.cp_per_unit != 1)
        printf("\t%.2f", value);
    else
        printf("\t%.0f", value);
}

static void print_raw(const struct evaluator *e, unsigned side)
{
    struct plynnue_raw raw;
    plynnue_acc_eval_raw(e->acc, (int)side, &raw);
    printf("\t%d", raw.bucket);
    for (int i = 0; i < raw.buckets; i++)
        printf("\t%" PRId64, raw.positional[i]);
}

static int evaluate(const struct evaluator *e, const char *fen, struct error *err)
{
    struct sample sample;
    struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
    struct plynnue_position position;
    double value;
    if (read_board(fen, &sample, err))
        return -1;
    sample_to_pieces(&sample, pieces, &position);
    if (plynnue_acc_set(e->acc, &position))
        return error_set(err, ERROR_FAILED, "FEN \"%.200s\": not a board that the net can see",
                         fen);
    value = plynnue_acc_eval_float(e->acc, position.side);
    printf("%s", fen);
    /* 0 - 0 would be -0: only what is not zero is turned. */
    print_value(e, value, e->white && position.side == BLACK && value != 0);
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

static int evaluator_open(const struct invocation *invocation, struct evaluator *e,
                          struct error *err)
{
    struct plynnue_error error;
    enum plynnue_isa isa;
    if (netarg_isa(invocation, &isa, err) ||
        netarg_open(invocation->arguments[0], isa, &e->net, err))
        return -1;
    e->info.size = sizeof e->info;
    plynnue_net_info(e->net, &e->info);
    if (e->raw && e->info.is_float)
        return error_set(err, ERROR_USAGE, "--raw: %s is a float net and has no integers",
                         invocation->arguments[0]);
    if (e->cp && !(e->info.cp_per_unit > 0))
        return error_set(err, ERROR_USAGE, "--cp: %s does not say what its unit is worth",
                         invocation->arguments[0]);
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
        "FENs come as arguments, each in quotes, or as lines of standard input. Prints the FEN, a "
        "tab and the value from the side to move in the net's own units (centipawns for "
        "769->H1->H2->1). Float nets print four decimals.",
    .minimum = 1,
    .maximum = -1,
    .options = {{"white", NULL, "values from White's view"},
                {"cp", NULL, "values in centipawns"},
                {"raw", NULL, "adds the output bucket and the last layer's integer of every head"},
                NETARG_ISA_OPTION},
    .examples =
        {"plymill eval tiny-int8.safetensors 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w "
         "KQkq - 0 1'",
         "cut -f1 positions.tsv | plymill eval tiny-int8.safetensors --white"},
    .no_progress = true,
    .run = run_eval,
};
