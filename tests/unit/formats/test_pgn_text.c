/* SPDX-License-Identifier: MIT */
/*
 * What PGN text of all kinds means: line ends, comments, tags, results, odd moves, broken games.
 * Each text comes with what a reader of the standard would say by hand.
 */
#include "tests/unit/formats/test_pgn.h"

#define STANDARD_ONLY (PGN_STANDARD | PGN_FROM_POSITION)

/* One game that is expected: a reason, or moves; and its result. */
struct expected {
    enum pgn_reject reject;
    const char *what; /* accepted: moves in UCI; else the offending text, NULL: any */
    enum pgn_result result;
};

static void check_sized(const char *text, size_t size, const struct expected *expected,
                        size_t count)
{
    struct seen seen;
    seen_read_text(&seen, text, size, STANDARD_ONLY);
    assert_int_equal(seen.status, 0);
    for (size_t i = 0; i < seen.count && i < count; i++) {
        const struct seen_game *game = &seen.game[i];
        assert_string_equal(pgn_reject_text(game->reject), pgn_reject_text(expected[i].reject));
        assert_int_equal(game->number, i + 1);
        if (expected[i].what)
            assert_string_equal(game->reject ? game->reject_text : game->uci, expected[i].what);
        assert_int_equal(game->result, expected[i].result);
    }
    assert_int_equal(seen.count, count);
    seen_free(&seen);
}

#define CHECK(text, ...)                                                                           \
    do {                                                                                           \
        const struct expected expected_[] = {__VA_ARGS__};                                         \
        check_sized(text, sizeof text - 1, expected_, sizeof expected_ / sizeof *expected_);       \
    } while (0)

#define READ(moves, result)                                                                        \
    {                                                                                              \
        PGN_ACCEPTED, moves, result                                                                \
    }
#define REJECTED(why, text)                                                                        \
    {                                                                                              \
        why, text, PGN_UNKNOWN                                                                     \
    }
#define OPENING "e2e4 e7e5 g1f3"

static void test_empty(void **state)
{
    (void)state;
    check_sized("", 0, NULL, 0);
    check_sized("\n\n  \r\n", 6, NULL, 0);
    check_sized("\xEF\xBB\xBF", 3, NULL, 0);
    check_sized("Dear reader,\nthere are no games here.\n", 38, NULL, 0);
}

static void test_line_ends(void **state)
{
    (void)state;
    CHECK("[Result \"1-0\"]\r\n\r\n1. e4 e5\r\n2. Nf3 1-0\r\n\r\n[Result \"0-1\"]\r\n\r\n1. e4 "
          "0-1\r\n",
          READ(OPENING, PGN_WHITE_WINS), READ("e2e4", PGN_BLACK_WINS));
    CHECK("[Result \"1-0\"]\r\r1. e4 e5\r2. Nf3 1-0\r\r[Result \"0-1\"]\r\r1. e4 0-1\r",
          READ(OPENING, PGN_WHITE_WINS), READ("e2e4", PGN_BLACK_WINS));
    CHECK("1. e4 ; black's answer: c5\r1... e5 ;\r\r2. Nf3 *", READ(OPENING, PGN_UNKNOWN));
}

static void test_offsets(void **state)
{
    struct seen seen;
    static const char *const texts[] = {"% x\n\n[A \"\"]\n*\n\n\n[A \"\"]\n*\n",
                                        "% x\r\n\r\n[A \"\"]\r\n*\r\n\r\n\r\n[A \"\"]\r\n*",
                                        "% x\r\r[A \"\"]\r*\r\r\r[A \"\"]\r*"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        seen_read_text(&seen, texts[i], strlen(texts[i]), STANDARD_ONLY);
        assert_int_equal(seen.count, 2);
        assert_int_equal(seen.game[1].offset, strrchr(texts[i], '[') - texts[i]);
        seen_free(&seen);
    }
}

static void test_escapes_and_comments(void **state)
{
    (void)state;
    CHECK("% a line for a program\n[Event \"x\"]\n% [Result \"1-0\"]\n\n1. e4\n% Nf6\n1... e5 2. "
          "Nf3 *",
          READ(OPENING, PGN_UNKNOWN));
    CHECK("1. e4 {wrapped\nover (three) [lines] ; %\n% } e5 {} {one} {two} 2. Nf3 ; Nc6 }\n*",
          READ(OPENING, PGN_UNKNOWN));
    CHECK("{ before } 1. e4 e5 2. Nf3 1-0 { White wins } extra words ; and more\n\n1. e4 *",
          READ(OPENING, PGN_WHITE_WINS), READ("e2e4", PGN_UNKNOWN));
    CHECK("1. e4 e5 % no line start\n2. Nf3 *", REJECTED(PGN_BAD_TOKEN, "%"));
}

static void test_glyphs(void **state)
{
    (void)state;
    CHECK("1. e4!! $1 $142 e5?! $6 2.Nf3! *", READ(OPENING, PGN_UNKNOWN));
    CHECK("1.e4$1e5$2(e6)2.Nf3\\$14 *", REJECTED(PGN_BAD_TOKEN, "Nf3\\"));
    CHECK("1. e4 \\$1 e5 2. Nf3 \\$14 *", READ(OPENING, PGN_UNKNOWN));
    CHECK("1.e4 1...e5 2 Nf3*", READ(OPENING, PGN_UNKNOWN));
    CHECK("1\xE2\x80\xA6 e4 1. ... e5 2. .. Nf3 *", READ(OPENING, PGN_UNKNOWN));
}

static void test_variations(void **state)
{
    struct buffer text;
    struct error err;
    (void)state;
    CHECK("1. e4 (1. d4 (1... Nf6 {)} 2. c4 1-0 ; )\n) xx ( -- ) * 1-0) e5 () 2. Nf3 *",
          READ(OPENING, PGN_UNKNOWN));
    CHECK("1. e4 (1. d4\n% (((\n) e5 2. Nf3 *", READ(OPENING, PGN_UNKNOWN));
    CHECK("1. e4 e5) 2. Nf3 *", REJECTED(PGN_BAD_TOKEN, ")"));
    CHECK("1. e4 (1. d4\n\n[Event \"next\"]\n\n1. e4 *", REJECTED(PGN_TRUNCATED, "(1. d4  "),
          READ("e2e4", PGN_UNKNOWN));
    CHECK("1. e4 (1. d4", REJECTED(PGN_TRUNCATED, "(1. d4"));
    buffer_init(&text, 4u << 20);
    buffer_append(&text, "1. e4 ", 6, &err);
    for (int i = 0; i < 100000; i++)
        buffer_append(&text, "(1. d4 ", 7, &err);
    for (int i = 0; i < 100000; i++)
        buffer_append(&text, ")", 1, &err);
    buffer_append(&text, " e5 2. Nf3 *", 12, &err);
    check_sized(text.data, text.length, &(struct expected)READ(OPENING, PGN_UNKNOWN), 1);
    buffer_free(&text);
}

static void test_odd_moves(void **state)
{
    (void)state;
    CHECK("1. e2e4 e7-e5 2. Ng1-f3 *", READ(OPENING, PGN_UNKNOWN));
    CHECK("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 *",
          READ("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1", PGN_UNKNOWN));
    CHECK("1. e4 a6 2. e5 d5 3. exd6 e.p. a5 4. dxe7 *",
          READ("e2e4 a7a6 e4e5 d7d5 e5d6 a6a5 d6e7", PGN_UNKNOWN));
    CHECK("1. e4 a6 2. e5 d5 3. exd6e.p. a5 *", READ("e2e4 a7a6 e4e5 d7d5 e5d6 a6a5", PGN_UNKNOWN));
    CHECK("[FEN \"7k/3P4/7K/8/8/8/8/8 w - - 6 55\"]\n\n55. d8Q *", READ("d7d8q", PGN_UNKNOWN));
    CHECK("[FEN \"7k/3P4/7K/8/8/8/8/8 w - - 6 55\"]\n\n55. d8(R)+ *", READ("d7d8r", PGN_UNKNOWN));
    CHECK("[FEN \"7k/3P4/7K/8/8/8/8/8 w - - 6 55\"]\n\n55. d7d8n *", READ("d7d8n", PGN_UNKNOWN));
}

static void test_null_moves(void **state)
{
    static const char *const words[] = {"--", "Z0", "0000", "null"};
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        snprintf(text, sizeof text, "1. e4 %s 2. Nf3 1-0", words[i]);
        check_sized(text, strlen(text), &(struct expected){PGN_NULL_MOVE, words[i], PGN_WHITE_WINS},
                    1);
    }
}

static void test_results(void **state)
{
    (void)state;
    CHECK("[Result \"*\"]\n\n1. e4 1-0", READ("e2e4", PGN_UNKNOWN));
    CHECK("[Result \"?\"]\n\n1. e4 1-0", READ("e2e4", PGN_WHITE_WINS));
    CHECK("[Result \"1/2-1/2\"]\n\n1. e4", READ("e2e4", PGN_DRAW));
    CHECK("1. e4 1/2-1/2 1. d4 1/2 1. c4 0-1", READ("e2e4", PGN_DRAW), READ("d2d4", PGN_DRAW),
          READ("c2c4", PGN_BLACK_WINS));
    /* Glued to the last move, as some exports have it. */
    CHECK("1. e4 e50-1 1. d41-0\n1. c41/2-1/2\n1. O-O *", READ("e2e4 e7e5", PGN_BLACK_WINS),
          READ("d2d4", PGN_WHITE_WINS), READ("c2c4", PGN_DRAW), REJECTED(PGN_ILLEGAL_MOVE, "O-O"));
}

static void test_game_borders(void **state)
{
    (void)state;
    /* No empty lines, no results, tags and moves on one line. */
    CHECK(
        "[A \"1\"]\n1. e4 e5\n2. Nf3\n[A \"2\"]\n1. e4\n[A \"3\"][B \"\"]1. e4 e5*[A \"4\"] 1. e4",
        READ(OPENING, PGN_UNKNOWN), READ("e2e4", PGN_UNKNOWN), READ("e2e4 e7e5", PGN_UNKNOWN),
        READ("e2e4", PGN_UNKNOWN));
    /* Without tags: a new paragraph that begins with 1. */
    CHECK("1. e4 e5\n2. Nf3\n\n1. e4\n\n1... e5\n\n1. ... Nf3\n\n  1. e4\n1. e5 *",
          READ(OPENING, PGN_UNKNOWN), READ(OPENING, PGN_UNKNOWN), READ("e2e4 e7e5", PGN_UNKNOWN));
    CHECK("e4 e5 Nf3 *\ne4 *\n* * 1-0", READ(OPENING, PGN_UNKNOWN), READ("e2e4", PGN_UNKNOWN));
    /* The rest of a game whose beginning is gone is not a game from the start position. */
    CHECK("1. e4 * 2. Nf3 Nf6 *", READ("e2e4", PGN_UNKNOWN), REJECTED(PGN_BAD_TOKEN, "2."));
    /* A byte order mark inside, where files were joined. */
    CHECK("\xEF\xBB\xBF[A \"1\"]\n1. e4 *\n\xEF\xBB\xBF[A \"2\"]\n\n*\n\xEF\xBB\xBF"
          "1. e4 *",
          READ("e2e4", PGN_UNKNOWN), READ("", PGN_UNKNOWN), READ("e2e4", PGN_UNKNOWN));
}

static void test_sections_without_moves(void **state)
{
    (void)state;
    CHECK("[A \"1\"]\n[B \"1\"]\n\n[A \"2\"]\n[B \"2\"]\n\n[C \"2\"]\n\n[A \"3\"]\n",
          READ("", PGN_UNKNOWN), READ("", PGN_UNKNOWN), READ("", PGN_UNKNOWN));
    CHECK("[Result \"1-0\"]\n\n1-0\n\n[Result \"0-1\"]\n\n", READ("", PGN_WHITE_WINS),
          READ("", PGN_BLACK_WINS));
}

static void check_tag(const char *line, const char *name, const char *value)
{
    struct seen seen;
    seen_read_text(&seen, line, strlen(line), STANDARD_ONLY);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.game[0].reject, PGN_ACCEPTED);
    assert_string_equal(seen_tag(&seen.game[0], name), value);
    seen_free(&seen);
}

static void test_tags(void **state)
{
    (void)state;
    check_tag("[White \"A \\\"B\\\" \\\\ C\"]\n*", "White", "A \"B\" \\ C");
    check_tag("[White \"A \"B\" C\"]\n*", "White", "A \"B\" C");
    check_tag("[White \"\"B\"\"]\n*", "White", "\"B\"");
    check_tag("[White \"C:\\games\\\"]\n*", "White", "C:\\games\\");
    check_tag("[White \"[x] {y} (z) ; %\"]\n*", "White", "[x] {y} (z) ; %");
    check_tag("[White \"no bracket\"\n*", "White", "no bracket");
    check_tag("[White \"no quote]\n*", "White", "no quote");
    check_tag("  [  White\t \"spaces\"  ] [B\"c\"]*", "White", "spaces");
    check_tag("  [  White\t \"spaces\"  ] [B\"c\"]*", "B", "c");
    check_tag("[G \"\\\"]\"] *", "G", "\"]");
    CHECK("[White \"cut", REJECTED(PGN_TRUNCATED, NULL));
    /* Before the first tag it is a line like any other; inside a section something is missing. */
    CHECK("[White none]\n[Black \"b\"]\n\n1. e4 *", READ("e2e4", PGN_UNKNOWN));
    CHECK("[Event \"\"]\n[White none]\n[Black \"b\"]\n\n1. e4 *",
          REJECTED(PGN_BAD_TOKEN, "[White none]"));
}

static void test_zero_bytes(void **state)
{
    (void)state;
    CHECK("1. e4 \0 e5 2. Nf3 *\n1. e4 *", REJECTED(PGN_BAD_TOKEN, "?"), READ("e2e4", PGN_UNKNOWN));
    CHECK("1. e4\0e5 *", REJECTED(PGN_BAD_TOKEN, "?"));
    CHECK("\0\0 1. e4 {\0} e5 (\0) 2. Nf3 ; \0\n*\0", READ(OPENING, PGN_UNKNOWN));
    CHECK("[A \"x\0y\"]\n1. e4 *\n[A \"\"] *", REJECTED(PGN_BAD_TOKEN, "A"), READ("", PGN_UNKNOWN));
    CHECK("% \0\n1. e4 e5 2. Nf3", READ(OPENING, PGN_UNKNOWN));
}

static void test_open_comments(void **state)
{
    (void)state;
    /* The next game's own comment shows that the first one was never closed. */
    CHECK("[A \"1\"]\n\n1. e4 { open\n\n[A \"2\"]\n\n1. e4 { x } e5 2. Nf3 *",
          REJECTED(PGN_TRUNCATED, NULL), READ(OPENING, PGN_UNKNOWN));
    CHECK("[A \"1\"]\n\n1. e4 (1. d4 { open\n\n[A \"2\"]\n\n1. e4 { x } e5 2. Nf3 *",
          REJECTED(PGN_TRUNCATED, NULL), READ(OPENING, PGN_UNKNOWN));
    CHECK("1. e4 * { open\n\n[A \"2\"]\n\n1. e4 { x } e5 2. Nf3 *", READ("e2e4", PGN_UNKNOWN),
          READ(OPENING, PGN_UNKNOWN));
    CHECK("[A \"1\"]\n\n1. e4 { open\n\n[A \"2\"]\n\n1. e4 e5 2. Nf3 *",
          REJECTED(PGN_TRUNCATED, NULL), READ(OPENING, PGN_UNKNOWN));
    CHECK("1. e4 { open", REJECTED(PGN_TRUNCATED, "{ open"));
    CHECK("1. e4 {one {two} three} e5 *", REJECTED(PGN_BAD_TOKEN, "three"));
}

static void test_rejects(void **state)
{
    struct seen seen;
    static const char text[] = "\n\n[A \"\"]\n\n1. e4 e5 2. Ke3 {after} d5 1-0\n\n1. e4 *";
    (void)state;
    seen_read_text(&seen, text, sizeof text - 1, STANDARD_ONLY);
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.game[0].reject, PGN_ILLEGAL_MOVE);
    assert_int_equal(seen.game[0].reject_ply, 3);
    assert_int_equal(seen.game[0].reject_offset, strstr(text, "Ke3") - text);
    assert_string_equal(seen.game[0].reject_text, "Ke3");
    assert_int_equal(seen.game[0].text_size, strstr(text, "1-0") + 3 - strchr(text, '['));
    assert_int_equal(seen.game[1].reject, PGN_ACCEPTED);
    seen_free(&seen);
    CHECK("1. Nf3 d5 2. d3 d4 3. Nd2 *", REJECTED(PGN_AMBIGUOUS_MOVE, "Nd2"));
    CHECK("1. e4 e5 2. Bc4 3. d4 *", REJECTED(PGN_ILLEGAL_MOVE, "d4"));
}

static void check_variant(const char *tag, unsigned variants, enum pgn_reject reject,
                          enum pgn_variant variant)
{
    char text[256];
    struct seen seen;
    snprintf(text, sizeof text, "%s\n\n*", tag);
    seen_read_text(&seen, text, strlen(text), variants);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.game[0].reject, reject);
    if (!reject)
        assert_int_equal(seen.game[0].variant, variant);
    seen_free(&seen);
}

#define FEN_START   "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]"
#define FEN_OTHER   "[FEN \"7k/3P4/7K/8/8/8/8/8 w - - 6 55\"]"
#define FEN_FISCHER "[FEN \"nbbqrknr/pppppppp/8/8/8/8/PPPPPPPP/NBBQRKNR w KQkq - 0 1\"]"

static void test_variants(void **state)
{
    (void)state;
    check_variant("[Variant \"Standard\"]", STANDARD_ONLY, PGN_ACCEPTED, PGN_STANDARD);
    check_variant("[Variant \"normal\"]", STANDARD_ONLY, PGN_ACCEPTED, PGN_STANDARD);
    check_variant("[Variant \"?\"]", STANDARD_ONLY, PGN_ACCEPTED, PGN_STANDARD);
    check_variant("[A \"\"]" FEN_START, STANDARD_ONLY, PGN_ACCEPTED, PGN_STANDARD);
    check_variant("[FEN \"\"]", STANDARD_ONLY, PGN_ACCEPTED, PGN_STANDARD);
    check_variant(FEN_OTHER, STANDARD_ONLY, PGN_ACCEPTED, PGN_FROM_POSITION);
    check_variant("[A \"\"]", PGN_CHESS960, PGN_VARIANT, 0);
    check_variant("[Variant \"From Position\"]" FEN_OTHER, PGN_STANDARD, PGN_VARIANT, 0);
    check_variant("[Variant \"Atomic\"]", ALL_VARIANTS, PGN_VARIANT, 0);
    check_variant("[Variant \"Crazyhouse\"][FEN \"nonsense\"]", ALL_VARIANTS, PGN_VARIANT, 0);
    check_variant("[Variant \"Chess960\"]" FEN_FISCHER, STANDARD_ONLY, PGN_VARIANT, 0);
    check_variant("[Variant \"Chess960\"]" FEN_FISCHER, ALL_VARIANTS, PGN_ACCEPTED, PGN_CHESS960);
    check_variant("[Variant \"chess 960\"]" FEN_FISCHER, ALL_VARIANTS, PGN_ACCEPTED, PGN_CHESS960);
    check_variant("[Variant \"fischerandom\"]", ALL_VARIANTS, PGN_ACCEPTED, PGN_CHESS960);
    /* The rights give it away where the tag is missing. */
    check_variant(FEN_FISCHER, STANDARD_ONLY, PGN_VARIANT, 0);
    check_variant(FEN_FISCHER, ALL_VARIANTS, PGN_ACCEPTED, PGN_CHESS960);
    check_variant("[FEN \"nonsense\"]", ALL_VARIANTS, PGN_BAD_FEN, 0);
    check_variant("[FEN \"7k/3P4/7K/8/8/8/8/8 w K - 6 55\"]", ALL_VARIANTS, PGN_BAD_CASTLING, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_escapes_and_comments),
        cmocka_unit_test(test_glyphs),
        cmocka_unit_test(test_variations),
        cmocka_unit_test(test_odd_moves),
        cmocka_unit_test(test_null_moves),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_game_borders),
        cmocka_unit_test(test_sections_without_moves),
        cmocka_unit_test(test_tags),
        cmocka_unit_test(test_zero_bytes),
        cmocka_unit_test(test_open_comments),
        cmocka_unit_test(test_rejects),
        cmocka_unit_test(test_variants),
    };
    return cmocka_run_group_tests_name("pgn text", tests, NULL, NULL);
}
