/*
 * Opening a recording.
 *
 * The footer leads to the index, the index to the blocks.  A file without a
 * good footer was cut off or damaged: it is walked from its start to say at
 * which block, as nobody can tell from the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "workloads/recording/reader_private.h"

/* Finds out what is wrong with a file that has no good footer or index. */
static bool diagnose(struct loom_recording *recording, struct loom_error *err)
{
    unsigned char header[REC_BLOCK_HEADER_BYTES];
    struct rec_bytes raw = {0};
    struct rec_block block = {.offset = REC_HEADER_BYTES};
    uint32_t number = 0;
    bool ok = true, last = false;

    while (ok && !last && block.offset < recording->bytes) {
        uint64_t offset = block.offset;
        bool whole = rec_fetch(recording, offset, header, sizeof(header));

        if (!whole || !rec_block_read(header, &block) ||
            block.number != number) {
            block = (struct rec_block){.offset = offset, .number = number};
            ok = rec_damaged(err, &block,
                             whole ? "its header is wrong" : "it is cut off");
        } else {
            ok = rec_read_block(recording, &block, &raw, err);
            last = block.kind == REC_INDEX;
            block.offset = offset + REC_BLOCK_HEADER_BYTES + block.stored;
            number++;
        }
    }
    rec_free(&raw);
    if (ok && last) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "the footer at offset %llu is damaged",
                         (unsigned long long)block.offset);
    }
    if (ok) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "it is cut off at offset %llu, after %lu blocks: "
                         "the index is missing",
                         (unsigned long long)recording->bytes,
                         (unsigned long)number);
    }
    return false;
}

static bool check_header(struct loom_recording *recording,
                         struct loom_error *err)
{
    unsigned char header[REC_HEADER_BYTES];
    uint64_t version;

    if (!rec_fetch(recording, 0, header, sizeof(header)) ||
        memcmp(header, rec_magic, sizeof(rec_magic)) != 0) {
        return loom_fail(err, LOOM_ERR_INPUT, "is not a warploom recording");
    }
    if (rec_load(header + 28, 4) != rec_crc(header, 28)) {
        return loom_fail(err, LOOM_ERR_INPUT, "the header is damaged");
    }
    version = rec_load(header + 8, 4);
    if (version != LOOM_RECORDING_VERSION) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "has version %llu, expected %d: record it again",
                         (unsigned long long)version, LOOM_RECORDING_VERSION);
    }
    return true;
}

static bool read_index_row(const unsigned char *at, uint64_t offset,
                           uint32_t number, struct rec_block *block)
{
    block->offset = rec_load(at, 8);
    block->kind = (uint32_t)rec_load(at + 8, 4);
    block->stored = (uint32_t)rec_load(at + 12, 4);
    block->raw = (uint32_t)rec_load(at + 16, 4);
    block->launch = (uint32_t)rec_load(at + 20, 4);
    block->cta = (uint32_t)rec_load(at + 24, 4);
    block->number = (uint32_t)rec_load(at + 28, 4);
    return block->offset == offset && block->number == number &&
           block->kind > 0 && block->kind < REC_INDEX &&
           block->stored <= REC_BLOCK_MAX && block->raw <= REC_BLOCK_MAX;
}

static bool read_rows(struct loom_recording *recording,
                      const struct rec_block *index,
                      const struct rec_bytes *raw, struct loom_error *err)
{
    uint64_t offset = REC_HEADER_BYTES;

    if (raw->bytes != (size_t)index->number * REC_INDEX_ROW_BYTES) {
        return rec_damaged(err, index, "it has another number of rows");
    }
    recording->block =
        calloc((size_t)index->number + 1, sizeof(*recording->block));
    if (recording->block == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for an index");
    }
    recording->blocks = index->number;
    for (uint32_t i = 0; i < index->number; i++) {
        struct rec_block *block = &recording->block[i];

        if (!read_index_row(raw->data + (size_t)i * REC_INDEX_ROW_BYTES, offset,
                            i, block)) {
            return rec_damaged(err, index, "a row contradicts itself");
        }
        offset += REC_BLOCK_HEADER_BYTES + block->stored;
    }
    if (offset != index->offset) {
        return rec_damaged(err, index, "it does not follow the last block");
    }
    return true;
}

static bool read_index(struct loom_recording *recording, struct loom_error *err)
{
    unsigned char footer[REC_FOOTER_BYTES], header[REC_BLOCK_HEADER_BYTES];
    struct rec_bytes raw = {0};
    struct rec_block index;
    bool ok;

    if (recording->bytes < REC_HEADER_BYTES + REC_FOOTER_BYTES ||
        !rec_fetch(recording, recording->bytes - REC_FOOTER_BYTES, footer,
                   sizeof(footer)) ||
        memcmp(footer + 24, rec_magic, sizeof(rec_magic)) != 0 ||
        rec_load(footer + 36, 4) != rec_crc(footer, 36) ||
        rec_load(footer + 8, 8) != recording->bytes) {
        return diagnose(recording, err);
    }
    index.offset = rec_load(footer, 8);
    if (!rec_fetch(recording, index.offset, header, sizeof(header)) ||
        !rec_block_read(header, &index) || index.kind != REC_INDEX ||
        (uint64_t)index.number + 1 != rec_load(footer + 16, 4)) {
        return diagnose(recording, err);
    }
    ok = rec_read_block(recording, &index, &raw, err) &&
         read_rows(recording, &index, &raw, err);
    rec_free(&raw);
    return ok;
}

static bool open_all(struct loom_recording *recording, struct loom_error *err)
{
    recording->zstd = ZSTD_createDCtx();
    if (recording->zstd == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a recording");
    }
    return check_header(recording, err) && read_index(recording, err) &&
           rec_load_tables(recording, err);
}

static bool finish_open(struct loom_recording *recording,
                        struct loom_recording **out, struct loom_error *err)
{
    if (!open_all(recording, err)) {
        struct loom_error why = *err;

        loom_fail(err, why.kind, "recording '%s': %s", recording->path,
                  why.text);
        loom_recording_close(recording);
        return false;
    }
    recording->totals.file_bytes = recording->bytes;
    recording->totals.blocks = recording->blocks + 1;
    recording->totals.kernels = recording->kernels;
    recording->totals.launches = recording->launches;
    *out = recording;
    return true;
}

static struct loom_recording *create(const char *path)
{
    struct loom_recording *recording = calloc(1, sizeof(*recording));

    if (recording != NULL) {
        recording->path = strdup(path);
        if (recording->path == NULL) {
            free(recording);
            return NULL;
        }
    }
    return recording;
}

bool loom_recording_open(const char *path, struct loom_recording **out,
                         struct loom_error *err)
{
    struct loom_recording *recording = create(path);
    off_t bytes = -1;

    if (recording == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a recording");
    }
    recording->file = fopen(path, "rb");
    if (recording->file != NULL && fseeko(recording->file, 0, SEEK_END) == 0) {
        bytes = ftello(recording->file);
    }
    if (bytes < 0 || bytes == INT64_MAX) {
        loom_fail(err, LOOM_ERR_INPUT, "recording '%s' cannot be read: %s",
                  path, errno == 0 ? "is not a file" : strerror(errno));
        loom_recording_close(recording);
        return false;
    }
    recording->bytes = (uint64_t)bytes;
    return finish_open(recording, out, err);
}

bool loom_recording_open_memory(const void *data, size_t bytes,
                                struct loom_recording **out,
                                struct loom_error *err)
{
    struct loom_recording *recording = create("(memory)");

    if (recording == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a recording");
    }
    recording->memory = data;
    recording->bytes = bytes;
    return finish_open(recording, out, err);
}

void loom_recording_close(struct loom_recording *recording)
{
    if (recording == NULL) {
        return;
    }
    if (recording->file != NULL) {
        fclose(recording->file);
    }
    rec_free_tables(recording);
    rec_free(&recording->stored);
    ZSTD_freeDCtx(recording->zstd);
    free(recording->block);
    free(recording->order);
    free(recording->path);
    free(recording);
}
