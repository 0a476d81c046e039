/* SPDX-License-Identifier: MIT */
/*
 * See pgn_split.h. The thread that calls is one of the workers. Each does what is there to be done:
 * merge the part whose turn it is, decode the next one, or read the first that was not read yet.
 * Parts are decoded by the worker that did it before as long as another one has something to read,
 * since the decoder's window lies in its cache; but nobody waits while there is work.
 *
 *   parts, a ring of turns:   merged ... read ... being read ... text ... free
 *                             ^ merged           ^ reads         ^ turns
 */
#include "formats/pgn_split.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/fault.h"
#include "formats/pgn_internal.h"

/* Where parts are cut: behind its newline, which stands before the text of a part as of a file. */
#define CUT_TEXT "\n[Event \""
/* Parts more than workers: decoded, not yet read; or read, not yet merged. */
#define PARTS_AHEAD 3
#define PARTS_MAX   (PGN_SPLIT_THREADS_MAX + PARTS_AHEAD)
#define MERGE_AFTER 64 /* games that one thread reads alone */

enum part_state { PART_FREE, PART_TEXT, PART_READING, PART_READ };

/* What the reader's visitor needs to ask ours. */
struct inner {
    const struct pgn_split_visitor *visitor;
    void *result;
};

struct part {
    enum part_state state;
    struct pgn *pgn; /* owned: holds the text */
    struct inner inner;
    const char *text;
    size_t size;
    size_t carried; /* bytes of it that stand in the part before as well */
    size_t cut;     /* where the next part begins; size: nowhere */
    uint64_t base;  /* offset of the text in the input */
    uint64_t taken; /* of the file when it was decoded */
    uint64_t turn;
    bool last;        /* the input ends behind it, well or badly */
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

    /* Text that the next part begins with: at the end of the last one, or where `alone` stopped.
     * Used by who decodes. */
    struct reader_span carry;
    uint64_t carry_base; /* its offset in the input */
    struct pgn *alone;   /* owned: who read alone last, or NULL */

    pthread_mutex_t lock; /* of all that follows, and of the parts' states */
    pthread_cond_t changed;
    uint64_t turns, reads, merged; /* parts decoded, read, merged; or being so */
    bool decoding, merging;
    bool ended; /* no further part */
    bool held;  /* one worker reads alone: nothing else is begun */
    bool over;  /* whatever comes is dropped */
    unsigned decoder;
    int status;
    struct error err;
    unsigned count;
    struct part parts[PARTS_MAX];
};

struct worker {
    struct split *split;
    unsigned index;
    pthread_t thread;
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

static struct part *part_at(struct split *split, uint64_t turn)
{
    return &split->parts[turn % split->count];
}

/* The last cut that leaves a tail behind it, or size. Not in the first half: parts must go on. */
static size_t find_cut(const struct split *split, const char *text, size_t size)
{
    const size_t length = sizeof CUT_TEXT - 1;
    const char *at = text + size - split->tail_size - length;
    while ((at = memrchr(text, '\n', (size_t)(at - text))) != NULL && at > text + size / 2)
        if (memcmp(at, CUT_TEXT, length) == 0)
            return (size_t)(at - text) + 1;
    return size;
}

/* The next part's text. */
static void decode_part(struct split *split, struct part *part)
{
    struct error failure = {.code = 0};
    ssize_t got = 1;
    char *text = pgn_hold(part->pgn);
    part->base = split->carry_base;
    part->carried = part->size = split->carry.size;
    if (part->carried > 0)
        memcpy(text, split->carry.data, part->carried);
    while (part->size < split->part_size && got > 0) {
        got =
            reader_read(split->reader, text + part->size, split->part_size - part->size, &failure);
        part->size += got > 0 ? (size_t)got : 0;
    }
    part->taken = reader_position(split->reader);
    part->text = text;
    part->last = got <= 0;
    if (!part->last)
        error_set(&failure, ERROR_FAILED, "more text is needed");
    pgn_held(part->pgn, part->size, got == 0 ? NULL : &failure);
    part->cut = part->last ? part->size : find_cut(split, text, part->size);
    pgn_set_stop(part->pgn, part->last ? UINT64_MAX : part->cut);
    split->carry = (struct reader_span){text + part->cut, part->size - part->cut};
    split->carry_base = part->base + part->cut;
}

/* The games before the cut, into the part's result. */
static int read_games(const struct split *split, struct part *part)
{
    const struct pgn_split_visitor *visitor = split->visitor;
    const struct pgn_game *game;
    int status;
    while ((status = pgn_next(part->pgn, &game, &part->err)) > 0)
        if (visitor->game(visitor->context, part->result, part->base, game, &part->err) < 0)
            return -1;
    return status;
}

static void read_part(const struct split *split, struct part *part)
{
    memset(part->result, 0, split->options->result_size);
    part->err = (struct error){.code = 0};
    part->status = read_games(split, part);
    part->proved =
        part->last || (part->status == 0 && pgn_stopped_at(part->pgn) == part->text + part->cut);
}

static int merge_result(const struct pgn_split_options *options,
                        const struct pgn_split_visitor *visitor, void *result, uint64_t taken,
                        struct error *err)
{
    if (options->taken)
        *options->taken = taken;
    return visitor->merge(visitor->context, result, err);
}

/* All games to where pgn stops, merged a few at a time. Its text begins at an offset. */
static int read_each(const struct pgn_split_options *options,
                     const struct pgn_split_visitor *visitor, struct pgn *pgn, uint64_t base,
                     void *result, struct error *err)
{
    const struct pgn_game *game;
    struct error ignored;
    int status;
    for (unsigned games = 1; (status = pgn_next(pgn, &game, err)) > 0; games++) {
        if (visitor->game(visitor->context, result, base, game, err) < 0)
            return -1;
        if (games % MERGE_AFTER == 0 &&
            merge_result(options, visitor, result, reader_position(pgn->reader), err) < 0)
            return -1;
    }
    if (merge_result(options, visitor, result, reader_position(pgn->reader),
                     status < 0 ? &ignored : err) < 0)
        return -1;
    return status;
}

/* The texts from a part on, once no other worker reads or decodes one. */
static size_t collect_texts(struct split *split, const struct part *first,
                            struct reader_span spans[PARTS_MAX])
{
    size_t count = 0;
    pthread_mutex_lock(&split->lock);
    split->held = true;
    for (uint64_t turn = first->turn; turn < split->turns; turn++) {
        const struct part *part = part_at(split, turn);
        while (split->decoding || part->state == PART_READING)
            pthread_cond_wait(&split->changed, &split->lock);
        size_t from = turn == first->turn ? 0 : part->carried;
        spans[count++] = (struct reader_span){part->text + from, part->size - from};
    }
    pthread_mutex_unlock(&split->lock);
    return count;
}

/*
 * May a part begin with the game that the lone reader stopped at? One that begins with a tag, on a
 * line of its own, is read alike wherever its text lies. What is here must fit.
 */
static bool can_share(const struct split *split)
{
    const char *start = pgn_stopped_at(split->alone);
    return *start == '[' && pgn_is_newline(start[-1]) &&
           (size_t)(split->alone->end - start) <= split->part_size;
}

/* From a part on to the first game behind `stop` that another part may begin with: 1, 0: none. */
static int read_alone_to(struct split *split, struct part *part, uint64_t stop)
{
    struct pgn *alone = split->alone;
    const char *start;
    do {
        pgn_set_stop(alone, stop);
        int status =
            read_each(split->options, split->visitor, alone, part->base, part->result, &part->err);
        start = pgn_stopped_at(alone);
        if (status < 0 || !start)
            return status;
        stop = alone->base + (uint64_t)(start - alone->text) + 1;
    } while (!can_share(split));
    split->carry = (struct reader_span){start, (size_t)(alone->end - start)};
    split->carry_base = part->base + stop - 1;
    return 1;
}

/* This part and what else is decoded, by this thread alone; 1 when parts may follow. */
static int read_alone(struct split *split, struct part *part)
{
    const struct pgn_visitor asking = inner_visitor(&part->inner);
    struct reader_span spans[PARTS_MAX];
    struct reader *reader = NULL;
    int status = -1;
    size_t count = collect_texts(split, part, spans), size = 0;
    for (size_t i = 0; i < count; i++)
        size += spans[i].size;
    split->visitor->drop(split->visitor->context, part->result);
    memset(part->result, 0, split->options->result_size);
    pgn_free(split->alone);
    split->alone = NULL;
    if (reader_open_spans(spans, count, split->reader, &reader, &part->err) < 0 ||
        pgn_new(reader, &split->options->pgn, &asking, &split->alone, &part->err) < 0)
        goto out;
    split->alone->capacity = split->part_size; /* so that what it leaves fits into a part */
    status = read_alone_to(split, part, size);
out:
    reader_close(reader);
    return status;
}

/* 0 when the next one may follow, 1 when all is to begin anew behind it. */
static int merge_part(struct split *split, struct part *part)
{
    if (!part->proved)
        return read_alone(split, part);
    if (merge_result(split->options, split->visitor, part->result, part->taken, &part->err) < 0)
        return -1;
    return part->status;
}

enum task { TASK_WAIT, TASK_DECODE, TASK_READ, TASK_MERGE, TASK_END };

/* Lock held. */
static enum task find_task(struct split *split, unsigned worker)
{
    bool readable = split->reads < split->turns && part_at(split, split->reads)->state == PART_TEXT;
    bool decodable =
        !split->ended && !split->decoding && part_at(split, split->turns)->state == PART_FREE;
    if (split->over)
        return TASK_END;
    if (split->held)
        return TASK_WAIT;
    if (!split->merging && part_at(split, split->merged)->state == PART_READ)
        return TASK_MERGE;
    if (decodable && (worker == split->decoder || !readable))
        return TASK_DECODE;
    return readable ? TASK_READ : TASK_WAIT;
}

/* These three hold the lock when they begin and end. */

static void do_decode(struct split *split, unsigned worker)
{
    struct part *part = part_at(split, split->turns);
    split->decoding = true;
    split->decoder = worker;
    part->turn = split->turns++;
    pthread_mutex_unlock(&split->lock);
    decode_part(split, part);
    pthread_mutex_lock(&split->lock);
    part->state = PART_TEXT;
    split->decoding = false;
    split->ended = part->cut == part->size;
}

static void do_read(struct split *split)
{
    struct part *part = part_at(split, split->reads++);
    part->state = PART_READING;
    pthread_mutex_unlock(&split->lock);
    read_part(split, part);
    pthread_mutex_lock(&split->lock);
    part->state = PART_READ;
}

/* No worker is at work: parts begin with what is carried on. */
static void begin_anew(struct split *split)
{
    for (unsigned i = 0; i < split->count; i++) {
        struct part *part = &split->parts[i];
        if (part->state == PART_READ)
            split->visitor->drop(split->visitor->context, part->result);
        part->state = PART_FREE;
    }
    split->turns = split->reads = split->merged = 0;
    split->ended = split->held = false;
}

static void do_merge(struct split *split)
{
    struct part *part = part_at(split, split->merged);
    split->merging = true;
    pthread_mutex_unlock(&split->lock);
    int status = merge_part(split, part);
    split->visitor->drop(split->visitor->context, part->result);
    pthread_mutex_lock(&split->lock);
    split->merging = false;
    split->merged++;
    part->state = PART_FREE;
    if (status > 0) {
        begin_anew(split);
    } else if (status < 0 || !part->proved || part->last) {
        split->over = true;
        split->status = status;
        split->err = part->err;
    }
}

static void *worker_run(void *argument)
{
    const struct worker *worker = argument;
    struct split *split = worker->split;
    enum task task;
    pthread_mutex_lock(&split->lock);
    while ((task = find_task(split, worker->index)) != TASK_END) {
        if (task == TASK_DECODE)
            do_decode(split, worker->index);
        else if (task == TASK_READ)
            do_read(split);
        else if (task == TASK_MERGE)
            do_merge(split);
        else
            pthread_cond_wait(&split->changed, &split->lock);
        if (task != TASK_WAIT)
            pthread_cond_broadcast(&split->changed);
    }
    pthread_mutex_unlock(&split->lock);
    return NULL;
}

static void split_free(struct split *split)
{
    for (unsigned i = 0; i < split->count; i++) {
        struct part *part = &split->parts[i];
        if (part->state == PART_READ)
            split->visitor->drop(split->visitor->context, part->result);
        pgn_free(part->pgn);
        free(part->result);
    }
    pgn_free(split->alone);
    pthread_cond_destroy(&split->changed);
    pthread_mutex_destroy(&split->lock);
    free(split);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int part_init(struct split *split, struct part *part, struct error *err)
{
    part->result = fault_malloc(split->options->result_size);
    if (!part->result)
        return error_memory(err);
    part->inner = (struct inner){split->visitor, part->result};
    const struct pgn_visitor asking = inner_visitor(&part->inner);
    return pgn_new(NULL, &split->options->pgn, &asking, &part->pgn, err);
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
    split->part_size = smaller(options->part_size ? options->part_size : PGN_SPLIT_PART, PGN_CHUNK);
    split->tail_size =
        smaller(options->tail_size ? options->tail_size : PGN_SPLIT_TAIL, split->part_size / 4);
    pthread_mutex_init(&split->lock, NULL);
    pthread_cond_init(&split->changed, NULL);
    split->count = (unsigned)smaller(options->threads, PGN_SPLIT_THREADS_MAX) + PARTS_AHEAD;
    int status = 0;
    for (unsigned i = 0; i < split->count && status == 0; i++)
        status = part_init(split, &split->parts[i], err);
    if (status == 0)
        return split;
    split_free(split);
    return NULL;
}

/* One thread: no parts, no guesses. */
static int read_whole(struct reader *reader, const struct pgn_split_options *options,
                      const struct pgn_split_visitor *visitor, struct error *err)
{
    void *result = fault_malloc(options->result_size);
    if (!result)
        return error_memory(err);
    struct inner inner = {visitor, result};
    const struct pgn_visitor asking = inner_visitor(&inner);
    struct pgn *pgn = NULL;
    memset(result, 0, options->result_size);
    int status = pgn_new(reader, &options->pgn, &asking, &pgn, err);
    if (status == 0)
        status = read_each(options, visitor, pgn, 0, result, err);
    visitor->drop(visitor->context, result);
    pgn_free(pgn);
    free(result);
    return status;
}

int pgn_split_read(struct reader *reader, const struct pgn_split_options *options,
                   const struct pgn_split_visitor *visitor, struct error *err)
{
    struct worker workers[PGN_SPLIT_THREADS_MAX];
    if (options->threads < 2)
        return read_whole(reader, options, visitor, err);
    struct split *split = split_new(reader, options, visitor, err);
    if (!split)
        return -1;
    unsigned started = 1, wanted = split->count - PARTS_AHEAD;
    for (unsigned i = 0; i < PGN_SPLIT_THREADS_MAX; i++)
        workers[i] = (struct worker){.split = split, .index = i};
    while (started < wanted &&
           pthread_create(&workers[started].thread, NULL, worker_run, &workers[started]) == 0)
        started++;
    worker_run(&workers[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    int status = split->status;
    if (status < 0 && err)
        *err = split->err;
    split_free(split);
    return status;
}
