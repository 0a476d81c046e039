/* SPDX-License-Identifier: MIT */
/*
 * Stockfish's nets against the published integers of their own engines: every line of every vector
 * file, at every instruction set that this machine has.
 *
 * Nets come from a seed (checked by SHA-256), from ../shared/nets, or from the folder PLYMILL_NETS,
 * where `make test-nets` puts those that are taken out of packages. Those of tens of megabytes are
 * run with PLYMILL_LONG_TESTS in the environment only.
 */
#include "formats/io/digest.h"
#include "formats/io/reader.h"
#include "tests/unit/nnue/sf_boards.h"
#include "tests/unit/nnue/sf_synthetic.h"
#include "tests/unit/skip.h"

#define VECTORS     "tests/data/vectors/"
#define SHARED_NETS "../shared/nets/"

enum { LINE_SIZE = 512, COLUMNS_MAX = 12, TRACE_PLIES = 400, ISAS = PLYNNUE_ISA_NEON };

/* What the columns of a vector file are. */
enum columns { RAW_PAIRS, RAW_AND_VALUE, VALUE_AND_RAW, VALUE_ONLY, VALUE_AND_USED, TRACES };

struct vector {
    const char *file, *sha256, *arch; /* arch NULL: the file says */
    enum columns columns;
    unsigned lines;
    const char *net; /* a file's name, or NULL: from the seed */
    enum synthetic_kind kind;
    uint32_t l1;
};

#define SHA_151    "ad9b423546714137916bd38978af6fd68d7b8951bef25ff76bf43da72d6cb786"
#define SHA_STRESS "72bf941bf04a464bce3ec231b03de2a4d23b8b96eaea80e649f4d65840abdc1b"
#define SHA_19     "1a298aa575a085434d29027978dc36867fe9c5bcea9376654b7a8eba1e52dfc2"
#define SHA_LITE   "61e7af4bb97d51eeeb25d322916f86513b5cd3a827ce189c98c6e31946f99e5b"
#define SHA_SYN_16 "562a8fa8156b6d5cf4c4b38a2c2cd9b7d5841ee80f7e0545ab72e90a5989a63d"
#define SHA_SYN_17 "2b5f5d31329dd71fc5d50c77518f1f4665094ee1d7021f50dbf0e5a7cbd16dc6"
#define SHA_SYN_18 "d736605f4788c859564dbf0d76525bb90a5ec15d9bf82f62ab0e6c0e7a6dd559"

static const struct vector lite = {.file = "sf19lite_61e7af4bb97d.tsv",
                                   .sha256 = SHA_LITE,
                                   .columns = VALUE_ONLY,
                                   .lines = 392,
                                   .net = "nn-61e7af4bb97d.nnue.zst"};
static const struct vector main19 = {.file = "sf19_1a298aa575a0.tsv",
                                     .sha256 = SHA_19,
                                     .columns = VALUE_ONLY,
                                     .lines = 392,
                                     .net = "nn-1a298aa575a0.nnue"};
static const struct vector sf151 = {.file = "halfka_hm_ad9b42354671.tsv",
                                    .sha256 = SHA_151,
                                    .arch = "sf15.1",
                                    .columns = VALUE_AND_RAW,
                                    .lines = 475,
                                    .net = "nn-ad9b42354671.nnue"};
static const struct vector sf151_older = {.file = "sf151_eval.tsv",
                                          .sha256 = SHA_151,
                                          .arch = "sf15.1",
                                          .columns = RAW_AND_VALUE,
                                          .lines = 293,
                                          .net = "nn-ad9b42354671.nnue"};
static const struct vector traces = {.file = "traces.tsv",
                                     .sha256 = SHA_151,
                                     .arch = "sf15.1",
                                     .columns = TRACES,
                                     .lines = 1818,
                                     .net = "nn-ad9b42354671.nnue"};
static const struct vector stress = {.file = "stress_72bf941bf04a.tsv",
                                     .sha256 = SHA_STRESS,
                                     .arch = "sf15.1",
                                     .columns = VALUE_AND_USED,
                                     .lines = 229,
                                     .net = "nn-72bf941bf04a.nnue"};
static const struct vector syn16 = {.file = "syn_sf16.tsv",
                                    .sha256 = SHA_SYN_16,
                                    .columns = RAW_PAIRS,
                                    .lines = 196,
                                    .kind = SYN_SF16,
                                    .l1 = 1536};
static const struct vector syn17 = {.file = "syn_sf17.tsv",
                                    .sha256 = SHA_SYN_17,
                                    .columns = RAW_PAIRS,
                                    .lines = 196,
                                    .kind = SYN_SF17,
                                    .l1 = 3072};
static const struct vector syn18 = {.file = "syn_sf18.tsv",
                                    .sha256 = SHA_SYN_18,
                                    .columns = RAW_PAIRS,
                                    .lines = 196,
                                    .kind = SYN_SF18,
                                    .l1 = 1024};

/* One line, cut at its tabs. */
struct line {
    char text[LINE_SIZE];
    char *column[COLUMNS_MAX];
    unsigned count;
};

static bool next_line(FILE *file, struct line *line)
{
    do {
        if (!fgets(line->text, LINE_SIZE, file))
            return false;
    } while (line->text[0] == '#');
    line->text[strcspn(line->text, "\n")] = '\0';
    line->count = 0;
    for (char *next = line->text; next; line->count++) {
        assert_true(line->count < COLUMNS_MAX);
        line->column[line->count] = next;
        next = strchr(next, '\t');
        if (next)
            *next++ = '\0';
    }
    return true;
}

static FILE *open_vectors(const struct vector *vector)
{
    char path[256];
    snprintf(path, sizeof path, VECTORS "%s", vector->file);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

static struct buffer read_all(const char *path)
{
    struct reader *reader;
    struct buffer out;
    struct error err = {.text = ""};
    ssize_t got;
    buffer_init(&out, SYN_FILE_MAX);
    if (reader_open(path, false, &reader, &err))
        fail_msg("%s", err.text);
    do {
        assert_int_equal(buffer_reserve(&out, 1 << 20, &err), 0);
        got = reader_read(reader, out.data + out.length, 1 << 20, &err);
        if (got < 0)
            fail_msg("%s", err.text);
        out.length += (size_t)got;
    } while (got > 0);
    reader_close(reader);
    return out;
}

static bool exists(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

static void assert_sha256(const struct buffer *bytes, const char *expected)
{
    uint8_t digest[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    digest_bytes(bytes->data, bytes->length, digest);
    digest_to_hex(digest, sizeof digest, hex);
    assert_string_equal(hex, expected);
}

/* The net's file, its digest checked, or an empty buffer when there is none here. */
static struct buffer net_file(const struct vector *vector)
{
    struct buffer bytes;
    char path[1024];
    const char *folder = getenv("PLYMILL_NETS");
    buffer_init(&bytes, SYN_FILE_MAX);
    if (!vector->net) {
        struct synthetic_net *net = synthetic_sf_new(vector->kind, SYN_SEED, vector->l1, 8);
        bytes = synthetic_sf_encode(net, SYN_SEED, synthetic_facts(vector->kind).packed);
        synthetic_sf_free(net);
    } else {
        snprintf(path, sizeof path, SHARED_NETS "%s", vector->net);
        if (!exists(path) && folder)
            snprintf(path, sizeof path, "%s/%s", folder, vector->net);
        if (exists(path))
            bytes = read_all(path);
    }
    if (bytes.length)
        assert_sha256(&bytes, vector->sha256);
    return bytes;
}

/* A net with what is needed to ask it. */
struct asked {
    plynnue_net *net;
    plynnue_acc *acc, *fresh;
    void *scratch;
};

static void assert_value(const char *column, int64_t value, const char *fen)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    if (strcmp(text, column) != 0)
        fail_msg("%s: %s expected, got %s", fen, column, text);
}

static void assert_pair(const char *column, const struct plynnue_raw *raw, int bucket,
                        const char *fen)
{
    char text[64];
    snprintf(text, sizeof text, "%lld,%lld", (long long)raw->psqt[bucket],
             (long long)raw->positional[bucket]);
    if (strcmp(text, column) != 0)
        fail_msg("%s: bucket %d: %s expected, got %s", fen, bucket, column, text);
}

static void check_raw(const struct vector *vector, const struct line *line,
                      const struct plynnue_raw *raw)
{
    const char *fen = line->column[0];
    assert_int_equal(raw->buckets, 8);
    assert_value(
        line->column[vector->columns == RAW_PAIRS || vector->columns == RAW_AND_VALUE ? 1 : 2],
        raw->bucket, fen);
    if (vector->columns == RAW_PAIRS || vector->columns == VALUE_AND_RAW)
        for (int i = 0; i < 8; i++)
            assert_pair(line->column[i + (vector->columns == RAW_PAIRS ? 2 : 3)], raw, i, fen);
    if (vector->columns == VALUE_AND_USED)
        assert_pair(line->column[3], raw, raw->bucket, fen);
    if (vector->columns == RAW_AND_VALUE) {
        assert_value(line->column[2], raw->psqt[raw->bucket], fen);
        assert_value(line->column[3], raw->positional[raw->bucket], fen);
    }
}

static void check_line(const struct vector *vector, const struct line *line,
                       const struct asked *asked)
{
    const char *fen = line->column[0];
    struct test_board board = board_of_fen(fen);
    struct plynnue_piece pieces[64];
    struct plynnue_position position = board_position(&board, pieces);
    struct plynnue_raw raw;
    int32_t value = 0, batch = 0;
    assert_int_equal(plynnue_acc_set(asked->acc, &position), PLYNNUE_OK);
    plynnue_acc_eval_raw(asked->acc, board.side, &raw);
    check_raw(vector, line, &raw);
    value = plynnue_acc_eval(asked->acc, board.side);
    if (vector->columns != RAW_PAIRS)
        assert_value(line->column[vector->columns == RAW_AND_VALUE ? 4 : 1], value, fen);
    assert_true(plynnue_acc_eval_float(asked->acc, board.side) == value);
    assert_int_equal(plynnue_eval_batch(asked->net, &position, 1, &batch, asked->scratch), 0);
    assert_int_equal(batch, value);
}

/* One game: down move by move, then up again. */
struct trace {
    struct test_board boards[TRACE_PLIES];
    char value[TRACE_PLIES][16];
    unsigned plies;
};

static void check_trace(const struct trace *trace, plynnue_acc *acc)
{
    struct plynnue_piece pieces[64];
    struct plynnue_position position = board_position(&trace->boards[0], pieces);
    assert_int_equal(plynnue_acc_set(acc, &position), PLYNNUE_OK);
    for (unsigned ply = 0; ply < trace->plies; ply++) {
        if (ply) {
            struct plynnue_delta delta = board_delta(&trace->boards[ply - 1], &trace->boards[ply]);
            assert_int_equal(plynnue_acc_push(acc, &delta), PLYNNUE_OK);
        }
        if (ply % 3 != 1) /* now and then two pushes at once */
            assert_value(trace->value[ply], plynnue_acc_eval(acc, trace->boards[ply].side), "down");
    }
    for (unsigned ply = trace->plies; ply-- > 0;) {
        assert_value(trace->value[ply], plynnue_acc_eval(acc, trace->boards[ply].side), "up");
        if (ply)
            assert_int_equal(plynnue_acc_pop(acc), PLYNNUE_OK);
    }
}

static unsigned check_traces(FILE *file, plynnue_acc *acc)
{
    struct trace *trace = calloc(1, sizeof *trace);
    struct line line;
    unsigned lines = 0;
    assert_non_null(trace);
    for (; next_line(file, &line); lines++) {
        if (!strcmp(line.column[1], "0") && trace->plies) {
            check_trace(trace, acc);
            trace->plies = 0;
        }
        assert_true(trace->plies < TRACE_PLIES);
        trace->boards[trace->plies] = board_of_fen(line.column[3]);
        snprintf(trace->value[trace->plies++], sizeof trace->value[0], "%s", line.column[5]);
    }
    check_trace(trace, acc);
    free(trace);
    return lines;
}

static unsigned check_lines(const struct vector *vector, const struct asked *asked)
{
    FILE *file = open_vectors(vector);
    struct line line;
    unsigned lines = 0;
    if (vector->columns == TRACES)
        lines = check_traces(file, asked->acc);
    else
        for (; next_line(file, &line); lines++)
            check_line(vector, &line, asked);
    fclose(file);
    return lines;
}

static void check_at(const struct vector *vector, const struct buffer *bytes, enum plynnue_isa isa)
{
    struct plynnue_options options = {sizeof options, vector->arch, isa};
    struct plynnue_error error = {.text = ""};
    struct plynnue_info info = {.size = sizeof info};
    struct asked asked;
    int code = plynnue_net_from_memory(bytes->data, bytes->length, &options, &asked.net, &error);
    if (code == PLYNNUE_EISA) {
        print_message("# not on this machine: instruction set %d\n", (int)isa);
        return;
    }
    if (code)
        fail_msg("%s", error.text);
    plynnue_net_info(asked.net, &info);
    assert_true(info.verified && info.has_psqt);
    assert_int_equal(info.output_buckets, 8);
    assert_int_equal(plynnue_acc_new(asked.net, TRACE_PLIES, &asked.acc, NULL), PLYNNUE_OK);
    asked.scratch = malloc(plynnue_batch_scratch(asked.net));
    assert_int_equal(check_lines(vector, &asked), vector->lines);
    free(asked.scratch);
    plynnue_acc_free(asked.acc);
    plynnue_net_close(asked.net);
}

static void test_vector(void **state)
{
    const struct vector *vector = *state;
    struct buffer bytes = net_file(vector);
    if (!bytes.length)
        SKIP_BECAUSE("%s is not here", vector->net);
    for (int isa = PLYNNUE_ISA_SCALAR; isa <= ISAS; isa++)
        check_at(vector, &bytes, (enum plynnue_isa)isa);
    buffer_free(&bytes);
}

#define VECTOR_TEST(name, vector)                                                                  \
    {                                                                                              \
        name, test_vector, NULL, NULL, (void *)(uintptr_t) & (vector)                              \
    }

int main(void)
{
    const struct CMUnitTest always[] = {VECTOR_TEST("sf19lite", lite)};
    const struct CMUnitTest all[] = {
        VECTOR_TEST("sf19lite", lite),         VECTOR_TEST("sf19", main19),
        VECTOR_TEST("sf15.1", sf151),          VECTOR_TEST("sf15.1, older", sf151_older),
        VECTOR_TEST("sf15.1 traces", traces),  VECTOR_TEST("sf15.1, stress net", stress),
        VECTOR_TEST("sf16, synthetic", syn16), VECTOR_TEST("sf17, synthetic", syn17),
        VECTOR_TEST("sf18, synthetic", syn18),
    };
    if (getenv("PLYMILL_LONG_TESTS"))
        return cmocka_run_group_tests(all, NULL, NULL);
    return cmocka_run_group_tests(always, NULL, NULL);
}
