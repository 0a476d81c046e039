/* SPDX-License-Identifier: MIT */
/*
 * Games of bug reports against other readers (tests/data/cases): every line of the facts in a
 * case's expected.md is checked as it stands there; a fact that nothing here checks is a failure.
 */
#include "tests/unit/formats/test_pgn.h"

#include "formats/chess/san.h"
#include "formats/gameid.h"
#include "formats/io/digest.h"
#include "formats/io/file.h"

#define FOLDER "tests/data/cases/"

struct check {
    const char *folder;
    struct seen seen;
};

static bool key_is(const char *key, const char *word)
{
    return strcmp(key, word) == 0;
}

/* The text of all games' values of one kind, joined by spaces as the facts write them. */
static void join(char *out, size_t room, const char *text)
{
    size_t length = strlen(out);
    snprintf(out + length, room - length, "%s%s", length ? " " : "", text);
}

static void id_of(const struct seen_game *game, char id[GAMEID_MAX])
{
    const char *site = seen_tag(game, "Site");
    assert_non_null(site);
    assert_true(gameid_from_reference(site, strlen(site), id));
}

enum list { LIST_IDS, LIST_PLIES, LIST_RESULTS };

static void assert_list(const struct seen *seen, enum list what, const char *value)
{
    char all[1024] = "", one[64];
    for (size_t i = 0; i < seen->count; i++) {
        const struct seen_game *game = &seen->game[i];
        if (game->reject == PGN_VARIANT)
            continue;
        if (what == LIST_IDS)
            id_of(game, one);
        else if (what == LIST_PLIES)
            snprintf(one, sizeof one, "%u", game->plies);
        else
            snprintf(one, sizeof one, "%s", pgn_result_text(game->result));
        join(all, sizeof all, one);
    }
    assert_string_equal(all, value);
}

static size_t count_games(const struct seen *seen, const char *what)
{
    size_t count = 0;
    for (size_t i = 0; i < seen->count; i++) {
        const struct seen_game *game = &seen->game[i];
        bool read = !game->reject, variant = game->reject == PGN_VARIANT;
        bool long_enough = read && game->plies >= 10;
        if (key_is(what, "games"))
            count++;
        else if (key_is(what, "read"))
            count += read;
        else if (key_is(what, "skipped as variant"))
            count += variant;
        else if (key_is(what, "games with at least 10 plies"))
            count += long_enough;
        else if (key_is(what, "games with at least 10 plies and a known result"))
            count += long_enough && game->result != PGN_UNKNOWN;
        else
            fail_msg("a fact that nothing checks: %s", what);
    }
    return count;
}

/* "game 2 uci = ...", or without "game N" for the only one. */
static void assert_game(const struct seen_game *game, const char *key, const char *value)
{
    char name[64], id[GAMEID_MAX];
    if (key_is(key, "") && strncmp(value, "illegal at ply ", 15) == 0) {
        assert_int_equal(game->reject, PGN_ILLEGAL_MOVE);
        assert_int_equal(game->reject_ply, strtoul(value + 15, NULL, 10));
        return;
    }
    assert_int_equal(game->reject, PGN_ACCEPTED);
    if (key_is(key, "uci")) {
        assert_string_equal(game->uci, value);
    } else if (key_is(key, "final_fen")) {
        assert_string_equal(game->final_fen, value);
    } else if (key_is(key, "id")) {
        id_of(game, id);
        assert_string_equal(id, value);
    } else if (sscanf(key, "%63s decoded", name) == 1 && strstr(key, " decoded")) {
        assert_string_equal(seen_tag(game, name), value);
    } else {
        fail_msg("a fact that nothing checks: %s", key);
    }
}

/* "FEN | SAN = uci" or "illegal". */
static void assert_san(const char *fen, const char *san, const char *value)
{
    struct position position;
    uint16_t move;
    char text[UCIMOVE_MAX];
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &position, NULL), 0);
    enum san_status status = san_parse(&position, san, strlen(san), &move);
    if (strcmp(value, "illegal") == 0) {
        assert_int_equal(status, SAN_ILLEGAL);
        return;
    }
    assert_int_equal(status, SAN_OK);
    ucimove_format(move, false, text);
    assert_string_equal(text, value);
}

static void assert_digest(const char *folder, const char *value)
{
    char path[256], hex[DIGEST_HEX_SIZE];
    struct error err;
    snprintf(path, sizeof path, FOLDER "%s/input.pgn", folder);
    assert_int_equal(digest_file(path, hex, NULL, &err), 0);
    assert_string_equal(hex, value);
}

static void assert_fact(struct check *check, char *key, const char *value)
{
    const struct seen *seen = &check->seen;
    char *bar = strstr(key, " | ");
    unsigned number;
    int used = 0;
    if (bar) {
        *bar = '\0';
        assert_san(key, bar + 3, value);
    } else if (sscanf(key, "game %u%n", &number, &used) == 1) {
        assert_in_range(number, 1, seen->count);
        assert_game(&seen->game[number - 1], key + used + (key[used] == ' '), value);
    } else if (key_is(key, "plies") || key_is(key, "plies of read games")) {
        assert_list(seen, LIST_PLIES, value);
    } else if (key_is(key, "ids") || key_is(key, "read ids")) {
        assert_list(seen, LIST_IDS, value);
    } else if (key_is(key, "results")) {
        assert_list(seen, LIST_RESULTS, value);
    } else if (key_is(key, "sha256 of input.pgn")) {
        assert_digest(check->folder, value);
    } else if (key_is(key, "uci") || key_is(key, "final_fen") || key_is(key, "id")) {
        assert_int_equal(seen->count, 1);
        assert_game(&seen->game[0], key, value);
    } else {
        assert_int_equal(count_games(seen, key), strtoul(value, NULL, 10));
    }
}

/* "KEY = VALUE": the facts' values hold " = " nowhere, FENs hold no '='. */
static void assert_line(struct check *check, char *line)
{
    char *equals = strstr(line, " = ");
    assert_non_null(equals);
    *equals = '\0';
    assert_fact(check, line, equals + 3);
}

static void check_facts(struct check *check)
{
    char path[256], *rest, *line;
    struct buffer text;
    struct error err;
    unsigned facts = 0;
    buffer_init(&text, 1u << 20);
    snprintf(path, sizeof path, FOLDER "%s/expected.md", check->folder);
    assert_int_equal(file_read_all(path, &text, &err), 0);
    char *begin = strstr(text.data, "```facts\n");
    assert_non_null(begin);
    rest = begin + strlen("```facts\n");
    while ((line = strsep(&rest, "\n")) != NULL && strcmp(line, "```") != 0) {
        assert_line(check, line);
        facts++;
    }
    assert_true(line != NULL && facts > 0);
    buffer_free(&text);
}

static void test_case(void **state)
{
    struct check check = {.folder = *state};
    char path[256];
    snprintf(path, sizeof path, FOLDER "%s/input.pgn", check.folder);
    seen_read_file(&check.seen, path, PGN_STANDARD | PGN_FROM_POSITION);
    assert_int_equal(check.seen.status, 0);
    check_facts(&check);
    seen_free(&check.seen);
}

/* "If Chess960 is supported, the FEN of game 2 is refused" (case 023). */
static void test_bad_castling_of_chess960(void **state)
{
    struct seen seen;
    (void)state;
    seen_read_file(&seen, FOLDER "023-variant-games/input.pgn", ALL_VARIANTS);
    assert_int_equal(seen.game[0].reject, PGN_VARIANT);
    assert_int_equal(seen.game[1].reject, PGN_BAD_CASTLING);
    assert_int_equal(seen.game[1].reject_ply, 0);
    assert_int_equal(seen.game[2].reject, PGN_VARIANT);
    seen_free(&seen);
}

#define CASE(name)                                                                                 \
    {                                                                                              \
        name, test_case, NULL, NULL, (void *)(uintptr_t)name                                       \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE("001-lichess-annotated"),
        CASE("003-tag-value-escapes"),
        CASE("005-bracket-line-in-comment"),
        CASE("007-bom-and-stray-blank-lines"),
        CASE("009-san-pinned-piece"),
        CASE("011-san-b-pawn-or-bishop"),
        CASE("019-fen-tag-without-setup"),
        CASE("021-abandoned-unterminated"),
        CASE("023-variant-games"),
        CASE("025-bytes-that-are-not-utf8"),
        cmocka_unit_test(test_bad_castling_of_chess960),
    };
    return cmocka_run_group_tests_name("pgn cases", tests, NULL, NULL);
}
