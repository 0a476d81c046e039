/* SPDX-License-Identifier: MIT */
/*
 * The safetensors reader, see safetensors.h: a recursive descent over the few shapes of JSON that
 * such a header may have. The parser's position never passes its end; every failure names the byte.
 */
#include "nnue/core/safetensors.h"

#include <string.h>

#include "nnue/core/fail.h"

enum { LENGTH_SIZE = 8 };

struct parser {
    const char *text; /* the whole file, so that positions are offsets in it */
    size_t at, end;   /* end: of the header */
    struct plynnue_error *error;
};

static int fault(const struct parser *p, const char *what)
{
    return core_fail(p->error, PLYNNUE_EFORMAT, p->at, "safetensors header: %s at byte %zu", what,
                     p->at);
}

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end && strchr(" \t\r\n", p->text[p->at]) && p->text[p->at])
        p->at++;
}

/* The next character that is not blank, without taking it; 0 at the end. */
static char peek(struct parser *p)
{
    skip_blanks(p);
    return p->at < p->end ? p->text[p->at] : '\0';
}

static bool take(struct parser *p, char c)
{
    if (peek(p) != c)
        return false;
    p->at++;
    return true;
}

/* After an item: 1 there is another one, 0 the closing character was taken, negative an error. */
static int take_separator(struct parser *p, char closing)
{
    if (take(p, closing))
        return 0;
    if (!take(p, ','))
        return fault(p, "expected ',' or the end of a list");
    return 1;
}

/* A string: where its inside stands. Control characters and lone quotes cannot be in it. */
static int parse_span(struct parser *p, const char **start, size_t *size)
{
    if (!take(p, '"'))
        return fault(p, "expected a string");
    *start = p->text + p->at;
    for (; p->at < p->end; p->at++) {
        unsigned char c = (unsigned char)p->text[p->at];
        if (c == '"') {
            *size = (size_t)(p->text + p->at - *start);
            p->at++;
            return 0;
        }
        if (c < 0x20)
            return fault(p, "control character in a string");
        if (c == '\\' && ++p->at == p->end)
            break;
    }
    return fault(p, "string without an end");
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* The four digits behind \u, or negative. */
static long hex_quad(const char *text, size_t size)
{
    long value = 0;
    if (size < 4)
        return -1;
    for (unsigned i = 0; i < 4; i++) {
        int digit = hex_value(text[i]);
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static unsigned utf8_encode(unsigned long c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* One \uXXXX or a surrogate pair, text just behind the u. Gives the bytes used, 0 on nonsense. */
static size_t unescape_unicode(const char *text, size_t size, char out[4], unsigned *length)
{
    long high = hex_quad(text, size), low;
    if (high <= 0)
        return 0;
    if (high < 0xd800 || high > 0xdfff) {
        *length = utf8_encode((unsigned long)high, out);
        return 4;
    }
    if (high > 0xdbff || size < 10 || text[4] != '\\' || text[5] != 'u')
        return 0;
    low = hex_quad(text + 6, size - 6);
    if (low < 0xdc00 || low > 0xdfff)
        return 0;
    *length = utf8_encode(
        0x10000UL + (((unsigned long)high - 0xd800) << 10) + ((unsigned long)low - 0xdc00), out);
    return 10;
}

/* One escape, text behind the backslash. Gives the bytes used, 0 on nonsense. */
static size_t unescape_one(const char *text, size_t size, char out[4], unsigned *length)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *hit;
    size_t used;
    if (!size)
        return 0;
    if (*text == 'u') {
        used = unescape_unicode(text + 1, size - 1, out, length);
        return used ? used + 1 : 0;
    }
    hit = *text ? strchr(names, *text) : NULL;
    if (!hit)
        return 0;
    out[0] = values[hit - names];
    *length = 1;
    return 1;
}

/* Undoes the escapes of a string's inside. False when it does not fit or holds a bad escape. */
static bool unescape(const char *text, size_t size, char *out, size_t capacity)
{
    size_t used = 0;
    for (size_t i = 0; i < size;) {
        char bytes[4] = {text[i]};
        unsigned length = 1;
        size_t step = 1;
        if (text[i] == '\\') {
            step = unescape_one(text + i + 1, size - i - 1, bytes, &length);
            if (!step++)
                return false;
        }
        if (used + length >= capacity)
            return false;
        memcpy(out + used, bytes, length);
        used += length;
        i += step;
    }
    out[used] = '\0';
    return true;
}

/* A string into a small array. */
static int parse_name(struct parser *p, char *out, size_t capacity)
{
    const char *start = NULL;
    size_t size = 0;
    int code = parse_span(p, &start, &size);
    if (code)
        return code;
    if (!unescape(start, size, out, capacity))
        return fault(p, "name too long or with a bad escape, ending");
    return 0;
}

static int parse_number(struct parser *p, uint64_t *value)
{
    char c = peek(p);
    size_t start = p->at;
    if (c < '0' || c > '9')
        return fault(p, "expected a whole number");
    *value = 0;
    for (; p->at < p->end; p->at++) {
        unsigned digit = (unsigned)(unsigned char)p->text[p->at] - '0';
        if (digit > 9)
            break;
        if (*value > ((uint64_t)INT64_MAX - digit) / 10)
            return fault(p, "number too large");
        *value = *value * 10 + digit;
    }
    if (c == '0' && p->at > start + 1)
        return fault(p, "number with a leading zero");
    return 0;
}

/* A list of whole numbers, at most capacity. */
static int parse_numbers(struct parser *p, uint64_t *values, unsigned capacity, unsigned *count)
{
    int more = 1;
    *count = 0;
    if (!take(p, '['))
        return fault(p, "expected '['");
    if (take(p, ']'))
        return 0;
    while (more) {
        int code;
        if (*count == capacity)
            return fault(p, "list too long");
        code = parse_number(p, &values[(*count)++]);
        if (code)
            return code;
        more = take_separator(p, ']');
        if (more < 0)
            return more;
    }
    return 0;
}

static unsigned dtype_size(const char *dtype)
{
    static const struct {
        const char *name;
        unsigned size;
    } table[] = {{"BOOL", 1}, {"U8", 1},   {"I8", 1},  {"I16", 2},    {"U16", 2},
                 {"F16", 2},  {"BF16", 2}, {"I32", 4}, {"U32", 4},    {"F32", 4},
                 {"I64", 8},  {"U64", 8},  {"F64", 8}, {"F8_E5M2", 1}};
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(dtype, table[i].name))
            return table[i].size;
    return 0;
}

/* Do dtype, shape and range agree, and does the range lie in the data? */
static int check_tensor(const struct parser *p, struct safetensors_tensor *tensor,
                        uint64_t data_size)
{
    unsigned size = dtype_size(tensor->dtype);
    if (!size)
        return fault(p, "unknown dtype");
    if (tensor->end < tensor->begin || tensor->end > data_size)
        return fault(p, "data_offsets outside the data");
    tensor->count = 1;
    for (unsigned i = 0; i < tensor->rank; i++)
        if (__builtin_mul_overflow(tensor->count, tensor->shape[i], &tensor->count))
            return fault(p, "shape too large");
    if (tensor->count > data_size || tensor->count * size != tensor->end - tensor->begin)
        return fault(p, "shape and data_offsets disagree");
    return 0;
}

enum tensor_field { FIELD_DTYPE = 1, FIELD_SHAPE = 2, FIELD_OFFSETS = 4, FIELDS_ALL = 7 };

static int parse_tensor_field(struct parser *p, struct safetensors_tensor *tensor, unsigned *seen)
{
    char key[SAFETENSORS_NAME_MAX];
    uint64_t range[2] = {0, 0};
    unsigned count = 0, field;
    int code = parse_name(p, key, sizeof key);
    if (code)
        return code;
    field = !strcmp(key, "dtype")          ? FIELD_DTYPE
            : !strcmp(key, "shape")        ? FIELD_SHAPE
            : !strcmp(key, "data_offsets") ? FIELD_OFFSETS
                                           : 0;
    if (!field || (*seen & field))
        return fault(p, field ? "field given twice" : "unknown field");
    *seen |= field;
    if (!take(p, ':'))
        return fault(p, "expected ':'");
    if (field == FIELD_DTYPE)
        return parse_name(p, tensor->dtype, sizeof tensor->dtype);
    if (field == FIELD_SHAPE)
        return parse_numbers(p, tensor->shape, SAFETENSORS_RANK_MAX, &tensor->rank);
    code = parse_numbers(p, range, 2, &count);
    if (code)
        return code;
    if (count != 2)
        return fault(p, "data_offsets are not two numbers");
    tensor->begin = range[0];
    tensor->end = range[1];
    return 0;
}

static int parse_tensor(struct parser *p, struct safetensors_tensor *tensor, uint64_t data_size)
{
    unsigned seen = 0;
    int more = 1;
    if (!take(p, '{'))
        return fault(p, "expected '{'");
    while (more) {
        int code = parse_tensor_field(p, tensor, &seen);
        if (code)
            return code;
        more = take_separator(p, '}');
        if (more < 0)
            return more;
    }
    if (seen != FIELDS_ALL)
        return fault(p, "dtype, shape or data_offsets missing");
    return check_tensor(p, tensor, data_size);
}

static const struct safetensors_text *find_text(const struct safetensors *file, const char *key)
{
    for (unsigned i = 0; i < file->text_count; i++)
        if (!strcmp(file->texts[i].key, key))
            return &file->texts[i];
    return NULL;
}

static int parse_text(struct parser *p, struct safetensors *out)
{
    struct safetensors_text text;
    int code = parse_name(p, text.key, sizeof text.key);
    if (code)
        return code;
    if (find_text(out, text.key))
        return fault(p, "metadata key given twice");
    if (out->text_count == SAFETENSORS_TEXTS_MAX)
        return fault(p, "too much metadata");
    if (!take(p, ':'))
        return fault(p, "expected ':'");
    code = parse_span(p, &text.value, &text.size);
    if (code)
        return code;
    out->texts[out->text_count++] = text;
    return 0;
}

static int parse_metadata(struct parser *p, struct safetensors *out)
{
    int more = 1;
    if (!take(p, '{'))
        return fault(p, "expected '{'");
    if (take(p, '}'))
        return 0;
    while (more) {
        int code = parse_text(p, out);
        if (code)
            return code;
        more = take_separator(p, '}');
        if (more < 0)
            return more;
    }
    return 0;
}

/* One entry of the outermost object: a tensor or the metadata. */
static int parse_entry(struct parser *p, struct safetensors *out, bool *metadata,
                       uint64_t data_size)
{
    struct safetensors_tensor tensor = {.rank = 0};
    int code = parse_name(p, tensor.name, sizeof tensor.name);
    if (code)
        return code;
    if (!take(p, ':'))
        return fault(p, "expected ':'");
    if (!strcmp(tensor.name, "__metadata__")) {
        if (*metadata)
            return fault(p, "metadata given twice");
        *metadata = true;
        return parse_metadata(p, out);
    }
    if (safetensors_find(out, tensor.name))
        return fault(p, "tensor given twice");
    if (out->tensor_count == SAFETENSORS_TENSORS_MAX)
        return fault(p, "too many tensors");
    code = parse_tensor(p, &tensor, data_size);
    if (code)
        return code;
    tensor.data = (const uint8_t *)p->text + p->end + tensor.begin;
    out->tensors[out->tensor_count++] = tensor;
    return 0;
}

static int parse_header(struct parser *p, struct safetensors *out, uint64_t data_size)
{
    bool metadata = false;
    int more = 1;
    if (p->at == p->end || p->text[p->at] != '{')
        return fault(p, "it does not start with '{'");
    p->at++;
    if (take(p, '}'))
        more = 0;
    while (more) {
        int code = parse_entry(p, out, &metadata, data_size);
        if (code)
            return code;
        more = take_separator(p, '}');
        if (more < 0)
            return more;
    }
    skip_blanks(p);
    if (p->at != p->end)
        return fault(p, "something follows the object");
    return 0;
}

static void sort_by_begin(struct safetensors *file)
{
    for (unsigned i = 1; i < file->tensor_count; i++) {
        struct safetensors_tensor moving = file->tensors[i];
        unsigned j = i;
        for (; j && (file->tensors[j - 1].begin > moving.begin ||
                     (file->tensors[j - 1].begin == moving.begin &&
                      file->tensors[j - 1].end > moving.end));
             j--)
            file->tensors[j] = file->tensors[j - 1];
        file->tensors[j] = moving;
    }
}

/* No hole, no overlap, nothing after. */
static int check_cover(const struct safetensors *file, uint64_t data_size,
                       struct plynnue_error *error)
{
    uint64_t reached = 0;
    for (unsigned i = 0; i < file->tensor_count; i++) {
        const struct safetensors_tensor *tensor = &file->tensors[i];
        if (tensor->begin != reached)
            return core_fail(error, PLYNNUE_EFORMAT, file->data_start + reached,
                             "safetensors: tensor %s %s", tensor->name,
                             tensor->begin < reached ? "overlaps another"
                                                     : "leaves a hole before it");
        reached = tensor->end;
    }
    if (reached != data_size)
        return core_fail(error, PLYNNUE_EFORMAT, file->data_start + reached,
                         "safetensors: %llu bytes after the last tensor",
                         (unsigned long long)(data_size - reached));
    return 0;
}

static uint64_t read_length(const uint8_t *bytes)
{
    uint64_t length = 0;
    for (unsigned i = LENGTH_SIZE; i-- > 0;)
        length = length << 8 | bytes[i];
    return length;
}

bool safetensors_detect(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    return size > LENGTH_SIZE && bytes[LENGTH_SIZE] == '{' &&
           read_length(bytes) <= SAFETENSORS_HEADER_MAX;
}

int safetensors_parse(const void *data, size_t size, struct safetensors *out,
                      struct plynnue_error *error)
{
    struct parser p = {.text = data, .at = LENGTH_SIZE, .error = error};
    uint64_t length;
    int code;
    out->tensor_count = out->text_count = 0;
    if (size < LENGTH_SIZE)
        return core_fail(error, PLYNNUE_EFORMAT, size, "safetensors: cut inside the header length");
    length = read_length(data);
    if (length > SAFETENSORS_HEADER_MAX)
        return core_fail(error, PLYNNUE_EFORMAT, 0, "safetensors: header of %llu bytes, at most %d",
                         (unsigned long long)length, SAFETENSORS_HEADER_MAX);
    if (length > size - LENGTH_SIZE)
        return core_fail(error, PLYNNUE_EFORMAT, size, "safetensors: cut inside the header");
    p.end = LENGTH_SIZE + (size_t)length;
    out->data_start = p.end;
    code = parse_header(&p, out, size - p.end);
    if (code)
        return code;
    sort_by_begin(out);
    return check_cover(out, size - p.end, error);
}

const struct safetensors_tensor *safetensors_find(const struct safetensors *file, const char *name)
{
    for (unsigned i = 0; i < file->tensor_count; i++)
        if (!strcmp(file->tensors[i].name, name))
            return &file->tensors[i];
    return NULL;
}

bool safetensors_text(const struct safetensors *file, const char *key, char *out, size_t size)
{
    const struct safetensors_text *text = find_text(file, key);
    if (text && unescape(text->value, text->size, out, size))
        return true;
    if (size)
        out[0] = '\0';
    return false;
}

bool safetensors_integer(const struct safetensors *file, const char *key, int64_t *value)
{
    char text[24];
    *value = 0;
    if (!safetensors_text(file, key, text, sizeof text) || !text[0])
        return false;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || *value > (INT64_MAX - (*c - '0')) / 10)
            return false;
        *value = *value * 10 + (*c - '0');
    }
    return true;
}
