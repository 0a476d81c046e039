/* SPDX-License-Identifier: MIT */
#include "pipeline/report/cpu_time.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PATH_SIZE 320
#define STAT_SIZE 1024

static double of_usage(int who)
{
    struct rusage usage;
    if (getrusage(who, &usage) != 0)
        return 0;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* utime and stime, fields 14 and 15 of /proc/PID/stat; the name before them may hold anything. */
static double of_process(long pid)
{
    char path[PATH_SIZE], text[STAT_SIZE];
    unsigned long user = 0, system = 0;
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    size_t size = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[size] = '\0';
    const char *behind = strrchr(text, ')');
    if (!behind || sscanf(behind + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                          &system) != 2)
        return 0;
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* The children that one thread of ours has started. */
static double of_children(const char *thread)
{
    char path[PATH_SIZE];
    double sum = 0;
    long pid;
    (void)snprintf(path, sizeof path, "/proc/self/task/%s/children", thread);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (fscanf(file, "%ld", &pid) == 1)
        sum += of_process(pid);
    (void)fclose(file);
    return sum;
}

double cpu_time(void)
{
    double sum = of_usage(RUSAGE_SELF) + of_usage(RUSAGE_CHILDREN);
    DIR *threads = opendir("/proc/self/task");
    if (!threads)
        return sum;
    for (const struct dirent *entry; (entry = readdir(threads));)
        if (entry->d_name[0] != '.')
            sum += of_children(entry->d_name);
    (void)closedir(threads);
    return sum;
}
