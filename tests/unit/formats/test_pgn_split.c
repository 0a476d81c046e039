/* SPDX-License-Identifier: MIT */
/*
 * Several threads read the games that one reads: texts in which cuts are right, wrong and
 * impossible, with parts so small that all of it happens, and inputs that break off. Behind what
 * only one thread can read they share the work again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/io/buffer.h"
#include "formats/pgn_split.h"

#define TEXT_MAX (8u << 20)
#define FAIL_AT  77 /* the game at which a visitor gives up */

/* What is known of all games, in order, as text: one line a game. */
struct seen {
    struct buffer lines;
    unsigned games;
    unsigned parts; /* that they were read in, in order, as offsets of texts tell */
    uint64_t base;  /* of the last one */
    bool failing, asking;
};

struct part {
    struct buffer lines;
    unsigned games;
    uint64_t base;
    int asked; /* the number of the game that on_want was asked for last */
};

/* The number that a game's Event tag is, or starts with; 0: none. */
static int event_of(const struct pgn_game *game)
{
    const char *event = pgn_tag(game, "Event");
    return event ? (int)strtol(event, NULL, 10) : 0;
}

static int on_game(void *context, void *result, uint64_t base, const struct pgn_game *game,
                   struct error *err)
{
    struct part *part = result;
    struct seen *seen = context;
    const int event = event_of(game);
    if (part->lines.limit == 0)
        buffer_init(&part->lines, TEXT_MAX);
    part->games++;
    part->base = base;
    if (seen->asking && game->reject <= PGN_SKIPPED)
        assert_int_equal(part->asked, event);
    if (seen->failing && event == FAIL_AT)
        return error_set(err, ERROR_FAILED, "that game");
    return buffer_printf(
        &part->lines, err, "%llu %zu %u %s %llu %u\n", (unsigned long long)(base + game->offset),
        game->text_size, game->plies, pgn_reject_text(game->reject),
        (unsigned long long)(game->reject > PGN_SKIPPED ? base + game->reject_offset : 0),
        game->tag_count);
}

/* Every third game is not read. */
static bool on_want(void *context, void *result, const struct pgn_game *game)
{
    const int event = event_of(game);
    (void)context;
    ((struct part *)result)->asked = event;
    return !pgn_tag(game, "Event") || event % 3 != 0;
}

static void on_drop(void *context, void *result)
{
    struct part *part = result;
    (void)context;
    buffer_free(&part->lines);
    *part = (struct part){.games = 0};
}

static int on_merge(void *context, void *result, struct error *err)
{
    struct seen *seen = context;
    struct part *part = result;
    int status = 0;
    if (part->lines.length > 0)
        status = buffer_append(&seen->lines, part->lines.data, part->lines.length, err);
    seen->games += part->games;
    seen->parts += seen->parts == 0 || part->base != seen->base;
    seen->base = part->base;
    on_drop(context, result);
    return status;
}

struct outcome {
    struct seen seen;
    int status;
    struct error err;
};

/* broken: an error stands at the end of the text. all: no game is left unread. */
static void read_text(const struct buffer *text, bool broken, bool failing, bool all,
                      unsigned threads, size_t part_size, struct outcome *outcome)
{
    struct pgn_split_options options = {.pgn = {.variants = PGN_STANDARD},
                                        .threads = threads,
                                        .result_size = sizeof(struct part),
                                        .part_size = part_size,
                                        .tail_size = part_size / 8};
    struct pgn_split_visitor visitor = {.context = &outcome->seen,
                                        .want = all ? NULL : on_want,
                                        .game = on_game,
                                        .merge = on_merge,
                                        .drop = on_drop};
    struct reader_span span = {text->data, text->length};
    struct reader *reader;
    *outcome = (struct outcome){.seen = {.failing = failing, .asking = !all}};
    buffer_init(&outcome->seen.lines, TEXT_MAX);
    if (broken)
        assert_int_equal(reader_open_spans(&span, 1, NULL, &reader, NULL), 0);
    else
        assert_int_equal(reader_open_memory(text->data, text->length, &reader, NULL), 0);
    outcome->status = pgn_split_read(reader, &options, &visitor, &outcome->err);
    reader_close(reader);
}

static void check_way(const struct buffer *text, bool broken, bool failing, bool all)
{
    static const size_t parts[] = {1000, 1300, 4096, 30000};
    struct outcome want, got;
    read_text(text, broken, failing, all, 1, 0, &want);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        for (unsigned threads = 2; threads <= 20; threads += 3) {
            read_text(text, broken, failing, all, threads, parts[i], &got);
            assert_int_equal(got.status, want.status);
            assert_string_equal(got.err.text, want.err.text);
            if (!failing) { /* then all that is complete is merged, but no part of a part */
                assert_int_equal(got.seen.games, want.seen.games);
                assert_string_equal(got.seen.lines.length ? got.seen.lines.data : "",
                                    want.seen.lines.length ? want.seen.lines.data : "");
            }
            buffer_free(&got.seen.lines);
        }
    }
    buffer_free(&want.seen.lines);
}

static void check_same(const struct buffer *text)
{
    check_way(text, false, false, true);
    check_way(text, false, false, false);
    check_way(text, true, false, true);
}

/* Appends game, the number wherever it has a '#'. */
static void add(struct buffer *text, const char *game, unsigned number)
{
    for (; *game; game++) {
        if (*game == '#')
            assert_int_equal(buffer_printf(text, NULL, "%04u", number), 0);
        else
            assert_int_equal(buffer_append(text, game, 1, NULL), 0);
    }
}

static const char plain[] = "[Event \"#\"]\n[Site \"x\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 "
                            "{ [%clk 0:01:0#] } 3. Bb5 a6 1-0\n\n";

static void test_plain(void **state)
{
    struct buffer text;
    struct outcome seen;
    (void)state;
    buffer_init(&text, TEXT_MAX);
    check_same(&text);
    for (unsigned i = 0; i < 1000; i++)
        add(&text, plain, i);
    check_same(&text);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        read_text(&text, false, false, false, threads, 4096, &seen);
        assert_int_equal(seen.status, 0);
        assert_int_equal(seen.seen.games, 1000);
        unsigned unread = 0;
        for (const char *at = seen.seen.lines.data; (at = strstr(at, "skipped")); at++)
            unread++;
        assert_int_equal(unread, 334);
        buffer_free(&seen.seen.lines);
    }
    buffer_free(&text);
}

/* Every kind of game where a cut may fall; the last kinds are no border or none that is seen. */
static void test_odd_games(void **state)
{
    static const char *const odd[] = {
        "[Event \"#\"]\n[Site \"no moves #\"]\n\n",
        "[Event \"#\"]\n\n1. e4 e5 2. Ke3 illegal # *\n\n",
        "[Event \"#\"]\r\n\r\n1. d4 d5 # 1/2-1/2\r\n\r\n",
        "[Event \"#\"]\n[Variant \"Atomic\"]\n\n1. xx yy # 1-0\n\n",
        "[Event \"#\"]\n\n1. e4 { a tag in a comment\n\n[Event \"inner\"]\n\n1. d4 } e5 # *\n\n",
        "[Event \"#\"]\n\n1. e4 { left open #\n\n",
        "1. d4 d5 # 0-1\n\n[White \"other tag first #\"]\n\n1. c4 c5 *\n\n",
        "[Event \"#\"]\n\n1. e4 (1. d4 ({\n\n[Event \"deep\"]\n\n} d5 #)) e5 *\n\n",
    };
    const size_t kinds = sizeof odd / sizeof *odd;
    (void)state;
    for (size_t kind = 0; kind <= kinds; kind++) {
        for (unsigned period = 1; period <= 11; period += 2) {
            struct buffer text;
            buffer_init(&text, TEXT_MAX);
            for (unsigned i = 0; i < 120; i++) {
                bool is_odd = i > 30 && i % period == 0;
                add(&text, is_odd ? odd[kind == kinds ? i % kinds : kind] : plain, i);
            }
            check_same(&text);
            buffer_free(&text);
        }
    }
}

/* A game longer than a tail, than a part, than several. */
static void test_long_games(void **state)
{
    static const size_t sizes[] = {500, 3900, 9000, 100000};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct buffer text;
        buffer_init(&text, TEXT_MAX);
        for (unsigned game = 0; game < 400; game++) {
            add(&text, plain, game);
            if (game == 150 || game == 370) {
                add(&text, "[Event \"#\"]\n\n1. e4 {#", game);
                for (size_t n = 0; n < sizes[i]; n += 10)
                    add(&text, "word #\n", game);
                add(&text, "} e5 *\n\n", game);
            }
        }
        check_same(&text);
        buffer_free(&text);
    }
}

/* A game that fits into no part is read by one thread, and what follows it in parts again. */
static void test_parts_again(void **state)
{
    const size_t part = 4096;
    struct buffer text;
    struct outcome seen;
    (void)state;
    buffer_init(&text, TEXT_MAX);
    for (unsigned game = 0; game < 3000; game++) {
        add(&text, plain, game);
        if (game % 1000 == 100) {
            add(&text, "[Event \"#\"]\n\n1. e4 {", game);
            for (size_t n = 0; n < 3 * part; n += 5)
                add(&text, "word\n", game);
            add(&text, "} e5 *\n\n", game);
        }
    }
    check_same(&text);
    for (unsigned threads = 1; threads <= 4; threads++) {
        read_text(&text, false, false, true, threads, part, &seen);
        assert_int_equal(seen.status, 0);
        assert_int_equal(seen.seen.games, 3003);
        /* Of 110 parts, at each long game, at most eleven were decoded. */
        if (threads == 1)
            assert_int_equal(seen.seen.parts, 1);
        else
            assert_in_range(seen.seen.parts, text.length / part / 2, text.length / part * 2);
        buffer_free(&seen.seen.lines);
    }
    buffer_free(&text);
}

static void test_failing_visitor(void **state)
{
    struct buffer text;
    (void)state;
    buffer_init(&text, TEXT_MAX);
    for (unsigned i = 0; i < 300; i++)
        add(&text, plain, i);
    check_way(&text, false, true, true);
    buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),           cmocka_unit_test(test_odd_games),
        cmocka_unit_test(test_long_games),      cmocka_unit_test(test_parts_again),
        cmocka_unit_test(test_failing_visitor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
