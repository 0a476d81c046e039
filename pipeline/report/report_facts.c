/* SPDX-License-Identifier: MIT */
#include "pipeline/report/report_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/stages/manifest.h"

const char *report_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const struct report_count *report_facts_find(const struct report_facts *facts, const char *stage,
                                             const char *name)
{
    for (size_t i = 0; i < facts->count_count; i++)
        if (strcmp(facts->counts[i].stage, stage) == 0 && strcmp(facts->counts[i].name, name) == 0)
            return &facts->counts[i];
    return NULL;
}

int64_t report_facts_value(const struct report_facts *facts, const char *stage, const char *name)
{
    const struct report_count *count = report_facts_find(facts, stage, name);
    return count ? count->all : 0;
}

/* Counts come by stage, name and split: those of one name stand together. */
static int add_count(void *context, const struct catalogue_count *from, struct error *err)
{
    struct report_facts *facts = context;
    struct report_count *count =
        facts->count_count > 0 ? &facts->counts[facts->count_count - 1] : NULL;
    if (!count || strcmp(count->stage, from->stage) != 0 || strcmp(count->name, from->name) != 0) {
        if (facts->count_count == REPORT_COUNTS_MAX)
            return error_set(err, ERROR_FAILED, "build.db holds more than %d kinds of counts",
                             REPORT_COUNTS_MAX);
        count = &facts->counts[facts->count_count++];
        memcpy(count->stage, from->stage, sizeof count->stage);
        memcpy(count->name, from->name, sizeof count->name);
    }
    count->all += from->value;
    if (from->split >= 0 && from->split < BUILD_SPLITS) {
        count->by_split = true;
        count->splits[from->split] += from->value;
    }
    return 0;
}

/* One more item of size bytes at the end of a list; NULL with err set when it may not be. */
static void *grow(void **items, size_t *count, size_t size, size_t most, const char *what,
                  struct error *err)
{
    if (*count == most) {
        error_set(err, ERROR_FAILED, "build.db holds more than %zu %s", most, what);
        return NULL;
    }
    bool full = (*count & (*count - 1)) == 0; /* room doubles: 1, 2, 4, ... */
    void *grown = full ? realloc(*items, (*count > 0 ? 2 * *count : 1) * size) : *items;
    if (!grown) {
        error_memory(err);
        return NULL;
    }
    *items = grown;
    return (char *)grown + (*count)++ * size;
}

static int add_input(void *context, const struct catalogue_input *from, struct error *err)
{
    struct report_facts *facts = context;
    void *items = facts->inputs;
    struct catalogue_input *to =
        grow(&items, &facts->input_count, sizeof *to, REPORT_INPUTS_MAX, "inputs", err);
    facts->inputs = items;
    if (!to)
        return -1;
    *to = *from;
    return 0;
}

static int add_file(void *context, const struct catalogue_file *from, struct error *err)
{
    struct report_facts *facts = context;
    if (catalogue_file_is_shard(from))
        return 0;
    void *items = facts->files;
    struct catalogue_file *to =
        grow(&items, &facts->file_count, sizeof *to, REPORT_FILES_MAX, "files", err);
    facts->files = items;
    if (!to)
        return -1;
    *to = *from;
    return 0;
}

/* Equal digests (one file given twice) come by base name: paths are not to show in the order. */
static int compare_inputs(const void *a, const void *b)
{
    const struct catalogue_input *x = a, *y = b;
    int order = strcmp(x->sha256, y->sha256);
    return order != 0 ? order : strcmp(report_base_name(x->path), report_base_name(y->path));
}

int report_facts_need(struct build *build, enum build_stage last, struct error *err)
{
    for (int stage = 0; stage <= (int)last; stage++) {
        int done = build_stage_done(build, (enum build_stage)stage, err);
        if (done < 0)
            return -1;
        if (!done)
            return error_set(err, ERROR_FAILED,
                             "%s: not finished (%s is to do); run: plymill build %s",
                             build->directory, build_stage_names[stage], build->shell_name);
    }
    return 0;
}

static int read_engine(struct build *build, struct report_facts *facts, struct error *err)
{
    const struct {
        const char *key;
        char *value;
    } rows[] = {
        {"engine.name", facts->engine_name},           {"engine.net", facts->engine_net},
        {"engine.options", facts->engine_options},     {"engine.files", facts->engine_files},
        {"engine.signature", facts->engine_signature},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (catalogue_get(build->catalogue, rows[i].key, rows[i].value, err) < 0)
            return -1;
    return 0;
}

int report_facts_read_counts(struct build *build, struct report_facts *facts, struct error *err)
{
    return catalogue_each_count(build->catalogue, add_count, facts, err);
}

int report_facts_read(struct build *build, struct report_facts *facts, struct error *err)
{
    if (report_facts_need(build, BUILD_EXPORT, err) < 0 ||
        manifest_build_id(build, facts->build_id, err) < 0 || read_engine(build, facts, err) < 0)
        return -1;
    if (report_facts_read_counts(build, facts, err) < 0 ||
        catalogue_each_input(build->catalogue, add_input, facts, err) < 0 ||
        catalogue_each_file(build->catalogue, add_file, facts, err) < 0)
        return -1;
    if (facts->input_count > 0)
        qsort(facts->inputs, facts->input_count, sizeof *facts->inputs, compare_inputs);
    return 0;
}

void report_facts_free(struct report_facts *facts)
{
    free(facts->inputs);
    free(facts->files);
    *facts = (struct report_facts){0};
}

const char *report_facts_labeler(const struct build *build, const struct report_facts *facts)
{
    const char *source = settings_string(build->settings, "label.source");
    if (strcmp(source, "lichess-eval") == 0)
        return "the [%eval] comments of the games";
    if (strcmp(source, "pgn-comment") == 0)
        return "the engines' comments in the games";
    if (strcmp(source, "input") == 0)
        return "the datasets that were read";
    return facts->engine_name[0] ? facts->engine_name : "an engine";
}
