/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/runlog.h"

#include "pipeline/report/cpu_time.h"
#include "pipeline/report/log.h"

int runlog_begin(const struct invocation *invocation, const struct settings *settings,
                 struct error *err)
{
    if (log_is_open() || !settings_is_set(settings, "build.log"))
        return 0;
    if (log_open(settings_string(settings, "build.log"), err) < 0)
        return -1;
    json_t *words = json_array();
    for (int i = 0; i < invocation->word_count; i++)
        (void)json_array_append_new(words, log_text(invocation->words[i]));
    log_event("start", "s:s, s:o", "version", PLYMILL_VERSION, "command", words);
    return 0;
}

void runlog_end(int code, const char *error)
{
    if (!log_is_open())
        return;
    log_event("finish", "s:i, s:o, s:f", "exit", code, "error",
              *error ? log_text(error) : json_null(), "cpu_seconds", cpu_time());
    log_close();
}
