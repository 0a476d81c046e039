/* SPDX-License-Identifier: MIT */
/*
 * Ctrl-C, SIGTERM and SIGHUP (a closed terminal): the first sets a flag that long work looks at, so
 * that it stops cleanly; the second ends the process at once (a SIGTERM within a tenth of a second
 * counts as the same). A handler must be a process-wide thing: this is the only one.
 */
#ifndef PLYMILL_PIPELINE_STAGES_STOP_H
#define PLYMILL_PIPELINE_STAGES_STOP_H

#include <signal.h>

/* Installs the handlers; the flag they set. */
const volatile sig_atomic_t *stop_install(void);

#endif
