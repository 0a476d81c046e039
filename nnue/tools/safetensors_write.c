/* SPDX-License-Identifier: MIT */
/*
 * The safetensors writer, see safetensors_write.h.
 */
#include "nnue/tools/safetensors_write.h"

#include <inttypes.h>
#include <string.h>

#include "formats/io/bytes.h"

enum { LENGTH_SIZE = 8, ALIGNMENT = 8 };

unsigned tensor_type_size(enum tensor_type type)
{
    return type == TENSOR_I8 ? 1 : type == TENSOR_I16 ? 2 : 4;
}

static const char *type_name(enum tensor_type type)
{
    static const char *const names[] = {
        [TENSOR_F32] = "F32", [TENSOR_I32] = "I32", [TENSOR_I16] = "I16", [TENSOR_I8] = "I8"};
    return names[type];
}

uint64_t tensor_out_count(const struct tensor_out *tensor)
{
    uint64_t count = 1;
    for (unsigned i = 0; i < tensor->rank; i++)
        count *= tensor->shape[i];
    return count;
}

int tensor_append_values(const struct tensor_out *tensor, struct buffer *out, struct error *err)
{
    uint64_t count = tensor_out_count(tensor);
    unsigned size = tensor_type_size(tensor->type);
    uint8_t *to;
    if (buffer_reserve(out, count * size, err))
        return -1;
    to = (uint8_t *)out->data + out->length;
    for (uint64_t i = 0; i < count; i++, to += size) {
        uint32_t bits;
        if (size == 1) {
            *to = ((const uint8_t *)tensor->values)[i];
        } else if (size == 2) {
            bytes_put_u16(to, (uint16_t)((const int16_t *)tensor->values)[i]);
        } else {
            memcpy(&bits, (const char *)tensor->values + 4 * i, sizeof bits);
            bytes_put_u32(to, bits);
        }
    }
    out->length += count * size;
    return 0;
}

static int append_string(struct buffer *out, const char *text, struct error *err)
{
    if (buffer_append(out, "\"", 1, err))
        return -1;
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        int failed = c < 0x20                ? buffer_printf(out, err, "\\u%04x", c)
                     : c == '"' || c == '\\' ? buffer_printf(out, err, "\\%c", c)
                                             : buffer_append(out, text, 1, err);
        if (failed)
            return -1;
    }
    return buffer_append(out, "\"", 1, err);
}

static int append_metadata(const struct text_out *texts, size_t count, struct buffer *out,
                           struct error *err)
{
    if (buffer_printf(out, err, "{\"__metadata__\":{"))
        return -1;
    for (size_t i = 0; i < count; i++)
        if ((i && buffer_append(out, ",", 1, err)) || append_string(out, texts[i].key, err) ||
            buffer_append(out, ":", 1, err) || append_string(out, texts[i].value, err))
            return -1;
    return buffer_append(out, "}", 1, err);
}

static int append_entry(const struct tensor_out *tensor, uint64_t begin, uint64_t end,
                        struct buffer *out, struct error *err)
{
    if (buffer_append(out, ",", 1, err) || append_string(out, tensor->name, err) ||
        buffer_printf(out, err, ":{\"dtype\":\"%s\",\"shape\":[%" PRIu64, type_name(tensor->type),
                      tensor->shape[0]))
        return -1;
    for (unsigned i = 1; i < tensor->rank; i++)
        if (buffer_printf(out, err, ",%" PRIu64, tensor->shape[i]))
            return -1;
    return buffer_printf(out, err, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", begin, end);
}

/* The header's text and its padding; a hole of 8 bytes for its length stands before it. */
static int append_header(const struct text_out *texts, size_t text_count,
                         const struct tensor_out *tensors, size_t tensor_count, struct buffer *out,
                         struct error *err)
{
    static const char blanks[] = "        ";
    uint64_t begin = 0;
    size_t used;
    if (buffer_append(out, "\0\0\0\0\0\0\0", LENGTH_SIZE, err) ||
        append_metadata(texts, text_count, out, err))
        return -1;
    for (size_t i = 0; i < tensor_count; i++) {
        uint64_t size = tensor_out_count(&tensors[i]) * tensor_type_size(tensors[i].type);
        if (append_entry(&tensors[i], begin, begin + size, out, err))
            return -1;
        begin += size;
    }
    if (buffer_append(out, "}", 1, err))
        return -1;
    used = out->length % ALIGNMENT;
    return used ? buffer_append(out, blanks, ALIGNMENT - used, err) : 0;
}

int safetensors_write(const struct text_out *texts, size_t text_count,
                      const struct tensor_out *tensors, size_t tensor_count, struct buffer *out,
                      struct error *err)
{
    buffer_clear(out);
    if (append_header(texts, text_count, tensors, tensor_count, out, err))
        return -1;
    bytes_put_u64((uint8_t *)out->data, out->length - LENGTH_SIZE);
    for (size_t i = 0; i < tensor_count; i++)
        if (tensor_append_values(&tensors[i], out, err))
            return -1;
    return 0;
}
