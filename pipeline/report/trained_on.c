/* SPDX-License-Identifier: MIT */
#include "pipeline/report/trained_on.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int take_records(void *context, const struct catalogue_file *file, struct error *err)
{
    struct origin *origin = context;
    (void)err;
    if (strcmp(file->name, "records/train.rec") == 0)
        memcpy(origin->records, file->content_sha256, sizeof origin->records);
    return 0;
}

/* The build id, if the build is finished; a catalogue forgets it with the stages. */
static int take_id(struct build *build, struct origin *origin, struct error *err)
{
    char id[CATALOGUE_VALUE_MAX] = "";
    int done = build_stage_done(build, BUILD_EXPORT, err);
    if (done <= 0)
        return done;
    if (catalogue_get(build->catalogue, "build_id", id, err) < 0)
        return -1;
    (void)snprintf(origin->build, sizeof origin->build, "%.64s", id);
    return 0;
}

int trained_on_build(struct build *build, struct origin *origin, struct error *err)
{
    const struct settings *settings = build->settings;
    *origin = (struct origin){0};
    (void)snprintf(origin->seed, sizeof origin->seed, "%" PRId64,
                   settings_integer(settings, "split.seed"));
    (void)snprintf(origin->shares, sizeof origin->shares, "%" PRId64 ",%" PRId64 ",%" PRId64,
                   settings_integer_item(settings, "split.shares", 0),
                   settings_integer_item(settings, "split.shares", 1),
                   settings_integer_item(settings, "split.shares", 2));
    if (catalogue_each_file(build->catalogue, take_records, origin, err) < 0)
        return -1;
    return take_id(build, origin, err);
}

int trained_on_other(const char *path, const char *name, const struct origin *build,
                     char line[TRAINED_ON_LINE_MAX], struct error *err)
{
    struct origin net;
    *line = '\0';
    if (origin_read(path, &net, err) < 0)
        return -1;
    if (!net.records[0] || !build->records[0] || strcmp(net.records, build->records) == 0)
        return 0;
    (void)snprintf(line, TRAINED_ON_LINE_MAX,
                   "%.200s was trained on other records (build %.12s, split.seed %s); its games "
                   "may be in this split",
                   name, net.build[0] ? net.build : "unknown", net.seed[0] ? net.seed : "unknown");
    return 0;
}
