/* SPDX-License-Identifier: MIT */
/*
 * SQLite's own check of a database file, for tests of what a kill leaves behind: PRAGMA
 * integrity_check, "ok" and status 0, or what is wrong and status 1.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static int print_row(void *context, int columns, char **values, char **names)
{
    int *bad = context;
    (void)columns, (void)names;
    puts(values[0]);
    *bad |= strcmp(values[0], "ok") != 0;
    return 0;
}

int main(int argc, char **argv)
{
    sqlite3 *db = NULL;
    int bad = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: integrity FILE\n");
        return 2;
    }
    int code = sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_exec(db, "PRAGMA integrity_check", print_row, &bad, NULL);
    }
    if (code != SQLITE_OK) {
        puts(db != NULL ? sqlite3_errmsg(db) : sqlite3_errstr(code));
        bad = 1;
    }
    sqlite3_close(db);
    return bad;
}
