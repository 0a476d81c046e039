/* SPDX-License-Identifier: MIT */
/*
 * The tag section, and what follows from it before any move is looked at: the result, the variant,
 * the start position, and whether the caller wants the game at all.
 */
#include "formats/chess/fen.h"
#include "formats/pgn_internal.h"

#define ARENA_BLOCK 48 /* bytes copied at once; not more than PGN_LOOKAHEAD */

static char *arena_add(struct pgn *pgn, const char *text, size_t size)
{
    char *copy = pgn->arena + pgn->arena_used;
    memcpy(copy, text, size);
    copy[size] = '\0';
    pgn->arena_used += size + 1;
    return copy;
}

/* Text of the chunk, in blocks: nearly all tags take one. */
static inline char *arena_add_short(struct pgn *pgn, const char *text, size_t size)
{
    char *copy = pgn->arena + pgn->arena_used;
    memcpy(copy, text, ARENA_BLOCK);
    for (size_t i = ARENA_BLOCK; i < size; i += ARENA_BLOCK)
        memcpy(copy + i, text + i, ARENA_BLOCK);
    copy[size] = '\0';
    pgn->arena_used += size + 1;
    return copy;
}

/* \" and \\ stand for the character behind the backslash; any other backslash for itself. */
static size_t unescape(char *text, size_t size)
{
    size_t kept = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\\' && i + 1 < size && (text[i + 1] == '"' || text[i + 1] == '\\'))
            i++;
        text[kept++] = text[i];
    }
    text[kept] = '\0';
    return kept;
}

static void tag_add(struct pgn *pgn, const char *name, size_t name_size, const char *value,
                    size_t value_size)
{
    struct pgn_game *game = &pgn->game;
    if (game->tag_count == PGN_TAGS_MAX) {
        pgn_reject(pgn, PGN_TOO_LARGE, name, name, name_size);
        return;
    }
    struct pgn_tag *tag = &pgn->tags[game->tag_count++];
    tag->name = arena_add(pgn, name, name_size);
    char *copy = arena_add(pgn, value, value_size);
    tag->value = copy;
    tag->value_size = memchr(copy, '\\', value_size) ? unescape(copy, value_size) : value_size;
    if (memchr(copy, '\0', tag->value_size))
        pgn_reject(pgn, PGN_BAD_TOKEN, name, name, name_size);
}

/* A value that does not close on its line: what stands there, less the closing signs that do. */
static const char *trim_open_value(const char *value, const char *end)
{
    while (end > value && pgn_class_of(end[-1]) == PGN_CLASS_BLANK)
        end--;
    if (end > value && end[-1] == ']')
        end--;
    while (end > value && pgn_class_of(end[-1]) == PGN_CLASS_BLANK)
        end--;
    return end > value && end[-1] == '"' ? end - 1 : end;
}

/*
 * The quote that closes the value is one with a bracket behind it: others stand bare in names.
 * Gives the closing bracket, or NULL where the line (or the text) ends first.
 */
static const char *find_value_end(const struct pgn *pgn, const char *value, const char **end)
{
    const char *p = value;
    for (; !pgn_is_newline(*p) && p != pgn->end; p++) {
        if (*p == '\\' && (p[1] == '"' || p[1] == '\\')) {
            p++;
        } else if (*p == '"') {
            const char *behind = p + 1;
            while (*behind == ' ' || *behind == '\t')
                behind++;
            if (*behind == ']') {
                *end = p;
                return behind;
            }
        }
    }
    *end = p;
    return NULL;
}

/* The tag at p, which looks like one. */
static const char *read_tag(struct pgn *pgn, const char *p)
{
    const char *name = pgn_skip_blanks(p + 1);
    const char *quote = strchr(name, '"');
    const char *name_end = quote;
    while (pgn_class_of(name_end[-1]) == PGN_CLASS_BLANK)
        name_end--;
    const char *value = quote + 1, *end;
    const char *bracket = find_value_end(pgn, value, &end);
    if (!bracket && end == pgn->end) {
        if (!pgn->eof)
            return pgn_need_more(pgn);
        pgn_reject(pgn, PGN_TRUNCATED, p, p, (size_t)(end - p));
    }
    const char *after = bracket ? bracket + 1 : end;
    if (!bracket)
        end = trim_open_value(value, end);
    tag_add(pgn, name, (size_t)(name_end - name), value, (size_t)(end - value));
    return after;
}

/*
 * [Name "value"] on a line of its own, as every program writes it, with letters for a name: the
 * first byte behind it, or NULL if it is any other form or not all of it is here.
 */
static inline const char *read_plain_tag(struct pgn *pgn, const char *p)
{
    const char *name = p + 1, *name_end = PGN_FIND(name, letters);
    if (name_end == name || name_end[0] != ' ' || name_end[1] != '"')
        return NULL;
    const char *value = name_end + 2, *end = PGN_FIND(value, value);
    if (end[0] != '"' || end[1] != ']' || pgn->game.tag_count == PGN_TAGS_MAX)
        return NULL;

    char *copy = arena_add_short(pgn, name, (size_t)(end - name));
    struct pgn_tag *tag = &pgn->tags[pgn->game.tag_count++];
    copy[name_end - name] = '\0';
    tag->name = copy;
    tag->value = copy + (value - name);
    tag->value_size = (size_t)(end - value);
    return end + 2;
}

/* Plain tags, line by line, from p on, where a line begins. */
static const char *read_plain_tags(struct pgn *pgn, const char *p)
{
    while (*p == '[') {
        const char *after = read_plain_tag(pgn, p);
        if (!after)
            return p;
        p = after;
        p += *p == '\r';
        p += *p == '\n';
        if (p == after)
            return p;
    }
    return p;
}

/*
 * The first tag of the section again, after an empty line: a section without movetext is over. (Any
 * other tag after an empty line continues the section.)
 */
static bool begins_next_section(const struct pgn *pgn, const char *p)
{
    if (pgn->game.tag_count == 0 || !pgn_follows_empty_line(pgn, p))
        return false;
    const char *name = pgn_skip_blanks(p + 1);
    size_t size = strlen(pgn->tags[0].name);
    return strncmp(name, pgn->tags[0].name, size) == 0 &&
           (name[size] == '"' || pgn_class_of(name[size]) == PGN_CLASS_BLANK);
}

const char *pgn_read_tags(struct pgn *pgn, const char *p)
{
    p = read_plain_tags(pgn, p);
    while (p) {
        p = pgn_skip_blanks(p);
        if (pgn_is_cut(pgn, p))
            return pgn_need_more(pgn);
        if (*p == ';' || (*p == '%' && pgn_is_newline(p[-1]))) {
            p = pgn_line_end(pgn, p);
            continue;
        }
        if (*p != '[')
            return p;
        enum pgn_likeness likeness = pgn_tag_likeness(pgn, p);
        if (likeness == PGN_CUT)
            return pgn_need_more(pgn);
        if (likeness == PGN_ALIKE && begins_next_section(pgn, p))
            return p;
        if (likeness == PGN_ALIKE) {
            p = read_tag(pgn, p);
        } else {
            const char *end = pgn_line_end(pgn, p);
            pgn_reject(pgn, PGN_BAD_TOKEN, p, p, (size_t)(end - p));
            p = end;
        }
    }
    return p;
}

/* The tags that say how a game is to be read, NULL where they are missing. */
struct start_tags {
    const struct pgn_tag *result, *variant, *fen;
};

static void note_tag(const struct pgn_tag **noted, const struct pgn_tag *tag, const char *name)
{
    if (!*noted && strcmp(tag->name, name) == 0)
        *noted = tag;
}

/* One of PGN's words for "unknown" is as good as no tag. */
static const struct pgn_tag *if_known(const struct pgn_tag *tag)
{
    bool unknown = tag && (tag->value[0] == '\0' || strcmp(tag->value, "?") == 0 ||
                           strcmp(tag->value, "-") == 0);
    return unknown ? NULL : tag;
}

static struct start_tags find_start_tags(const struct pgn_game *game)
{
    struct start_tags found = {NULL, NULL, NULL};
    for (const struct pgn_tag *tag = game->tags; tag < game->tags + game->tag_count; tag++) {
        switch (tag->name[0]) {
        case 'R':
            note_tag(&found.result, tag, "Result");
            break;
        case 'V':
            note_tag(&found.variant, tag, "Variant");
            break;
        case 'F':
            note_tag(&found.fen, tag, "FEN");
            break;
        }
    }
    found.variant = if_known(found.variant);
    found.fen = if_known(found.fen);
    return found;
}

static void apply_result(struct pgn *pgn, const struct pgn_tag *tag)
{
    pgn->has_result = tag && pgn_find_result(tag->value, tag->value_size, &pgn->game.result);
}

/* Equal but for case, spaces and punctuation: "Chess 960" is "chess960". */
static bool is_word(const char *text, const char *word)
{
    for (; *text; text++) {
        bool digit = *text >= '0' && *text <= '9';
        char lower = (char)(*text | 32);
        if (!digit && (lower < 'a' || lower > 'z'))
            continue;
        if ((digit ? *text : lower) != *word++)
            return false;
    }
    return *word == '\0';
}

/* The variant by its tag; false if it is one that is not known here. */
static bool find_variant(const struct pgn_tag *tag, enum pgn_variant *variant)
{
    static const struct {
        const char *word;
        enum pgn_variant variant;
    } table[] = {
        {"standard", PGN_STANDARD},
        {"normal", PGN_STANDARD},
        {"chess", PGN_STANDARD},
        {"fromposition", PGN_FROM_POSITION},
        {"chess960", PGN_CHESS960},
        {"fischerandom", PGN_CHESS960},
        {"fischerrandom", PGN_CHESS960},
        {"960", PGN_CHESS960},
        {"frc", PGN_CHESS960},
        {"dfrc", PGN_CHESS960},
        {"doublefischerrandom", PGN_CHESS960},
    };
    *variant = PGN_STANDARD;
    if (!tag)
        return true;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (is_word(tag->value, table[i].word)) {
            *variant = table[i].variant;
            return true;
        }
    }
    return false;
}

/* tag NULL: the game says nothing, and that is what is refused. */
static void reject_tag(struct pgn *pgn, enum pgn_reject reason, const struct pgn_tag *tag)
{
    pgn_reject(pgn, reason, pgn->start, tag ? tag->value : "", tag ? tag->value_size : 0);
}

/* The start position from the FEN tag. Whether there is a SetUp tag does not matter. */
static bool apply_fen(struct pgn *pgn, const struct pgn_tag *tag)
{
    pgn->game.start = pgn->standard;
    if (!tag)
        return true;
    enum fen_status status =
        fen_parse(tag->value, tag->value_size, FEN_REJECT_BAD_CASTLING, &pgn->game.start, NULL);
    if (status != FEN_OK)
        reject_tag(pgn, status == FEN_BAD_CASTLING ? PGN_BAD_CASTLING : PGN_BAD_FEN, tag);
    return status == FEN_OK;
}

/* Variant and start position. The tag decides first, so that a FEN of another game is never read.
 */
static void apply_variant(struct pgn *pgn, const struct pgn_tag *tag, const struct pgn_tag *fen)
{
    struct pgn_game *game = &pgn->game;
    bool known = find_variant(tag, &game->variant);
    if (!known || (game->variant == PGN_CHESS960 && !(pgn->options.variants & PGN_CHESS960))) {
        reject_tag(pgn, PGN_VARIANT, tag);
        return;
    }
    if (!apply_fen(pgn, fen))
        return;
    if (game->variant == PGN_CHESS960)
        game->start.chess960 = true;
    else if (game->start.chess960)
        game->variant = PGN_CHESS960;
    else if (!fen || position_equal(&game->start, &pgn->standard))
        game->variant = PGN_STANDARD;
    else
        game->variant = PGN_FROM_POSITION;
    if (!(pgn->options.variants & (unsigned)game->variant))
        reject_tag(pgn, PGN_VARIANT, fen ? fen : tag);
}

void pgn_apply_tags(struct pgn *pgn)
{
    struct start_tags tags = find_start_tags(&pgn->game);
    apply_result(pgn, tags.result);
    if (!pgn->game.reject)
        apply_variant(pgn, tags.variant, tags.fen);
    if (pgn->game.reject || !pgn->visitor.want)
        return;
    if (!pgn->asked)
        pgn->wanted = pgn->visitor.want(pgn->visitor.context, &pgn->game);
    pgn->asked = true;
    if (!pgn->wanted)
        pgn->game.reject = PGN_SKIPPED;
}
