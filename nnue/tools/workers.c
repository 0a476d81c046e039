/* SPDX-License-Identifier: MIT */
/*
 * Threads that share units of work, see workers.h. A job is announced by a new generation number;
 * units are taken by an atomic counter; the last helper to find the counter exhausted wakes the
 * caller.
 */
#include "nnue/tools/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct job {
    size_t count;
    void (*unit)(void *context, size_t i);
    void *context;
};

struct workers {
    pthread_mutex_t lock;
    pthread_cond_t announced, finished;
    struct job job;
    unsigned long generation; /* of the job; helpers wait for it to change */
    unsigned helpers, busy;   /* threads but the caller's; those not yet done with the job */
    bool ending;
    atomic_size_t next;
    pthread_t threads[WORKERS_MAX];
};

static void take_units(struct workers *workers, const struct job *job)
{
    size_t i;
    while ((i = atomic_fetch_add(&workers->next, 1)) < job->count)
        job->unit(job->context, i);
}

static void *helper(void *argument)
{
    struct workers *workers = argument;
    unsigned long seen = 0;
    pthread_mutex_lock(&workers->lock);
    for (;;) {
        while (workers->generation == seen && !workers->ending)
            pthread_cond_wait(&workers->announced, &workers->lock);
        if (workers->ending)
            break;
        seen = workers->generation;
        struct job job = workers->job;
        pthread_mutex_unlock(&workers->lock);
        take_units(workers, &job);
        pthread_mutex_lock(&workers->lock);
        if (--workers->busy == 0)
            pthread_cond_signal(&workers->finished);
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

int workers_new(unsigned threads, struct workers **out, struct error *err)
{
    struct workers *workers = calloc(1, sizeof *workers);
    *out = NULL;
    if (!workers)
        return error_memory(err);
    if (!threads) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        threads = cores > 1 ? (unsigned)cores : 1;
    }
    if (threads > WORKERS_MAX)
        threads = WORKERS_MAX;
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->announced, NULL);
    pthread_cond_init(&workers->finished, NULL);
    atomic_init(&workers->next, 0);
    for (; workers->helpers + 1 < threads; workers->helpers++) {
        int code = pthread_create(&workers->threads[workers->helpers], NULL, helper, workers);
        if (code) {
            workers_free(workers);
            return error_system(err, code, "cannot start a thread");
        }
    }
    *out = workers;
    return 0;
}

void workers_run(struct workers *workers, size_t count, void (*unit)(void *context, size_t i),
                 void *context)
{
    struct job job = {.count = count, .unit = unit, .context = context};
    pthread_mutex_lock(&workers->lock);
    workers->job = job;
    workers->generation++;
    workers->busy = workers->helpers;
    atomic_store(&workers->next, 0);
    pthread_cond_broadcast(&workers->announced);
    pthread_mutex_unlock(&workers->lock);
    take_units(workers, &job);
    pthread_mutex_lock(&workers->lock);
    while (workers->busy)
        pthread_cond_wait(&workers->finished, &workers->lock);
    pthread_mutex_unlock(&workers->lock);
}

unsigned workers_threads(const struct workers *workers)
{
    return workers->helpers + 1;
}

void workers_free(struct workers *workers)
{
    if (!workers)
        return;
    pthread_mutex_lock(&workers->lock);
    workers->ending = true;
    pthread_cond_broadcast(&workers->announced);
    pthread_mutex_unlock(&workers->lock);
    for (unsigned i = 0; i < workers->helpers; i++)
        pthread_join(workers->threads[i], NULL);
    pthread_cond_destroy(&workers->announced);
    pthread_cond_destroy(&workers->finished);
    pthread_mutex_destroy(&workers->lock);
    free(workers);
}
