/* SPDX-License-Identifier: MIT */
/*
 * A child process that is talked to in lines: started in a process group of its own, with three
 * pipes, and sure to die with us.
 *
 * The child gets SIGKILL when the THREAD that started it ends (PR_SET_PDEATHSIG), so the thread
 * that spawns must live as long as the child is wanted. All of our ends are close-on-exec and
 * non-blocking. No call raises SIGPIPE or changes how the program handles signals.
 */
#ifndef PLYMILL_LABELER_PROC_H
#define PLYMILL_LABELER_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "formats/io/error.h"
#include "labeler/command.h"

#define PROC_LINE_MAX      8192 /* bytes of a line that are kept; the rest of it is skipped */
#define PROC_COMPLAINT_MAX 160

enum proc_read { PROC_END = -1, PROC_NOTHING = 0, PROC_LINE = 1 };

struct proc {
    pid_t pid;  /* also the process group; 0 when there is none */
    int input;  /* our end of its stdin, -1 when closed */
    int output; /* our end of its stdout */
    int log;    /* our end of its stderr */
    char buffer[PROC_LINE_MAX + 1];
    size_t start, end;                  /* what of buffer is not yet delivered */
    bool skipping;                      /* inside the rest of a line that was too long */
    char complaint[PROC_COMPLAINT_MAX]; /* the last line on stderr, printable ASCII, or "" */
    size_t complaint_length;
    bool complaint_ended;
};

/* Starts the command. On an error nothing runs and proc needs no proc_kill. */
int proc_spawn(struct proc *proc, const struct command *command, struct error *err);

/* All of text, or -1 with errno: EPIPE when it is gone, EAGAIN when it does not read. */
int proc_write(struct proc *proc, const char *text);

/*
 * The next line without its line end (LF or CRLF), valid until the next call. *budget is the number
 * of read calls that are left; at 0 it returns PROC_NOTHING, so that a flood cannot hold the
 * caller. A last line without an end is not delivered: it may be cut.
 */
enum proc_read proc_read_line(struct proc *proc, const char **line, unsigned *budget);
/* Takes what stderr holds, so that the child never blocks on it. */
void proc_drain_log(struct proc *proc);

/* Closes its stdin. */
void proc_close_input(struct proc *proc);
/* Has it ended? Waits up to wait_ms for it; does not reap. */
bool proc_has_ended(const struct proc *proc, int wait_ms);

/* Longest text of proc_kill. */
#define PROC_STATUS_MAX 64
/*
 * SIGKILL for the process group, reaps, closes everything. status (may be NULL) gets how it ended
 * if it had ended by itself: "exit status 3", "killed by signal 11 (Segmentation fault)", else "".
 */
void proc_kill(struct proc *proc, char status[PROC_STATUS_MAX]);

#endif
