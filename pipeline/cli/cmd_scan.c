/* SPDX-License-Identifier: MIT */
/*
 * See cmd_scan.h. The files are read one after the other; numbers and sums run on over all of them.
 */
#include "pipeline/cli/cmd_scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "formats/chess/fen.h"
#include "formats/io/buffer.h"
#include "formats/io/cores.h"
#include "formats/io/reader.h"
#include "formats/io/writer.h"
#include "formats/pgn_split.h"
#include "pipeline/report/progress.h"
#include "pipeline/report/progress_files.h"
#include "pipeline/stages/gamefilter.h"
#include "pipeline/stages/gamesign.h"

#define SCAN_THREADS_MAX 1024
#define SCAN_REJECTS_MAX (1u << 30) /* bytes of the rejected games of one part, which is 1 MiB */

struct scan {
    struct pgn_options options;
    struct gamefilter filter;
    unsigned threads;
    bool allow_truncated;
    bool found;                          /* at least one file holds games */
    uint64_t games, plies, hash, errors; /* over all files */
    struct writer *out;                  /* stdout */
    bool fens;                           /* what goes to it */
    struct writer *rejects;              /* NULL: not asked for */
    struct progress progress;
    struct progress_files files;
};

static int write_fen(struct scan *scan, uint64_t game, const struct position *position,
                     uint32_t ply, struct error *err)
{
    char fen[FEN_MAX];
    fen_format(position, FEN_XFEN, fen);
    return writer_printf(scan->out, err, "%" PRIu64 "\t%" PRIu32 "\t%s\n", game, ply, fen);
}

static int write_fens(struct scan *scan, const struct pgn_game *game, uint64_t number,
                      struct error *err)
{
    struct position position = game->start;
    int status = write_fen(scan, number, &position, 0, err);
    for (uint32_t ply = 1; ply <= game->plies && status == 0; ply++) {
        position_make(&position, game->moves[ply - 1], NULL);
        status = write_fen(scan, number, &position, ply, err);
    }
    return status;
}

/* A rejected game, until the games before it are counted. */
struct scan_reject {
    uint64_t number; /* within the part, from 1 */
    uint64_t offset;
    uint32_t ply;
    enum pgn_reject reason;
    char text[sizeof((struct pgn_game *)NULL)->reject_text];
};

/* What a part of a file holds. */
struct scan_part {
    bool found;   /* a game that is one beyond doubt (gamesign.h) */
    bool refused; /* the game at hand, by its tags */
    uint64_t games, plies, hash, errors;
    struct buffer rejects; /* struct scan_reject, where they are asked for */
};

/* One file on its way. */
struct scan_file {
    struct scan *scan;
    const char *path;
    bool found;
    uint64_t taken; /* bytes of it */
};

static int keep_reject(struct scan_part *part, uint64_t base, const struct pgn_game *game,
                       struct error *err)
{
    struct scan_reject reject = {part->games, base + game->reject_offset, game->reject_ply,
                                 game->reject, ""};
    memcpy(reject.text, game->reject_text, sizeof reject.text);
    if (part->rejects.limit == 0)
        buffer_init(&part->rejects, SCAN_REJECTS_MAX);
    return buffer_append(&part->rejects, &reject, sizeof reject, err);
}

static int add_game(void *context, void *result, uint64_t base, const struct pgn_game *game,
                    struct error *err)
{
    struct scan *scan = ((struct scan_file *)context)->scan;
    struct scan_part *part = result;
    bool refused = part->refused;
    part->games++;
    part->refused = false; /* until want_game is asked, which it is not of all games */
    part->found = part->found || gamesign_in(game);
    if (refused)
        return 0;
    if (game->reject) {
        part->errors++;
        return scan->rejects ? keep_reject(part, base, game, err) : 0;
    }
    part->plies += game->plies;
    part->hash += game->hash;
    /* One thread then: scan->games are those before this part. */
    return scan->fens ? write_fens(scan, game, scan->games + part->games, err) : 0;
}

/* Decided by the tags: the moves of other games are not read, but of what may be no game. */
static bool want_game(void *context, void *result, const struct pgn_game *game)
{
    const struct scan_file *file = context;
    struct scan_part *part = result;
    part->refused = gamefilter_judge(&file->scan->filter, game) != REFUSAL_NONE;
    return !part->refused || !gamesign_in_tags(game);
}

static int write_rejects(const struct scan_file *file, const struct scan_part *part,
                         struct error *err)
{
    const struct scan *scan = file->scan;
    struct scan_reject reject;
    for (size_t at = 0; at < part->rejects.length; at += sizeof reject) {
        memcpy(&reject, part->rejects.data + at, sizeof reject);
        if (writer_printf(scan->rejects, err, "%s\t%" PRIu64 "\t%" PRIu64 "\t%s\t%" PRIu32 "\t%s\n",
                          file->path, scan->games + reject.number, reject.offset,
                          pgn_reject_text(reject.reason), reject.ply, reject.text) < 0)
            return -1;
    }
    return 0;
}

static void drop_part(void *context, void *result)
{
    struct scan_part *part = result;
    (void)context;
    buffer_free(&part->rejects);
    *part = (struct scan_part){.found = false};
}

static int merge_part(void *context, void *result, struct error *err)
{
    struct scan_file *file = context;
    struct scan_part *part = result;
    int status = write_rejects(file, part, err);
    file->found = file->found || part->found;
    file->scan->games += part->games;
    file->scan->plies += part->plies;
    file->scan->hash += part->hash;
    file->scan->errors += part->errors;
    drop_part(context, part);
    progress_update_part(&file->scan->progress, file->scan->games,
                         progress_files_at(&file->scan->files, file->taken));
    return status;
}

static int no_game(const char *path, struct reader *reader, struct error *err)
{
    gamesign_missing(reader_position(reader) == 0, err);
    return error_prefix(err, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
}

static int scan_file(struct scan *scan, const char *path, struct error *err)
{
    struct scan_file file = {.scan = scan, .path = path};
    struct pgn_split_options options = {.pgn = scan->options,
                                        .threads = scan->fens ? 1 : scan->threads,
                                        .result_size = sizeof(struct scan_part),
                                        .taken = &file.taken};
    struct pgn_split_visitor visitor = {&file, want_game, add_game, merge_part, drop_part};
    struct reader *reader = NULL;
    int status = -1;
    if (reader_open(path, false, &reader, err) < 0 ||
        reader_set_threads(reader, scan->threads > 2 ? scan->threads : 1, err) < 0)
        goto out;
    status = pgn_split_read(reader, &options, &visitor, err);
    scan->found = scan->found || file.found;
    if (status < 0 && scan->allow_truncated && reader_truncated(reader))
        status = 0;
    if (status == 0 && !file.found)
        status = no_game(path, reader, err);
    scan->files.before += reader_file_size(reader);
out:
    reader_close(reader);
    return status;
}

static int write_summary(const struct scan *scan, struct error *err)
{
    char line[128];
    int length =
        snprintf(line, sizeof line,
                 "games=%" PRIu64 " plies=%" PRIu64 " hash=%016" PRIx64 " errors=%" PRIu64 "\n",
                 scan->games, scan->plies, scan->hash, scan->errors);
    if (!scan->fens)
        return writer_write(scan->out, line, (size_t)length, err);
    fputs(line, stderr);
    return 0;
}

static int read_threads(struct scan *scan, const struct invocation *invocation, struct error *err)
{
    long long threads;
    if (invocation_integer(invocation, "threads", 1, SCAN_THREADS_MAX, cores_available(), &threads,
                           err) < 0)
        return -1;
    scan->threads = (unsigned)threads;
    return 0;
}

static void read_settings(struct scan *scan, const struct settings *settings)
{
    static const struct {
        const char *name;
        unsigned variant;
    } table[] = {{"standard", PGN_STANDARD},
                 {"from-position", PGN_FROM_POSITION},
                 {"chess960", PGN_CHESS960}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (settings_has(settings, "input.variants", table[i].name))
            scan->options.variants |= table[i].variant;
    gamefilter_from(settings, &scan->filter);
    scan->options.skip_scores = true;
    scan->allow_truncated = settings_boolean(settings, "input.allow_truncated");
}

static int open_outputs(struct scan *scan, const struct invocation *invocation, struct error *err)
{
    const char *rejects = invocation_value(invocation, "rejects");
    scan->fens = invocation_has(invocation, "fens");
    if (rejects && writer_create(rejects, false, &scan->rejects, err) < 0)
        return -1;
    return writer_create("-", false, &scan->out, err);
}

/* What was found is written even when a file could not be read to its end. */
static int close_outputs(struct scan *scan, struct error *err)
{
    int status = 0;
    if (scan->rejects)
        status = writer_commit(scan->rejects, NULL, err);
    if (status == 0 && write_summary(scan, err) == 0)
        return writer_commit(scan->out, NULL, err);
    writer_discard(scan->out);
    return -1;
}

static int scan_files(struct scan *scan, const struct invocation *invocation, struct error *err)
{
    int status = 0;
    for (int i = 0; i < invocation->argument_count; i++)
        progress_files_add(&scan->files, invocation->arguments[i]);
    /* Lines of FENs on a terminal leave no room for a line that is rewritten. */
    bool quiet = invocation->quiet || (scan->fens && isatty(STDOUT_FILENO) == 1);
    progress_start(&scan->progress, "games", 0, 0, quiet);
    progress_measure(&scan->progress, progress_files_total(&scan->files));
    for (int i = 0; i < invocation->argument_count && status == 0; i++)
        status = scan_file(scan, invocation->arguments[i], err);
    progress_end(&scan->progress, scan->games);
    return status;
}

static int run(struct invocation *invocation, struct error *err)
{
    struct scan scan = {0};
    if (settings_is_set(invocation->settings, "input.files"))
        return error_set(err, ERROR_USAGE, "scan takes its files as arguments, not as --input");
    if (settings_is_set(invocation->settings, "input.max_games") ||
        settings_real(invocation->settings, "input.fraction") < 1)
        return error_set(
            err, ERROR_USAGE,
            "scan knows no max_games and no fraction: those draw the games of a build");
    read_settings(&scan, invocation->settings);
    if (read_threads(&scan, invocation, err) < 0)
        return -1;
    if (open_outputs(&scan, invocation, err) < 0) {
        writer_discard(scan.rejects);
        return -1;
    }
    int status = scan_files(&scan, invocation, err);
    if (status < 0 && !scan.found) {
        writer_discard(scan.out);
        writer_discard(scan.rejects);
        return -1;
    }
    struct error ignored;
    return close_outputs(&scan, status < 0 ? &ignored : err) < 0 ? -1 : status;
}

const struct command command_scan = {
    .name = "scan",
    .arguments = "FILE...",
    .summary = "reads games and checks every move",
    .details =
        "Reads PGN, plain or compressed (.zst, .gz; - is stdin), and ends with one line: the games "
        "found, the half-moves of those that could be read, a hash over all their boards, and the "
        "number of games rejected. A game is read right or rejected as a whole.\n"
        "Games are numbered from 1 over all files, rejected ones too. With --fens that line goes "
        "to "
        "stderr. Exit status 0 means that all files could be read to their ends.",
    .sections = SECTION_INPUT,
    .minimum = 1,
    .maximum = -1,
    .options = {{"fens", NULL, "every position of every game read: game, ply, FEN, tab-separated"},
                {"rejects", "FILE",
                 "a line per rejected game: file, game, byte offset, reason, half-move, text"},
                {"threads", "N", "threads, decompression included; default: one per core"}},
    .examples = {"plymill scan lichess_db_standard_rated_2023-05.pgn.zst",
                 "plymill scan --rejects rejects.tsv *.pgn"},
    .run = run,
};
