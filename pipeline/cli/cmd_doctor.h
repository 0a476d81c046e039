/* SPDX-License-Identifier: MIT */
/*
 * `plymill doctor`: is everything there that a build needs, and does the engine label alike in any
 * order?
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_DOCTOR_H
#define PLYMILL_PIPELINE_CLI_CMD_DOCTOR_H

#include "pipeline/cli/command.h"

extern const struct command command_doctor;

#endif
