/* SPDX-License-Identifier: MIT */
/*
 * See cmd_check.h.
 */
#include "pipeline/cli/cmd_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "formats/pgn.h"
#include "nnue/tools/bounds.h"
#include "nnue/tools/check.h"
#include "nnue/tools/quantize.h"
#include "pipeline/cli/netarg.h"

static int check_games(const char *path, const struct trace_visitor *visitor, uint64_t *games,
                       struct error *err)
{
    const struct pgn_options options = {.variants =
                                            PGN_STANDARD | PGN_FROM_POSITION | PGN_CHESS960};
    const struct pgn_game *game;
    struct reader *reader;
    struct pgn *pgn = NULL;
    int more = -1;
    if (reader_open(path, false, &reader, err))
        return -1;
    if (!pgn_new(reader, &options, NULL, &pgn, err))
        while ((more = pgn_next(pgn, &game, err)) > 0) {
            if (game->reject != PGN_ACCEPTED)
                continue;
            ++*games;
            if (trace_game(&game->start, game->moves, game->plies, visitor, err)) {
                more = -1;
                break;
            }
        }
    pgn_free(pgn);
    reader_close(reader);
    return more;
}

static void print_proof(const struct check_result *r)
{
    printf("%-28s %12" PRIu64 "\n", "steps", r->steps);
    for (unsigned i = 0; i < CHECK_COUNTS; i++)
        printf("  %-26s %12" PRIu64 "\n", check_count_text((enum check_count)i), r->counts[i]);
    printf("%-28s %12" PRIu64 "\n", "positions compared", r->positions);
    printf("%-28s %12" PRIu64 "\n", "differences", r->differences);
    printf("%-28s %12.2f\n", "mean changes per move",
           r->moves ? (double)r->changes / (double)r->moves : 0);
    printf("%-28s %12.2f\n", "mean active features",
           r->positions ? (double)r->active / (double)r->positions : 0);
}

static void print_bounds(const struct tinynnue_int *net)
{
    struct bounds b;
    bounds_compute(net, &b);
    printf("\noverflow bounds over any input\n");
    printf("  %-26s %12" PRId64 "  (one piece a square: %" PRId64 ", loose: %" PRId64 ")\n",
           "|acc1|", b.acc1_exact, b.acc1_tight, b.acc1_loose);
    printf("  %-26s %12" PRId64 "  (loose: %" PRId64 ")\n", "|acc2|", b.acc2_exact, b.acc2_loose);
    printf("  %-26s %12" PRId64 " .. %" PRId64 "  (loose: %" PRId64 ")\n", "acc3", b.acc3_low,
           b.acc3_high, b.acc3_loose);
    printf("  int16 accumulators are %s; int32 sums are %s\n", b.int16_safe ? "safe" : "NOT safe",
           b.int32_safe ? "safe" : "NOT safe");
}

static void print_multipliers(const double factor[3])
{
    printf("\n%-12s %12s %15s %15s\n", "multiplier", "value", "error, S = 16", "error, S = 24");
    for (unsigned i = 0; i < 3; i++) {
        printf("m%-11u %12.8f", i + 1, factor[i]);
        for (unsigned shift = 16; shift <= 24; shift += 8) {
            int32_t m = quantize_multiplier(factor[i], shift);
            if (m)
                printf(" %15.2g", quantize_relative_error(factor[i], m, shift));
            else
                printf(" %15s", "does not fit");
        }
        printf("\n");
    }
}

static uint64_t parameter_bytes(uint32_t h1, uint32_t h2, unsigned weight_size)
{
    uint64_t weights = (uint64_t)TINYNNUE_INPUTS * h1 + (uint64_t)h2 * h1 + h2;
    return weights * weight_size + 4 * ((uint64_t)h1 + h2 + 1);
}

static void print_float(const struct tinynet *tiny, const struct check_result *r)
{
    struct quantized q;
    struct error why = {.text = ""};
    printf("\nfloat drift: %.2g cp with double accumulators, %.2g cp with float32 ones\n", r->drift,
           r->drift32);
    if (quantize_net(&tiny->floats, QUANTIZE_SHIFT, &q, &why)) {
        printf("the net cannot be quantised: %s\n", why.text);
        return;
    }
    printf("\nas int8:");
    print_bounds(&q.net);
    print_multipliers(q.factor);
    quantized_free(&q);
}

static void print_report(const char *path, const struct tinynet *tiny,
                         const struct plynnue_info *info, const struct check_result *r,
                         uint64_t games)
{
    printf("%s: %s, %s, kernels: %s\n\n", path, info->arch, info->is_float ? "float" : "int8",
           netarg_isa_name(info->isa));
    print_proof(r);
    if (games)
        printf("%-28s %12" PRIu64 "\n", "games from the archive", games);
    if (tiny->is_float) {
        print_float(tiny, r);
    } else {
        print_bounds(&tiny->ints);
        if (tiny->has_scale) {
            const double factor[3] = {TINYNNUE_ONE * tiny->scale[0], tiny->scale[1],
                                      TINYNNUE_UNIT_CP * tiny->scale[2] / TINYNNUE_ONE};
            print_multipliers(factor);
        }
    }
    printf("\nparameters: %" PRIu64 " bytes as float, %" PRIu64 " as int8\n",
           parameter_bytes(info->l1, tiny->is_float ? tiny->floats.h2 : tiny->ints.h2, 4),
           parameter_bytes(info->l1, tiny->is_float ? tiny->floats.h2 : tiny->ints.h2, 1));
    printf("%s\n", r->differences   ? "DIFFERENT"
                   : tiny->is_float ? "incremental = refresh = scalar within the drift above"
                                    : "exact: incremental = refresh = scalar = plain computation");
}

static int run_traces(const struct invocation *invocation, struct check *check, uint64_t *games,
                      struct error *err)
{
    struct trace_visitor visitor = check_visitor(check);
    const char *archive = invocation_value(invocation, "games");
    if (trace_fixed(&visitor, err) || trace_random(CHECK_SEED, CHECK_RANDOM_GAMES, &visitor, err))
        return -1;
    return archive ? check_games(archive, &visitor, games, err) : 0;
}

static int run_check(struct invocation *invocation, struct error *err)
{
    const char *path = invocation->arguments[0];
    plynnue_net *net = NULL, *scalar = NULL;
    struct plynnue_info info = {.size = sizeof info};
    struct check *check = NULL;
    struct tinynet tiny = {.is_float = false};
    uint64_t games = 0;
    enum plynnue_isa isa;
    int result = -1;
    if (netarg_isa(invocation, &isa, err) || netarg_open(path, isa, &net, err) ||
        netarg_open(path, PLYNNUE_ISA_SCALAR, &scalar, err) || tinynet_load(path, &tiny, err) ||
        check_new(net, scalar, &tiny, &check, err) || run_traces(invocation, check, &games, err))
        goto out;
    plynnue_net_info(net, &info);
    print_report(path, &tiny, &info, check_results(check), games);
    result = 0;
    if (check_results(check)->differences)
        result = error_set(err, ERROR_DIFFERS, "%s: %" PRIu64 " differences, the first at %s", path,
                           check_results(check)->differences, check_results(check)->first);
out:
    check_free(check);
    tinynet_free(&tiny);
    plynnue_net_close(scalar);
    plynnue_net_close(net);
    return result;
}

const struct command command_check = {
    .name = "check",
    .arguments = "NET",
    .summary = "proves that a net's incremental updates are exact and its sums cannot overflow",
    .details =
        "Plays fixed lines with every kind of move and 300 random games with 30 % of the steps "
        "taken back, and compares the updated accumulator with a fresh one after every step, the "
        "values with those of the scalar kernels and of a computation that shares no code with "
        "them. Exit status 3 when anything differs.",
    .minimum = 1,
    .maximum = 1,
    .options = {{"games", "FILE", "also all games of this archive (.pgn, .pgn.zst)"},
                NETARG_ISA_OPTION},
    .examples = {"plymill check tiny-int8.safetensors",
                 "plymill check tiny-int8.safetensors --games games.pgn.zst"},
    .no_progress = true,
    .run = run_check,
};
