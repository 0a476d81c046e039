/* SPDX-License-Identifier: MIT */
#include "pipeline/report/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TIME_SIZE   32
#define FORMAT_SIZE 128

static int log_fd = -1;

int log_open(const char *path, struct error *err)
{
    log_close();
    log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    return log_fd >= 0 ? 0 : error_system(err, errno, "--log (build.log) %s", path);
}

bool log_is_open(void)
{
    return log_fd >= 0;
}

void log_close(void)
{
    if (log_fd >= 0)
        (void)close(log_fd);
    log_fd = -1;
}

static void give_up(const char *why)
{
    fprintf(stderr, "plymill: warning: --log: %s; nothing more is logged\n", why);
    log_close();
}

static void write_line(json_t *line)
{
    char *text = json_dumps(line, JSON_PRESERVE_ORDER | JSON_COMPACT);
    size_t length = text ? strlen(text) : 0;
    if (!text) {
        give_up("out of memory");
        return;
    }
    text[length] = '\n'; /* in place of the zero: one write is one event */
    if (write(log_fd, text, length + 1) != (ssize_t)(length + 1))
        give_up(strerror(errno));
    free(text);
}

json_t *log_text(const char *text)
{
    json_t *value = json_string(text);
    char *copy = value ? NULL : strdup(text);
    for (char *at = copy; at && *at; at++)
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    if (copy)
        value = json_string(copy);
    free(copy);
    return value ? value : json_null();
}

void log_event(const char *event, const char *format, ...)
{
    char pack[FORMAT_SIZE], when[TIME_SIZE];
    time_t seconds = time(NULL);
    struct tm utc;
    if (log_fd < 0 || !gmtime_r(&seconds, &utc))
        return;
    (void)strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    (void)snprintf(pack, sizeof pack, "{%s}", format);
    va_list list;
    va_start(list, format);
    json_t *pairs = json_vpack_ex(NULL, 0, pack, list);
    va_end(list);
    json_t *line =
        json_pack("{s:s, s:I, s:s}", "time", when, "pid", (json_int_t)getpid(), "event", event);
    if (line && pairs && json_object_update(line, pairs) == 0)
        write_line(line);
    else
        give_up("an event cannot be written as JSON");
    json_decref(line);
    json_decref(pairs);
}
