/* SPDX-License-Identifier: MIT */
/*
 * Stockfish's nets since version 14 as architectures of the library.
 */
#ifndef PLYNNUE_SF_NET_H
#define PLYNNUE_SF_NET_H

#include "nnue/core/arch.h"

/*
 * Reads a container that container_open has opened, of version CONTAINER_VERSION_14 or
 * CONTAINER_VERSION_19. asked: a name such as sf15.1, alone or with its shape (sf_design.h); NULL:
 * what the file says. Sets net->arch and net->model, or gives a code.
 */
int sf_net_load(struct plynnue_net *net, const struct container *container, const char *asked,
                struct plynnue_error *error);

#endif
