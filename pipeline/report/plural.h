/* SPDX-License-Identifier: MIT */
/* The word behind a number: "1 position", "2 positions". */
#ifndef PLYMILL_PIPELINE_REPORT_PLURAL_H
#define PLYMILL_PIPELINE_REPORT_PLURAL_H

#include <stdint.h>

static inline const char *plural(uint64_t number, const char *one, const char *many)
{
    return number == 1 ? one : many;
}

#endif
