/* SPDX-License-Identifier: MIT */
/*
 * Who made the labels. Engines of equal name, net, options and signature are taken to label alike;
 * the signature is SHA-256 over the labels of 24 fixed positions at 10,000 nodes.
 */
#ifndef PLYMILL_LABELER_FINGERPRINT_H
#define PLYMILL_LABELER_FINGERPRINT_H

#include "formats/io/digest.h"
#include "formats/io/error.h"
#include "labeler/engine_config.h"

#define FINGERPRINT_TEXT_MAX 2048

struct fingerprint {
    char name[256]; /* id name */
    char net[256];  /* value of EvalFile (default or as set), "" if there is none */
    char options[FINGERPRINT_TEXT_MAX]; /* "name=value" of all options sent, joined by ';' */
    char files[FINGERPRINT_TEXT_MAX]; /* "basename sha256" of the binary and of files named, by ';'
                                       */
    char signature[DIGEST_HEX_SIZE];
    double seconds; /* that the labels of the signature took, for estimates; says nothing of the
                       engine's identity and is kept nowhere */
};

/*
 * The engine's command: the given one if not NULL or empty, else $PLYMILL_ENGINE, else stockfish in
 * PATH, else /usr/games/stockfish. A program named without a folder that is not in PATH is taken
 * from /usr/games. A fresh string for the caller, or NULL with err set ("no engine found ..., what
 * to do").
 */
char *engine_find(const char *given, struct error *err);
/* Can the program that the command line names be run? 0, or -1 with err saying why not. */
int engine_is_there(const char *command, struct error *err);

/*
 * Starts one engine, asks, labels the signature positions, stops it. Options whose value is a
 * folder (SyzygyPath and the like) are refused: what stands in there changes labels and has no
 * digest. An option's value that names a file is written without its folder.
 */
int fingerprint_take(const struct engine_config *config, struct fingerprint *fingerprint,
                     struct error *err);

/* 0 when both label alike, else ERROR_FAILED naming the first difference with both values. */
int fingerprint_compare(const struct fingerprint *have, const struct fingerprint *want,
                        struct error *err);

#endif
