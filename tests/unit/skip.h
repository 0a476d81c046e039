/* SPDX-License-Identifier: MIT */
/*
 * Skipping a test with a reason that the closing lines of `make test` repeat.
 */
#ifndef PLYMILL_TESTS_UNIT_SKIP_H
#define PLYMILL_TESTS_UNIT_SKIP_H

#define SKIP_BECAUSE(...)                                                                          \
    do {                                                                                           \
        print_message("# skip: " __VA_ARGS__);                                                     \
        print_message("\n");                                                                       \
        skip();                                                                                    \
    } while (0)

#endif
