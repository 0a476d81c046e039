/* SPDX-License-Identifier: MIT */
/*
 * The poll loop over engines, and what happens when one of them fails.
 */
#include "labeler/pool.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "labeler/command.h"
#include "labeler/engine.h"

#define ATTEMPTS_MAX      2 /* searches of a position before it is given up */
#define BACKOFF_FIRST_MS  20
#define BACKOFF_LAST_MS   5000
#define BACKOFF_OPEN_MS   500 /* the same while none has started: somebody may wait for the error */
#define TICK_US           INT64_C(100000)
#define STOP_GRACE_US     INT64_C(900000)
#define QUIT_GRACE_US     INT64_C(300000)
#define DEADLINE_LEAST_MS 5000
#define DEADLINE_MOST_MS  1e9
#define DEADLINE_FACTOR   10
#define ASSUMED_NODE_US   100.0 /* until the engine's own rate is known: 10,000 nodes a second */
#define ASSUMED_DEPTH_US  60e6

/* One place for an engine, and the position that it is at. */
struct slot {
    struct engine *engine; /* NULL while it waits for restart_us */
    int64_t restart_us;
    unsigned failures; /* of engines, one after the other */
    bool busy;         /* job is a position without an answer */
    bool sent;         /* this engine has been asked */
    unsigned attempts; /* searches that failed */
    struct pool_job job;
};

struct pool {
    const struct engine_config *config;
    struct command command;
    char name[ENGINE_NAME_MAX]; /* of the first engine; restarts must be the same */
    struct slot *slots;
    struct pollfd *fds; /* the slots' outputs, their error outputs, the client's wake_fd */
    unsigned count;
    bool proven;          /* an engine of this command has said readyok */
    int64_t *restarts_us; /* ring of the last max_restarts + 1 failures */
    uint64_t restarts;
    struct pool_stats stats;
    struct health health;                /* since it was last taken */
    double search_us, nodes, slowest_us; /* what was measured, for the deadlines */
};

/* What a run adds. */
struct run {
    const struct pool_client *client;
    const volatile sig_atomic_t *stop;
    bool exhausted;     /* next() had no more */
    bool later;         /* next() had none for the moment */
    int64_t abandon_us; /* when running searches are given up; 0 while nobody said stop */
    int64_t tick_us;
};

static void pool_prefix(const struct pool *pool, struct error *err)
{
    error_prefix(err, "engine \"%s\"", pool->config->command);
}

static int slot_start(struct pool *pool, struct slot *slot, struct error *err)
{
    slot->sent = false;
    return engine_start(pool->config, &pool->command, &slot->engine, err);
}

/* Is there (or will there be) something to do for an engine of this slot? */
static bool slot_is_wanted(const struct slot *slot, const struct run *run)
{
    return slot->busy || (!run->exhausted && run->abandon_us == 0);
}

/* When something has to happen in this slot even if its engine says nothing. */
static int64_t slot_wake_us(const struct slot *slot, const struct run *run)
{
    if (slot->engine != NULL) {
        return engine_deadline_us(slot->engine);
    }
    return slot_is_wanted(slot, run) ? slot->restart_us : INT64_MAX;
}

/* Waits for output of any engine, a deadline, or a restart, up to TICK_US. */
static int pool_poll(struct pool *pool, const struct run *run, struct error *err)
{
    int64_t now = engine_clock_us();
    int64_t wake = now + TICK_US;
    for (unsigned i = 0; i < pool->count; i++) {
        const struct slot *slot = &pool->slots[i];
        int64_t at = slot_wake_us(slot, run);
        wake = at < wake ? at : wake;
        int output = slot->engine != NULL ? engine_output_fd(slot->engine) : -1;
        int log = slot->engine != NULL ? engine_log_fd(slot->engine) : -1;
        pool->fds[i] = (struct pollfd){.fd = output, .events = POLLIN};
        pool->fds[pool->count + i] = (struct pollfd){.fd = log, .events = POLLIN};
    }
    int timeout = wake > now ? (int)((wake - now + 999) / 1000) : 0;
    int wake_fd = run->later && run->client->wake_fd > 0 ? run->client->wake_fd : -1;
    pool->fds[2 * (size_t)pool->count] = (struct pollfd){.fd = wake_fd, .events = POLLIN};
    if (poll(pool->fds, 2 * (nfds_t)pool->count + 1, timeout) < 0 && errno != EINTR) {
        return error_system(err, errno, "poll");
    }
    return 0;
}

/* Has the engine said something? Right after pool_poll; what is on its stderr is taken here. */
static bool slot_has_output(const struct pool *pool, unsigned i)
{
    if (pool->fds[pool->count + i].revents != 0) {
        engine_drain_log(pool->slots[i].engine);
    }
    return pool->fds[i].revents != 0;
}

static int pool_allocate(struct pool *pool, unsigned workers, struct error *err)
{
    size_t restarts = (size_t)pool->config->max_restarts + 1;
    pool->slots = calloc(workers, sizeof *pool->slots);
    pool->fds = calloc(2 * (size_t)workers + 1, sizeof *pool->fds);
    pool->restarts_us = calloc(restarts, sizeof *pool->restarts_us);
    if (pool->slots == NULL || pool->fds == NULL || pool->restarts_us == NULL) {
        return error_memory(err);
    }
    pool->count = workers;
    return 0;
}

const struct engine *pool_first_engine(const struct pool *pool)
{
    return pool->slots[0].engine;
}

void pool_stats(const struct pool *pool, struct pool_stats *stats)
{
    *stats = pool->stats;
}

void pool_take_health(struct pool *pool, struct health *health)
{
    *health = pool->health;
    pool->health = (struct health){.labels = 0};
}

void pool_close(struct pool *pool)
{
    if (pool == NULL) {
        return;
    }
    for (unsigned i = 0; i < pool->count; i++) {
        if (pool->slots[i].engine != NULL) {
            engine_say_quit(pool->slots[i].engine);
        }
    }
    int64_t until = engine_clock_us() + QUIT_GRACE_US;
    for (unsigned i = 0; i < pool->count; i++) {
        struct engine *engine = pool->slots[i].engine;
        int64_t left = until - engine_clock_us();
        if (engine != NULL && left > 0) {
            engine_has_ended(engine, (int)(left / 1000));
        }
        engine_stop(engine);
    }
    command_free(&pool->command);
    free(pool->slots);
    free(pool->fds);
    free(pool->restarts_us);
    free(pool);
}

/* Ten times what the engine's own rate lets expect, unless the configuration says it. */
static unsigned deadline_of(const struct pool *pool, const struct pool_job *job)
{
    double expected_us;
    if (pool->config->deadline_ms != 0) {
        return pool->config->deadline_ms;
    }
    if (job->limit_kind == LIMIT_NODES) {
        double node_us = pool->nodes > 0 ? pool->search_us / pool->nodes : ASSUMED_NODE_US;
        expected_us = (double)job->limit * node_us;
    } else {
        expected_us = pool->slowest_us > 0 ? pool->slowest_us : ASSUMED_DEPTH_US;
    }
    double deadline_ms = DEADLINE_FACTOR * expected_us / 1000;
    if (deadline_ms < DEADLINE_LEAST_MS) {
        return DEADLINE_LEAST_MS;
    }
    return (unsigned)(deadline_ms < DEADLINE_MOST_MS ? deadline_ms : DEADLINE_MOST_MS);
}

static void measure(struct pool *pool, const struct engine *engine)
{
    double us = (double)engine_search_us(engine);
    const struct label *label = &engine_answer(engine)->label;
    if (label->status == LABEL_OK) {
        health_note(&pool->health, us > 0 ? (uint64_t)us : 0, label->nodes);
        pool->search_us += us;
        pool->nodes += (double)label->nodes;
        pool->slowest_us = us > pool->slowest_us ? us : pool->slowest_us;
    }
}

static int deliver(struct pool *pool, struct slot *slot, const struct answer *answer,
                   const struct run *run, struct error *err)
{
    bool good = answer->label.status == LABEL_OK;
    slot->busy = slot->sent = false;
    slot->attempts = 0;
    pool->stats.labels += good;
    pool->stats.failures += answer->label.status == LABEL_FAILED;
    pool->health.failures += answer->label.status == LABEL_FAILED;
    return run->client->done(run->client->context, &slot->job, &answer->label,
                             good ? NULL : answer->reason, err);
}

static int deliver_failure(struct pool *pool, struct slot *slot, const char *reason,
                           const struct run *run, struct error *err)
{
    struct answer answer;
    answer_begin(&answer, slot->job.limit_kind, slot->job.limit);
    answer_fail(&answer, reason);
    return deliver(pool, slot, &answer, run, err);
}

/*
 * Notes a failure of an engine. Too many in the window are ERROR_RETRY; where none has ever started
 * all count, and a later try would end no better.
 */
static int count_restart(struct pool *pool, const char *reason, struct error *err)
{
    const struct engine_config *config = pool->config;
    size_t size = (size_t)config->max_restarts + 1;
    int64_t now = engine_clock_us();
    pool->stats.restarts++;
    pool->health.restarts++;
    pool->restarts_us[pool->restarts++ % size] = now;
    if (pool->restarts < size) {
        return 0;
    }
    if (!pool->proven) {
        return error_set(err, ERROR_FAILED, "failed to start %zu time%s, the last time: %s", size,
                         size == 1 ? "" : "s", reason);
    }
    int64_t oldest = pool->restarts_us[pool->restarts % size];
    if (now - oldest > (int64_t)config->restart_window_s * 1000000) {
        return 0;
    }
    return error_set(err, ERROR_RETRY, "failed %zu times within %u s, the last time: %s", size,
                     config->restart_window_s, reason);
}

static int64_t backoff_us(unsigned failures, int64_t last_ms)
{
    int64_t ms = BACKOFF_FIRST_MS;
    for (unsigned i = 1; i < failures && ms < last_ms; i++) {
        ms *= 2;
    }
    return 1000 * (ms < last_ms ? ms : last_ms);
}

/* The engine is of no use any more: kill it and plan a new one. */
static void slot_renew(const struct pool *pool, struct slot *slot)
{
    engine_stop(slot->engine);
    slot->engine = NULL;
    slot->failures++;
    slot->restart_us = engine_clock_us() +
                       backoff_us(slot->failures, pool->proven ? BACKOFF_LAST_MS : BACKOFF_OPEN_MS);
}

static bool slot_is_late(const struct slot *slot)
{
    return slot->engine != NULL && engine_clock_us() >= engine_deadline_us(slot->engine);
}

/*
 * pool_open: another try after a failure? Until one engine has started, silence may mean that the
 * program is none, and is final; a process that ended may have been killed.
 */
static int fail_at_start(struct pool *pool, struct slot *slot, bool late, const struct error *why,
                         struct error *err)
{
    bool again = late ? pool->proven : why->code == ERROR_RETRY;
    if (!again) {
        return error_set(err, ERROR_FAILED, "%s", why->text);
    }
    pool->health.timeouts += late;
    slot_renew(pool, slot);
    return count_restart(pool, why->text, err);
}

/* One look at a slot that starts. */
static int slot_start_step(struct pool *pool, unsigned i, struct error *err)
{
    struct slot *slot = &pool->slots[i];
    struct error why = {0};
    if (slot->engine == NULL) {
        return engine_clock_us() >= slot->restart_us ? slot_start(pool, slot, err) : 0;
    }
    enum engine_event event = ENGINE_WAITING;
    if (slot_has_output(pool, i) || slot_is_late(slot)) {
        event = engine_pump(slot->engine, &why);
    }
    pool->proven = pool->proven || event == ENGINE_STARTED;
    if (event == ENGINE_FAILED) {
        return fail_at_start(pool, slot, false, &why, err);
    }
    if (slot_is_late(slot)) {
        engine_late_error(slot->engine, &why);
        return fail_at_start(pool, slot, true, &why, err);
    }
    return 0;
}

static bool all_are_ready(const struct pool *pool)
{
    bool ready = true;
    for (unsigned i = 0; i < pool->count; i++) {
        const struct engine *engine = pool->slots[i].engine;
        ready = ready && engine != NULL && engine_is_ready(engine);
    }
    return ready;
}

/* pool_open: every engine up to its first readyok. */
static int wait_for_start(struct pool *pool, struct error *err)
{
    const struct run starting = {.later = false};
    while (!all_are_ready(pool)) {
        if (pool_poll(pool, &starting, err) != 0) {
            return -1;
        }
        for (unsigned i = 0; i < pool->count; i++) {
            if (slot_start_step(pool, i, err) != 0) {
                return -1;
            }
        }
    }
    return 0;
}

static int pool_start(struct pool *pool, unsigned workers, struct error *err)
{
    if (command_parse(pool->config->command, &pool->command, err) != 0 ||
        pool_allocate(pool, workers, err) != 0) {
        return -1;
    }
    for (unsigned i = 0; i < workers; i++) {
        if (slot_start(pool, &pool->slots[i], err) != 0) {
            return -1;
        }
    }
    if (wait_for_start(pool, err) != 0) {
        return -1;
    }
    memcpy(pool->name, engine_name(pool->slots[0].engine), ENGINE_NAME_MAX);
    return 0;
}

int pool_open(const struct engine_config *config, unsigned workers, struct pool **pool,
              struct error *err)
{
    *pool = NULL;
    if (workers < 1 || workers > POOL_WORKERS_MAX || config->max_restarts > POOL_RESTARTS_MAX) {
        return error_set(err, ERROR_USAGE, "workers must be 1 to %d, max_restarts 0 to %d",
                         POOL_WORKERS_MAX, POOL_RESTARTS_MAX);
    }
    struct pool *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL) {
        return error_memory(err);
    }
    fresh->config = config;
    if (pool_start(fresh, workers, err) != 0) {
        pool_prefix(fresh, err);
        pool_close(fresh);
        return -1;
    }
    *pool = fresh;
    return 0;
}

/* A new engine instead of this one; settles what becomes of its position. */
static int slot_fail(struct pool *pool, struct slot *slot, const char *reason,
                     const struct run *run, struct error *err)
{
    slot_renew(pool, slot);
    if (slot->sent && ++slot->attempts == ATTEMPTS_MAX &&
        deliver_failure(pool, slot, reason, run, err) != 0) {
        return -1;
    }
    slot->sent = false;
    if (count_restart(pool, reason, err) != 0) {
        pool_prefix(pool, err);
        return -1;
    }
    return 0;
}

static int slot_started(const struct pool *pool, const struct slot *slot, struct error *err)
{
    const char *name = engine_name(slot->engine);
    if (strcmp(name, pool->name) == 0) {
        return 0;
    }
    error_set(err, ERROR_FAILED, "it became another one during the run: \"%s\", not \"%s\"", name,
              pool->name);
    pool_prefix(pool, err);
    return -1;
}

static int slot_answered(struct pool *pool, struct slot *slot, const struct run *run,
                         struct error *err)
{
    struct answer answer = *engine_answer(slot->engine);
    slot->failures = 0;
    measure(pool, slot->engine);
    if (pool->config->reset == RESET_RESTART) {
        engine_stop(slot->engine);
        slot->engine = NULL;
        slot->restart_us = 0;
    }
    return deliver(pool, slot, &answer, run, err);
}

/* Everything that an engine said. */
static int slot_pump(struct pool *pool, struct slot *slot, const struct run *run, struct error *err)
{
    struct error why = {0};
    int result = 0;
    while (result == 0 && slot->engine != NULL) {
        switch (engine_pump(slot->engine, &why)) {
        case ENGINE_WAITING:
            return 0;
        case ENGINE_STARTED:
            result = slot_started(pool, slot, err);
            break;
        case ENGINE_ANSWERED:
            result = slot_answered(pool, slot, run, err);
            break;
        case ENGINE_FAILED:
            result = slot_fail(pool, slot, why.text, run, err);
            break;
        }
    }
    return result;
}

/*
 * An engine is late only if there is nothing to read from it now: what poll knew may be old, since
 * other slots, the caller, or a pause of our own process took their time.
 */
static int pump_all(struct pool *pool, const struct run *run, struct error *err)
{
    for (unsigned i = 0; i < pool->count; i++) {
        struct slot *slot = &pool->slots[i];
        if ((slot_has_output(pool, i) || slot_is_late(slot)) &&
            slot_pump(pool, slot, run, err) != 0) {
            return -1;
        }
        if (slot_is_late(slot)) {
            struct error why = {0};
            engine_late_error(slot->engine, &why);
            pool->health.timeouts++;
            if (slot_fail(pool, slot, why.text, run, err) != 0) {
                return -1;
            }
        }
    }
    return 0;
}

/* Starts the engines that are due, unless there is nothing left for them to do. */
static int start_due(struct pool *pool, const struct run *run, struct error *err)
{
    int64_t now = engine_clock_us();
    for (unsigned i = 0; i < pool->count; i++) {
        struct slot *slot = &pool->slots[i];
        struct error why = {0};
        if (slot->engine == NULL && slot_is_wanted(slot, run) && now >= slot->restart_us &&
            slot_start(pool, slot, &why) != 0 && slot_fail(pool, slot, why.text, run, err) != 0) {
            return -1;
        }
    }
    return 0;
}

/* What must not be sent. NULL: it may. */
static const char *job_fault(const struct pool *pool, const struct pool_job *job)
{
    if (job->position.chess960 && !pool->config->chess960) {
        return "a Chess960 position, and UCI_Chess960 is not set";
    }
    if (job->fen[0] == 0 || memchr(job->fen, 0, sizeof job->fen) == NULL ||
        strpbrk(job->fen, "\r\n") != NULL) {
        return "a FEN that is none";
    }
    return NULL;
}

/* Takes a job for the slot. 1, 0 when there is none (now), -1. */
static int slot_take_job(struct pool *pool, struct slot *slot, struct run *run, struct error *err)
{
    const char *fault;
    do {
        int got = run->client->next(run->client->context, &slot->job, err);
        if (got != 1) {
            run->exhausted = run->exhausted || got == 0;
            run->later = run->later || got == POOL_LATER;
            return got < 0 ? -1 : 0;
        }
        if ((slot->job.limit_kind != LIMIT_NODES && slot->job.limit_kind != LIMIT_DEPTH) ||
            slot->job.limit == 0) {
            return error_set(err, ERROR_USAGE, "a search needs a limit of at least 1");
        }
        fault = job_fault(pool, &slot->job);
        if (fault != NULL && deliver_failure(pool, slot, fault, run, err) != 0) {
            return -1;
        }
    } while (fault != NULL);
    slot->busy = true;
    slot->attempts = 0;
    return 1;
}

/* Gives every ready engine something to do: what its slot holds since a failure, or a new job. */
static int assign_jobs(struct pool *pool, struct run *run, struct error *err)
{
    run->later = false;
    for (unsigned i = 0; i < pool->count; i++) {
        struct slot *slot = &pool->slots[i];
        if (slot->engine == NULL || !engine_is_ready(slot->engine)) {
            continue;
        }
        if (!slot->busy) {
            bool none = run->exhausted || run->later;
            int got = none ? 0 : slot_take_job(pool, slot, run, err);
            if (got < 0) {
                return -1;
            }
            if (got == 0) {
                continue;
            }
        }
        const struct pool_job *job = &slot->job;
        slot->sent = true;
        engine_search(slot->engine, &job->position, job->fen, job->limit_kind, job->limit,
                      deadline_of(pool, job));
    }
    return 0;
}

static unsigned busy_slots(const struct pool *pool)
{
    unsigned busy = 0;
    for (unsigned i = 0; i < pool->count; i++) {
        busy += pool->slots[i].busy;
    }
    return busy;
}

static void tick(const struct pool_client *client, struct run *run)
{
    int64_t now = engine_clock_us();
    if (client->tick != NULL && now - run->tick_us >= TICK_US / 2) {
        run->tick_us = now;
        client->tick(client->context);
    }
}

/* Engines that are still searching cannot be used again. */
static void abandon_jobs(struct pool *pool)
{
    for (unsigned i = 0; i < pool->count; i++) {
        struct slot *slot = &pool->slots[i];
        if (slot->busy) {
            engine_stop(slot->engine);
            slot->engine = NULL;
            slot->restart_us = 0;
        }
        slot->busy = slot->sent = false;
    }
}

/* 1 when the run is over, 0, -1. */
static int run_step(struct pool *pool, struct run *run, struct error *err)
{
    if (run->abandon_us == 0 && run->stop != NULL && *run->stop != 0) {
        run->abandon_us = engine_clock_us() + STOP_GRACE_US;
    }
    if (start_due(pool, run, err) != 0 ||
        (run->abandon_us == 0 && assign_jobs(pool, run, err) != 0)) {
        return -1;
    }
    bool over = run->exhausted || run->abandon_us != 0;
    if ((over && busy_slots(pool) == 0) ||
        (run->abandon_us != 0 && engine_clock_us() >= run->abandon_us)) {
        return 1;
    }
    if (pool_poll(pool, run, err) != 0 || pump_all(pool, run, err) != 0) {
        return -1;
    }
    tick(run->client, run);
    return 0;
}

int pool_run(struct pool *pool, const struct pool_client *client, const volatile sig_atomic_t *stop,
             struct error *err)
{
    struct run run = {.client = client, .stop = stop};
    int result;
    do {
        result = run_step(pool, &run, err);
    } while (result == 0);
    bool all_done = run.exhausted && busy_slots(pool) == 0;
    abandon_jobs(pool);
    if (result < 0) {
        return -1;
    }
    if (!all_done) {
        return error_set(err, ERROR_RETRY, "stopped by a signal");
    }
    return 0;
}
