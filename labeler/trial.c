/* SPDX-License-Identifier: MIT */
#include "labeler/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "labeler/engine.h"
#include "labeler/label_diff.h"
#include "labeler/pool.h"
#include "labeler/signature_positions.h"

/* 1, STRIDE, 2 * STRIDE ... modulo their number: no position follows the one it followed before. */
#define STRIDE 7

_Static_assert(SIGNATURE_POSITIONS < TRIAL_POSITIONS && TRIAL_POSITIONS % STRIDE != 0,
               "all positions are reached");

/* Beside the signature positions, of every phase of a game. */
static const char *const further_positions[] = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 1",
    "r2q1rk1/pp2bppp/2n1bn2/3p4/3N4/2N1B3/PPP1BPPP/R2Q1RK1 w - - 6 1",
    "2r3k1/5pp1/p3p2p/1p1nP3/3N4/P4P2/1P4PP/2R3K1 b - - 0 1",
    "8/5pk1/4p1p1/3pP2p/3P1P1P/6P1/5K2/8 w - - 2 1",
    "8/8/4k3/3p4/3P4/4K3/8/5B2 b - - 10 1",
};

struct order {
    unsigned next, stride;
    uint64_t nodes;
    struct label labels[TRIAL_POSITIONS];
};

static const char *position_at(unsigned index)
{
    return index < SIGNATURE_POSITIONS ? signature_positions[index]
                                       : further_positions[index - SIGNATURE_POSITIONS];
}

static int order_next(void *context, struct pool_job *job, struct error *err)
{
    struct order *order = context;
    if (order->next == TRIAL_POSITIONS) {
        return 0;
    }
    unsigned index = order->next++ * order->stride % TRIAL_POSITIONS;
    const char *fen = position_at(index);
    memset(job, 0, sizeof *job);
    enum fen_status status =
        fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &job->position, NULL);
    if (status != FEN_OK) {
        return error_set(err, ERROR_FAILED, "%s: %s", fen, fen_status_text(status));
    }
    snprintf(job->fen, sizeof job->fen, "%s", fen);
    job->tag = index;
    job->limit_kind = LIMIT_NODES;
    job->limit = order->nodes;
    return 1;
}

static int order_done(void *context, const struct pool_job *job, const struct label *label,
                      const char *reason, struct error *err)
{
    struct order *order = context;
    order->labels[job->tag] = *label;
    if (label->status != LABEL_OK) {
        return error_set(err, ERROR_FAILED, "it cannot label %s: %s", job->fen,
                         reason != NULL ? reason : "no answer");
    }
    return 0;
}

/* *us gets the time of the searches. */
static int run_order(const struct engine_config *config, unsigned workers, struct order *order,
                     int64_t *us, struct error *err)
{
    const struct pool_client client = {.context = order, .next = order_next, .done = order_done};
    struct pool *pool;
    if (pool_open(config, workers, &pool, err) != 0) {
        return -1;
    }
    int64_t begin = engine_clock_us();
    int result = pool_run(pool, &client, NULL, err);
    *us += engine_clock_us() - begin;
    pool_close(pool);
    return result;
}

static void compare(const struct order *one, const struct order *other, struct trial *trial)
{
    for (unsigned i = 0; i < TRIAL_POSITIONS; i++) {
        char what[128];
        if (label_diff(&one->labels[i], &other->labels[i], what, sizeof what) &&
            trial->differing++ == 0) {
            snprintf(trial->note, sizeof trial->note, "%s: %s", position_at(i), what);
        }
    }
    trial->verdict = trial->differing > 0 ? TRIAL_DEPENDS : TRIAL_ORDER_FREE;
}

const char *trial_reset_name(enum engine_reset reset)
{
    static const char *const names[] = {"ucinewgame", "clear-hash", "restart"};
    return names[reset];
}

void trial_run(const struct engine_config *config, enum engine_reset reset, unsigned workers,
               uint64_t nodes, struct trial *trial)
{
    struct engine_config changed = *config;
    struct order orders[2] = {{.stride = 1, .nodes = nodes}, {.stride = STRIDE, .nodes = nodes}};
    struct error err = {0};
    int64_t us = 0;
    *trial = (struct trial){.verdict = TRIAL_IMPOSSIBLE};
    changed.reset = reset;
    unsigned count = reset == RESET_RESTART ? workers : 1;
    if (run_order(&changed, count, &orders[0], &us, &err) != 0 ||
        run_order(&changed, count, &orders[1], &us, &err) != 0) {
        snprintf(trial->note, sizeof trial->note, "%s", err.text);
        return;
    }
    trial->ms_per_label = (double)us / 1000 / (2 * TRIAL_POSITIONS);
    compare(&orders[0], &orders[1], trial);
}
