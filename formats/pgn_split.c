/* SPDX-License-Identifier: MIT */
/*
 * See pgn_split.h. The thread that calls is one of the workers. Turns order the parts: a worker
 * whose part is read waits until all parts before it are merged.
 */
#include "formats/pgn_split.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/fault.h"

#define CUT_TEXT                                                                                   \
    "\n\n[Event \"" /* where parts are cut: the first of its newlines begins a part                \
                     */
#define CUT_TAG 2   /* the game's first byte in it */

struct worker {
    struct split *split;
    pthread_t thread;
    char *text; /* owned: the part */
    size_t size;
    size_t carried; /* bytes of it that stand in the part before as well */
    size_t cut;     /* where the next part begins; size: nowhere */
    uint64_t base;  /* offset of the text in the input */
    uint64_t turn;
    bool last;        /* the input ends behind it, well or badly */
    bool parked;      /* read, and waiting to be merged */
    void *result;     /* owned */
    bool proved;      /* the game behind the cut begins where the next part does */
    int status;       /* of the visitor or, where it is the last part, of the input */
    struct error err; /* where status is negative */
};

struct split {
    const struct pgn_split_options *options;
    const struct pgn_split_visitor *visitor;
    struct reader *reader;
    size_t part_size, tail_size;

    pthread_mutex_t input_lock; /* of reading and of the next five */
    char *tail;                 /* owned: what the next part begins with */
    size_t tail_used;
    uint64_t tail_base, turns;
    bool ended; /* no further part */

    pthread_mutex_t lock; /* of the next four and the workers' parked */
    pthread_cond_t changed;
    uint64_t merged; /* parts */
    bool over;       /* whatever comes is dropped */
    int status;
    struct error err;

    unsigned count;
    struct worker workers[PGN_SPLIT_THREADS_MAX];
};

/* The last cut that leaves a tail behind it, or size. Not in the first half: parts must go on. */
static size_t find_cut(const struct split *split, const char *text, size_t size)
{
    const size_t length = sizeof CUT_TEXT - 1;
    const char *at = text + size - split->tail_size - length;
    while ((at = memrchr(text, '\n', (size_t)(at - text))) != NULL && at > text + size / 2)
        if (memcmp(at, CUT_TEXT, length) == 0)
            return (size_t)(at - text);
    return size;
}

/* The next part's text. Input lock held. */
static void take_part(struct split *split, struct worker *worker)
{
    ssize_t got = 1;
    worker->turn = split->turns++;
    worker->base = split->tail_base;
    worker->carried = worker->size = split->tail_used;
    memcpy(worker->text, split->tail, split->tail_used);
    while (worker->size < split->part_size && got > 0) {
        got = reader_read(split->reader, worker->text + worker->size,
                          split->part_size - worker->size, NULL);
        worker->size += got > 0 ? (size_t)got : 0;
    }
    worker->last = got <= 0;
    worker->cut = worker->last ? worker->size : find_cut(split, worker->text, worker->size);
    split->tail_used = worker->size - worker->cut;
    split->tail_base = worker->base + worker->cut;
    memcpy(split->tail, worker->text + worker->cut, split->tail_used);
    split->ended = worker->cut == worker->size;
}

/* What the reader's visitor needs to ask ours. */
struct inner {
    const struct pgn_split_visitor *visitor;
    void *result;
};

static bool inner_want(void *context, const struct pgn_game *game)
{
    const struct inner *inner = context;
    return inner->visitor->want(inner->visitor->context, inner->result, game);
}

static struct pgn_visitor inner_visitor(struct inner *inner)
{
    return (struct pgn_visitor){.context = inner, .want = inner->visitor->want ? inner_want : NULL};
}

/*
 * The games of spans before offset `cut`, into the worker's result. proved: the game after them
 * begins at the cut.
 */
static int read_games(struct worker *worker, const struct reader_span *spans, size_t count,
                      struct reader *rest, bool merge_each)
{
    const struct pgn_split_visitor *visitor = worker->split->visitor;
    struct inner asking = {visitor, worker->result};
    const struct pgn_visitor inner = inner_visitor(&asking);
    const struct pgn_game *game;
    struct reader *reader = NULL;
    struct pgn *pgn = NULL;
    struct error *err = &worker->err;
    int status = -1;
    if (reader_open_spans(spans, count, rest, &reader, err) < 0 ||
        pgn_new(reader, &worker->split->options->pgn, &inner, &pgn, err) < 0)
        goto out;
    while ((status = pgn_next(pgn, &game, err)) > 0) {
        if (!merge_each && !worker->last && game->offset >= worker->cut) {
            worker->proved = game->offset == worker->cut + CUT_TAG;
            status = 0;
            break;
        }
        status = visitor->game(visitor->context, worker->result, worker->base, game, err);
        if (status == 0 && merge_each)
            status = visitor->merge(visitor->context, worker->result, err);
        if (status < 0)
            break;
    }
out:
    pgn_free(pgn);
    reader_close(reader);
    return status;
}

static void read_part(struct worker *worker)
{
    struct split *split = worker->split;
    struct reader_span span = {worker->text, worker->size};
    memset(worker->result, 0, split->options->result_size);
    worker->proved = false;
    worker->err = (struct error){.code = 0};
    worker->status = read_games(worker, &span, 1, worker->last ? split->reader : NULL, false);
    worker->proved = worker->proved || worker->last;
}

/* The worker whose turn that is, once it has read its part. Lock held. */
static const struct worker *await_parked(struct split *split, uint64_t turn)
{
    for (;;) {
        for (unsigned i = 0; i < split->count; i++)
            if (split->workers[i].parked && split->workers[i].turn == turn)
                return &split->workers[i];
        pthread_cond_wait(&split->changed, &split->lock);
    }
}

/* This part and all that follows, by this thread alone: the other workers have stopped or wait. */
static int read_rest(struct worker *worker)
{
    struct split *split = worker->split;
    struct reader_span spans[PGN_SPLIT_THREADS_MAX];
    size_t count = 0;
    pthread_mutex_lock(&split->input_lock);
    split->ended = true;
    uint64_t turns = split->turns;
    pthread_mutex_unlock(&split->input_lock);
    pthread_mutex_lock(&split->lock);
    for (uint64_t turn = worker->turn; turn < turns; turn++) {
        const struct worker *part = await_parked(split, turn);
        size_t from = turn == worker->turn ? 0 : part->carried;
        spans[count++] = (struct reader_span){part->text + from, part->size - from};
    }
    pthread_mutex_unlock(&split->lock);
    split->visitor->drop(split->visitor->context, worker->result);
    memset(worker->result, 0, split->options->result_size);
    return read_games(worker, spans, count, split->reader, true);
}

/* In this worker's turn: 0 when the next one may follow. */
static int merge_part(struct worker *worker)
{
    const struct pgn_split_visitor *visitor = worker->split->visitor;
    if (!worker->proved)
        return read_rest(worker);
    if (visitor->merge(visitor->context, worker->result, &worker->err) < 0)
        return -1;
    return worker->status;
}

/* Waits for its turn, merges. False: there is nothing further to do. */
static bool finish_part(struct worker *worker)
{
    struct split *split = worker->split;
    pthread_mutex_lock(&split->lock);
    worker->parked = true;
    pthread_cond_broadcast(&split->changed);
    while (split->merged < worker->turn && !split->over)
        pthread_cond_wait(&split->changed, &split->lock);
    bool over = split->over;
    pthread_mutex_unlock(&split->lock);
    int status = over ? 0 : merge_part(worker);
    bool more = !over && status == 0 && worker->proved && !worker->last;
    split->visitor->drop(split->visitor->context, worker->result);
    pthread_mutex_lock(&split->lock);
    worker->parked = false;
    if (!over && !more) {
        split->over = true;
        split->status = status;
        split->err = worker->err;
    }
    split->merged += !over;
    pthread_cond_broadcast(&split->changed);
    pthread_mutex_unlock(&split->lock);
    return more;
}

static void *worker_run(void *argument)
{
    struct worker *worker = argument;
    struct split *split = worker->split;
    bool more = true;
    while (more) {
        pthread_mutex_lock(&split->input_lock);
        bool taken = !split->ended;
        if (taken)
            take_part(split, worker);
        pthread_mutex_unlock(&split->input_lock);
        if (!taken)
            break;
        read_part(worker);
        more = finish_part(worker);
    }
    return NULL;
}

static void split_free(struct split *split)
{
    for (unsigned i = 0; i < PGN_SPLIT_THREADS_MAX; i++) {
        free(split->workers[i].text);
        free(split->workers[i].result);
    }
    free(split->tail);
    pthread_cond_destroy(&split->changed);
    pthread_mutex_destroy(&split->lock);
    pthread_mutex_destroy(&split->input_lock);
    free(split);
}

static struct split *split_new(struct reader *reader, const struct pgn_split_options *options,
                               const struct pgn_split_visitor *visitor, struct error *err)
{
    struct split *split = fault_malloc(sizeof *split);
    if (!split) {
        error_memory(err);
        return NULL;
    }
    memset(split, 0, sizeof *split);
    split->options = options;
    split->visitor = visitor;
    split->reader = reader;
    split->part_size = options->part_size ? options->part_size : PGN_SPLIT_PART;
    split->tail_size = options->tail_size ? options->tail_size : PGN_SPLIT_TAIL;
    pthread_mutex_init(&split->input_lock, NULL);
    pthread_mutex_init(&split->lock, NULL);
    pthread_cond_init(&split->changed, NULL);
    split->count =
        options->threads < PGN_SPLIT_THREADS_MAX ? options->threads : PGN_SPLIT_THREADS_MAX;
    split->tail = fault_malloc(split->part_size);
    bool complete = split->tail != NULL;
    for (unsigned i = 0; i < split->count; i++) {
        struct worker *worker = &split->workers[i];
        worker->split = split;
        worker->text = fault_malloc(split->part_size);
        worker->result = fault_malloc(options->result_size);
        complete = complete && worker->text && worker->result;
    }
    if (complete)
        return split;
    error_memory(err);
    split_free(split);
    return NULL;
}

/* One thread: no parts, no guesses. */
static int read_alone(struct reader *reader, const struct pgn_split_options *options,
                      const struct pgn_split_visitor *visitor, struct error *err)
{
    void *result = fault_malloc(options->result_size);
    struct inner asking = {visitor, result};
    const struct pgn_visitor inner = inner_visitor(&asking);
    const struct pgn_game *game;
    struct pgn *pgn = NULL;
    int status = -1;
    if (!result) {
        error_memory(err);
        goto out;
    }
    memset(result, 0, options->result_size);
    if (pgn_new(reader, &options->pgn, &inner, &pgn, err) < 0)
        goto out;
    while ((status = pgn_next(pgn, &game, err)) > 0) {
        status = visitor->game(visitor->context, result, 0, game, err);
        if (status == 0)
            status = visitor->merge(visitor->context, result, err);
        if (status < 0)
            break;
    }
    visitor->drop(visitor->context, result);
out:
    pgn_free(pgn);
    free(result);
    return status;
}

int pgn_split_read(struct reader *reader, const struct pgn_split_options *options,
                   const struct pgn_split_visitor *visitor, struct error *err)
{
    if (options->threads < 2)
        return read_alone(reader, options, visitor, err);
    struct split *split = split_new(reader, options, visitor, err);
    if (!split)
        return -1;
    unsigned started = 1;
    while (started < split->count && pthread_create(&split->workers[started].thread, NULL,
                                                    worker_run, &split->workers[started]) == 0)
        started++;
    worker_run(&split->workers[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(split->workers[i].thread, NULL);
    int status = split->status;
    if (status < 0 && err)
        *err = split->err;
    split_free(split);
    return status;
}
