/* SPDX-License-Identifier: MIT */
/*
 * See cmd_check.h.
 */
#include "pipeline/cli/cmd_check.h"

#include <string.h>

#include "formats/pgn.h"
#include "nnue/core/kernels.h"
#include "pipeline/cli/check_report.h"
#include "pipeline/cli/netarg.h"
#include "pipeline/report/progress.h"

/* The net at every instruction set that is to be compared, the scalar one first. */
struct nets {
    plynnue_net *list[CHECK_LEVELS_MAX];
    unsigned count;
};

/* Positions reached by undoing the moves of a game: one in so many is compared. */
enum { UNDOS_ONE_IN = 8 };

static int check_games(const char *path, const struct trace_visitor *visitor, bool quiet,
                       uint64_t *games, struct error *err)
{
    const struct pgn_options options = {.variants =
                                            PGN_STANDARD | PGN_FROM_POSITION | PGN_CHESS960};
    const struct pgn_game *game;
    struct reader *reader;
    struct pgn *pgn = NULL;
    struct progress progress;
    int more = -1;
    if (reader_open(path, false, &reader, err))
        return -1;
    progress_start(&progress, "games", 0, 0, quiet);
    progress_measure(&progress, (double)reader_file_size(reader));
    if (!pgn_new(reader, &options, NULL, &pgn, err))
        while ((more = pgn_next(pgn, &game, err)) > 0) {
            if (game->reject != PGN_ACCEPTED)
                continue;
            progress_update_part(&progress, ++*games, (double)reader_position(reader));
            if (trace_game(&game->start, game->moves, game->plies, visitor, err)) {
                more = -1;
                break;
            }
        }
    progress_end(&progress, *games);
    pgn_free(pgn);
    reader_close(reader);
    return more;
}

static int run_traces(const struct invocation *invocation, struct check *check,
                      struct check_report *report, struct error *err)
{
    struct trace_visitor visitor = check_visitor(check);
    const char *archive = invocation_value(invocation, "games");
    report->has_games = archive != NULL;
    if (trace_fixed(&visitor, err) || trace_random(CHECK_SEED, CHECK_RANDOM_GAMES, &visitor, err))
        return -1;
    check_thin_undos(check, UNDOS_ONE_IN);
    return archive ? check_games(archive, &visitor, invocation->quiet, &report->games, err) : 0;
}

/* Which levels: the one of --isa beside the scalar one, or all that CPU and build have. */
static int choose_levels(const struct invocation *invocation, struct check_report *report,
                         struct error *err)
{
    enum plynnue_isa asked;
    if (netarg_isa(invocation, &asked, err))
        return -1;
    report->all_levels = asked == PLYNNUE_ISA_AUTO;
    report->levels[report->level_count++] = PLYNNUE_ISA_SCALAR;
    for (int isa = PLYNNUE_ISA_SCALAR + 1; isa <= PLYNNUE_ISA_NEON; isa++)
        if ((report->all_levels || asked == (enum plynnue_isa)isa) &&
            kernels_find((enum plynnue_isa)isa))
            report->levels[report->level_count++] = (enum plynnue_isa)isa;
    return 0;
}

static int open_nets(const struct invocation *invocation, const struct check_report *report,
                     struct nets *nets, struct error *err)
{
    const char *arch = invocation_value(invocation, "arch");
    for (; nets->count < report->level_count; nets->count++)
        if (netarg_open_as(report->path, arch, report->levels[nets->count],
                           &nets->list[nets->count], err))
            return -1;
    return 0;
}

static void close_nets(struct nets *nets)
{
    for (unsigned i = 0; i < nets->count; i++)
        plynnue_net_close(nets->list[i]);
}

/* The scales that an int8 net's multipliers came from, where its file says them. */
static void find_factors(struct check_report *report)
{
    struct tinynet tiny;
    if (tinynet_load(report->path, &tiny, NULL))
        return;
    report->has_factors = !tiny.is_float && tiny.has_scale;
    report->factors[0] = TINYNNUE_ONE * tiny.scale[0];
    report->factors[1] = tiny.scale[1];
    report->factors[2] = TINYNNUE_UNIT_CP * tiny.scale[2] / TINYNNUE_ONE;
    tinynet_free(&tiny);
}

/* A float net's int8 form. */
static void bound_quantised(struct check_report *report)
{
    struct quantized q;
    if (quantize_net(report->parts.tiny_float, QUANTIZE_SHIFT, &q, &report->unquantised))
        return;
    report->has_tiny_bounds = report->has_factors = true;
    bounds_compute(&q.net, &report->tiny_bounds);
    memcpy(report->factors, q.factor, sizeof report->factors);
    quantized_free(&q);
}

static void find_bounds(struct check_report *report, const plynnue_net *scalar)
{
    report->has_bounds = report->parts.squares != NULL;
    if (report->has_bounds)
        net_bounds(scalar, &report->bounds);
    if (report->parts.tiny_int) {
        report->has_tiny_bounds = true;
        bounds_compute(report->parts.tiny_int, &report->tiny_bounds);
        find_factors(report);
    }
    if (report->parts.tiny_float)
        bound_quantised(report);
}

static int run_check(struct invocation *invocation, struct error *err)
{
    struct check_report report = {.path = invocation->arguments[0]};
    struct nets nets = {.count = 0};
    struct check *check = NULL;
    struct tinynet tiny = {.is_float = false};
    int result = -1;
    if (choose_levels(invocation, &report, err) || open_nets(invocation, &report, &nets, err))
        goto out;
    report.info.size = sizeof report.info;
    plynnue_net_info(nets.list[0], &report.info);
    net_parts(nets.list[0], &report.parts);
    if (report.parts.tiny_int)
        tiny.ints = *report.parts.tiny_int; /* borrowed */
    if (check_new((const plynnue_net *const *)nets.list, nets.count,
                  report.parts.tiny_int ? &tiny : NULL, &check, err) ||
        run_traces(invocation, check, &report, err))
        goto out;
    report.result = check_results(check);
    find_bounds(&report, nets.list[0]);
    result = 0;
    if (invocation_has(invocation, "json"))
        result = check_report_json(&report, err);
    else
        check_report_print(&report);
    if (!result)
        result = check_verdict(report.result, report.path, err);
out:
    check_free(check);
    close_nets(&nets);
    return result;
}

const struct command command_check = {
    .name = "check",
    .arguments = "NET",
    .summary = "proves that a net's incremental updates are exact, and says what can overflow",
    .details =
        "Plays fixed lines with every kind of move and 300 random games with 30 % of the steps "
        "taken back, for a net of any kind, at every instruction set that this CPU has. After "
        "every step the updated accumulators are compared with fresh ones, the values with those "
        "of the scalar kernels, of the refresh cache, of batches, and (769->H1->H2->1) of a "
        "computation that shares no code with them. Of float nets the drift is measured. Exit "
        "status 3 when anything differs.\n"
        "Bounds hold over any input: for every unit and own king the board that is worst for it, "
        "over all boards and over those without pawns on ranks 1 and 8; beside them the loose "
        "bound, |bias| and the 32 largest |rows| of a king bucket. That int16 accumulators may "
        "wrap is said, but is no difference: updated and fresh ones wrap alike.",
    .minimum = 1,
    .maximum = 1,
    .options = {{"games", "FILE",
                 "also all games of this archive (.pgn, .pgn.zst), there and back"},
                {"json", NULL, "prints one JSON object"},
                NETARG_ARCH_OPTION,
                {"isa", "LEVEL",
                 "only this instruction set beside the scalar one: avx2, avxvnni, avx512vnni or "
                 "neon"}},
    .examples = {"plymill check tiny-int8.safetensors --games games.pgn.zst",
                 "plymill check quantised.bin --arch '(768->128)x2->1 screlu' --json"},
    .run = run_check,
};
