/* SPDX-License-Identifier: MIT */
#include "pipeline/report/progress_files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void progress_files_add(struct progress_files *files, const char *path)
{
    struct stat status;
    bool in = strcmp(path, "-") == 0;
    if ((in ? fstat(STDIN_FILENO, &status) : stat(path, &status)) < 0)
        return;
    if (S_ISREG(status.st_mode))
        files->total += (uint64_t)status.st_size;
    else
        files->endless = true;
}

double progress_files_total(const struct progress_files *files)
{
    return files->endless ? 0 : (double)files->total;
}

double progress_files_at(const struct progress_files *files, uint64_t position)
{
    return (double)(files->before + position);
}
