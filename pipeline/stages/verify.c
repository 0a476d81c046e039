/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/stages/verify_internal.h"

void verify_differs(struct verify *verify, const char *format, ...)
{
    char text[ERROR_TEXT_MAX];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (verify->counts->differences++ == 0)
        memcpy(verify->first, text, sizeof text);
    if (verify->options->differs)
        verify->options->differs(verify->options->context, text);
}

int verify_take(struct verify *verify, struct error *err)
{
    if (err->code == ERROR_RETRY || strstr(err->text, "out of memory"))
        return -1;
    verify_differs(verify, "%s", err->text);
    *err = (struct error){0};
    return 0;
}

int verify_check_stop(const struct verify *verify, struct error *err)
{
    if (!verify->options->stop || !*verify->options->stop)
        return 0;
    return error_set(err, ERROR_RETRY, "stopped by a signal; nothing was changed");
}

static int open_build(struct verify *verify, struct error *err)
{
    struct settings *settings = settings_new();
    if (!settings)
        return error_memory(err);
    if (build_open(verify->directory, BUILD_LOOK, settings, &verify->build, err) == 0) {
        verify->build->quiet = verify->options->quiet;
        verify->build->stop = verify->options->stop;
        return 0;
    }
    settings_free(settings);
    return verify_take(verify, err);
}

/* Files are right byte by byte: what is in them? */
static int verify_contents(struct verify *verify, struct error *err)
{
    typedef int part_function(struct verify *, struct error *);
    static part_function *const parts[] = {verify_manifest, verify_inputs,  verify_shards,
                                           verify_records,  verify_dataset, verify_audit};
    int status = open_build(verify, err);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == 0 && verify->build; i++) {
        status = verify_check_stop(verify, err);
        if (status == 0)
            status = parts[i](verify, err);
    }
    build_close(verify->build);
    return status;
}

static int conclude(const struct verify *verify, struct error *err)
{
    uint64_t differences = verify->counts->differences;
    if (differences == 0)
        return 0;
    if (differences == 1)
        return error_set(err, ERROR_DIFFERS, "%s: %s", verify->directory, verify->first);
    return error_set(err, ERROR_DIFFERS, "%s: %" PRIu64 " differences, the first: %s",
                     verify->directory, differences, verify->first);
}

int verify_run(const char *directory, const struct verify_options *options,
               struct verify_counts *counts, struct error *err)
{
    struct verify verify = {.directory = directory, .options = options, .counts = counts};
    *counts = (struct verify_counts){0};
    if (!file_is_directory(directory))
        return error_set(err, ERROR_FAILED, "%s: no such build directory", directory);
    if (verify_files(&verify, err) < 0)
        return -1;
    if (counts->differences == 0 && verify_contents(&verify, err) < 0)
        return -1;
    return conclude(&verify, err);
}
