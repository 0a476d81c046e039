/* SPDX-License-Identifier: MIT */
/*
 * A stream of bytes out of a plain, zstd or gzip file, or stdin, in constant memory.
 *
 * The kind is told by the first bytes, not by the name. zstd archives may hold any number of frames
 * and skippable frames (pzstd puts one before every data frame): the decoder's return value 0 ends
 * a frame, never the file. An archive that ends inside a frame is an error that says at which byte;
 * what was complete before was delivered already. What is delivered before an error depends on the
 * file alone, not on the sizes of reads or the number of threads.
 */
#ifndef PLYMILL_FORMATS_IO_READER_H
#define PLYMILL_FORMATS_IO_READER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "formats/io/digest.h"
#include "formats/io/error.h"

struct reader;

/*
 * Opens path ("-" is stdin). with_digest: also hash the bytes of the file as stored, for
 * reader_digest. A folder, a missing or unreadable file: an error that names it. Every error of
 * reader_open and reader_read begins with the path ("standard input" for "-").
 */
int reader_open(const char *path, bool with_digest, struct reader **reader, struct error *err);
/* Over bytes in memory that outlive the reader (tests, fuzzing). Same detection of kinds. */
int reader_open_memory(const void *data, size_t size, struct reader **reader, struct error *err);

/* Text that stands in memory already; it outlives the reader. */
struct reader_span {
    const void *data;
    size_t size;
};
/*
 * The text of the spans as it is, one behind the other, then whatever `rest` gives, which the
 * caller closes afterwards. Without rest an error stands at the end, as if the input broke off.
 */
int reader_open_spans(const struct reader_span *spans, size_t count, struct reader *rest,
                      struct reader **reader, struct error *err);

/*
 * Before the first read: threads beside the caller's own (so 1 means none, and is the default)
 * read, hash and decode ahead. 2 is right for every file; of pzstd archives several frames are
 * decoded at once where there are more. Bytes, errors and offsets are the same for any number.
 * Where the system gives no thread reading goes on without; -1 only when memory is short.
 */
int reader_set_threads(struct reader *reader, unsigned threads, struct error *err);

/*
 * Before the first read and before reader_set_threads: a read that waits for a pipe or a terminal
 * ends with an error a tenth of a second after *stop is set. stop outlives the reader; NULL: none.
 */
void reader_watch(struct reader *reader, const volatile sig_atomic_t *stop);

/*
 * Up to size decoded bytes: their number, 0 at the end, -1 on an error. A cut archive gives
 * ERROR_FAILED with "truncated at byte N" and reader_truncated() is true from then on. After an
 * error every further read gives it again.
 */
ssize_t reader_read(struct reader *reader, void *data, size_t size, struct error *err);
bool reader_truncated(const struct reader *reader);
/* Bytes taken from the file so far (for progress; of spans, from that of their rest), and its size
 * or 0 when unknown. */
uint64_t reader_position(const struct reader *reader);
uint64_t reader_file_size(const struct reader *reader);
/*
 * Once, after the last read: SHA-256 (hex) and number of the file's own bytes. Bytes that were not
 * read are read now, so that it is always the digest of the whole file.
 */
int reader_digest(struct reader *reader, char hex[DIGEST_HEX_SIZE], uint64_t *bytes,
                  struct error *err);
const char *reader_path(const struct reader *reader);
void reader_close(struct reader *reader);

#endif
