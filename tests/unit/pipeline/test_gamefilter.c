/* SPDX-License-Identifier: MIT */
/* Which games are asked for, by their tags: by hand, and on the cases 021 and 023. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "formats/io/reader.h"
#include "pipeline/stages/gamefilter.h"

#define CASES "tests/data/cases/"

/* settings: "key=value;key=value". */
static void make_filter(const char *settings_text, struct gamefilter *filter)
{
    struct settings *settings = settings_new();
    struct error err = {0};
    char text[512], *rest = text;
    (void)snprintf(text, sizeof text, "%s", settings_text);
    while (*rest) {
        char *key = rest, *value = strchr(key, '=');
        *value++ = '\0';
        rest = value + strcspn(value, ";");
        if (*rest)
            *rest++ = '\0';
        if (settings_set(settings, key, value, "test", &err) < 0)
            fail_msg("%s", err.text);
    }
    gamefilter_from(settings, filter);
    settings_free(settings);
}

struct judge {
    const struct gamefilter *filter;
    enum refusal refusals[16];
    struct knownbad bad[16];
    size_t count;
};

static bool want(void *context, const struct pgn_game *game)
{
    struct judge *judge = context;
    enum refusal refusal = gamefilter_judge(judge->filter, game);
    assert_true(judge->count < 16);
    judge->bad[judge->count] = gamefilter_known_bad(judge->filter, game);
    judge->refusals[judge->count++] = refusal;
    return refusal == REFUSAL_NONE;
}

/* Asks of every game; the games that were read are counted. */
static size_t ask(struct judge *judge, struct reader *reader)
{
    const struct pgn_options options = {.variants =
                                            PGN_STANDARD | PGN_FROM_POSITION | PGN_CHESS960};
    const struct pgn_visitor visitor = {.context = judge, .want = want};
    const struct pgn_game *game;
    struct pgn *pgn;
    size_t read = 0;
    assert_int_equal(pgn_new(reader, &options, &visitor, &pgn, NULL), 0);
    while (pgn_next(pgn, &game, NULL) == 1)
        read += game->reject == PGN_ACCEPTED;
    pgn_free(pgn);
    reader_close(reader);
    return read;
}

/* One game with these tags: "Name=value;Name=value". */
static struct judge ask_tags(const struct gamefilter *filter, const char *tags)
{
    struct judge judge = {.filter = filter};
    char text[1024];
    size_t length = 0;
    while (*tags) {
        int name = (int)strcspn(tags, "="), value = (int)strcspn(tags + name + 1, ";");
        length += (size_t)snprintf(text + length, sizeof text - length, "[%.*s \"%.*s\"]\n", name,
                                   tags, value, tags + name + 1);
        tags += name + 1 + value;
        tags += *tags == ';';
    }
    length += (size_t)snprintf(text + length, sizeof text - length, "\n1. e4 *\n");
    struct reader *reader;
    assert_int_equal(reader_open_memory(text, length, &reader, NULL), 0);
    ask(&judge, reader);
    assert_int_equal(judge.count, 1);
    return judge;
}

static const struct {
    const char *settings, *tags;
    enum refusal refusal;
} cases[] = {
    {"", "Event=x", REFUSAL_NONE},
    {"input.min_elo=2000", "WhiteElo=2000;BlackElo=2500", REFUSAL_NONE},
    {"input.min_elo=2000", "WhiteElo=1999;BlackElo=2500", REFUSAL_RATING},
    {"input.min_elo=2000", "WhiteElo=2500;BlackElo=1999", REFUSAL_RATING},
    {"input.min_elo=2000", "WhiteElo=2500", REFUSAL_RATING},
    {"input.min_elo=2000", "WhiteElo=2500;BlackElo=?", REFUSAL_RATING},
    {"input.max_elo=2000", "WhiteElo=2000;BlackElo=1", REFUSAL_NONE},
    {"input.max_elo=2000", "WhiteElo=2001;BlackElo=1000", REFUSAL_RATING},
    {"input.max_elo=2000", "WhiteElo=1000;BlackElo=2001", REFUSAL_RATING},
    {"input.max_elo=2000", "BlackElo=1000", REFUSAL_RATING},
    {"input.min_elo=1500;input.max_elo=1600", "WhiteElo=1500;BlackElo=1600", REFUSAL_NONE},
    {"input.time_control=blitz,rapid", "TimeControl=180+0", REFUSAL_NONE},
    {"input.time_control=blitz,rapid", "TimeControl=900+10", REFUSAL_NONE},
    {"input.time_control=blitz,rapid", "TimeControl=60+0", REFUSAL_TIME_CONTROL},
    {"input.time_control=blitz,rapid", "TimeControl=?", REFUSAL_TIME_CONTROL},
    {"input.time_control=blitz,rapid", "Event=x", REFUSAL_TIME_CONTROL},
    {"input.time_control=correspondence", "TimeControl=-", REFUSAL_NONE},
    {"input.termination=normal", "Termination=Normal", REFUSAL_NONE},
    {"input.termination=normal", "Termination=Time forfeit", REFUSAL_TERMINATION},
    {"input.termination=normal,time-forfeit", "Termination=Time forfeit", REFUSAL_NONE},
    {"input.termination=time-forfeit", "Termination=time forfeit", REFUSAL_NONE},
    {"input.termination=rules-infraction", "Termination=Rules infraction", REFUSAL_NONE},
    {"input.termination=normal", "Termination=Normality", REFUSAL_TERMINATION},
    {"input.termination=normal", "Termination=Norm", REFUSAL_TERMINATION},
    {"input.termination=normal", "Event=x", REFUSAL_TERMINATION},
    {"input.results=1-0,0-1", "Result=0-1", REFUSAL_NONE},
    {"input.results=1-0,0-1", "Result=1/2-1/2", REFUSAL_RESULT},
    {"input.results=1/2-1/2", "Result=1/2-1/2", REFUSAL_NONE},
    {"input.results=*", "Result=*", REFUSAL_NONE},
    {"input.results=*", "Event=x", REFUSAL_RESULT},
    {"input.exclude_bots=true", "WhiteTitle=BOT", REFUSAL_BOT},
    {"input.exclude_bots=true", "BlackTitle=BOT;WhiteTitle=GM", REFUSAL_BOT},
    {"input.exclude_bots=true", "BlackTitle=IM;WhiteTitle=GM", REFUSAL_NONE},
    {"input.exclude_bots=false", "BlackTitle=BOT", REFUSAL_NONE},
    {"input.dates=2013-01", "UTCDate=2013.01.05;Date=2014.01.01", REFUSAL_NONE},
    {"input.dates=2013-01", "UTCDate=2014.01.05;Date=2013.01.01", REFUSAL_DATE},
    {"input.dates=2013-01", "UTCDate=????.??.??;Date=2013.01.01", REFUSAL_NONE},
    {"input.dates=2013-01", "Date=2013.01.??", REFUSAL_NONE},
    {"input.dates=2013-01", "Date=2013.??.??", REFUSAL_DATE},
    {"input.dates=2013-01", "Event=x", REFUSAL_DATE},
    /* The first reason of several. */
    {"input.min_elo=2000;input.dates=2013-01;input.results=*", "Result=1-0", REFUSAL_RATING},
    {"input.dates=2013-01;input.results=*", "Result=1-0", REFUSAL_RESULT},
};

static void test_tags(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gamefilter filter;
        make_filter(cases[i].settings, &filter);
        struct judge judge = ask_tags(&filter, cases[i].tags);
        if (judge.refusals[0] != cases[i].refusal)
            fail_msg("%s on %s: %s", cases[i].settings, cases[i].tags,
                     gamefilter_text(judge.refusals[0]));
    }
}

/* Limits of Lichess: 29, 179, 479, 1499, 21599 seconds are the last of their speeds. */
static void test_speeds(void **state)
{
    static const struct {
        const char *text;
        enum speed speed;
    } speeds[] = {
        {"0+0", SPEED_ULTRABULLET},
        {"29", SPEED_ULTRABULLET},
        {"30", SPEED_BULLET},
        {"15+0", SPEED_ULTRABULLET},
        {"0+1", SPEED_BULLET},
        {"60+2", SPEED_BULLET},
        {"179+0", SPEED_BULLET},
        {"60+3", SPEED_BLITZ},
        {"180", SPEED_BLITZ},
        {"300+3", SPEED_BLITZ},
        {"300+4", SPEED_BLITZ},
        {"300+5", SPEED_RAPID},
        {"480+0", SPEED_RAPID},
        {"900+14", SPEED_RAPID},
        {"900+15", SPEED_CLASSICAL},
        {"1800+20", SPEED_CLASSICAL},
        {"21599", SPEED_CLASSICAL},
        {"21600", SPEED_CORRESPONDENCE},
        {"-", SPEED_CORRESPONDENCE},
        {"10+0.1", SPEED_ULTRABULLET},
        {"29.999", SPEED_ULTRABULLET},
        {"10+0.5", SPEED_BULLET},
        {"40/60+0.6", SPEED_BULLET},
        {"40/7200:3600", SPEED_CLASSICAL},
        {"20/60", SPEED_BULLET},
        {"1/86400", SPEED_CORRESPONDENCE},
        {"", SPEED_UNKNOWN},
        {"?", SPEED_UNKNOWN},
        {"*180", SPEED_UNKNOWN},
        {"0/60", SPEED_UNKNOWN},
        {"300+", SPEED_UNKNOWN},
        {"300+3s", SPEED_UNKNOWN},
        {"5 min", SPEED_UNKNOWN},
        {"1234567890", SPEED_UNKNOWN},
        {"999999999+999999999", SPEED_CORRESPONDENCE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++)
        if (gamefilter_speed(speeds[i].text) != speeds[i].speed)
            fail_msg("\"%s\" is of speed %d", speeds[i].text, gamefilter_speed(speeds[i].text));
    assert_int_equal(gamefilter_speed(NULL), SPEED_UNKNOWN);
}

/* draw < fraction * 2^64, at the bound itself. */
static void test_fraction(void **state)
{
    struct gamefilter filter;
    (void)state;
    make_filter("", &filter);
    assert_true(gamefilter_takes_draw(&filter, UINT64_MAX));
    make_filter("input.fraction=1", &filter);
    assert_true(gamefilter_takes_draw(&filter, UINT64_MAX));
    make_filter("input.fraction=0", &filter);
    assert_false(gamefilter_takes_draw(&filter, 0));
    make_filter("input.fraction=0.5", &filter);
    assert_true(gamefilter_takes_draw(&filter, 0x7fffffffffffffffu));
    assert_false(gamefilter_takes_draw(&filter, 0x8000000000000000u));
    /* 0.1 as a double is 7205759403792794 / 2^56, so the bound is 256 times its numerator. */
    make_filter("input.fraction=0.1", &filter);
    assert_true(gamefilter_takes_draw(&filter, 7205759403792794u * 256 - 1));
    assert_false(gamefilter_takes_draw(&filter, 7205759403792794u * 256));
    /* 1e-19 * 2^64 is 1.84: draws 0 and 1 are below it. */
    make_filter("input.fraction=1e-19", &filter);
    assert_true(gamefilter_takes_draw(&filter, 1));
    assert_false(gamefilter_takes_draw(&filter, 2));
    /* The largest double below 1 is 1 - 2^-53. */
    make_filter("input.fraction=0.99999999999999988", &filter);
    assert_true(gamefilter_takes_draw(&filter, UINT64_MAX - 2048));
    assert_false(gamefilter_takes_draw(&filter, UINT64_MAX - 2047));
}

static void test_known_bad(void **state)
{
    static const char fen[] = "FEN=4k3/8/8/8/8/8/4P3/4K3 w - - 0 1;UTCDate=2021.01.31";
    static const struct {
        const char *tags;
        bool game, result;
        uint32_t first_ply;
    } days[] = {
        {"UTCDate=2016.11.30", false, false, 0},
        {"UTCDate=2016.12.01", true, false, 0},
        {"UTCDate=2016.12.31", true, false, 0},
        {"UTCDate=2017.01.01", false, false, 0},
        {"Date=2016.12.??", true, false, 0},
        {"Date=2016.??.??", false, false, 0},
        {"UTCDate=2020.06.30", false, false, 0},
        {"UTCDate=2020.07.01", false, false, 16},
        {"UTCDate=2020.08.31", false, false, 16},
        {"UTCDate=2020.09.01", false, false, 0},
        {"UTCDate=2021.02.08", false, false, 0},
        {"UTCDate=2021.02.09", true, false, 0},
        {"UTCDate=2021.02.10", false, false, 0},
        {"UTCDate=2021.03.11", false, false, 0},
        {"UTCDate=2021.03.12", false, true, 0},
        {"UTCDate=2021.03.13", false, false, 0},
        {"UTCDate=2021.01.31", false, false, 0},
        {fen, true, false, 0},
        {"Event=x", false, false, 0},
    };
    (void)state;
    struct gamefilter filter, keep, engine;
    make_filter("label.source=lichess-eval", &filter);
    make_filter("label.source=lichess-eval;input.known_bad=keep", &keep);
    make_filter("", &engine);
    for (size_t i = 0; i < sizeof days / sizeof days[0]; i++) {
        struct judge judge = ask_tags(&filter, days[i].tags);
        if (judge.bad[0].game != days[i].game || judge.bad[0].result != days[i].result ||
            judge.bad[0].first_ply != days[i].first_ply)
            fail_msg("%s", days[i].tags);
        assert_int_equal(judge.refusals[0], days[i].game ? REFUSAL_KNOWN_BAD : REFUSAL_NONE);
        assert_int_equal(ask_tags(&keep, days[i].tags).refusals[0], REFUSAL_NONE);
        assert_false(ask_tags(&engine, days[i].tags).bad[0].game);
    }
    /* A result that is not to be trusted counts as unknown. */
    make_filter("label.source=lichess-eval;input.results=1-0", &filter);
    assert_int_equal(ask_tags(&filter, "UTCDate=2021.03.12;Result=1-0").refusals[0],
                     REFUSAL_RESULT);
    assert_int_equal(ask_tags(&filter, "UTCDate=2021.03.13;Result=1-0").refusals[0], REFUSAL_NONE);
}

/* Each filter on the games of case 021: how many are left. */
static void test_case_021(void **state)
{
    static const struct {
        const char *settings;
        size_t left;
    } filters[] = {
        {"", 5},
        {"input.results=*", 2},
        {"input.results=1-0,0-1,1/2-1/2", 3},
        {"input.termination=unterminated", 1},
        {"input.termination=abandoned,time-forfeit", 2},
        {"input.termination=rules-infraction", 1},
        {"input.exclude_bots=true", 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        struct gamefilter filter;
        struct reader *reader;
        make_filter(filters[i].settings, &filter);
        struct judge judge = {.filter = &filter};
        assert_int_equal(
            reader_open(CASES "021-abandoned-unterminated/input.pgn", false, &reader, NULL), 0);
        size_t left = ask(&judge, reader);
        if (left != filters[i].left)
            fail_msg("%s leaves %zu games", filters[i].settings, left);
        assert_int_equal(judge.count, 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tags),     cmocka_unit_test(test_speeds),
        cmocka_unit_test(test_fraction), cmocka_unit_test(test_known_bad),
        cmocka_unit_test(test_case_021),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
