/* SPDX-License-Identifier: MIT */
/*
 * What labels must agree on to stand in one build, for those who label without its catalogue (label
 * --shard, on any machine).
 *
 * DIR/shards/ticket, written by the driver before anyone labels, and removed when all shards are
 * done:
 *
 *   recipe SHA-256      of the recipe's keys that labels depend on
 *   name TEXT           net TEXT      options TEXT      signature HEX        of the engine
 *
 * Every labels shard says in its meta, under "ticket", SHA-256 over that text and the digest of its
 * samples shard: so labels of other samples, limits or engines are never taken for these.
 */
#ifndef PLYMILL_PIPELINE_STAGES_TICKET_H
#define PLYMILL_PIPELINE_STAGES_TICKET_H

#include "labeler/fingerprint.h"
#include "pipeline/stages/build.h"

#define TICKET_NAME "shards/ticket"
#define TICKET_META "ticket"

/* engine: NULL where labels come from the games. */
int ticket_write(const struct build *build, const struct fingerprint *engine, struct error *err);
int ticket_remove(const struct build *build, struct error *err);
/*
 * Does this engine, with the recipe as it is, label alike? ERROR_FAILED says what differs, or that
 * there is no ticket and how to get one.
 */
int ticket_check(const struct build *build, const struct fingerprint *engine, struct error *err);
/* The ticket of one labels shard. Reads its samples. */
int ticket_of_shard(const struct build *build, const struct fingerprint *engine, unsigned shard,
                    char hex[DIGEST_HEX_SIZE], struct error *err);

#endif
