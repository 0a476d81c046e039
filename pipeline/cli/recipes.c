/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/recipes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/io/file.h"

#define KNOWN "lichess-month.toml" /* is in every folder of recipes */

static bool holds(const char *folder, const char *name)
{
    char *path = file_join(folder, name, NULL);
    bool there = path && file_exists(path);
    free(path);
    return there;
}

/* The folder of that name from where the program is, without links and dots; NULL: none. */
static char *beside_program(const char *name)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    char *folder = file_join(program, name, NULL);
    char *real = folder ? realpath(folder, NULL) : NULL;
    free(folder);
    return real;
}

/* Of a checkout in which one is, of an installed program, of the checkout of a built one. */
static char *find_folder(void)
{
    static const char *const places[] = {"../share/plymill", "../../configs"};
    if (holds("configs", KNOWN))
        return strdup("configs");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *folder = beside_program(places[i]);
        if (folder && holds(folder, KNOWN))
            return folder;
        free(folder);
    }
    return NULL;
}

int recipes_check(const char *path, struct error *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (file_exists(path))
        return 0;
    char *folder = find_folder();
    if (folder && *name && holds(folder, name))
        error_set(err, ERROR_USAGE, "%s: no such recipe; %s/%s is one", path, folder, name);
    else if (folder)
        error_set(err, ERROR_USAGE,
                  "%s: no such recipe; there are some in %s, and plymill init %s writes one", path,
                  folder, path);
    else
        error_set(err, ERROR_USAGE, "%s: no such recipe; plymill init %s writes one", path, path);
    free(folder);
    return -1;
}
