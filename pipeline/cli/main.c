/* SPDX-License-Identifier: MIT */
/*
 * The program: finds the command, parses, runs it, prints the one error line, sets the exit code.
 * Nothing else in plymill prints errors or exits.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/cli/help.h"
#include "pipeline/cli/parse.h"
#include "pipeline/cli/version.h"

static int finish_stdout(struct error *err)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        return error_set(err, ERROR_FAILED, "cannot write to standard output");
    return 0;
}

static int run(const char *name, int argc, char **argv, struct error *err)
{
    const struct command *command = command_find(name);
    if (!command)
        return error_set(err, ERROR_USAGE, "no command \"%s\" (see: plymill help)", name);
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
        status = command->run(&invocation, err);
    invocation_free(&invocation);
    return status;
}

static int dispatch(int argc, char **argv, struct error *err)
{
    if (argc < 2) {
        help_write_overview(stderr);
        return error_set(err, ERROR_USAGE, "no command given");
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

/* One line, whatever stands in a file's name. */
static void print_error(char *text)
{
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
    fprintf(stderr, "plymill: %s\n", *text ? text : "failed");
}

int main(int argc, char **argv)
{
    struct error err = {0};
    (void)signal(SIGPIPE, SIG_IGN);
    int status = dispatch(argc, argv, &err);
    if (status >= 0)
        status = finish_stdout(&err);
    else
        (void)fflush(stdout);
    if (status < 0)
        print_error(err.text);
    return status < 0 ? (err.code ? err.code : ERROR_FAILED) : 0;
}
