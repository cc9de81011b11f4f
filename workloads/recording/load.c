/*
 * The tables of an open recording: kernels, events, launches, notes, and
 * which blocks belong to which launch.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/recording/reader_private.h"
#include "workloads/recording/writer_private.h"

#define BLOCK_THREADS_MAX 1024u

void *rec_grow(void **list, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count == *capacity) {
        uint32_t wanted = count == 0 ? 16 : 2 * count;
        void *grown = realloc(*list, wanted * size);

        if (grown == NULL) {
            return NULL;
        }
        *list = grown;
        *capacity = wanted;
    }
    return memset((char *)*list + count * size, 0, size);
}

static const char *load_notes(struct loom_recording *recording,
                              struct rec_view *view)
{
    while (view->at != view->end) {
        const char *name = rec_get_text(view);
        const char *value = rec_get_text(view);
        void *list = recording->note;
        struct rec_note *note;

        if (name == NULL || value == NULL) {
            return "a note is cut off";
        }
        note = rec_grow(&list, recording->notes, &recording->note_capacity,
                        sizeof(*note));
        recording->note = list;
        if (note == NULL) {
            return "there is no memory for it";
        }
        recording->notes++;
        note->name = strdup(name);
        note->value = strdup(value);
        if (note->name == NULL || note->value == NULL) {
            return "there is no memory for it";
        }
    }
    return NULL;
}

static const char *load_kernel(struct loom_recording *recording,
                               struct rec_view *view)
{
    void *list = recording->kernel;
    struct rec_kernel *kernel =
        rec_grow(&list, recording->kernels, &recording->kernel_capacity,
                 sizeof(*kernel));
    const char *why = "there is no memory for it";

    recording->kernel = list;
    if (kernel == NULL) {
        return why;
    }
    recording->kernels++;
    return rec_get_kernel(view, kernel, &why) ? NULL : why;
}

static struct loom_dim3 get_dim3(struct rec_view *view)
{
    struct loom_dim3 size;

    size.x = rec_get_small(view, UINT32_MAX);
    size.y = rec_get_small(view, UINT32_MAX);
    size.z = rec_get_small(view, UINT32_MAX);
    return size;
}

/* Is the product at most `max`, and not 0? */
static bool within(struct loom_dim3 size, uint64_t max)
{
    loom_u128 all = (loom_u128)size.x * size.y * size.z;

    return all > 0 && all <= max;
}

static const char *load_launch(struct loom_recording *recording,
                               struct rec_view *view,
                               struct loom_recording_event *event)
{
    struct loom_recorded_launch seen = {0};
    struct rec_launch *launch;
    void *list = recording->launch;

    seen.kernel = rec_get_small(view, UINT32_MAX);
    seen.number = rec_get_small(view, UINT32_MAX);
    seen.stream = rec_get_small(view, UINT32_MAX);
    seen.grid = get_dim3(view);
    seen.block = get_dim3(view);
    seen.registers = rec_get_small(view, UINT32_MAX);
    seen.shared_bytes = rec_get_small(view, UINT32_MAX);
    seen.local_bytes = rec_get_small(view, UINT32_MAX);
    seen.interleave = rec_get_small(view, UINT32_MAX);
    if (view->bad || seen.kernel >= recording->kernels ||
        !within(seen.grid, UINT32_MAX) ||
        !within(seen.block, BLOCK_THREADS_MAX)) {
        return "a launch contradicts itself";
    }
    launch = rec_grow(&list, recording->launches, &recording->launch_capacity,
                      sizeof(*launch));
    recording->launch = list;
    if (launch == NULL) {
        return "there is no memory for it";
    }
    launch->seen = seen;
    event->launch = recording->launches++;
    event->stream = seen.stream;
    return NULL;
}

static const char *load_end(struct loom_recording *recording,
                            struct rec_view *view)
{
    uint32_t number = rec_get_small(view, UINT32_MAX);
    uint64_t ctas = rec_get_varint(view), insts = rec_get_varint(view);
    uint64_t words = rec_get_varint(view);
    struct loom_recorded_launch *seen;

    if (view->bad || number >= recording->launches) {
        return "an end without its launch";
    }
    seen = &recording->launch[number].seen;
    if (ctas > loom_dim3_count(seen->grid)) {
        return "a launch has more CTAs than its grid";
    }
    seen->ctas = ctas;
    seen->insts = insts;
    recording->totals.insts += insts;
    recording->totals.words += words;
    return NULL;
}

static const char *load_event(struct loom_recording *recording,
                              struct rec_view *view)
{
    uint32_t kind = rec_get_small(view, LOOM_RECORD_EVENTS - 1);
    void *list = recording->event;
    struct loom_recording_event *event;
    const char *name;

    if (kind == REC_LAUNCH_END && !view->bad) {
        return load_end(recording, view);
    }
    event = rec_grow(&list, recording->events, &recording->event_capacity,
                     sizeof(*event));
    recording->event = list;
    if (event == NULL) {
        return "there is no memory for it";
    }
    recording->events++;
    event->kind = (enum loom_record_event)kind;
    if (kind == LOOM_RECORD_LAUNCH) {
        return load_launch(recording, view, event);
    }
    event->stream = rec_get_small(view, UINT32_MAX);
    event->address = rec_get_varint(view);
    event->bytes = rec_get_varint(view);
    name = rec_get_text(view);
    if (view->bad) {
        return "an event is cut off";
    }
    event->name = strdup(name);
    return event->name == NULL ? "there is no memory for it" : NULL;
}

static const char *load_block(struct loom_recording *recording,
                              const struct rec_block *block,
                              const struct rec_bytes *raw)
{
    struct rec_view view = {raw->data, raw->data + raw->bytes, false};
    const char *why = NULL;

    switch ((enum rec_kind)block->kind) {
    case REC_NOTES:
        return load_notes(recording, &view);
    case REC_KERNEL:
        return load_kernel(recording, &view);
    case REC_EVENTS:
        while (why == NULL && view.at != view.end) {
            why = load_event(recording, &view);
        }
        return why;
    default:
        return NULL;
    }
}

/* Streams of each launch in the order of the file. */
static bool sort_streams(struct loom_recording *recording,
                         struct loom_error *err)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < recording->blocks; i++) {
        const struct rec_block *block = &recording->block[i];

        if (block->kind == REC_STREAM) {
            if (block->launch >= recording->launches) {
                return rec_damaged(err, block, "it belongs to no launch");
            }
            recording->launch[block->launch].count++;
            recording->totals.stream_bytes +=
                REC_BLOCK_HEADER_BYTES + block->stored;
            recording->totals.encoded += block->raw;
            count++;
        }
    }
    recording->order = calloc((size_t)count + 1, sizeof(uint32_t));
    if (recording->order == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for an index");
    }
    count = 0;
    for (uint32_t i = 0; i < recording->launches; i++) {
        recording->launch[i].first = count;
        count += recording->launch[i].count;
        recording->launch[i].count = 0;
    }
    for (uint32_t i = 0; i < recording->blocks; i++) {
        const struct rec_block *block = &recording->block[i];

        if (block->kind == REC_STREAM) {
            struct rec_launch *launch = &recording->launch[block->launch];

            recording->order[launch->first + launch->count++] = i;
        }
    }
    return true;
}

/* What a kernel needs, as its first launch said. */
static void fill_kernels(struct loom_recording *recording)
{
    for (uint32_t i = recording->launches; i > 0; i--) {
        const struct loom_recorded_launch *seen =
            &recording->launch[i - 1].seen;
        struct loom_kernel_info *info = &recording->kernel[seen->kernel].info;

        info->registers = seen->registers;
        info->shared_bytes = seen->shared_bytes;
        info->local_bytes = seen->local_bytes;
    }
}

bool rec_load_tables(struct loom_recording *recording, struct loom_error *err)
{
    struct rec_bytes raw = {0};
    bool ok = true;

    for (uint32_t i = 0; ok && i < recording->blocks; i++) {
        const struct rec_block *block = &recording->block[i];
        const char *why;

        if (block->kind == REC_STREAM) {
            continue;
        }
        ok = rec_read_block(recording, block, &raw, err);
        why = ok ? load_block(recording, block, &raw) : NULL;
        if (why != NULL) {
            ok = rec_damaged(err, block, why);
        }
    }
    rec_free(&raw);
    if (!ok || !sort_streams(recording, err)) {
        return false;
    }
    fill_kernels(recording);
    return true;
}

void rec_free_tables(struct loom_recording *recording)
{
    for (uint32_t i = 0; i < recording->kernels; i++) {
        rec_kernel_free(&recording->kernel[i]);
    }
    for (uint32_t i = 0; i < recording->events; i++) {
        /* Made by strdup above, or NULL for a launch. */
        free((void *)(uintptr_t)recording->event[i].name);
    }
    for (uint32_t i = 0; i < recording->notes; i++) {
        free(recording->note[i].name);
        free(recording->note[i].value);
    }
    free(recording->kernel);
    free(recording->launch);
    free(recording->event);
    free(recording->note);
}

uint32_t loom_recording_kernel_count(const struct loom_recording *recording)
{
    return recording->kernels;
}

const struct loom_kernel_info *
loom_recording_kernel(const struct loom_recording *recording, uint32_t number)
{
    return &recording->kernel[number].info;
}

uint32_t loom_recording_launch_count(const struct loom_recording *recording)
{
    return recording->launches;
}

const struct loom_recorded_launch *
loom_recording_launch(const struct loom_recording *recording, uint32_t number)
{
    return &recording->launch[number].seen;
}

uint32_t loom_recording_event_count(const struct loom_recording *recording)
{
    return recording->events;
}

const struct loom_recording_event *
loom_recording_get_event(const struct loom_recording *recording,
                         uint32_t number)
{
    return &recording->event[number];
}

const char *loom_recording_find(const struct loom_recording *recording,
                                const char *name)
{
    for (uint32_t i = recording->notes; i > 0; i--) {
        if (strcmp(recording->note[i - 1].name, name) == 0) {
            return recording->note[i - 1].value;
        }
    }
    return NULL;
}

uint32_t loom_recording_note_count(const struct loom_recording *recording)
{
    return recording->notes;
}

void loom_recording_get_note(const struct loom_recording *recording,
                             uint32_t number, const char **name,
                             const char **value)
{
    *name = recording->note[number].name;
    *value = recording->note[number].value;
}

struct loom_recording_totals
loom_recording_totals(const struct loom_recording *recording)
{
    return recording->totals;
}
