/* SPDX-License-Identifier: MIT */
/*
 * SAN against a reference that generates all legal moves and compares texts, the accepted
 * spellings, and the cases 009 and 011.
 */
#include "formats/chess/san.h"
#include "formats/chess/san_plain.h"
#include "tests/unit/chess/chess_test.h"

/* By piece type. */
static unsigned plain_yes[6], plain_no[6];

static unsigned moving_type(const struct position *position, uint16_t move)
{
    return piece_type_of(position->board[move_from(move)]);
}

/* The move of a text that the reader of plain moves reads whole but for a sign of check. */
static uint16_t parse_plain(const struct position *position, const char *text)
{
    struct legality_guard guard = legality_find_guard(position);
    struct san_plain plain = {0};
    const char *end = san_plain_is_file(*text)
                          ? san_plain_pawn(position, &guard, position->side, text, &plain)
                          : san_plain_piece(position, &guard, position->side, text, &plain);
    if (!end || (*end != '\0' && strcmp(end, "+") != 0 && strcmp(end, "#") != 0))
        return MOVE_NONE;
    assert_true(end <= text + SAN_PLAIN_MAX);
    assert_int_equal(plain.type, moving_type(position, move_make(plain.from, plain.to, 0)));
    assert_true(plain.origin == bitboard_of(plain.from) && plain.target == bitboard_of(plain.to));
    return move_make(plain.from, plain.to, MOVE_NORMAL);
}

/* The reader of plain moves says nothing, or what san_parse says. */
static enum san_status parse(const struct position *position, const char *text, uint16_t *move)
{
    enum san_status status = san_parse(position, text, strlen(text), move);
    uint16_t plain = parse_plain(position, text);
    if (plain != MOVE_NONE && (status != SAN_OK || plain != *move))
        fail_msg("%s: read as a plain move", text);
    if (status == SAN_OK)
        (plain != MOVE_NONE ? plain_yes : plain_no)[moving_type(position, *move)]++;
    return status;
}

/* What a text without suffixes asks for. */
struct wish {
    unsigned type;
    int file, rank; /* -1: not given */
    unsigned to;
    unsigned promotion; /* PAWN: none */
};

static bool fits(const struct position *position, uint16_t move, const struct wish *wish)
{
    unsigned from = move_from(move);
    unsigned promotion = move_kind(move) == MOVE_PROMOTION ? move_promotion(move) : PAWN;

    if (move_kind(move) == MOVE_CASTLING || move_to(move) != wish->to ||
        moving_type(position, move) != wish->type || promotion != wish->promotion)
        return false;
    /* A pawn that takes must name its file. */
    if (wish->type == PAWN && wish->file < 0 && square_file(from) != square_file(wish->to))
        return false;
    return (wish->file < 0 || square_file(from) == (unsigned)wish->file) &&
           (wish->rank < 0 || square_rank(from) == (unsigned)wish->rank);
}

static void wish_text(const struct wish *wish, char *text)
{
    if (wish->type != PAWN)
        *text++ = "PNBRQK"[wish->type];
    if (wish->file >= 0)
        *text++ = (char)('a' + wish->file);
    if (wish->rank >= 0)
        *text++ = (char)('1' + wish->rank);
    *text++ = (char)('a' + square_file(wish->to));
    *text++ = (char)('1' + square_rank(wish->to));
    if (wish->promotion != PAWN)
        *text++ = "PNBRQK"[wish->promotion];
    *text = '\0';
}

/* With a cross before the target and a sign behind it a text asks for the same. */
static void check_decorated(const struct position *position, const char *text,
                            const struct wish *wish, enum san_status right)
{
    char decorated[24];
    uint16_t move;
    size_t length = strlen(text), target = length - 2 - (wish->promotion != PAWN);

    snprintf(decorated, sizeof decorated, "%.*sx%s%c", (int)target, text, text + target,
             wish->to % 2 ? '+' : '#');
    assert_int_equal(parse(position, decorated, &move), right);
}

static void check_wish(const struct position *position, const uint16_t *moves, unsigned count,
                       const struct wish *wish)
{
    char text[16];
    unsigned found = 0;
    uint16_t expected = MOVE_NONE, move = MOVE_NONE;

    for (unsigned i = 0; i < count; i++) {
        if (fits(position, moves[i], wish)) {
            expected = moves[i];
            found++;
        }
    }
    wish_text(wish, text);
    enum san_status status = parse(position, text, &move);
    enum san_status right = found == 0 ? SAN_ILLEGAL : found == 1 ? SAN_OK : SAN_AMBIGUOUS;
    if (status != right || (found == 1 && move != expected))
        fail_msg("%s: status %d, not %d", text, (int)status, (int)right);
    check_decorated(position, text, wish, right);
}

/* Every text of one kind: all targets, all origins given in part or whole. */
static void check_all_wishes(const struct position *position, const uint16_t *moves, unsigned count,
                             unsigned type, unsigned promotion)
{
    for (unsigned to = 0; to < 64; to++) {
        for (int file = -1; file < 8; file++) {
            for (int rank = -1; rank < 8; rank++) {
                const struct wish wish = {type, file, rank, to, promotion};
                /* A square without a piece letter is the UCI form: any piece. */
                if (type != PAWN || file < 0 || rank < 0)
                    check_wish(position, moves, count, &wish);
            }
        }
    }
}

static void check_against_reference(const struct position *position, const uint16_t *moves,
                                    unsigned count)
{
    static unsigned turn;

    if (turn++ % 16)
        return;
    for (unsigned type = KNIGHT; type <= KING; type++)
        check_all_wishes(position, moves, count, type, PAWN);
    for (unsigned promotion = PAWN; promotion <= QUEEN; promotion++)
        check_all_wishes(position, moves, count, PAWN, promotion);
}

static void test_reference(void **state)
{
    (void)state;
    test_random_games(test_start_fens, 5, 120, check_against_reference);
    for (unsigned type = PAWN; type <= KING; type++)
        assert_true(plain_yes[type] > plain_no[type]);
}

/* The least disambiguation, by comparing with all legal moves. */
static void expected_origin(const struct position *position, const uint16_t *moves, unsigned count,
                            uint16_t move, char *out)
{
    unsigned from = move_from(move), others = 0, same_file = 0, same_rank = 0;

    for (unsigned i = 0; i < count; i++) {
        unsigned other = move_from(moves[i]);
        if (other == from || move_to(moves[i]) != move_to(move) ||
            move_kind(moves[i]) == MOVE_CASTLING ||
            moving_type(position, moves[i]) != moving_type(position, move))
            continue;
        others++;
        same_file += square_file(other) == square_file(from);
        same_rank += square_rank(other) == square_rank(from);
    }
    if (others && (!same_file || same_rank))
        *out++ = (char)('a' + square_file(from));
    if (same_file)
        *out++ = (char)('1' + square_rank(from));
    *out = '\0';
}

enum { EXPECTED_MAX = 32 };

static void expected_san(const struct position *position, const uint16_t *moves, unsigned count,
                         uint16_t move, char out[EXPECTED_MAX])
{
    struct position next = *position;
    char origin[4] = "", promotion[3] = "";
    unsigned type = moving_type(position, move), to = move_to(move), from = move_from(move);
    bool takes = position_captured(position, move) != PIECE_NONE;

    position_make(&next, move, NULL);
    const char *check = !position_checkers(&next) ? "" : movegen_has_legal(&next) ? "+" : "#";
    if (move_kind(move) == MOVE_CASTLING) {
        (void)snprintf(out, EXPECTED_MAX, "%s%s", to > from ? "O-O" : "O-O-O", check);
        return;
    }
    if (type != PAWN)
        expected_origin(position, moves, count, move, origin);
    else if (takes)
        (void)snprintf(origin, sizeof origin, "%c", 'a' + (int)square_file(from));
    if (move_kind(move) == MOVE_PROMOTION)
        (void)snprintf(promotion, sizeof promotion, "=%c", "PNBRQK"[move_promotion(move)]);
    (void)snprintf(out, EXPECTED_MAX, "%.*s%s%s%c%c%s%s", type != PAWN, &"PNBRQK"[type], origin,
                   takes ? "x" : "", 'a' + (int)square_file(to), '1' + (int)square_rank(to),
                   promotion, check);
}

static void check_round_trip(const struct position *position, const uint16_t *moves, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char san[SAN_MAX], expected[EXPECTED_MAX];
        uint16_t move = MOVE_NONE;
        san_format(position, moves[i], san);
        expected_san(position, moves, count, moves[i], expected);
        assert_string_equal(san, expected);
        assert_int_equal(parse(position, san, &move), SAN_OK);
        assert_int_equal(move, moves[i]);
    }
}

static void test_round_trips(void **state)
{
    (void)state;
    test_random_games(test_start_fens, 6, 120, check_round_trip);
}

struct spelling {
    const char *fen, *text;
    const char *uci; /* castling as king takes rook; NULL: see status */
    enum san_status status;
};

#define CASTLING   "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
#define PROMOTION  "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1"
#define EN_PASSANT "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"

static const struct spelling spellings[] = {
    {TEST_START_FEN, "e4", "e2e4", SAN_OK},
    {TEST_START_FEN, "e2e4", "e2e4", SAN_OK},
    {TEST_START_FEN, "e2-e4", "e2e4", SAN_OK},
    {TEST_START_FEN, "e4!?", "e2e4", SAN_OK},
    {TEST_START_FEN, "e4+", "e2e4", SAN_OK}, /* a wrong sign says nothing */
    {TEST_START_FEN, "Nf3", "g1f3", SAN_OK},
    {TEST_START_FEN, "Nxf3", "g1f3", SAN_OK}, /* a wrong x neither */
    {TEST_START_FEN, "Ngf3", "g1f3", SAN_OK},
    {TEST_START_FEN, "N1f3", "g1f3", SAN_OK},
    {TEST_START_FEN, "Ng1f3", "g1f3", SAN_OK},
    {TEST_START_FEN, "Ng1-f3", "g1f3", SAN_OK},
    {TEST_START_FEN, "Ng1xf3", "g1f3", SAN_OK},
    {TEST_START_FEN, "g1f3", "g1f3", SAN_OK},
    {TEST_START_FEN, "g1-f3", "g1f3", SAN_OK},
    {TEST_START_FEN, "e5", NULL, SAN_ILLEGAL},
    {TEST_START_FEN, "e1", NULL, SAN_ILLEGAL},
    {TEST_START_FEN, "e8", NULL, SAN_ILLEGAL},
    {TEST_START_FEN, "e2e5", NULL, SAN_ILLEGAL},
    {TEST_START_FEN, "e7e5", NULL, SAN_ILLEGAL}, /* the other side's pawn */
    {TEST_START_FEN, "d3d4", NULL, SAN_ILLEGAL}, /* an empty square */
    {TEST_START_FEN, "exd3", NULL, SAN_ILLEGAL},
    {TEST_START_FEN, "Nbf3", NULL, SAN_ILLEGAL},
    {TEST_START_FEN, "Nd2", NULL, SAN_ILLEGAL},
    {TEST_START_FEN, "Ra3", NULL, SAN_ILLEGAL},
    {TEST_START_FEN, "e4=Q", NULL, SAN_ILLEGAL},
    {TEST_START_FEN, "Nf3=Q", NULL, SAN_ILLEGAL},
    {TEST_START_FEN, "O-O", NULL, SAN_ILLEGAL},
    {TEST_START_FEN, "O-O-O", NULL, SAN_ILLEGAL},
    {TEST_START_FEN, "", NULL, SAN_SYNTAX},
    {TEST_START_FEN, "e", NULL, SAN_SYNTAX},
    {TEST_START_FEN, "N", NULL, SAN_SYNTAX},
    {TEST_START_FEN, "Nf", NULL, SAN_SYNTAX},
    {TEST_START_FEN, "e9", NULL, SAN_SYNTAX},
    {TEST_START_FEN, "i4", NULL, SAN_SYNTAX},
    {TEST_START_FEN, "nf3", NULL, SAN_SYNTAX},
    {TEST_START_FEN, "e4x", NULL, SAN_SYNTAX},
    {TEST_START_FEN, "e4 ", NULL, SAN_SYNTAX},
    {TEST_START_FEN, "e4e", NULL, SAN_SYNTAX},
    {TEST_START_FEN, "O", NULL, SAN_SYNTAX},
    {TEST_START_FEN, "O-", NULL, SAN_SYNTAX},
    {TEST_START_FEN, "O-O-O-O", NULL, SAN_SYNTAX},
    {TEST_START_FEN, "hello", NULL, SAN_SYNTAX},
    {TEST_START_FEN, "--", NULL, SAN_NULL_MOVE},
    {TEST_START_FEN, "Z0", NULL, SAN_NULL_MOVE},
    {TEST_START_FEN, "null", NULL, SAN_NULL_MOVE},
    {TEST_START_FEN, "@@@@", NULL, SAN_NULL_MOVE},
    {TEST_START_FEN, "0000", NULL, SAN_NULL_MOVE},
    {CASTLING, "O-O", "e1h1", SAN_OK},
    {CASTLING, "O-O-O", "e1a1", SAN_OK},
    {CASTLING, "0-0", "e1h1", SAN_OK},
    {CASTLING, "0-0-0", "e1a1", SAN_OK},
    {CASTLING, "o-o", "e1h1", SAN_OK},
    {CASTLING, "o-o-o+!", "e1a1", SAN_OK},
    {CASTLING, "e1g1", "e1h1", SAN_OK},
    {CASTLING, "e1h1", "e1h1", SAN_OK},
    {CASTLING, "e1c1", "e1a1", SAN_OK},
    {CASTLING, "Kg1", NULL, SAN_ILLEGAL},
    {CASTLING, "Kh1", NULL, SAN_ILLEGAL},
    {CASTLING, "Ke1g1", NULL, SAN_ILLEGAL},
    {PROMOTION, "a8=Q", "a7a8q", SAN_OK},
    {PROMOTION, "a8Q", "a7a8q", SAN_OK},
    {PROMOTION, "a8(Q)", "a7a8q", SAN_OK},
    {PROMOTION, "a8/R", "a7a8r", SAN_OK},
    {PROMOTION, "a8=n", "a7a8n", SAN_OK},
    {PROMOTION, "a7a8q", "a7a8q", SAN_OK},
    {PROMOTION, "a7-a8=B!", "a7a8b", SAN_OK},
    {PROMOTION, "axb8=Q+", "a7b8q", SAN_OK},
    {PROMOTION, "ab8N", "a7b8n", SAN_OK},
    {PROMOTION, "a7b8r", "a7b8r", SAN_OK},
    {PROMOTION, "a8", NULL, SAN_ILLEGAL},
    {PROMOTION, "axb8", NULL, SAN_ILLEGAL},
    {PROMOTION, "a8=K", NULL, SAN_SYNTAX},
    {PROMOTION, "a8=P", NULL, SAN_SYNTAX},
    {PROMOTION, "a8=", NULL, SAN_SYNTAX},
    {PROMOTION, "a8(Q", NULL, SAN_SYNTAX},
    {EN_PASSANT, "exd6", "e5d6", SAN_OK},
    {EN_PASSANT, "exd6e.p.", "e5d6", SAN_OK},
    {EN_PASSANT, "exd6ep", "e5d6", SAN_OK},
    {EN_PASSANT, "exd6e.p.+", "e5d6", SAN_OK},
    {EN_PASSANT, "ed6", "e5d6", SAN_OK},
    {EN_PASSANT, "e:d6", "e5d6", SAN_OK},
    {EN_PASSANT, "e5d6", "e5d6", SAN_OK},
    {EN_PASSANT, "d6", NULL, SAN_ILLEGAL},
    {EN_PASSANT, "exf6", NULL, SAN_ILLEGAL},
    /* Of two pawns that could take en passant one is pinned. */
    {"2r1k3/8/8/2PpP3/8/8/8/2K5 w - d6 0 1", "exd6", "e5d6", SAN_OK},
    {"2r1k3/8/8/2PpP3/8/8/8/2K5 w - d6 0 1", "cxd6", NULL, SAN_ILLEGAL},
    {"4k3/8/8/8/8/8/1K6/R6R w - - 0 1", "Rd1", NULL, SAN_AMBIGUOUS},
    {"4k3/8/8/8/8/8/1K6/R6R w - - 0 1", "Rad1", "a1d1", SAN_OK},
    {"4k3/8/8/8/8/8/1K6/R6R w - - 0 1", "R1d1", NULL, SAN_AMBIGUOUS},
};

static void test_spellings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const struct spelling *row = &spellings[i];
        struct position position = test_position(row->fen);
        uint16_t move = MOVE_NONE;
        char uci[UCIMOVE_MAX];
        /* An exact copy without a zero: reading past the end is an error that tools can see. */
        size_t size = strlen(row->text);
        char *copy = malloc(size ? size : 1);
        assert_non_null(copy);
        memcpy(copy, row->text, size);
        enum san_status status = san_parse(&position, copy, size, &move);
        free(copy);
        if (status != row->status)
            fail_msg("%s in %s: status %d", row->text, row->fen, (int)status);
        if (row->uci) {
            ucimove_format(move, true, uci);
            assert_string_equal(uci, row->uci);
        }
    }
}

static void check_case_009(char *key, char *value)
{
    char *san = test_cut(key, " | "), uci[UCIMOVE_MAX];
    uint16_t move = MOVE_NONE;

    if (!san) /* facts about whole games are below */
        return;
    struct position position = test_position(key);
    enum san_status status = parse(&position, san, &move);
    if (strcmp(value, "illegal") == 0) {
        assert_int_equal(status, SAN_ILLEGAL);
        return;
    }
    assert_int_equal(status, SAN_OK);
    ucimove_format(move, false, uci);
    assert_string_equal(uci, value);
}

/* One game of a case's input.pgn: its FEN tag, and its movetext, which stands on one line. */
static char *game_of_case(const char *folder, unsigned number, char fen[FEN_MAX])
{
    char path[256], *line, *movetext = NULL;

    snprintf(path, sizeof path, "tests/data/cases/%s/input.pgn", folder);
    char *text = test_read_file(path), *cursor = text;
    while (!movetext && (line = test_next_line(&cursor))) {
        if (strncmp(line, "[FEN \"", 6) == 0)
            snprintf(fen, FEN_MAX, "%.*s", (int)strcspn(line + 6, "\""), line + 6);
        else if (line[0] >= '1' && line[0] <= '9' && --number == 0)
            movetext = strdup(line);
    }
    free(text);
    assert_non_null(movetext);
    return movetext;
}

#define PLAYED_MAX 256 /* bytes of the moves of a game here */

/* Plays it; the UCI moves joined by blanks, or "illegal at ply N". */
static void play_game(const char *folder, unsigned number, char played[PLAYED_MAX],
                      struct position *position)
{
    char fen[FEN_MAX], *movetext = game_of_case(folder, number, fen), *rest = NULL;
    unsigned ply = 0;
    size_t used = 0;

    *position = test_position(fen);
    played[0] = '\0';
    for (char *token = strtok_r(movetext, " ", &rest); token; token = strtok_r(NULL, " ", &rest)) {
        char uci[UCIMOVE_MAX];
        uint16_t move;
        if (token[0] == '*' || (token[0] >= '0' && token[0] <= '9'))
            continue;
        ply++;
        if (parse(position, token, &move) != SAN_OK) {
            (void)snprintf(played, PLAYED_MAX, "illegal at ply %u", ply);
            break;
        }
        ucimove_format(move, false, uci);
        used += (size_t)snprintf(played + used, PLAYED_MAX - used, "%s%s", ply > 1 ? " " : "", uci);
        assert_true(used < PLAYED_MAX);
        position_make(position, move, NULL);
    }
    free(movetext);
}

static void check_game_fact(const char *folder, char *key, const char *value)
{
    char played[PLAYED_MAX], fen[FEN_MAX];
    struct position position;
    unsigned number;

    if (sscanf(key, "game %u", &number) != 1)
        return;
    play_game(folder, number, played, &position);
    fen_format(&position, FEN_XFEN, fen);
    assert_string_equal(strstr(key, "final_fen") ? fen : played, value);
}

static void check_games_009(char *key, char *value)
{
    check_game_fact("009-san-pinned-piece", key, value);
}

static void check_games_011(char *key, char *value)
{
    check_game_fact("011-san-b-pawn-or-bishop", key, value);
}

static void test_case_009_san_pinned_piece(void **state)
{
    (void)state;
    test_each_fact("009-san-pinned-piece", check_case_009);
    test_each_fact("009-san-pinned-piece", check_games_009);
}

static void test_case_011_san_b_pawn_or_bishop(void **state)
{
    (void)state;
    test_each_fact("011-san-b-pawn-or-bishop", check_games_011);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_case_009_san_pinned_piece),
        cmocka_unit_test(test_case_011_san_b_pawn_or_bishop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
