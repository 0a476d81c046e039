/* SPDX-License-Identifier: MIT */
/*
 * The front matter of the dataset card. Its words are those of the Hugging Face hub: licence ids,
 * size categories, task ids, `configs` with `data_files` by split. Only formats that its viewer
 * reads are configured; without any the viewer is switched off, since it would guess.
 */
#include <inttypes.h>
#include <string.h>

#include "formats/codec.h"
#include "pipeline/report/card_internal.h"
#include "pipeline/stages/fate.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Formats that load_dataset reads, .zst or not. */
static const char *const shown[] = {"csv", "jsonl"};

static const char *size_category(int64_t records)
{
    static const char *const names[] = {"n<1K",       "1K<n<10K",   "10K<n<100K", "100K<n<1M",
                                        "1M<n<10M",   "10M<n<100M", "100M<n<1B",  "1B<n<10B",
                                        "10B<n<100B", "100B<n<1T"};
    size_t i = 0;
    for (int64_t limit = 1000; records >= limit && i + 1 < COUNT(names); limit *= 10)
        i++;
    return names[i];
}

/* Is it "dataset/SPLIT[-NNNN].EXT[.zst]"? */
static bool is_file_of(const char *name, const char *split, const char *extension)
{
    static const char folder[] = "dataset/";
    size_t length = strlen(split);
    if (strncmp(name, folder, sizeof folder - 1) != 0)
        return false;
    name += sizeof folder - 1;
    if (strncmp(name, split, length) != 0)
        return false;
    name += length;
    if (*name == '-')
        name += 1 + strspn(name + 1, "0123456789");
    length = strlen(extension);
    return strncmp(name, extension, length) == 0 &&
           (name[length] == '\0' || strcmp(name + length, ".zst") == 0);
}

/* The files of one split; nothing where it holds no record. */
static int put_split(const struct card *card, const char *split, const char *extension,
                     struct error *err)
{
    bool any = false;
    int status = 0;
    for (size_t i = 0; i < card->facts->file_count && status == 0; i++) {
        const struct catalogue_file *file = &card->facts->files[i];
        if (file->records == 0 || !is_file_of(file->name, split, extension))
            continue;
        if (!any)
            status = buffer_printf(card->out, err, "  - split: %s\n    path:\n", split);
        any = true;
        if (status == 0)
            status = buffer_printf(card->out, err, "    - %s\n", file->name);
    }
    return status;
}

static int put_config(const struct card *card, const struct codec *codec, bool first,
                      struct error *err)
{
    int status = buffer_printf(card->out, err, "- config_name: %s\n%s  data_files:\n", codec->name,
                               first ? "  default: true\n" : "");
    for (int split = 0; split < BUILD_SPLITS && status == 0; split++)
        status = put_split(card, build_split_names[split], codec->extension, err);
    return status;
}

static int put_configs(const struct card *card, int64_t records, struct error *err)
{
    bool any = false;
    int status = 0;
    for (size_t i = 0; i < COUNT(shown) && status == 0 && records > 0; i++) {
        if (!settings_has(card->build->settings, "export.formats", shown[i]))
            continue;
        if (!any)
            status = buffer_printf(card->out, err, "configs:\n");
        if (status == 0)
            status = put_config(card, codec_find(shown[i]), !any, err);
        any = true;
    }
    return any || status < 0 ? status : buffer_printf(card->out, err, "viewer: false\n");
}

int card_put_head(const struct card *card, struct error *err)
{
    int64_t records = report_facts_value(card->facts, "select", fate_text(FATE_KEPT));
    int status = buffer_printf(card->out, err,
                               "---\n"
                               "license: %s\n"
                               "pretty_name: Chess positions with scores\n"
                               "size_categories:\n- %s\n"
                               "task_categories:\n- tabular-regression\n"
                               "tags:\n- chess\n- nnue\n- plymill\n",
                               settings_string(card->build->settings, "export.license"),
                               size_category(records));
    if (status == 0)
        status = put_configs(card, records, err);
    return status == 0 ? buffer_printf(card->out, err, "---\n\n") : -1;
}
