/* SPDX-License-Identifier: MIT */
/*
 * Lichess's lists as sources of positions: the evaluations (their published sample, and lines of
 * that form) and the puzzles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"
#include "formats/codec_detect.h"
#include "formats/pgn.h"
#include "tests/unit/formats/codec_test.h"
#include "tests/unit/skip.h"

#define SHARED_EVALS "../shared/data/odd/puzzles/lichess-eval-sample.jsonl"
#define SHARED_CSV   "../shared/data/odd/puzzles/lichess-puzzles-%s.csv.zst"
#define RECORDS_MAX  16

static const struct codec_options options = {.score_scale = 1.0, .validate = true};

static long decode(const struct codec *codec, const char *text, struct record *records,
                   struct error *err)
{
    memset(records, 0, RECORDS_MAX * sizeof *records);
    return codec_test_decode(codec, &options, text, strlen(text), records, RECORDS_MAX, err);
}

static void assert_position(const struct record *record, const char *fen, const char *best)
{
    char text[FEN_MAX], move[UCIMOVE_MAX];
    fen_format(&record->position, FEN_XFEN, text);
    ucimove_format(record->label.best_move, record->position.chess960, move);
    assert_string_equal(text, fen);
    assert_string_equal(move, best);
}

static void assert_score(const struct record *record, enum score_kind kind, int value)
{
    assert_int_equal(record->label.final.kind, kind);
    assert_int_equal(record->label.final.value, value);
    assert_int_equal(record->label.exact.kind, kind);
    assert_int_equal(record->label.exact.value, value);
    assert_int_equal(record->label.bound, BOUND_EXACT);
}

static void the_published_sample(void **state)
{
    (void)state;
    struct record record;
    struct codec_reader *reader;
    struct error err = {0};
    const struct codec *codec;
    if (!file_exists(SHARED_EVALS))
        SKIP_BECAUSE("no " SHARED_EVALS);
    assert_int_equal(codec_detect(SHARED_EVALS, &codec, &err), 0);
    assert_ptr_equal(codec, &codec_lichess_evals);
    assert_int_equal(codec_reader_open(SHARED_EVALS, codec, &options, &reader, &err), 0);
    assert_int_equal(codec_reader_next(reader, &record, &err), 1);
    assert_position(&record, "2bq1rk1/pr3ppn/1p2p3/7P/2pP1B1P/2P5/PPQ2PB1/R3R1K1 w - - 0 1",
                    "g2e4");
    assert_score(&record, SCORE_CP, 311);
    assert_int_equal(record.label.depth, 36);
    assert_int_equal(record.label.nodes, 206765000);
    assert_int_equal(record.label.limit_kind, LIMIT_NONE);
    assert_int_equal(record.result, PGN_UNKNOWN);
    assert_int_equal(codec_reader_next(reader, &record, &err), 0);
    codec_reader_close(reader);
}

/* Black to move, after 1.e4: White's +31 is Black's -31. */
#define BLACK_FEN       "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
#define PV(score, line) "{\"pvs\":[{" score ",\"line\":\"" line "\"}],"

static void scores_are_turned(void **state)
{
    (void)state;
    static const char text[] = "{\"fen\":\"" BLACK_FEN "\",\"evals\":[" PV(
        "\"cp\":31",
        "e7e5 g1f3") "\"knodes\":1,\"depth\":2}]}\n"
                     "{\"fen\":\"" BLACK_FEN "\",\"evals\":[" PV(
                         "\"mate\":-4",
                         "c7c5") "\"knodes\":0,\"depth\":9}]}\r\n"
                                 "\n"
                                 "{\"fen\":\"7k/8/5K2/8/8/8/8/6R1 w - -\",\"evals\":[" PV(
                                     "\"mate\":2", "f6f7 h8h7 g1h1") "\"knodes\":7,\"depth\":30}]}";
    struct record records[RECORDS_MAX];
    struct error err = {0};
    assert_int_equal(decode(&codec_lichess_evals, text, records, &err), 3);
    assert_position(&records[0], BLACK_FEN " 0 1", "e7e5");
    assert_score(&records[0], SCORE_CP, -31);
    assert_score(&records[1], SCORE_MATE, 4);
    assert_score(&records[2], SCORE_MATE, 2);
    assert_string_equal(records[0].game_id, "");
}

static void the_deepest_counts(void **state)
{
    (void)state;
    static const char text[] =
        "{\"fen\":\"" BLACK_FEN
        "\",\"evals\":[" PV("\"cp\":1", "e7e5") "\"knodes\":900,\"depth\":20}," PV(
            "\"cp\":2",
            "c7c5") "\"knodes\":5,\"depth\":21}," PV("\"cp\":3",
                                                     "d7d5") "\"knodes\":6,\"depth\":21}"
                                                             "," PV("\"cp\":4",
                                                                    "a7a6") "\"knodes\":6,"
                                                                            "\"depth\":21}"
                                                                            "]}\n";
    struct record records[RECORDS_MAX];
    struct error err = {0};
    assert_int_equal(decode(&codec_lichess_evals, text, records, &err), 1);
    assert_position(&records[0], BLACK_FEN " 0 1", "d7d5");
    assert_score(&records[0], SCORE_CP, -3);
}

/* King takes rook, in standard chess and in Chess960. */
static void castling(void **state)
{
    (void)state;
    static const char text[] = "{\"fen\":\"r3k2r/8/8/8/8/8/8/R3K2R w KQkq -\",\"evals\":[" PV(
        "\"cp\":0", "e1h1 e8a8") "\"knodes\":1,\"depth\":2}]}\n"
                                 "{\"fen\":\"1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb -\",\"evals\":[" PV(
                                     "\"cp\":0", "e1b1") "\"knodes\":1,\"depth\":2}]}\n";
    struct record records[RECORDS_MAX];
    struct error err = {0};
    assert_int_equal(decode(&codec_lichess_evals, text, records, &err), 2);
    assert_position(&records[0], "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1");
    assert_position(&records[1], "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1", "e1b1");
}

static void assert_refused(const struct codec *codec, const char *text, long given,
                           uint64_t refused)
{
    struct codec_reader *reader;
    struct record record;
    struct error err = {0};
    int status;
    assert_int_equal(
        codec_reader_open_memory("x", text, strlen(text), codec, &options, &reader, &err), 0);
    while ((status = codec_reader_next(reader, &record, &err)) == 1)
        given--;
    assert_int_equal(status, 0);
    assert_int_equal(given, 0);
    assert_int_equal(codec_reader_refused(reader), refused);
    codec_reader_close(reader);
}

#define EVALS(fen, move)                                                                           \
    "{\"fen\":\"" fen "\",\"evals\":[" PV("\"cp\":1", move) "\"knodes\":1,\"depth\":2}]}\n"

static void the_unusable_is_passed_over(void **state)
{
    (void)state;
    assert_refused(&codec_lichess_evals,
                   EVALS("7k/8/8/8/8/8/8/8 w - -", "e2e4")     /* no white king */
                   EVALS(BLACK_FEN, "e2e4")                    /* not Black's move */
                   EVALS("7k/8/8/8/8/8/8/K6R w - -", "a1a2")   /* Black is in check */
                   EVALS("7k/8/8/8/8/8/8/K5R1 w KQ -", "a1a2") /* rights that are dropped */
                   EVALS(BLACK_FEN, "e7e5"),
                   2, 3);
    assert_refused(&codec_lichess_puzzles,
                   "PuzzleId,FEN,Moves,GameUrl\n"
                   "00001,7k/8/8/8/8/8/8/8 w - - 0 1,a1a2 h8h7,https://lichess.org/abcdefgh#2\n"
                   "00002,7k/8/8/8/8/8/8/K7 w - - 0 1,a1a3 h8h7,https://lichess.org/abcdefgh#2\n"
                   "00003,7k/8/8/8/8/8/8/K7 w - - 0 1,a1a2 h8h6,https://lichess.org/abcdefgh#2\n"
                   "00004,7k/8/8/8/8/8/8/K7 w - - 0 1,a1a2,https://lichess.org/abcdefgh#2\n"
                   "00005,7k/8/8/8/8/8/8/K7 w - - 0 1,a1a2 h8h7,https://lichess.org/abcdefgh#2\n",
                   1, 4);
}

static void assert_damage(const struct codec *codec, const char *text, const char *where)
{
    struct record records[RECORDS_MAX];
    struct error err = {0};
    assert_int_equal(decode(codec, text, records, &err), -1);
    if (strstr(err.text, where) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, where);
}

static void damage_is_located(void **state)
{
    (void)state;
    static const char good[] = EVALS(BLACK_FEN, "e7e5");
    char text[2 * sizeof good], where[64];
    snprintf(text, sizeof text, "%s%.*s", good, (int)sizeof good - 20, good);
    snprintf(where, sizeof where, "record 2 (line 2, byte %zu): no evaluation", sizeof good - 1);
    assert_damage(&codec_lichess_evals, text, where);
    assert_damage(&codec_lichess_evals, "{}\n", "record 1 (line 1, byte 0): no evaluation");
    assert_damage(&codec_lichess_evals, "[]\n", "no fen");
    assert_damage(&codec_lichess_evals, "{\"fen\":\"" BLACK_FEN "\",\"evals\":[]}", "no evals");
    assert_damage(&codec_lichess_evals,
                  "{\"fen\":\"" BLACK_FEN
                  "\",\"evals\":[" PV("\"cp\":1.5", "e7e5") "\"knodes\":1,\"depth\":2}]}",
                  "neither cp nor mate");
    assert_damage(&codec_lichess_evals,
                  "{\"fen\":\"" BLACK_FEN
                  "\",\"evals\":[" PV("\"cp\":1", "e7e5") "\"knodes\":1,\"depth\":65536}]}",
                  "knodes or depth");
    assert_damage(&codec_lichess_puzzles, "PuzzleId,FEN,Moves,GameUrl\n00001,x,y\n",
                  "line 2, byte 27): too few columns");
    assert_damage(&codec_lichess_puzzles, "CLUE,TITLE,FEN,SOLUTION\n", "bad header 'CLUE,");
}

static void puzzles(void **state)
{
    (void)state;
    static const char text[] =
        "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n"
        "CJi0b,6k1/p1p2ppp/1pqp2r1/3Q4/8/1P6/P1P2PPP/4RK2 b - - 8 22,c6d5 e1e8,400,116,81,1125,"
        "backRankMate endgame,https://lichess.org/zhWsNjI8/black#44,\n"
        "3IQ26,4r1k1/2Q2ppp/2p2n2/3p4/N7/4r3/P5PP/2q2R1K w - - 0 25,f1c1 e3e1 c1e1 e8e1,400,103,68,"
        "178,short,https://lichess.org/IcPcaawQ#49,\n";
    static const char old[] = /* before there were headers and openings */
        "3IQ26,4r1k1/2Q2ppp/2p2n2/3p4/N7/4r3/P5PP/2q2R1K w - - 0 25,f1c1 e3e1 c1e1 e8e1,400,103,68,"
        "178,short,https://lichess.org/IcPcaawQ#49\n";
    struct record records[RECORDS_MAX];
    struct error err = {0};
    assert_int_equal(decode(&codec_lichess_puzzles, text, records, &err), 2);
    assert_position(&records[0], "6k1/p1p2ppp/1p1p2r1/3q4/8/1P6/P1P2PPP/4RK2 w - - 0 23", "e1e8");
    assert_string_equal(records[0].game_id, "zhWsNjI8");
    assert_int_equal(records[0].ply, 44);
    assert_int_equal(records[0].result, PGN_UNKNOWN);
    assert_int_equal(records[0].label.final.kind, SCORE_NONE);
    assert_position(&records[1], "4r1k1/2Q2ppp/2p2n2/3p4/N7/4r3/P5PP/2R4K b - - 0 25", "e3e1");
    assert_int_equal(records[1].ply, 49);
    assert_int_equal(decode(&codec_lichess_puzzles, old, records, &err), 1);
    assert_string_equal(records[0].game_id, "IcPcaawQ");
}

/* Every row of real tables, one of which has columns of its own behind the usual ones. */
static void real_puzzles(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        long count;
    } files[] = {{"a", 1185}, {"b", 855}, {"c", 598}};
    char path[256];
    struct record record;
    struct error err = {0};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct codec_reader *reader;
        const struct codec *codec;
        long count = 0;
        snprintf(path, sizeof path, SHARED_CSV, files[i].name);
        if (!file_exists(path))
            SKIP_BECAUSE("no %s", path);
        assert_int_equal(codec_detect(path, &codec, &err), 0);
        assert_ptr_equal(codec, &codec_lichess_puzzles);
        assert_int_equal(codec_reader_open(path, codec, &options, &reader, &err), 0);
        int status;
        while ((status = codec_reader_next(reader, &record, &err)) == 1) {
            assert_true(gameid_is_valid(record.game_id, strlen(record.game_id)));
            assert_true(record.ply > 0);
            count++;
        }
        assert_int_equal(status, 0);
        assert_int_equal(count, files[i].count);
        assert_int_equal(codec_reader_refused(reader), 0);
        codec_reader_close(reader);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_sample),
        cmocka_unit_test(scores_are_turned),
        cmocka_unit_test(the_deepest_counts),
        cmocka_unit_test(castling),
        cmocka_unit_test(the_unusable_is_passed_over),
        cmocka_unit_test(damage_is_located),
        cmocka_unit_test(puzzles),
        cmocka_unit_test(real_puzzles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
