/*
 * Writing a recording.
 *
 * A launch that is recorded has a source of ours in front of its kernel's
 * own: it passes each CTA on and codes it on the way.  Launches that overlap
 * code into blocks of their own.  What is in memory is one unfinished block
 * of each running launch, the notes, the index (32 bytes a block) and zstd's
 * tables for one block.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "engine/file.h"

#include "workloads/recording/recording_private.h"
#include "workloads/recording/writer_private.h"

/* Writes the bytes with their sum at the end, and frees them. */
static bool put_whole(struct loom_recording_writer *writer,
                      struct rec_bytes *bytes, struct loom_error *err)
{
    bool ok;

    rec_put_int(bytes, rec_crc(bytes->data, bytes->bytes), 4);
    ok = bytes->failed ? rec_broken(writer, err, "no memory")
                       : rec_out(writer, bytes->data, bytes->bytes, err);
    rec_free(bytes);
    return ok;
}

static bool write_header(struct loom_recording_writer *writer,
                         struct loom_error *err)
{
    struct rec_bytes bytes = {0};

    rec_put(&bytes, rec_magic, sizeof(rec_magic));
    rec_put_int(&bytes, LOOM_RECORDING_VERSION, 4);
    while (!bytes.failed && bytes.bytes < REC_HEADER_BYTES - 4) {
        rec_put_int(&bytes, 0, 4);
    }
    return put_whole(writer, &bytes, err);
}

static bool write_footer(struct loom_recording_writer *writer, uint64_t index,
                         struct loom_error *err)
{
    struct rec_bytes bytes = {0};

    rec_put_int(&bytes, index, 8);
    rec_put_int(&bytes, writer->offset + REC_FOOTER_BYTES, 8);
    rec_put_int(&bytes, writer->totals.blocks, 4);
    rec_put_int(&bytes, LOOM_RECORDING_VERSION, 4);
    rec_put(&bytes, rec_magic, sizeof(rec_magic));
    rec_put_int(&bytes, 0, 4);
    return put_whole(writer, &bytes, err);
}

static void destroy(struct loom_recording_writer *writer)
{
    rec_sources_free(writer);
    if (writer->file != NULL) {
        fclose(writer->file);
    }
    ZSTD_freeCCtx(writer->zstd);
    rec_free(&writer->notes);
    rec_free(&writer->events);
    rec_free(&writer->index);
    rec_free(&writer->packed);
    rec_free(&writer->raw);
    free(writer->kernel);
    free(writer->path);
    free(writer->partial);
    free(writer);
}

static char *with_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), more = strlen(suffix) + 1;
    char *made = malloc(length + more);

    if (made != NULL) {
        memcpy(made, path, length);
        memcpy(made + length, suffix, more);
    }
    return made;
}

static FILE *create_file(const char *path)
{
    int fd = loom_file_create(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");

    if (file == NULL && fd >= 0) {
        close(fd);
        unlink(path);
    }
    return file;
}

bool loom_recording_create(const char *path, struct loom_recording_writer **out,
                           struct loom_error *err)
{
    struct loom_recording_writer *writer = calloc(1, sizeof(*writer));

    if (writer == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a recording");
    }
    writer->path = with_suffix(path, "");
    writer->partial = with_suffix(path, ".partial");
    writer->zstd = ZSTD_createCCtx();
    if (writer->path == NULL || writer->partial == NULL ||
        writer->zstd == NULL) {
        destroy(writer);
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a recording");
    }
    ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, 3);
    if (!loom_file_replaceable(path, err)) {
        destroy(writer);
        return false;
    }
    writer->file = create_file(writer->partial);
    if (writer->file == NULL) {
        loom_fail(err, LOOM_ERR_OUTPUT, "'%s' cannot be written: %s",
                  writer->partial, strerror(errno));
        destroy(writer);
        return false;
    }
    if (!write_header(writer, err)) {
        loom_recording_abandon(writer);
        return false;
    }
    *out = writer;
    return true;
}

bool loom_recording_note(struct loom_recording_writer *writer, const char *name,
                         const char *value, struct loom_error *err)
{
    rec_put_text(&writer->notes, name);
    rec_put_text(&writer->notes, value);
    return writer->notes.failed ? rec_broken(writer, err, "no memory") : true;
}

bool loom_recording_event(struct loom_recording_writer *writer,
                          const struct loom_recording_event *event,
                          struct loom_error *err)
{
    struct rec_bytes *events = &writer->events;

    LOOM_CHECK(event->kind < LOOM_RECORD_EVENTS &&
               event->kind != LOOM_RECORD_LAUNCH &&
               event->kind != LOOM_RECORD_RESERVED);
    rec_put_varint(events, event->kind);
    rec_put_varint(events, event->stream);
    rec_put_varint(events, event->address);
    rec_put_varint(events, event->bytes);
    rec_put_text(events, event->name == NULL ? "" : event->name);
    return rec_events_added(writer, err);
}

static bool write_rest(struct loom_recording_writer *writer,
                       struct loom_error *err)
{
    struct rec_bytes index;
    uint64_t at;
    bool ok;

    if (!rec_sources_finish(writer, err) || !rec_flush_events(writer, 0, err) ||
        !rec_write_block(writer, REC_NOTES, 0, 0, &writer->notes, err)) {
        return false;
    }
    /* The index is a block as well; its own row does not belong to it. */
    index = writer->index;
    writer->index = (struct rec_bytes){0};
    at = writer->offset;
    ok = rec_write_block(writer, REC_INDEX, 0, 0, &index, err) &&
         write_footer(writer, at, err);
    rec_free(&index);
    return ok;
}

static bool settle(struct loom_recording_writer *writer, struct loom_error *err)
{
    FILE *file = writer->file;
    bool ok = fflush(file) == 0;

    writer->file = NULL;
    if (fclose(file) != 0 || !ok) {
        return rec_broken(writer, err, strerror(errno));
    }
    return loom_file_move(writer->partial, writer->path, err);
}

bool loom_recording_finish(struct loom_recording_writer *writer,
                           struct loom_recording_totals *totals,
                           struct loom_error *err)
{
    bool ok = write_rest(writer, err) && settle(writer, err);

    if (!ok) {
        unlink(writer->partial);
    } else if (totals != NULL) {
        *totals = writer->totals;
        totals->file_bytes = writer->offset;
    }
    destroy(writer);
    return ok;
}

void loom_recording_abandon(struct loom_recording_writer *writer)
{
    if (writer != NULL) {
        unlink(writer->partial);
        destroy(writer);
    }
}
