/* SPDX-License-Identifier: MIT */
/*
 * Threads that share units of work, see workers.h. A job is announced by a new generation number;
 * units are taken by an atomic counter; the last helper to find the counter exhausted tells the
 * caller.
 *
 * Jobs may take no longer than it takes the kernel to wake a thread, so whoever waits looks again
 * and again for a while before it goes to sleep, unless there are more threads than cores: then it
 * would keep others from the work that it waits for.
 */
#include "nnue/tools/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "formats/io/cores.h"

enum { LOOKS = 4000 }; /* some 50 to 150 microseconds */

struct job {
    size_t count;
    void (*unit)(void *context, size_t i);
    void *context;
};

struct workers {
    pthread_mutex_t lock;
    pthread_cond_t announced, finished;
    struct job job;
    unsigned helpers; /* threads but the caller's */
    unsigned looks;   /* before going to sleep */
    unsigned asleep;  /* helpers that wait for `announced`; under the lock */
    atomic_bool caller_sleeps, ending;
    atomic_ulong generation; /* of the job; helpers wait for it to change */
    atomic_uint busy;        /* helpers that are not yet done with the job */
    _Alignas(64) atomic_size_t next;
    _Alignas(64) pthread_t threads[WORKERS_MAX];
};

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void take_units(struct workers *workers, const struct job *job)
{
    size_t i;
    while ((i = atomic_fetch_add(&workers->next, 1)) < job->count)
        job->unit(job->context, i);
}

static bool is_called(struct workers *workers, unsigned long seen)
{
    return atomic_load(&workers->generation) != seen || atomic_load(&workers->ending);
}

/* Until there is a job other than the last one seen, or all ends. */
static void await_job(struct workers *workers, unsigned long seen)
{
    for (unsigned i = 0; i < workers->looks; i++) {
        if (is_called(workers, seen))
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&workers->lock);
    workers->asleep++;
    while (!is_called(workers, seen))
        pthread_cond_wait(&workers->announced, &workers->lock);
    workers->asleep--;
    pthread_mutex_unlock(&workers->lock);
}

/* The caller says that it sleeps before it looks at busy for the last time; here it is the other
 * way round, so that one of the two sees the other. */
static void tell_done(struct workers *workers)
{
    if (atomic_fetch_sub(&workers->busy, 1) != 1 || !atomic_load(&workers->caller_sleeps))
        return;
    pthread_mutex_lock(&workers->lock);
    pthread_cond_signal(&workers->finished);
    pthread_mutex_unlock(&workers->lock);
}

static void await_helpers(struct workers *workers)
{
    for (unsigned i = 0; i < workers->looks; i++) {
        if (!atomic_load(&workers->busy))
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&workers->lock);
    atomic_store(&workers->caller_sleeps, true);
    while (atomic_load(&workers->busy))
        pthread_cond_wait(&workers->finished, &workers->lock);
    atomic_store(&workers->caller_sleeps, false);
    pthread_mutex_unlock(&workers->lock);
}

static void *helper(void *argument)
{
    struct workers *workers = argument;
    unsigned long seen = 0;
    for (;;) {
        await_job(workers, seen);
        if (atomic_load(&workers->ending))
            return NULL;
        seen = atomic_load(&workers->generation);
        struct job job = workers->job;
        take_units(workers, &job);
        tell_done(workers);
    }
}

int workers_new(unsigned threads, struct workers **out, struct error *err)
{
    struct workers *workers = aligned_alloc(_Alignof(struct workers), sizeof *workers);
    const unsigned cores = cores_available();
    *out = NULL;
    if (!workers)
        return error_memory(err);
    if (!threads)
        threads = cores;
    if (threads > WORKERS_MAX)
        threads = WORKERS_MAX;
    *workers = (struct workers){.looks = threads <= cores ? LOOKS : 0};
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->announced, NULL);
    pthread_cond_init(&workers->finished, NULL);
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

/* The lock keeps a helper from falling asleep between its last look and the announcement. */
static void announce(struct workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    atomic_fetch_add(&workers->generation, 1);
    if (workers->asleep)
        pthread_cond_broadcast(&workers->announced);
    pthread_mutex_unlock(&workers->lock);
}

void workers_run(struct workers *workers, size_t count, void (*unit)(void *context, size_t i),
                 void *context)
{
    workers->job = (struct job){.count = count, .unit = unit, .context = context};
    atomic_store(&workers->next, 0);
    if (workers->helpers) {
        atomic_store(&workers->busy, workers->helpers);
        announce(workers);
    }
    take_units(workers, &workers->job);
    await_helpers(workers);
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
    atomic_store(&workers->ending, true);
    pthread_cond_broadcast(&workers->announced);
    pthread_mutex_unlock(&workers->lock);
    for (unsigned i = 0; i < workers->helpers; i++)
        pthread_join(workers->threads[i], NULL);
    pthread_cond_destroy(&workers->announced);
    pthread_cond_destroy(&workers->finished);
    pthread_mutex_destroy(&workers->lock);
    free(workers);
}
