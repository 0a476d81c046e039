/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/stop.h"

#include <string.h>

static volatile sig_atomic_t stop_flag;

static void on_signal(int number)
{
    stop_flag = number;
    (void)signal(number, SIG_DFL);
}

const volatile sig_atomic_t *stop_install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGHUP, &action, NULL);
    return &stop_flag;
}
