/* SPDX-License-Identifier: MIT */
/*
 * What the commands about nets have in common: a net named on the command line, the --isa option,
 * a net to be written, and the records and settings of a build directory.
 */
#ifndef PLYMILL_PIPELINE_CLI_NETARG_H
#define PLYMILL_PIPELINE_CLI_NETARG_H

#include "nnue/core/plynnue.h"
#include "nnue/tools/samples.h"
#include "pipeline/cli/command.h"
#include "pipeline/stages/build.h"

/* For command.options: the levels that this build has, see kernels_find. */
#define NETARG_ISA_OPTION                                                                          \
    {                                                                                              \
        "isa", "LEVEL", "instruction set: auto, scalar, avx2, avxvnni, avx512vnni or neon"         \
    }
/* What a file cannot say; given to netarg_open_as. */
#define NETARG_ARCH_OPTION                                                                         \
    {                                                                                              \
        "arch", "TEXT", "what the file does not say: sf15, \"(768->128)x2->1 screlu\" (NET.arch)"  \
    }
#define NETARG_SUFFIX ".safetensors" /* of a net that is written */

/* --isa, checked against what CPU and build have; AUTO when not given. */
int netarg_isa(const struct invocation *invocation, enum plynnue_isa *isa, struct error *err);
/* "auto", "scalar", ... */
const char *netarg_isa_name(enum plynnue_isa isa);
/*
 * Loads a net of any kind; errors name the file. arch: what its file does not say, or NULL: then
 * the first line of PATH.arch says it, or the SHA-256 where the net is known by it.
 */
int netarg_open_as(const char *path, const char *arch, enum plynnue_isa isa, plynnue_net **net,
                   struct error *err);
/* The same without arch. */
int netarg_open(const char *path, enum plynnue_isa isa, plynnue_net **net, struct error *err);
/*
 * The value of -o, where a net shall be written: it must end in NETARG_SUFFIX and may replace
 * nothing but a net. NULL with err set when it is missing or may not be.
 */
const char *netarg_output(const struct invocation *invocation, struct error *err);

/*
 * The build in a directory, to be looked at: the stages up to select are done, its settings are
 * those of its recipe with those of the command line over them. build_close frees it.
 */
int netarg_build(const struct invocation *invocation, const char *directory, struct build **build,
                 struct error *err);
/* The records of a split: 0 train, 1 validation, 2 test. */
int netarg_samples(const struct build *build, int split, struct samples *samples,
                   struct error *err);
/* A line on stderr for each net that was trained on other records than the build's. */
int netarg_warn(struct build *build, const char *const *nets, size_t count, struct error *err);

#endif
