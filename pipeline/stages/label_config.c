/* SPDX-License-Identifier: MIT */
/*
 * From recipe keys to what the labeler takes.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/io/cores.h"
#include "pipeline/stages/label.h"

static enum engine_reset reset_from(const char *word)
{
    if (strcmp(word, "clear-hash") == 0)
        return RESET_CLEAR_HASH;
    return strcmp(word, "restart") == 0 ? RESET_RESTART : RESET_UCINEWGAME;
}

int label_config_from(const struct settings *settings, struct engine_config *config,
                      struct error *err)
{
    *config = (struct engine_config){
        .hash_mb = (unsigned)settings_integer(settings, "label.hash"),
        .reset = reset_from(settings_string(settings, "label.reset")),
        .chess960 = settings_has(settings, "input.variants", "chess960"),
        .deadline_ms = (unsigned)settings_integer(settings, "label.deadline_ms"),
        .start_deadline_ms = (unsigned)settings_integer(settings, "label.start_deadline_ms"),
        .max_restarts = (unsigned)settings_integer(settings, "label.max_restarts"),
        .restart_window_s = (unsigned)settings_integer(settings, "label.restart_window_s"),
        .option_count = settings_uci_count(settings)};
    char *command = engine_find(settings_string(settings, "label.engine"), err);
    if (!command)
        return -1;
    struct engine_option *options = calloc(config->option_count + 1, sizeof *options);
    if (!options) {
        free(command);
        return error_memory(err);
    }
    for (size_t i = 0; i < config->option_count; i++)
        options[i] =
            (struct engine_option){settings_uci_name(settings, i), settings_uci_value(settings, i)};
    config->command = command;
    config->options = options;
    return 0;
}

void label_config_free(struct engine_config *config)
{
    free((void *)(uintptr_t)config->command);
    free((void *)(uintptr_t)config->options);
    *config = (struct engine_config){0};
}

unsigned label_workers(const struct settings *settings)
{
    int64_t workers = settings_integer(settings, "label.workers");
    if (workers > 0)
        return (unsigned)workers;
    unsigned cores = cores_available();
    return cores < POOL_WORKERS_MAX ? cores : POOL_WORKERS_MAX;
}

void label_limit(const struct settings *settings, int split, uint8_t *kind, uint64_t *limit)
{
    *kind = LIMIT_NODES;
    if (settings_is_set(settings, "label.depth")) {
        *kind = LIMIT_DEPTH;
        *limit = (uint64_t)settings_integer(settings, "label.depth");
    } else if (split == 0 && settings_is_set(settings, "label.train_nodes")) {
        *limit = (uint64_t)settings_integer(settings, "label.train_nodes");
    } else {
        *limit = (uint64_t)settings_integer(settings, "label.nodes");
    }
}

void label_job(const struct settings *settings, const struct position *position, int split,
               uint64_t tag, struct pool_job *job)
{
    job->tag = tag;
    job->position = *position;
    if (strcmp(settings_string(settings, "label.halfmove_clock"), "zero") == 0)
        job->position.halfmove = 0;
    label_limit(settings, split, &job->limit_kind, &job->limit);
    fen_format_label_key(&job->position, job->fen);
}
