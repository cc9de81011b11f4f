/*
 * The source that stands in front of a kernel's own while it is recorded.
 *
 * A front end may look at its kernel's source, so it finds its own there
 * whenever it is called; and ours leaves by itself when the last CTA was
 * released.
 *
 * Streams that come in parts are kept until they are whole and those of all
 * CTAs before are written.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/recording/code_private.h"
#include "workloads/recording/writer_private.h"
#include "workloads/streams/writer.h"

/* Words coded between looks at the size of the block. */
#define STEP_WORDS (64u << 10)

/* A CTA whose stream comes in parts, which are put together here. */
struct rec_parts {
    struct rec_parts *next;
    uint32_t cta, warps;
    bool whole, failed;
    struct loom_stream_writer warp[];
};

struct rec_source {
    struct loom_cta_source base; /* first */
    struct loom_recording_writer *writer;
    struct loom_kernel *kernel;
    struct loom_cta_source *inner;
    struct rec_source *next;
    struct rec_encoder encoder;
    uint64_t count; /* CTAs of the grid */
    uint64_t produced, released;
    uint64_t insts, words;
    uint32_t launch;
    uint32_t block_cta;                   /* first of the block */
    uint32_t last_cta;                    /* of the segment before */
    struct rec_parts *parts, **parts_end; /* in the order of CTAs */
};

static void begin_block(struct rec_source *source, uint32_t cta)
{
    for (uint32_t c = 0; c < REC_COLUMNS; c++) {
        source->encoder.column[c].bytes = 0;
    }
    rec_model_reset(&source->encoder.model);
    source->encoder.words = 0;
    source->block_cta = source->last_cta = cta;
}

static bool flush(struct rec_source *source, uint32_t next_cta,
                  struct loom_error *err)
{
    struct rec_bytes *raw = &source->writer->raw;
    const struct rec_bytes *column = source->encoder.column;
    bool ok;

    if (column[REC_SEGMENT].bytes == 0) {
        return true;
    }
    raw->bytes = 0;
    for (uint32_t c = 0; c < REC_COLUMNS; c++) {
        rec_put_int(raw, column[c].bytes, 4);
        raw->failed = raw->failed || column[c].failed;
    }
    for (uint32_t c = 0; c < REC_COLUMNS; c++) {
        rec_put(raw, column[c].data, column[c].bytes);
    }
    ok = rec_write_block(source->writer, REC_STREAM, source->launch,
                         source->block_cta, raw, err);
    source->words += source->encoder.words;
    begin_block(source, next_cta);
    return ok;
}

static bool encode_warp(struct rec_source *source, uint32_t cta, uint32_t warp,
                        const struct loom_warp_stream *words,
                        struct loom_error *err)
{
    struct rec_encoder *encoder = &source->encoder;
    struct loom_cursor cursor = loom_cursor_of(words);
    bool more = true;

    while (more) {
        struct rec_bytes *segment = &encoder->column[REC_SEGMENT];
        uint64_t insts = 0;

        rec_model_warp(&encoder->model);
        do {
            insts += rec_encode(encoder, &cursor, STEP_WORDS);
            more = cursor.at != cursor.end;
        } while (more && encoder->words < REC_STREAM_WORDS_MAX &&
                 rec_encoded_bytes(encoder) < REC_STREAM_BYTES_MAX);
        rec_put_varint(segment, cta - source->last_cta);
        rec_put_varint(segment, warp);
        rec_put_varint(segment, insts << 1 | !more);
        source->last_cta = cta;
        source->insts += insts;
        if ((more || encoder->words >= REC_STREAM_WORDS_MAX) &&
            !flush(source, cta, err)) {
            return false;
        }
    }
    return true;
}

static bool end_cta(struct rec_source *source, uint32_t cta,
                    struct loom_error *err)
{
    const struct rec_encoder *encoder = &source->encoder;

    source->produced++;
    if (encoder->words >= REC_STREAM_WORDS ||
        rec_encoded_bytes(encoder) >= REC_STREAM_BYTES ||
        source->produced == source->count) {
        return flush(source, cta + 1, err);
    }
    return true;
}

static bool encode_cta(struct rec_source *source,
                       const struct loom_cta_stream *stream,
                       struct loom_error *err)
{
    for (uint32_t w = 0; w < stream->warp_count; w++) {
        if (!encode_warp(source, stream->cta, w, &stream->warp[w], err)) {
            return false;
        }
    }
    return end_cta(source, stream->cta, err);
}

/* ---- streams in parts ---- */

static void add_part(struct rec_parts *parts, uint32_t number,
                     const struct loom_warp_stream *part)
{
    struct loom_stream_writer *to = &parts->warp[number];
    uint32_t *at = loom_writer_room(to, part->words);

    if (at == NULL) {
        parts->failed = true;
        return;
    }
    if (part->words != 0) {
        memcpy(at, part->word, part->words * sizeof(*at));
    }
    to->words += part->words;
    to->insts += part->insts;
}

/* The first parts of a CTA.  NULL: no memory. */
static struct rec_parts *new_parts(struct rec_source *source,
                                   const struct loom_cta_stream *stream)
{
    uint32_t warps = stream->warp_count;
    struct rec_parts *parts =
        calloc(1, sizeof(*parts) + warps * sizeof(parts->warp[0]));

    if (parts == NULL) {
        return NULL;
    }
    parts->cta = stream->cta;
    parts->warps = warps;
    for (uint32_t w = 0; w < warps; w++) {
        add_part(parts, w, &stream->warp[w]);
    }
    *source->parts_end = parts;
    source->parts_end = &parts->next;
    return parts;
}

/* Takes the first one out of the list. */
static void free_first(struct rec_source *source)
{
    struct rec_parts *parts = source->parts;

    source->parts = parts->next;
    if (source->parts == NULL) {
        source->parts_end = &source->parts;
    }
    for (uint32_t w = 0; w < parts->warps; w++) {
        loom_writer_free(&parts->warp[w]);
    }
    free(parts);
}

/* Writes the CTAs that are whole, as far as all before them are. */
static bool write_whole(struct rec_source *source, struct loom_error *err)
{
    bool ok = true;

    while (ok && source->parts != NULL && source->parts->whole) {
        const struct rec_parts *parts = source->parts;

        ok = !parts->failed || rec_broken(source->writer, err, "no memory");
        for (uint32_t w = 0; ok && w < parts->warps; w++) {
            const struct loom_stream_writer *words = &parts->warp[w];
            struct loom_warp_stream warp = {words->word, words->words,
                                            words->insts, false};

            ok = encode_warp(source, parts->cta, w, &warp, err);
        }
        ok = ok && end_cta(source, parts->cta, err);
        free_first(source);
    }
    return ok;
}

static struct rec_parts *parts_of(const struct rec_source *source, uint32_t cta)
{
    struct rec_parts *parts = source->parts;

    while (parts->cta != cta) {
        parts = parts->next;
    }
    return parts;
}

static bool resume(struct loom_cta_source *self, struct loom_cta_stream *stream,
                   uint64_t asking, struct loom_moment moment, uint64_t *ready,
                   struct loom_error *err)
{
    struct rec_source *source = (struct rec_source *)self;
    struct rec_parts *parts = parts_of(source, stream->cta);

    if (!source->inner->ops->resume(source->inner, stream, asking, moment,
                                    ready, err)) {
        return false;
    }
    for (uint64_t left = *ready; left != 0; left &= left - 1) {
        uint32_t number = loom_lowest(left);

        add_part(parts, number, &stream->warp[number]);
    }
    return true;
}

/* ---- the source ---- */

static bool note_cta(struct rec_source *source,
                     const struct loom_cta_stream *stream,
                     struct loom_error *err)
{
    if (!source->kernel->timed) {
        return encode_cta(source, stream, err);
    }
    return new_parts(source, stream) != NULL ||
           rec_broken(source->writer, err, "no memory");
}

static bool produce(struct loom_cta_source *self, uint32_t cta,
                    struct loom_cta_stream **stream, struct loom_error *err)
{
    struct rec_source *source = (struct rec_source *)self;

    bool ok;

    LOOM_CHECK(source->kernel->timed || cta == source->produced);
    source->kernel->source = source->inner;
    source->inner->sm = self->sm;
    ok = source->inner->ops->produce(source->inner, cta, stream, err);
    source->kernel->source = self;
    if (!ok) {
        return false;
    }
    LOOM_CHECK((*stream)->warp_count == loom_kernel_warps(source->kernel));
    if (!note_cta(source, *stream, err)) {
        source->inner->ops->release(source->inner, *stream);
        return false;
    }
    return true;
}

/* Takes a source out of the kernel and the list of active ones. */
static bool end(struct rec_source *source, struct loom_error *err)
{
    struct loom_recording_writer *writer = source->writer;
    struct rec_source **at = &writer->active;
    bool ok = flush(source, 0, err);

    while (source->parts != NULL) { /* of a launch that did not come to its
                                     * end */
        free_first(source);
    }

    while (*at != source) {
        at = &(*at)->next;
    }
    *at = source->next;
    source->next = writer->spare;
    writer->spare = source;
    source->kernel->source = source->inner;
    rec_model_free(&source->encoder.model);
    writer->totals.insts += source->insts;
    writer->totals.words += source->words;
    rec_put_varint(&writer->events, REC_LAUNCH_END);
    rec_put_varint(&writer->events, source->launch);
    rec_put_varint(&writer->events, source->produced);
    rec_put_varint(&writer->events, source->insts);
    rec_put_varint(&writer->events, source->words);
    return ok;
}

static void release(struct loom_cta_source *self,
                    struct loom_cta_stream *stream)
{
    struct rec_source *source = (struct rec_source *)self;
    struct loom_error err; /* remembered by the writer */

    if (source->kernel->timed) {
        parts_of(source, stream->cta)->whole = true;
        write_whole(source, &err);
    }
    source->kernel->source = source->inner;
    source->inner->ops->release(source->inner, stream);
    source->kernel->source = self;
    if (++source->released == source->count) {
        end(source, &err);
    }
}

static const struct loom_cta_source_ops source_ops = {
    .produce = produce,
    .release = release,
    .resume = resume,
};

static void free_list(struct rec_source *source)
{
    while (source != NULL) {
        struct rec_source *next = source->next;

        while (source->parts != NULL) {
            free_first(source);
        }
        for (uint32_t c = 0; c < REC_COLUMNS; c++) {
            rec_free(&source->encoder.column[c]);
        }
        rec_model_free(&source->encoder.model);
        free(source);
        source = next;
    }
}

/* The number of the kernel's table, which is written if it is new. */
static bool find_kernel(struct loom_recording_writer *writer,
                        const struct loom_kernel *kernel, uint32_t *number,
                        struct loom_error *err)
{
    struct rec_bytes *raw = &writer->raw;
    uint32_t count = writer->totals.kernels;
    char text[LOOM_DIGEST_TEXT];
    struct loom_digest digest;
    struct rec_kernel check;
    struct rec_view view;
    const char *why;
    bool good;

    raw->bytes = 0;
    rec_put_kernel(raw, kernel);
    if (raw->failed) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a recording");
    }
    loom_digest_init(&digest);
    loom_digest_add(&digest, raw->data, raw->bytes);
    loom_digest_text(&digest, text);
    for (*number = 0; *number < count; (*number)++) {
        if (strcmp(writer->kernel[*number], text) == 0) {
            return true;
        }
    }
    view = (struct rec_view){raw->data, raw->data + raw->bytes, false};
    good = rec_get_kernel(&view, &check, &why);
    rec_kernel_free(&check);
    if (!good) {
        return loom_fail(err, LOOM_ERR_INPUT, "'%s' cannot be recorded: %s",
                         kernel->name, why);
    }
    if (count == writer->kernel_capacity) {
        uint32_t capacity = count == 0 ? 8 : 2 * count;
        void *grown =
            realloc(writer->kernel, capacity * sizeof(*writer->kernel));

        if (grown == NULL) {
            return loom_fail(err, LOOM_ERR_MEMORY, "no memory");
        }
        writer->kernel = grown;
        writer->kernel_capacity = capacity;
    }
    memcpy(writer->kernel[count], text, sizeof(text));
    writer->totals.kernels++;
    return rec_write_block(writer, REC_KERNEL, 0, 0, raw, err);
}

static void put_launch(struct loom_recording_writer *writer,
                       const struct loom_kernel *kernel, uint32_t table,
                       uint32_t stream)
{
    struct rec_bytes *events = &writer->events;
    const uint32_t fields[] = {LOOM_RECORD_LAUNCH,  table,
                               kernel->number,      stream,
                               kernel->grid.x,      kernel->grid.y,
                               kernel->grid.z,      kernel->block.x,
                               kernel->block.y,     kernel->block.z,
                               kernel->registers,   kernel->shared_bytes,
                               kernel->local_bytes, kernel->interleave};

    for (size_t i = 0; i < LOOM_COUNTOF(fields); i++) {
        rec_put_varint(events, fields[i]);
    }
}

bool loom_recording_attach(struct loom_recording_writer *writer,
                           struct loom_kernel *kernel, uint32_t stream,
                           struct loom_error *err)
{
    struct rec_source *source = writer->spare;
    uint32_t table;

    LOOM_CHECK(kernel->source->ops != &source_ops);
    if (!find_kernel(writer, kernel, &table, err)) {
        return false;
    }
    if (source != NULL) {
        writer->spare = source->next;
    } else {
        source = calloc(1, sizeof(*source));
    }
    if (source == NULL || !rec_model_init(&source->encoder.model, kernel->inst,
                                          kernel->inst_count)) {
        if (source != NULL) {
            source->next = NULL;
            free_list(source);
        }
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a recording");
    }
    source->base.ops = &source_ops;
    source->writer = writer;
    source->kernel = kernel;
    source->inner = kernel->source;
    source->count = loom_dim3_count(kernel->grid);
    source->produced = source->released = 0;
    source->insts = source->words = 0;
    source->parts_end = &source->parts;
    source->launch = writer->totals.launches++;
    source->next = writer->active;
    writer->active = source;
    begin_block(source, 0);
    put_launch(writer, kernel, table, stream);
    kernel->source = &source->base;
    return rec_events_added(writer, err);
}

void loom_recording_detach(struct loom_recording_writer *writer,
                           struct loom_kernel *kernel)
{
    struct loom_error err;

    for (struct rec_source *s = writer->active; s != NULL; s = s->next) {
        if (s->kernel == kernel) {
            end(s, &err);
            return;
        }
    }
}

bool rec_sources_finish(struct loom_recording_writer *writer,
                        struct loom_error *err)
{
    while (writer->active != NULL) {
        if (!end(writer->active, err)) {
            return false;
        }
    }
    return true;
}

void rec_sources_free(struct loom_recording_writer *writer)
{
    for (struct rec_source *s = writer->active; s != NULL; s = s->next) {
        s->kernel->source = s->inner;
    }
    free_list(writer->active);
    free_list(writer->spare);
}
