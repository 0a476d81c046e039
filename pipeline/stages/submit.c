/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/submit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/io/file.h"
#include "labeler/store.h"
#include "pipeline/stages/labelshard.h"
#include "pipeline/stages/submit_internal.h"

#define ANSWER_MAX 4096
#define ARGV_MAX   256

extern char **environ;

int submit_missing(const struct build *build, unsigned **out, size_t *count, struct error *err)
{
    unsigned *shards = calloc(build->shards, sizeof *shards);
    if (!shards)
        return error_memory(err);
    *count = 0;
    for (unsigned shard = 0; shard < build->shards; shard++) {
        char *path = build_labels_path(build, shard, err);
        if (!path) {
            free(shards);
            return -1;
        }
        if (!file_exists(path))
            shards[(*count)++] = shard;
        free(path);
    }
    *out = shards;
    return 0;
}

/* Reads all that a child writes; what does not fit is thrown away. */
static void read_answer(int fd, char *answer, size_t size)
{
    char rest[256];
    size_t length = 0;
    ssize_t got;
    while ((got = read(fd, length + 1 < size ? answer + length : rest,
                       length + 1 < size ? size - length - 1 : sizeof rest)) != 0) {
        if (got < 0 && errno != EINTR)
            break;
        if (got > 0 && length + 1 < size)
            length += (size_t)got;
    }
    answer[length] = '\0';
}

int submit_ask(const char *const *argv, char *answer, size_t size, struct error *err)
{
    posix_spawn_file_actions_t actions;
    int ends[2], status = 0;
    pid_t child;
    if (pipe(ends) != 0)
        return error_system(err, errno, "pipe");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    if (!err)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int code =
        posix_spawnp(&child, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (code == 0)
        read_answer(ends[0], answer, size);
    close(ends[0]);
    if (code != 0)
        return error_system(err, code, "%s", argv[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return error_set(err, ERROR_FAILED, "%s failed; what it said stands above", argv[0]);
}

/* sbatch --parsable says "ID" or "ID;CLUSTER". */
static int sbatch(const struct submit_options *options, const char *script, const char *after,
                  char id[SUBMIT_ID_SIZE], struct error *err)
{
    const char *argv[ARGV_MAX] = {"sbatch", "--parsable"};
    char answer[ANSWER_MAX], dependency[SUBMIT_ID_SIZE + 32];
    int argc = 2;
    if (options->extra_count + 8 > ARGV_MAX)
        return error_set(err, ERROR_USAGE, "more than %d options for sbatch", ARGV_MAX - 8);
    if (after) {
        (void)snprintf(dependency, sizeof dependency, "--dependency=afterok:%s", after);
        argv[argc++] = dependency;
        argv[argc++] = "--kill-on-invalid-dep=yes";
    }
    for (int i = 0; i < options->extra_count; i++)
        argv[argc++] = options->extra[i];
    argv[argc++] = script;
    argv[argc] = NULL;
    if (submit_ask(argv, answer, sizeof answer, err) < 0)
        return -1;
    size_t digits = strspn(answer, "0123456789");
    if (digits == 0 || digits >= SUBMIT_ID_SIZE)
        return error_set(err, ERROR_FAILED, "sbatch says no job id: %.100s", answer);
    (void)snprintf(id, SUBMIT_ID_SIZE, "%.*s", (int)digits, answer);
    return 0;
}

static int write_script(const struct build *build, const char *name, const struct buffer *text,
                        char **path, struct error *err)
{
    *path = build_path(build, err, SUBMIT_FOLDER "/%s", name);
    return *path ? file_write_all(*path, text->data, text->length, err) : -1;
}

static int submit_label(const struct build *build, const struct submit_options *options,
                        char id[SUBMIT_ID_SIZE], struct error *err)
{
    struct buffer text;
    unsigned *shards = NULL;
    size_t count;
    char *path = NULL;
    buffer_init(&text, SUBMIT_SCRIPT_MAX);
    int status = submit_missing(build, &shards, &count, err);
    id[0] = '\0';
    if (status == 0 && count > 0) {
        status = submit_label_script(build, options, shards, count, &text, err);
        if (status == 0)
            status = write_script(build, "label.sh", &text, &path, err);
        if (status == 0)
            status = sbatch(options, path, NULL, id, err);
    }
    free(path);
    free(shards);
    buffer_free(&text);
    return status;
}

static int submit_finish(const struct build *build, const struct submit_options *options,
                         const char *after, char id[SUBMIT_ID_SIZE], struct error *err)
{
    struct buffer text;
    char *path = NULL;
    buffer_init(&text, SUBMIT_SCRIPT_MAX);
    int status = submit_finish_script(build, options, &text, err);
    if (status == 0)
        status = write_script(build, "finish.sh", &text, &path, err);
    if (status == 0)
        status = sbatch(options, path, after, id, err);
    free(path);
    buffer_free(&text);
    return status;
}

static int note_jobs(const struct build *build, const char *label, const char *finish,
                     struct error *err)
{
    struct buffer text;
    buffer_init(&text, ANSWER_MAX);
    char *path = build_path(build, err, SUBMIT_FOLDER "/jobs");
    int status = path ? 0 : -1;
    if (status == 0 && *label)
        status = buffer_printf(&text, err, "label %s\n", label);
    if (status == 0 && *finish)
        status = buffer_printf(&text, err, "finish %s\n", finish);
    if (status == 0)
        status = file_write_all(path, text.data, text.length, err);
    buffer_free(&text);
    free(path);
    return status;
}

int submit_run(const struct build *build, const struct submit_options *options, FILE *out,
               struct error *err)
{
    char label[SUBMIT_ID_SIZE], finish[SUBMIT_ID_SIZE] = "";
    char *folder = build_path(build, err, SUBMIT_FOLDER);
    int status = folder ? file_make_directory(folder, err) : -1;
    free(folder);
    if (status < 0 || submit_label(build, options, label, err) < 0)
        return -1;
    if (*label)
        fprintf(out, "label %s\n", label);
    status = submit_finish(build, options, *label ? label : NULL, finish, err);
    if (status == 0)
        fprintf(out, "finish %s\n", finish);
    /* The array runs, whatever became of the other job. */
    return note_jobs(build, label, finish, status == 0 ? err : NULL) < 0 ? -1 : status;
}

/* The number of labels in a checkpoint; -1 when it is none that can be read. */
static int64_t count_checkpoint(const char *path)
{
    struct store_labels *labels = NULL;
    struct label label;
    int64_t sample, count = 0;
    int status = store_labels_open(path, &labels, NULL);
    while (status == 0 && (status = store_labels_next(labels, &sample, &label, NULL, NULL)) == 1) {
        count++;
        status = 0;
    }
    store_labels_close(labels);
    return status < 0 ? -1 : count;
}

static int write_checkpoint(const struct build *build, unsigned shard, FILE *out, struct error *err)
{
    char *path = build_path(build, err, "shards/%04u.labels.db" LABELSHARD_CHECKPOINT, shard);
    if (!path)
        return -1;
    int64_t count = file_exists(path) ? count_checkpoint(path) : -1;
    if (count >= 0)
        fprintf(out, "  shard %u: %" PRId64 " labels in its checkpoint\n", shard, count);
    free(path);
    return 0;
}

/* Lines of squeue, as they are. */
static void write_queue(const char *id, const char *what, FILE *out)
{
    char answer[ANSWER_MAX];
    const char *const argv[] = {"squeue", "--noheader", "--format=  %i %T %N %r",
                                "--jobs", id,           NULL};
    fprintf(out, "slurm: %s job %s\n", what, id);
    if (submit_ask(argv, answer, sizeof answer, NULL) < 0)
        fprintf(out, "  squeue knows nothing of it\n");
    else
        fprintf(out, "%s", *answer ? answer : "  no longer in the queue\n");
}

static int write_jobs(const struct build *build, FILE *out, struct error *err)
{
    struct buffer text;
    buffer_init(&text, ANSWER_MAX);
    char *path = build_path(build, err, SUBMIT_FOLDER "/jobs");
    int status = path && file_exists(path) ? file_read_all(path, &text, err) : (path ? 0 : -1);
    if (status == 0)
        status = buffer_append(&text, "", 1, err);
    char *rest = NULL;
    for (char *line = status == 0 ? strtok_r(text.data, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *id = strchr(line, ' ');
        if (!id)
            continue;
        *id++ = '\0';
        write_queue(id, line, out);
    }
    buffer_free(&text);
    free(path);
    return status;
}

int submit_write_state(const struct build *build, FILE *out, struct error *err)
{
    unsigned *shards = NULL;
    size_t count = 0;
    int status = submit_missing(build, &shards, &count, err);
    if (status == 0 && count > 0 && count < build->shards)
        fprintf(out, "shards: %zu of %u have their labels\n", build->shards - count, build->shards);
    for (size_t i = 0; i < count && status == 0; i++)
        status = write_checkpoint(build, shards[i], out, err);
    free(shards);
    (void)fflush(out);
    return status == 0 ? write_jobs(build, out, err) : -1;
}
