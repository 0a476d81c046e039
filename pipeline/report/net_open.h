/* SPDX-License-Identifier: MIT */
/*
 * Opening a net that was named to the program: what its file does not say is asked of a side file
 * and of a table of nets that are known by their SHA-256.
 */
#ifndef PLYMILL_PIPELINE_REPORT_NET_OPEN_H
#define PLYMILL_PIPELINE_REPORT_NET_OPEN_H

#include "formats/io/error.h"
#include "nnue/core/plynnue.h"

/*
 * Loads a net of any kind; errors name the file. arch: what its file does not say. NULL: then the
 * first line of PATH.arch says it, else the SHA-256 where the net is known by it, else the file
 * itself. *net is the caller's, to be closed with plynnue_net_close.
 */
int net_open(const char *path, const char *arch, enum plynnue_isa isa, plynnue_net **net,
             struct error *err);

#endif
