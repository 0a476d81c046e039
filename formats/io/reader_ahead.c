/* SPDX-License-Identifier: MIT */
/*
 * See reader_ahead.h.
 */
#include "formats/io/reader_ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/io/fault.h"

#define WORKERS_MAX  16
#define BLOCK_SIZE   ((size_t)2 * DECODER_ROOM)
#define RING_ONE     8 /* blocks, where one worker reads all: small enough for a cache */
#define RING_SEVERAL 16

/* What follows the bytes of a block. */
enum block_next { NEXT_BLOCK, NEXT_TURN, NEXT_END, NEXT_ERROR };

struct block {
    uint8_t *data;
    size_t size;
    enum block_next next;
    uint64_t turn;
    uint64_t taken; /* bytes of the file that were taken by then */
};

struct worker {
    struct ahead *ahead;
    pthread_t thread;
    struct decoder decoder;
    struct input frame; /* one that was taken out of the input */
    uint8_t *memory;    /* of all blocks */
    struct block ring[RING_SEVERAL];
    unsigned head, count; /* filled blocks */
    struct error err;     /* of a block that NEXT_ERROR follows */
};

struct ahead {
    pthread_mutex_t input_lock; /* of the next four */
    struct input *input;
    uint64_t turns; /* taken so far */
    bool ended;     /* no further turn */
    bool parallel;  /* frames are taken out of the input */
    size_t frame_max, ring_size;

    pthread_mutex_t lock; /* of the rings' heads and counts; stop is set under it */
    pthread_cond_t filled, emptied;
    atomic_bool stop;

    int wake[2]; /* a pipe that ends a read that waits for input; -1: not needed */
    unsigned started;
    struct worker workers[WORKERS_MAX];

    /* Of the thread that reads. */
    struct worker *source; /* whose first block is being read; NULL: to be found */
    size_t used;           /* bytes of it */
    uint64_t turn, taken;
    bool truncated;
};

/* A free block, waiting for one if need be; NULL when all is to stop. */
static struct block *ring_reserve(struct worker *worker)
{
    struct ahead *ahead = worker->ahead;
    struct block *block = NULL;
    pthread_mutex_lock(&ahead->lock);
    while (worker->count == ahead->ring_size && !ahead->stop)
        pthread_cond_wait(&ahead->emptied, &ahead->lock);
    if (!ahead->stop)
        block = &worker->ring[(worker->head + worker->count) % ahead->ring_size];
    pthread_mutex_unlock(&ahead->lock);
    return block;
}

static void ring_publish(struct worker *worker)
{
    struct ahead *ahead = worker->ahead;
    pthread_mutex_lock(&ahead->lock);
    worker->count++;
    pthread_cond_signal(&ahead->filled);
    pthread_mutex_unlock(&ahead->lock);
}

/* Decodes until a border of turns, or until the block may not hold another step. */
static enum block_next block_fill(struct worker *worker, struct input *input, struct block *block)
{
    struct decoder *decoder = &worker->decoder;
    block->size = 0;
    while (BLOCK_SIZE - block->size >= DECODER_ROOM && !worker->ahead->stop) {
        if (!decoder->inside) {
            int begun = decoder_begin(decoder, input, &worker->err);
            if (begun <= 0)
                return begun < 0 ? NEXT_ERROR : NEXT_END;
        }
        ssize_t got = decoder_step(decoder, input, block->data + block->size,
                                   BLOCK_SIZE - block->size, &worker->err);
        if (got < 0)
            return NEXT_ERROR;
        block->size += (size_t)got;
        if (worker->ahead->parallel && !decoder->inside)
            return NEXT_TURN;
    }
    return NEXT_BLOCK;
}

/* A turn into the ring. False: no further one, as the input ended, or an error or a stop came. */
static bool worker_decode(struct worker *worker, struct input *input, uint64_t turn)
{
    enum block_next next = NEXT_BLOCK;
    while (next == NEXT_BLOCK) {
        struct block *block = ring_reserve(worker);
        if (block == NULL)
            return false;
        next = block_fill(worker, input, block);
        block->next = next;
        block->turn = turn;
        block->taken = input->taken;
        ring_publish(worker);
    }
    return next == NEXT_TURN;
}

/*
 * Takes an announced frame out of the input by exchanging buffers. False, and nothing is lost, when
 * there is none, when it is too large or not as long as was announced, or when memory is short.
 */
static bool take_frame(struct worker *worker, struct input *input)
{
    struct input *frame = &worker->frame;
    struct decoder_frame found;
    if (!decoder_peek(input, &found) || found.window > worker->ahead->frame_max ||
        found.size > worker->ahead->frame_max - found.window ||
        input_need(input, DECODER_ANNOUNCEMENT + found.size, NULL) < 0 ||
        input_left(input) < DECODER_ANNOUNCEMENT + found.size)
        return false;
    const uint8_t *bytes = input_at(input) + DECODER_ANNOUNCEMENT;
    size_t behind = input_left(input) - DECODER_ANNOUNCEMENT - found.size;
    if (ZSTD_findFrameCompressedSize(bytes, found.size) != found.size ||
        input_reserve(frame, behind + INPUT_READ_SIZE, NULL) < 0)
        return false;
    struct input whole = *frame;
    memcpy(whole.bytes, bytes + found.size, behind);
    frame->bytes = input->bytes;
    frame->capacity = input->capacity;
    frame->begin = input->begin + DECODER_ANNOUNCEMENT;
    frame->end = frame->begin + found.size;
    frame->taken = input->taken - behind;
    input->bytes = whole.bytes;
    input->capacity = whole.capacity;
    input->begin = 0;
    input->end = behind;
    return true;
}

static bool worker_take_turn(struct worker *worker)
{
    struct ahead *ahead = worker->ahead;
    pthread_mutex_lock(&ahead->input_lock);
    if (ahead->ended) {
        pthread_mutex_unlock(&ahead->input_lock);
        return false;
    }
    uint64_t turn = ahead->turns++;
    if (ahead->parallel && take_frame(worker, ahead->input)) {
        pthread_mutex_unlock(&ahead->input_lock);
        return worker_decode(worker, &worker->frame, turn);
    }
    bool more = worker_decode(worker, ahead->input, turn);
    ahead->ended = !more;
    pthread_mutex_unlock(&ahead->input_lock);
    return more;
}

static void *worker_run(void *argument)
{
    while (worker_take_turn(argument))
        continue;
    return NULL;
}

/* The block that is read next, when it is there. */
static struct worker *find_source(struct ahead *ahead)
{
    for (unsigned i = 0; i < ahead->started; i++) {
        struct worker *worker = &ahead->workers[i];
        if (worker->count > 0 && worker->ring[worker->head].turn == ahead->turn)
            return worker;
    }
    return NULL;
}

static struct block *current_block(struct ahead *ahead)
{
    if (ahead->source == NULL) {
        pthread_mutex_lock(&ahead->lock);
        while ((ahead->source = find_source(ahead)) == NULL)
            pthread_cond_wait(&ahead->filled, &ahead->lock);
        pthread_mutex_unlock(&ahead->lock);
        ahead->used = 0;
    }
    return &ahead->source->ring[ahead->source->head];
}

static void release_block(struct ahead *ahead)
{
    struct worker *worker = ahead->source;
    ahead->turn += worker->ring[worker->head].next == NEXT_TURN;
    pthread_mutex_lock(&ahead->lock);
    worker->head = (worker->head + 1) % (unsigned)ahead->ring_size;
    worker->count--;
    pthread_cond_broadcast(&ahead->emptied);
    pthread_mutex_unlock(&ahead->lock);
    ahead->source = NULL;
}

ssize_t ahead_read(struct ahead *ahead, void *data, size_t size, struct error *err)
{
    struct block *block = current_block(ahead);
    while (ahead->used == block->size && block->next <= NEXT_TURN) {
        release_block(ahead);
        block = current_block(ahead);
    }
    ahead->taken = block->taken;
    size_t left = block->size - ahead->used;
    if (left == 0 && block->next == NEXT_ERROR) {
        ahead->truncated = ahead->source->decoder.truncated;
        if (err != NULL)
            *err = ahead->source->err;
        return -1;
    }
    if (size > left)
        size = left;
    memcpy(data, block->data + ahead->used, size);
    ahead->used += size;
    return (ssize_t)size;
}

bool ahead_truncated(const struct ahead *ahead)
{
    return ahead->truncated;
}

uint64_t ahead_position(const struct ahead *ahead)
{
    return ahead->taken;
}

/* How many workers the memory allows; several only where the file begins with an announced frame.
 */
static unsigned plan(struct ahead *ahead, unsigned workers)
{
    struct decoder_frame first;
    ahead->ring_size = RING_ONE;
    if (workers < 2 || !decoder_peek(ahead->input, &first) || first.window > AHEAD_MEMORY / 2 ||
        first.size > AHEAD_MEMORY / 2)
        return 1;
    /* Later frames may be half as large again. One more is in the input, not yet taken out. */
    size_t size = first.size + first.size / 2 + INPUT_READ_SIZE, window = (size_t)first.window;
    size_t most = (AHEAD_MEMORY - size) / (RING_SEVERAL * BLOCK_SIZE + size + window);
    if (most < 2)
        return 1;
    ahead->parallel = true;
    ahead->frame_max = size + window;
    ahead->ring_size = RING_SEVERAL;
    workers = workers < WORKERS_MAX ? workers : WORKERS_MAX;
    return workers < most ? workers : (unsigned)most;
}

/* A read of a pipe or terminal may wait for ever; the workers must be able to end all the same. */
static void make_wake(struct ahead *ahead)
{
    struct stat status;
    ahead->wake[0] = ahead->wake[1] = -1;
    if (ahead->input->fd >= 0 &&
        (fstat(ahead->input->fd, &status) < 0 || !S_ISREG(status.st_mode)) &&
        pipe2(ahead->wake, O_CLOEXEC) == 0)
        ahead->input->wake = ahead->wake[0];
}

static int worker_init(struct worker *worker, struct ahead *ahead, enum decoder_kind kind,
                       struct error *err)
{
    worker->ahead = ahead;
    input_init(&worker->frame, ahead->input->name);
    worker->frame.ended = true;
    worker->memory = fault_malloc(ahead->ring_size * BLOCK_SIZE);
    if (worker->memory == NULL)
        return error_memory(err);
    for (size_t i = 0; i < ahead->ring_size; i++)
        worker->ring[i].data = worker->memory + i * BLOCK_SIZE;
    return decoder_init(&worker->decoder, kind, ahead->input->name, err);
}

static void worker_free(struct worker *worker)
{
    decoder_free(&worker->decoder);
    input_free(&worker->frame);
    free(worker->memory);
}

/* As many as can be had. -1 when memory is short for even one. */
static int start_workers(struct ahead *ahead, enum decoder_kind kind, unsigned workers,
                         struct error *err)
{
    for (unsigned i = 0; i < workers; i++) {
        struct worker *worker = &ahead->workers[i];
        int made = worker_init(worker, ahead, kind, i == 0 ? err : NULL);
        if (made == 0 && pthread_create(&worker->thread, NULL, worker_run, worker) == 0) {
            ahead->started++;
            continue;
        }
        worker_free(worker);
        return i == 0 ? made : 0;
    }
    return 0;
}

int ahead_start(struct input *input, enum decoder_kind kind, unsigned workers, struct ahead **out,
                struct error *err)
{
    struct ahead *ahead = fault_malloc(sizeof *ahead);
    *out = NULL;
    if (ahead == NULL)
        return error_memory(err);
    memset(ahead, 0, sizeof *ahead);
    ahead->input = input;
    pthread_mutex_init(&ahead->input_lock, NULL);
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->filled, NULL);
    pthread_cond_init(&ahead->emptied, NULL);
    workers = plan(ahead, kind == DECODER_ZSTD ? workers : 1);
    make_wake(ahead);
    int status = start_workers(ahead, kind, workers, err);
    if (status == 0 && ahead->started > 0) {
        *out = ahead;
        return 0;
    }
    ahead_stop(ahead);
    return status;
}

static void end_wake(struct ahead *ahead)
{
    struct input *input = ahead->input;
    if (ahead->wake[0] < 0)
        return;
    close(ahead->wake[0]);
    close(ahead->wake[1]);
    input->wake = -1;
    if (input->failure == ECANCELED)
        input->failure = 0;
}

void ahead_stop(struct ahead *ahead)
{
    if (ahead == NULL)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->stop = true;
    pthread_cond_broadcast(&ahead->emptied);
    pthread_mutex_unlock(&ahead->lock);
    if (ahead->wake[1] >= 0)
        (void)!write(ahead->wake[1], "", 1);
    for (unsigned i = 0; i < ahead->started; i++)
        pthread_join(ahead->workers[i].thread, NULL);
    for (unsigned i = 0; i < ahead->started; i++)
        worker_free(&ahead->workers[i]);
    end_wake(ahead);
    pthread_cond_destroy(&ahead->emptied);
    pthread_cond_destroy(&ahead->filled);
    pthread_mutex_destroy(&ahead->lock);
    pthread_mutex_destroy(&ahead->input_lock);
    free(ahead);
}
