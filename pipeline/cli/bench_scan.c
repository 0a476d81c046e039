/* SPDX-License-Identifier: MIT */
/*
 * See bench_scan.h. The rows take turns, run by run, so that a machine that slows down slows all of
 * them.
 */
#include "pipeline/cli/bench_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#include "formats/io/buffer.h"
#include "formats/io/fault.h"
#include "formats/io/reader.h"
#include "formats/pgn.h"

#define FILE_MAX   ((size_t)16 << 30) /* bytes that are held: what no machine here has is refused */
#define READ_SIZE  ((size_t)1 << 20)
#define PACK_LEVEL 3
#define WINDOW_LOG 31 /* --long archives */
#define ALL_STARTS (PGN_STANDARD | PGN_FROM_POSITION)

struct bench {
    struct buffer text, archive;
    ZSTD_DCtx *decoder;
    char *sink; /* where decoded text is thrown away */
    struct bench_scan *result;
};

static double processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int read_all(struct reader *reader, struct buffer *to, struct error *err)
{
    ssize_t got;
    do {
        if (buffer_reserve(to, READ_SIZE, err) < 0)
            return -1;
        got = reader_read(reader, to->data + to->length, READ_SIZE, err);
        to->length += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    return got < 0 ? -1 : 0;
}

static int load_text(const char *path, struct buffer *text, struct error *err)
{
    struct reader *reader = NULL;
    if (reader_open(path, false, &reader, err) < 0)
        return -1;
    int status = read_all(reader, text, err);
    reader_close(reader);
    return status;
}

static int pack_text(struct bench *bench, struct error *err)
{
    struct buffer *archive = &bench->archive;
    size_t bound = ZSTD_compressBound(bench->text.length);
    if (buffer_reserve(archive, bound, err) < 0)
        return -1;
    size_t size =
        ZSTD_compress(archive->data, bound, bench->text.data, bench->text.length, PACK_LEVEL);
    if (ZSTD_isError(size))
        return error_set(err, ERROR_FAILED, "zstd: %s", ZSTD_getErrorName(size));
    archive->length = size;
    return 0;
}

/* A frame, or a skippable one, which pzstd puts first. */
static bool is_zstd(const char head[4])
{
    return memcmp(head, "\x28\xB5\x2F\xFD", 4) == 0 ||
           ((head[0] & 0xF0) == 0x50 && memcmp(head + 1, "\x2A\x4D\x18", 3) == 0);
}

static int read_file(FILE *file, struct buffer *to, struct error *err)
{
    size_t got;
    do {
        if (buffer_reserve(to, READ_SIZE, err) < 0)
            return -1;
        got = fread(to->data + to->length, 1, READ_SIZE, file);
        to->length += got;
    } while (got > 0);
    return 0;
}

/* The file as it is, if libzstd knows it; else its text, compressed. */
static int load_archive(struct bench *bench, const char *path, struct error *err)
{
    struct buffer *archive = &bench->archive;
    FILE *file = fopen(path, "rb");
    int status = file ? read_file(file, archive, err) : 0;
    if (file)
        fclose(file);
    if (status < 0)
        return -1;
    bench->result->repacked = archive->length < 4 || !is_zstd(archive->data);
    if (!bench->result->repacked)
        return 0;
    buffer_clear(archive);
    return pack_text(bench, err);
}

static int run_zstd(struct bench *bench, struct error *err)
{
    ZSTD_inBuffer in = {bench->archive.data, bench->archive.length, 0};
    size_t text_bytes = 0, left = 1;
    ZSTD_DCtx_reset(bench->decoder, ZSTD_reset_session_only);
    while (in.pos < in.size || left > 0) {
        ZSTD_outBuffer out = {bench->sink, ZSTD_DStreamOutSize(), 0};
        size_t before = in.pos;
        left = ZSTD_decompressStream(bench->decoder, &out, &in);
        if (ZSTD_isError(left))
            return error_set(err, ERROR_FAILED, "zstd: %s", ZSTD_getErrorName(left));
        if (out.pos == 0 && in.pos == before)
            break;
        text_bytes += out.pos;
    }
    if (text_bytes != bench->text.length)
        return error_set(err, ERROR_FAILED, "zstd: the archive does not decode to its text");
    return 0;
}

static bool want_none(void *context, const struct pgn_game *game)
{
    (void)context;
    (void)game;
    return false;
}

/* Reads all games of bytes in memory and sums what scan sums. */
static int run_reader(struct bench *bench, const struct buffer *bytes,
                      const struct pgn_visitor *visitor, struct error *err)
{
    const struct pgn_options options = {.variants = ALL_STARTS, .skip_scores = true};
    struct bench_scan *result = bench->result;
    const struct pgn_game *game;
    struct reader *reader = NULL;
    struct pgn *pgn = NULL;
    int status = -1;
    if (reader_open_memory(bytes->data, bytes->length, &reader, err) < 0 ||
        pgn_new(reader, &options, visitor, &pgn, err) < 0)
        goto out;
    result->games = result->plies = result->hash = 0;
    while ((status = pgn_next(pgn, &game, err)) > 0) {
        result->games++;
        if (!game->reject) {
            result->plies += game->plies;
            result->hash += game->hash;
        }
    }
out:
    pgn_free(pgn);
    reader_close(reader);
    return status;
}

static int run_row(struct bench *bench, enum bench_scan_row row, struct error *err)
{
    static const struct pgn_visitor none = {.want = want_none};
    switch (row) {
    case BENCH_ZSTD:
        return run_zstd(bench, err);
    case BENCH_SKIP:
        return run_reader(bench, &bench->text, &none, err);
    case BENCH_TEXT:
        return run_reader(bench, &bench->text, NULL, err);
    default:
        return run_reader(bench, &bench->archive, NULL, err);
    }
}

static int run_all(struct bench *bench, unsigned runs, struct error *err)
{
    double *times = fault_malloc((size_t)BENCH_SCAN_ROWS * runs * sizeof *times);
    int status = times ? 0 : error_memory(err);
    for (unsigned run = 0; run < runs && status == 0; run++) {
        for (int row = 0; row < BENCH_SCAN_ROWS && status == 0; row++) {
            double begun = processor_ns();
            status = run_row(bench, (enum bench_scan_row)row, err);
            times[(size_t)row * runs + run] = processor_ns() - begun;
        }
    }
    for (size_t row = 0; row < BENCH_SCAN_ROWS && status == 0; row++)
        bench->result->rows[row] = bench_spread_of(times + row * runs, runs);
    free(times);
    return status;
}

static int prepare(struct bench *bench, const char *path, struct error *err)
{
    bench->decoder = ZSTD_createDCtx();
    bench->sink = fault_malloc(ZSTD_DStreamOutSize());
    if (!bench->decoder || !bench->sink)
        return error_memory(err);
    ZSTD_DCtx_setParameter(bench->decoder, ZSTD_d_windowLogMax, WINDOW_LOG);
    if (load_text(path, &bench->text, err) < 0 || load_archive(bench, path, err) < 0)
        return -1;
    bench->result->text_bytes = bench->text.length;
    bench->result->archive_bytes = bench->archive.length;
    /* The first run warms memory up, and shows whether there is anything to divide by. */
    if (run_row(bench, BENCH_TEXT, err) < 0)
        return -1;
    if (bench->result->plies == 0)
        return error_set(err, ERROR_FAILED, "%s: no half-move that can be read", path);
    return 0;
}

const char *bench_scan_name(enum bench_scan_row row)
{
    static const char *const names[BENCH_SCAN_ROWS] = {"zstd", "skip", "text", "archive"};
    return names[row];
}

int bench_scan_run(const char *path, unsigned runs, struct bench_scan *result, struct error *err)
{
    struct bench bench = {.result = result};
    memset(result, 0, sizeof *result);
    buffer_init(&bench.text, FILE_MAX);
    buffer_init(&bench.archive, FILE_MAX);
    int status = prepare(&bench, path, err);
    if (status == 0)
        status = run_all(&bench, runs, err);
    ZSTD_freeDCtx(bench.decoder);
    free(bench.sink);
    buffer_free(&bench.text);
    buffer_free(&bench.archive);
    return status;
}
