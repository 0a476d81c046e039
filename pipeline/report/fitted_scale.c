/* SPDX-License-Identifier: MIT */
#include "pipeline/report/fitted_scale.h"

#include <stdlib.h>
#include <string.h>

#include "formats/io/fault.h"
#include "pipeline/report/report_records.h"
#include "pipeline/stages/export.h"
#include "pipeline/stages/select.h"

#define SPLIT_TRAIN 0

static int fit(struct build *build, struct report_records *records, int *scale, struct error *err)
{
    bool last_exact = strcmp(settings_string(build->settings, "label.score"), "last-exact") == 0;
    char *path = select_record_path(build, SPLIT_TRAIN, err);
    int status = path != NULL ? report_records_read(path, last_exact, records, err) : -1;
    free(path);
    *scale = scale_fit(&records->games);
    return status;
}

int fitted_scale_note(struct build *build, struct error *err)
{
    int scale;
    int done =
        settings_count(build->settings, "export.formats") == 0 ? 1 : export_has_fit(build, err);
    if (done != 0)
        return done < 0 ? -1 : 0;
    struct report_records *records = fault_malloc(sizeof *records);
    if (records == NULL)
        return error_memory(err);
    *records = (struct report_records){.count = 0};
    int status = fit(build, records, &scale, err);
    free(records);
    return status < 0 ? -1 : export_note_fit(build, scale, err);
}
