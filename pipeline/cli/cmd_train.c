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
#include "pipeline/report/report_losses.h"
#include "pipeline/report/trained_on.h"
#include "pipeline/stages/stop.h"

enum { LOG_MAX = 16 << 20, NUMBER_SIZE = 24, TEXTS = 6 };

/* What an epoch is reported to. */
struct session {
    struct buffer log;
    unsigned epochs, best; /* of all; that with the lowest validation loss, 0 for none */
    double lowest;
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
        fprintf(stderr, "epoch %u/%u: train %.8f, validation %s\n", epoch->epoch, session->epochs,
                epoch->train_loss, epoch->has_validation ? validation : "-");
    if (epoch->has_validation && (!session->best || epoch->validation_loss < session->lowest)) {
        session->best = epoch->epoch;
        session->lowest = epoch->validation_loss;
    }
    if (*session->stop)
        return error_set(err, ERROR_RETRY, "stopped after epoch %u; nothing was written",
                         epoch->epoch);
    return 0;
}

static int write_net(const struct tinynnue_float *net, const struct settings *settings,
                     const struct origin *origin, size_t positions, const char *path,
                     struct error *err)
{
    char seed[NUMBER_SIZE], epochs[NUMBER_SIZE], batch[NUMBER_SIZE], count[NUMBER_SIZE];
    char rate[TINYNET_SCALE_SIZE];
    struct text_out texts[TEXTS + ORIGIN_TEXTS] = {
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
    size_t text_count = TEXTS + origin_texts(origin, texts + TEXTS);
    buffer_init(&bytes, TINYNET_FILE_MAX);
    result = tinynet_encode_float(net, texts, text_count, &bytes, err);
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

static void say_before(const struct session *session, const struct samples *train,
                       const struct samples *validation)
{
    if (!session->quiet)
        fprintf(stderr, "%zu training positions of %u games, %zu validation positions\n",
                train->count, train->games, validation->count);
    if (!validation->count)
        fprintf(stderr, "warning: no validation records: nothing will show overfitting\n");
}

static void say_after(const struct session *session, const char *net, const char *log)
{
    if (session->quiet)
        return;
    if (session->best)
        fprintf(stderr, "validation was lowest at epoch %u (%.8f); the net is that of epoch %u\n",
                session->best, session->lowest, session->epochs);
    fprintf(stderr, "wrote %s and %s\n", net, log);
}

/* From the loaded samples to the files. */
static int train_and_write(struct build *build, const struct samples *train,
                           const struct samples *validation, const char *path,
                           struct session *session, struct error *err)
{
    struct train_listener listener = {report_epoch, session};
    struct train_options options;
    struct tinynnue_float net;
    struct origin origin;
    char *log = report_losses_path(path, err);
    int result = -1;
    if (!log || read_options(build->settings, &options, err) ||
        trained_on_build(build, &origin, err) || check_writable(log, err))
        goto out;
    session->epochs = options.epochs;
    say_before(session, train, validation);
    if (buffer_printf(&session->log, err, "epoch,train_loss,validation_loss\n") ||
        train_net(&options, train, validation, &listener, &net, err))
        goto out;
    result = file_write_all(log, session->log.data, session->log.length, err);
    if (!result)
        result = write_net(&net, build->settings, &origin, train->count, path, err);
    tinynnue_float_free(&net);
    if (!result)
        say_after(session, path, log);
out:
    free(log);
    return result;
}

static int run_train(struct invocation *invocation, struct error *err)
{
    const char *directory = invocation->arguments[0], *path = netarg_output(invocation, err);
    struct build *build = NULL;
    struct samples train = {0}, validation = {0};
    struct session session = {.quiet = invocation->quiet, .stop = stop_install()};
    enum plynnue_isa isa;
    int result = -1;
    buffer_init(&session.log, LOG_MAX);
    if (!path || netarg_isa(invocation, &isa, err) ||
        netarg_build(invocation, directory, &build, err) || netarg_samples(build, 0, &train, err) ||
        netarg_samples(build, 1, &validation, err))
        goto out;
    if (!train.count) {
        error_set(err, ERROR_FAILED, "%s/records/train.rec holds no records: nothing to train on",
                  directory);
        goto out;
    }
    result = train_and_write(build, &train, &validation, path, &session, err);
out:
    samples_free(&train);
    samples_free(&validation);
    build_close(build);
    buffer_free(&session.log);
    return result;
}

const struct command command_train = {
    .name = "train",
    .arguments = "DIR -o NET",
    .summary = "trains a net on the records of a build directory",
    .details =
        "Writes a float net, NAME.safetensors, and beside it a log of the losses, NAME.train.csv. "
        "The same records, recipe and seed give the same bytes for any number of threads.\nThe net "
        "says in its metadata what it was trained on: score and report warn when a net was "
        "trained on other records than those of the build whose test games it is measured on.",
    .sections = SECTION_TRAIN | SECTION_BUILD,
    .minimum = 1,
    .maximum = 1,
    .options = {{"o", "NET", "the net to write, .safetensors; an older net is replaced"},
                NETARG_ISA_OPTION},
    .examples =
        {"plymill train tiny -o tiny.safetensors",
         "plymill train tiny -o small.safetensors --arch '769->64->16->1' --train.epochs 10"},
    .run = run_train,
};
