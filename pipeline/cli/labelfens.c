/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/labelfens.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/chess/fen.h"
#include "formats/chess/movegen.h"
#include "formats/chess/ucimove.h"
#include "formats/io/reader.h"
#include "labeler/text.h"
#include "pipeline/cli/fenline.h"
#include "pipeline/report/plural.h"
#include "pipeline/report/progress.h"
#include "pipeline/report/terminal.h"
#include "pipeline/stages/label.h"
#include "pipeline/stages/stop.h"

#define CHUNK_SIZE        65536
#define CHESS960_VARIANTS "standard,from-position,chess960"
#define SCORE_WIDTH       24
#define ROW_SIZE          (FEN_MAX + 8 * SCORE_WIDTH)
/* Lists know no splits; train_nodes is for the training split alone. */
#define LIST_SPLIT 1

/* A line on its way. */
struct entry {
    struct position position; /* as it was read */
    char *row;                /* NULL until it is known */
};

struct list {
    const struct settings *settings;
    struct pool_client client;
    struct reader *reader;
    int wait_fd; /* stdin where it is a pipe, to be asked before reading; else -1 */
    bool more;   /* the reader may hold bytes already: no need to ask */
    char chunk[CHUNK_SIZE];
    size_t at, end; /* of chunk */
    char line[LABELFENS_LINE_MAX + 1];
    size_t length;
    bool too_long, ended;
    struct entry *entries;        /* ring: line n at n % LABELFENS_WINDOW */
    uint64_t taken, written;      /* lines */
    uint64_t labeled, unusable;   /* lines */
    uint64_t dropped, drop_lines; /* castling letters, lines with such */
    bool king_takes_rook;
    struct progress progress;
};

enum line_status { LINE_ERROR = -1, LINE_END, LINE_READ, LINE_LATER };

/* More bytes into the empty chunk. */
static enum line_status fill_chunk(struct list *list, struct error *err)
{
    struct pollfd ask = {.fd = list->wait_fd, .events = POLLIN};
    if (list->wait_fd >= 0 && !list->more && poll(&ask, 1, 0) == 0)
        return LINE_LATER;
    ssize_t got = reader_read(list->reader, list->chunk, sizeof list->chunk, err);
    if (got < 0)
        return LINE_ERROR;
    list->at = 0;
    list->end = (size_t)got;
    list->more = (size_t)got == sizeof list->chunk;
    list->ended = got == 0;
    return got == 0 ? LINE_END : LINE_READ;
}

/* What of the chunk belongs to the line; true at its end. */
static bool take_bytes(struct list *list)
{
    const char *start = list->chunk + list->at;
    size_t left = list->end - list->at;
    const char *feed = memchr(start, '\n', left);
    size_t size = feed ? (size_t)(feed - start) : left;
    if (size > LABELFENS_LINE_MAX - list->length) {
        list->too_long = true;
        size = LABELFENS_LINE_MAX - list->length;
    }
    memcpy(list->line + list->length, start, size);
    list->length += size;
    list->at = feed ? (size_t)(feed - list->chunk) + 1 : list->end;
    return feed != NULL;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Without blanks at its end and start, and without a byte order mark. */
static void trim(struct list *list)
{
    size_t start = 0;
    if (list->length >= 3 && memcmp(list->line, "\xef\xbb\xbf", 3) == 0)
        start = 3;
    while (list->length > start && is_space(list->line[list->length - 1]))
        list->length--;
    while (start < list->length && is_space(list->line[start]))
        start++;
    list->length -= start;
    memmove(list->line, list->line + start, list->length);
}

/* The next line that is not blank. */
static enum line_status next_line(struct list *list, struct error *err)
{
    for (;;) {
        bool whole = list->at < list->end && take_bytes(list);
        if (!whole && !list->ended) {
            enum line_status status = fill_chunk(list, err);
            if (status == LINE_LATER || status == LINE_ERROR)
                return status;
            continue;
        }
        trim(list);
        bool any = list->length > 0 || list->too_long;
        if (any || !whole)
            return any ? LINE_READ : LINE_END;
    }
}

static struct entry *entry_of(struct list *list, uint64_t line)
{
    return &list->entries[line % LABELFENS_WINDOW];
}

static void write_ready(struct list *list)
{
    while (list->written < list->taken) {
        struct entry *entry = entry_of(list, list->written);
        if (!entry->row)
            break;
        puts(entry->row);
        free(entry->row);
        entry->row = NULL;
        list->written++;
    }
}

static int check_output(struct error *err)
{
    return fflush(stdout) != 0 || ferror(stdout)
               ? error_set(err, ERROR_FAILED, "standard output cannot be written")
               : 0;
}

/* Takes the row of a line, which leaves once all lines before it have left. */
static int settle(struct list *list, struct entry *entry, const char *row, struct error *err)
{
    entry->row = strdup(row);
    if (!entry->row)
        return error_memory(err);
    write_ready(list);
    return 0;
}

/* The row of a line without a label. text: the position as it was given. */
static int refuse(struct list *list, struct entry *entry, const char *text, const char *reason,
                  struct error *err)
{
    char row[LABELFENS_LINE_MAX + 2 * FEN_MAX + 256];
    (void)snprintf(row, sizeof row, "%s\t%s\t-\t-\t-\t-\t-\t-", text, reason);
    list->unusable++;
    return settle(list, entry, row, err);
}

static void format_score(const struct score *score, char out[SCORE_WIDTH])
{
    if (score->kind == SCORE_NONE)
        memcpy(out, "-", 2);
    else
        (void)snprintf(out, SCORE_WIDTH, "%s %" PRId32, score->kind == SCORE_CP ? "cp" : "mate",
                       score->value);
}

static void format_row(const struct list *list, const char *fen, const struct label *label,
                       char out[ROW_SIZE])
{
    static const char *const bounds[] = {"exact", "lower", "upper"};
    char final[SCORE_WIDTH], exact[SCORE_WIDTH], depth[SCORE_WIDTH] = "-", move[UCIMOVE_MAX];
    format_score(&label->final, final);
    format_score(&label->exact, exact);
    if (label->exact.kind != SCORE_NONE)
        (void)snprintf(depth, sizeof depth, "%u", label->exact_depth);
    ucimove_format(label->best_move, list->king_takes_rook, move);
    (void)snprintf(out, ROW_SIZE, "%s\t%s\t%s\t%s\t%s\t%s\t%u\t%" PRIu64, fen, final,
                   bounds[label->bound], exact, depth, move, label->depth, label->nodes);
}

/* The line at hand: 1 when it became a job, 0 when its row is known already, -1. */
static int take_line(struct list *list, struct pool_job *job, struct error *err)
{
    struct entry *entry = entry_of(list, list->taken);
    unsigned dropped = 0;
    const char *reason = list->too_long
                             ? "line too long"
                             : fenline_parse(list->line, list->length, &entry->position, &dropped);
    char text[LABELFENS_LINE_MAX + 1];
    uint64_t tag = list->taken++;
    if (reason) {
        list->line[list->length] = 0;
        text_copy_printable(text, sizeof text, list->line);
    } else {
        fen_format(&entry->position, FEN_XFEN, text);
        list->dropped += dropped;
        list->drop_lines += dropped > 0;
        if (!movegen_has_legal(&entry->position))
            reason = position_checkers(&entry->position) ? "no legal move (checkmate)"
                                                         : "no legal move (stalemate)";
    }
    list->length = 0;
    list->too_long = false;
    if (reason)
        return refuse(list, entry, text, reason, err);
    label_job(list->settings, &entry->position, LIST_SPLIT, tag, job);
    return 1;
}

static int next_job(void *context, struct pool_job *job, struct error *err)
{
    struct list *list = context;
    int status = 0;
    list->client.wake_fd = 0;
    while (status == 0) {
        if (list->taken - list->written == LABELFENS_WINDOW)
            return POOL_LATER;
        switch (next_line(list, err)) {
        case LINE_ERROR:
            return -1;
        case LINE_END:
            return 0;
        case LINE_LATER:
            list->client.wake_fd = list->wait_fd;
            return check_output(err) < 0 ? -1 : POOL_LATER;
        case LINE_READ:
            status = take_line(list, job, err);
            break;
        }
    }
    return status;
}

static int take_label(void *context, const struct pool_job *job, const struct label *label,
                      const char *reason, struct error *err)
{
    struct list *list = context;
    struct entry *entry = entry_of(list, job->tag);
    char fen[FEN_MAX], row[ROW_SIZE];
    fen_format(&entry->position, FEN_XFEN, fen);
    if (label->status != LABEL_OK)
        return refuse(list, entry, fen, reason, err);
    list->labeled++;
    format_row(list, fen, label, row);
    if (settle(list, entry, row, err) < 0)
        return -1;
    return list->wait_fd >= 0 && list->at == list->end ? check_output(err) : 0;
}

static void tick(void *context)
{
    struct list *list = context;
    (void)fflush(stdout);
    progress_update(&list->progress, list->written);
}

static int open_input(struct list *list, const char *path, struct error *err)
{
    if (reader_open(path, false, &list->reader, err) < 0)
        return -1;
    if (strcmp(path, "-") == 0 && reader_file_size(list->reader) == 0)
        list->wait_fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    list->more = true; /* opening has read the first bytes to see what they are */
    return 0;
}

static void print_summary(const struct list *list, bool quiet)
{
    if (list->dropped > 0)
        fprintf(stderr,
                "%s castling letters without king or rook in place were dropped, in %s lines\n",
                TERMINAL_NUMBER(list->dropped), TERMINAL_NUMBER(list->drop_lines));
    if (!quiet)
        fprintf(stderr, "%s %s labeled, %s not\n", TERMINAL_NUMBER(list->labeled),
                plural(list->labeled, "position", "positions"), TERMINAL_NUMBER(list->unusable));
}

static int run_pool(struct list *list, const struct engine_config *config, struct error *err)
{
    const volatile sig_atomic_t *stop = stop_install();
    struct pool *pool = NULL;
    if (pool_open(config, label_workers(list->settings), &pool, err) < 0)
        return -1;
    list->king_takes_rook = config->chess960;
    int status = pool_run(pool, &list->client, stop, err);
    pool_close(pool);
    return status;
}

static void list_free(struct list *list)
{
    if (!list)
        return;
    for (size_t i = 0; list->entries && i < LABELFENS_WINDOW; i++)
        free(list->entries[i].row);
    if (list->wait_fd >= 0)
        close(list->wait_fd);
    reader_close(list->reader);
    free(list->entries);
    free(list);
}

static int finish(struct list *list, bool quiet, int status, struct error *err)
{
    progress_end(&list->progress, list->written);
    print_summary(list, quiet);
    if (status < 0)
        return -1;
    if (list->unusable > 0)
        return error_set(err, ERROR_FAILED, "%" PRIu64 " of %" PRIu64 " lines got no label",
                         list->unusable, list->taken);
    return 0;
}

int labelfens_run(struct invocation *invocation, const char *path, struct error *err)
{
    struct engine_config config = {0};
    struct list *list = calloc(1, sizeof *list);
    int status = -1;
    if (!list)
        return error_memory(err);
    list->wait_fd = -1;
    list->settings = invocation->settings;
    list->client =
        (struct pool_client){.context = list, .next = next_job, .done = take_label, .tick = tick};
    if (invocation_has(invocation, "chess960") &&
        settings_set(invocation->settings, "input.variants", CHESS960_VARIANTS, "command line",
                     err) < 0)
        goto out;
    list->entries = calloc(LABELFENS_WINDOW, sizeof *list->entries);
    if (!list->entries)
        error_memory(err);
    else if (open_input(list, path, err) == 0 &&
             label_config_from(list->settings, &config, err) == 0) {
        progress_start(&list->progress, "positions", 0, 0, invocation->quiet);
        status = run_pool(list, &config, err);
        struct error output = {0};
        if (check_output(&output) < 0 && status == 0) {
            *err = output;
            status = -1;
        }
        status = finish(list, invocation->quiet, status, err);
    }
out:
    label_config_free(&config);
    list_free(list);
    return status;
}
