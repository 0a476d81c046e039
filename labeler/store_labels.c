/* SPDX-License-Identifier: MIT */
/*
 * Labels files. Rows wait in memory until a batch is full or flushed, so that the database is
 * locked for the moment of writing only and not while engines think.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "labeler/store.h"
#include "labeler/store_db.h"

static const struct store_kind labels_kind = {
    .name = "labels",
    .application_id = 0x504d6c61, /* "PMla" */
    .schema = "CREATE TABLE label(sample INTEGER PRIMARY KEY, status INTEGER,"
              " final_kind INTEGER, final_value INTEGER, bound INTEGER, exact_kind INTEGER,"
              " exact_value INTEGER, exact_depth INTEGER, move INTEGER, depth INTEGER,"
              " nodes INTEGER, limit_kind INTEGER, limit_value INTEGER, reason TEXT);",
};

struct row {
    int64_t sample;
    struct label label;
    char reason[STORE_REASON_MAX]; /* "" is stored as NULL */
};

struct store_labels {
    struct store_db db;
    sqlite3_stmt *add, *read, *get; /* get: prepared when it is first needed */
    size_t pending;
    struct row rows[STORE_BATCH];
};

static void labels_free(struct store_labels *store)
{
    sqlite3_finalize(store->add);
    sqlite3_finalize(store->read);
    sqlite3_finalize(store->get);
    store_db_close(&store->db);
    free(store);
}

static int labels_new(struct store_labels **store, struct error *err)
{
    *store = calloc(1, sizeof **store);
    return *store != NULL ? 0 : error_memory(err);
}

int store_labels_continue(const char *path, struct store_labels **store, struct error *err)
{
    static const char add_sql[] =
        "INSERT INTO label VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
    struct store_labels *fresh;
    *store = NULL;
    if (file_exists(path)) {
        return error_set(err, ERROR_FAILED, "%s: complete already", path);
    }
    if (labels_new(&fresh, err) != 0) {
        return -1;
    }
    if (store_db_open_work(&fresh->db, &labels_kind, path, err) != 0 ||
        store_db_prepare(&fresh->db, add_sql, &fresh->add, err) != 0) {
        labels_free(fresh);
        return -1;
    }
    *store = fresh;
    return 0;
}

int64_t store_labels_done(struct store_labels *store, bool *done, int64_t max_id, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_labels_flush(store, err) != 0 ||
        store_db_prepare(&store->db, "SELECT sample FROM label ORDER BY sample", &statement, err) !=
            0) {
        return -1;
    }
    int64_t count = 0;
    int code;
    memset(done, 0, (size_t)(max_id + 1) * sizeof *done);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(statement, 0);
        if (id < 1 || id > max_id) {
            count = error_set(err, ERROR_FAILED,
                              "%s: has a label for sample %" PRId64 ", but there are only %" PRId64
                              " samples",
                              store->db.work != NULL ? store->db.work : store->db.path, id, max_id);
            break;
        }
        done[id] = true;
        count++;
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        count = store_db_error(&store->db, code, err);
    }
    sqlite3_finalize(statement);
    return count;
}

static int insert_row(struct store_labels *store, const struct row *row, struct error *err)
{
    const struct label *label = &row->label;
    sqlite3_stmt *statement = store->add;
    sqlite3_bind_int64(statement, 1, row->sample);
    sqlite3_bind_int(statement, 2, label->status);
    sqlite3_bind_int(statement, 3, label->final.kind);
    sqlite3_bind_int(statement, 4, label->final.value);
    sqlite3_bind_int(statement, 5, label->bound);
    sqlite3_bind_int(statement, 6, label->exact.kind);
    sqlite3_bind_int(statement, 7, label->exact.value);
    sqlite3_bind_int(statement, 8, label->exact_depth);
    sqlite3_bind_int(statement, 9, label->best_move);
    sqlite3_bind_int(statement, 10, label->depth);
    sqlite3_bind_int64(statement, 11, (int64_t)label->nodes);
    sqlite3_bind_int(statement, 12, label->limit_kind);
    sqlite3_bind_int64(statement, 13, (int64_t)label->limit);
    if (row->reason[0] != 0) {
        sqlite3_bind_text(statement, 14, row->reason, -1, SQLITE_STATIC);
    } else {
        sqlite3_bind_null(statement, 14);
    }
    if (store_db_run(&store->db, statement, err) != 0) {
        return error_prefix(err, "label of sample %" PRId64, row->sample);
    }
    return 0;
}

static int row_compare(const void *a, const void *b)
{
    int64_t left = ((const struct row *)a)->sample;
    int64_t right = ((const struct row *)b)->sample;
    return (left > right) - (left < right);
}

/* The batch stays in memory when it could not be written: a later flush tries again. */
int store_labels_flush(struct store_labels *store, struct error *err)
{
    if (store->pending == 0) {
        return 0;
    }
    qsort(store->rows, store->pending, sizeof *store->rows, row_compare);
    if (store_db_exec(&store->db, "BEGIN IMMEDIATE", err) != 0) {
        return -1;
    }
    int result = 0;
    for (size_t i = 0; i < store->pending && result == 0; i++) {
        result = insert_row(store, &store->rows[i], err);
    }
    if (result == 0) {
        result = store_db_exec(&store->db, "COMMIT", err);
    }
    if (result != 0) {
        store_db_exec(&store->db, "ROLLBACK", NULL);
        return -1;
    }
    store->pending = 0;
    return 0;
}

int store_labels_add(struct store_labels *store, int64_t sample, const struct label *label,
                     const char *reason, struct error *err)
{
    if (store->pending == STORE_BATCH && store_labels_flush(store, err) != 0) {
        return -1;
    }
    struct row *row = &store->rows[store->pending++];
    row->sample = sample;
    row->label = *label;
    snprintf(row->reason, sizeof row->reason, "%s", reason != NULL ? reason : "");
    return 0;
}

int store_labels_copy(struct store_labels *store, const char *path, struct error *err)
{
    return store_labels_flush(store, err) != 0 ? -1 : store_db_copy(&store->db, path, err);
}

int store_labels_seal(struct store_labels *store, uint64_t expected, struct error *err)
{
    int64_t count;
    int result = -1;
    if (store_labels_flush(store, err) == 0 &&
        store_db_number(&store->db, "SELECT count(*) FROM label", &count, err) == 0) {
        result = (uint64_t)count == expected
                     ? store_db_publish(&store->db, err)
                     : error_set(err, ERROR_FAILED,
                                 "%s: holds %" PRId64 " labels, and %" PRIu64 " are expected",
                                 store->db.work, count, expected);
    }
    labels_free(store);
    return result;
}

int store_labels_open(const char *path, struct store_labels **store, struct error *err)
{
    struct store_labels *fresh;
    *store = NULL;
    if (labels_new(&fresh, err) != 0) {
        return -1;
    }
    if (store_db_open_sealed(&fresh->db, &labels_kind, path, err) != 0 ||
        store_db_prepare(&fresh->db, "SELECT * FROM label ORDER BY sample", &fresh->read, err) !=
            0) {
        labels_free(fresh);
        return -1;
    }
    *store = fresh;
    return 0;
}

static void read_row(sqlite3_stmt *row, struct label *label, char reason[STORE_REASON_MAX])
{
    memset(label, 0, sizeof *label);
    label->status = (uint8_t)sqlite3_column_int(row, 1);
    label->final.kind = (uint8_t)sqlite3_column_int(row, 2);
    label->final.value = sqlite3_column_int(row, 3);
    label->bound = (uint8_t)sqlite3_column_int(row, 4);
    label->exact.kind = (uint8_t)sqlite3_column_int(row, 5);
    label->exact.value = sqlite3_column_int(row, 6);
    label->exact_depth = (uint16_t)sqlite3_column_int(row, 7);
    label->best_move = (uint16_t)sqlite3_column_int(row, 8);
    label->depth = (uint16_t)sqlite3_column_int(row, 9);
    label->nodes = (uint64_t)sqlite3_column_int64(row, 10);
    label->limit_kind = (uint8_t)sqlite3_column_int(row, 11);
    label->limit = (uint64_t)sqlite3_column_int64(row, 12);
    if (reason != NULL) {
        const char *text = (const char *)sqlite3_column_text(row, 13);
        snprintf(reason, STORE_REASON_MAX, "%s", text != NULL ? text : "");
    }
}

int store_labels_next(struct store_labels *store, int64_t *sample, struct label *label,
                      char reason[STORE_REASON_MAX], struct error *err)
{
    int code = sqlite3_step(store->read);
    if (code == SQLITE_DONE) {
        return 0;
    }
    if (code != SQLITE_ROW) {
        return store_db_error(&store->db, code, err);
    }
    *sample = sqlite3_column_int64(store->read, 0);
    read_row(store->read, label, reason);
    return 1;
}

int store_labels_get(struct store_labels *store, int64_t sample, struct label *label,
                     char reason[STORE_REASON_MAX], struct error *err)
{
    if (store_labels_flush(store, err) != 0 ||
        (store->get == NULL && store_db_prepare(&store->db, "SELECT * FROM label WHERE sample = ?1",
                                                &store->get, err) != 0)) {
        return -1;
    }
    sqlite3_bind_int64(store->get, 1, sample);
    int code = sqlite3_step(store->get);
    int result = code == SQLITE_ROW ? 1 : 0;
    if (code == SQLITE_ROW) {
        read_row(store->get, label, reason);
    } else if (code != SQLITE_DONE) {
        result = store_db_error(&store->db, code, err);
    }
    sqlite3_reset(store->get);
    return result;
}

/* What cannot be written now is made again by the next run. */
void store_labels_close(struct store_labels *store)
{
    if (store != NULL) {
        store_labels_flush(store, NULL);
        labels_free(store);
    }
}

int store_labels_set_meta(struct store_labels *store, const char *key, const char *value,
                          struct error *err)
{
    return store_db_set_meta(&store->db, key, value, err);
}

int store_labels_get_meta(struct store_labels *store, const char *key, char *value, size_t size,
                          struct error *err)
{
    return store_db_get_meta(&store->db, key, value, size, err);
}
