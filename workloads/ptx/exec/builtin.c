/*
 * Functions that the device run-time library provides: printing, the heap,
 * failed assertions, conditions of graphs; system.c has those of kernels that
 * launch kernels.
 *
 * They cost one call instruction; what a real library executes inside is not
 * simulated.  The heap is device memory like any other, an allocation for
 * each malloc(), so that accesses beyond an allocation are found.
 */
#include <string.h>

#include "workloads/ptx/exec/call.h"
#include "workloads/ptx/exec/system.h"

static uint64_t value_of(const struct exec_launch *launch,
                         const struct exec_warp *warp,
                         const struct exec_call *call, uint32_t n,
                         uint32_t lane)
{
    return ptx_arg_value(launch, warp, &call->arg[n], lane);
}

static void give(struct exec_launch *launch, struct exec_warp *warp,
                 const struct exec_call *call, uint32_t lane, uint64_t value)
{
    if (call->rets > 0) {
        ptx_arg_set(launch, warp, &call->ret[0], lane, value);
    }
}

/* As much of a text as a message takes. */
static void text_at(struct exec_launch *launch, const struct exec_warp *warp,
                    uint32_t lane, uint64_t address, char *text, size_t room)
{
    uint64_t bytes = 0;
    const unsigned char *from = ptx_peek(launch, warp, lane, address, &bytes);
    size_t n = 0;

    while (from != NULL && n + 1 < room && n < bytes && from[n] != '\0') {
        text[n] = from[n] >= 32 && from[n] < 127 ? (char)from[n] : '?';
        n++;
    }
    text[n] = '\0';
}

/* (message, file, line, function, size of a character) */
static bool assertion(struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, const struct exec_call *call,
                      uint32_t lane)
{
    char message[80], file[48], function[48];

    text_at(launch, warp, lane, value_of(launch, warp, call, 0, lane), message,
            sizeof(message));
    text_at(launch, warp, lane, value_of(launch, warp, call, 1, lane), file,
            sizeof(file));
    text_at(launch, warp, lane, value_of(launch, warp, call, 3, lane), function,
            sizeof(function));
    return ptx_fault(launch, warp, op,
                     "thread %u: assertion '%s' failed at %s:%u in %s",
                     warp->number * LOOM_WARP_LANES + lane, message, file,
                     (unsigned)value_of(launch, warp, call, 2, lane), function);
}

/* 0: there is none. */
static loom_addr take_memory(struct exec_launch *launch, uint64_t bytes)
{
    struct loom_error err;
    loom_addr base = 0;

    if (bytes == 0 || bytes > launch->heap->limit ||
        launch->heap->used > launch->heap->limit - bytes ||
        !loom_memory_alloc(launch->memory, bytes, EXEC_HEAP_NAME, &base,
                           &err)) {
        return 0;
    }
    launch->heap->used += bytes;
    return base;
}

/* cudaMalloc(where the address is wanted, bytes) */
static bool take_and_put(struct exec_launch *launch, struct exec_warp *warp,
                         const struct exec_op *op, const struct exec_call *call,
                         uint32_t lane)
{
    uint64_t bytes = value_of(launch, warp, call, 1, lane);
    loom_addr base = take_memory(launch, bytes);
    bool ok = base != 0 || bytes == 0;

    give(launch, warp, call, lane, ok ? 0 : 2 /* cudaErrorMemoryAllocation */);
    return !ok || ptx_put(launch, warp, op,
                          &(struct exec_put){
                              .lane = lane,
                              .address = value_of(launch, warp, call, 0, lane),
                              .from = &base,
                              .bytes = sizeof(base)});
}

/* Accesses remember allocations that they have met: those of this CTA, and of
 * all that take turns with it. */
static void forget(struct exec_launch *launch)
{
    const struct exec_launch *whole =
        (const struct exec_launch *)launch->kernel.source;
    uint64_t ctas = loom_dim3_count(launch->kernel.grid);
    size_t bytes = launch->code->op_count * sizeof(*launch->region);

    memset(launch->region, 0, bytes);
    for (uint64_t k = 0; whole->turn != NULL && k < ctas; k++) {
        if (whole->turn[k] != NULL && whole->turn[k]->region != NULL) {
            memset(whole->turn[k]->region, 0, bytes);
        }
    }
}

static bool free_memory(struct exec_launch *launch, struct exec_warp *warp,
                        const struct exec_op *op, const struct exec_call *call,
                        uint32_t lane)
{
    uint64_t address = value_of(launch, warp, call, 0, lane);
    struct loom_allocation found;
    struct loom_error err;

    if (address == 0) {
        return true;
    }
    if (!loom_memory_nearest(launch->memory, address, &found) ||
        found.base != address || strcmp(found.name, EXEC_HEAP_NAME) != 0 ||
        !loom_memory_free(launch->memory, address, &err)) {
        return ptx_fault(launch, warp, op,
                         "thread %u: free(0x%llx) of what malloc() has not "
                         "given",
                         warp->number * LOOM_WARP_LANES + lane,
                         (unsigned long long)address);
    }
    launch->heap->used -= found.bytes;
    forget(launch);
    return true;
}

/* (handle, value): the handle of a graph's condition is where it is. */
static bool set_condition(struct exec_launch *launch, struct exec_warp *warp,
                          const struct exec_op *op,
                          const struct exec_call *call, uint32_t lane)
{
    uint64_t handle = value_of(launch, warp, call, 0, lane);
    uint32_t value = (uint32_t)value_of(launch, warp, call, 1, lane);
    struct loom_error err;

    if (!loom_memory_write(launch->memory, handle, &value, sizeof(value),
                           &err)) {
        return ptx_fault(launch, warp, op,
                         "thread %u: there is no condition of a graph with the "
                         "handle 0x%llx",
                         warp->number * LOOM_WARP_LANES + lane,
                         (unsigned long long)handle);
    }
    return true;
}

bool ptx_exec_builtin(struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, uint32_t mask)
{
    const struct exec_call *call = &launch->code->call[op->target];
    struct exec_print print;

    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = loom_lowest(left);

        switch ((enum exec_builtin)call->builtin) {
        case EXEC_VPRINTF:
            print.format = value_of(launch, warp, call, 0, lane);
            print.values = value_of(launch, warp, call, 1, lane);
            print.count = 0;
            if (!ptx_printf(launch, warp, op, lane, &print)) {
                return false;
            }
            give(launch, warp, call, lane, print.count);
            break;
        case EXEC_MALLOC:
            give(launch, warp, call, lane,
                 take_memory(launch, value_of(launch, warp, call, 0, lane)));
            break;
        case EXEC_DEVICE_MALLOC:
            if (!take_and_put(launch, warp, op, call, lane)) {
                return false;
            }
            break;
        case EXEC_FREE:
            if (!free_memory(launch, warp, op, call, lane)) {
                return false;
            }
            give(launch, warp, call, lane, 0);
            break;
        case EXEC_ASSERTFAIL:
            return assertion(launch, warp, op, call, lane);
        case EXEC_SET_CONDITION:
            if (!set_condition(launch, warp, op, call, lane)) {
                return false;
            }
            break;
        case EXEC_NO_BUILTIN:
            break;
        default:
            if (!ptx_exec_system(launch, warp, op, call, lane)) {
                return false;
            }
            break;
        }
    }
    return true;
}
