/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/clean.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "labeler/store.h"
#include "pipeline/stages/labelshard.h"

#define SEAL_NAME ("build.db" CATALOGUE_SEAL)

/* 1 when the file is to be removed, 0 when it stays, -1. */
typedef int doomed_function(const char *folder, const char *name, struct error *err);

static int remove_doomed(const char *folder, doomed_function *doomed, struct error *err)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return errno == ENOENT ? 0 : error_system(err, errno, "%s", folder);
    int status = 0;
    for (struct dirent *entry; status == 0 && (entry = readdir(dir));) {
        status = doomed(folder, entry->d_name, err);
        if (status <= 0)
            continue;
        char *path = file_join(folder, entry->d_name, err);
        status = path ? file_remove(path, err) : -1;
        free(path);
    }
    closedir(dir);
    return status;
}

/* A killed driver may have published a shard without having removed its work file. */
static int is_dead_work(const char *folder, const char *name, struct error *err)
{
    const char *suffix = strstr(name, ".db" STORE_WORK_SUFFIX);
    if (!suffix)
        suffix = strstr(name, ".db" LABELSHARD_CHECKPOINT);
    if (!suffix)
        return 0;
    if (strstr(name, ".samples.db"))
        return 1;
    char *sealed = file_name_format(err, "%s/%.*s", folder, (int)(suffix - name) + 3, name);
    int status = sealed ? file_exists(sealed) : -1;
    free(sealed);
    return status;
}

/* SQLite's journal of a temporary file and the runs of a sort have something behind the number. */
static int is_rest(const char *folder, const char *name, struct error *err)
{
    const char *mark = strstr(name, FILE_TEMPORARY_MARK);
    if (mark && isdigit((unsigned char)mark[strlen(FILE_TEMPORARY_MARK)]))
        return 1;
    return is_dead_work(folder, name, err);
}

int clean_rests(const char *folder, struct error *err)
{
    return remove_doomed(folder, is_rest, err);
}

/* train.rec, train.csv.zst, train-0001.plain: the files that are named for a split. */
static int is_of_split(const char *folder, const char *name, struct error *err)
{
    (void)folder;
    (void)err;
    for (int split = 0; split < BUILD_SPLITS; split++) {
        size_t length = strlen(build_split_names[split]);
        if (strncmp(name, build_split_names[split], length) == 0 &&
            (name[length] == '.' || name[length] == '-'))
            return 1;
    }
    return 0;
}

static int clean_folder(const struct build *build, const char *name, struct error *err)
{
    char *folder = build_path(build, err, "%s", name);
    int status = folder ? remove_doomed(folder, is_of_split, err) : -1;
    free(folder);
    return status;
}

static int clean_file(const struct build *build, const char *name, struct error *err)
{
    char *path = build_path(build, err, "%s", name);
    int status = path ? file_remove(path, err) : -1;
    free(path);
    return status;
}

int clean_outputs(const struct build *build, enum build_stage stage, struct error *err)
{
    static const char *const summaries[] = {"manifest.json", "SHA256SUMS", "README.md",
                                            "report.html", SEAL_NAME};
    int status = 0;
    for (size_t i = 0; i < sizeof summaries / sizeof summaries[0] && status == 0; i++)
        status = clean_file(build, summaries[i], err);
    if (status == 0)
        status = clean_folder(build, "dataset", err);
    if (status == 0 && stage <= BUILD_SELECT)
        status = clean_folder(build, "records", err);
    if (status == 0 && stage <= BUILD_SELECT)
        status = clean_file(build, "quarantine.tsv", err);
    return status;
}
