/* SPDX-License-Identifier: MIT */
#include "pipeline/report/terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "pipeline/report/digits.h"

#define COLUMNS_DEFAULT 80

static enum terminal_when color = TERMINAL_AUTO, progress = TERMINAL_AUTO;

bool terminal_when_from(const char *word, enum terminal_when *when)
{
    static const char *const words[] = {"auto", "always", "never"};
    for (int i = 0; i < 3; i++)
        if (strcmp(word, words[i]) == 0) {
            *when = (enum terminal_when)i;
            return true;
        }
    return false;
}

void terminal_set_color(enum terminal_when when)
{
    color = when;
}

bool terminal_has_color(FILE *out)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (color != TERMINAL_AUTO)
        return color == TERMINAL_ALWAYS;
    return !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0) &&
           isatty(fileno(out)) == 1;
}

const char *terminal_red(FILE *out)
{
    return terminal_has_color(out) ? "\033[1;31m" : "";
}

const char *terminal_bold(FILE *out)
{
    return terminal_has_color(out) ? "\033[1m" : "";
}

const char *terminal_plain(FILE *out)
{
    return terminal_has_color(out) ? "\033[0m" : "";
}

const char *terminal_number(int64_t number, char out[TERMINAL_NUMBER_SIZE])
{
    char digits[TERMINAL_NUMBER_SIZE];
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    (void)snprintf(digits, sizeof digits, "%" PRIu64, size);
    digits_group(number < 0 ? "-" : "", digits, out, TERMINAL_NUMBER_SIZE);
    return out;
}

void terminal_set_progress(enum terminal_when when)
{
    progress = when;
}

enum terminal_when terminal_progress(void)
{
    return progress;
}

unsigned terminal_columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return COLUMNS_DEFAULT;
}
