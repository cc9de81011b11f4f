/*
 * Reading blocks of an open recording.
 */
#include <string.h>
#include <zstd.h>

#include "workloads/recording/reader_private.h"

bool rec_fetch(struct loom_recording *recording, uint64_t offset, void *to,
               size_t bytes)
{
    if (offset > recording->bytes || bytes > recording->bytes - offset) {
        return false;
    }
    if (recording->memory != NULL) {
        memcpy(to, recording->memory + offset, bytes);
        return true;
    }
    return fseeko(recording->file, (off_t)offset, SEEK_SET) == 0 &&
           fread(to, 1, bytes, recording->file) == bytes;
}

static bool same(const struct rec_block *a, const struct rec_block *b)
{
    return a->kind == b->kind && a->number == b->number &&
           a->stored == b->stored && a->raw == b->raw &&
           a->launch == b->launch && a->cta == b->cta;
}

static bool unpack(struct loom_recording *recording,
                   const struct rec_block *block, struct rec_bytes *raw,
                   struct loom_error *err)
{
    const struct rec_bytes *stored = &recording->stored;
    unsigned long long size =
        ZSTD_getFrameContentSize(stored->data, block->stored);
    size_t got;

    if (size != block->raw) {
        return rec_damaged(err, block, "its size is not what it should be");
    }
    raw->bytes = 0;
    if (!rec_reserve(raw, (size_t)block->raw + 1)) {
        return rec_damaged(err, block, "there is no memory for it");
    }
    got = ZSTD_decompressDCtx(recording->zstd, raw->data, block->raw,
                              stored->data, block->stored);
    if (ZSTD_isError(got)) {
        return rec_damaged(err, block, ZSTD_getErrorName(got));
    }
    if (got != block->raw) {
        return rec_damaged(err, block, "it is too short");
    }
    raw->bytes = got;
    return true;
}

bool rec_read_block(struct loom_recording *recording,
                    const struct rec_block *block, struct rec_bytes *raw,
                    struct loom_error *err)
{
    unsigned char header[REC_BLOCK_HEADER_BYTES];
    struct rec_block found;

    if (!rec_fetch(recording, block->offset, header, sizeof(header))) {
        return rec_damaged(err, block, "it is cut off");
    }
    if (!rec_block_read(header, &found)) {
        return rec_damaged(err, block, "its header is wrong");
    }
    if (!same(&found, block)) {
        return rec_damaged(err, block, "its header contradicts the index");
    }
    recording->stored.bytes = 0;
    if (!rec_reserve(&recording->stored, (size_t)block->stored + 1)) {
        return rec_damaged(err, block, "there is no memory for it");
    }
    if (!rec_fetch(recording, block->offset + sizeof(header),
                   recording->stored.data, block->stored)) {
        return rec_damaged(err, block, "it is cut off");
    }
    if (rec_crc(recording->stored.data, block->stored) != found.sum) {
        return rec_damaged(err, block, "its checksum is wrong");
    }
    return unpack(recording, block, raw, err);
}
