/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/version.h"

#include <jansson.h>
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "labeler/fingerprint.h"
#include "nnue/core/kernels.h"
#include "pipeline/cli/netarg.h"
#include "pipeline/stages/build.h"

/* The best vector level of this CPU; kernels are chosen among those that are built in. */
static const char *simd_level(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vl"))
        return "avx512-vnni";
    if (__builtin_cpu_supports("avx2"))
        return "avx2";
    return "sse2";
#elif defined(__aarch64__)
    return "neon";
#else
    return "scalar";
#endif
}

/* The engine that would label, or why there is none. */
static void write_engine(FILE *out)
{
    struct error err = {0};
    char *engine = engine_find(NULL, &err);
    if (engine && engine_is_there(engine, &err) == 0)
        fprintf(out, "engine: %s\n", engine);
    else
        fprintf(out, "engine: none, %s\n", err.text);
    free(engine);
}

void version_write(FILE *out)
{
    fprintf(out, "plymill %s (output version %d)\n", PLYMILL_VERSION, PLYMILL_OUTPUT_VERSION);
    fprintf(out, "compiler: %s\n",
#if defined(__clang__)
            "clang " __clang_version__
#else
            "gcc " __VERSION__
#endif
    );
    fprintf(out, "libraries: zstd %s, zlib %s, sqlite %s, jansson %s, %s\n", ZSTD_versionString(),
            zlibVersion(), sqlite3_libversion(), jansson_version_str(),
            OpenSSL_version(OPENSSL_VERSION));
    fprintf(out, "simd: cpu has %s; kernels in use: %s\n", simd_level(),
            netarg_isa_name(kernels_find(PLYNNUE_ISA_AUTO)->isa));
    write_engine(out);
}
