/* SPDX-License-Identifier: MIT */
/*
 * Which options an engine is sent before its first search: ours (one thread, the hash size, one
 * variation, Chess960), as far as the engine lists them, then those of the configuration.
 * Everything is checked against what the engine lists before anything is sent.
 */
#ifndef PLYMILL_LABELER_SETUP_H
#define PLYMILL_LABELER_SETUP_H

#include "formats/io/error.h"
#include "labeler/engine_config.h"
#include "labeler/uci.h"

#define SETUP_OPTIONS_MAX 128  /* options sent */
#define SETUP_LINE_MAX    4096 /* bytes of a setoption line */

struct setup {
    struct engine_option
        items[SETUP_OPTIONS_MAX]; /* in the order of sending, the engine's spelling */
    size_t count;
    char hash[16];
};

/*
 * Fills setup, which points into config, listed and itself: it must not be moved. An option of the
 * configuration replaces ours of the same name; threads or variations other than one are refused.
 */
int setup_make(struct setup *setup, const struct engine_config *config,
               const struct uci_options *listed, struct error *err);

#endif
