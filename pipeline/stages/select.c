/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/select.h"

#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/stages/sampler.h"
#include "pipeline/stages/select_internal.h"

/* Two sorts hold memory at a time: one gives what the next takes. */
static int new_sorter(struct select_stage *stage, struct extsort **sorter, struct error *err)
{
    size_t memory = (size_t)settings_integer(stage->build->settings, "build.memory") << 20;
    char *folder = build_path(stage->build, err, "records");
    int status = folder ? extsort_new(folder, memory / 2, sorter, err) : -1;
    if (status == 0 && settings_integer(stage->build->settings, "build.threads") != 1)
        extsort_use_thread(*sorter);
    free(folder);
    return status;
}

static int open_stage(struct select_stage *stage, struct error *err)
{
    int status = repeats_new(stage->build->settings, &stage->repeats, err);
    if (status == 0 && stage->per_opening > 0)
        status = new_sorter(stage, &stage->openings, err);
    if (status == 0)
        status = new_sorter(stage, &stage->candidates, err);
    return status == 0 ? new_sorter(stage, &stage->shuffled, err) : -1;
}

static void close_stage(struct select_stage *stage)
{
    extsort_free(stage->openings);
    extsort_free(stage->candidates);
    extsort_free(stage->shuffled);
    repeats_free(stage->repeats);
    writer_discard(stage->quarantine);
}

static int select_all(struct select_stage *stage, struct error *err)
{
    if (select_begin_quarantine(stage, err) < 0 || select_read_shards(stage, err) < 0 ||
        select_sort(stage, err) < 0 || select_write_records(stage, err) < 0 ||
        select_put_counts(stage, err) < 0)
        return -1;
    return select_end_quarantine(stage, err);
}

/* Files that the failed stage completed: they are no part of a build. */
static void remove_records(const struct select_stage *stage)
{
    for (int split = 0; split < BUILD_SPLITS; split++) {
        char *path = select_record_path(stage->build, split, NULL);
        if (path)
            (void)file_remove(path, NULL);
        free(path);
    }
}

static int run_stage(struct select_stage *stage, struct error *err)
{
    struct catalogue *catalogue = stage->build->catalogue;
    int status = open_stage(stage, err);
    if (status == 0)
        status = catalogue_begin(catalogue, err);
    if (status == 0)
        status = select_all(stage, err);
    if (status == 0)
        status = build_stage_finish(stage->build, BUILD_SELECT, err);
    if (status == 0)
        status = catalogue_commit(catalogue, err);
    if (status < 0) {
        catalogue_rollback(catalogue);
        remove_records(stage);
    }
    return status;
}

int select_run(struct build *build, struct error *err)
{
    int done = build_stage_done(build, BUILD_SELECT, err);
    if (done != 0)
        return done < 0 ? -1 : 0;
    if (build_stage_need(build, BUILD_LABEL, err) < 0)
        return -1;
    if (build_stage_forget(build, BUILD_SELECT, err) < 0)
        return -1;
    const struct settings *settings = build->settings;
    struct select_stage stage = {
        .build = build,
        .source = sampler_source_from(settings),
        .shuffle_seed = (uint64_t)settings_integer(settings, "shuffle.seed"),
        .by_game = strcmp(settings_string(settings, "shuffle.by"), "game") == 0,
        .per_opening = settings_integer(settings, "filter.per_opening")};
    fate_rule_from(settings, &stage.rule);
    progress_start(&stage.progress, "samples selected", 0, 0, build->quiet);
    int status = run_stage(&stage, err);
    progress_end(&stage.progress, (uint64_t)stage.samples);
    close_stage(&stage);
    return status;
}
