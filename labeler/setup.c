/* SPDX-License-Identifier: MIT */
/*
 * Choosing and checking the options to send.
 */
#include "labeler/setup.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static int setup_add(struct setup *setup, const struct uci_option *option, const char *value,
                     struct error *err)
{
    char line[SETUP_LINE_MAX];
    for (size_t i = 0; i < setup->count; i++) {
        if (setup->items[i].name == option->name) {
            return error_set(err, ERROR_FAILED, "option \"%s\" is given twice", option->name);
        }
    }
    if (setup->count == SETUP_OPTIONS_MAX) {
        return error_set(err, ERROR_FAILED, "more than %d options to set", SETUP_OPTIONS_MAX);
    }
    if (uci_option_check(option, value, err) != 0) {
        return -1;
    }
    if (uci_format_setoption(option->name, value, line, sizeof line) < 0) {
        return error_set(err, ERROR_FAILED, "option \"%s\": its value is over %d bytes",
                         option->name, SETUP_LINE_MAX);
    }
    setup->items[setup->count++] = (struct engine_option){option->name, value};
    return 0;
}

static const struct engine_option *config_find(const struct engine_config *config, const char *name)
{
    for (size_t i = 0; i < config->option_count; i++) {
        if (strcasecmp(config->options[i].name, name) == 0) {
            return &config->options[i];
        }
    }
    return NULL;
}

/* An option of ours, unless the configuration gives it or the engine has none of that name. */
static int setup_add_own(struct setup *setup, const struct engine_config *config,
                         const struct uci_options *listed, const char *name, const char *value,
                         struct error *err)
{
    const struct uci_option *option = uci_options_find(listed, name);
    if (option == NULL || config_find(config, name) != NULL) {
        return 0;
    }
    return setup_add(setup, option, value, err);
}

/* What would make labels depend on timing, or the position mean something else. */
static int config_check_option(const struct engine_config *config,
                               const struct engine_option *option, struct error *err)
{
    const char *value = option->value != NULL ? option->value : "";
    bool one = strcasecmp(option->name, "Threads") == 0 || strcasecmp(option->name, "MultiPV") == 0;
    if (one && strcmp(value, "1") != 0) {
        return error_set(err, ERROR_FAILED,
                         "option \"%s\" must be 1: labels are not reproducible otherwise",
                         option->name);
    }
    if (strcasecmp(option->name, "UCI_Chess960") == 0 &&
        strcmp(value, config->chess960 ? "true" : "false") != 0) {
        return error_set(err, ERROR_FAILED,
                         "option \"%s\" is set by the kind of positions, not by hand",
                         option->name);
    }
    return 0;
}

int setup_make(struct setup *setup, const struct engine_config *config,
               const struct uci_options *listed, struct error *err)
{
    setup->count = 0;
    snprintf(setup->hash, sizeof setup->hash, "%u", config->hash_mb);
    if (config->chess960 && uci_options_find(listed, "UCI_Chess960") == NULL) {
        return error_set(err, ERROR_FAILED, "the engine has no option UCI_Chess960");
    }
    if (config->reset == RESET_CLEAR_HASH && uci_options_find(listed, "Clear Hash") == NULL) {
        return error_set(err, ERROR_FAILED, "the engine has no button \"Clear Hash\"");
    }
    if (setup_add_own(setup, config, listed, "Threads", "1", err) != 0 ||
        setup_add_own(setup, config, listed, "Hash", setup->hash, err) != 0 ||
        setup_add_own(setup, config, listed, "MultiPV", "1", err) != 0 ||
        (config->chess960 &&
         setup_add_own(setup, config, listed, "UCI_Chess960", "true", err) != 0)) {
        return -1;
    }
    for (size_t i = 0; i < config->option_count; i++) {
        const struct engine_option *given = &config->options[i];
        const struct uci_option *option = uci_options_find(listed, given->name);
        if (option == NULL) {
            return error_set(err, ERROR_FAILED, "the engine has no option \"%s\"", given->name);
        }
        if (config_check_option(config, given, err) != 0 ||
            setup_add(setup, option, given->value, err) != 0) {
            return -1;
        }
    }
    return 0;
}
