/* SPDX-License-Identifier: MIT */
/*
 * How many processors there are for this process.
 */
#ifndef PLYMILL_FORMATS_IO_CORES_H
#define PLYMILL_FORMATS_IO_CORES_H

/*
 * Those that it may run on: a scheduler's job, a container's set of processors or taskset may leave
 * fewer than the machine has. At least 1.
 */
unsigned cores_available(void);

#endif
