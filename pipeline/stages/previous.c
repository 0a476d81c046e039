/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/previous.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/io/fault.h"
#include "formats/io/file.h"

int previous_each(const struct build *build, previous_function *function, void *context,
                  struct error *err)
{
    int status = 0;
    for (unsigned number = 0; status == 0; number++) {
        char *folder = build_path(build, err, PREVIOUS_FOLDER "/%u", number);
        if (!folder)
            return -1;
        bool there = file_is_directory(folder);
        status = there ? function(context, folder, err) : 0;
        free(folder);
        if (!there)
            break;
    }
    return status;
}

static int count_folder(void *context, const char *folder, struct error *err)
{
    unsigned *count = context;
    (void)folder;
    (void)err;
    ++*count;
    return 0;
}

int previous_exists(const struct build *build, struct error *err)
{
    unsigned count = 0;
    return previous_each(build, count_folder, &count, err) < 0 ? -1 : count > 0;
}

int previous_set_aside(struct build *build, struct error *err)
{
    unsigned count = 0;
    char *all = build_path(build, err, PREVIOUS_FOLDER), *shards = build_path(build, err, "shards");
    int status = all && shards ? file_make_directory(all, err) : -1;
    if (status == 0)
        status = previous_each(build, count_folder, &count, err);
    char *to = status == 0 ? build_path(build, err, PREVIOUS_FOLDER "/%u", count) : NULL;
    if (!to)
        status = -1;
    else if (fault_rename(shards, to) != 0)
        status = error_system(err, errno, "%s: renaming it to %s", shards, to);
    if (status == 0)
        status = file_make_directory(shards, err);
    free(to);
    free(all);
    free(shards);
    return status;
}

static int remove_folder(void *context, const char *folder, struct error *err)
{
    (void)context;
    DIR *dir = opendir(folder);
    if (!dir)
        return error_system(err, errno, "%s", folder);
    int status = 0;
    for (struct dirent *entry; status == 0 && (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *path = file_join(folder, entry->d_name, err);
        status = path ? file_remove(path, err) : -1;
        free(path);
    }
    closedir(dir);
    return status;
}

/* Emptied folders go last first, so that those which are left are always 0, 1, ... */
int previous_remove(const struct build *build, struct error *err)
{
    unsigned count = 0;
    int status = previous_each(build, count_folder, &count, err);
    if (status == 0)
        status = previous_each(build, remove_folder, NULL, err);
    while (status == 0 && count-- > 0) {
        char *folder = build_path(build, err, PREVIOUS_FOLDER "/%u", count);
        status = folder ? 0 : -1;
        if (folder && rmdir(folder) != 0)
            status = error_system(err, errno, "%s", folder);
        free(folder);
    }
    char *all = status == 0 ? build_path(build, err, PREVIOUS_FOLDER) : NULL;
    if (all)
        (void)rmdir(all);
    free(all);
    return status;
}
