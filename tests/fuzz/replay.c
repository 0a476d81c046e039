/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target over its corpus without libFuzzer: one test a file, as TAP. The target's name
 * is that of the program; files may be named as arguments instead.
 */
#include <dirent.h>

#include "tests/fuzz/fuzz.h"

#define FILE_MAX   (1u << 20)
#define PATH_ROOM  512
#define FILES_ROOM 400

static int replay_file(const char *path, int number)
{
    /* A copy of exactly that size, so that a sanitizer sees every byte read behind it. */
    FILE *file = fopen(path, "rb");
    uint8_t *room = malloc(FILE_MAX), *data = NULL;
    size_t size = file && room ? fread(room, 1, FILE_MAX, file) : 0;
    bool read = file && room && !ferror(file) && (data = malloc(size + (size == 0))) != NULL;
    if (read) {
        memcpy(data, room, size);
        LLVMFuzzerTestOneInput(data, size);
    }
    printf("%sok %d - %s\n", read ? "" : "not ", number, path);
    (void)fflush(stdout);
    free(data);
    free(room);
    if (file)
        (void)fclose(file);
    return read ? 0 : 1;
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int replay_folder(const char *name)
{
    static char paths[FILES_ROOM][PATH_ROOM];
    char folder[PATH_ROOM / 2];
    int count = 0, bad = 0;
    (void)snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", name);
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && count < FILES_ROOM && (entry = readdir(open));)
        if (entry->d_name[0] != '.')
            (void)snprintf(paths[count++], PATH_ROOM, "%s/%.200s", folder, entry->d_name);
    if (open)
        closedir(open);
    qsort(paths, (size_t)count, sizeof *paths, compare);
    for (int i = 0; i < count; i++)
        bad += replay_file(paths[i], i + 1);
    if (count == 0)
        printf("not ok 1 - no corpus in %s\n", folder);
    printf("1..%d\n", count > 0 ? count : 1);
    return bad > 0 || count == 0;
}

int main(int argc, char **argv)
{
    int bad = 0;
    if (argc < 2) {
        const char *slash = strrchr(argv[0], '/');
        return replay_folder(slash ? slash + 1 : argv[0]);
    }
    for (int i = 1; i < argc; i++)
        bad += replay_file(argv[i], i);
    printf("1..%d\n", argc - 1);
    return bad > 0;
}
