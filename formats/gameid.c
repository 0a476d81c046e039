/* SPDX-License-Identifier: MIT */
/*
 * See gameid.h.
 */
#include "formats/gameid.h"

#include <string.h>
#include <strings.h>

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"
#include "formats/io/digest.h"

#define GAMEID_LICHESS_SIZE 8
#define GAMEID_PLAYER_SIZE  12 /* a player's link: the game's 8 and 4 more */
#define GAMEID_HASH_BYTES   8
#define GAMEID_HOST         "lichess.org"

/* A part of a text that is read from its front. */
struct span {
    const char *text;
    size_t size;
};

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t count_alnum(struct span span)
{
    size_t n = 0;
    while (n < span.size && is_alnum(span.text[n]))
        n++;
    return n;
}

static void skip(struct span *span, size_t n)
{
    span->text += n;
    span->size -= n;
}

static bool skip_word(struct span *span, const char *word)
{
    size_t n = strlen(word);
    if (span->size < n || memcmp(span->text, word, n) != 0)
        return false;
    skip(span, n);
    return true;
}

/* "https://" and the like: letters and "://". */
static bool skip_scheme(struct span *span)
{
    struct span rest = *span;
    size_t n = count_alnum(rest);
    skip(&rest, n);
    if (n == 0 || !skip_word(&rest, "://"))
        return false;
    *span = rest;
    return true;
}

/* lichess.org or NAME.lichess.org, in any case, and the slash behind it. */
static bool skip_host(struct span *span)
{
    const char *slash = memchr(span->text, '/', span->size);
    size_t size = slash != NULL ? (size_t)(slash - span->text) : 0;
    size_t host = strlen(GAMEID_HOST);
    if (size < host || strncasecmp(span->text + size - host, GAMEID_HOST, host) != 0)
        return false;
    size_t name = size - host; /* with its dot */
    if (name == 1 || (name > 0 && span->text[name - 1] != '.'))
        return false;
    for (size_t i = 0; i < name; i++) {
        char c = span->text[i];
        bool double_dot = c == '.' && (i == 0 || span->text[i - 1] == '.');
        if (double_dot || !(is_alnum(c) || c == '-' || c == '.'))
            return false;
    }
    skip(span, size + 1);
    return true;
}

/* Pages of the site whose names have as many letters as an id. */
static bool is_page(struct span span)
{
    static const char *const pages[] = {"analysis", "features", "practice", "streamer", "training"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (memcmp(span.text, pages[i], GAMEID_LICHESS_SIZE) == 0)
            return true;
    return false;
}

/* Nothing, "/white", "/black", "#n", or a side and "#n". */
static bool is_tail(struct span tail)
{
    if (!skip_word(&tail, "/white"))
        skip_word(&tail, "/black");
    if (tail.size == 0)
        return true;
    if (tail.text[0] != '#' || tail.size == 1)
        return false;
    for (size_t i = 1; i < tail.size; i++)
        if (tail.text[i] < '0' || tail.text[i] > '9')
            return false;
    return true;
}

bool gameid_from_reference(const char *text, size_t size, char id[GAMEID_MAX])
{
    struct span span = {text, size};
    bool scheme = skip_scheme(&span);
    bool host = skip_host(&span);
    if (!host && scheme)
        return false;
    size_t n = count_alnum(span);
    if (n != GAMEID_LICHESS_SIZE && n != GAMEID_PLAYER_SIZE)
        return false;
    struct span tail = span;
    skip(&tail, n);
    if (!is_tail(tail) || (n == GAMEID_LICHESS_SIZE && is_page(span)))
        return false;
    memset(id, 0, GAMEID_MAX);
    memcpy(id, span.text, GAMEID_LICHESS_SIZE);
    return true;
}

/* "Budapest", "helsinki", "ISTANBUL". */
static bool is_place_name(const char *text, size_t size)
{
    size_t capitals = 0, small = 0;
    for (size_t i = 1; i < size; i++) {
        capitals += text[i] >= 'A' && text[i] <= 'Z';
        small += text[i] >= 'a' && text[i] <= 'z';
    }
    return size > 0 && (capitals == size - 1 || small == size - 1);
}

bool gameid_from_site(const char *text, size_t size, char id[GAMEID_MAX])
{
    return !is_place_name(text, size) && gameid_from_reference(text, size, id);
}

bool gameid_is_valid(const char *text, size_t size)
{
    return size > 0 && size < GAMEID_MAX && count_alnum((struct span){text, size}) == size;
}

static void write_hash(char letter, const uint8_t digest[DIGEST_SIZE], char id[GAMEID_MAX])
{
    id[0] = letter;
    digest_to_hex(digest, GAMEID_HASH_BYTES, id + 1);
}

int gameid_from_moves(const struct position *start, const uint16_t *moves, size_t count,
                      char id[GAMEID_MAX])
{
    struct digest *digest = digest_new();
    if (digest == NULL)
        return -1;
    char fen[FEN_MAX], move[UCIMOVE_MAX];
    fen_format(start, FEN_XFEN, fen);
    digest_update(digest, fen, strlen(fen));
    digest_update(digest, "\n", 1);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            digest_update(digest, " ", 1);
        ucimove_format(moves[i], start->chess960, move);
        digest_update(digest, move, strlen(move));
    }
    uint8_t hash[DIGEST_SIZE];
    digest_finish(digest, hash);
    digest_free(digest);
    write_hash('x', hash, id);
    return 0;
}

void gameid_from_position(const struct position *position, char id[GAMEID_MAX])
{
    char fen[FEN_MAX];
    fen_format(position, FEN_XFEN, fen);
    size_t length = 0;
    for (unsigned blanks = 0; fen[length] != '\0'; length++)
        if (fen[length] == ' ' && ++blanks == 4)
            break;
    uint8_t hash[DIGEST_SIZE];
    digest_bytes(fen, length, hash);
    write_hash('p', hash, id);
}
