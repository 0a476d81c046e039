/* SPDX-License-Identifier: MIT */
/*
 * See cmd_doctor.h. What is found goes line by line into the table, as soon as it is known, or into
 * one JSON object, by one function, so that both say the same.
 */
#include "pipeline/cli/cmd_doctor.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "formats/io/cores.h"
#include "labeler/fingerprint.h"
#include "labeler/trial.h"
#include "nnue/core/kernels.h"
#include "pipeline/cli/advice.h"
#include "pipeline/stages/label.h"

#define RESETS         3
#define TEXT_SIZE      4096
#define MEM_AVAILABLE  "MemAvailable:"
#define SLOW_RESTART_S 90 /* longer is a trial of restart not made when another reset works */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Where findings go. */
struct findings {
    json_t *json; /* NULL: lines of a table on stdout */
};

static void put(struct findings *report, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Text of engines may be no UTF-8; fingerprints hold printable ASCII only. */
static void put(struct findings *report, const char *key, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (report->json) {
        json_object_set_new(report->json, key, json_string(text));
        return;
    }
    printf("%-18s %s\n", key, text);
    (void)fflush(stdout); /* what follows may take a minute */
}

/* Bytes that programs may take: what is free, and what caches would give back. */
static double memory_available(void)
{
    char line[128];
    double kib = -1;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && kib < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, MEM_AVAILABLE, strlen(MEM_AVAILABLE)) == 0)
            kib = strtod(line + strlen(MEM_AVAILABLE), NULL);
    if (file)
        (void)fclose(file);
    if (kib >= 0)
        return kib * 1024;
    return fmax(0, (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
}

static void look_at_machine(struct findings *report, const struct settings *settings)
{
    struct statvfs disk;
    struct utsname system;
    char text[ADVICE_SIZE];
    double all = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (uname(&system) == 0)
        put(report, "system", "%s %s", system.sysname, system.machine);
    put(report, "cores", "%u", cores_available());
    advice_simd(kernels_find(PLYNNUE_ISA_AUTO)->isa, text);
    put(report, "simd", "%s", text);
    advice_memory(memory_available(), all, label_workers(settings),
                  settings_integer(settings, "label.hash"), text);
    put(report, "memory", "%s", text);
    if (statvfs(".", &disk) == 0) {
        advice_disk((double)disk.f_bavail * (double)disk.f_frsize, text);
        put(report, "disk", "%s", text);
    }
}

/* Is an option of that name among those that were sent? options: "name=value;name=value". */
static bool was_sent(const char *options, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = options; at; at = strchr(at, ';')) {
        at += *at == ';';
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return true;
    }
    return false;
}

static int look_at_engine(struct findings *report, const struct engine_config *config, double *took,
                          struct error *err)
{
    struct fingerprint print;
    double begin = seconds();
    put(report, "engine", "%s", config->command);
    if (fingerprint_take(config, &print, err) < 0)
        return -1;
    *took = seconds() - begin;
    put(report, "name", "%s", print.name);
    put(report, "net", "%s", print.net[0] ? print.net : "-");
    put(report, "options", "%s", print.options[0] ? print.options : "-");
    if (!was_sent(print.options, "Hash"))
        put(report, "no option Hash", "it runs with a hash table of its own size");
    if (!was_sent(print.options, "MultiPV"))
        put(report, "no option MultiPV", "it is taken to search one variation");
    put(report, "files", "%s", print.files);
    put(report, "signature", "%s", print.signature);
    put(report, "signature took", "%.2f s, start included", *took);
    return 0;
}

static void put_trial(struct findings *report, enum engine_reset reset, const struct trial *trial)
{
    char key[32];
    (void)snprintf(key, sizeof key, "reset %s", trial_reset_name(reset));
    switch (trial->verdict) {
    case TRIAL_ORDER_FREE:
        put(report, key, "order-free, %.1f ms a label", trial->ms_per_label);
        break;
    case TRIAL_DEPENDS:
        put(report, key, "depends on the order: %u of %d labels change, as %s", trial->differing,
            TRIAL_POSITIONS, trial->note);
        break;
    case TRIAL_IMPOSSIBLE:
        put(report, key, "not possible: %s", trial->note);
        break;
    case TRIAL_SKIPPED:
        put(report, key, "not tried, since it starts slowly and need not be restarted");
        break;
    }
}

/* The first reset that works, or RESETS. took: seconds for a start and the signature. */
static int try_resets(struct findings *report, const struct engine_config *config,
                      const struct settings *settings, double took)
{
    int best = RESETS;
    /* More engines than cores would only wait for each other. */
    unsigned workers = label_workers(settings), cores = cores_available();
    workers = workers < cores ? workers : cores;
    uint64_t nodes = (uint64_t)settings_integer(settings, "label.nodes");
    for (int reset = 0; reset < RESETS; reset++) {
        struct trial trial = {.verdict = TRIAL_SKIPPED};
        bool slow = 2 * TRIAL_POSITIONS * took / workers > SLOW_RESTART_S;
        if (reset != RESET_RESTART || !slow || best == RESETS)
            trial_run(config, (enum engine_reset)reset, workers, nodes, &trial);
        put_trial(report, (enum engine_reset)reset, &trial);
        if (trial.verdict == TRIAL_ORDER_FREE && best == RESETS)
            best = reset;
    }
    return best;
}

static int finish_report(const struct findings *report, struct error *err)
{
    if (report->json) {
        json_dumpf(report->json, stdout, JSON_INDENT(2));
        putchar('\n');
    }
    return fflush(stdout) == 0 && !ferror(stdout)
               ? 0
               : error_set(err, ERROR_FAILED, "standard output cannot be written");
}

static int examine(struct findings *report, const struct settings *settings, struct error *err)
{
    struct engine_config config = {0};
    double took = 0;
    look_at_machine(report, settings);
    int status = label_config_from(settings, &config, err);
    if (status == 0)
        status = look_at_engine(report, &config, &took, err);
    if (status == 0) {
        int best = try_resets(report, &config, settings, took);
        const char *name = best < RESETS ? trial_reset_name((enum engine_reset)best) : "none";
        put(report, "label.reset", "%s", name);
        if (best == RESETS)
            status = error_set(err, ERROR_DIFFERS,
                               "%s: no reset makes its labels independent of the order, so that "
                               "they cannot be reproduced",
                               config.command);
    }
    label_config_free(&config);
    return status;
}

static int run(struct invocation *invocation, struct error *err)
{
    struct error output = {0};
    struct findings report = {.json = NULL};
    if (invocation_has(invocation, "json") && !(report.json = json_object()))
        return error_memory(err);
    int status = examine(&report, invocation->settings, err);
    int printed = finish_report(&report, &output);
    if (status == 0 && printed < 0) {
        *err = output;
        status = -1;
    }
    json_decref(report.json);
    return status;
}

const struct command command_doctor = {
    .name = "doctor",
    .arguments = "",
    .summary = "checks the machine, and whether the engine labels alike in any order",
    .details =
        "Says what the machine has, and what to do where that is too little. Starts the engine,\n"
        "takes its fingerprint (name, net, options, digests of its files, and a signature over "
        "its\n"
        "labels of 24 positions), and labels 30 positions in two orders for every way to make an\n"
        "engine forget. label.reset is the first one that works; exit status 3 says that none "
        "does:\n"
        "labels of such an engine cannot be made again.",
    .sections = SECTION_LABEL,
    .minimum = 0,
    .maximum = 0,
    .options = {{"json", NULL, "the same as JSON"}},
    .examples = {"plymill doctor", "plymill doctor --engine \"node stockfish-19-single.js\""},
    .no_progress = true,
    .run = run,
};
