/* SPDX-License-Identifier: MIT */
#include "pipeline/report/inspect_unit.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/io/file.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool lists_file(const json_t *manifest, const char *name)
{
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(manifest, "files"), index, row)
    {
        const char *listed = json_string_value(json_object_get(row, "name"));
        if (listed && strcmp(base_name(listed), name) == 0)
            return true;
    }
    return false;
}

static bool read_manifest(const char *name, const struct codec *codec, struct inspect_unit *unit)
{
    json_t *manifest = file_exists(unit->source) ? json_load_file(unit->source, 0, NULL) : NULL;
    const json_t *units = json_object_get(json_object_get(manifest, "score_units"), codec->name);
    const json_t *scale = json_object_get(units, "units_per_centipawn");
    bool found = json_is_number(scale) && lists_file(manifest, name);
    unit->scale = found ? json_number_value(scale) : 0;
    json_decref(manifest);
    return found && unit->scale > 0;
}

/* Of "a/b/../x", of which "a/b/" is the folder, "a/x": that is the same unless b is a link. */
static void drop_folder(char *path, size_t folder)
{
    struct stat status;
    size_t start = folder ? folder - 1 : 0;
    while (start > 0 && path[start - 1] != '/')
        start--;
    if (start + 1 >= folder || strncmp(path + start, "./", 2) == 0 ||
        strncmp(path + start, "../", 3) == 0)
        return;
    path[folder - 1] = '\0';
    bool link = lstat(path, &status) != 0 || S_ISLNK(status.st_mode);
    path[folder - 1] = '/';
    const char *rest = path + folder + strlen("../");
    if (!link)
        memmove(path + start, rest, strlen(rest) + 1);
}

bool inspect_find_unit(const char *path, const struct codec *codec, struct inspect_unit *unit)
{
    static const char *const places[] = {"../manifest.json", "manifest.json"};
    const char *name = base_name(path);
    int folder = (int)(name - path);
    if (codec->centipawns) {
        *unit = (struct inspect_unit){.scale = 1};
        return true;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int length = snprintf(unit->source, sizeof unit->source, "%.*s%s", folder, path, places[i]);
        if (length < 0 || (size_t)length >= sizeof unit->source)
            return false;
        if (i == 0)
            drop_folder(unit->source, (size_t)folder);
        if (read_manifest(name, codec, unit))
            return true;
    }
    return false;
}
