/* SPDX-License-Identifier: MIT */
/*
 * SQLite, wrapped as far as both kinds of shard files need it.
 */
#include "labeler/store_db.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/io/buffer.h"
#include "formats/io/fault.h"
#include "formats/io/file.h"
#include "labeler/store.h"

#define URI_MAX 32768

static const char meta_schema[] =
    "CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;";

void store_use_faults(void)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    if (vfs == NULL || vfs->iVersion < 3)
        return;
    /* The one or the other is what SQLite was compiled to call. */
    (void)vfs->xSetSystemCall(vfs, "pwrite", (sqlite3_syscall_ptr)fault_pwrite);
    (void)vfs->xSetSystemCall(vfs, "pwrite64", (sqlite3_syscall_ptr)fault_pwrite);
}

int store_db_error(struct store_db *db, int code, struct error *err)
{
    const char *path = db->work != NULL ? db->work : db->path;
    int primary = code & 0xff;
    int system = db->db != NULL ? sqlite3_system_errno(db->db) : 0;
    bool full = primary == SQLITE_FULL ||
                (primary == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT));
    bool again = full || primary == SQLITE_BUSY || primary == SQLITE_LOCKED;
    return error_set(err, again ? ERROR_RETRY : ERROR_FAILED, "%s: %s", path,
                     full             ? "No space left on device"
                     : db->db != NULL ? sqlite3_errmsg(db->db)
                                      : sqlite3_errstr(code));
}

int store_db_exec(struct store_db *db, const char *sql, struct error *err)
{
    int code = sqlite3_exec(db->db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? 0 : store_db_error(db, code, err);
}

int store_db_prepare(struct store_db *db, const char *sql, sqlite3_stmt **statement,
                     struct error *err)
{
    int code = sqlite3_prepare_v2(db->db, sql, -1, statement, NULL);
    return code == SQLITE_OK ? 0 : store_db_error(db, code, err);
}

int store_db_run(struct store_db *db, sqlite3_stmt *statement, struct error *err)
{
    int code = sqlite3_step(statement);
    int result = code == SQLITE_DONE || code == SQLITE_ROW ? 0 : store_db_error(db, code, err);
    sqlite3_reset(statement);
    return result;
}

int store_db_number(struct store_db *db, const char *sql, int64_t *number, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_db_prepare(db, sql, &statement, err) != 0) {
        return -1;
    }
    int code = sqlite3_step(statement);
    int result = 0;
    if (code == SQLITE_ROW) {
        *number = sqlite3_column_int64(statement, 0);
    } else {
        result = store_db_error(db, code, err);
    }
    sqlite3_finalize(statement);
    return result;
}

void store_db_close(struct store_db *db)
{
    sqlite3_close_v2(db->db);
    free(db->path);
    free(db->work);
    memset(db, 0, sizeof *db);
}

static int db_open_names(struct store_db *db, const struct store_kind *kind, const char *path,
                         struct error *err)
{
    memset(db, 0, sizeof *db);
    db->kind = kind;
    db->path = file_name_format(err, "%s", path);
    return db->path != NULL ? 0 : -1;
}

/* Turning WAL on needs the file for itself for a moment and does not wait for it as other calls do.
 */
static int db_enter_wal(struct store_db *db, struct error *err)
{
    int code = SQLITE_BUSY;
    for (int waited_ms = 0; waited_ms <= STORE_BUSY_TIMEOUT_MS; waited_ms += 10) {
        code = sqlite3_exec(db->db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
        if ((code & 0xff) != SQLITE_BUSY) {
            break;
        }
        sqlite3_sleep(10);
    }
    return code == SQLITE_OK ? 0 : store_db_error(db, code, err);
}

static int db_check_kind(struct store_db *db, struct error *err)
{
    int64_t application = 0, version = 0;
    if (store_db_number(db, "PRAGMA application_id", &application, err) != 0 ||
        store_db_number(db, "PRAGMA user_version", &version, err) != 0) {
        return -1;
    }
    if (application != db->kind->application_id) {
        return error_set(err, ERROR_FAILED, "%s: not a %s file", db->path, db->kind->name);
    }
    if (version != STORE_VERSION) {
        return error_set(err, ERROR_FAILED,
                         "%s: a %s file of version %d, and this plymill knows %d: the build was "
                         "made by %s plymill; finish it with that one, or build into another "
                         "directory",
                         db->path, db->kind->name, (int)version, STORE_VERSION,
                         version > STORE_VERSION ? "a newer" : "an older");
    }
    return 0;
}

static int db_create_tables(struct store_db *db, struct error *err)
{
    char marks[128];
    int64_t application = 0;
    snprintf(marks, sizeof marks, "PRAGMA application_id=%d; PRAGMA user_version=%d;",
             db->kind->application_id, STORE_VERSION);
    if (store_db_exec(db, "BEGIN IMMEDIATE", err) != 0 ||
        store_db_number(db, "PRAGMA application_id", &application, err) != 0) {
        return -1;
    }
    if (application == 0 &&
        (store_db_exec(db, marks, err) != 0 || store_db_exec(db, meta_schema, err) != 0 ||
         store_db_exec(db, db->kind->schema, err) != 0)) {
        return -1;
    }
    return store_db_exec(db, "COMMIT", err);
}

static int db_start_work(struct store_db *db, struct error *err)
{
    char page_size[64];
    int code = sqlite3_open_v2(
        db->work, &db->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK) {
        return store_db_error(db, code, err);
    }
    sqlite3_extended_result_codes(db->db, 1);
    sqlite3_busy_timeout(db->db, STORE_BUSY_TIMEOUT_MS);
    snprintf(page_size, sizeof page_size, "PRAGMA page_size=%d; PRAGMA auto_vacuum=NONE;",
             STORE_PAGE_SIZE);
    if (store_db_exec(db, page_size, err) != 0 || db_enter_wal(db, err) != 0 ||
        store_db_exec(db, "PRAGMA synchronous=NORMAL", err) != 0 ||
        db_create_tables(db, err) != 0) {
        return -1;
    }
    return db_check_kind(db, err);
}

int store_db_open_work(struct store_db *db, const struct store_kind *kind, const char *path,
                       struct error *err)
{
    if (db_open_names(db, kind, path, err) != 0) {
        return -1;
    }
    db->work = file_name_format(err, "%s%s", path, STORE_WORK_SUFFIX);
    if (db->work == NULL || db_start_work(db, err) != 0) {
        store_db_close(db);
        return -1;
    }
    return 0;
}

static bool uri_is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("/._-", c) != NULL;
}

/* A path may hold what means something in a URI; "//" at its start would name a host. */
static int uri_of_sealed(const char *path, struct buffer *uri, struct error *err)
{
    if (buffer_printf(uri, err, "file:") != 0) {
        return -1;
    }
    for (size_t i = 0; path[i] != 0; i++) {
        bool second_slash = i == 1 && path[i] == '/';
        int result = uri_is_plain(path[i]) && !second_slash
                         ? buffer_append(uri, &path[i], 1, err)
                         : buffer_printf(uri, err, "%%%02X", (unsigned char)path[i]);
        if (result != 0) {
            return -1;
        }
    }
    return buffer_printf(uri, err, "?immutable=1");
}

static int db_start_sealed(struct store_db *db, struct error *err)
{
    struct buffer uri;
    buffer_init(&uri, URI_MAX);
    int result = uri_of_sealed(db->path, &uri, err);
    if (result == 0) {
        int code = sqlite3_open_v2(
            uri.data, &db->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
        result = code == SQLITE_OK ? 0 : store_db_error(db, code, err);
    }
    buffer_free(&uri);
    if (result != 0) {
        return -1;
    }
    sqlite3_extended_result_codes(db->db, 1);
    db->sealed = true;
    return db_check_kind(db, err);
}

int store_db_open_sealed(struct store_db *db, const struct store_kind *kind, const char *path,
                         struct error *err)
{
    if (db_open_names(db, kind, path, err) != 0) {
        return -1;
    }
    if (!file_exists(path)) {
        store_db_close(db);
        return error_set(err, ERROR_FAILED, "%s: no such file", path);
    }
    if (db_start_sealed(db, err) != 0) {
        store_db_close(db);
        return -1;
    }
    return 0;
}

static int remove_with_suffix(const char *path, const char *suffix, struct error *err)
{
    char *name = file_name_format(err, "%s%s", path, suffix);
    int result = name != NULL ? file_remove(name, err) : -1;
    free(name);
    return result;
}

/* The database first: a log without its database is nothing, the other way round it is a trap. */
int store_db_remove_work(const char *path, struct error *err)
{
    if (remove_with_suffix(path, STORE_WORK_SUFFIX, err) != 0 ||
        remove_with_suffix(path, STORE_WORK_SUFFIX "-wal", err) != 0 ||
        remove_with_suffix(path, STORE_WORK_SUFFIX "-shm", err) != 0) {
        return -1;
    }
    return 0;
}

int store_db_copy(struct store_db *db, const char *to, struct error *err)
{
    sqlite3_stmt *statement;
    /* The header counts such copies; a file that was one must look as one that was not. */
    if (store_db_exec(db, "PRAGMA schema_version=1", err) != 0 ||
        store_db_prepare(db, "VACUUM INTO ?1", &statement, err) != 0) {
        return -1;
    }
    sqlite3_bind_text(statement, 1, to, -1, SQLITE_STATIC);
    int result = store_db_run(db, statement, err);
    sqlite3_finalize(statement);
    return result;
}

int store_db_publish(struct store_db *db, struct error *err)
{
    char *temporary =
        file_name_format(err, "%s%s%ld", db->path, FILE_TEMPORARY_MARK, (long)getpid());
    if (temporary == NULL) {
        return -1;
    }
    int result = -1;
    if (file_remove(temporary, err) == 0 && store_db_copy(db, temporary, err) == 0 &&
        file_publish(temporary, db->path, err) == 0) {
        sqlite3_close_v2(db->db);
        db->db = NULL;
        result = store_db_remove_work(db->path, err);
    } else {
        file_remove(temporary, NULL);
    }
    free(temporary);
    return result;
}

int store_db_set_meta(struct store_db *db, const char *key, const char *value, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_db_prepare(db, "INSERT OR REPLACE INTO meta(key, value) VALUES(?1, ?2)", &statement,
                         err) != 0) {
        return -1;
    }
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, value, -1, SQLITE_STATIC);
    int result = store_db_run(db, statement, err);
    sqlite3_finalize(statement);
    return result;
}

int store_db_get_meta(struct store_db *db, const char *key, char *value, size_t size,
                      struct error *err)
{
    sqlite3_stmt *statement;
    if (store_db_prepare(db, "SELECT value FROM meta WHERE key = ?1", &statement, err) != 0) {
        return -1;
    }
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    int result = 0;
    if (code == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        snprintf(value, size, "%s", text != NULL ? text : "");
        result = 1;
    } else if (code != SQLITE_DONE) {
        result = store_db_error(db, code, err);
    }
    sqlite3_finalize(statement);
    return result;
}
