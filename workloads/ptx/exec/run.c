/*
 * The interpreter: one warp, for as long as order.c lets it.
 *
 * Divergence follows GPGPU-Sim 4.x: a stack of paths, each with a mask and
 * the instruction where it joins the one below (the immediate post-dominator
 * of the branch).  The side that branches runs first, the other one is below
 * it.  A path that would only wait at the join of the path below is not kept,
 * so loops do not grow the stack.
 *
 * Lanes of different paths come together before the join where they wait for
 * each other (meet.c).  A warp counts as arrived at a barrier when its lanes
 * are that do not wait at a join for those that are there; warps that have
 * exited count as arrived everywhere.
 */
#include "workloads/ptx/exec/async.h"
#include "workloads/ptx/exec/call.h"
#include "workloads/ptx/exec/check.h"
#include "workloads/ptx/exec/clock.h"
#include "workloads/ptx/exec/cluster.h"
#include "workloads/ptx/exec/compute.h"
#include "workloads/ptx/exec/matrix.h"
#include "workloads/ptx/exec/meet.h"
#include "workloads/ptx/exec/order.h"
#include "workloads/ptx/exec/texture.h"
#include "workloads/ptx/exec/wgmma.h"

/* Drops paths without lanes, and activations without paths; false if none is
 * left. */
static bool settle(struct exec_launch *launch, struct exec_warp *warp)
{
    for (;;) {
        while (warp->depth > warp->base &&
               (warp->path[warp->depth - 1].mask & warp->live) == 0) {
            warp->depth--;
        }
        if (warp->depth > warp->base) {
            return true;
        }
        if (warp->calls == NULL || warp->calls->depth == 0) {
            return false;
        }
        ptx_exec_return(launch, warp);
    }
}

static void push(struct exec_warp *warp, uint32_t pc, uint32_t mask,
                 uint32_t join)
{
    if (pc != join) {
        LOOM_CHECK(warp->depth < EXEC_DEPTH);
        warp->path[warp->depth++] = (struct exec_path){pc, mask, join};
    }
}

/* Some lanes of the top path branch, others do not. */
static void diverge(struct exec_warp *warp, const struct exec_op *op,
                    uint32_t taken, uint32_t other)
{
    struct exec_path *top = &warp->path[warp->depth - 1];
    uint32_t join = op->join == PTX_EXIT ? top->join : op->join;

    if (top->join == join) {
        warp->depth--; /* it would only wait there for the one below */
    } else {
        top->pc = join;
    }
    push(warp, op->index + 1, other, join);
    push(warp, op->target, taken, join);
}

static void branch(const struct exec_launch *launch, struct exec_warp *warp,
                   const struct exec_op *op, uint32_t active, uint32_t taken)
{
    struct exec_path *top = &warp->path[warp->depth - 1];

    if (taken == active) {
        top->pc = op->target;
    } else if (taken == 0) {
        top->pc = op->index + 1;
    } else {
        diverge(warp, op, taken, active & ~taken);
    }
    if (LOOM_UNLIKELY((op->flags & EXEC_POLLS) != 0) && taken != 0) {
        ptx_give_way(launch, warp, op);
    }
}

/* Where the lanes of a brx.idx go, each place once.  False: an index is
 * beyond the list. */
static bool find_paths(struct exec_launch *launch, struct exec_warp *warp,
                       const struct exec_op *op, uint32_t mask,
                       struct exec_path *path, uint32_t *count)
{
    const struct loom_ptx_function *f = launch->code->function;
    const struct loom_ptx_prototype *list = &f->prototype[op->target];
    const lane_u32 *index = exec_reg(launch, warp, op->s[0]);

    *count = 0;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = loom_lowest(left), pc, n = 0;

        if (index[lane] >= list->label_count) {
            return ptx_fault(launch, warp, op,
                             "thread %u: index %u, but there are %u targets",
                             warp->number * LOOM_WARP_LANES + lane, index[lane],
                             list->label_count);
        }
        pc = f->label[list->label[index[lane]]].target;
        while (n < *count && path[n].pc != pc) {
            n++;
        }
        if (n == *count) {
            path[(*count)++] = (struct exec_path){.pc = pc};
        }
        path[n].mask |= 1u << lane;
    }
    return true;
}

static bool branch_index(struct exec_launch *launch, struct exec_warp *warp,
                         const struct exec_op *op, uint32_t active,
                         uint32_t mask)
{
    struct exec_path *top = &warp->path[warp->depth - 1];
    struct exec_path path[LOOM_WARP_LANES];
    uint32_t count, join = op->join == PTX_EXIT ? top->join : op->join;

    if (!find_paths(launch, warp, op, mask, path, &count)) {
        return false;
    }
    if (count == 0 || (count == 1 && mask == active)) {
        top->pc = count == 0 ? op->index + 1 : path[0].pc;
        return true;
    }
    if (top->join == join) {
        warp->depth--;
    } else {
        top->pc = join;
    }
    if (mask != active) {
        push(warp, op->index + 1, active & ~mask, join);
    }
    while (count-- > 0) {
        push(warp, path[count].pc, path[count].mask, join);
    }
    return true;
}

static uint32_t uniform_source(const struct exec_launch *launch,
                               const struct exec_warp *warp, uint32_t source,
                               uint32_t mask)
{
    return (
        (const lane_u32 *)exec_reg(launch, warp, source))[loom_lowest(mask)];
}

/* Hands the barrier's result to lanes of a warp that waited for it. */
static void deliver_to(struct exec_warp *warp, const struct exec_op *op,
                       const struct exec_barrier *barrier, uint32_t mask)
{
    lane_u32 *d = (void *)(warp->frame + op->d[0]);

    switch (op->opcode_sub) {
    case LOOM_PTX_DO_POPC:
        for (uint32_t left = mask; left != 0; left &= left - 1) {
            d[loom_lowest(left)] = barrier->votes;
        }
        break;
    case LOOM_PTX_DO_AND:
        exec_pred_set(warp, op->po,
                      barrier->votes == barrier->voters ? UINT32_MAX : 0, mask);
        break;
    case LOOM_PTX_DO_OR:
        exec_pred_set(warp, op->po, barrier->votes != 0 ? UINT32_MAX : 0, mask);
        break;
    default:
        break;
    }
}

/* The paths that waited are behind their barriers. */
static void deliver(const struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_barrier *barrier)
{
    for (uint32_t i = warp->base; i < warp->depth; i++) {
        uint32_t mask = ptx_lanes_at(warp, i) & warp->wait_mask;

        if (mask != 0) {
            deliver_to(warp, &launch->code->op[warp->path[i].pc - 1], barrier,
                       mask);
        }
    }
}

/* Releases the warps at barrier `number` if all that it waits for came. */
static void try_release(struct exec_launch *launch, uint32_t number)
{
    struct exec_barrier *barrier = &launch->barrier[number];
    uint32_t gone = launch->gone * LOOM_WARP_LANES;

    if (barrier->expected != 0
            ? barrier->arrived < barrier->expected
            : barrier->arrived + gone < launch->warps * LOOM_WARP_LANES) {
        return;
    }
    if (launch->races != NULL) {
        ptx_races_release(launch, number);
    }
    ptx_order_open(launch);
    for (uint32_t w = 0; w < launch->warps; w++) {
        struct exec_warp *warp = &launch->warp[w];

        if (warp->state == EXEC_WAITS && warp->barrier == number) {
            deliver(launch, warp, barrier);
            ptx_order_wake(launch, warp);
        }
    }
    *barrier = (struct exec_barrier){0};
    if (!launch->code->polls) {
        launch->moved = launch->total;
    }
}

/* Counts what the lanes of a path say. */
static void cast(const struct exec_warp *warp, const struct exec_op *op,
                 struct exec_barrier *barrier, uint32_t mask)
{
    uint32_t votes = exec_pred(warp, op->p);

    votes = (op->flags & EXEC_PRED_NOT) != 0 ? ~votes : votes;
    barrier->votes += loom_popcount(votes & mask);
    barrier->voters += loom_popcount(mask);
}

/* Number and thread count of a barrier are in its record, as an address,
 * unless the static table has them (workloads/stream.h). */
static void record_barrier(const struct exec_launch *launch,
                           struct exec_warp *warp, const struct exec_op *op,
                           uint32_t mask)
{
    loom_addr what[LOOM_WARP_LANES];
    uint32_t own = mask & warp->path[warp->depth - 1].mask;
    uint64_t value;

    if ((op->flags & EXEC_DYNAMIC) == 0 || mask == 0) {
        loom_writer_put(warp->writer, op->index, mask);
        return;
    }
    value = uniform_source(launch, warp, op->s[0], own);
    if (op->s[1] != EXEC_NONE) {
        value |= (uint64_t)uniform_source(launch, warp, op->s[1], own) << 32;
    }
    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        what[l] = value;
    }
    loom_writer_memory(warp->writer, op->index, mask, what);
}

/* Lanes of other paths that wait at other instructions for barrier `number`
 * arrive with those of the top path; all that arrive. */
static uint32_t arrive_others(struct exec_launch *launch,
                              struct exec_warp *warp, uint32_t number,
                              uint32_t all)
{
    for (uint32_t i = warp->base; i + 1 < warp->depth; i++) {
        struct exec_path *path = &warp->path[i];
        const struct exec_op *op = &launch->code->op[path->pc];
        uint32_t mask = ptx_lanes_at(warp, i);

        if (op->guard != EXEC_NONE) {
            mask &= warp->predicate[op->guard] ^ op->guard_invert;
        }
        if (mask != 0 && op->kind == EXEC_BARRIER && op->how.mode == 0 &&
            uniform_source(launch, warp, op->s[0], mask) == number) {
            cast(warp, op, &launch->barrier[number], mask);
            path->pc++;
            all |= mask;
        }
    }
    return all;
}

static enum exec_next arrive(struct exec_launch *launch, struct exec_warp *warp,
                             const struct exec_op *op, uint32_t mask)
{
    uint32_t number = uniform_source(launch, warp, op->s[0], mask);
    struct exec_barrier *barrier;

    if (number >= EXEC_BARRIERS) {
        ptx_fault(launch, warp, op, "barrier %u, but there are 0..%u", number,
                  EXEC_BARRIERS - 1);
        return NEXT_FAULT;
    }
    barrier = &launch->barrier[number];
    if (op->s[1] != EXEC_NONE && barrier->arrived == 0) {
        barrier->expected = uniform_source(launch, warp, op->s[1], mask);
    }
    cast(warp, op, barrier, mask);
    if (op->how.mode == 0) { /* not bar.arrive */
        mask = arrive_others(launch, warp, number, mask);
        warp->state = EXEC_WAITS;
        warp->barrier = number;
        warp->waits_at = op->index;
        warp->wait_mask = mask;
    }
    record_barrier(launch, warp, op, mask);
    barrier->arrived += LOOM_WARP_LANES;
    if (launch->races != NULL) {
        ptx_races_arrive(launch, warp, number);
    }
    try_release(launch, number);
    return op->how.mode == 0 ? NEXT_STOP : NEXT_GO;
}

static enum exec_next leave(struct exec_launch *launch, struct exec_warp *warp,
                            uint32_t mask)
{
    if (mask == 0) {
        return NEXT_GO;
    }
    warp->live &= ~mask;
    if (warp->calls != NULL) {
        warp->calls->frame[warp->calls->depth].exited |= mask;
    }
    launch->moved = launch->total;
    if (settle(launch, warp)) {
        return NEXT_GO;
    }
    warp->state = EXEC_DONE;
    launch->gone++;
    for (uint32_t i = 0; i < EXEC_BARRIERS; i++) {
        if (launch->barrier[i].arrived != 0) {
            try_release(launch, i);
        }
    }
    ptx_cluster_leave(launch);
    return NEXT_STOP;
}

/* barrier.cluster; a warp that must wait stays where it is. */
static enum exec_next cluster(struct exec_launch *launch,
                              struct exec_warp *warp, const struct exec_op *op,
                              uint32_t mask)
{
    if (mask != 0 && !ptx_cluster_arrive(launch, warp, op)) {
        ptx_order_yield(launch, warp);
        return NEXT_GO;
    }
    loom_writer_put(warp->writer, op->index, mask);
    warp->path[warp->depth - 1].pc++;
    return NEXT_GO;
}

/* What goes on with the next instruction, or fails. */
static bool perform(struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_op *op, uint32_t mask)
{
    switch (op->kind) {
    case EXEC_LOAD:
        return ptx_exec_load(launch, warp, op, mask);
    case EXEC_STORE:
        return ptx_exec_store(launch, warp, op, mask);
    case EXEC_ATOMIC:
        return ptx_exec_atomic(launch, warp, op, mask);
    case EXEC_COPY:
        return op->how.mode == EXEC_COPY_TENSOR
                   ? ptx_exec_tensor(launch, warp, op, mask)
                   : ptx_exec_copy(launch, warp, op, mask);
    case EXEC_MAP:
        return ptx_exec_map(launch, warp, op, mask);
    case EXEC_FILL:
        return ptx_exec_fill(launch, warp, op, mask);
    case EXEC_STORE_ASYNC:
        return ptx_exec_store_async(launch, warp, op, mask);
    case EXEC_MATRIX:
        return ptx_exec_matrix(launch, warp, op, mask);
    case EXEC_WGMMA:
        return ptx_exec_wgmma(launch, warp, op, mask);
    case EXEC_TEXTURE:
        return ptx_exec_texture(launch, warp, op, mask);
    case EXEC_STACK:
        loom_writer_put(warp->writer, op->index, mask);
        return mask == 0 || ptx_exec_stack(launch, warp, op, mask);
    case EXEC_TRAP:
        if (mask != 0) {
            return ptx_fault(launch, warp, op, "the program traps");
        }
        loom_writer_put(warp->writer, op->index, mask);
        return true;
    default: /* EXEC_NOTHING: fences, and bar.warp.sync */
        warp->merges += op->opcode_sub != 0 ? 1 : 0;
        loom_writer_put(warp->writer, op->index, mask);
        return true;
    }
}

/* Control flow, memory and whatever may fail or stop the warp.  The top
 * path's pc is that of the operation. */
static enum exec_next step(struct exec_launch *launch, struct exec_warp *warp,
                           const struct exec_op *op, uint32_t active,
                           uint32_t mask)
{
    struct exec_path *top = &warp->path[warp->depth - 1];
    bool ok, waits = false;

    switch (op->kind) {
    case EXEC_BRANCH:
        loom_writer_put(warp->writer, op->index, mask);
        branch(launch, warp, op, active, mask);
        return NEXT_GO;
    case EXEC_BRANCH_INDEX:
        loom_writer_put(warp->writer, op->index, mask);
        return branch_index(launch, warp, op, active, mask) ? NEXT_GO
                                                            : NEXT_FAULT;
    case EXEC_CALL:
        return ptx_exec_call(launch, warp, op, mask) ? NEXT_GO : NEXT_FAULT;
    case EXEC_RETURN:
        loom_writer_put(warp->writer, op->index, mask);
        top->pc++;
        warp->live &= ~mask;
        settle(launch, warp); /* the caller's path is there */
        return NEXT_GO;
    case EXEC_EXIT:
        loom_writer_put(warp->writer, op->index, mask);
        top->pc++;
        return leave(launch, warp, mask);
    case EXEC_END:
        return leave(launch, warp, active);
    case EXEC_CLOCK:
        top->pc++;
        return ptx_read_clock(launch, warp, op, mask) ? NEXT_STOP : NEXT_GO;
    case EXEC_MBARRIER:
        warp->reads = 0;
        ok = ptx_exec_mbarrier(launch, warp, op, mask, &waits);
        top->pc++;
        if (waits) {
            ptx_order_yield(launch, warp);
        }
        return ok ? NEXT_GO : NEXT_FAULT;
    case EXEC_CLUSTER_BARRIER:
        return cluster(launch, warp, op, mask);
    case EXEC_BARRIER:
        top->pc++;
        if (mask != 0) {
            return arrive(launch, warp, op, mask);
        }
        record_barrier(launch, warp, op, mask);
        return NEXT_GO;
    case EXEC_SLEEP:
        ptx_sleep(launch, warp, op, mask);
        top->pc++;
        return NEXT_GO;
    default:
        warp->reads = 0; /* a loop that does something */
        ok = perform(launch, warp, op, mask);
        top->pc++;
        return ok ? NEXT_GO : NEXT_FAULT;
    }
}

static bool is_compute(uint32_t kind)
{
    return kind <= EXEC_ISSPACEP || kind >= EXEC_SHUFFLE;
}

/* Executes operations that only compute, from the top path's pc on, until
 * one that does not or a join; returns it. */
static const struct exec_op *compute(struct exec_launch *launch,
                                     struct exec_warp *warp, uint32_t active)
{
    struct exec_path *top = &warp->path[warp->depth - 1];
    const struct exec_op *op = &launch->code->op[top->pc], *first = op;

    while (is_compute(op->kind)) {
        uint32_t mask = active;

        if (op->guard != EXEC_NONE) {
            mask &= warp->predicate[op->guard] ^ op->guard_invert;
        }
        loom_writer_put(warp->writer, op->index, mask);
        if (mask != 0) {
            ptx_exec_compute(launch, warp, op, mask);
        }
        op++;
        if ((op->flags & EXEC_JOIN) != 0) {
            break;
        }
    }
    top->pc = op->index;
    warp->clock += (uint64_t)(op - first);
    launch->total += (uint64_t)(op - first);
    return op;
}

/* At the top path's join: on with the path below. */
static void join(struct exec_launch *launch, struct exec_warp *warp)
{
    while (warp->path[warp->depth - 1].join == warp->path[warp->depth - 1].pc) {
        uint32_t mask = warp->path[--warp->depth].mask;

        if (!settle(launch, warp)) {
            LOOM_BUG("no path is left at a join");
        }
        /* Not before the other side has come, too. */
        warp->merges += (warp->path[warp->depth - 1].mask & mask) != 0 ? 1 : 0;
    }
}

/* Goes on to the next operation that does more than compute. */
static const struct exec_op *advance(struct exec_launch *launch,
                                     struct exec_warp *warp)
{
    for (;;) {
        const struct exec_path *top;
        const struct exec_op *op;
        uint32_t pc;

        join(launch, warp);
        top = &warp->path[warp->depth - 1];
        if (launch->code->op[top->pc].meets != 0 &&
            (top->mask & warp->live) != warp->live && ptx_meet(launch, warp)) {
            continue;
        }
        pc = top->pc;
        op = compute(launch, warp, top->mask & warp->live);
        if (!is_compute(op->kind) && top->pc != top->join &&
            (op->meets == 0 || top->pc == pc)) { /* else they meet first */
            return op;
        }
    }
}

/* Now and then: may this CTA go on? */
static bool look(struct exec_launch *launch, struct exec_warp *warp,
                 const struct exec_op *op)
{
    if (loom_interrupted(launch->interrupt)) {
        return loom_fail(launch->err, LOOM_ERR_INTERRUPTED,
                         "kernel '%s' was interrupted in CTA %u",
                         launch->kernel.name, launch->cta);
    }
    if (launch->total > launch->budget) {
        warp->next = op; /* it has not been executed */
        launch->endless = warp;
        return false;
    }
    launch->look = launch->budget - launch->total > EXEC_LOOK
                       ? launch->total + EXEC_LOOK
                       : launch->budget;
    return true;
}

enum exec_next ptx_run_warp(struct exec_launch *launch, struct exec_warp *warp,
                            uint64_t end)
{
    const struct exec_op *op = warp->next;
    uint64_t lap = warp->clock + launch->lap;
    enum exec_next next = NEXT_GO;

    if (op == NULL) {
        op = advance(launch, warp);
    }
    while ((warp->clock < end || (op->shows & launch->open) == 0) &&
           warp->clock < lap) {
        const struct exec_path *top = &warp->path[warp->depth - 1];
        uint32_t active = top->mask & warp->live, mask = active;

        if (op->guard != EXEC_NONE) {
            mask &= warp->predicate[op->guard] ^ op->guard_invert;
        }
        warp->clock++;
        if (++launch->total > launch->look && !look(launch, warp, op)) {
            return NEXT_FAULT;
        }
        next = step(launch, warp, op, active, mask);
        if (next != NEXT_GO) {
            warp->next = NULL;
            return next;
        }
        op = advance(launch, warp);
    }
    warp->next = op;
    return NEXT_STOP; /* the others' turn */
}
