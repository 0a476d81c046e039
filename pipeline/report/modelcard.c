/* SPDX-License-Identifier: MIT */
#include "pipeline/report/modelcard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/digest.h"
#include "formats/io/file.h"
#include "nnue/core/plynnue.h"
#include "nnue/core/safetensors.h"
#include "pipeline/report/report_facts.h"
#include "pipeline/report/report_losses.h"

#define CARD_MAX  (1u << 20)
#define VALUE_MAX 512 /* bytes of a metadata value that are shown */

struct modelcard {
    const char *net, *from;
    struct buffer bytes;         /* the net file */
    struct safetensors *tensors; /* what they hold; text_count and tensor_count 0: another kind */
    struct plynnue_info info;    /* arch "" where the library does not know it */
    struct report_losses losses;
    struct buffer *out;
};

static const char suffix[] = ".safetensors";

char *modelcard_path(const char *net, struct error *err)
{
    size_t length = strlen(net), cut = sizeof suffix - 1;
    if (length > cut && strcmp(net + length - cut, suffix) == 0)
        length -= cut;
    return file_name_format(err, "%.*s.card.md", (int)length, net);
}

static int put_head(const struct modelcard *card, struct error *err)
{
    return buffer_printf(card->out, err,
                         "---\n"
                         "license: unknown\n"
                         "library_name: plymill\n"
                         "pipeline_tag: tabular-regression\n"
                         "tags:\n- chess\n- nnue\n- plymill\n"
                         "---\n\n"
                         "# %s\n\n"
                         "An NNUE net for chess%s.\n",
                         report_base_name(card->net),
                         card->info.arch[0] == '\0' ? ""
                         : card->info.is_float      ? ", in floats"
                                                    : ", in integers");
}

static int put_digest(const struct modelcard *card, const char *name, const char *path,
                      struct error *err)
{
    char hex[DIGEST_HEX_SIZE];
    uint64_t bytes;
    if (digest_file(path, hex, &bytes, err) < 0)
        return -1;
    return buffer_printf(card->out, err, "- %s: `%s`, %" PRIu64 " bytes, SHA-256 `%s`\n", name,
                         report_base_name(path), bytes, hex);
}

static uint64_t count_parameters(const struct safetensors *file)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < file->tensor_count; i++)
        count += file->tensors[i].count;
    return count;
}

static int put_facts(const struct modelcard *card, struct error *err)
{
    if (buffer_printf(card->out, err, "\n## The net\n\n") < 0 ||
        put_digest(card, "file", card->net, err) < 0 ||
        (card->from && put_digest(card, "quantised from", card->from, err) < 0))
        return -1;
    int status = 0;
    if (card->info.arch[0])
        status = buffer_printf(card->out, err, "- architecture: `%s`\n", card->info.arch);
    if (status == 0 && card->tensors->tensor_count > 0)
        status = buffer_printf(card->out, err, "- parameters: %" PRIu64 "\n",
                               count_parameters(card->tensors));
    if (status == 0 && card->info.cp_per_unit > 0)
        status =
            buffer_printf(card->out, err, "- what `plymill eval` prints, times %.6g: centipawns\n",
                          card->info.cp_per_unit);
    return status;
}

static int put_tensors(const struct modelcard *card, struct error *err)
{
    int status = 0;
    if (card->tensors->tensor_count > 0)
        status = buffer_printf(card->out, err, "\n| tensor | type | shape |\n|---|---|---|\n");
    for (unsigned i = 0; i < card->tensors->tensor_count && status == 0; i++) {
        const struct safetensors_tensor *tensor = &card->tensors->tensors[i];
        status = buffer_printf(card->out, err, "| `%s` | %s |", tensor->name, tensor->dtype);
        for (unsigned k = 0; k < tensor->rank && status == 0; k++)
            status = buffer_printf(card->out, err, "%s%" PRIu64, k > 0 ? " \u00d7 " : " ",
                                   tensor->shape[k]);
        if (status == 0)
            status = buffer_printf(card->out, err, " |\n");
    }
    return status;
}

/* Keys and values of the metadata, in their order; what could end a cell is taken out. */
static int put_metadata(const struct modelcard *card, struct error *err)
{
    int status = 0;
    if (card->tensors->text_count > 0)
        status = buffer_printf(card->out, err,
                               "\n## How it was made\n\nAs its metadata says; `train.records` is "
                               "the SHA-256 of `records/train.rec`, `train.build` the\nid of the "
                               "build that it belongs to, `unit_cp` what 1.0 of the last layer is "
                               "worth in\ncentipawns: the values of `plymill eval` are multiplied "
                               "by it already.\n\n| | |\n|---|---|\n");
    for (unsigned i = 0; i < card->tensors->text_count && status == 0; i++) {
        const char *key = card->tensors->texts[i].key;
        char value[VALUE_MAX];
        if (!safetensors_text(card->tensors, key, value, sizeof value))
            (void)snprintf(value, sizeof value, "(too long to show)");
        for (char *c = value; *c; c++)
            if ((unsigned char)*c < ' ' || *c == '|' || *c == '`')
                *c = '?';
        status = buffer_printf(card->out, err, "| %s | `%s` |\n", key, value);
    }
    return status;
}

static int put_losses(const struct modelcard *card, struct error *err)
{
    const struct report_losses *losses = &card->losses;
    if (losses->count == 0)
        return 0;
    size_t last = losses->count - 1, best = 0;
    for (size_t i = 1; i < losses->count; i++)
        if (losses->validation[i] < losses->validation[best])
            best = i;
    if (buffer_printf(card->out, err,
                      "\n## Losses\n\n| | epoch | train | validation |\n|---|---|---|---|\n") < 0)
        return -1;
    if (!losses->has_validation)
        return buffer_printf(card->out, err, "| last | %.0f | %.8f | |\n", losses->epoch[last],
                             losses->train[last]);
    return buffer_printf(card->out, err,
                         "| last | %.0f | %.8f | %.8f |\n| lowest validation | %.0f | %.8f | %.8f "
                         "|\n",
                         losses->epoch[last], losses->train[last], losses->validation[last],
                         losses->epoch[best], losses->train[best], losses->validation[best]);
}

static int put_use(const struct modelcard *card, struct error *err)
{
    const char *name = report_base_name(card->net);
    return buffer_printf(card->out, err,
                         "\n## How to use it\n\n"
                         "    plymill eval %s --cp FEN      # centipawns, side to move\n"
                         "    plymill score %s DIR          # its error on held-out positions\n"
                         "    plymill check %s              # updates against fresh evaluations\n\n"
                         "A net judges positions that are like those it was trained on: what the "
                         "selection of its records\nleft out (their card says what), it has not "
                         "seen.\n",
                         name, name, name);
}

static int put_all(const struct modelcard *card, struct error *err)
{
    if (put_head(card, err) < 0 || put_facts(card, err) < 0 || put_tensors(card, err) < 0 ||
        put_metadata(card, err) < 0 || put_losses(card, err) < 0)
        return -1;
    return put_use(card, err);
}

/* What the library makes of it; nothing where it does not know the kind. */
static void read_info(struct modelcard *card)
{
    plynnue_net *net = NULL;
    card->info = (struct plynnue_info){.size = sizeof card->info};
    if (plynnue_net_open(card->net, NULL, &net, NULL) == PLYNNUE_OK)
        plynnue_net_info(net, &card->info);
    plynnue_net_close(net);
}

static int read_net(struct modelcard *card, struct error *err)
{
    card->tensors = calloc(1, sizeof *card->tensors);
    if (!card->tensors)
        return error_memory(err);
    if (file_read_all(card->net, &card->bytes, err) < 0)
        return -1;
    if (!safetensors_detect(card->bytes.data, card->bytes.length) ||
        safetensors_parse(card->bytes.data, card->bytes.length, card->tensors, NULL) != PLYNNUE_OK)
        *card->tensors = (struct safetensors){.tensor_count = 0};
    read_info(card);
    return report_losses_read(card->from ? card->from : card->net, &card->losses, err) < 0 ? -1 : 0;
}

int modelcard_write(const char *net, const char *from, struct error *err)
{
    struct buffer text;
    struct modelcard card = {.net = net, .from = from, .out = &text};
    buffer_init(&text, CARD_MAX);
    buffer_init(&card.bytes, PLYNNUE_FILE_MAX);
    char *path = modelcard_path(net, err);
    int status = path ? read_net(&card, err) : -1;
    if (status == 0)
        status = put_all(&card, err);
    if (status == 0)
        status = file_write_all(path, text.data, text.length, err);
    free(path);
    free(card.tensors);
    report_losses_free(&card.losses);
    buffer_free(&card.bytes);
    buffer_free(&text);
    return status;
}
