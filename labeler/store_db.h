/* SPDX-License-Identifier: MIT */
/*
 * What samples and labels files have in common: opening, sealing, meta, errors. Internal to
 * store_*.c.
 *
 * A sealed file is not the work file itself but a copy of it in the order of the rows' ids, so that
 * equal content is equal bytes, whatever the order in which the rows came.
 */
#ifndef PLYMILL_LABELER_STORE_DB_H
#define PLYMILL_LABELER_STORE_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/io/error.h"

#define STORE_BATCH           512   /* rows of a transaction */
#define STORE_VERSION         4     /* user_version of the files */
#define STORE_BUSY_TIMEOUT_MS 10000 /* for a second writer, who should not be there */
#define STORE_PAGE_SIZE       4096

struct store_kind {
    const char *name;   /* "samples", "labels": for error texts */
    int application_id; /* of the file */
    const char *schema; /* CREATE TABLE IF NOT EXISTS ... */
};

struct store_db {
    sqlite3 *db;
    const struct store_kind *kind;
    char *path;  /* final name */
    char *work;  /* the work file's name; NULL for a sealed file */
    bool sealed; /* opened read-only */
};

/* Opens or creates the work file of path. On an error nothing is left open. */
int store_db_open_work(struct store_db *db, const struct store_kind *kind, const char *path,
                       struct error *err);
int store_db_open_sealed(struct store_db *db, const struct store_kind *kind, const char *path,
                         struct error *err);
void store_db_close(struct store_db *db);
/* Removes the work file of path, if there is one. */
int store_db_remove_work(const char *path, struct error *err);
/* Copies the work file, in the order of its rows, to a file that must not exist. */
int store_db_copy(struct store_db *db, const char *to, struct error *err);
/* Copies the work file to its final name, then removes it. The caller has checked the content. */
int store_db_publish(struct store_db *db, struct error *err);

/* Runs statements without results. */
int store_db_exec(struct store_db *db, const char *sql, struct error *err);
int store_db_prepare(struct store_db *db, const char *sql, sqlite3_stmt **statement,
                     struct error *err);
/* Steps a statement that changes something to its end and resets it. */
int store_db_run(struct store_db *db, sqlite3_stmt *statement, struct error *err);
/* One row of one number. */
int store_db_number(struct store_db *db, const char *sql, int64_t *number, struct error *err);
/* Fills err with what SQLite says; a full disk and a busy database are ERROR_RETRY. Returns -1. */
int store_db_error(struct store_db *db, int code, struct error *err);

int store_db_set_meta(struct store_db *db, const char *key, const char *value, struct error *err);
int store_db_get_meta(struct store_db *db, const char *key, char *value, size_t size,
                      struct error *err);

#endif
