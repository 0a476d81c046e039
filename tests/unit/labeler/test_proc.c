/* SPDX-License-Identifier: MIT */
/*
 * Command lines and child processes.
 */
#include "labeler/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/labeler/labeler_test.h"

static void spawn(struct proc *proc, const char *text)
{
    struct command command;
    struct error err = {0};
    assert_ok(command_parse(text, &command, &err), &err);
    assert_ok(proc_spawn(proc, &command, &err), &err);
    command_free(&command);
}

/* The next line, waiting for it; NULL at the end. */
static const char *next_line(struct proc *proc)
{
    for (;;) {
        const char *line;
        unsigned budget = 100;
        enum proc_read got = proc_read_line(proc, &line, &budget);
        if (got == PROC_LINE) {
            return line;
        }
        if (got == PROC_END) {
            return NULL;
        }
        struct pollfd fd = {.fd = proc->output, .events = POLLIN};
        assert_true(poll(&fd, 1, PATIENCE_MS) > 0);
    }
}

static int next_number(struct proc *proc)
{
    const char *line = next_line(proc);
    char *end;
    assert_non_null(line);
    long number = strtol(line, &end, 10);
    assert_true(end != line && *end == '\0' && number > 0 && number <= INT32_MAX);
    return (int)number;
}

static void test_command_is_split(void **state)
{
    static const struct {
        const char *text, *words[4];
    } lines[] = {
        {"sh", {"sh"}},
        {"  sh\t-c  'a b' ", {"sh", "-c", "a b"}},
        {"sh x\"y z\"'\"' \"\"", {"sh", "xy z\"", ""}},
        {"sh a\\b \"it's\"", {"sh", "a\\b", "it's"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct command command;
        struct error err = {0};
        assert_ok(command_parse(lines[i].text, &command, &err), &err);
        for (size_t j = 0; j < command.argc; j++) {
            assert_non_null(lines[i].words[j]);
            assert_string_equal(command.argv[j], lines[i].words[j]);
        }
        assert_null(command.argv[command.argc]);
        assert_true(command.argc == 4 || lines[i].words[command.argc] == NULL);
        assert_contains(command.program, "/sh");
        command_free(&command);
    }
}

static void test_command_that_cannot_run_is_refused(void **state)
{
    static const struct {
        const char *text, *reason;
    } lines[] = {
        {"", "empty"},
        {"   ", "empty"},
        {"sh 'x", "quote"},
        {"plymill-no-such-engine", "not found in PATH"},
        {"/no/such/engine -x", "no such file"},
        {"/etc", "folder"},
        {"/etc/passwd", "not executable"},
        {"''", "no such file"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct command command;
        struct error err = {0};
        assert_int_equal(command_parse(lines[i].text, &command, &err), -1);
        assert_contains(err.text, lines[i].reason);
        assert_int_equal(err.code, ERROR_FAILED);
    }
}

static void test_text_without_a_program_header_is_refused(void **state)
{
    (void)state;
    char folder[64], path[128];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/engine", folder);
    FILE *file = fopen(path, "w");
    fputs("this is no program\n", file);
    fclose(file);
    assert_int_equal(chmod(path, 0755), 0);
    struct command command;
    struct proc proc;
    struct error err = {0};
    assert_ok(command_parse(path, &command, &err), &err);
    assert_int_equal(proc_spawn(&proc, &command, &err), -1);
    assert_contains(err.text, path);
    command_free(&command);
    remove_folder(folder);
}

static void test_lines_come_without_their_ends(void **state)
{
    (void)state;
    struct proc proc;
    spawn(&proc, "printf 'one\\r\\n\\ntwo\\nthree without end'");
    assert_string_equal(next_line(&proc), "one");
    assert_string_equal(next_line(&proc), "");
    assert_string_equal(next_line(&proc), "two");
    assert_null(next_line(&proc));
    proc_kill(&proc, NULL);
}

/* At the limit a line is whole, one byte over it is cut, and what follows is not lost. */
static void test_long_lines_are_cut(void **state)
{
    (void)state;
    for (size_t over = 0; over < 3; over++) {
        char command[128];
        struct proc proc;
        snprintf(command, sizeof command, "printf '%%0%dd\\nnext\\n' 7",
                 (int)(PROC_LINE_MAX - 1 + over));
        spawn(&proc, command);
        const char *line = next_line(&proc);
        size_t kept = PROC_LINE_MAX - 1 + over;
        assert_int_equal(strlen(line), kept < PROC_LINE_MAX ? kept : PROC_LINE_MAX);
        assert_string_equal(next_line(&proc), "next");
        assert_null(next_line(&proc));
        proc_kill(&proc, NULL);
    }
}

static void test_flood_is_read_in_pieces(void **state)
{
    (void)state;
    struct proc proc;
    spawn(&proc, "yes");
    const char *line;
    unsigned budget = 3;
    while (proc_read_line(&proc, &line, &budget) != PROC_NOTHING || budget != 0) {
        struct pollfd fd = {.fd = proc.output, .events = POLLIN};
        poll(&fd, 1, 100);
    }
    assert_int_equal(budget, 0);
    proc_kill(&proc, NULL);
}

static void test_echo(void **state)
{
    (void)state;
    struct proc proc;
    spawn(&proc, "cat");
    assert_int_equal(proc_write(&proc, "hello\nworld\n"), 0);
    assert_string_equal(next_line(&proc), "hello");
    assert_string_equal(next_line(&proc), "world");
    proc_close_input(&proc);
    assert_null(next_line(&proc));
    assert_true(proc_has_ended(&proc, PATIENCE_MS));
    char status[PROC_STATUS_MAX];
    proc_kill(&proc, status);
    assert_string_equal(status, "exit status 0");
}

static void test_end_is_described(void **state)
{
    (void)state;
    struct proc proc;
    char status[PROC_STATUS_MAX];
    spawn(&proc, "sh -c 'echo first >&2; echo the  reason >&2; kill -SEGV $$'");
    assert_null(next_line(&proc));
    assert_true(proc_has_ended(&proc, PATIENCE_MS));
    proc_drain_log(&proc);
    assert_string_equal(proc.complaint, "the reason");
    proc_kill(&proc, status);
    assert_contains(status, "killed by signal 11");
    spawn(&proc, "sleep 100");
    assert_false(proc_has_ended(&proc, 0));
    proc_kill(&proc, status);
    assert_string_equal(status, "");
}

/* The default action of SIGPIPE would end this program. */
static void test_broken_pipe_is_an_error_only(void **state)
{
    (void)state;
    struct proc proc;
    signal(SIGPIPE, SIG_DFL);
    spawn(&proc, "true");
    assert_true(proc_has_ended(&proc, PATIENCE_MS));
    assert_int_equal(proc_write(&proc, "hello\n"), -1);
    assert_int_equal(errno, EPIPE);
    sigset_t pending;
    sigpending(&pending);
    assert_false(sigismember(&pending, SIGPIPE));
    proc_kill(&proc, NULL);
    assert_int_equal(proc_write(&proc, "hello\n"), -1);
}

static void test_reader_that_does_not_read(void **state)
{
    (void)state;
    struct proc proc;
    spawn(&proc, "sleep 100");
    char text[4097];
    memset(text, 'x', 4096);
    text[4096] = 0;
    int result = 0;
    for (int i = 0; i < 1000 && result == 0; i++) {
        result = proc_write(&proc, text);
    }
    assert_int_equal(result, -1);
    assert_int_equal(errno, EAGAIN);
    proc_kill(&proc, NULL);
}

/* A child holds three descriptors, and none of ours or of another child. */
static void test_descriptors_are_not_inherited(void **state)
{
    (void)state;
    /* No pipe in it, which the shell would hold open for a moment. */
    const char *count_descriptors = "sh -c 'set -- /proc/self/fd/*; echo $#'";
    struct proc other, proc;
    spawn(&other, "cat");
    spawn(&proc, count_descriptors);
    const int count = next_number(&proc);
    assert_true(fcntl(proc.input, F_GETFD) & FD_CLOEXEC);
    assert_true(fcntl(proc.output, F_GETFD) & FD_CLOEXEC);
    assert_true(fcntl(proc.log, F_GETFD) & FD_CLOEXEC);
    proc_kill(&proc, NULL);
    proc_kill(&other, NULL);
    spawn(&proc, count_descriptors);
    assert_int_equal(next_number(&proc), count);
    proc_kill(&proc, NULL);
}

/* Signals that we ignore or block reach the child all the same. */
static void test_signals_are_as_usual_in_the_child(void **state)
{
    (void)state;
    struct proc proc;
    sigset_t block, before;
    sigemptyset(&block);
    sigaddset(&block, SIGTERM);
    sigprocmask(SIG_BLOCK, &block, &before);
    void (*handler)(int) = signal(SIGTERM, SIG_IGN);
    spawn(&proc, "sh -c 'kill -TERM $$; echo alive'");
    signal(SIGTERM, handler);
    sigprocmask(SIG_SETMASK, &before, NULL);
    assert_null(next_line(&proc));
    proc_kill(&proc, NULL);
}

/* 0 when there is none or only its zombie is left. */
static bool is_alive(pid_t pid)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    bool got = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    char *state = strrchr(text, ')');
    return got && state != NULL && state[2] != 'Z' && state[2] != 'X';
}

static bool dies_within(pid_t pid, int ms)
{
    for (; ms > 0 && is_alive(pid); ms -= 10) {
        usleep(10000);
    }
    return !is_alive(pid);
}

static void test_group_is_killed(void **state)
{
    (void)state;
    struct proc proc;
    spawn(&proc, "sh -c 'sleep 100 & echo $!; wait'");
    pid_t grandchild = next_number(&proc);
    assert_true(is_alive(grandchild));
    proc_kill(&proc, NULL);
    assert_true(dies_within(grandchild, PATIENCE_MS));
}

/* SIGKILL of the parent takes the child with it, even a stopped one that ignores its stdin. */
static void test_child_dies_with_us(void **state)
{
    (void)state;
    int report[2];
    assert_int_equal(pipe(report), 0);
    pid_t middle = fork();
    if (middle == 0) {
        struct proc proc;
        spawn(&proc, "sleep 100");
        kill(proc.pid, SIGSTOP);
        ssize_t sent = write(report[1], &proc.pid, sizeof proc.pid);
        pause();
        _exit(sent > 0);
    }
    pid_t child = 0;
    assert_int_equal(read(report[0], &child, sizeof child), sizeof child);
    assert_true(is_alive(child));
    kill(middle, SIGKILL);
    waitpid(middle, NULL, 0);
    assert_true(dies_within(child, PATIENCE_MS));
    close(report[0]);
    close(report[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command_is_split),
        cmocka_unit_test(test_command_that_cannot_run_is_refused),
        cmocka_unit_test(test_text_without_a_program_header_is_refused),
        cmocka_unit_test(test_lines_come_without_their_ends),
        cmocka_unit_test(test_long_lines_are_cut),
        cmocka_unit_test(test_flood_is_read_in_pieces),
        cmocka_unit_test(test_echo),
        cmocka_unit_test(test_end_is_described),
        cmocka_unit_test(test_broken_pipe_is_an_error_only),
        cmocka_unit_test(test_reader_that_does_not_read),
        cmocka_unit_test(test_descriptors_are_not_inherited),
        cmocka_unit_test(test_signals_are_as_usual_in_the_child),
        cmocka_unit_test(test_group_is_killed),
        cmocka_unit_test(test_child_dies_with_us),
    };
    return cmocka_run_group_tests_name("proc", tests, NULL, NULL);
}
