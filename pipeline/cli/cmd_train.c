/* SPDX-License-Identifier: MIT */
/*
 * See cmd_train.h. The net and its log appear together at the end; a stopped training leaves
 * nothing.
 */
#include "pipeline/cli/cmd_train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/io/file.h"
#include "nnue/tools/tinynet.h"
#include "nnue/tools/train.h"
#include "pipeline/cli/netarg.h"
#include "pipeline/cli/train_recipe.h"
#include "pipeline/report/report_losses.h"
#include "pipeline/report/trained_on.h"
#include "pipeline/stages/stop.h"

enum { LOG_MAX = 16 << 20 };

/* What an epoch is reported to. */
struct session {
    struct buffer log;
    unsigned epochs, last, best; /* of all; done; with the lowest validation loss, 0 for none */
    double lowest;
    double started; /* seconds of a clock */
    bool quiet;
    const volatile sig_atomic_t *stop;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Times go to the terminal only: nothing that is kept holds one. */
static void say_epoch(const struct session *session, const struct train_epoch *epoch,
                      const char *validation)
{
    double seconds = now() - session->started;
    fprintf(stderr, "epoch %u/%u: train %.8f, validation %s, %.0f positions/s, ETA %.0f s\n",
            epoch->epoch, session->epochs, epoch->train_loss, validation,
            (double)epoch->positions / seconds,
            seconds * (session->epochs - epoch->epoch) / epoch->epoch);
}

static int report_epoch(void *context, const struct train_epoch *epoch, struct error *err)
{
    struct session *session = context;
    char validation[32] = "";
    if (epoch->has_validation)
        snprintf(validation, sizeof validation, "%.8f", epoch->validation_loss);
    if (buffer_printf(&session->log, err, "%u,%.8f,%s\n", epoch->epoch, epoch->train_loss,
                      validation))
        return -1;
    session->last = epoch->epoch;
    if (!session->quiet)
        say_epoch(session, epoch, epoch->has_validation ? validation : "-");
    if (epoch->has_validation && (!session->best || epoch->validation_loss < session->lowest)) {
        session->best = epoch->epoch;
        session->lowest = epoch->validation_loss;
    }
    if (*session->stop)
        return error_set(err, ERROR_RETRY, "stopped after epoch %u; nothing was written",
                         epoch->epoch);
    return 0;
}

static int write_net(const struct train_model *model, const struct train_recipe *recipe,
                     const struct origin *origin, size_t positions, const char *path,
                     struct error *err)
{
    struct text_out texts[TRAIN_TEXTS + ORIGIN_TEXTS];
    struct train_texts own;
    struct tinynnue_float net;
    struct buffer bytes;
    size_t count = train_recipe_texts(recipe, positions, &own, texts);
    count += origin_texts(origin, texts + count);
    if (tinynnue_float_new(&net, recipe->options.arch.l1, recipe->options.arch.outputs[0]))
        return error_memory(err);
    train_export_769(model, &net);
    buffer_init(&bytes, TINYNET_FILE_MAX);
    int result = tinynet_encode_float(&net, texts, count, &bytes, err);
    if (!result)
        result = file_write_all(path, bytes.data, bytes.length, err);
    buffer_free(&bytes);
    tinynnue_float_free(&net);
    return result;
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

static void say_after(const struct session *session, bool best, const char *net, const char *log)
{
    if (session->quiet)
        return;
    if (session->best)
        fprintf(stderr, "validation was lowest at epoch %u (%.8f); the net is that of epoch %u\n",
                session->best, session->lowest, best ? session->best : session->last);
    fprintf(stderr, "wrote %s and %s\n", net, log);
}

/* From the loaded samples to the files. */
static int train_and_write(struct build *build, const struct samples *train,
                           const struct samples *validation, enum plynnue_isa isa, const char *path,
                           struct session *session, struct error *err)
{
    struct train_listener listener = {report_epoch, session};
    struct train_recipe recipe;
    struct train_model model;
    struct origin origin;
    char *log = report_losses_path(path, err);
    int result = -1;
    if (!log || train_recipe_from(build->settings, train, &recipe, err) ||
        trained_on_build(build, &origin, err) || check_writable(log, err))
        goto out;
    recipe.options.isa = isa;
    session->epochs = recipe.options.epochs;
    session->started = now();
    say_before(session, train, validation);
    if (buffer_printf(&session->log, err, "epoch,train_loss,validation_loss\n") ||
        train_net(&recipe.options, train, validation, &listener, &model, err))
        goto out;
    result = file_write_all(log, session->log.data, session->log.length, err);
    if (!result)
        result = write_net(&model, &recipe, &origin, train->count, path, err);
    train_model_free(&model);
    if (!result)
        say_after(session, recipe.options.best, path, log);
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
    result = train_and_write(build, &train, &validation, isa, path, &session, err);
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
