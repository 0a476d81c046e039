/* SPDX-License-Identifier: MIT */
/*
 * What `check` found as JSON, see check_report.h.
 */
#include <jansson.h>
#include <stdio.h>

#include "pipeline/cli/check_report.h"
#include "pipeline/cli/netarg.h"

static json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *range_json(const struct range *range)
{
    return json_pack("[I, I]", (json_int_t)range->low, (json_int_t)range->high);
}

static json_t *levels_json(const struct check_report *report)
{
    json_t *out = json_array();
    for (unsigned i = 0; i < report->level_count; i++)
        json_array_append_new(out, json_pack("{s:s, s:s, s:o}", "isa",
                                             netarg_isa_name(report->levels[i]), "state",
                                             i ? "compared" : "reference", "differences",
                                             integer(report->result->level_differences[i])));
    for (int isa = PLYNNUE_ISA_SCALAR; isa <= PLYNNUE_ISA_NEON; isa++)
        if (check_report_skipped(report, (enum plynnue_isa)isa))
            json_array_append_new(out, json_pack("{s:s, s:s}", "isa",
                                                 netarg_isa_name((enum plynnue_isa)isa), "state",
                                                 "skipped"));
    return out;
}

static json_t *counts_json(const struct check_result *r)
{
    json_t *out = json_object();
    for (unsigned i = 0; i < CHECK_COUNTS; i++) {
        const char *text = check_count_text((enum check_count)i);
        bool chess960 = i == CHECK_CASTLING_CHESS960, captures = i == CHECK_PROMOTION_CAPTURE;
        json_object_set_new(out,
                            chess960   ? "castling, Chess960"
                            : captures ? "promotions with capture"
                                       : text,
                            integer(r->counts[i]));
    }
    return out;
}

static json_t *row_bounds_json(const struct row_bounds *rows)
{
    return json_pack("{s:o, s:o, s:I}", "any_board", range_json(&rows->any),
                     "no_pawns_on_edge_ranks", range_json(&rows->games), "loose",
                     (json_int_t)rows->loose);
}

static json_t *bounds_json(const struct check_report *report)
{
    const struct net_bounds *b = &report->bounds;
    json_t *out = json_pack("{s:o, s:o, s:b, s:b}", "accumulators", row_bounds_json(&b->squares),
                            "seen", range_json(&report->result->seen), "int16_safe", b->int16_safe,
                            "int32_safe", b->int32_safe);
    json_t *layers = json_array();
    if (report->parts.relations) {
        json_object_set_new(out, "threats_and_pawn_pairs", range_json(&b->relations));
        json_object_set_new(out, "together", range_json(&b->total));
    }
    if (report->info.has_psqt) {
        json_object_set_new(out, "psqt", range_json(&b->psqt.any));
        json_object_set_new(out, "psqt_seen", range_json(&report->result->seen_psqt));
    }
    for (unsigned i = 0; i < report->parts.layer_count; i++)
        json_array_append_new(layers, range_json(&b->layers[i]));
    json_object_set_new(out, "layers", layers);
    if (report->parts.output.weights)
        json_object_set_new(out, "output", range_json(&b->output));
    return out;
}

static json_t *tiny_bounds_json(const struct bounds *b)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:[I, I], s:I, s:b, s:b}", "acc1",
                     (json_int_t)b->acc1_exact, "acc1_one_piece_a_square",
                     (json_int_t)b->acc1_tight, "acc1_loose", (json_int_t)b->acc1_loose, "acc2",
                     (json_int_t)b->acc2_exact, "acc2_loose", (json_int_t)b->acc2_loose, "acc3",
                     (json_int_t)b->acc3_low, (json_int_t)b->acc3_high, "acc3_loose",
                     (json_int_t)b->acc3_loose, "int16_safe", b->int16_safe, "int32_safe",
                     b->int32_safe);
}

/* NULL where a multiplier does not fit. */
static json_t *error_json(const struct check_report *report, unsigned i, unsigned shift)
{
    double error = check_report_error(report, i, shift);
    return error >= 0 ? json_real(error) : json_null();
}

static json_t *multipliers_json(const struct check_report *report)
{
    json_t *out = json_array();
    for (unsigned i = 0; i < 3; i++)
        json_array_append_new(out, json_pack("{s:f, s:o, s:o}", "value", report->factors[i],
                                             "error_16", error_json(report, i, 16), "error_24",
                                             error_json(report, i, 24)));
    return out;
}

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

static json_t *proof_json(const struct check_report *report)
{
    const struct check_result *r = report->result;
    json_t *out =
        json_pack("{s:o, s:o, s:o, s:o, s:f, s:f, s:f}", "steps", integer(r->steps), "kinds",
                  counts_json(r), "positions", integer(r->compared), "differences",
                  integer(r->differences), "mean_active_features", ratio(r->active, r->views),
                  "mean_changes_per_move", ratio(r->changes, r->updates), "refreshed_share",
                  ratio(r->refreshes, r->updates + r->refreshes));
    if (r->differences)
        json_object_set_new(out, "first_difference", json_string(r->first));
    if (report->has_games)
        json_object_set_new(out, "games", integer(report->games));
    if (report->info.is_float) {
        json_object_set_new(out, "drift_cp_double", json_real(r->drift));
        json_object_set_new(out, "drift_cp_float32", json_real(r->drift32));
    }
    return out;
}

int check_report_json(const struct check_report *report, struct error *err)
{
    json_t *root =
        json_pack("{s:s, s:s, s:b, s:b, s:o, s:o, s:o, s:o}", "net", report->path, "arch",
                  report->info.arch, "float", (int)report->info.is_float, "verified",
                  (int)report->info.verified, "instruction_sets", levels_json(report), "proof",
                  proof_json(report), "bytes_float", integer(check_report_float_bytes(report)),
                  "bytes_integer", integer(check_report_int_bytes(report)));
    int result;
    if (root && report->has_bounds)
        json_object_set_new(root, "bounds", bounds_json(report));
    if (root && report->has_tiny_bounds)
        json_object_set_new(root, "bounds", tiny_bounds_json(&report->tiny_bounds));
    if (root && report->has_factors)
        json_object_set_new(root, "multipliers", multipliers_json(report));
    result = root ? json_dumpf(root, stdout, JSON_INDENT(2)) : -1;
    json_decref(root);
    if (result)
        return error_set(err, ERROR_FAILED, "the result cannot be written as JSON");
    printf("\n");
    return 0;
}
