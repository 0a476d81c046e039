/* SPDX-License-Identifier: MIT */
/*
 * Samples files.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/chess/poskey.h"
#include "formats/record.h"
#include "labeler/store.h"
#include "labeler/store_db.h"

static const struct store_kind samples_kind = {
    .name = "samples",
    .application_id = 0x504d7361, /* "PMsa" */
    .schema = "CREATE TABLE game(id INTEGER PRIMARY KEY, game_id TEXT, split INTEGER,"
              " result INTEGER, white_rating INTEGER, black_rating INTEGER, plies INTEGER,"
              " opening INTEGER);"
              "CREATE TABLE sample(id INTEGER PRIMARY KEY, game INTEGER, ply INTEGER,"
              " position BLOB, move INTEGER, eval_kind INTEGER, eval_value INTEGER,"
              " eval_depth INTEGER, label BLOB);",
};

struct store_samples {
    struct store_db db;
    sqlite3_stmt *add_game, *add_sample, *read;
    uint64_t games, samples; /* added */
    unsigned pending;        /* rows of the open transaction */
};

static void samples_free(struct store_samples *store)
{
    sqlite3_finalize(store->add_game);
    sqlite3_finalize(store->add_sample);
    sqlite3_finalize(store->read);
    store_db_close(&store->db);
    free(store);
}

static int samples_new(struct store_samples **store, struct error *err)
{
    *store = calloc(1, sizeof **store);
    return *store != NULL ? 0 : error_memory(err);
}

int store_samples_create(const char *path, struct store_samples **store, struct error *err)
{
    struct store_samples *fresh;
    *store = NULL;
    if (samples_new(&fresh, err) != 0) {
        return -1;
    }
    if (store_db_remove_work(path, err) != 0 ||
        store_db_open_work(&fresh->db, &samples_kind, path, err) != 0 ||
        store_db_prepare(&fresh->db, "INSERT INTO game VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                         &fresh->add_game, err) != 0 ||
        store_db_prepare(&fresh->db,
                         "INSERT INTO sample VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                         &fresh->add_sample, err) != 0) {
        samples_free(fresh);
        return -1;
    }
    *store = fresh;
    return 0;
}

static int samples_commit(struct store_samples *store, struct error *err)
{
    if (store->pending == 0) {
        return 0;
    }
    store->pending = 0;
    return store_db_exec(&store->db, "COMMIT", err);
}

/* Runs an insert inside of a transaction that takes a batch of them. */
static int samples_insert(struct store_samples *store, sqlite3_stmt *statement, struct error *err)
{
    if (store->pending == 0 && store_db_exec(&store->db, "BEGIN IMMEDIATE", err) != 0) {
        return -1;
    }
    store->pending++;
    if (store_db_run(&store->db, statement, err) != 0) {
        return -1;
    }
    return store->pending < STORE_BATCH ? 0 : samples_commit(store, err);
}

int store_samples_add_game(struct store_samples *store, const struct store_game *game,
                           struct error *err)
{
    sqlite3_stmt *statement = store->add_game;
    sqlite3_bind_int64(statement, 1, game->id);
    sqlite3_bind_text(statement, 2, game->game_id, -1, SQLITE_STATIC);
    sqlite3_bind_int(statement, 3, game->split);
    sqlite3_bind_int(statement, 4, game->result);
    sqlite3_bind_int(statement, 5, game->white_rating);
    sqlite3_bind_int(statement, 6, game->black_rating);
    sqlite3_bind_int64(statement, 7, game->plies);
    sqlite3_bind_int64(statement, 8, (int64_t)game->opening);
    store->games++;
    return samples_insert(store, statement, err);
}

int store_samples_add(struct store_samples *store, const struct store_sample *sample,
                      struct error *err)
{
    uint8_t packed[POSKEY_PACKED_SIZE], label[RECORD_LABEL_SIZE];
    sqlite3_stmt *statement = store->add_sample;
    poskey_pack(&sample->position, packed);
    sqlite3_bind_int64(statement, 1, sample->id);
    sqlite3_bind_int64(statement, 2, sample->game);
    sqlite3_bind_int64(statement, 3, sample->ply);
    sqlite3_bind_blob(statement, 4, packed, sizeof packed, SQLITE_STATIC);
    sqlite3_bind_int(statement, 5, sample->move);
    sqlite3_bind_int(statement, 6, sample->eval.kind);
    sqlite3_bind_int(statement, 7, sample->eval.kind != SCORE_NONE ? sample->eval.value : 0);
    sqlite3_bind_int(statement, 8, sample->eval_depth);
    sqlite3_bind_null(statement, 9);
    if (sample->labeled) {
        record_label_encode(&sample->label, label);
        sqlite3_bind_blob(statement, 9, label, sizeof label, SQLITE_STATIC);
    }
    store->samples++;
    return samples_insert(store, statement, err);
}

/* As many rows as were added, and their ids count from 1 without a gap. */
static int check_table(struct store_samples *store, const char *table, uint64_t added,
                       struct error *err)
{
    char sql[128];
    int64_t count, in_order;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
    if (store_db_number(&store->db, sql, &count, err) != 0) {
        return -1;
    }
    snprintf(sql, sizeof sql, "SELECT ifnull(min(id) = 1 AND max(id) = count(*), 1) FROM %s",
             table);
    if (store_db_number(&store->db, sql, &in_order, err) != 0) {
        return -1;
    }
    if ((uint64_t)count != added || !in_order) {
        return error_set(err, ERROR_FAILED,
                         "%s: table %s holds %" PRId64 " rows of %" PRIu64 " added%s",
                         store->db.work, table, count, added,
                         in_order ? "" : ", and their ids do not count from 1");
    }
    return 0;
}

int store_samples_seal(struct store_samples *store, struct error *err)
{
    int result = -1;
    if (samples_commit(store, err) == 0 && check_table(store, "game", store->games, err) == 0 &&
        check_table(store, "sample", store->samples, err) == 0) {
        result = store_db_publish(&store->db, err);
    }
    samples_free(store);
    return result;
}

int store_samples_open(const char *path, struct store_samples **store, struct error *err)
{
    /* LEFT JOIN: a sample without its game shall be an error and not be missing. */
    static const char read_sql[] =
        "SELECT s.id, s.game, s.ply, s.position, s.move, g.id, g.game_id, g.split, g.result,"
        " g.white_rating, g.black_rating, g.plies, s.eval_kind, s.eval_value, s.eval_depth, "
        "s.label,"
        " g.opening"
        " FROM sample s LEFT JOIN game g ON g.id = s.game ORDER BY s.id";
    struct store_samples *fresh;
    *store = NULL;
    if (samples_new(&fresh, err) != 0) {
        return -1;
    }
    if (store_db_open_sealed(&fresh->db, &samples_kind, path, err) != 0 ||
        store_db_prepare(&fresh->db, read_sql, &fresh->read, err) != 0) {
        samples_free(fresh);
        return -1;
    }
    *store = fresh;
    return 0;
}

int store_samples_count(struct store_samples *store, uint64_t *games, uint64_t *samples,
                        struct error *err)
{
    int64_t game_count, sample_count;
    if (store_db_number(&store->db, "SELECT count(*) FROM game", &game_count, err) != 0 ||
        store_db_number(&store->db, "SELECT count(*) FROM sample", &sample_count, err) != 0) {
        return -1;
    }
    *games = (uint64_t)game_count;
    *samples = (uint64_t)sample_count;
    return 0;
}

static void read_game(sqlite3_stmt *row, struct store_game *game)
{
    const char *id = (const char *)sqlite3_column_text(row, 6);
    memset(game, 0, sizeof *game);
    game->id = sqlite3_column_int64(row, 5);
    snprintf(game->game_id, sizeof game->game_id, "%s", id != NULL ? id : "");
    game->split = sqlite3_column_int(row, 7);
    game->result = sqlite3_column_int(row, 8);
    game->white_rating = (uint16_t)sqlite3_column_int(row, 9);
    game->black_rating = (uint16_t)sqlite3_column_int(row, 10);
    game->plies = (uint32_t)sqlite3_column_int64(row, 11);
    game->opening = (uint64_t)sqlite3_column_int64(row, 16);
}

static int read_label(sqlite3_stmt *row, struct store_sample *sample)
{
    const uint8_t *label = sqlite3_column_blob(row, 15);
    sample->label = (struct label){.status = LABEL_OK};
    sample->labeled = label != NULL;
    if (label == NULL) {
        return 0;
    }
    return sqlite3_column_bytes(row, 15) == RECORD_LABEL_SIZE
               ? record_label_decode(label, &sample->label)
               : -1;
}

int store_samples_next(struct store_samples *store, struct store_sample *sample,
                       struct store_game *game, struct error *err)
{
    sqlite3_stmt *row = store->read;
    int code = sqlite3_step(row);
    if (code == SQLITE_DONE) {
        return 0;
    }
    if (code != SQLITE_ROW) {
        return store_db_error(&store->db, code, err);
    }
    sample->id = sqlite3_column_int64(row, 0);
    sample->game = sqlite3_column_int64(row, 1);
    sample->ply = (uint32_t)sqlite3_column_int64(row, 2);
    sample->move = (uint16_t)sqlite3_column_int(row, 4);
    sample->eval = (struct score){.kind = (uint8_t)sqlite3_column_int(row, 12),
                                  .value = sqlite3_column_int(row, 13)};
    sample->eval_depth = (uint16_t)sqlite3_column_int(row, 14);
    const uint8_t *packed = sqlite3_column_blob(row, 3);
    if (packed == NULL || sqlite3_column_bytes(row, 3) != POSKEY_PACKED_SIZE ||
        poskey_unpack(packed, &sample->position) != 0) {
        return error_set(err, ERROR_FAILED, "%s: sample %" PRId64 " holds no position",
                         store->db.path, sample->id);
    }
    if (read_label(row, sample) != 0) {
        return error_set(err, ERROR_FAILED, "%s: sample %" PRId64 " holds no label that is known",
                         store->db.path, sample->id);
    }
    if (sqlite3_column_type(row, 5) == SQLITE_NULL) {
        return error_set(err, ERROR_FAILED, "%s: sample %" PRId64 " is of a game that is missing",
                         store->db.path, sample->id);
    }
    if (game != NULL) {
        read_game(row, game);
    }
    return 1;
}

int store_samples_rewind(struct store_samples *store, struct error *err)
{
    int code = sqlite3_reset(store->read);
    return code == SQLITE_OK ? 0 : store_db_error(&store->db, code, err);
}

void store_samples_close(struct store_samples *store)
{
    if (store != NULL) {
        samples_free(store);
    }
}

int store_samples_set_meta(struct store_samples *store, const char *key, const char *value,
                           struct error *err)
{
    return store_db_set_meta(&store->db, key, value, err);
}

int store_samples_get_meta(struct store_samples *store, const char *key, char *value, size_t size,
                           struct error *err)
{
    return store_db_get_meta(&store->db, key, value, size, err);
}
