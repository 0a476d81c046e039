/* SPDX-License-Identifier: MIT */
/*
 * The characters of PGN text: what each may begin, where lines end, what looks like a tag. Text is
 * bytes of any encoding; only ASCII delimiters mean something.
 */
#include "formats/pgn_internal.h"

#define BLANK     (PGN_CLASS_BLANK | PGN_CLASS_ENDS_MOVE)
#define WORD      (PGN_CLASS_WORD | PGN_CLASS_IN_TOKEN | PGN_CLASS_IN_NAME)
#define WORDS4(c) [(c)] = WORD, [(c) + 1] = WORD, [(c) + 2] = WORD, [(c) + 3] = WORD
#define WORDS26(c)                                                                                 \
    WORDS4(c), WORDS4((c) + 4), WORDS4((c) + 8), WORDS4((c) + 12), WORDS4((c) + 16),               \
        WORDS4((c) + 20), [(c) + 24] = WORD, [(c) + 25] = WORD
#define DIGIT     (PGN_CLASS_DIGIT | PGN_CLASS_IN_TOKEN | PGN_CLASS_IN_NAME)
#define HIGH      (PGN_CLASS_HIGH | PGN_CLASS_IN_TOKEN | PGN_CLASS_IN_NAME)
#define HIGH4(c)  [(c)] = HIGH, [(c) + 1] = HIGH, [(c) + 2] = HIGH, [(c) + 3] = HIGH
#define HIGH16(c) HIGH4(c), HIGH4((c) + 4), HIGH4((c) + 8), HIGH4((c) + 12)

const uint8_t pgn_classes[256] = {
    ['\t'] = BLANK,
    ['\n'] = BLANK,
    ['\v'] = BLANK,
    ['\f'] = BLANK,
    ['\r'] = BLANK,
    [' '] = BLANK,
    ['.'] = PGN_CLASS_DOT | PGN_CLASS_IN_TOKEN,
    ['!'] = PGN_CLASS_GLYPH | PGN_CLASS_ENDS_MOVE,
    ['?'] = PGN_CLASS_GLYPH | PGN_CLASS_ENDS_MOVE,
    ['$'] = PGN_CLASS_NAG | PGN_CLASS_ENDS_MOVE,
    ['{'] = PGN_CLASS_COMMENT | PGN_CLASS_ENDS_MOVE,
    [';'] = PGN_CLASS_LINE_COMMENT,
    ['%'] = PGN_CLASS_ESCAPE,
    ['('] = PGN_CLASS_VARIATION,
    ['['] = PGN_CLASS_TAG,
    ['*'] = PGN_CLASS_STAR,
    WORDS26('A'),
    WORDS26('a'),
    ['#'] = WORD,
    ['+'] = WORD,
    ['-'] = WORD,
    ['/'] = WORD,
    [':'] = WORD,
    ['='] = WORD,
    ['@'] = WORD,
    ['~'] = WORD,
    ['_'] = WORD,
    ['\''] = WORD,
    [','] = PGN_CLASS_WORD | PGN_CLASS_IN_TOKEN,
    ['|'] = WORD,
    ['^'] = WORD,
    ['&'] = WORD,
    ['\\'] = WORD,
    ['0'] = DIGIT,
    ['1'] = DIGIT,
    ['2'] = DIGIT,
    ['3'] = DIGIT,
    ['4'] = DIGIT,
    ['5'] = DIGIT,
    ['6'] = DIGIT,
    ['7'] = DIGIT,
    ['8'] = DIGIT,
    ['9'] = DIGIT,
    HIGH16(0x80),
    HIGH16(0x90),
    HIGH16(0xA0),
    HIGH16(0xB0),
    HIGH16(0xC0),
    HIGH16(0xD0),
    HIGH16(0xE0),
    HIGH16(0xF0),
};

const char *pgn_line_end(const struct pgn *pgn, const char *p)
{
    while (!pgn_is_newline(*p) && p != pgn->end)
        p++;
    return p;
}

bool pgn_begins_line(const struct pgn *pgn, const char *p)
{
    /* text[-1] is there to be read: it stops the walk or is itself the answer. */
    while (p > pgn->text && (p[-1] == ' ' || p[-1] == '\t'))
        p--;
    return pgn_is_newline(p[-1]);
}

bool pgn_follows_empty_line(const struct pgn *pgn, const char *p)
{
    unsigned ends = 0;
    while (p > pgn->text && pgn_class_of(p[-1]) == PGN_CLASS_BLANK && ends < 2) {
        p--;
        ends += *p == '\n' || (*p == '\r' && p[1] != '\n');
    }
    return ends == 2;
}

enum pgn_likeness pgn_tag_likeness(const struct pgn *pgn, const char *p)
{
    if (*p != '[')
        return pgn_is_cut(pgn, p) ? PGN_CUT : PGN_UNLIKE;
    const char *name = pgn_skip_blanks(p + 1), *q = name;
    while (pgn_is_name_character(*q))
        q++;
    const char *quote = pgn_skip_blanks(q);
    if (pgn_is_cut(pgn, quote))
        return PGN_CUT;
    return q > name && *quote == '"' ? PGN_ALIKE : PGN_UNLIKE;
}
