/* SPDX-License-Identifier: MIT */
/*
 * Child processes: spawn, lines, end.
 */
#include "labeler/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KILL_WAIT_MS                                                                               \
    2000 /* a killed process that is stuck in the kernel is left behind after that */
#define PIPES     4
#define LOG_CHUNK 4096

struct pipe_ends {
    int read, write;
};

static void close_end(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

/* Above stderr, so that the child's dup2 calls never meet one of their own sources. */
static int move_above_stdio(int *fd)
{
    if (*fd > STDERR_FILENO) {
        return 0;
    }
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (moved < 0) {
        return -1;
    }
    close(*fd);
    *fd = moved;
    return 0;
}

static int pipe_open(struct pipe_ends *ends, struct error *err)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) {
        return error_system(err, errno, "cannot make a pipe");
    }
    *ends = (struct pipe_ends){fds[0], fds[1]};
    if (move_above_stdio(&ends->read) != 0 || move_above_stdio(&ends->write) != 0) {
        return error_system(err, errno, "cannot make a pipe");
    }
    return 0;
}

struct spawn_pipes {
    struct pipe_ends input, output, log, failure;
};

static void pipes_close(struct spawn_pipes *pipes)
{
    struct pipe_ends *all[PIPES] = {&pipes->input, &pipes->output, &pipes->log, &pipes->failure};
    for (size_t i = 0; i < PIPES; i++) {
        close_end(&all[i]->read);
        close_end(&all[i]->write);
    }
}

static int pipes_open(struct spawn_pipes *pipes, struct error *err)
{
    *pipes = (struct spawn_pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    if (pipe_open(&pipes->input, err) != 0 || pipe_open(&pipes->output, err) != 0 ||
        pipe_open(&pipes->log, err) != 0 || pipe_open(&pipes->failure, err) != 0) {
        pipes_close(pipes);
        return -1;
    }
    return 0;
}

static void child_reset_signals(void)
{
    for (int number = 1; number < NSIG; number++) {
        signal(number, SIG_DFL); /* fails for SIGKILL and SIGSTOP, which is right */
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Between fork and exec: only calls that are safe there. Sends errno home when exec fails. */
static _Noreturn void child_run(const struct spawn_pipes *pipes, const struct command *command,
                                pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127); /* the parent died before the line above */
    }
    if (dup2(pipes->input.read, STDIN_FILENO) >= 0 &&
        dup2(pipes->output.write, STDOUT_FILENO) >= 0 &&
        dup2(pipes->log.write, STDERR_FILENO) >= 0) {
        child_reset_signals();
        execv(command->program, command->argv);
    }
    int fault = errno;
    ssize_t sent = write(pipes->failure.write, &fault, sizeof fault);
    _exit(sent > 0 ? 127 : 126);
}

/* Signals are blocked around fork, so that none of our handlers runs in the child. */
static pid_t fork_child(const struct spawn_pipes *pipes, const struct command *command)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        child_run(pipes, command, parent);
    }
    int fault = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = fault;
    return pid;
}

/* Waits for exec, which closes the pipe, or for the errno of its failure: 0 or that. */
static int exec_failure(int fd)
{
    int fault = 0;
    ssize_t got;
    do {
        got = read(fd, &fault, sizeof fault);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof fault ? fault : 0;
}

static void set_nonblocking(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

int proc_spawn(struct proc *proc, const struct command *command, struct error *err)
{
    memset(proc, 0, sizeof *proc);
    proc->input = proc->output = proc->log = -1;
    struct spawn_pipes pipes;
    if (pipes_open(&pipes, err) != 0) {
        return -1;
    }
    pid_t pid = fork_child(&pipes, command);
    if (pid < 0) {
        int fault = errno;
        pipes_close(&pipes);
        return error_system(err, fault, "cannot start a process");
    }
    close_end(&pipes.failure.write);
    int fault = exec_failure(pipes.failure.read);
    if (fault != 0) {
        pipes_close(&pipes);
        waitpid(pid, NULL, 0);
        return error_system(err, fault, "cannot run %s", command->program);
    }
    proc->pid = pid;
    proc->input = pipes.input.write;
    proc->output = pipes.output.read;
    proc->log = pipes.log.read;
    pipes.input.write = pipes.output.read = pipes.log.read = -1;
    pipes_close(&pipes);
    set_nonblocking(proc->input);
    set_nonblocking(proc->output);
    set_nonblocking(proc->log);
    return 0;
}

/* A library may not change what SIGPIPE does, so it is held back and taken off this thread. */
static ssize_t write_without_sigpipe(int fd, const char *data, size_t size)
{
    sigset_t sigpipe, before, pending;
    sigemptyset(&sigpipe);
    sigaddset(&sigpipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &sigpipe, &before);
    ssize_t written = write(fd, data, size);
    int fault = errno;
    if (written < 0 && fault == EPIPE && !sigismember(&pending, SIGPIPE)) {
        sigtimedwait(&sigpipe, NULL, &(struct timespec){0, 0});
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = fault;
    return written;
}

int proc_write(struct proc *proc, const char *text)
{
    size_t left = strlen(text);
    if (proc->input < 0) {
        errno = EPIPE;
        return -1;
    }
    while (left > 0) {
        ssize_t written = write_without_sigpipe(proc->input, text, left);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return -1;
        }
        text += written;
        left -= (size_t)written;
    }
    return 0;
}

/* Delivers buffer[start .. end_of_line) and goes on behind it. */
static const char *line_take(struct proc *proc, size_t end_of_line, size_t next)
{
    char *line = proc->buffer + proc->start;
    size_t length = end_of_line - proc->start;
    if (length > 0 && line[length - 1] == '\r') {
        length--;
    }
    line[length] = 0;
    proc->start = next;
    return line;
}

/* A line out of the buffer, or NULL when it holds none. */
static const char *line_find(struct proc *proc)
{
    for (;;) {
        char *from = proc->buffer + proc->start;
        char *newline = memchr(from, '\n', proc->end - proc->start);
        if (newline == NULL) {
            break;
        }
        size_t at = (size_t)(newline - proc->buffer);
        if (!proc->skipping) {
            return line_take(proc, at, at + 1);
        }
        proc->skipping = false;
        proc->start = at + 1;
    }
    if (proc->skipping) {
        proc->start = proc->end = 0;
    } else if (proc->end - proc->start == PROC_LINE_MAX) {
        proc->skipping = true;
        return line_take(proc, proc->end, proc->end);
    }
    return NULL;
}

static void buffer_to_front(struct proc *proc)
{
    memmove(proc->buffer, proc->buffer + proc->start, proc->end - proc->start);
    proc->end -= proc->start;
    proc->start = 0;
}

enum proc_read proc_read_line(struct proc *proc, const char **line, unsigned *budget)
{
    bool drained = false; /* a read that does not fill its room has taken all there was */
    while ((*line = line_find(proc)) == NULL) {
        if (*budget == 0 || drained) {
            return PROC_NOTHING;
        }
        (*budget)--;
        buffer_to_front(proc);
        size_t room = PROC_LINE_MAX - proc->end;
        ssize_t got = read(proc->output, proc->buffer + proc->end, room);
        if (got > 0) {
            proc->end += (size_t)got;
            drained = (size_t)got < room;
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            return PROC_END;
        } else if (errno == EAGAIN) {
            return PROC_NOTHING;
        }
    }
    return PROC_LINE;
}

static void complaint_take(struct proc *proc, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n' || text[i] == '\r') {
            proc->complaint_ended = true;
            continue;
        }
        if (proc->complaint_ended) {
            proc->complaint_ended = false;
            proc->complaint_length = 0;
        }
        if (proc->complaint_length < PROC_COMPLAINT_MAX - 1) {
            char c = text[i];
            proc->complaint[proc->complaint_length++] = c >= ' ' && c <= '~' ? c : '?';
            proc->complaint[proc->complaint_length] = 0;
        }
    }
}

void proc_drain_log(struct proc *proc)
{
    char chunk[LOG_CHUNK];
    for (int i = 0; i < 16 && proc->log >= 0; i++) {
        ssize_t got = read(proc->log, chunk, sizeof chunk);
        if (got > 0) {
            complaint_take(proc, chunk, (size_t)got);
        } else if (got == 0 || errno != EINTR) {
            if (got == 0 || errno != EAGAIN) {
                close_end(&proc->log);
            }
            return;
        }
    }
}

void proc_close_input(struct proc *proc)
{
    close_end(&proc->input);
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

bool proc_has_ended(const struct proc *proc, int wait_ms)
{
    for (;; wait_ms--) {
        siginfo_t info = {0};
        int got = waitid(P_PID, (id_t)proc->pid, &info, WEXITED | WNOHANG | WNOWAIT);
        if ((got == 0 && info.si_pid != 0) || (got != 0 && errno != EINTR)) {
            return true;
        }
        if (wait_ms <= 0) {
            return false;
        }
        sleep_ms(1);
    }
}

static void status_describe(int status, char out[PROC_STATUS_MAX])
{
    if (WIFEXITED(status)) {
        snprintf(out, PROC_STATUS_MAX, "exit status %d", WEXITSTATUS(status));
    } else if (WIFSIGNALED(status)) {
        snprintf(out, PROC_STATUS_MAX, "killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    }
}

void proc_kill(struct proc *proc, char status[PROC_STATUS_MAX])
{
    if (status != NULL) {
        status[0] = 0;
    }
    if (proc->pid > 0) {
        bool by_itself = proc_has_ended(proc, 0);
        /* Before the reaping, after which the number may be another group's. */
        kill(-proc->pid, SIGKILL);
        int ended = 0;
        if (proc_has_ended(proc, KILL_WAIT_MS) && waitpid(proc->pid, &ended, WNOHANG) > 0 &&
            by_itself && status != NULL) {
            status_describe(ended, status);
        }
    }
    close_end(&proc->input);
    close_end(&proc->output);
    close_end(&proc->log);
    proc->pid = 0;
}
