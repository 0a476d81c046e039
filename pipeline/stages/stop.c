/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/stop.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#define ECHO_NS 100000000 /* a tenth of a second */

static volatile sig_atomic_t stop_flag;
static struct timespec stopped_at;

/* A scheduler's SIGTERM comes twice: once from itself, once through the script that it told, too.
 */
static bool is_echo(int number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long passed =
        (now.tv_sec - stopped_at.tv_sec) * 1000000000LL + now.tv_nsec - stopped_at.tv_nsec;
    return number == SIGTERM && passed < ECHO_NS;
}

static void on_signal(int number)
{
    if (stop_flag == number && !is_echo(number)) {
        (void)signal(number, SIG_DFL);
        (void)raise(number);
        return;
    }
    if (!stop_flag)
        clock_gettime(CLOCK_MONOTONIC, &stopped_at);
    stop_flag = number;
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
