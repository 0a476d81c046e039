/* SPDX-License-Identifier: MIT */
/*
 * Changes one byte of a file in place, so that tests can ask whether that is noticed. Twice the
 * same call puts it back.
 *
 *   flip FILE OFFSET MASK     the byte at OFFSET is xored with MASK (1 to 255)
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    unsigned char byte;
    if (argc != 4) {
        fprintf(stderr, "usage: flip FILE OFFSET MASK\n");
        return 2;
    }
    off_t at = (off_t)strtoll(argv[2], NULL, 10);
    unsigned long mask = strtoul(argv[3], NULL, 10);
    int fd = open(argv[1], O_RDWR);
    if (fd < 0 || mask < 1 || mask > 255 || pread(fd, &byte, 1, at) != 1) {
        fprintf(stderr, "flip: %s has no byte %s\n", argv[1], argv[2]);
        return 1;
    }
    byte ^= (unsigned char)mask;
    bool done = pwrite(fd, &byte, 1, at) == 1;
    return close(fd) == 0 && done ? 0 : 1;
}
