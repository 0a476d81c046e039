/* SPDX-License-Identifier: MIT */
/*
 * Shard files: what goes in comes out, a sealed file is complete and the same bytes for the same
 * content, an unfinished one is continued, and nobody waits in vain for a lock (case 049).
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "formats/io/digest.h"
#include "formats/io/file.h"
#include "formats/record.h"
#include "labeler/store.h"
#include "labeler/store_db.h"
#include "tests/unit/labeler/labeler_test.h"

static void path_in(char out[256], const char *folder, const char *name)
{
    snprintf(out, 256, "%s/%s", folder, name);
}

static struct store_game game_of(int64_t id)
{
    struct store_game game = {
        .id = id,
        .split = (int)(id % 3),
        .result = (int)(id % 4) - 1,
        .white_rating = (uint16_t)(id == 1 ? 65535 : 1500 + id),
        .black_rating = (uint16_t)(id % 2 != 0 ? 0 : 1400 + id),
        .plies = (uint32_t)(40 + id),
        .opening = UINT64_C(0xfedcba9876543210) + (uint64_t)id,
    };
    snprintf(game.game_id, sizeof game.game_id, "game%04d", (int)id);
    return game;
}

/* All extremes of every field occur. */
static struct label label_of(int64_t id)
{
    static const struct label extremes[] = {
        {.status = LABEL_OK,
         .bound = BOUND_UPPER,
         .limit_kind = LIMIT_DEPTH,
         .best_move = 65535,
         .depth = 65535,
         .exact_depth = 65535,
         .final = {SCORE_MATE, INT32_MIN},
         .exact = {SCORE_CP, INT32_MAX},
         .nodes = UINT64_MAX,
         .limit = UINT64_MAX},
        {.status = LABEL_FAILED, .limit_kind = LIMIT_NODES, .limit = 1},
        {.status = LABEL_NO_MOVE, .limit_kind = LIMIT_NODES, .limit = 10000},
    };
    if (id <= 3) {
        return extremes[id - 1];
    }
    return (struct label){
        .status = LABEL_OK,
        .bound = (uint8_t)(id % 3),
        .limit_kind = LIMIT_NODES,
        .best_move = (uint16_t)(id * 37),
        .depth = (uint16_t)(id % 40),
        .exact_depth = (uint16_t)(id % 39),
        .final = {SCORE_CP, (int32_t)(id * 13 % 2000 - 1000)},
        .exact = {id % 5 == 0 ? SCORE_NONE : SCORE_CP, (int32_t)(id % 100)},
        .nodes = (uint64_t)(10000 + id),
        .limit = 10000,
    };
}

static struct store_sample sample_of(int64_t id, int64_t game)
{
    static const char *const fens[] = {
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        "8/8/8/5n2/1K6/5kp1/4q3/8 b - - 5 73",
    };
    struct store_sample sample = {
        .id = id,
        .game = game,
        .ply = (uint32_t)(10 + id),
        .move = (uint16_t)(id % 7 == 0 ? MOVE_NONE : 100 + id % 1000),
        .eval = {(uint8_t)(id % 3), id % 3 == 0 ? 0 : (int32_t)(id % 2 ? -99999999 : id)},
        .eval_depth = (uint16_t)(id % 5 == 0 ? 65535 : id % 3),
        .labeled = id % 4 == 0,
    };
    if (sample.labeled) {
        sample.label = label_of(id % 8 == 0 ? 1 : id);
        if (sample.label.exact.kind == SCORE_NONE)
            sample.label.exact.value = 0;
    }
    const char *fen = fens[id % 3];
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &sample.position, NULL),
                     FEN_OK);
    return sample;
}

static const char *reason_of(int64_t id)
{
    return id == 2 ? "no bestmove within 200 ms" : id == 3 ? "no legal move (checkmate)" : NULL;
}

/* `per_game` samples in each of `games` games. */
static struct store_samples *write_samples(const char *path, int64_t games, int64_t per_game)
{
    struct store_samples *store;
    struct error err = {0};
    int64_t id = 0;
    assert_ok(store_samples_create(path, &store, &err), &err);
    for (int64_t g = 1; g <= games; g++) {
        struct store_game game = game_of(g);
        assert_ok(store_samples_add_game(store, &game, &err), &err);
        for (int64_t s = 0; s < per_game; s++) {
            struct store_sample sample = sample_of(++id, g);
            assert_ok(store_samples_add(store, &sample, &err), &err);
        }
    }
    return store;
}

static void assert_label_equal(const struct label *label, const struct label *expected)
{
    uint8_t a[RECORD_LABEL_SIZE], b[RECORD_LABEL_SIZE];
    record_label_encode(label, a);
    record_label_encode(expected, b);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(label->nodes, expected->nodes);
    assert_int_equal(label->final.value, expected->final.value);
}

static void assert_same_sample(const struct store_sample *sample, int64_t id, int64_t game)
{
    struct store_sample expected = sample_of(id, game);
    assert_int_equal(sample->id, id);
    assert_int_equal(sample->game, game);
    assert_int_equal(sample->ply, expected.ply);
    assert_int_equal(sample->move, expected.move);
    assert_int_equal(sample->eval.kind, expected.eval.kind);
    assert_int_equal(sample->eval.value, expected.eval.value);
    assert_int_equal(sample->eval_depth, expected.eval_depth);
    assert_int_equal(sample->labeled, expected.labeled);
    assert_label_equal(&sample->label, &expected.label);
    assert_true(position_equal(&sample->position, &expected.position));
}

static void assert_same_game(const struct store_game *game, int64_t id)
{
    struct store_game expected = game_of(id);
    assert_int_equal(game->id, id);
    assert_string_equal(game->game_id, expected.game_id);
    assert_int_equal(game->split, expected.split);
    assert_int_equal(game->result, expected.result);
    assert_int_equal(game->white_rating, expected.white_rating);
    assert_int_equal(game->black_rating, expected.black_rating);
    assert_int_equal(game->plies, expected.plies);
    assert_true(game->opening == expected.opening);
}

static void test_samples_come_back(void **state)
{
    (void)state;
    char folder[64], path[256], value[32];
    struct store_samples *store;
    struct store_sample sample;
    struct store_game game;
    struct error err = {0};
    uint64_t games, samples;
    make_folder(folder);
    path_in(path, folder, "0000.samples.db");
    store = write_samples(path, 700, 3); /* more than one batch of either */
    assert_ok(store_samples_set_meta(store, "recipe", "abc", &err), &err);
    assert_ok(store_samples_set_meta(store, "recipe", "abcdef", &err), &err);
    assert_false(file_exists(path));
    assert_ok(store_samples_seal(store, &err), &err);
    assert_ok(store_samples_open(path, &store, &err), &err);
    assert_ok(store_samples_count(store, &games, &samples, &err), &err);
    assert_int_equal(games, 700);
    assert_int_equal(samples, 2100);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t id = 1; id <= 2100; id++) {
            assert_int_equal(store_samples_next(store, &sample, id % 2 ? &game : NULL, &err), 1);
            assert_same_sample(&sample, id, (id + 2) / 3);
            if (id % 2) {
                assert_same_game(&game, (id + 2) / 3);
            }
        }
        assert_int_equal(store_samples_next(store, &sample, NULL, &err), 0);
        assert_ok(store_samples_rewind(store, &err), &err);
    }
    assert_int_equal(store_samples_get_meta(store, "recipe", value, sizeof value, &err), 1);
    assert_string_equal(value, "abcdef");
    assert_int_equal(store_samples_get_meta(store, "recipe", value, 4, &err), 1);
    assert_string_equal(value, "abc");
    assert_int_equal(store_samples_get_meta(store, "none", value, sizeof value, &err), 0);
    store_samples_close(store);
    store_samples_close(NULL);
    remove_folder(folder);
}

static void add_label(struct store_labels *store, int64_t id)
{
    struct error err = {0};
    struct label label = label_of(id);
    assert_ok(store_labels_add(store, id, &label, reason_of(id), &err), &err);
}

static void assert_labels(const char *path, int64_t count)
{
    struct store_labels *store;
    struct label label;
    struct error err = {0};
    int64_t sample;
    char reason[STORE_REASON_MAX];
    assert_ok(store_labels_open(path, &store, &err), &err);
    for (int64_t id = 1; id <= count; id++) {
        struct label expected = label_of(id);
        int got = store_labels_next(store, &sample, &label, id % 2 || id < 4 ? reason : NULL, &err);
        assert_int_equal(got, 1);
        assert_int_equal(sample, id);
        assert_labels_equal(&label, &expected);
        if (id % 2 || id < 4) {
            assert_string_equal(reason, reason_of(id) != NULL ? reason_of(id) : "");
        }
    }
    assert_int_equal(store_labels_next(store, &sample, &label, NULL, &err), 0);
    store_labels_close(store);
}

/* Work files are gone, the sealed file is alone in the folder. */
static void assert_only_file(const char *folder, const char *name)
{
    char command[256];
    snprintf(command, sizeof command, "test \"$(ls -A %s)\" = '%s'", folder, name);
    assert_int_equal(system(command), 0);
}

static void test_labels_come_back(void **state)
{
    (void)state;
    char folder[64], path[256];
    struct store_labels *store;
    struct error err = {0};
    make_folder(folder);
    path_in(path, folder, "0000.labels.db");
    assert_ok(store_labels_continue(path, &store, &err), &err);
    for (int64_t id = 1; id <= 1500; id++) {
        add_label(store, id);
    }
    assert_ok(store_labels_seal(store, 1500, &err), &err);
    assert_labels(path, 1500);
    assert_only_file(folder, "0000.labels.db");
    assert_int_equal(store_labels_continue(path, &store, &err), -1);
    assert_contains(err.text, "complete already");
    remove_folder(folder);
}

static void test_labels_are_continued(void **state)
{
    (void)state;
    char folder[64], path[256];
    struct store_labels *store;
    struct error err = {0};
    bool done[1001];
    make_folder(folder);
    path_in(path, folder, "0000.labels.db");
    assert_ok(store_labels_continue(path, &store, &err), &err);
    assert_int_equal(store_labels_done(store, done, 1000, &err), 0);
    for (int64_t id = 1; id <= 1000; id += 3) {
        add_label(store, id);
    }
    store_labels_close(store);
    store_labels_close(NULL);
    assert_false(file_exists(path));
    assert_ok(store_labels_continue(path, &store, &err), &err);
    assert_int_equal(store_labels_done(store, done, 1000, &err), 334);
    for (int64_t id = 1000; id >= 1; id--) {
        assert_int_equal(done[id], id % 3 == 1);
        if (!done[id]) {
            add_label(store, id);
        }
    }
    assert_ok(store_labels_seal(store, 1000, &err), &err);
    assert_labels(path, 1000);
    remove_folder(folder);
}

/* SIGKILL loses what was not flushed, and nothing else. */
static void test_killed_writer_loses_nothing_flushed(void **state)
{
    (void)state;
    char folder[64], path[256];
    struct store_labels *store;
    struct error err = {0};
    bool done[601];
    make_folder(folder);
    path_in(path, folder, "0000.labels.db");
    pid_t child = fork();
    if (child == 0) {
        assert_ok(store_labels_continue(path, &store, &err), &err);
        for (int64_t id = 1; id <= 600; id++) {
            add_label(store, id);
            if (id == 550) {
                store_labels_flush(store, NULL);
            }
        }
        kill(getpid(), SIGKILL);
    }
    waitpid(child, NULL, 0);
    assert_ok(store_labels_continue(path, &store, &err), &err);
    assert_int_equal(store_labels_done(store, done, 600, &err), 550);
    for (int64_t id = 551; id <= 600; id++) {
        add_label(store, id);
    }
    assert_ok(store_labels_seal(store, 600, &err), &err);
    assert_labels(path, 600);
    assert_only_file(folder, "0000.labels.db");
    remove_folder(folder);
}

static void test_equal_content_is_equal_bytes(void **state)
{
    static const int64_t steps[] = {1, 7, 999};
    (void)state;
    char folder[64], path[256], first[DIGEST_HEX_SIZE] = "", hex[DIGEST_HEX_SIZE];
    struct error err = {0};
    make_folder(folder);
    for (size_t i = 0; i < 3; i++) {
        char name[32];
        struct store_labels *store;
        snprintf(name, sizeof name, "%zu.labels.db", i);
        path_in(path, folder, name);
        assert_ok(store_labels_continue(path, &store, &err), &err);
        const char *keys[] = {"a", "b"};
        assert_ok(store_labels_set_meta(store, keys[i % 2], "1", &err), &err);
        assert_ok(store_labels_set_meta(store, keys[1 - i % 2], "1", &err), &err);
        for (int64_t j = 0; j < 1000; j++) {
            add_label(store, j * steps[i] % 1000 + 1);
            if (j % 100 == 50 && i == 1) {
                store_labels_close(store);
                assert_ok(store_labels_continue(path, &store, &err), &err);
            }
        }
        assert_ok(store_labels_seal(store, 1000, &err), &err);
        assert_ok(digest_file(path, hex, NULL, &err), &err);
        if (i > 0) {
            assert_string_equal(hex, first);
        }
        memcpy(first, hex, sizeof first);
    }
    for (int i = 0; i < 2; i++) {
        path_in(path, folder, i == 0 ? "a.samples.db" : "b.samples.db");
        assert_ok(store_samples_seal(write_samples(path, 100, 3), &err), &err);
        assert_ok(digest_file(path, hex, NULL, &err), &err);
        if (i > 0) {
            assert_string_equal(hex, first);
        }
        memcpy(first, hex, sizeof first);
    }
    remove_folder(folder);
}

static void test_incomplete_labels_are_not_sealed(void **state)
{
    (void)state;
    char folder[64], path[256];
    struct store_labels *store;
    struct error err = {0};
    bool done[11];
    make_folder(folder);
    path_in(path, folder, "0000.labels.db");
    for (uint64_t expected = 9; expected <= 11; expected += 2) {
        assert_ok(store_labels_continue(path, &store, &err), &err);
        if (expected == 9) {
            for (int64_t id = 1; id <= 10; id++) {
                add_label(store, id);
            }
        }
        assert_int_equal(store_labels_seal(store, expected, &err), -1);
        assert_contains(err.text, "10 labels");
        assert_false(file_exists(path));
    }
    assert_ok(store_labels_continue(path, &store, &err), &err);
    assert_int_equal(store_labels_done(store, done, 9, &err), -1);
    assert_contains(err.text, "sample 10");
    assert_int_equal(store_labels_done(store, done, 10, &err), 10);
    add_label(store, 10); /* a second one */
    assert_int_equal(store_labels_flush(store, &err), -1);
    assert_contains(err.text, "sample 10");
    store_labels_close(store);
    remove_folder(folder);
}

static void test_samples_with_gaps_are_not_sealed(void **state)
{
    (void)state;
    char folder[64], path[256];
    struct error err = {0};
    make_folder(folder);
    path_in(path, folder, "0000.samples.db");
    struct store_samples *store = write_samples(path, 3, 1);
    struct store_sample sample = sample_of(5, 1);
    assert_ok(store_samples_add(store, &sample, &err), &err);
    assert_int_equal(store_samples_seal(store, &err), -1);
    assert_contains(err.text, "sample");
    assert_false(file_exists(path));
    store = write_samples(path, 3, 1); /* create starts anew */
    assert_ok(store_samples_seal(store, &err), &err);
    assert_only_file(folder, "0000.samples.db");
    remove_folder(folder);
}

static void test_sample_of_a_missing_game_is_an_error(void **state)
{
    (void)state;
    char folder[64], path[256];
    struct store_samples *store;
    struct store_sample sample = sample_of(4, 17);
    struct error err = {0};
    make_folder(folder);
    path_in(path, folder, "0000.samples.db");
    store = write_samples(path, 3, 1);
    assert_ok(store_samples_add(store, &sample, &err), &err);
    assert_ok(store_samples_seal(store, &err), &err);
    assert_ok(store_samples_open(path, &store, &err), &err);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(store_samples_next(store, &sample, NULL, &err), 1);
    }
    assert_int_equal(store_samples_next(store, &sample, NULL, &err), -1);
    assert_contains(err.text, "sample 4");
    store_samples_close(store);
    remove_folder(folder);
}

/* What means something in a URI, and a path that begins with two slashes. */
static void test_odd_paths(void **state)
{
    static const char *const names[] = {"a b?c#d%41&e=f.db", "100%.db", "\xc3\xa4'\"\\;.db",
                                        "?immutable=0"};
    (void)state;
    char folder[64], path[256], double_slash[300];
    struct error err = {0};
    make_folder(folder);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct store_samples *store;
        uint64_t games, samples;
        path_in(path, folder, names[i]);
        snprintf(double_slash, sizeof double_slash, "/%s", path);
        assert_ok(store_samples_seal(write_samples(path, (int64_t)i + 1, 1), &err), &err);
        for (int form = 0; form < 2; form++) {
            assert_ok(store_samples_open(form == 0 ? path : double_slash, &store, &err), &err);
            assert_ok(store_samples_count(store, &games, &samples, &err), &err);
            assert_int_equal(games, i + 1);
            store_samples_close(store);
        }
    }
    remove_folder(folder);
}

/* Sealed means: readable where nothing can be written, not even a lock or a log. */
static void test_sealed_file_in_a_read_only_folder(void **state)
{
    (void)state;
    char folder[64], path[256];
    struct store_labels *store;
    struct error err = {0};
    make_folder(folder);
    path_in(path, folder, "0000.labels.db");
    assert_ok(store_labels_continue(path, &store, &err), &err);
    for (int64_t id = 1; id <= 5; id++) {
        add_label(store, id);
    }
    assert_ok(store_labels_seal(store, 5, &err), &err);
    chmod(path, 0444);
    chmod(folder, 0555);
    assert_labels(path, 5);
    assert_ok(store_labels_open(path, &store, &err), &err);
    assert_int_equal(store_labels_set_meta(store, "a", "b", &err), -1);
    store_labels_close(store);
    assert_only_file(folder, "0000.labels.db");
    chmod(folder, 0755);
    remove_folder(folder);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

static void test_files_that_are_none(void **state)
{
    (void)state;
    char folder[64], path[256], other[256];
    struct store_samples *samples;
    struct store_labels *labels;
    struct error err = {0};
    make_folder(folder);
    path_in(path, folder, "missing.db");
    assert_int_equal(store_samples_open(path, &samples, &err), -1);
    assert_contains(err.text, "missing.db: no such file");
    assert_int_equal(store_labels_open(folder, &labels, &err), -1);
    assert_contains(err.text, folder);
    path_in(path, folder, "text.db");
    write_text(path, "this is no database, and long enough to be looked at as if it were one, "
                     "which takes at least a hundred bytes");
    assert_int_equal(store_samples_open(path, &samples, &err), -1);
    assert_contains(err.text, "text.db");
    path_in(path, folder, "empty.db");
    write_text(path, "");
    assert_int_equal(store_samples_open(path, &samples, &err), -1);
    assert_contains(err.text, "not a samples file");
    path_in(path, folder, "samples.db");
    assert_ok(store_samples_seal(write_samples(path, 300, 1), &err), &err);
    assert_int_equal(store_labels_open(path, &labels, &err), -1);
    assert_contains(err.text, "not a labels file");
    path_in(path, folder, "no/such/folder/x.db");
    assert_int_equal(store_samples_create(path, &samples, &err), -1);
    assert_int_equal(store_labels_continue(path, &labels, &err), -1);
    path_in(path, folder, "samples.db");
    path_in(other, folder, "other.db" STORE_WORK_SUFFIX);
    assert_int_equal(rename(path, other), 0);
    path_in(path, folder, "other.db");
    assert_int_equal(store_labels_continue(path, &labels, &err), -1);
    assert_contains(err.text, "not a labels file");
    remove_folder(folder);
}

static void set_version(const char *path, int version)
{
    char sql[64];
    sqlite3 *db;
    snprintf(sql, sizeof sql, "PRAGMA user_version=%d", version);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* Older and newer files are refused unchanged, sealed or not, and the message says what to do. */
static void test_other_versions_are_refused(void **state)
{
    static const int versions[] = {1, 2, 3, STORE_VERSION + 1};
    (void)state;
    char folder[64], path[256], work[256], before[DIGEST_HEX_SIZE], after[DIGEST_HEX_SIZE];
    struct store_samples *samples;
    struct store_labels *labels;
    struct error err = {0};
    make_folder(folder);
    path_in(path, folder, "0000.samples.db");
    path_in(work, folder, "0000.labels.db" STORE_WORK_SUFFIX);
    assert_ok(store_samples_seal(write_samples(path, 300, 1), &err), &err);
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        bool newer = versions[i] > STORE_VERSION;
        set_version(path, versions[i]);
        assert_ok(digest_file(path, before, NULL, &err), &err);
        assert_int_equal(store_samples_open(path, &samples, &err), -1);
        assert_int_equal(err.code, ERROR_FAILED);
        assert_contains(err.text, "0000.samples.db: a samples file of version ");
        assert_contains(err.text, newer ? "a newer plymill" : "an older plymill");
        assert_contains(err.text, "finish it with that one, or build into another directory");
        assert_ok(digest_file(path, after, NULL, &err), &err);
        assert_string_equal(before, after);
    }
    path_in(path, folder, "0000.labels.db");
    assert_ok(store_labels_continue(path, &labels, &err), &err);
    store_labels_close(labels);
    set_version(work, STORE_VERSION - 1);
    assert_int_equal(store_labels_continue(path, &labels, &err), -1);
    assert_contains(err.text, "an older plymill");
    remove_folder(folder);
}

/* A sealed file that lost its end is found out while reading and not taken for a short one. */
static void test_cut_file_is_an_error(void **state)
{
    (void)state;
    char folder[64], path[256];
    struct store_samples *store;
    struct store_sample sample;
    struct error err = {0};
    struct stat status;
    int got = 1;
    make_folder(folder);
    path_in(path, folder, "0000.samples.db");
    assert_ok(store_samples_seal(write_samples(path, 1000, 3), &err), &err);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(truncate(path, status.st_size / 2 / STORE_PAGE_SIZE * STORE_PAGE_SIZE), 0);
    if (store_samples_open(path, &store, &err) == 0) {
        while (got == 1) {
            got = store_samples_next(store, &sample, NULL, &err);
        }
        assert_int_equal(got, -1);
        store_samples_close(store);
    }
    assert_contains(err.text, "malformed");
    remove_folder(folder);
}

/* Case 049 as it stands: how SQLite behaves when a reader wants to become a writer. */
static void test_049_as_written(void **state)
{
    static const char folder_name[] = "049-sqlite-busy-on-upgrade";
    (void)state;
    char folder[64], path[256], *lines[32];
    sqlite3 *db[2];
    int code = SQLITE_OK;
    char sql_path[256];
    make_folder(folder);
    path_in(path, folder, "049.db");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sqlite3_open(path, &db[i]), SQLITE_OK);
        sqlite3_extended_result_codes(db[i], 1);
        sqlite3_busy_timeout(db[i], 5000);
    }
    snprintf(sql_path, sizeof sql_path, "tests/data/cases/%s/input.sql", folder_name);
    size_t count = read_lines(sql_path, lines, 32);
    for (size_t i = 0; i < count; i++) {
        const char *line = lines[i];
        int who = strncmp(line, "-- B: ", 6) == 0;
        bool step = who || strncmp(line, "-- A: ", 6) == 0;
        if (step || strncmp(line, "--", 2) != 0) {
            assert_int_equal(code, SQLITE_OK); /* of every line but the last */
            code = sqlite3_exec(db[who], line + (step ? 6 : 0), NULL, NULL, NULL);
        }
    }
    assert_int_equal(code, SQLITE_BUSY_SNAPSHOT);
    assert_contains(fact(folder_name, "last UPDATE"), "SQLITE_BUSY_SNAPSHOT");
    free_lines(lines, count);
    sqlite3_close(db[0]);
    sqlite3_close(db[1]);
    remove_folder(folder);
}

/* Case 049's acceptance: many writers on one file through our code, every label exactly once. */
static void test_049_many_writers(void **state)
{
    enum { WRITERS = 4, EACH = 150 };
    (void)state;
    char folder[64], path[256];
    pid_t children[WRITERS];
    struct store_labels *store;
    struct error err = {0};
    make_folder(folder);
    path_in(path, folder, "0000.labels.db");
    for (int w = 0; w < WRITERS; w++) {
        children[w] = fork();
        if (children[w] == 0) {
            bool done[WRITERS * EACH + 1];
            int bad = store_labels_continue(path, &store, &err) != 0;
            for (int64_t i = 0; i < EACH && !bad; i++) {
                int64_t id = i * WRITERS + w + 1;
                struct label label = label_of(id);
                bad = store_labels_add(store, id, &label, reason_of(id), &err) != 0 ||
                      store_labels_done(store, done, WRITERS * EACH, &err) < 0 || !done[id];
            }
            if (bad) {
                fprintf(stderr, "%s\n", err.text);
            }
            _exit(bad);
        }
    }
    for (int w = 0; w < WRITERS; w++) {
        int status = -1;
        waitpid(children[w], &status, 0);
        assert_int_equal(status, 0);
    }
    assert_ok(store_labels_continue(path, &store, &err), &err);
    assert_ok(store_labels_seal(store, WRITERS * EACH, &err), &err);
    assert_labels(path, WRITERS * EACH);
    remove_folder(folder);
}

/* Another writer's lock is waited for: case 049, "B waits, no error". */
static void test_049_lock_is_waited_for(void **state)
{
    (void)state;
    char folder[64], path[256], work[300];
    struct store_labels *store;
    struct error err = {0};
    int ready[2];
    char byte = 0;
    make_folder(folder);
    path_in(path, folder, "0000.labels.db");
    snprintf(work, sizeof work, "%s%s", path, STORE_WORK_SUFFIX);
    assert_ok(store_labels_continue(path, &store, &err), &err);
    assert_int_equal(pipe(ready), 0);
    pid_t other = fork();
    if (other == 0) {
        sqlite3 *db;
        sqlite3_open(work, &db);
        int code = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
        ssize_t sent = write(ready[1], &byte, 1);
        usleep(300000);
        code |= sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
        _exit(code != SQLITE_OK || sent != 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    add_label(store, 1);
    assert_ok(store_labels_flush(store, &err), &err);
    int status = -1;
    waitpid(other, &status, 0);
    assert_int_equal(status, 0);
    close(ready[0]);
    close(ready[1]);
    assert_ok(store_labels_seal(store, 1, &err), &err);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_come_back),
        cmocka_unit_test(test_labels_come_back),
        cmocka_unit_test(test_labels_are_continued),
        cmocka_unit_test(test_killed_writer_loses_nothing_flushed),
        cmocka_unit_test(test_equal_content_is_equal_bytes),
        cmocka_unit_test(test_incomplete_labels_are_not_sealed),
        cmocka_unit_test(test_samples_with_gaps_are_not_sealed),
        cmocka_unit_test(test_sample_of_a_missing_game_is_an_error),
        cmocka_unit_test(test_odd_paths),
        cmocka_unit_test(test_sealed_file_in_a_read_only_folder),
        cmocka_unit_test(test_files_that_are_none),
        cmocka_unit_test(test_other_versions_are_refused),
        cmocka_unit_test(test_cut_file_is_an_error),
        cmocka_unit_test(test_049_as_written),
        cmocka_unit_test(test_049_many_writers),
        cmocka_unit_test(test_049_lock_is_waited_for),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
