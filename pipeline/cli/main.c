/* SPDX-License-Identifier: MIT */
/*
 * The program: finds the command, parses, runs it, prints the one error line, sets the exit code.
 * Nothing else in plymill prints errors or exits.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "labeler/store.h"
#include "pipeline/cli/help.h"
#include "pipeline/cli/parse.h"
#include "pipeline/cli/runlog.h"
#include "pipeline/cli/version.h"
#include "pipeline/recipe/suggest.h"
#include "pipeline/report/progress.h"
#include "pipeline/report/terminal.h"

static int finish_stdout(struct error *err)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        return error_set(err, ERROR_FAILED, "cannot write to standard output");
    return 0;
}

static int unknown_command(const char *name, struct error *err)
{
    struct suggestion near = {.word = name + strspn(name, "-")};
    for (size_t i = 0; command_table[i]; i++)
        suggest_consider(&near, command_table[i]->name, command_table[i]->name);
    suggest_consider(&near, "version", "--version");
    return error_set(err, ERROR_USAGE, "no command \"%s\"%s%s (see: plymill help)", name,
                     near.answer ? "; did you mean plymill " : "", near.answer ? near.answer : "");
}

static int run(const char *name, int argc, char **argv, struct error *err)
{
    const struct command *command = command_find(name);
    if (!command)
        return unknown_command(name, err);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0)
            break;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            help_write_command(command, stdout);
            return 0;
        }
    }
    struct invocation invocation;
    int status = invocation_parse(command, argc, argv, &invocation, err);
    if (status >= 0)
        status = runlog_begin(&invocation, invocation.settings, err);
    if (status >= 0)
        status = command->run(&invocation, err);
    invocation_free(&invocation);
    return status;
}

static int dispatch(int argc, char **argv, struct error *err)
{
    if (argc < 2) {
        help_write_overview(stderr);
        return error_set(err, ERROR_USAGE, "%s", "");
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        version_write(stdout);
        return 0;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    return run(name, argc - 1, argv + 1, err);
}

/*
 * Did somebody who read standard output stop reading, as head does? SIGPIPE is ignored because of
 * the pipes to engines; here it is made up for: silence, and the death that other tools die.
 */
static void die_with_reader(const struct error *err)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    bool failed = ferror(stdout) || strstr(err->text, strerror(EPIPE));
    if (!failed || poll(&out, 1, 0) <= 0 || !(out.revents & POLLERR))
        return;
    (void)signal(SIGPIPE, SIG_DFL);
    (void)raise(SIGPIPE);
}

/* One line, whatever stands in a file's name. */
static void print_error(char *text)
{
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
    progress_interrupt();
    if (*text)
        fprintf(stderr, "%splymill:%s %s\n", terminal_red(stderr), terminal_plain(stderr), text);
}

int main(int argc, char **argv)
{
    struct error err = {0};
    (void)signal(SIGPIPE, SIG_IGN);
    if (getenv("PLYMILL_FAULT"))
        store_use_faults();
    int status = dispatch(argc, argv, &err);
    if (status >= 0)
        status = finish_stdout(&err);
    else
        (void)fflush(stdout);
    if (status < 0) {
        if (!err.code)
            error_set(&err, ERROR_FAILED, "failed");
        die_with_reader(&err);
        print_error(err.text);
    }
    runlog_end(status < 0 ? err.code : 0, err.text);
    return status < 0 ? err.code : 0;
}
