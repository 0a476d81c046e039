/* SPDX-License-Identifier: MIT */
/*
 * Finding an engine and taking its fingerprint.
 */
#include "labeler/fingerprint.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "formats/io/buffer.h"
#include "formats/io/file.h"
#include "labeler/command.h"
#include "labeler/engine.h"
#include "labeler/pool.h"
#include "labeler/signature_positions.h"

#define FILES_MAX       32 /* files named by command line and options */
#define WASM_PARTS_MAX  32
#define SIGNATURE_MAX   16384 /* bytes of the text that is hashed */
#define SIGNATURE_TITLE "plymill signature 1\n"
#define GAMES_FOLDER    "/usr/games/" /* Debian's place for them, which root has not in PATH */
#define DEBIAN_ENGINE   GAMES_FOLDER "stockfish"

/* A bare name that PATH does not know but the games folder does is taken from there. */
static char *complete(const char *command, struct error *err)
{
    size_t length = strcspn(command, " \t");
    if (length == 0 || strcspn(command, "/'\"") < length) {
        return file_name_format(err, "%s", command);
    }
    char *name = file_name_format(err, "%.*s", (int)length, command);
    char *games = file_name_format(err, GAMES_FOLDER "%.*s", (int)length, command);
    char *completed = NULL;
    if (name != NULL && games != NULL) {
        char *in_path = command_find_program(name, NULL);
        char *in_games = in_path == NULL ? command_find_program(games, NULL) : NULL;
        completed = file_name_format(err, "%s%s", in_games != NULL ? GAMES_FOLDER : "", command);
        free(in_path);
        free(in_games);
    }
    free(name);
    free(games);
    return completed;
}

char *engine_find(const char *given, struct error *err)
{
    const char *environment = getenv("PLYMILL_ENGINE");
    char *found;
    if (given != NULL && *given != 0) {
        return complete(given, err);
    }
    if (environment != NULL && *environment != 0) {
        return complete(environment, err);
    }
    if ((found = command_find_program("stockfish", NULL)) != NULL) {
        free(found);
        return file_name_format(err, "stockfish");
    }
    if ((found = command_find_program(DEBIAN_ENGINE, NULL)) != NULL) {
        return found;
    }
    error_set(err, ERROR_FAILED,
              "no engine found in the recipe, $PLYMILL_ENGINE, PATH and " DEBIAN_ENGINE
              ": apt-get install stockfish, or name one with --engine");
    return NULL;
}

int engine_is_there(const char *command, struct error *err)
{
    struct command parsed = {0};
    int status = command_parse(command, &parsed, err);
    if (status == 0) {
        command_free(&parsed);
    }
    return status;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool is_file(const char *path)
{
    return path != NULL && *path != 0 && file_exists(path) && !file_is_directory(path);
}

/* "basename sha256" of files, each a string of its own. */
struct file_list {
    char *entries[FILES_MAX];
    size_t count;
};

static void files_free(struct file_list *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->entries[i]);
    }
}

static int files_add(struct file_list *files, const char *path, struct error *err)
{
    char hex[DIGEST_HEX_SIZE];
    if (!is_file(path)) {
        return 0;
    }
    if (files->count == FILES_MAX) {
        return error_set(err, ERROR_FAILED, "the engine's command and options name over %d files",
                         FILES_MAX);
    }
    if (digest_file(path, hex, NULL, err) != 0) {
        return -1;
    }
    char *entry = file_name_format(err, "%s %s", base_name(path), hex);
    if (entry == NULL) {
        return -1;
    }
    files->entries[files->count++] = entry;
    return 0;
}

static int files_add_format(struct file_list *files, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int files_add_format(struct file_list *files, struct error *err, const char *format, ...)
{
    char path[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    return length < 0 || (size_t)length >= sizeof path ? 0 : files_add(files, path, err);
}

/* A script's engine proper lies in a .wasm beside it, in one piece or several. */
static int files_add_wasm(struct file_list *files, const char *script, struct error *err)
{
    size_t length = strlen(script);
    if (length < 3 || strcmp(script + length - 3, ".js") != 0) {
        return 0;
    }
    int stem = (int)length - 3;
    if (files_add_format(files, err, "%.*s.wasm", stem, script) != 0) {
        return -1;
    }
    for (int part = 0; part < WASM_PARTS_MAX; part++) {
        if (files_add_format(files, err, "%.*s-part-%d.wasm", stem, script, part) != 0) {
            return -1;
        }
    }
    return 0;
}

/* The program, and of its arguments those that are files, also behind a '='. */
static int files_add_command(struct file_list *files, const struct command *command,
                             struct error *err)
{
    if (files_add(files, command->program, err) != 0) {
        return -1;
    }
    for (size_t i = 1; i < command->argc; i++) {
        const char *argument = command->argv[i];
        const char *equals = strchr(argument, '=');
        const char *path = !is_file(argument) && equals != NULL ? equals + 1 : argument;
        if (files_add(files, path, err) != 0 || files_add_wasm(files, path, err) != 0) {
            return -1;
        }
    }
    return 0;
}

/* The value of a string option, which may name a file or a folder; NULL for any other option. */
static const char *string_value(const struct engine *engine, const struct engine_option *option)
{
    const struct uci_option *listed = uci_options_find(engine_listed(engine), option->name);
    bool is_string = listed != NULL && listed->type == UCI_STRING;
    return is_string && option->value != NULL && *option->value != 0 ? option->value : NULL;
}

/* An engine looks for a net in the working folder and beside itself. */
static int files_add_option(struct file_list *files, const struct command *command,
                            const char *value, struct error *err)
{
    if (is_file(value) || strchr(value, '/') != NULL) {
        return files_add(files, value, err);
    }
    int folder = (int)(base_name(command->program) - command->program);
    return files_add_format(files, err, "%.*s%s", folder, command->program, value);
}

static int entry_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted, each once, joined by ';'. */
static int files_write(struct file_list *files, char out[FINGERPRINT_TEXT_MAX], struct error *err)
{
    size_t used = 0;
    qsort(files->entries, files->count, sizeof *files->entries, entry_compare);
    out[0] = 0;
    for (size_t i = 0; i < files->count; i++) {
        if (i > 0 && strcmp(files->entries[i], files->entries[i - 1]) == 0) {
            continue;
        }
        int length = snprintf(out + used, FINGERPRINT_TEXT_MAX - used, "%s%s", used > 0 ? ";" : "",
                              files->entries[i]);
        used += (size_t)length;
        if (used >= FINGERPRINT_TEXT_MAX) {
            return error_set(err, ERROR_FAILED, "the names of the engine's files are too long");
        }
    }
    return 0;
}

static int take_files(const struct engine_config *config, const struct engine *engine,
                      struct fingerprint *fingerprint, struct error *err)
{
    struct file_list files = {.count = 0};
    struct command command;
    if (command_parse(config->command, &command, err) != 0) {
        return -1;
    }
    const struct setup *setup = engine_setup(engine);
    int result = files_add_command(&files, &command, err);
    for (size_t i = 0; i < setup->count && result == 0; i++) {
        const char *value = string_value(engine, &setup->items[i]);
        result = value != NULL ? files_add_option(&files, &command, value, err) : 0;
    }
    if (result == 0) {
        result = files_write(&files, fingerprint->files, err);
    }
    files_free(&files);
    command_free(&command);
    return result;
}

/* Appends text with ';' and '\' behind a '\', so that no two lists of options are written alike. */
static int append_escaped(struct buffer *out, const char *text, struct error *err)
{
    for (; *text != 0; text++) {
        if ((*text == ';' || *text == '\\') && buffer_append(out, "\\", 1, err) != 0) {
            return -1;
        }
        if (buffer_append(out, text, 1, err) != 0) {
            return -1;
        }
    }
    return 0;
}

static int refuse_folders(const struct engine *engine, const struct engine_option *option,
                          struct error *err)
{
    const char *value = string_value(engine, option);
    if (value != NULL &&
        (strcasecmp(option->name, "SyzygyPath") == 0 || file_is_directory(value))) {
        return error_set(err, ERROR_FAILED,
                         "option \"%s\" = %s is refused: what lies in folders changes labels and "
                         "is not part of the engine's fingerprint",
                         option->name, value);
    }
    return 0;
}

static int append_option(struct buffer *out, const struct engine *engine,
                         const struct engine_option *option, struct error *err)
{
    if ((out->length > 0 && buffer_append(out, ";", 1, err) != 0) ||
        append_escaped(out, option->name, err) != 0) {
        return -1;
    }
    if (option->value == NULL) {
        return 0;
    }
    if (buffer_append(out, "=", 1, err) != 0) {
        return -1;
    }
    bool file = is_file(string_value(engine, option));
    return append_escaped(out, file ? base_name(option->value) : option->value, err);
}

static int take_options(const struct engine *engine, struct fingerprint *fingerprint,
                        struct error *err)
{
    struct buffer text;
    const struct setup *setup = engine_setup(engine);
    buffer_init(&text, FINGERPRINT_TEXT_MAX - 1);
    int result = 0;
    for (size_t i = 0; i < setup->count && result == 0; i++) {
        result = refuse_folders(engine, &setup->items[i], err);
        if (result == 0) {
            result = append_option(&text, engine, &setup->items[i], err);
        }
    }
    if (result == 0) {
        snprintf(fingerprint->options, sizeof fingerprint->options, "%s",
                 text.length > 0 ? text.data : "");
    }
    buffer_free(&text);
    return result;
}

static void take_net(const struct engine *engine, struct fingerprint *fingerprint)
{
    const struct uci_option *listed = uci_options_find(engine_listed(engine), "EvalFile");
    const struct setup *setup = engine_setup(engine);
    const char *net = listed != NULL ? listed->default_value : "";
    for (size_t i = 0; i < setup->count; i++) {
        if (strcasecmp(setup->items[i].name, "EvalFile") == 0 && setup->items[i].value != NULL) {
            net = setup->items[i].value;
        }
    }
    snprintf(fingerprint->net, sizeof fingerprint->net, "%s", base_name(net));
}

struct signature_run {
    unsigned next;
    struct label labels[SIGNATURE_POSITIONS];
};

static int signature_next(void *context, struct pool_job *job, struct error *err)
{
    struct signature_run *run = context;
    if (run->next == SIGNATURE_POSITIONS) {
        return 0;
    }
    const char *fen = signature_positions[run->next];
    memset(job, 0, sizeof *job);
    enum fen_status status =
        fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &job->position, NULL);
    if (status != FEN_OK) {
        return error_set(err, ERROR_FAILED, "%s: %s", fen, fen_status_text(status));
    }
    snprintf(job->fen, sizeof job->fen, "%s", fen);
    job->tag = run->next++;
    job->limit_kind = LIMIT_NODES;
    job->limit = SIGNATURE_NODES;
    return 1;
}

static int signature_done(void *context, const struct pool_job *job, const struct label *label,
                          const char *reason, struct error *err)
{
    struct signature_run *run = context;
    if (label->status != LABEL_OK) {
        return error_set(err, ERROR_FAILED, "the engine cannot label %s: %s", job->fen,
                         reason != NULL ? reason : "no answer");
    }
    run->labels[job->tag] = *label;
    return 0;
}

/* One line a position: every field of its label in words and decimal numbers. */
static int write_signature(const struct signature_run *run, struct buffer *text, struct error *err)
{
    if (buffer_printf(text, err, SIGNATURE_TITLE) != 0) {
        return -1;
    }
    for (size_t i = 0; i < SIGNATURE_POSITIONS; i++) {
        const struct label *label = &run->labels[i];
        if (buffer_printf(text, err,
                          "%s|final %u %" PRId32 " %u|exact %u %" PRId32 " %u|move %u|depth %u|"
                          "nodes %" PRIu64 "\n",
                          signature_positions[i], label->final.kind, label->final.value,
                          label->bound, label->exact.kind, label->exact.value, label->exact_depth,
                          label->best_move, label->depth, label->nodes) != 0) {
            return -1;
        }
    }
    return 0;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int take_signature(struct pool *pool, struct fingerprint *fingerprint, struct error *err)
{
    struct signature_run run = {.next = 0};
    const struct pool_client client = {
        .context = &run, .next = signature_next, .done = signature_done};
    struct buffer text;
    uint8_t digest[DIGEST_SIZE];
    buffer_init(&text, SIGNATURE_MAX);
    double begin = now();
    int result = pool_run(pool, &client, NULL, err);
    fingerprint->seconds = now() - begin;
    if (result == 0) {
        result = write_signature(&run, &text, err);
    }
    if (result == 0) {
        digest_bytes(text.data, text.length, digest);
        digest_to_hex(digest, DIGEST_SIZE, fingerprint->signature);
    }
    buffer_free(&text);
    return result;
}

int fingerprint_take(const struct engine_config *config, struct fingerprint *fingerprint,
                     struct error *err)
{
    struct pool *pool;
    memset(fingerprint, 0, sizeof *fingerprint);
    if (pool_open(config, 1, &pool, err) != 0) {
        return -1;
    }
    const struct engine *engine = pool_first_engine(pool);
    int result = -1;
    snprintf(fingerprint->name, sizeof fingerprint->name, "%s", engine_name(engine));
    take_net(engine, fingerprint);
    if (take_options(engine, fingerprint, err) == 0 &&
        take_files(config, engine, fingerprint, err) == 0) {
        result = take_signature(pool, fingerprint, err);
    }
    pool_close(pool);
    return result;
}

int fingerprint_compare(const struct fingerprint *have, const struct fingerprint *want,
                        struct error *err)
{
    const struct {
        const char *what, *have, *want;
    } fields[] = {
        {"name", have->name, want->name},
        {"net", have->net, want->net},
        {"options", have->options, want->options},
        {"signature", have->signature, want->signature},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strcmp(fields[i].have, fields[i].want) != 0) {
            return error_set(err, ERROR_FAILED, "the engine's %s is \"%s\", and not \"%s\"",
                             fields[i].what, fields[i].have, fields[i].want);
        }
    }
    return 0;
}
