/* SPDX-License-Identifier: MIT */
/*
 * The unit of written scores, for export itself and for whatever tells people about it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/stages/export.h"

#define FIT_KEY "export.fitted_scale" /* value: key of the stage select, a blank, centipawns */

/* Engines of Stockfish's line whose centipawn is a fixed number of internal units. */
static const struct {
    const char *name;
    double scale;
} engine_scales[] = {{"Stockfish 15.1", 3.61}, {"Stockfish 16", 3.28}};

static bool is_engine(const char *name, const char *known)
{
    size_t length = strlen(known);
    return strncmp(name, known, length) == 0 && (name[length] == '\0' || name[length] == ' ');
}

/* Whose internal units they would be. */
static const char *who_scored(const struct settings *settings, const char *engine_name)
{
    if (engine_name[0] != '\0')
        return engine_name;
    bool input = strcmp(settings_string(settings, "label.source"), "input") == 0;
    return input ? "scores out of datasets" : "evals out of games";
}

int export_score_scale(const struct settings *settings, const struct codec *codec,
                       const char *engine_name, double *scale, struct error *err)
{
    const char *unit = settings_string(settings, "export.score_unit");
    *scale = 1;
    if (codec->centipawns || strcmp(unit, "cp") == 0 ||
        (strcmp(unit, "auto") == 0 && !codec->internal_unit))
        return 0;
    if (settings_is_set(settings, "export.score_scale")) {
        *scale = settings_real(settings, "export.score_scale");
        return 0;
    }
    for (size_t i = 0; i < sizeof engine_scales / sizeof engine_scales[0]; i++) {
        if (is_engine(engine_name, engine_scales[i].name)) {
            *scale = engine_scales[i].scale;
            return 0;
        }
    }
    return error_set(err, ERROR_USAGE,
                     "%s wants scores in the engine's internal units, and those of %s are not "
                     "known: give export.score_scale, or export.score_unit = \"cp\"",
                     codec->name, who_scored(settings, engine_name));
}

int export_note_fit(struct build *build, int scale, struct error *err)
{
    char key[DIGEST_HEX_SIZE], value[DIGEST_HEX_SIZE + 16];
    if (build_stage_key(build, BUILD_SELECT, key, err) < 0)
        return -1;
    (void)snprintf(value, sizeof value, "%s %d", key, scale);
    return catalogue_set(build->catalogue, FIT_KEY, value, err);
}

int export_has_fit(struct build *build, struct error *err)
{
    char key[DIGEST_HEX_SIZE], value[CATALOGUE_VALUE_MAX];
    int found = catalogue_get(build->catalogue, FIT_KEY, value, err);
    if (found <= 0)
        return found;
    if (build_stage_key(build, BUILD_SELECT, key, err) < 0)
        return -1;
    return strncmp(value, key, strlen(key)) == 0;
}

int export_find_unit(const struct build *build, const struct codec *codec, const char *engine_name,
                     struct export_unit *unit, struct error *err)
{
    char value[CATALOGUE_VALUE_MAX];
    *unit = (struct export_unit){.scale = 1};
    if (export_score_scale(build->settings, codec, engine_name, &unit->scale, err) < 0)
        return -1;
    int found = catalogue_get(build->catalogue, FIT_KEY, value, err);
    const char *blank = found == 1 ? strchr(value, ' ') : NULL;
    if (blank != NULL)
        unit->fitted = lround((double)strtol(blank, NULL, 10) * unit->scale);
    return found < 0 ? -1 : 0;
}
