/*
 * Writing blocks of a recording.
 *
 * The first failure to write is remembered, and everything after it fails.
 */
#include <errno.h>
#include <string.h>
#include <zstd.h>

#include "workloads/recording/writer_private.h"

bool rec_broken(struct loom_recording_writer *writer, struct loom_error *err,
                const char *why)
{
    writer->failed = true;
    return loom_fail(err, LOOM_ERR_OUTPUT, "recording '%s': %s", writer->path,
                     why);
}

bool rec_out(struct loom_recording_writer *writer, const void *data,
             size_t bytes, struct loom_error *err)
{
    if (fwrite(data, 1, bytes, writer->file) != bytes) {
        return rec_broken(writer, err, strerror(errno));
    }
    writer->offset += bytes;
    return true;
}

static bool compress(struct loom_recording_writer *writer,
                     const struct rec_bytes *raw, struct loom_error *err)
{
    size_t bytes;

    if (raw->failed || raw->bytes > REC_BLOCK_MAX) {
        return rec_broken(writer, err,
                          raw->failed ? "no memory" : "a block is too large");
    }
    writer->packed.bytes = 0;
    if (!rec_reserve(&writer->packed, ZSTD_compressBound(raw->bytes))) {
        return rec_broken(writer, err, "no memory");
    }
    bytes = ZSTD_compress2(writer->zstd, writer->packed.data,
                           writer->packed.capacity, raw->data, raw->bytes);
    if (ZSTD_isError(bytes)) {
        return rec_broken(writer, err, ZSTD_getErrorName(bytes));
    }
    writer->packed.bytes = bytes;
    return true;
}

static void add_index(struct loom_recording_writer *writer,
                      const struct rec_block *block)
{
    struct rec_bytes *index = &writer->index;

    rec_put_int(index, block->offset, 8);
    rec_put_int(index, block->kind, 4);
    rec_put_int(index, block->stored, 4);
    rec_put_int(index, block->raw, 4);
    rec_put_int(index, block->launch, 4);
    rec_put_int(index, block->cta, 4);
    rec_put_int(index, block->number, 4);
}

bool rec_write_block(struct loom_recording_writer *writer, uint32_t kind,
                     uint32_t launch, uint32_t cta, const struct rec_bytes *raw,
                     struct loom_error *err)
{
    unsigned char header[REC_BLOCK_HEADER_BYTES];
    struct rec_block block;

    if (writer->failed) {
        return rec_broken(writer, err, "an earlier write failed");
    }
    if (!compress(writer, raw, err)) {
        return false;
    }
    block = (struct rec_block){
        .offset = writer->offset,
        .number = writer->totals.blocks++,
        .kind = kind,
        .stored = (uint32_t)writer->packed.bytes,
        .raw = (uint32_t)raw->bytes,
        .launch = launch,
        .cta = cta,
        .sum = rec_crc(writer->packed.data, writer->packed.bytes)};
    rec_block_write(header, &block);
    add_index(writer, &block);
    if (kind == REC_STREAM) {
        writer->totals.encoded += raw->bytes;
        writer->totals.stream_bytes += sizeof(header) + block.stored;
    }
    return rec_out(writer, header, sizeof(header), err) &&
           rec_out(writer, writer->packed.data, writer->packed.bytes, err);
}

bool rec_flush_events(struct loom_recording_writer *writer, size_t least,
                      struct loom_error *err)
{
    bool ok = true;

    if (writer->events.bytes > least) {
        ok = rec_write_block(writer, REC_EVENTS, 0, 0, &writer->events, err);
        writer->events.bytes = 0;
    }
    return ok;
}

bool rec_events_added(struct loom_recording_writer *writer,
                      struct loom_error *err)
{
    return rec_flush_events(writer, REC_EVENT_BYTES, err);
}
