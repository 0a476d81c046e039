/* SPDX-License-Identifier: MIT */
/*
 * The UCI protocol as text: lines in, facts out, and the other way round. No processes here.
 *
 * Names and values of options may hold blanks. A score may be marked lowerbound or upperbound
 * behind the score, behind wdl, or before cp: engines do all three.
 */
#ifndef PLYMILL_LABELER_UCI_H
#define PLYMILL_LABELER_UCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/io/error.h"
#include "formats/label.h"

#define UCI_OPTIONS_MAX 1024 /* options an engine may list */

/* If line starts with the word: what follows it and blanks, else NULL. */
const char *uci_after(const char *line, const char *word);

enum uci_type { UCI_CHECK, UCI_SPIN, UCI_COMBO, UCI_BUTTON, UCI_STRING };

struct uci_option {
    enum uci_type type;
    char *name;          /* owned, and with it all texts below */
    char *default_value; /* "" for a button, for an empty string, and for "<empty>" */
    char *choices;    /* of a combo: one after the other, each with its zero, then an empty one */
    int64_t min, max; /* of a spin */
};

struct uci_options {
    struct uci_option *items;
    size_t count;
};

/*
 * Adds what an `option` line says (line begins behind the word "option"). 0; 1 when the line is not
 * understood and nothing was added; -1 with err (memory, more than UCI_OPTIONS_MAX).
 */
int uci_options_add(struct uci_options *options, const char *line, struct error *err);
/* Names are compared without regard to case, as UCI wants. NULL if it is not listed. */
const struct uci_option *uci_options_find(const struct uci_options *options, const char *name);
void uci_options_free(struct uci_options *options);

/*
 * Would the engine take this value (NULL: press the button)? Engines silently keep the old value
 * when not, so it is refused here: ERROR_FAILED naming the option, the value and what is allowed.
 */
int uci_option_check(const struct uci_option *option, const char *value, struct error *err);

/*
 * "setoption name NAME value VALUE" and a line feed; an empty value keeps the word value, NULL (a
 * button) leaves it out. The length, or -1 when it does not fit into size bytes.
 */
int uci_format_setoption(const char *name, const char *value, char *out, size_t size);

/* What an `info` line says; fields that are missing have has_... false. */
struct uci_info {
    bool has_score, has_depth, has_nodes;
    struct score score;
    uint8_t bound; /* enum score_bound */
    uint16_t depth;
    uint64_t nodes;
    uint32_t multipv; /* 1 when it is not said */
};

/*
 * line begins behind the word "info". 0, or -1 when a number behind cp, mate, depth or nodes is
 * none.
 */
int uci_parse_info(const char *line, struct uci_info *info);

/* Word of a move at text: its length, 0 if there is none. (none), 0000 and null count as words. */
size_t uci_move_length(const char *text);

#endif
