/*
 * The device run-time system for kernels that launch kernels: CUDA's dynamic
 * parallelism, in the version that CUDA 12 has (nothing in a kernel waits for
 * a launch) and under the names of before.
 *
 * A launch is two calls: one gives room for the arguments, in device memory,
 * and one launches.  Nothing is started here: workloads/children.h keeps what
 * is asked for until the kernel is executed.  Each call costs one instruction.
 */
#include "workloads/ptx/exec/system.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_NAME "device run-time system"

enum {
    INVALID_VALUE = 1, /* cudaError_t */
    NO_MEMORY = 2,
    INVALID_CONFIGURATION = 9,
    MOST_THREADS = 1024
};

/* One lane's call. */
struct asked {
    struct exec_launch *launch;
    struct exec_warp *warp;
    const struct exec_op *op;
    const struct exec_call *call;
    uint32_t lane;
};

static uint64_t value(const struct asked *by, uint32_t n)
{
    return ptx_arg_value(by->launch, by->warp, &by->call->arg[n], by->lane);
}

static uint32_t thread_of(const struct asked *by)
{
    return by->warp->number * LOOM_WARP_LANES + by->lane;
}

static bool no_memory(const struct asked *by)
{
    return ptx_fault(by->launch, by->warp, by->op,
                     "thread %u: no memory for what it asks the system for",
                     thread_of(by));
}

/* cudaGetLastError() of this thread. */
static bool set_error(const struct asked *by, uint8_t error)
{
    struct exec_system *system = by->launch->system;
    size_t at = (size_t)by->launch->cta * by->launch->threads + thread_of(by);

    if (system->error == NULL) {
        if (error == 0) {
            return true;
        }
        system->error = calloc(by->launch->all_threads, 1);
        if (system->error == NULL) {
            return no_memory(by);
        }
    }
    system->error[at] = error;
    return true;
}

static uint8_t error_of(const struct asked *by)
{
    const uint8_t *error = by->launch->system->error;

    return error == NULL ? 0
                         : error[(size_t)by->launch->cta * by->launch->threads +
                                 thread_of(by)];
}

static struct loom_dim3 extent_at(const struct asked *by, uint32_t n)
{
    uint32_t word[3];

    memcpy(word, ptx_arg_at(by->launch, by->warp, &by->call->arg[n], by->lane),
           sizeof(word));
    return (struct loom_dim3){word[0], word[1], word[2]};
}

static const struct loom_ptx_function *kernel_at(const struct asked *by,
                                                 uint64_t address)
{
    const struct loom_ptx_module *m = by->launch->code->function->module;
    uint64_t number = (address - EXEC_WINDOW_CODE) / EXEC_CODE_STEP;

    if (address % EXEC_CODE_STEP != 0 || number < 1 ||
        number > m->function_count || !m->function[number - 1]->entry) {
        return NULL;
    }
    return m->function[number - 1];
}

static bool possible(struct loom_dim3 grid, struct loom_dim3 block)
{
    return loom_dim3_count(grid) != 0 && loom_dim3_count(block) != 0 &&
           block.x <= MOST_THREADS && block.y <= MOST_THREADS &&
           loom_dim3_count(block) <= MOST_THREADS;
}

/* Device memory that is there as long as the launch. */
static bool take(const struct asked *by, const struct exec_buffer *as,
                 uint64_t bytes, uint64_t *address)
{
    struct exec_system *system = by->launch->system;
    struct exec_buffer *buffer;
    struct loom_error err;

    if (system->buffers == system->room) {
        uint32_t room = system->room * 2 + 16;

        buffer = realloc(system->buffer, room * sizeof(*buffer));
        if (buffer == NULL) {
            return no_memory(by);
        }
        system->buffer = buffer;
        system->room = room;
    }
    buffer = &system->buffer[system->buffers];
    *buffer = *as;
    if (!loom_memory_alloc(by->launch->memory, bytes, BUFFER_NAME,
                           &buffer->address, &err)) {
        return no_memory(by);
    }
    system->buffers++;
    *address = buffer->address;
    return true;
}

/* (kernel, grid, block, dynamic shared bytes) -> buffer, 0: cannot be */
static bool get_buffer(const struct asked *by, uint64_t *result)
{
    const struct loom_ptx_function *kernel = kernel_at(by, value(by, 0));
    struct loom_dim3 grid = extent_at(by, 1), block = extent_at(by, 2);
    struct exec_buffer buffer = {.kernel = kernel,
                                 .grid = grid,
                                 .block = block,
                                 .shared = (uint32_t)value(by, 3)};

    *result = 0;
    if (kernel == NULL) {
        return ptx_fault(by->launch, by->warp, by->op,
                         "thread %u: 0x%llx is not the address of a kernel",
                         thread_of(by), (unsigned long long)value(by, 0));
    }
    if (!possible(grid, block)) {
        return set_error(by, INVALID_CONFIGURATION);
    }
    return take(by, &buffer, kernel->param_bytes != 0 ? kernel->param_bytes : 1,
                result);
}

static struct loom_child *add(const struct asked *by, enum loom_child_kind kind,
                              uint64_t stream)
{
    struct loom_child *child = loom_children_add(&by->launch->system->children);

    if (child == NULL) {
        no_memory(by);
        return NULL;
    }
    child->kind = kind;
    child->cta = by->launch->cta;
    child->stream = stream;
    return child;
}

/* Its buffer; the last one mostly.  NULL: none, or it is launched already. */
static struct exec_buffer *buffer_at(const struct exec_system *system,
                                     uint64_t address)
{
    for (uint32_t i = system->buffers; i > 0; i--) {
        struct exec_buffer *buffer = &system->buffer[i - 1];

        if (buffer->address == address) {
            return buffer->launched ? NULL : buffer;
        }
    }
    return NULL;
}

/* (buffer, stream) */
static bool launch_child(const struct asked *by)
{
    uint64_t address = value(by, 0);
    struct exec_buffer *buffer = buffer_at(by->launch->system, address);
    uint32_t bytes = buffer != NULL ? buffer->kernel->param_bytes : 0;
    struct loom_child *child;

    if (buffer == NULL) {
        return ptx_fault(by->launch, by->warp, by->op,
                         "thread %u: launches with 0x%llx, which is no buffer "
                         "of arguments that has not been launched",
                         thread_of(by), (unsigned long long)address);
    }
    child = add(by, LOOM_CHILD_LAUNCH, value(by, 1));
    if (child == NULL) {
        return false;
    }
    child->kernel = buffer->kernel->name;
    child->grid = buffer->grid;
    child->block = buffer->block;
    child->shared_bytes = buffer->shared;
    child->param_bytes = bytes;
    child->params = malloc(bytes != 0 ? bytes : 1);
    if (child->params == NULL) {
        return no_memory(by);
    }
    if (bytes != 0) {
        memcpy(child->params,
               loom_memory_at(by->launch->memory, address, bytes), bytes);
    }
    buffer->launched = true;
    return true;
}

/* To where the first argument points. */
static bool put(const struct asked *by, const void *from, uint32_t bytes)
{
    return ptx_put(by->launch, by->warp, by->op,
                   &(struct exec_put){.lane = by->lane,
                                      .address = value(by, 0),
                                      .from = from,
                                      .bytes = bytes});
}

/* (where a handle is wanted, flags) */
static bool new_handle(const struct asked *by)
{
    uint64_t handle = LOOM_CHILD_STREAM_OWN + by->launch->system->handles++;

    return put(by, &handle, sizeof(handle));
}

/* Rows of device memory, with room for all of them. */
static bool has_rows(const struct asked *by, uint64_t address, uint64_t pitch,
                     const struct loom_child *of)
{
    const struct loom_memory *memory = by->launch->memory;

    if (of->rows > 1 && pitch < of->bytes) {
        return false;
    }
    for (uint64_t i = 0; i < of->rows; i++) {
        if (loom_memory_at(memory, address + i * pitch, of->bytes) == NULL) {
            return false;
        }
    }
    return true;
}

/* A copy or fill. */
static bool add_rows(const struct asked *by, const struct loom_child *rows,
                     uint8_t *error)
{
    struct loom_child *child;
    uint32_t cta = by->launch->cta;

    if (rows->bytes == 0 || rows->rows == 0) {
        return true;
    }
    if (!has_rows(by, rows->to, rows->to_pitch, rows) ||
        (rows->kind == LOOM_CHILD_MOVE &&
         !has_rows(by, rows->from, rows->from_pitch, rows))) {
        *error = INVALID_VALUE;
        return true;
    }
    child = add(by, rows->kind, rows->stream);
    if (child == NULL) {
        return false;
    }
    *child = *rows;
    child->cta = cta;
    return true;
}

/* (to, from, bytes, kind, stream) */
static bool copy(const struct asked *by, uint8_t *error)
{
    struct loom_child rows = {.kind = LOOM_CHILD_MOVE,
                              .to = value(by, 0),
                              .from = value(by, 1),
                              .bytes = value(by, 2),
                              .rows = 1,
                              .stream = value(by, 4)};

    return add_rows(by, &rows, error);
}

/* (to, pitch, from, pitch, bytes, rows, kind, stream) */
static bool copy_rows(const struct asked *by, uint8_t *error)
{
    struct loom_child rows = {.kind = LOOM_CHILD_MOVE,
                              .to = value(by, 0),
                              .to_pitch = value(by, 1),
                              .from = value(by, 2),
                              .from_pitch = value(by, 3),
                              .bytes = value(by, 4),
                              .rows = value(by, 5),
                              .stream = value(by, 7)};

    return add_rows(by, &rows, error);
}

/* (to, value, bytes, stream) */
static bool fill(const struct asked *by, uint8_t *error)
{
    struct loom_child rows = {.kind = LOOM_CHILD_FILL,
                              .to = value(by, 0),
                              .value = (uint8_t)value(by, 1),
                              .bytes = value(by, 2),
                              .rows = 1,
                              .stream = value(by, 3)};

    return add_rows(by, &rows, error);
}

/* (to, pitch, value, bytes, rows, stream) */
static bool fill_rows(const struct asked *by, uint8_t *error)
{
    struct loom_child rows = {.kind = LOOM_CHILD_FILL,
                              .to = value(by, 0),
                              .to_pitch = value(by, 1),
                              .value = (uint8_t)value(by, 2),
                              .bytes = value(by, 3),
                              .rows = value(by, 4),
                              .stream = value(by, 5)};

    return add_rows(by, &rows, error);
}

/* Of the errors that there are here.  Kept as long as the launch. */
static bool error_text(const struct asked *by, uint64_t *result)
{
    uint64_t error = value(by, 0);
    const char *text = error == 0               ? "no error"
                       : error == INVALID_VALUE ? "invalid argument"
                       : error == NO_MEMORY     ? "out of memory"
                       : error == INVALID_CONFIGURATION
                           ? "invalid configuration argument"
                           : "unrecognized error code";
    struct loom_error err;

    return take(by, &(struct exec_buffer){.launched = true}, strlen(text) + 1,
                result) &&
           loom_memory_write(by->launch->memory, *result, text,
                             strlen(text) + 1, &err);
}

/* RECORD: (event, stream); WAIT: (stream, event, flags) */
static bool order(const struct asked *by, enum loom_child_kind kind,
                  uint32_t stream, uint32_t event)
{
    struct loom_child *child = add(by, kind, value(by, stream));

    if (child == NULL) {
        return false;
    }
    child->event = value(by, event);
    return true;
}

static bool one_device(const struct asked *by, uint32_t number)
{
    return put(by, &number, sizeof(number));
}

/* One lane's call; false: launch->err is set. */
static bool answer(const struct asked *by, uint64_t *result)
{
    uint8_t error = 0;
    bool ok = true;

    *result = 0;
    switch ((enum exec_builtin)by->call->builtin) {
    case EXEC_GET_BUFFER:
        return get_buffer(by, result);
    case EXEC_LAUNCH:
        return launch_child(by);
    case EXEC_NEW_HANDLE:
        return new_handle(by);
    case EXEC_RECORD:
        return order(by, LOOM_CHILD_RECORD, 1, 0);
    case EXEC_STREAM_WAIT:
        return order(by, LOOM_CHILD_WAIT, 0, 1);
    case EXEC_COPY_LATER:
        ok = copy(by, &error);
        break;
    case EXEC_COPY_ROWS:
        ok = copy_rows(by, &error);
        break;
    case EXEC_FILL_LATER:
        ok = fill(by, &error);
        break;
    case EXEC_FILL_ROWS:
        ok = fill_rows(by, &error);
        break;
    case EXEC_ERROR_TEXT:
        return error_text(by, result);
    case EXEC_DEVICE:
        return one_device(by, 0);
    case EXEC_DEVICES:
        return one_device(by, 1);
    case EXEC_LAST_ERROR:
        *result = error_of(by);
        return set_error(by, 0);
    case EXEC_PEEK_ERROR:
        *result = error_of(by);
        return true;
    default: /* EXEC_NO_WORK: handles are only numbers */
        break;
    }
    *result = error;
    return ok && (error == 0 || set_error(by, error));
}

bool ptx_exec_system(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, const struct exec_call *call,
                     uint32_t lane)
{
    struct asked by = {launch, warp, op, call, lane};
    uint64_t result;

    if (!answer(&by, &result)) {
        return false;
    }
    if (call->rets > 0) {
        ptx_arg_set(launch, warp, &call->ret[0], lane, result);
    }
    return true;
}

bool ptx_launches(const struct exec_code *code)
{
    for (uint32_t i = 0; i < code->call_count; i++) {
        if (code->call[i].builtin >= EXEC_SYSTEM) {
            return true;
        }
    }
    return false;
}

struct exec_system *ptx_system_new(void)
{
    return calloc(1, sizeof(struct exec_system));
}

void ptx_system_free(struct exec_launch *launch)
{
    struct exec_system *system = launch->system;
    struct loom_error err;

    if (system == NULL) {
        return;
    }
    for (uint32_t i = 0; i < system->buffers; i++) {
        LOOM_CHECK(
            loom_memory_free(launch->memory, system->buffer[i].address, &err));
    }
    loom_children_free(&system->children);
    free(system->buffer);
    free(system->error);
    free(system);
    launch->system = NULL;
}
