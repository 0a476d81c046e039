/* SPDX-License-Identifier: MIT */
/*
 * What the tests of the labeler share: the scripted engine's place, lists of FENs through a pool,
 * the facts of a case.
 */
#ifndef PLYMILL_TESTS_LABELER_TEST_H
#define PLYMILL_TESTS_LABELER_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/chess/fen.h"
#include "formats/io/error.h"
#include "labeler/engine_config.h"
#include "labeler/pool.h"

#define LIST_MAX 512

/* Fails the test with the error's text. */
#define assert_ok(call, err)                                                                       \
    do {                                                                                           \
        if ((call) != 0)                                                                           \
            fail_msg("%s: %s", #call, (err)->text);                                                \
    } while (0)

static inline void assert_contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" does not contain \"%s\"", text, part);
    }
}

/* "PATH ARGUMENTS" of the fake engine, which stands beside the folder of the test programs. */
static inline const char *fake_engine(const char *arguments)
{
    static char command[4096];
    char self[2048];
    const char *given = getenv("FAKE_ENGINE");
    if (given != NULL) {
        snprintf(command, sizeof command, "'%s' %s", given, arguments);
        return command;
    }
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(self, '/');
        if (slash != NULL) {
            *slash = 0;
        }
    }
    snprintf(command, sizeof command, "'%s/fake_engine' %s", self, arguments);
    return command;
}

/* More than any engine needs here, however busy the machine: tests of hangs set their own. */
#define PATIENCE_MS 20000

static inline struct engine_config config_of(const char *command)
{
    return (struct engine_config){
        .command = command,
        .hash_mb = 16,
        .deadline_ms = PATIENCE_MS,
        .start_deadline_ms = PATIENCE_MS,
        .max_restarts = 10,
        .restart_window_s = 600,
    };
}

/* A list of positions, taken in the given order, and what became of each. */
struct list {
    size_t count, next;
    const char *fens[LIST_MAX];
    size_t order[LIST_MAX];
    uint8_t limit_kind;
    uint64_t limit;
    unsigned answers[LIST_MAX];
    struct label labels[LIST_MAX];
    char reasons[LIST_MAX][256];
    struct pool_stats stats;
    struct health health;
    unsigned ticks;
    volatile sig_atomic_t stop;
    size_t stop_after; /* answers; 0: never */
    size_t total;
};

static inline void list_init(struct list *list, const char *const *fens, size_t count,
                             uint64_t nodes)
{
    memset(list, 0, sizeof *list);
    list->count = count;
    list->limit_kind = LIMIT_NODES;
    list->limit = nodes;
    for (size_t i = 0; i < count; i++) {
        list->fens[i] = fens[i];
        list->order[i] = i;
    }
}

static inline int list_next(void *context, struct pool_job *job, struct error *err)
{
    struct list *list = context;
    (void)err;
    if (list->next == list->count) {
        return 0;
    }
    size_t index = list->order[list->next++];
    const char *fen = list->fens[index];
    memset(job, 0, sizeof *job);
    job->tag = index;
    job->limit_kind = list->limit_kind;
    job->limit = list->limit;
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_DROP_BAD_CASTLING, &job->position, NULL),
                     FEN_OK);
    fen_format_label_key(&job->position, job->fen);
    return 1;
}

static inline int list_done(void *context, const struct pool_job *job, const struct label *label,
                            const char *reason, struct error *err)
{
    struct list *list = context;
    (void)err;
    list->answers[job->tag]++;
    list->labels[job->tag] = *label;
    snprintf(list->reasons[job->tag], sizeof list->reasons[0], "%s", reason != NULL ? reason : "");
    assert_true((reason == NULL) == (label->status == LABEL_OK));
    if (++list->total == list->stop_after) {
        list->stop = 1;
    }
    return 0;
}

static inline void list_tick(void *context)
{
    ((struct list *)context)->ticks++;
}

static inline int list_run(struct list *list, const struct engine_config *config, unsigned workers,
                           struct error *err)
{
    const struct pool_client client = {list, list_next, list_done, list_tick, 0};
    struct pool *pool;
    if (pool_open(config, workers, &pool, err) != 0) {
        return -1;
    }
    int result = pool_run(pool, &client, &list->stop, err);
    pool_stats(pool, &list->stats);
    pool_take_health(pool, &list->health);
    pool_close(pool);
    return result;
}

static inline void assert_labels_equal(const struct label *a, const struct label *b)
{
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->bound, b->bound);
    assert_int_equal(a->limit_kind, b->limit_kind);
    assert_int_equal(a->limit, b->limit);
    assert_int_equal(a->best_move, b->best_move);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->exact_depth, b->exact_depth);
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->final.kind, b->final.kind);
    assert_int_equal(a->final.value, b->final.value);
    assert_int_equal(a->exact.kind, b->exact.kind);
    assert_int_equal(a->exact.value, b->exact.value);
}

/* Lines of a text file in owned memory; returns their number. */
static inline size_t read_lines(const char *path, char **lines, size_t max)
{
    FILE *file = fopen(path, "r");
    char line[1024];
    size_t count = 0;
    if (file == NULL) {
        fail_msg("cannot open %s", path);
    }
    while (count < max && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\r\n")] = 0;
        lines[count++] = strdup(line);
    }
    fclose(file);
    return count;
}

static inline void free_lines(char **lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(lines[i]);
    }
}

/* The value of a fact in a case's expected.md, in a buffer of its own kind. */
static inline const char *fact(const char *folder, const char *key)
{
    static char value[1024];
    char path[512], line[1024];
    bool inside = false, found = false;
    snprintf(path, sizeof path, "tests/data/cases/%s/expected.md", folder);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail_msg("cannot open %s", path);
        return "";
    }
    while (!found && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\r\n")] = 0;
        char *equals = strstr(line, " = ");
        if (strncmp(line, "```", 3) == 0) {
            inside = strcmp(line, "```facts") == 0;
        } else if (inside && equals != NULL) {
            *equals = 0;
            found = strcmp(line, key) == 0;
            snprintf(value, sizeof value, "%s", equals + 3);
        }
    }
    fclose(file);
    if (!found) {
        fail_msg("%s has no fact \"%s\"", path, key);
    }
    return value;
}

/* A fresh folder; the caller removes it with remove_folder. */
static inline void make_folder(char path[64])
{
    snprintf(path, 64, "/tmp/plymill-test-XXXXXX");
    assert_non_null(mkdtemp(path));
}

static inline void remove_folder(const char *path)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

#endif
