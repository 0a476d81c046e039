/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/advice.h"

#include <stdio.h>

#include "pipeline/cli/netarg.h"
#include "pipeline/report/terminal.h"

#define MIB         (1024.0 * 1024)
#define GIB         (1024 * MIB)
#define LITTLE_DISK GIB

void advice_memory(double available, double all, unsigned workers, int64_t hash_mib,
                   char out[ADVICE_SIZE])
{
    double each = ADVICE_ENGINE_MIB + (double)hash_mib;
    unsigned fit = (unsigned)(available / MIB / each);
    int length = snprintf(out, ADVICE_SIZE, "%.1f GiB free of %.1f", available / GIB, all / GIB);
    if (fit >= workers)
        return;
    out += length;
    size_t size = (size_t)(ADVICE_SIZE - length);
    if (fit > 0)
        (void)snprintf(out, size, ": too little for %u engines of %.0f MiB; take --workers %u",
                       workers, each, fit);
    else
        (void)snprintf(out, size, ": too little for an engine of %.0f MiB; end other programs",
                       each);
}

void advice_disk(double available, char out[ADVICE_SIZE])
{
    (void)snprintf(out, ADVICE_SIZE,
                   "%.1f GiB free in this folder: room for %s million positions%s", available / GIB,
                   TERMINAL_NUMBER(available / ADVICE_POSITION_BYTES / 1e6),
                   available < LITTLE_DISK ? "; build where there is more" : "");
}

void advice_simd(enum plynnue_isa isa, char out[ADVICE_SIZE])
{
    (void)snprintf(
        out, ADVICE_SIZE, "%s%s", netarg_isa_name(isa),
        isa == PLYNNUE_ISA_SCALAR
            ? ": nets are slow here; a processor with AVX2 or NEON is several times as fast"
            : "");
}
