/*
 * The front end "replay": a recording as a program.
 *
 * What is opened is the recording's path, as a recording may be larger than
 * memory; bytes with a zero among them are a recording themselves.  Launches
 * are asked for by their keys, "0:name", "1:name" ..., and have no parameters.
 * Grid and block must be the recorded ones; registers may differ, as they
 * change occupancy but no stream.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/recording/recording.h"

struct launch {
    struct loom_cta_source source; /* first */
    struct loom_kernel kernel;
    struct loom_recording_stream *streams;
    struct launch *next, **at; /* among those that are not retired */
};

struct loom_program {
    struct loom_recording *recording;
    struct loom_recorded *item; /* [items] */
    uint32_t items;
    struct launch *launches;
};

static void close_program(struct loom_program *program);

static char *make_key(uint32_t number, const char *name)
{
    size_t bytes = strlen(name) + 16;
    char *key = malloc(bytes);

    if (key != NULL) {
        snprintf(key, bytes, "%lu:%s", (unsigned long)number, name);
    }
    return key;
}

static bool add_launch(struct loom_program *program, uint32_t number)
{
    const struct loom_recorded_launch *seen =
        loom_recording_launch(program->recording, number);
    char *key = make_key(
        number, loom_recording_kernel(program->recording, seen->kernel)->name);

    if (key == NULL) {
        return false;
    }
    program->item[program->items++] =
        (struct loom_recorded){.kind = LOOM_RECORDED_LAUNCH,
                               .key = key,
                               .kernel = seen->kernel,
                               .id = number,
                               .stream = seen->stream,
                               .grid = seen->grid,
                               .block = seen->block};
    return true;
}

static bool fill_items(struct loom_program *program, struct loom_error *err)
{
    uint32_t count = loom_recording_event_count(program->recording);

    program->item = calloc((size_t)count + 1, sizeof(*program->item));
    if (program->item == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a recording");
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct loom_recording_event *event =
            loom_recording_get_event(program->recording, i);

        if (event->kind == LOOM_RECORD_UPLOAD) {
            program->item[program->items++] =
                (struct loom_recorded){.kind = LOOM_RECORDED_COPY,
                                       .stream = event->stream,
                                       .address = event->address,
                                       .bytes = event->bytes};
        } else if (event->kind == LOOM_RECORD_LAUNCH &&
                   !add_launch(program, event->launch)) {
            return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a recording");
        }
    }
    return true;
}

static bool open_program(struct loom_memory *memory,
                         const struct loom_program_text *source,
                         struct loom_program **out, struct loom_error *err)
{
    struct loom_program *program = calloc(1, sizeof(*program));
    const char *text = source->text;
    bool ok;

    (void)memory; /* addresses are recorded, contents are not needed */
    if (program == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a recording");
    }
    if (source->bytes >= 8 && memchr(text, 0, source->bytes) != NULL) {
        ok = loom_recording_open_memory(text, source->bytes,
                                        &program->recording, err);
    } else {
        ok = loom_recording_open(text, &program->recording, err);
    }
    if (!ok || !fill_items(program, err)) {
        close_program(program);
        return false;
    }
    *out = program;
    return true;
}

static uint32_t kernel_count(const struct loom_program *program)
{
    return loom_recording_kernel_count(program->recording);
}

static const struct loom_kernel_info *kernel(const struct loom_program *program,
                                             uint32_t number)
{
    return loom_recording_kernel(program->recording, number);
}

static bool produce(struct loom_cta_source *source, uint32_t cta,
                    struct loom_cta_stream **stream, struct loom_error *err)
{
    struct launch *launch = (struct launch *)source;

    return loom_recording_produce(launch->streams, &launch->kernel, cta, stream,
                                  err);
}

static void release(struct loom_cta_source *source,
                    struct loom_cta_stream *stream)
{
    struct launch *launch = (struct launch *)source;

    loom_recording_release(launch->streams, stream);
}

static const struct loom_cta_source_ops source_ops = {
    .produce = produce,
    .release = release,
};

static bool same_size(struct loom_dim3 a, struct loom_dim3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* The recorded launch that is meant, or NULL. */
static const struct loom_recorded *
find_launch(const struct loom_program *program,
            const struct loom_launch_spec *spec, struct loom_error *err)
{
    uint32_t count = loom_recording_launch_count(program->recording);
    unsigned long number = strtoul(spec->kernel, NULL, 10);

    for (uint32_t i = 0; i < program->items; i++) {
        const struct loom_recorded *item = &program->item[i];

        if (item->kind != LOOM_RECORDED_LAUNCH || item->id != number ||
            strcmp(item->key, spec->kernel) != 0) {
            continue;
        }
        if (same_size(item->grid, spec->grid) &&
            same_size(item->block, spec->block)) {
            return item;
        }
        loom_fail(err, LOOM_ERR_INPUT,
                  "launch '%s' of the recording has %llu CTAs of %llu "
                  "threads, not %llu of %llu",
                  item->key, (unsigned long long)loom_dim3_count(item->grid),
                  (unsigned long long)loom_dim3_count(item->block),
                  (unsigned long long)loom_dim3_count(spec->grid),
                  (unsigned long long)loom_dim3_count(spec->block));
        return NULL;
    }
    loom_fail(err, LOOM_ERR_INPUT,
              "launch '%s' is not in the recording, which has %lu",
              spec->kernel, (unsigned long)count);
    return NULL;
}

static bool make_launch(struct loom_program *program,
                        const struct loom_launch_spec *spec,
                        struct loom_kernel **out, struct loom_error *err)
{
    const struct loom_recorded *item = find_launch(program, spec, err);
    const struct loom_recorded_launch *seen;
    const struct loom_kernel_info *info;
    struct launch *launch;

    if (item == NULL) {
        return false;
    }
    launch = calloc(1, sizeof(*launch));
    if (launch != NULL) {
        launch->streams = loom_recording_streams(program->recording, item->id);
    }
    if (launch == NULL || launch->streams == NULL) {
        free(launch);
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a launch");
    }
    seen = loom_recording_launch(program->recording, item->id);
    info = loom_recording_kernel(program->recording, item->kernel);
    launch->source.ops = &source_ops;
    launch->kernel = (struct loom_kernel){
        .name = info->name,
        .number = spec->number,
        .grid = seen->grid,
        .block = seen->block,
        .registers = spec->registers != 0 ? spec->registers : seen->registers,
        .shared_bytes = seen->shared_bytes,
        .local_bytes = seen->local_bytes,
        .interleave = seen->interleave,
        .inst = info->inst,
        .inst_count = info->inst_count,
        .loop = info->loop,
        .loop_count = info->loop_count,
        .text = info->text,
        .source = &launch->source};
    launch->next = program->launches;
    launch->at = &program->launches;
    if (launch->next != NULL) {
        launch->next->at = &launch->next;
    }
    program->launches = launch;
    *out = &launch->kernel;
    return true;
}

static void retire(struct loom_program *program, struct loom_kernel *made)
{
    struct launch *launch = (struct launch *)made->source;

    (void)program;
    *launch->at = launch->next;
    if (launch->next != NULL) {
        launch->next->at = launch->at;
    }
    loom_recording_streams_close(launch->streams);
    free(launch);
}

static void close_program(struct loom_program *program)
{
    while (program->launches != NULL) {
        retire(program, &program->launches->kernel);
    }
    for (uint32_t i = 0; i < program->items; i++) {
        free((void *)(uintptr_t)program->item[i].key); /* of make_key */
    }
    loom_recording_close(program->recording);
    free(program->item);
    free(program);
}

static uint32_t recorded(const struct loom_program *program,
                         const struct loom_recorded **item)
{
    *item = program->item;
    return program->items;
}

const struct loom_workload_type replay_workload = {
    .name = "replay",
    .doc = "Launches and streams from a recording (.wlt)",
    .open = open_program,
    .close = close_program,
    .kernel_count = kernel_count,
    .kernel = kernel,
    .launch = make_launch,
    .retire = retire,
    .recorded = recorded,
};
