/* SPDX-License-Identifier: MIT */
/*
 * A build directory, opened by its driver: layout, lock, settings, catalogue, and which stages are
 * done. The stages themselves (sample, label, select, export, manifest) each live in a file.
 *
 *   DIR/recipe.toml  build.db  build.lock  shards/  records/  dataset/  quarantine.tsv
 *   DIR/manifest.json  SHA256SUMS
 */
#ifndef PLYMILL_PIPELINE_STAGES_BUILD_H
#define PLYMILL_PIPELINE_STAGES_BUILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "formats/io/digest.h"
#include "formats/io/error.h"
#include "pipeline/recipe/settings.h"
#include "pipeline/stages/catalogue.h"

/* Raised whenever the bytes of a record or dataset file change for the same recipe and inputs. */
#define PLYMILL_OUTPUT_VERSION 1

#define BUILD_SPLITS 3
/* Keys of the catalogue: */
#define BUILD_INPUT_SIZE     "input.size " /* with the path behind it: bytes */
#define BUILD_SAMPLES_DIGEST "samples.digest"
/* Of files that hold paths, and so are no files of the catalogue and the build id: */
#define BUILD_QUARANTINE_DIGEST "quarantine.sha256"
#define BUILD_MANIFEST_DIGEST   "manifest.sha256"

enum build_stage { BUILD_SAMPLE, BUILD_LABEL, BUILD_SELECT, BUILD_EXPORT, BUILD_STAGES };

struct build {
    char *directory;
    char *shell_name;          /* the directory as a shell wants it: quoted where it must be */
    bool created;              /* the directory was made when it was opened */
    struct settings *settings; /* owned */
    struct catalogue *catalogue;
    int lock_fd;
    struct moved *moved; /* owned; digests of inputs that may have been moved (moved.h) */
    unsigned shards;
    bool quiet;
    double signature_seconds;          /* that the engine took for its signature; 0: not asked */
    bool yes;                          /* nobody is asked whether work of days shall begin */
    bool json;                         /* what is printed at the end is JSON */
    bool allow_mixed;                  /* labels of another engine may join those that are there */
    const volatile sig_atomic_t *stop; /* set by the first Ctrl-C; may be NULL */
};

/* "train", "validation", "test" */
extern const char *const build_split_names[BUILD_SPLITS];
/* "sample", "label", "select", "export" */
extern const char *const build_stage_names[BUILD_STAGES];

enum build_mode {
    BUILD_CREATE, /* make the directory if it is not there; settings stand for its recipe */
    BUILD_RESUME, /* it must be a build; its recipe.toml with settings given explicitly over it */
    BUILD_LOOK,   /* the same, but without a lock and without writing anything */
    BUILD_PLAN,   /* as BUILD_LOOK, with settings in place of its recipe */
    BUILD_TASK /* as BUILD_LOOK, but without the catalogue, which only drivers open: it is NULL */
};

/*
 * Opens directory and locks it: another driver on it gives ERROR_RETRY. Temporary files that a
 * killed driver left are removed. On success build owns settings; on failure the caller still does.
 */
int build_open(const char *directory, enum build_mode mode, struct settings *settings,
               struct build **build, struct error *err);
void build_close(struct build *build);
/*
 * To be called before build_close when the work failed: removes a directory that was made for it
 * and in which nothing was put yet, so that a wrong path leaves no trace.
 */
void build_discard_blank(struct build *build);
/*
 * Writes recipe.toml where it differs. Opening does that for a new build only: a recipe that is
 * refused must not replace the one that the directory was made with.
 */
int build_save_recipe(struct build *build, struct error *err);

/* "DIR/name" formatted; a fresh string or NULL with err set. */
char *build_path(const struct build *build, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
char *build_samples_path(const struct build *build, unsigned shard, struct error *err);
char *build_labels_path(const struct build *build, unsigned shard, struct error *err);
/* Notes size and digest of a sealed shard file (BUILD_SAMPLE or BUILD_LABEL) in the catalogue. */
int build_note_shard(struct build *build, enum build_stage stage, unsigned shard, int64_t rows,
                     struct error *err);

/*
 * The key of a stage for the settings and inputs as they are now: a digest of all that its output
 * depends on. Needs the fingerprint in the catalogue from BUILD_LABEL on.
 */
int build_stage_key(struct build *build, enum build_stage stage, char key[DIGEST_HEX_SIZE],
                    struct error *err);
/* 1 when the stage is done with that key and its files are there in their sizes, 0 when not, -1. */
int build_stage_done(struct build *build, enum build_stage stage, struct error *err);
/* 0 when it is done, else an error that says which command does it. */
int build_stage_need(struct build *build, enum build_stage stage, struct error *err);
/* In a transaction of the caller: notes the stage as done with its present key. */
int build_stage_finish(struct build *build, enum build_stage stage, struct error *err);
/*
 * Forgets this stage and all behind it, in one transaction, after their files were removed and the
 * recipe that they will be made by was written.
 */
int build_stage_forget(struct build *build, enum build_stage stage, struct error *err);

/* ERROR_RETRY once *stop is set. */
int build_check_stop(const struct build *build, struct error *err);

#endif
