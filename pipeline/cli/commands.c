/* SPDX-License-Identifier: MIT */
/*
 * The command table, in the order of help: the main job first.
 */
#include "pipeline/cli/cmd_bench.h"
#include "pipeline/cli/cmd_check.h"
#include "pipeline/cli/cmd_config.h"
#include "pipeline/cli/cmd_convert.h"
#include "pipeline/cli/cmd_doctor.h"
#include "pipeline/cli/cmd_eval.h"
#include "pipeline/cli/cmd_init.h"
#include "pipeline/cli/cmd_inspect.h"
#include "pipeline/cli/cmd_perft.h"
#include "pipeline/cli/cmd_quantize.h"
#include "pipeline/cli/cmd_report.h"
#include "pipeline/cli/cmd_scan.h"
#include "pipeline/cli/cmd_score.h"
#include "pipeline/cli/cmd_stages.h"
#include "pipeline/cli/cmd_status.h"
#include "pipeline/cli/cmd_submit.h"
#include "pipeline/cli/cmd_train.h"
#include "pipeline/cli/cmd_verify.h"
#include "pipeline/cli/command.h"
#include "pipeline/cli/help.h"

const struct command *const command_table[] = {
    &command_build,  &command_init,     &command_config,  &command_sample,
    &command_label,  &command_select,   &command_export,  &command_status,
    &command_verify, &command_submit,   &command_convert, &command_inspect,
    &command_train,  &command_quantize, &command_check,   &command_score,
    &command_eval,   &command_report,   &command_scan,    &command_perft,
    &command_bench,  &command_doctor,   &command_help,    NULL,
};
