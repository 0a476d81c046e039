/* SPDX-License-Identifier: MIT */
/*
 * A card beside a net, NAME.card.md beside NAME.safetensors, with the front matter that model hubs
 * read: what the net is, what it was trained on and how, what came of it, how to use it. All of it
 * is read from the files themselves, so the card is true of them; no clock and no path in it. On a
 * hub it is called README.md; it is not here, since nets are written into any folder.
 */
#ifndef PLYMILL_PIPELINE_REPORT_MODELCARD_H
#define PLYMILL_PIPELINE_REPORT_MODELCARD_H

#include "formats/io/error.h"

/*
 * from: the float net that the net was made from by quantising, or NULL. The losses are those of
 * the log beside the one that was trained, if there is one.
 */
int modelcard_write(const char *net, const char *from, struct error *err);
/* "net.safetensors" to "net.card.md"; the caller frees it. NULL with err set. */
char *modelcard_path(const char *net, struct error *err);

#endif
