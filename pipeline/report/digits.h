/* SPDX-License-Identifier: MIT */
/* Thousands of numbers for people, apart by commas. */
#ifndef PLYMILL_PIPELINE_REPORT_DIGITS_H
#define PLYMILL_PIPELINE_REPORT_DIGITS_H

#include <stddef.h>

/*
 * "1234567.5" as "1,234,567.5" behind the sign, which may be empty; what is too long for the size
 * is cut. digits: an unsigned decimal number, perhaps with a fraction.
 */
void digits_group(const char *sign, const char *digits, char *out, size_t size);

#endif
