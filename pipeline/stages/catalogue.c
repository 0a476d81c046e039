/* SPDX-License-Identifier: MIT */
/*
 * The catalogue's SQL. One statement is prepared, bound and finalised per call: the driver makes
 * few.
 */
#include "pipeline/stages/catalogue.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"

struct catalogue {
    sqlite3 *db;
    char *path, *seal;
    bool unsealed; /* the seal was removed, if there was one */
};

/* In one transaction, so that a killed driver leaves an empty file or all of it. */
static const char schema[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS count(stage TEXT, name TEXT, split INTEGER, value INTEGER,"
    " PRIMARY KEY(stage, name, split));"
    "CREATE TABLE IF NOT EXISTS input(path TEXT, sha256 TEXT, bytes INTEGER, games INTEGER,"
    " plies INTEGER, rejected INTEGER);"
    "CREATE TABLE IF NOT EXISTS reject(path TEXT, game INTEGER, offset INTEGER, ply INTEGER,"
    " reason TEXT, text TEXT, rank TEXT);"
    "CREATE TABLE IF NOT EXISTS shard(id INTEGER PRIMARY KEY, games INTEGER, samples INTEGER,"
    " labels INTEGER);"
    "CREATE TABLE IF NOT EXISTS file(name TEXT PRIMARY KEY, stage TEXT, content_sha256 TEXT,"
    " file_sha256 TEXT, content_bytes INTEGER, file_bytes INTEGER, records INTEGER);"
    "CREATE TABLE IF NOT EXISTS health(id INTEGER PRIMARY KEY, labels INTEGER, failures INTEGER,"
    " restarts INTEGER, timeouts INTEGER, workers INTEGER, nodes INTEGER, search_us INTEGER,"
    " median_us INTEGER, p95_us INTEGER, slowest_us INTEGER, wall_us INTEGER);"
    "INSERT OR IGNORE INTO meta VALUES('format_version', '" CATALOGUE_VERSION "');"
    "COMMIT;";

/* The large cache keeps a long transaction out of the file, which others may look at meanwhile. */
static const char *const prepare_to_write[] = {"PRAGMA synchronous=FULL",
                                               "PRAGMA cache_size=-65536", schema, NULL};
static const char *const look[] = {"PRAGMA query_only=ON", NULL};

static int fail(struct catalogue *catalogue, struct error *err)
{
    int code = sqlite3_errcode(catalogue->db), system = sqlite3_system_errno(catalogue->db);
    bool full =
        code == SQLITE_FULL || (code == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT));
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        return error_set(err, ERROR_FAILED,
                         "%s: damaged (%s): build into another directory, or put it back from a "
                         "copy",
                         catalogue->path, sqlite3_errmsg(catalogue->db));
    return error_set(err, full || code == SQLITE_BUSY ? ERROR_RETRY : ERROR_FAILED, "%s: %s",
                     catalogue->path,
                     full ? "No space left on device" : sqlite3_errmsg(catalogue->db));
}

/* types: one letter per parameter, 's' const char *, 'i' int64_t. */
static sqlite3_stmt *prepare(struct catalogue *catalogue, struct error *err, const char *sql,
                             const char *types, va_list list)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(catalogue->db, sql, -1, &statement, NULL) != SQLITE_OK) {
        fail(catalogue, err);
        return NULL;
    }
    for (int i = 1; *types; types++, i++) {
        int code = *types == 's' ? sqlite3_bind_text(statement, i, va_arg(list, const char *), -1,
                                                     SQLITE_TRANSIENT)
                                 : sqlite3_bind_int64(statement, i, va_arg(list, int64_t));
        if (code != SQLITE_OK) {
            fail(catalogue, err);
            sqlite3_finalize(statement);
            return NULL;
        }
    }
    return statement;
}

static int remove_seal(struct catalogue *catalogue, struct error *err)
{
    if (!catalogue->unsealed && file_remove(catalogue->seal, err) < 0)
        return -1;
    catalogue->unsealed = true;
    return 0;
}

/* Everything that writes comes through here. */
static int run(struct catalogue *catalogue, struct error *err, const char *sql, const char *types,
               ...)
{
    va_list list;
    if (remove_seal(catalogue, err) < 0)
        return -1;
    va_start(list, types);
    sqlite3_stmt *statement = prepare(catalogue, err, sql, types, list);
    va_end(list);
    if (!statement)
        return -1;
    int code = sqlite3_step(statement);
    int status = code == SQLITE_DONE || code == SQLITE_ROW ? 0 : fail(catalogue, err);
    sqlite3_finalize(statement);
    return status;
}

static sqlite3_stmt *query(struct catalogue *catalogue, struct error *err, const char *sql,
                           const char *types, ...)
{
    va_list list;
    va_start(list, types);
    sqlite3_stmt *statement = prepare(catalogue, err, sql, types, list);
    va_end(list);
    return statement;
}

/* 1 row, 0 end, -1 error. */
static int step(struct catalogue *catalogue, sqlite3_stmt *statement, struct error *err)
{
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        return 1;
    return code == SQLITE_DONE ? 0 : fail(catalogue, err);
}

static void copy_text(sqlite3_stmt *statement, int column, char *out, size_t size)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    (void)snprintf(out, size, "%s", text ? (const char *)text : "");
}

static int check_version(struct catalogue *catalogue, struct error *err)
{
    char version[CATALOGUE_VALUE_MAX] = "none";
    if (catalogue_get(catalogue, "format_version", version, err) < 0)
        return -1;
    if (strcmp(version, CATALOGUE_VERSION) == 0)
        return 0;
    bool newer = strtol(version, NULL, 10) > strtol(CATALOGUE_VERSION, NULL, 10);
    return error_set(err, ERROR_FAILED,
                     "%s: format version %s, and this plymill knows %s: the build was made by %s "
                     "plymill; use that one, or build into another directory",
                     catalogue->path, version, CATALOGUE_VERSION, newer ? "a newer" : "an older");
}

/* 1; 0 for a file that was only just made, or before there was this table; -1. */
static int has_table(struct catalogue *catalogue, const char *name)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(catalogue->db, "SELECT 1 FROM sqlite_master WHERE name = ?", -1,
                                  &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? 1 : (code == SQLITE_DONE ? 0 : -1);
}

int catalogue_open(const char *path, bool read_only, struct catalogue **out, struct error *err)
{
    struct catalogue *catalogue = calloc(1, sizeof *catalogue);
    if (!catalogue)
        return error_memory(err);
    catalogue->path = file_name_format(err, "%s", path);
    catalogue->seal = file_name_format(err, "%s" CATALOGUE_SEAL, path);
    if (!catalogue->path || !catalogue->seal)
        goto close;
    /* Read only by query_only: SQLite must be able to undo what a killed driver had not committed.
     */
    int flags = SQLITE_OPEN_READWRITE | (read_only ? 0 : SQLITE_OPEN_CREATE);
    if (sqlite3_open_v2(path, &catalogue->db, flags, NULL) != SQLITE_OK)
        goto fail;
    sqlite3_busy_timeout(catalogue->db, 5000);
    int begun = has_table(catalogue, "meta");
    if (begun < 0)
        goto fail;
    if (begun && check_version(catalogue, err) < 0)
        goto close;
    const char *const *sql = read_only ? look : prepare_to_write;
    for (; *sql; sql++)
        if (sqlite3_exec(catalogue->db, *sql, NULL, NULL, NULL) != SQLITE_OK)
            goto fail;
    if (check_version(catalogue, err) < 0)
        goto close;
    *out = catalogue;
    return 0;
fail:
    fail(catalogue, err);
close:
    catalogue_close(catalogue);
    return -1;
}

void catalogue_close(struct catalogue *catalogue)
{
    if (!catalogue)
        return;
    sqlite3_close(catalogue->db);
    free(catalogue->path);
    free(catalogue->seal);
    free(catalogue);
}

int catalogue_seal(struct catalogue *catalogue, struct error *err)
{
    char hex[DIGEST_HEX_SIZE], line[DIGEST_HEX_SIZE + 256];
    if (file_exists(catalogue->seal) || !sqlite3_get_autocommit(catalogue->db))
        return 0;
    if (digest_file(catalogue->path, hex, NULL, err) < 0)
        return -1;
    const char *slash = strrchr(catalogue->path, '/');
    int length = snprintf(line, sizeof line, "%s  %s\n", hex, slash ? slash + 1 : catalogue->path);
    if (file_write_all(catalogue->seal, line, (size_t)length, err) < 0)
        return -1;
    catalogue->unsealed = false;
    return 0;
}

int catalogue_begin(struct catalogue *catalogue, struct error *err)
{
    return run(catalogue, err, "BEGIN IMMEDIATE", "");
}

int catalogue_commit(struct catalogue *catalogue, struct error *err)
{
    return run(catalogue, err, "COMMIT", "");
}

void catalogue_rollback(struct catalogue *catalogue)
{
    if (!sqlite3_get_autocommit(catalogue->db))
        (void)run(catalogue, NULL, "ROLLBACK", "");
}

int catalogue_get(struct catalogue *catalogue, const char *key, char value[CATALOGUE_VALUE_MAX],
                  struct error *err)
{
    sqlite3_stmt *statement =
        query(catalogue, err, "SELECT value FROM meta WHERE key = ?", "s", key);
    if (!statement)
        return -1;
    int status = step(catalogue, statement, err);
    if (status == 1)
        copy_text(statement, 0, value, CATALOGUE_VALUE_MAX);
    sqlite3_finalize(statement);
    return status;
}

int catalogue_set(struct catalogue *catalogue, const char *key, const char *value,
                  struct error *err)
{
    char have[CATALOGUE_VALUE_MAX];
    int found = catalogue_get(catalogue, key, have, err);
    if (found < 0 || (value ? found && strcmp(have, value) == 0 : !found))
        return found < 0 ? -1 : 0;
    if (!value)
        return run(catalogue, err, "DELETE FROM meta WHERE key = ?", "s", key);
    return run(catalogue, err, "INSERT OR REPLACE INTO meta VALUES(?, ?)", "ss", key, value);
}

int catalogue_put_count(struct catalogue *catalogue, const struct catalogue_count *count,
                        struct error *err)
{
    return run(catalogue, err, "INSERT OR REPLACE INTO count VALUES(?, ?, ?, ?)", "ssii",
               count->stage, count->name, (int64_t)count->split, count->value);
}

int catalogue_put_input(struct catalogue *catalogue, const struct catalogue_input *input,
                        struct error *err)
{
    return run(catalogue, err, "INSERT INTO input VALUES(?, ?, ?, ?, ?, ?)", "ssiiii", input->path,
               input->sha256, input->bytes, input->games, input->plies, input->rejected);
}

int catalogue_put_reject(struct catalogue *catalogue, const struct catalogue_reject *reject,
                         struct error *err)
{
    return run(catalogue, err, "INSERT INTO reject VALUES(?, ?, ?, ?, ?, ?, ?)", "siiisss",
               reject->path, reject->game, reject->offset, reject->ply, reject->reason,
               reject->text, reject->rank);
}

int64_t catalogue_cut_rejects(struct catalogue *catalogue, const char *last, struct error *err)
{
    if (run(catalogue, err, "DELETE FROM reject WHERE rank > ?", "s", last) < 0)
        return -1;
    return sqlite3_changes64(catalogue->db);
}

int64_t catalogue_count_rejects(struct catalogue *catalogue, const char *reason, struct error *err)
{
    sqlite3_stmt *statement =
        query(catalogue, err, "SELECT count(*) FROM reject WHERE reason = ?", "s", reason);
    if (!statement)
        return -1;
    int status = step(catalogue, statement, err);
    int64_t count = status == 1 ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    return count;
}

int catalogue_put_shard(struct catalogue *catalogue, const struct catalogue_shard *shard,
                        struct error *err)
{
    return run(catalogue, err, "INSERT OR REPLACE INTO shard VALUES(?, ?, ?, ?)", "iiii", shard->id,
               shard->games, shard->samples, shard->labels);
}

int catalogue_add_health(struct catalogue *catalogue, const struct catalogue_health *health,
                         struct error *err)
{
    return run(catalogue, err, "INSERT INTO health VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
               "iiiiiiiiiii", health->labels, health->failures, health->restarts, health->timeouts,
               health->workers, health->nodes, health->search_us, health->median_us, health->p95_us,
               health->slowest_us, health->wall_us);
}

int catalogue_forget_health(struct catalogue *catalogue, struct error *err)
{
    return run(catalogue, err, "DELETE FROM health", "");
}

bool catalogue_file_is_shard(const struct catalogue_file *file)
{
    return strncmp(file->name, "shards/", 7) == 0;
}

int catalogue_put_file(struct catalogue *catalogue, const struct catalogue_file *file,
                       struct error *err)
{
    return run(catalogue, err, "INSERT OR REPLACE INTO file VALUES(?, ?, ?, ?, ?, ?, ?)", "ssssiii",
               file->name, file->stage, file->content_sha256, file->file_sha256,
               file->content_bytes, file->file_bytes, file->records);
}

int catalogue_forget(struct catalogue *catalogue, const char *stage, struct error *err)
{
    char key[64];
    (void)snprintf(key, sizeof key, "stage.%s", stage);
    if (run(catalogue, err, "DELETE FROM count WHERE stage = ?", "s", stage) < 0 ||
        run(catalogue, err, "DELETE FROM file WHERE stage = ?", "s", stage) < 0 ||
        catalogue_set(catalogue, key, NULL, err) < 0)
        return -1;
    if (strcmp(stage, "sample") != 0)
        return 0;
    return run(catalogue, err, "DELETE FROM input", "") < 0 ||
                   run(catalogue, err, "DELETE FROM shard", "") < 0 ||
                   run(catalogue, err, "DELETE FROM reject", "") < 0
               ? -1
               : 0;
}

int catalogue_each_count(struct catalogue *catalogue, catalogue_count_function *function,
                         void *context, struct error *err)
{
    sqlite3_stmt *statement =
        query(catalogue, err, "SELECT stage, name, split, value FROM count ORDER BY 1, 2, 3", "");
    if (!statement)
        return -1;
    int status;
    while ((status = step(catalogue, statement, err)) == 1) {
        struct catalogue_count row = {.split = sqlite3_column_int(statement, 2),
                                      .value = sqlite3_column_int64(statement, 3)};
        copy_text(statement, 0, row.stage, sizeof row.stage);
        copy_text(statement, 1, row.name, sizeof row.name);
        if ((status = function(context, &row, err)) < 0)
            break;
    }
    sqlite3_finalize(statement);
    return status;
}

int catalogue_each_input(struct catalogue *catalogue, catalogue_input_function *function,
                         void *context, struct error *err)
{
    sqlite3_stmt *statement = query(
        catalogue, err,
        "SELECT path, sha256, bytes, games, plies, rejected FROM input ORDER BY sha256, path", "");
    if (!statement)
        return -1;
    int status;
    while ((status = step(catalogue, statement, err)) == 1) {
        struct catalogue_input row = {.bytes = sqlite3_column_int64(statement, 2),
                                      .games = sqlite3_column_int64(statement, 3),
                                      .plies = sqlite3_column_int64(statement, 4),
                                      .rejected = sqlite3_column_int64(statement, 5)};
        copy_text(statement, 0, row.path, sizeof row.path);
        copy_text(statement, 1, row.sha256, sizeof row.sha256);
        if ((status = function(context, &row, err)) < 0)
            break;
    }
    sqlite3_finalize(statement);
    return status;
}

int catalogue_each_reject(struct catalogue *catalogue, catalogue_reject_function *function,
                          void *context, struct error *err)
{
    sqlite3_stmt *statement =
        query(catalogue, err,
              "SELECT path, game, offset, ply, reason, text FROM reject ORDER BY path, game", "");
    if (!statement)
        return -1;
    int status;
    while ((status = step(catalogue, statement, err)) == 1) {
        struct catalogue_reject row = {.game = sqlite3_column_int64(statement, 1),
                                       .offset = sqlite3_column_int64(statement, 2),
                                       .ply = sqlite3_column_int64(statement, 3)};
        copy_text(statement, 0, row.path, sizeof row.path);
        copy_text(statement, 4, row.reason, sizeof row.reason);
        copy_text(statement, 5, row.text, sizeof row.text);
        if ((status = function(context, &row, err)) < 0)
            break;
    }
    sqlite3_finalize(statement);
    return status;
}

int catalogue_each_shard(struct catalogue *catalogue, catalogue_shard_function *function,
                         void *context, struct error *err)
{
    sqlite3_stmt *statement =
        query(catalogue, err, "SELECT id, games, samples, labels FROM shard ORDER BY id", "");
    if (!statement)
        return -1;
    int status;
    while ((status = step(catalogue, statement, err)) == 1) {
        struct catalogue_shard row = {.id = sqlite3_column_int64(statement, 0),
                                      .games = sqlite3_column_int64(statement, 1),
                                      .samples = sqlite3_column_int64(statement, 2),
                                      .labels = sqlite3_column_int64(statement, 3)};
        if ((status = function(context, &row, err)) < 0)
            break;
    }
    sqlite3_finalize(statement);
    return status;
}

int catalogue_each_file(struct catalogue *catalogue, catalogue_file_function *function,
                        void *context, struct error *err)
{
    sqlite3_stmt *statement =
        query(catalogue, err,
              "SELECT name, stage, content_sha256, file_sha256, content_bytes,"
              " file_bytes, records FROM file ORDER BY name",
              "");
    if (!statement)
        return -1;
    int status;
    while ((status = step(catalogue, statement, err)) == 1) {
        struct catalogue_file row = {.content_bytes = sqlite3_column_int64(statement, 4),
                                     .file_bytes = sqlite3_column_int64(statement, 5),
                                     .records = sqlite3_column_int64(statement, 6)};
        copy_text(statement, 0, row.name, sizeof row.name);
        copy_text(statement, 1, row.stage, sizeof row.stage);
        copy_text(statement, 2, row.content_sha256, sizeof row.content_sha256);
        copy_text(statement, 3, row.file_sha256, sizeof row.file_sha256);
        if ((status = function(context, &row, err)) < 0)
            break;
    }
    sqlite3_finalize(statement);
    return status;
}

int catalogue_each_health(struct catalogue *catalogue, catalogue_health_function *function,
                          void *context, struct error *err)
{
    int status = has_table(catalogue, "health");
    if (status <= 0)
        return status < 0 ? fail(catalogue, err) : 0;
    sqlite3_stmt *statement =
        query(catalogue, err,
              "SELECT labels, failures, restarts, timeouts, workers, nodes, search_us, median_us,"
              " p95_us, slowest_us, wall_us FROM health ORDER BY id",
              "");
    if (!statement)
        return -1;
    while ((status = step(catalogue, statement, err)) == 1) {
        int64_t value[11];
        for (int column = 0; column < 11; column++)
            value[column] = sqlite3_column_int64(statement, column);
        struct catalogue_health row = {value[0], value[1], value[2], value[3], value[4], value[5],
                                       value[6], value[7], value[8], value[9], value[10]};
        if ((status = function(context, &row, err)) < 0)
            break;
    }
    sqlite3_finalize(statement);
    return status;
}
