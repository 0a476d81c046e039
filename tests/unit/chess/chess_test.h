/* SPDX-License-Identifier: MIT */
/*
 * What the tests of formats/chess share: reading test data, the facts of a case, positions from
 * FEN, fixed random numbers.
 */
#ifndef PLYMILL_TESTS_UNIT_CHESS_CHESS_TEST_H
#define PLYMILL_TESTS_UNIT_CHESS_CHESS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/chess/fen.h"
#include "formats/chess/movegen.h"
#include "formats/chess/san.h"
#include "formats/chess/ucimove.h"
#include "formats/io/reader.h"
#include "tests/unit/skip.h"

#define TEST_START_FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define TEST_KIWIPETE  "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

/* splitmix64 */
static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline struct position test_position(const char *fen)
{
    struct position position;
    enum fen_status status = fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &position, NULL);
    if (status != FEN_OK)
        fail_msg("%s: %s", fen, fen_status_text(status));
    return position;
}

/* A whole file, decompressed, with a zero behind it; the caller frees it. Skips where it is absent.
 */
static inline char *test_read_file(const char *path)
{
    struct reader *reader;
    struct error err = {0};
    char *text = NULL;
    size_t size = 0, capacity = 0;

    if (access(path, R_OK) != 0)
        SKIP_BECAUSE("no %s", path);
    assert_int_equal(reader_open(path, false, &reader, &err), 0);
    for (;;) {
        if (size + 1 >= capacity)
            assert_non_null(text = realloc(text, capacity = 2 * capacity + (64u << 10)));
        ssize_t got = reader_read(reader, text + size, capacity - size - 1, &err);
        assert_true(got >= 0);
        if (got == 0)
            break;
        size += (size_t)got;
    }
    reader_close(reader);
    text[size] = '\0';
    return text;
}

/* Cuts the next line off, without its newline; NULL at the end. */
static inline char *test_next_line(char **cursor)
{
    char *line = *cursor;
    if (!*line)
        return NULL;
    char *end = line + strcspn(line, "\n");
    *cursor = *end ? end + 1 : end;
    *end = '\0';
    return line;
}

/* Cuts text at the first separator; what is behind it, or NULL when there is none. */
static inline char *test_cut(char *text, const char *separator)
{
    char *found = strstr(text, separator);
    if (!found)
        return NULL;
    *found = '\0';
    return found + strlen(separator);
}

/* Calls check with key and value of every fact in a case's expected.md; fails without facts. */
static inline void test_each_fact(const char *folder, void (*check)(char *key, char *value))
{
    char path[256];
    bool inside = false;
    unsigned facts = 0;

    snprintf(path, sizeof path, "tests/data/cases/%s/expected.md", folder);
    char *text = test_read_file(path), *cursor = text, *line;
    while ((line = test_next_line(&cursor))) {
        if (strncmp(line, "```", 3) == 0) {
            inside = strcmp(line, "```facts") == 0;
        } else if (inside) {
            char *value = test_cut(line, " = ");
            assert_non_null(value);
            check(line, value);
            facts++;
        }
    }
    free(text);
    assert_true(facts > 0);
}

/*
 * Plays `games` random games from each of the starting FENs (NULL at the end), at most `plies`
 * long, and calls visit in every position with its legal moves.
 */
static inline void test_random_games(const char *const *fens, unsigned games, unsigned plies,
                                     void (*visit)(const struct position *position,
                                                   const uint16_t *moves, unsigned count))
{
    uint64_t random = 2024;
    uint16_t moves[MOVES_MAX];

    for (; *fens; fens++) {
        for (unsigned game = 0; game < games; game++) {
            struct position position = test_position(*fens);
            for (unsigned ply = 0; ply < plies; ply++) {
                unsigned count = movegen_legal(&position, moves);
                visit(&position, moves, count);
                if (count == 0)
                    break;
                position_make(&position, moves[test_random(&random) % count], NULL);
            }
        }
    }
}

/* Starting points that reach everything: standard, Chess960, promotions, en passant. */
static const char *const test_start_fens[] = {
    TEST_START_FEN,
    TEST_KIWIPETE,
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1",
    "1rkr1b2/p3p3/8/8/8/8/P3P3/1RKR1B2 w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    "q2k2q1/2nqn2b/1n1P1n1b/2rnr2Q/1NQ1QN1Q/3Q3B/2RQR2B/Q2K2Q1 w - - 0 1",
    NULL};

#endif
