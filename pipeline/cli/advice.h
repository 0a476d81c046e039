/* SPDX-License-Identifier: MIT */
/*
 * What a machine has for plymill's work, in a line, and where it is too little what to do: for
 * doctor.
 */
#ifndef PLYMILL_PIPELINE_CLI_ADVICE_H
#define PLYMILL_PIPELINE_CLI_ADVICE_H

#include <stdint.h>

#include "nnue/core/plynnue.h"

#define ADVICE_SIZE 160
/*
 * Of an engine beside its hash, with room to spare: Stockfish 15.1 takes 74 MiB of its own, 4 MiB
 * of hash among them; the pages of its file, 47 MiB, engines share.
 */
#define ADVICE_ENGINE_MIB 120
/* Of a position in samples, labels, records and one binary dataset; docs/SCALE.md has the parts. */
#define ADVICE_POSITION_BYTES 300

/* Bytes of memory that programs may take, and all; engines at a time and the hash of each in MiB.
 */
void advice_memory(double available, double all, unsigned workers, int64_t hash_mib,
                   char out[ADVICE_SIZE]);
/* Bytes free in the current folder. */
void advice_disk(double available, char out[ADVICE_SIZE]);
/* The instruction set in use. */
void advice_simd(enum plynnue_isa isa, char out[ADVICE_SIZE]);

#endif
