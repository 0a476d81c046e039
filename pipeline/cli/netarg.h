/* SPDX-License-Identifier: MIT */
/*
 * What the commands about nets have in common: a net named on the command line, the --isa option,
 * and the records and settings of a build directory.
 */
#ifndef PLYMILL_PIPELINE_CLI_NETARG_H
#define PLYMILL_PIPELINE_CLI_NETARG_H

#include <stdbool.h>

#include "nnue/core/plynnue.h"
#include "nnue/tools/samples.h"
#include "pipeline/cli/command.h"

/* For command.options. */
#define NETARG_ISA_OPTION                                                                          \
    {                                                                                              \
        "isa", "LEVEL", "instruction set: auto, scalar, avx2, avxvnni, avx512vnni or neon"         \
    }

/* --isa, checked against what CPU and build have; AUTO when not given. */
int netarg_isa(const struct invocation *invocation, enum plynnue_isa *isa, struct error *err);
/* "auto", "scalar", ... */
const char *netarg_isa_name(enum plynnue_isa isa);
/* Loads a net of any kind; errors name the file. */
int netarg_open(const char *path, enum plynnue_isa isa, plynnue_net **net, struct error *err);

/*
 * The settings of a build directory (its recipe.toml, where there is one) with those of the command
 * line over them. The caller frees *settings.
 */
int netarg_settings(const struct invocation *invocation, const char *directory,
                    struct settings **settings, struct error *err);
/* The records of a split ("train", "validation", "test") of a build directory. */
int netarg_samples(const char *directory, const char *split, const struct settings *settings,
                   struct samples *samples, struct error *err);

#endif
