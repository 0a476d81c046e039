/* SPDX-License-Identifier: MIT */
/*
 * report DIR: the build on one page, DIR/report.html.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_REPORT_H
#define PLYMILL_PIPELINE_CLI_CMD_REPORT_H

#include "pipeline/cli/command.h"

extern const struct command command_report;

#endif
