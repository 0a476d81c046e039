/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/cmd_stages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/io/file.h"
#include "pipeline/cli/empty.h"
#include "pipeline/cli/estimate.h"
#include "pipeline/cli/labelfens.h"
#include "pipeline/cli/recipes.h"
#include "pipeline/cli/runlog.h"
#include "pipeline/report/card.h"
#include "pipeline/report/fitted_scale.h"
#include "pipeline/report/summary.h"
#include "pipeline/stages/again.h"
#include "pipeline/stages/build.h"
#include "pipeline/stages/export.h"
#include "pipeline/stages/label.h"
#include "pipeline/stages/labeltask.h"
#include "pipeline/stages/manifest.h"
#include "pipeline/stages/sample.h"
#include "pipeline/stages/select.h"
#include "pipeline/stages/stop.h"
#include "pipeline/stages/sums.h"

static bool names_recipe(const char *argument)
{
    size_t length = strlen(argument);
    return length > 5 && strcmp(argument + length - 5, ".toml") == 0;
}

/* Where the build is and how to open it: a recipe with -o DIR, or a directory alone. */
static int choose(const struct invocation *invocation, const char **directory,
                  enum build_mode *mode, struct error *err)
{
    const char *argument = invocation->arguments[0];
    bool begins = invocation->command->sections & SECTION_SAMPLE;
    *directory = begins ? invocation_value(invocation, "o") : NULL;
    *mode = BUILD_CREATE;
    if (*directory)
        return 0;
    if (begins && names_recipe(argument) && recipes_check(argument, err) < 0)
        return -1;
    if (!file_is_directory(argument))
        return error_set(err, ERROR_USAGE,
                         file_exists(argument)
                             ? "%s: no directory; name the build directory with -o DIR"
                             : "%s: no such recipe or build directory",
                         argument);
    *mode = BUILD_RESUME;
    *directory = argument;
    return 0;
}

static int absolute_paths(struct settings *settings, struct error *err)
{
    char *folder = getcwd(NULL, 0);
    if (!folder)
        return error_system(err, errno, "the current directory");
    int status = settings_make_absolute(settings, "input.files", folder, err);
    if (status == 0)
        status = settings_make_absolute(settings, "build.log", folder, err);
    free(folder);
    return status;
}

/* Only commands that export have the option. */
static int set_strict(const struct invocation *invocation, struct settings *settings,
                      struct error *err)
{
    bool exports = invocation->command->sections & SECTION_EXPORT;
    if (!exports || !invocation_has(invocation, "strict"))
        return 0;
    return settings_set(settings, "export.strict", "true", "command line", err);
}

/* The recipe, if there is one on the command line, with the options over it. */
static struct settings *read_settings(const struct invocation *invocation, bool recipe,
                                      struct error *err)
{
    struct settings *settings = NULL;
    if (recipe && strstr(invocation->arguments[0], ".pgn"))
        error_set(err, ERROR_USAGE,
                  "%s: is an archive of games, not a recipe; "
                  "plymill build RECIPE --input FILE -o DIR",
                  invocation->arguments[0]);
    else if (!(settings = settings_new()))
        error_memory(err);
    if (!settings)
        return NULL;
    if ((recipe && (recipes_check(invocation->arguments[0], err) < 0 ||
                    settings_load(settings, invocation->arguments[0], err) < 0)) ||
        settings_merge(settings, invocation->settings, err) < 0 ||
        set_strict(invocation, settings, err) < 0 || absolute_paths(settings, err) < 0 ||
        runlog_begin(invocation, settings, err) < 0) {
        settings_free(settings);
        return NULL;
    }
    return settings;
}

static int open_build(struct invocation *invocation, bool look, struct build **build,
                      struct error *err)
{
    const char *directory;
    enum build_mode mode;
    if (choose(invocation, &directory, &mode, err) < 0)
        return -1;
    struct settings *settings = read_settings(invocation, mode == BUILD_CREATE, err);
    if (!settings)
        return -1;
    if (look)
        mode = mode == BUILD_CREATE ? BUILD_PLAN : BUILD_LOOK;
    if (build_open(directory, mode, settings, build, err) < 0) {
        settings_free(settings);
        return -1;
    }
    (*build)->quiet = invocation->quiet;
    if (runlog_begin(invocation, (*build)->settings, err) == 0)
        return 0;
    build_close(*build);
    return -1;
}

typedef int stage_function(struct build *, struct error *);

static int how_to_go_on(const struct build *build, struct error *err)
{
    if (err->code == ERROR_RETRY) {
        size_t length = strlen(err->text);
        (void)snprintf(err->text + length, sizeof err->text - length,
                       "; go on with: plymill build %s", build->shell_name);
    }
    return -1;
}

/* Only commands that label have the option. */
static bool may_mix(const struct invocation *invocation)
{
    bool labels = invocation->command->sections & SECTION_LABEL;
    return labels && invocation_has(invocation, "allow-mixed");
}

/* A stage of a finished build may note something, which opens the seal of its catalogue. */
static int seal_finished(struct build *build, struct error *err)
{
    char id[CATALOGUE_VALUE_MAX];
    int finished = catalogue_get(build->catalogue, "build_id", id, err);
    return finished > 0 ? catalogue_seal(build->catalogue, err) : finished;
}

/* Only build asks. */
static bool says_yes(const struct invocation *invocation)
{
    return invocation->command == &command_build && invocation_has(invocation, "yes");
}

/* Only commands that print a table have the option. */
static bool says_json(const struct invocation *invocation)
{
    const struct command *command = invocation->command;
    bool prints =
        command == &command_build || command == &command_sample || command == &command_select;
    return prints && invocation_has(invocation, "json");
}

static int print_table(struct build *build, struct error *err)
{
    return build->json ? summary_write_json(build, stdout, err)
                       : summary_write_funnel(build, stdout, err);
}

static int run_on_build(struct invocation *invocation, stage_function *stage, struct error *err)
{
    struct build *build = NULL;
    const volatile sig_atomic_t *stop = stop_install();
    if (open_build(invocation, false, &build, err) < 0)
        return -1;
    build->stop = stop;
    build->allow_mixed = may_mix(invocation);
    build->yes = says_yes(invocation);
    build->json = says_json(invocation);
    int status = stage(build, err);
    if (seal_finished(build, status == 0 ? err : NULL) < 0)
        status = -1;
    if (status < 0) {
        how_to_go_on(build, err);
        if (err->code != ERROR_RETRY)
            build_discard_blank(build);
    }
    build_close(build);
    return status;
}

/* When nothing speaks against it any more, and before anything is done. */
static void say_again(struct build *build)
{
    char again[AGAIN_TEXT_MAX];
    if (!build->quiet && again_describe(build, again, NULL) == 1)
        fprintf(stderr, "plymill: %s: %s\n", build->directory, again);
}

static int do_sample(struct build *build, struct error *err)
{
    if (build_stage_done(build, BUILD_SAMPLE, NULL) != 1 && label_check(build, err) < 0)
        return -1;
    say_again(build);
    if (sample_run(build, err) < 0 || print_table(build, err) < 0)
        return -1;
    return empty_tell_samples(build, err) < 0 ? -1 : 0;
}

static int do_label(struct build *build, struct error *err)
{
    if (build_stage_need(build, BUILD_SAMPLE, err) < 0)
        return -1;
    if (label_prepare(build, err) < 0 || label_check(build, err) < 0)
        return -1;
    say_again(build);
    return label_run(build, err);
}

static int do_begin(struct build *build, struct error *err)
{
    if (build_stage_need(build, BUILD_SAMPLE, err) < 0 || label_prepare(build, err) < 0 ||
        label_check(build, err) < 0)
        return -1;
    return label_begin(build, err);
}

/* One shard, by whoever: without lock and catalogue. */
static int run_task(struct invocation *invocation, struct error *err)
{
    struct build *build = NULL;
    struct settings *settings = NULL;
    struct labeltask task = {.scratch = invocation_value(invocation, "scratch")};
    long long shard, seconds;
    if (invocation_has(invocation, "begin") || invocation_has(invocation, "allow-mixed"))
        return error_set(err, ERROR_USAGE, "--shard goes with neither --begin nor --allow-mixed");
    if (invocation_integer(invocation, "shard", 0, UINT16_MAX, 0, &shard, err) < 0 ||
        invocation_integer(invocation, "checkpoint", 0, INT32_MAX, LABELTASK_CHECKPOINT_S, &seconds,
                           err) < 0 ||
        !(settings = read_settings(invocation, false, err)))
        return -1;
    task.shard = (unsigned)shard;
    task.checkpoint_s = (unsigned)seconds;
    if (!task.scratch)
        task.scratch = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    const volatile sig_atomic_t *stop = stop_install();
    if (build_open(invocation->arguments[0], BUILD_TASK, settings, &build, err) < 0) {
        settings_free(settings);
        return -1;
    }
    build->quiet = invocation->quiet;
    build->stop = stop;
    int status = runlog_begin(invocation, build->settings, err);
    if (status == 0)
        status = labeltask_run(build, &task, err);
    build_close(build);
    return status;
}

static int do_select(struct build *build, struct error *err)
{
    say_again(build);
    if (select_run(build, err) < 0 || print_table(build, err) < 0)
        return -1;
    return empty_tell_records(build, err) < 0 ? -1 : 0;
}

static int do_export(struct build *build, struct error *err)
{
    say_again(build);
    if (export_run(build, err) < 0 || fitted_scale_note(build, err) < 0)
        return -1;
    if (manifest_run(build, err) < 0 || card_write(build, err) < 0)
        return -1;
    return sums_run(build, err);
}

static int print_result(struct build *build, struct error *err)
{
    char id[CATALOGUE_VALUE_MAX] = "";
    if (summary_write_funnel(build, stdout, err) < 0 ||
        catalogue_get(build->catalogue, "build_id", id, err) < 0)
        return -1;
    printf("build id %s\nrecords: %s/records, manifest: %s/manifest.json, ", id, build->directory,
           build->directory);
    if (settings_count(build->settings, "export.formats") > 0)
        printf("dataset: %s/dataset\n", build->directory);
    else
        printf("no dataset files, since export.formats is empty\n");
    int empty = empty_tell_records(build, err);
    if (empty == 0)
        printf("next: plymill train %s -o net.safetensors\n", build->shell_name);
    return empty < 0 ? -1 : 0;
}

/* Would a person wait that long? Only somebody who can be asked is. */
static int ask(const struct estimate *estimate, struct error *err)
{
    char answer[16] = "";
    fprintf(stderr, "plymill: go on? [y/N] ");
    if (!fgets(answer, sizeof answer, stdin))
        fputc('\n', stderr);
    if (answer[0] == 'y' || answer[0] == 'Y')
        return 0;
    return error_set(err, ERROR_FAILED,
                     "not begun: %.1f core days; --yes goes on without asking, input.max_games "
                     "takes fewer games",
                     estimate->core_seconds / 86400);
}

/* Games, labels and core days, before a build begins that has nothing yet. */
static int look_ahead(struct build *build, struct error *err)
{
    struct estimate estimate;
    int done = build_stage_done(build, BUILD_SAMPLE, err);
    if (done != 0)
        return done < 0 ? -1 : 0;
    bool person = !build->yes && isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    if (build->quiet && !person)
        return 0;
    if (estimate_make(build, &estimate, err) < 0)
        return -1;
    bool asks = person && estimate.core_seconds > ESTIMATE_ASK_DAYS * 86400;
    /* Where there are none, reading them is an error that says so. */
    bool any = estimate.games > 0 || estimate.partial;
    if ((!build->quiet && any) || asks)
        estimate_write(&estimate, build, stderr);
    return asks ? ask(&estimate, err) : 0;
}

static int do_build(struct build *build, struct error *err)
{
    if (label_prepare(build, err) < 0 || export_check(build, err) < 0 ||
        label_check(build, err) < 0 || look_ahead(build, err) < 0)
        return -1;
    say_again(build);
    if (build_save_recipe(build, err) < 0)
        return -1;
    if (sample_run(build, err) < 0 || label_run(build, err) < 0 || select_run(build, err) < 0 ||
        export_run(build, err) < 0 || fitted_scale_note(build, err) < 0 ||
        manifest_run(build, err) < 0 || card_write(build, err) < 0 || sums_run(build, err) < 0)
        return -1;
    if (!build->json)
        return print_result(build, err);
    return print_table(build, err) < 0 || empty_tell_records(build, err) < 0 ? -1 : 0;
}

/* What is done and what is to do; nothing is written, and a running build is not disturbed. */
static int run_plan(struct invocation *invocation, struct error *err)
{
    const char *directory;
    enum build_mode mode;
    struct build *build = NULL;
    if (choose(invocation, &directory, &mode, err) < 0)
        return -1;
    if (!file_exists(directory)) {
        struct settings *settings = read_settings(invocation, true, err);
        settings_free(settings);
        if (settings)
            printf("%s: to be made, all stages are to do\n", directory);
        return settings ? 0 : -1;
    }
    if (open_build(invocation, true, &build, err) < 0)
        return -1;
    int status = summary_write_plan(build, stdout, err);
    if (status == 0)
        status = label_check(build, err);
    build_close(build);
    return status;
}

static int run_build(struct invocation *invocation, struct error *err)
{
    if (invocation_has(invocation, "dry-run") && invocation_has(invocation, "json"))
        return error_set(err, ERROR_USAGE,
                         "--dry-run has no JSON; plymill status DIR --json says what is done");
    if (invocation_has(invocation, "dry-run"))
        return run_plan(invocation, err);
    return run_on_build(invocation, do_build, err);
}

static int run_sample(struct invocation *invocation, struct error *err)
{
    return run_on_build(invocation, do_sample, err);
}

/* A list of FENs, or a build directory. */
static int run_label(struct invocation *invocation, struct error *err)
{
    const char *fens = invocation_value(invocation, "fens");
    if (fens && invocation->argument_count > 0)
        return error_set(err, ERROR_USAGE, "--fens %s and the directory %s: one or the other", fens,
                         invocation->arguments[0]);
    if (fens)
        return labelfens_run(invocation, fens, err);
    if (invocation_has(invocation, "chess960"))
        return error_set(err, ERROR_USAGE, "--chess960 goes with --fens");
    if (!invocation_has(invocation, "shard") &&
        (invocation_has(invocation, "scratch") || invocation_has(invocation, "checkpoint")))
        return error_set(err, ERROR_USAGE, "--scratch and --checkpoint go with --shard");
    if (invocation->argument_count == 0)
        return error_set(
            err, ERROR_USAGE,
            "missing argument; usage: plymill label DIR, or plymill label --fens FILE");
    if (invocation_has(invocation, "shard"))
        return run_task(invocation, err);
    return run_on_build(invocation, invocation_has(invocation, "begin") ? do_begin : do_label, err);
}

static int run_select(struct invocation *invocation, struct error *err)
{
    return run_on_build(invocation, do_select, err);
}

static int run_export(struct invocation *invocation, struct error *err)
{
    return run_on_build(invocation, do_export, err);
}

#define OPTION_DIRECTORY                                                                           \
    {                                                                                              \
        "o", "DIR", "the build directory; without it the argument is one, to go on with"           \
    }

#define OPTION_MIXED                                                                               \
    {                                                                                              \
        "allow-mixed", NULL,                                                                       \
            "go on with another engine, which marks the manifest and the build id"                 \
    }
#define OPTION_JSON                                                                                \
    {                                                                                              \
        "json", NULL, "the table as JSON, as status --json writes it"                              \
    }
#define OPTION_STRICT                                                                              \
    {                                                                                              \
        "strict", NULL, "the same as --export.strict true"                                         \
    }

const struct command command_build = {
    .name = "build",
    .arguments = "RECIPE -o DIR | DIR",
    .summary = "makes a training set: sample, label, select and export as one resumable job",
    .details = "Whatever is done is not done again, so the same command goes on after a Ctrl-C, a\n"
               "crash or a full disk. Equal recipes, games and engines give equal bytes, whatever\n"
               "the number of workers or shards and the order of the files.",
    .sections = SECTION_ALL_BUILD,
    .minimum = 1,
    .maximum = 1,
    .options = {OPTION_DIRECTORY,
                OPTION_MIXED,
                OPTION_STRICT,
                {"dry-run", NULL, "say what is done and what is to do"},
                {"yes", NULL, "do not ask before work of more than a core day"},
                OPTION_JSON},
    .examples = {"plymill build configs/tinynnue.toml --input games.pgn.zst -o tiny",
                 "plymill build tiny --dry-run"},
    .run = run_build,
};

const struct command command_sample = {
    .name = "sample",
    .arguments = "RECIPE -o DIR | DIR",
    .summary = "reads games and picks positions: the first stage of build",
    .sections = SECTION_BUILD | SECTION_INPUT | SECTION_SAMPLE | SECTION_SPLIT,
    .minimum = 1,
    .maximum = 1,
    .options = {OPTION_DIRECTORY, OPTION_JSON},
    .examples = {"plymill sample configs/tinynnue.toml --input games.pgn.zst -o tiny",
                 "plymill sample configs/tinynnue.toml --input a.pgn,b.pgn -o tiny"},
    .run = run_sample,
};

const struct command command_label = {
    .name = "label",
    .arguments = "DIR | --fens FILE",
    .summary = "has engines score the sampled positions: the second stage of build",
    .details =
        "With --fens no build is needed: FENs, EPD lines or startpos, one a line (- is "
        "stdin),\n"
        "come back in their order with what the engine says, tab-separated: fen, final score,\n"
        "bound (exact, lower, upper), last exact score, its depth, best move, depth, nodes. "
        "Scores\n"
        "are \"cp 31\" or \"mate -3\" from the side to move, - is none. A line that cannot be "
        "labeled\n"
        "has the reason in place of the score, and the exit status is 1.\n"
        "With --shard one shard is labeled, on any machine that sees the directory, without a "
        "lock\n"
        "and without build.db: --begin comes first, once, and build or label afterwards takes "
        "what\n"
        "is there. Labels are made in the scratch folder; the sealed shard appears under its name\n"
        "when it is complete, and a checkpoint, from which another attempt goes on, every ten\n"
        "minutes and at SIGTERM, which ends it with exit status 75.",
    .sections = SECTION_LABEL,
    .minimum = 0,
    .maximum = 1,
    .options = {OPTION_MIXED,
                {"fens", "FILE", "label a list of positions; - is stdin"},
                {"chess960", NULL, "the list may hold Chess960 positions"},
                {"begin", NULL, "note engine and recipe, so that shards can be labeled by others"},
                {"shard", "I", "label this shard only, beside others who label others"},
                {"scratch", "FOLDER", "for the work of --shard (default: $TMPDIR, else /tmp)"},
                {"checkpoint", "S", "with --shard: seconds from checkpoint to checkpoint (600)"}},
    .examples = {"plymill label tiny --workers 4",
                 "plymill label --fens positions.txt --nodes 5000 --hash 16"},
    .run = run_label,
};

const struct command command_select = {
    .name = "select",
    .arguments = "DIR",
    .summary = "filters, finds duplicates and leaks, shuffles: the third stage of build",
    .sections = SECTION_BUILD | SECTION_FILTER | SECTION_SPLIT | SECTION_SHUFFLE,
    .minimum = 1,
    .maximum = 1,
    .options = {OPTION_JSON},
    .examples = {"plymill select tiny", "plymill select tiny --filter.capture keep"},
    .run = run_select,
};

const struct command command_export = {
    .name = "export",
    .arguments = "DIR",
    .summary = "writes dataset files from the records: the last stage of build",
    .sections = SECTION_EXPORT,
    .minimum = 1,
    .maximum = 1,
    .options = {OPTION_STRICT},
    .examples = {"plymill export tiny", "plymill export tiny --export.formats plain,csv"},
    .run = run_export,
};
