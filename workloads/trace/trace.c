/*
 * Accel-Sim's SASS traces as a workload.
 *
 * A program is a list of launches and copies.  open() is given the list's
 * path as `name` and the opcode tables, which are data of the Lua library, as
 * `text`; it reads the list and the head of every kernel, so that a launch
 * can be chosen before any of its instructions is read.  A launch opens its
 * file again and reads it block by block.
 *
 * Traces have addresses and no values: device memory is not used.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/trace/launch.h"
#include "workloads/trace/list.h"

struct loom_program {
    struct trace_opcodes opcodes;
    struct trace_notes notes;
    struct trace_list list;
    char *folder;                   /* of the list, with a final '/'; "" */
    struct loom_recorded *recorded; /* [list.count] */
    struct loom_kernel_info *info;  /* [kernels] */
    uint32_t kernels;
    struct trace_launch *open; /* not retired yet */
    struct loom_stream_pool *pool;
};

static bool no_memory(const char *name, struct loom_error *err)
{
    return loom_fail(err, LOOM_ERR_MEMORY, "%s: no host memory", name);
}

/* Opens a file, or one of that name and an ending of a compressor; *path is
 * to be freed. */
static FILE *open_file(const char *folder, const char *name, char **path)
{
    static const char *const endings[] = {"", ".xz", ".gz", ".zst"};
    size_t room = strlen(folder) + strlen(name) + 8;

    *path = malloc(room);
    if (*path == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < LOOM_COUNTOF(endings); i++) {
        FILE *file;

        snprintf(*path, room, "%s%s%s", name[0] == '/' ? "" : folder, name,
                 endings[i]);
        file = fopen(*path, "rb");
        if (file != NULL) {
            return file;
        }
    }
    snprintf(*path, room, "%s%s", name[0] == '/' ? "" : folder, name);
    return NULL;
}

static bool missing(const char *path, struct loom_error *err)
{
    size_t length = strlen(path);
    bool raw = length > 6 && strcmp(path + length - 6, ".trace") == 0;

    return loom_fail(err, LOOM_ERR_INPUT, "'%s' cannot be opened%s", path,
                     raw ? "; raw traces have to be grouped by Accel-Sim's "
                           "post-traces-processing first (kernelslist.g)"
                         : "");
}

static bool open_lines(const char *folder, const char *name,
                       struct trace_lines *lines, struct loom_error *err)
{
    char *path;
    FILE *file = open_file(folder, name, &path);
    bool ok = file != NULL;

    if (path == NULL) {
        return no_memory(name, err);
    }
    ok = ok ? trace_lines_open(lines, file, path, err) : missing(path, err);
    free(path);
    return ok;
}

static bool read_list(struct loom_program *program, const char *name,
                      struct loom_error *err)
{
    const char *slash = strrchr(name, '/');
    struct trace_lines lines;
    bool ok;

    program->folder =
        strndup(name, slash != NULL ? (size_t)(slash - name) + 1 : 0);
    if (program->folder == NULL) {
        return no_memory(name, err);
    }
    if (!open_lines("", name, &lines, err)) {
        return false;
    }
    ok = trace_list_read(&program->list, &lines, err);
    trace_lines_close(&lines);
    if (ok && program->list.kernel) { /* a kernel's trace: a list of one */
        struct trace_item *item = calloc(1, sizeof(*item));
        char *file = strdup(slash != NULL ? slash + 1 : name);

        if (item == NULL || file == NULL) {
            free(item);
            free(file);
            return no_memory(name, err);
        }
        item->file = file;
        program->list.item = item;
        program->list.count = 1;
    }
    return ok;
}

static bool read_kernel(struct loom_program *program, const char *file,
                        struct loom_recorded *recorded, struct loom_error *err)
{
    struct loom_kernel_info *info = &program->info[program->kernels];
    struct trace_header header;
    struct trace_lines lines;
    bool ok;

    if (!open_lines(program->folder, file, &lines, err)) {
        return false;
    }
    ok = trace_header_read(&header, &lines, err);
    trace_lines_close(&lines);
    if (!ok) {
        return false;
    }
    *info = (struct loom_kernel_info){
        .name = header.name, /* taken over */
        .registers = header.registers,
        .shared_bytes = header.shared_bytes,
    };
    *recorded = (struct loom_recorded){
        .kind = LOOM_RECORDED_LAUNCH,
        .key = file,
        .kernel = program->kernels++,
        .id = header.id,
        .stream = header.stream,
        .grid = header.grid,
        .block = header.block,
    };
    return true;
}

static bool read_kernels(struct loom_program *program, const char *name,
                         struct loom_error *err)
{
    const struct trace_list *list = &program->list;

    program->recorded = calloc(list->count + 1u, sizeof(*program->recorded));
    program->info = calloc(list->count + 1u, sizeof(*program->info));
    if (program->recorded == NULL || program->info == NULL) {
        return no_memory(name, err);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const struct trace_item *item = &list->item[i];

        if (item->file == NULL) {
            program->recorded[i] = (struct loom_recorded){
                .kind = LOOM_RECORDED_COPY,
                .address = item->address,
                .bytes = item->bytes,
            };
        } else if (!read_kernel(program, item->file, &program->recorded[i],
                                err)) {
            return false;
        }
    }
    return true;
}

static void trace_close(struct loom_program *program)
{
    if (program == NULL) {
        return;
    }
    while (program->open != NULL) {
        struct trace_launch *next = program->open->next;

        trace_launch_close(program->open);
        program->open = next;
    }
    loom_pool_destroy(program->pool);
    for (uint32_t i = 0; i < program->kernels; i++) {
        free((char *)(uintptr_t)program->info[i].name);
    }
    free(program->info);
    free(program->recorded);
    free(program->folder);
    trace_list_free(&program->list);
    trace_opcodes_free(&program->opcodes);
    trace_notes_free(&program->notes);
    free(program);
}

static bool trace_open(struct loom_memory *memory,
                       const struct loom_program_text *source,
                       struct loom_program **result, struct loom_error *err)
{
    struct loom_program *program = calloc(1, sizeof(*program));
    const char *name = source->name;

    (void)memory;
    if (program == NULL) {
        return no_memory(name, err);
    }
    program->pool = loom_pool_create(LOOM_POOL_BYTES);
    if (program->pool == NULL) {
        trace_close(program);
        return no_memory(name, err);
    }
    if (!trace_opcodes_read(&program->opcodes, source->text, err) ||
        !read_list(program, name, err) || !read_kernels(program, name, err)) {
        trace_close(program);
        return false;
    }
    if (program->kernels == 0) {
        trace_close(program);
        return loom_fail(err, LOOM_ERR_INPUT,
                         "%s: the list names no kernels, expected lines "
                         "'kernel-<n>.traceg'",
                         name);
    }
    *result = program;
    return true;
}

static uint32_t trace_kernel_count(const struct loom_program *program)
{
    return program->kernels;
}

static const struct loom_kernel_info *
trace_kernel(const struct loom_program *program, uint32_t number)
{
    return &program->info[number];
}

/* Reads a launch's file to its end first, so that its static table is
 * complete, and opens it again. */
static bool read_twice(struct trace_launch *launch, struct loom_error *err)
{
    FILE *file;

    if (!trace_launch_scan(launch, err)) {
        return false;
    }
    file = fopen(launch->lines.name, "rb");
    return file != NULL ? trace_launch_rewind(launch, file, err)
                        : missing(launch->lines.name, err);
}

static bool same(struct loom_dim3 a, struct loom_dim3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static const struct loom_recorded *
find_launch(const struct loom_program *program, const char *key)
{
    for (uint32_t i = 0; i < program->list.count; i++) {
        const struct loom_recorded *r = &program->recorded[i];

        if (r->kind == LOOM_RECORDED_LAUNCH && strcmp(r->key, key) == 0) {
            return r;
        }
    }
    return NULL;
}

static bool trace_launch(struct loom_program *program,
                         const struct loom_launch_spec *spec,
                         struct loom_kernel **kernel, struct loom_error *err)
{
    const struct loom_recorded *recorded = find_launch(program, spec->kernel);
    struct trace_launch *launch;
    char *path;
    FILE *file;
    bool ok;

    if (recorded == NULL) {
        return loom_fail(err, LOOM_ERR_INPUT, "the trace has no launch '%s'",
                         spec->kernel);
    }
    if (!same(spec->grid, recorded->grid) ||
        !same(spec->block, recorded->block)) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "launch '%s' was recorded with another grid or block",
                         spec->kernel);
    }
    file = open_file(program->folder, recorded->key, &path);
    if (path == NULL) {
        return no_memory(recorded->key, err);
    }
    ok = file != NULL ? trace_launch_open(file, path, &program->opcodes,
                                          &program->notes, &launch, err)
                      : missing(path, err);
    free(path);
    if (!ok) {
        return false;
    }
    loom_pool_limit(program->pool,
                    spec->pool_bytes != 0 ? spec->pool_bytes : LOOM_POOL_BYTES);
    launch->ctas.words = program->pool;
    if (spec->complete && !read_twice(launch, err)) {
        trace_launch_close(launch);
        return false;
    }
    launch->next = program->open;
    program->open = launch;
    launch->kernel.number = spec->number;
    if (spec->registers != 0) {
        launch->kernel.registers = spec->registers;
    }
    *kernel = &launch->kernel;
    return true;
}

static void trace_retire(struct loom_program *program,
                         struct loom_kernel *kernel)
{
    struct trace_launch *launch =
        (struct trace_launch *)(void *)((char *)kernel -
                                        offsetof(struct trace_launch, kernel));
    struct trace_launch **at = &program->open;

    while (*at != launch) {
        LOOM_CHECK(*at != NULL);
        at = &(*at)->next;
    }
    *at = launch->next;
    trace_launch_close(launch);
}

static uint32_t trace_recorded(const struct loom_program *program,
                               const struct loom_recorded **item)
{
    *item = program->recorded;
    return program->list.count;
}

static uint32_t trace_noted(const struct loom_program *program,
                            const struct loom_note **item)
{
    *item = program->notes.item;
    return program->notes.count;
}

const struct loom_workload_type trace_workload = {
    .name = "trace",
    .doc = "SASS traces in Accel-Sim's format",
    .open = trace_open,
    .close = trace_close,
    .kernel_count = trace_kernel_count,
    .kernel = trace_kernel,
    .launch = trace_launch,
    .retire = trace_retire,
    .recorded = trace_recorded,
    .notes = trace_noted,
};
