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
#include "nnue/tools/train.h"
#include "nnue/tools/train_write.h"
#include "pipeline/cli/netarg.h"
#include "pipeline/cli/train_recipe.h"
#include "pipeline/report/modelcard.h"
#include "pipeline/report/report_losses.h"
#include "pipeline/report/terminal.h"
#include "pipeline/report/trained_on.h"
#include "pipeline/stages/select.h"
#include "pipeline/stages/stop.h"

enum { LOG_MAX = 16 << 20 };

/* What an epoch is reported to. */
struct session {
    struct buffer log;
    unsigned epochs, last, best; /* of all; done; with the lowest validation loss, 0 for none */
    double lowest;
    double started;     /* seconds of a clock */
    uint64_t positions; /* of an epoch */
    unsigned resumed;   /* epochs that were done before */
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
    double seconds = now() - session->started, done = epoch->epoch - session->resumed;
    fprintf(stderr, "epoch %u/%u: train %.8f, validation %s, %s positions/s, ETA %.0f s\n",
            epoch->epoch, session->epochs, epoch->train_loss, validation,
            TERMINAL_NUMBER(done * (double)session->positions / seconds + 0.5),
            seconds * (session->epochs - epoch->epoch) / done);
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
    if (epoch->resumed)
        session->resumed = epoch->epoch;
    else if (!session->quiet)
        say_epoch(session, epoch, epoch->has_validation ? validation : "-");
    if (epoch->has_validation && (!session->best || epoch->validation_loss < session->lowest)) {
        session->best = epoch->epoch;
        session->lowest = epoch->validation_loss;
    }
    if (epoch->resumed || !*session->stop)
        return 0;
    return error_set(err, ERROR_RETRY,
                     "stopped after epoch %u; the same command goes on from there", epoch->epoch);
}

static void say_refused(void *context, const char *path, const char *why)
{
    (void)context;
    fprintf(stderr, "warning: %s %s: starting anew\n", path, why);
}

static int write_net(const struct train_model *model, const struct train_recipe *recipe,
                     const struct origin *origin, uint64_t positions, const char *path,
                     struct error *err)
{
    struct text_out texts[TRAIN_TEXTS + ORIGIN_TEXTS];
    struct train_texts own;
    struct buffer bytes;
    size_t count = train_recipe_texts(recipe, positions, &own, texts);
    count += origin_texts(origin, texts + count);
    buffer_init(&bytes, TRAIN_FILE_MAX);
    int result = train_encode(model, texts, count, &bytes, err);
    if (!result)
        result = file_write_all(path, bytes.data, bytes.length, err);
    buffer_free(&bytes);
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

static void say_before(const struct session *session, const struct train_set *train,
                       const struct train_set *validation)
{
    const uint64_t held_out = train_set_count(validation);
    if (!session->quiet)
        fprintf(stderr, "%s training positions%s, %s validation positions\n",
                TERMINAL_NUMBER(train_set_count(train)),
                train_set_memory(train) ? "" : " (in a scratch file)", TERMINAL_NUMBER(held_out));
    if (!held_out)
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

/* What train_and_write works with. */
struct job {
    struct build *build;
    struct train_set *train, *validation;
    struct scale_cells *cells; /* of the training positions */
    const char *path;
    enum plynnue_isa isa;
};

static int write_files(const struct job *job, const struct train_model *model,
                       const struct train_recipe *recipe, const struct origin *origin,
                       const char *log, const struct session *session, struct error *err)
{
    if (file_write_all(log, session->log.data, session->log.length, err) ||
        write_net(model, recipe, origin, train_set_count(job->train), job->path, err) ||
        modelcard_write(job->path, NULL, err))
        return -1;
    (void)remove(recipe->options.checkpoint);
    say_after(session, recipe->options.best, job->path, log);
    return 0;
}

/* From the loaded positions to the files. */
static int train_and_write(const struct job *job, struct session *session, struct error *err)
{
    struct train_listener listener = {report_epoch, say_refused, session};
    struct train_recipe recipe;
    struct train_model model;
    struct origin origin;
    char *log = report_losses_path(job->path, err);
    char *checkpoint = log ? file_name_format(err, "%s.checkpoint", job->path) : NULL;
    int result = -1;
    if (!checkpoint || train_recipe_from(job->build->settings, job->cells, &recipe, err) ||
        trained_on_build(job->build, &origin, err) || check_writable(log, err))
        goto out;
    recipe.options.isa = job->isa;
    recipe.options.checkpoint = checkpoint;
    session->epochs = recipe.options.epochs;
    session->positions = train_set_count(job->train);
    session->started = now();
    say_before(session, job->train, job->validation);
    if (buffer_printf(&session->log, err, "epoch,train_loss,validation_loss\n") ||
        train_net(&recipe.options, job->train, job->validation, &listener, &model, err))
        goto out;
    result = write_files(job, &model, &recipe, &origin, log, session, err);
    train_model_free(&model);
out:
    free(checkpoint);
    free(log);
    return result;
}

static int load_split(const struct job *job, int split, const struct train_place *place,
                      struct scale_cells *cells, struct train_set **set, struct error *err)
{
    const struct settings *settings = job->build->settings;
    const bool last_exact = !strcmp(settings_string(settings, "label.score"), "last-exact");
    char *path = select_record_path(job->build, split, err);
    int status = path ? train_set_load(path, last_exact, place, cells, set, err) : -1;
    free(path);
    return status;
}

/* The training positions have the memory first. */
static int load_sets(struct job *job, struct error *err)
{
    char *directory = file_folder(job->path, err);
    struct train_place place = {
        directory, (uint64_t)settings_integer(job->build->settings, "train.memory") << 20};
    int status = -1;
    job->cells = calloc(1, sizeof *job->cells);
    if (!job->cells)
        error_memory(err);
    else if (directory && !load_split(job, 0, &place, job->cells, &job->train, err)) {
        place.memory -= train_set_memory(job->train);
        status = load_split(job, 1, &place, NULL, &job->validation, err);
    }
    free(directory);
    return status;
}

static int run_train(struct invocation *invocation, struct error *err)
{
    const char *directory = invocation->arguments[0];
    struct job job = {.path = netarg_output(invocation, err)};
    struct session session = {.quiet = invocation->quiet, .stop = stop_install()};
    int result = -1;
    buffer_init(&session.log, LOG_MAX);
    if (!job.path || netarg_isa(invocation, &job.isa, err) ||
        netarg_build(invocation, directory, &job.build, err) || load_sets(&job, err))
        goto out;
    if (train_set_count(job.train))
        result = train_and_write(&job, &session, err);
    else
        error_set(err, ERROR_FAILED, "%s/records/train.rec holds no records: nothing to train on",
                  directory);
out:
    train_set_free(job.train);
    train_set_free(job.validation);
    free(job.cells);
    build_close(job.build);
    buffer_free(&session.log);
    return result;
}

const struct command command_train = {
    .name = "train",
    .arguments = "DIR -o NET",
    .summary = "trains a net on the records of a build directory",
    .details =
        "Writes a float net, NAME.safetensors, and beside it a log of the losses, NAME.train.csv, "
        "and a model card, NAME.card.md. "
        "The same records, recipe and seed give the same bytes for any number of threads and every "
        "instruction set.\nNAME.safetensors.checkpoint is written on the way: a training that was "
        "stopped or killed goes on from there when the same command is given again, and ends with "
        "the same bytes.\nThe net "
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
