/* SPDX-License-Identifier: MIT */
/*
 * The state of a training between two epochs, in a file: a training that was killed goes on from it
 * and ends with the same net as one that was not.
 *
 *   0   8  "plymchk" and a newline
 *   8  32  identity of the training: SHA-256 of options and positions
 *  40   4  epochs done, n        44   4  epoch of the lowest validation loss, 0: none
 *  48   8  steps of Adam done
 *  56   8  beta1 to that number  64   8  beta2
 *  72   4  floats of an array, f 76   4  arrays, a: 3 .. 5
 *  80 16n  losses of each epoch: train, validation
 *  .. 4af  the arrays: values, moments, average and best net where there are such
 *  ..  32  SHA-256 of all before
 *
 * Little-endian; losses and powers are doubles, the arrays floats.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_CHECKPOINT_H
#define PLYMILL_NNUE_TOOLS_TRAIN_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/io/digest.h"
#include "formats/io/error.h"

#define TRAIN_CHECKPOINT_ARRAYS_MAX 5

struct train_losses {
    double train, validation;
};

/* What is kept; all that it points to is the caller's. */
struct train_state {
    uint8_t identity[DIGEST_SIZE];
    uint32_t epoch, best_epoch;
    uint64_t steps;
    double power1, power2;
    struct train_losses *losses; /* [epochs] of the whole training, the first `epoch` are filled */
    uint32_t epochs;
    float *arrays[TRAIN_CHECKPOINT_ARRAYS_MAX];
    uint32_t array_count;
    size_t size; /* floats of an array */
};

int train_checkpoint_write(const char *path, const struct train_state *state, struct error *err);
/*
 * Fills the state from the file: identity, epochs, arrays and size say what is expected. 1; 0 when
 * there is no file, or one of another training or damaged (why says which; state is as it was);
 * -1 when it cannot be read.
 */
int train_checkpoint_read(const char *path, struct train_state *state, const char **why,
                          struct error *err);

#endif
