/* SPDX-License-Identifier: MIT */
/*
 * See cmd_train.h. The net and its log appear together at the end; a stopped training leaves
 * nothing.
 */
#include "pipeline/cli/cmd_train.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "nnue/tools/tinynet.h"
#include "nnue/tools/train.h"
#include "pipeline/cli/netarg.h"
#include "pipeline/stages/stop.h"

enum { LOG_MAX = 16 << 20, NUMBER_SIZE = 24, TEXTS = 6 };

/* What an epoch is reported to. */
struct session {
    struct buffer log;
    unsigned epochs;
    bool quiet;
    const volatile sig_atomic_t *stop;
};

static int report_epoch(void *context, const struct train_epoch *epoch, struct error *err)
{
    struct session *session = context;
    char validation[32] = "";
    if (epoch->has_validation)
        snprintf(validation, sizeof validation, "%.8f", epoch->validation_loss);
    if (buffer_printf(&session->log, err, "%u,%.8f,%s\n", epoch->epoch, epoch->train_loss,
                      validation))
        return -1;
    if (!session->quiet)
        fprintf(stderr, "epoch %u/%u: train %.6f, validation %s\n", epoch->epoch, session->epochs,
                epoch->train_loss, epoch->has_validation ? validation : "-");
    if (*session->stop)
        return error_set(err, ERROR_RETRY, "stopped after epoch %u; nothing was written",
                         epoch->epoch);
    return 0;
}

/* "net.safetensors" to "net.csv". The caller frees it. */
static char *log_path(const char *net, struct error *err)
{
    const char *slash = strrchr(net, '/'), *name = slash ? slash + 1 : net;
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot != name ? (size_t)(dot - net) : strlen(net);
    if (dot && !strcmp(dot, ".csv")) {
        error_set(err, ERROR_USAGE, "-o %s: the log would have the name of the net", net);
        return NULL;
    }
    return file_name_format(err, "%.*s.csv", (int)stem, net);
}

static int write_net(const struct tinynnue_float *net, const struct settings *settings,
                     size_t positions, const char *path, struct error *err)
{
    char seed[NUMBER_SIZE], epochs[NUMBER_SIZE], batch[NUMBER_SIZE], count[NUMBER_SIZE];
    char rate[TINYNET_SCALE_SIZE];
    const struct text_out texts[TEXTS] = {
        {"train.preset", settings_string(settings, "train.preset")},
        {"train.seed", seed},
        {"train.epochs", epochs},
        {"train.batch", batch},
        {"train.learning_rate", rate},
        {"train.positions", count}};
    struct buffer bytes;
    int result;
    snprintf(seed, sizeof seed, "%" PRId64, settings_integer(settings, "train.seed"));
    snprintf(epochs, sizeof epochs, "%" PRId64, settings_integer(settings, "train.epochs"));
    snprintf(batch, sizeof batch, "%" PRId64, settings_integer(settings, "train.batch"));
    snprintf(count, sizeof count, "%zu", positions);
    tinynet_format_double(settings_real(settings, "train.learning_rate"), rate);
    buffer_init(&bytes, TINYNET_FILE_MAX);
    result = tinynet_encode_float(net, texts, TEXTS, &bytes, err);
    if (!result)
        result = file_write_all(path, bytes.data, bytes.length, err);
    buffer_free(&bytes);
    return result;
}

static int read_options(const struct settings *settings, struct train_options *options,
                        struct error *err)
{
    const char *arch = settings_string(settings, "train.arch");
    if (!tinynnue_parse_arch(arch, &options->h1, &options->h2))
        return error_set(err, ERROR_USAGE,
                         "train.arch \"%s\": expected 769->H1->H2->1 with H1 <= %d and H2 <= %d",
                         arch, TINYNNUE_H1_MAX, TINYNNUE_H2_MAX);
    options->seed = (uint64_t)settings_integer(settings, "train.seed");
    options->epochs = (unsigned)settings_integer(settings, "train.epochs");
    options->batch = (size_t)settings_integer(settings, "train.batch");
    options->learning_rate = settings_real(settings, "train.learning_rate");
    options->threads = (unsigned)settings_integer(settings, "build.threads");
    return 0;
}

/* A path that cannot be written is told before the work, not after it. */
static int check_writable(const char *path, struct error *err)
{
    struct atomic_file *probe;
    if (atomic_file_create(path, &probe, err))
        return -1;
    atomic_file_discard(probe);
    return 0;
}

/* From the loaded samples to the files. */
static int train_and_write(const struct settings *settings, const struct samples *train,
                           const struct samples *validation, const char *path,
                           struct session *session, struct error *err)
{
    struct train_listener listener = {report_epoch, session};
    struct train_options options;
    struct tinynnue_float net;
    char *log = log_path(path, err);
    int result = -1;
    if (!log || read_options(settings, &options, err) || check_writable(log, err))
        goto out;
    session->epochs = options.epochs;
    if (!session->quiet)
        fprintf(stderr, "%zu training positions of %u games, %zu validation positions\n",
                train->count, train->games, validation->count);
    if (buffer_printf(&session->log, err, "epoch,train_loss,validation_loss\n") ||
        train_net(&options, train, validation, &listener, &net, err))
        goto out;
    result = file_write_all(log, session->log.data, session->log.length, err);
    if (!result)
        result = write_net(&net, settings, train->count, path, err);
    tinynnue_float_free(&net);
out:
    free(log);
    return result;
}

static int run_train(struct invocation *invocation, struct error *err)
{
    const char *directory = invocation->arguments[0], *path = invocation_value(invocation, "o");
    struct settings *settings = NULL;
    struct samples train = {0}, validation = {0};
    struct session session = {.quiet = invocation->quiet, .stop = stop_install()};
    enum plynnue_isa isa;
    int result = -1;
    if (!path)
        return error_set(err, ERROR_USAGE, "-o NET is missing: where the net shall be written");
    buffer_init(&session.log, LOG_MAX);
    if (netarg_isa(invocation, &isa, err) ||
        netarg_settings(invocation, directory, &settings, err) ||
        netarg_samples(directory, "train", settings, &train, err) ||
        netarg_samples(directory, "validation", settings, &validation, err))
        goto out;
    if (!train.count) {
        error_set(err, ERROR_FAILED, "%s/records/train.rec holds no records: nothing to train on",
                  directory);
        goto out;
    }
    result = train_and_write(settings, &train, &validation, path, &session, err);
out:
    samples_free(&train);
    samples_free(&validation);
    settings_free(settings);
    buffer_free(&session.log);
    return result;
}

const struct command command_train = {
    .name = "train",
    .arguments = "DIR -o NET",
    .summary = "trains a net on the records of a build directory",
    .details =
        "Writes a float net (.safetensors) and beside it a log of the losses (.csv). The same\n"
        "records, recipe and seed give the same bytes for any number of threads.",
    .sections = SECTION_TRAIN | SECTION_BUILD,
    .minimum = 1,
    .maximum = 1,
    .options = {{"o", "NET", "the net to write, .safetensors; its log ends in .csv"},
                NETARG_ISA_OPTION},
    .examples =
        {"plymill train tiny -o tiny.safetensors",
         "plymill train tiny -o small.safetensors --arch '769->64->16->1' --train.epochs 10"},
    .run = run_train,
};
