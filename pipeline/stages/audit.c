/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "labeler/label_diff.h"

#define FIRST_CAPACITY 64

void audit_init(struct audit *audit, double share, const struct engine_config *config,
                unsigned workers, const volatile sig_atomic_t *stop)
{
    *audit = (struct audit){.share = share,
                            .config = config,
                            .workers = workers < AUDIT_WORKERS_MAX ? workers : AUDIT_WORKERS_MAX,
                            .stop = stop};
}

void audit_close(struct audit *audit)
{
    pool_close(audit->pool);
    free(audit->items);
    *audit = (struct audit){0};
}

void audit_begin(struct audit *audit)
{
    audit->count = 0;
}

/* Draws are even over 64 bits: those below share * 2^64. */
static bool is_drawn(const struct audit *audit, uint64_t draw)
{
    return audit->share >= 1 || ldexp((double)(draw >> 11), -53) < audit->share;
}

int audit_consider(struct audit *audit, int64_t sample, const struct pool_job *job,
                   const uint8_t key[LABELKEY_SIZE], struct error *err)
{
    uint64_t draw = labelkey_draw(key);
    if (!is_drawn(audit, draw))
        return 0;
    if (audit->count == audit->capacity) {
        size_t capacity = audit->capacity > 0 ? 2 * audit->capacity : FIRST_CAPACITY;
        struct audit_item *items = realloc(audit->items, capacity * sizeof *items);
        if (!items)
            return error_memory(err);
        audit->items = items;
        audit->capacity = capacity;
    }
    audit->items[audit->count++] = (struct audit_item){draw, sample, *job};
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct audit_item *one = a, *other = b;
    if (one->draw != other->draw)
        return one->draw < other->draw ? -1 : 1;
    return (one->sample > other->sample) - (one->sample < other->sample);
}

struct audit_pass {
    struct audit *audit;
    struct store_labels *labels;
    size_t next;
    uint64_t audited;
};

/* The next question whose stored label is one. Equal questions have equal draws: once is enough. */
static int next_job(void *context, struct pool_job *job, struct error *err)
{
    struct audit_pass *pass = context;
    const struct audit *audit = pass->audit;
    while (pass->next < audit->count) {
        size_t at = pass->next++;
        const struct audit_item *item = &audit->items[at];
        struct label label;
        if (at > 0 && audit->items[at - 1].draw == item->draw)
            continue;
        int found = store_labels_get(pass->labels, item->sample, &label, NULL, err);
        if (found < 0)
            return -1;
        if (found && label.status == LABEL_OK) {
            *job = item->job;
            job->tag = at;
            return 1;
        }
    }
    return 0;
}

static int take_label(void *context, const struct pool_job *job, const struct label *label,
                      const char *reason, struct error *err)
{
    struct audit_pass *pass = context;
    struct label stored;
    char what[128];
    if (label->status == LABEL_FAILED)
        return error_set(err, ERROR_RETRY, "audit: %s: labeled before, but now not: %s", job->fen,
                         reason);
    int found =
        store_labels_get(pass->labels, pass->audit->items[job->tag].sample, &stored, NULL, err);
    if (found < 0)
        return -1;
    pass->audited++;
    if (label_diff(&stored, label, what, sizeof what))
        return error_set(err, ERROR_DIFFERS,
                         "audit: %s: labeled again by another process, the engine says something "
                         "else: %s; its labels cannot be reproduced with this label.reset (see: "
                         "plymill doctor)",
                         job->fen, what);
    return 0;
}

int audit_run(struct audit *audit, struct store_labels *labels, uint64_t *audited,
              struct error *err)
{
    struct audit_pass pass = {.audit = audit, .labels = labels};
    const struct pool_client client = {.context = &pass, .next = next_job, .done = take_label};
    *audited = 0;
    if (audit->count == 0)
        return 0;
    qsort(audit->items, audit->count, sizeof *audit->items, compare);
    if (!audit->pool && pool_open(audit->config, audit->workers, &audit->pool, err) < 0)
        return -1;
    int status = pool_run(audit->pool, &client, audit->stop, err);
    *audited = pass.audited;
    return status;
}
