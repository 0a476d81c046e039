/* SPDX-License-Identifier: MIT */
/*
 * Conditions on scores, see score_condition.h.
 */
#include "nnue/tools/score_condition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* Takes a word of letters, digits and _. False when there is none. */
static bool take_word(const char **text, char word[16])
{
    size_t length = strspn(*text, "abcdefghijklmnopqrstuvwxyz_0123456789");
    if (!length || length >= 16)
        return false;
    memcpy(word, *text, length);
    word[length] = '\0';
    *text = skip_blanks(*text + length);
    return true;
}

/* "net3" as 2; -1 when it names none of them. */
static int net_number(const char *word, unsigned nets)
{
    char *end;
    long number;
    if (strncmp(word, "net", 3) != 0 || word[3] < '1' || word[3] > '9')
        return -1;
    number = strtol(word + 3, &end, 10);
    return !*end && number <= (long)nets ? (int)number - 1 : -1;
}

static bool find_metric(const char *word, enum score_metric *metric)
{
    for (unsigned i = 0; i < SCORE_METRICS; i++)
        if (!strcmp(word, score_metric_name((enum score_metric)i))) {
            *metric = (enum score_metric)i;
            return true;
        }
    return false;
}

static int find_other(const char *word, unsigned nets)
{
    static const char *const names[SCORE_BASELINES] = {"constant", "material", "material_fit"};
    for (unsigned i = 0; i < SCORE_BASELINES; i++)
        if (!strcmp(word, names[i]))
            return (int)(nets + i);
    return net_number(word, nets);
}

/* "net2.mae": both words. */
static bool take_subject(const char **text, unsigned nets, struct score_condition *c)
{
    char word[16];
    if (!take_word(text, word))
        return false;
    if (**text == '.') {
        *text = skip_blanks(*text + 1);
        c->net = net_number(word, nets);
        if (c->net < 0 || !take_word(text, word))
            return false;
    }
    return find_metric(word, &c->metric);
}

static bool take_operator(const char **text, struct score_condition *c)
{
    if (**text != '>' && **text != '<')
        return false;
    c->greater = **text == '>';
    ++*text;
    c->or_equal = **text == '=';
    *text = skip_blanks(*text + c->or_equal);
    return true;
}

static bool take_number(const char **text, struct score_condition *c)
{
    char *end;
    c->number = strtod(*text, &end);
    if (end == *text || !isfinite(c->number))
        return false;
    *text = skip_blanks(end);
    return true;
}

static bool take_other(const char **text, unsigned nets, struct score_condition *c)
{
    char word[16];
    if (**text != '*')
        return true;
    *text = skip_blanks(*text + 1);
    return take_word(text, word) && (c->other = find_other(word, nets)) >= 0;
}

int score_condition_parse(const char *text, unsigned nets, struct score_condition *condition,
                          struct error *err)
{
    const char *at = skip_blanks(text);
    *condition = (struct score_condition){.net = -1, .other = -1};
    if (take_subject(&at, nets, condition) && take_operator(&at, condition) &&
        take_number(&at, condition) && take_other(&at, nets, condition) && !*at)
        return 0;
    return error_set(err, ERROR_USAGE,
                     "cannot read \"%s\" from \"%s\" on; expected [netN.]METRIC > NUMBER [* ROW] "
                     "with METRIC one of wdl_mse, mae, median, correlation, sign and ROW one of "
                     "constant, material, material_fit, net1 .. net%u",
                     text, at, nets);
}

bool score_condition_holds(const struct score_condition *condition, const struct score_table *table,
                           char line[SCORE_CONDITION_LINE_MAX])
{
    const struct score_row *rows = table->groups[0]->rows;
    double limit = condition->number;
    char other[SCORE_CONDITION_LINE_MAX / 2] = "";
    if (condition->other >= 0) {
        limit *= rows[condition->other].metric[condition->metric].value;
        snprintf(other, sizeof other, " (%.10g times that of %.150s)", condition->number,
                 rows[condition->other].name);
    }
    line[0] = '\0';
    for (unsigned i = 0; i < table->nets; i++) {
        double value = rows[i].metric[condition->metric].value;
        bool holds = condition->greater ? value > limit : value < limit;
        if ((condition->net >= 0 && condition->net != (int)i) ||
            !(holds || (condition->or_equal && value == limit)))
            continue;
        snprintf(line, SCORE_CONDITION_LINE_MAX, "%s of %.150s is %.6g, %s %.6g%s",
                 score_metric_name(condition->metric), rows[i].name, value,
                 condition->greater ? "over" : "under", limit, other);
        return true;
    }
    return false;
}
