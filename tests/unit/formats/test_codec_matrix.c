/* SPDX-License-Identifier: MIT */
/*
 * Every format against every other, and against damage.
 *
 * The matrix: records written in one format, read, written in another and read again equal the
 * first ones on the fields that both hold, in number and in order; what a format cannot hold is
 * told record by record. The damage: a flipped bit at every byte, every cut, lying headers, bytes
 * behind the end. An error says where; what is read in spite of it are legal records, and how much
 * is found at least stands in the table below.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "formats/codec_compare.h"
#include "formats/io/bytes.h"
#include "tests/unit/formats/codec_test.h"
#include "tests/unit/formats/sample_record.h"

#define RECORDS_MAX 256
#define VECTORS     "tests/data/vectors/"
/* Of games200: enough for chains, and every byte can be damaged. */
#define DAMAGED_COUNT 20

static const struct codec_options options = {.score_scale = 1.0, .validate = true, .chains = true};

/* Records, and which of the ones before them they are. */
struct list {
    size_t count;
    struct record records[RECORDS_MAX];
    size_t from[RECORDS_MAX];
};

static void load(const char *name, struct list *list)
{
    struct buffer bytes;
    struct error err = {0};
    char path[128];
    snprintf(path, sizeof path, VECTORS "%s.in.plain", name);
    codec_test_load(path, &bytes);
    long count = codec_test_decode(&codec_plain, &options, bytes.data, bytes.length, list->records,
                                   RECORDS_MAX, &err);
    assert_string_equal(err.text, "");
    assert_true(count > 0);
    list->count = (size_t)count;
    buffer_free(&bytes);
}

/* Writes what fits; to->from says which records of `from` those are. */
static void encode(const struct codec *codec, const struct list *from, struct list *to,
                   struct buffer *out)
{
    struct error err = {0};
    void *state = calloc(1, codec->encoder_size + 1);
    assert_non_null(state);
    to->count = 0;
    if (codec->begin != NULL)
        assert_int_equal(codec->begin(state, out, &err), 0);
    for (size_t i = 0; i < from->count; i++) {
        enum codec_misfit misfit = CODEC_FITS;
        assert_int_equal(codec->encode(state, &from->records[i], &options, out, &misfit, &err), 0);
        if (misfit == CODEC_FITS)
            to->from[to->count++] = i;
    }
    if (codec->end != NULL)
        assert_int_equal(codec->end(state, out, &err), 0);
    if (codec->free_encoder != NULL)
        codec->free_encoder(state);
    free(state);
}

static long decode(const struct codec *codec, const struct buffer *bytes, struct record *records,
                   struct error *err)
{
    *err = (struct error){0};
    return codec_test_decode(codec, &options, bytes->data, bytes->length, records, RECORDS_MAX,
                             err);
}

/* There and back; what comes back is in `to`. */
static void pass(const struct codec *codec, const struct list *from, struct list *to)
{
    struct buffer bytes;
    struct error err;
    buffer_init(&bytes, CODEC_TEST_MAX);
    encode(codec, from, to, &bytes);
    long count = decode(codec, &bytes, to->records, &err);
    if (count != (long)to->count)
        fail_msg("%s: %ld records of %zu: %s", codec->name, count, to->count, err.text);
    buffer_free(&bytes);
}

static void compare(const struct codec *first, const struct codec *second, const char *name,
                    const struct list *list, const struct list *middle, const struct list *last)
{
    for (size_t i = 0; i < last->count; i++) {
        size_t number = middle->from[last->from[i]];
        const char *difference = codec_find_difference(&last->records[i], &list->records[number],
                                                       first->fields & second->fields, &options);
        if (difference != NULL)
            fail_msg("%s from %s to %s: record %zu: %s", name, first->name, second->name,
                     number + 1, difference);
    }
}

static void cross(const char *name, const struct list *list)
{
    static struct list middle, last;
    for (const struct codec *const *first = codec_table; *first != NULL; first++) {
        if ((*first)->encode == NULL)
            continue;
        pass(*first, list, &middle);
        print_message("# %s, %s: %zu of %zu records\n", name, (*first)->name, middle.count,
                      list->count);
        for (const struct codec *const *second = codec_table; *second != NULL; second++) {
            if ((*second)->encode == NULL)
                continue;
            pass(*second, &middle, &last);
            compare(*first, *second, name, list, &middle, &last);
        }
    }
}

static void reference_records(void **state)
{
    static const char *const names[] = {"edge", "games200"};
    static struct list list;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        load(names[i], &list);
        cross(names[i], &list);
    }
}

static struct record *add(struct list *list)
{
    struct record *record = &list->records[list->count++];
    assert_true(sample_record(record));
    record->ply = 1000;
    return record;
}

static void add_fen(struct list *list, const char *fen, const char *move)
{
    struct record *record = add(list);
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &record->position, NULL),
                     FEN_OK);
    record->played = record->label.best_move = ucimove_parse(&record->position, move, strlen(move));
    assert_int_not_equal(record->played, MOVE_NONE);
}

/* Every field in use, and every thing that some format cannot hold. */
static void full_records(void **state)
{
    static struct list list;
    struct record *record;
    (void)state;
    list.count = 0;
    add(&list);
    record = add(&list);
    flip_record(&list.records[0], record);
    add(&list)->result = 2;
    add(&list)->label.final = (struct score){SCORE_MATE, -3};
    add(&list)->label.final = (struct score){SCORE_NONE, 0};
    add(&list)->label.final = (struct score){SCORE_CP, 40000};
    add(&list)->label.final = (struct score){SCORE_CP, -32002};
    add(&list)->label.best_move = MOVE_NONE;
    add(&list)->played = MOVE_NONE;
    add(&list)->label.bound = BOUND_EXACT;
    record = add(&list);
    memset(record->game_id, 0, sizeof record->game_id);
    record->white_rating = record->black_rating = 0;
    add(&list)->ply = 16384;
    add(&list)->ply = 65536;
    add(&list)->position.halfmove = 128;
    add(&list)->position.halfmove = 256;
    add(&list)->position.fullmove = 65535;
    add_fen(&list, "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 4 9", "c1g1");
    add_fen(&list, "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", "e5f6");
    add_fen(&list, "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e7e8n");
    cross("full", &list);
}

/* What was found of some damage, and what came through. */
struct damage {
    size_t done, found; /* found: an error, which says where */
    size_t same;        /* the records are as they were: nobody reads those bits */
    size_t legal;       /* other legal records, which the format writes as these bytes */
};

static void assert_located(const struct codec *codec, const struct error *err)
{
    if (strncmp(err->text, CODEC_TEST_NAME ": record ", sizeof CODEC_TEST_NAME ": record " - 1) ||
        strstr(err->text, "byte ") == NULL)
        fail_msg("%s: an error does not say where: '%s'", codec->name, err->text);
}

/* Damage was done to the bytes of `before`: is it found, and if not, what is read? */
static void judge(const struct codec *codec, const struct list *before, const struct buffer *bytes,
                  struct damage *damage)
{
    static struct list after;
    struct error err;
    long count = decode(codec, bytes, after.records, &err);
    damage->done++;
    if (count < 0) {
        assert_located(codec, &err);
        damage->found++;
        return;
    }
    after.count = (size_t)count;
    bool same = after.count == before->count;
    for (size_t i = 0; same && i < after.count; i++)
        same = codec_find_difference(&after.records[i], &before->records[i], codec->fields,
                                     &options) == NULL;
    if (same)
        damage->same++;
    else
        damage->legal++;
}

/* The bytes of the first records of games200 in that format, and the records that it gives. */
static void prepare(const struct codec *codec, struct buffer *bytes, struct list *records)
{
    static struct list list;
    struct error err;
    load("games200", &list);
    list.count = DAMAGED_COUNT;
    buffer_init(bytes, CODEC_TEST_MAX);
    if (codec == &codec_rec) {
        uint8_t record[RECORD_SIZE], header[RECORD_HEADER_SIZE] = "plymrec\n\1\0\0\0\200";
        header[16] = DAMAGED_COUNT;
        assert_int_equal(buffer_append(bytes, header, sizeof header, NULL), 0);
        for (size_t i = 0; i < list.count; i++) {
            memcpy(list.records[i].game_id, "abcdefgh", 8);
            record_encode(&list.records[i], record);
            assert_int_equal(buffer_append(bytes, record, sizeof record, NULL), 0);
        }
    } else {
        encode(codec, &list, records, bytes);
        assert_int_equal(records->count, DAMAGED_COUNT);
    }
    long count = decode(codec, bytes, records->records, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(count, DAMAGED_COUNT);
    records->count = DAMAGED_COUNT;
}

/*
 * Of the flips of one bit in every byte, how many at least are found in 1,000. No format has a
 * checksum (an archive has: .zst finds every flip): what is found is what makes a position, a move
 * or a number illegal. Scores, results and counters are always legal.
 */
static const struct {
    const struct codec *codec;
    unsigned found_permille;
} floors[] = {
    {&codec_plain, 880},  {&codec_bin, 500},  {&codec_binpack, 550}, {&codec_bullet, 600},
    {&codec_marlin, 520}, {&codec_viri, 550}, {&codec_csv, 900},     {&codec_jsonl, 960},
    {&codec_epd, 550},    {&codec_rec, 560},
};

static void flipped_bits(void **state)
{
    static struct list records;
    (void)state;
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
        const struct codec *codec = floors[i].codec;
        struct damage damage = {0};
        struct buffer bytes;
        prepare(codec, &bytes, &records);
        for (size_t at = 0; at < bytes.length; at++) {
            char bit = (char)(1 << (at * 5 % 8));
            bytes.data[at] ^= bit;
            judge(codec, &records, &bytes, &damage);
            bytes.data[at] ^= bit;
        }
        print_message("# %s: of %zu flipped bits %zu found, %zu other legal records, %zu unread\n",
                      codec->name, damage.done, damage.found, damage.legal, damage.same);
        if (1000 * damage.found < floors[i].found_permille * damage.done)
            fail_msg("%s finds fewer than %u of 1,000", codec->name, floors[i].found_permille);
        buffer_free(&bytes);
    }
}

/* Operations may be missing in EPD, and the last line's end: its position is right nevertheless. */
static void assert_operations_missing(const struct list *fewer, const struct list *records)
{
    const unsigned board = CODEC_HOLDS_SIDE | CODEC_HOLDS_CASTLING | CODEC_HOLDS_EP;
    for (size_t i = 0; i < fewer->count; i++)
        assert_null(codec_find_difference(&fewer->records[i], &records->records[i],
                                          i + 1 < fewer->count ? codec_epd.fields : board,
                                          &options));
}

/* A cut file is damage, or what would have been written for fewer records. */
static void cut_tails(void **state)
{
    static struct list records, fewer, again;
    (void)state;
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
        const struct codec *codec = floors[i].codec;
        struct buffer bytes, written;
        size_t found = 0, legal = 0, open = 0;
        prepare(codec, &bytes, &records);
        size_t whole = bytes.length;
        for (bytes.length = 0; bytes.length < whole; bytes.length++) {
            struct error err;
            long count = decode(codec, &bytes, fewer.records, &err);
            if (count < 0) {
                assert_located(codec, &err);
                found++;
                continue;
            }
            assert_ptr_not_equal(codec, &codec_rec); /* its header says how many there are */
            fewer.count = (size_t)count;
            if (codec == &codec_epd && bytes.length > 0 && bytes.data[bytes.length - 1] != '\n') {
                assert_operations_missing(&fewer, &records);
                open++;
                continue;
            }
            buffer_init(&written, CODEC_TEST_MAX);
            encode(codec, &fewer, &again, &written);
            /* The last line may lack its end. */
            size_t length = bytes.length;
            if (written.length == length + 1 && written.data[length] == '\n')
                written.length = length;
            if (written.length != length ||
                (length > 0 && memcmp(written.data, bytes.data, length) != 0))
                fail_msg("%s: cut at byte %zu, %ld records are read", codec->name, bytes.length,
                         count);
            buffer_free(&written);
            legal++;
        }
        print_message("# %s: of %zu cuts %zu found, %zu leave whole records, %zu lack operations\n",
                      codec->name, whole, found, legal, open);
        assert_true(found > 0);
        buffer_free(&bytes);
    }
}

static void assert_found(const struct codec *codec, const struct buffer *bytes, const char *what)
{
    static struct list after;
    struct error err;
    if (decode(codec, bytes, after.records, &err) >= 0)
        fail_msg("%s: %s is not found", codec->name, what);
    assert_located(codec, &err);
}

static void bytes_behind_the_end(void **state)
{
    static struct list records;
    static const char *const tails[] = {"\1", "x", "{", "BINP"};
    (void)state;
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
        for (size_t t = 0; t < sizeof tails / sizeof *tails; t++) {
            struct buffer bytes;
            prepare(floors[i].codec, &bytes, &records);
            assert_int_equal(buffer_append(&bytes, tails[t], strlen(tails[t]), NULL), 0);
            assert_found(floors[i].codec, &bytes, "a tail");
            buffer_free(&bytes);
        }
    }
}

static void headers_that_lie(void **state)
{
    static struct list records;
    static const uint32_t sizes[] = {0, 1, 31, 33, 34, UINT32_MAX, INT32_MAX, 101u << 20};
    struct buffer bytes;
    (void)state;
    prepare(&codec_binpack, &bytes, &records);
    uint32_t size = bytes_get_u32((uint8_t *)bytes.data + 4);
    assert_int_equal(size + 8, bytes.length);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bytes_put_u32((uint8_t *)bytes.data + 4, sizes[i]);
        assert_found(&codec_binpack, &bytes, "a chunk's size");
    }
    for (int by = -1; by <= 1; by += 2) {
        bytes_put_u32((uint8_t *)bytes.data + 4, size + (uint32_t)by);
        assert_found(&codec_binpack, &bytes, "a chunk's size, by one");
    }
    buffer_free(&bytes);
    prepare(&codec_rec, &bytes, &records);
    for (int by = -1; by <= 1; by += 2) {
        bytes.data[16] = (char)(DAMAGED_COUNT + by);
        assert_found(&codec_rec, &bytes, "a number of records");
    }
    buffer_free(&bytes);
}

/* One format under the name of another. */
static void another_format(void **state)
{
    static struct list records, after;
    (void)state;
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
        struct buffer bytes;
        prepare(floors[i].codec, &bytes, &records);
        for (size_t k = 0; k < sizeof floors / sizeof *floors; k++) {
            struct error err;
            long count = i == k ? 0 : decode(floors[k].codec, &bytes, after.records, &err);
            if (count > 0)
                fail_msg("%ld records of %s are read as %s", count, floors[i].codec->name,
                         floors[k].codec->name);
            if (count < 0)
                assert_located(floors[k].codec, &err);
        }
        buffer_free(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_records),    cmocka_unit_test(full_records),
        cmocka_unit_test(flipped_bits),         cmocka_unit_test(cut_tails),
        cmocka_unit_test(bytes_behind_the_end), cmocka_unit_test(headers_that_lie),
        cmocka_unit_test(another_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
