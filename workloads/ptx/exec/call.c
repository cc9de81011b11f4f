/*
 * Executing calls and returns.
 *
 * A call pushes an activation with the lanes that call; the caller's path
 * waits behind the call until all of them have returned or exited.  Where
 * lanes call different functions through a register, they take turns, the
 * lowest lane's function first.
 */
#include "workloads/ptx/exec/call.h"

#include <stdlib.h>
#include <string.h>

static bool make_calls(const struct exec_launch *launch, struct exec_warp *warp)
{
    struct exec_calls *calls = calloc(1, sizeof(*calls));

    if (calls == NULL) {
        return false;
    }
    calls->frame = calloc(EXEC_CALLS + 1, sizeof(*calls->frame));
    calls->active =
        calloc(launch->code->analysis->section_count, sizeof(*calls->active));
    if (calls->frame == NULL || calls->active == NULL) {
        free(calls->frame);
        free(calls->active);
        free(calls);
        return false;
    }
    calls->frame[0].top = launch->code->area[0].local_bytes;
    calls->active[0] = 1;
    warp->calls = calls;
    return true;
}

void ptx_calls_reset(struct exec_warp *warp)
{
    struct exec_calls *calls = warp->calls;

    warp->base = 0;
    if (calls == NULL) {
        return;
    }
    for (; calls->depth > 0; calls->depth--) {
        calls->active[calls->frame[calls->depth].section]--;
    }
    calls->saved_bytes = 0;
    calls->frame[0].exited = 0;
}

void ptx_calls_free(struct exec_launch *launch)
{
    for (uint32_t w = 0; launch->warp != NULL && w < launch->warps; w++) {
        struct exec_calls *calls = launch->warp[w].calls;

        if (calls != NULL) {
            free(calls->frame);
            free(calls->active);
            free(calls->saved);
            free(calls);
            launch->warp[w].calls = NULL;
        }
    }
}

/* ---- arguments ---- */

/* An argument in another activation's frame. */
struct far_arg {
    const struct exec_arg *arg;
    uint32_t base; /* of the frame, in local memory */
    bool out;      /* it is written, not read */
};

/* Between the running activation's `here` and what is in another's frame. */
static void move(struct exec_launch *launch, struct exec_warp *warp,
                 const struct exec_arg *here, const struct far_arg *there,
                 uint32_t mask)
{
    uint32_t bytes =
        here->bytes < there->arg->bytes ? here->bytes : there->arg->bytes;

    for (uint32_t left = mask; left != 0 && bytes != 0; left &= left - 1) {
        uint32_t lane = loom_lowest(left);
        void *near = ptx_arg_at(launch, warp, here, lane);
        void *far =
            ptx_local_at(launch, warp, lane, there->base + there->arg->offset);

        if (there->out) {
            memcpy(far, near, bytes);
        } else {
            memcpy(near, far, bytes);
        }
    }
}

/* ---- activations ---- */

/* Registers with addresses of local memory, for an activation at `local`. */
static void fill_slots(const struct exec_launch *launch, struct exec_warp *warp,
                       uint32_t section, uint32_t local)
{
    const struct exec_code *code = launch->code;

    for (uint32_t i = 0; i < code->slot_count; i++) {
        const struct exec_slot *slot = &code->slot[i];
        uint64_t value = local + slot->offset;

        for (uint32_t l = 0; slot->section == section && l < LOOM_WARP_LANES;
             l++) {
            if (slot->wide) {
                ((lane_u64 *)(void *)(warp->frame + slot->reg))[l] = value;
            } else {
                ((lane_u32 *)(void *)(warp->frame + slot->reg))[l] =
                    (uint32_t)value;
            }
        }
    }
}

static size_t area_bytes(const struct exec_area *area)
{
    return area->frame_bytes + area->predicates * sizeof(uint32_t);
}

static bool put_aside(struct exec_warp *warp, const struct exec_area *area)
{
    struct exec_calls *calls = warp->calls;
    size_t end = calls->saved_bytes + area_bytes(area);

    if (end > calls->saved_room) {
        size_t room = end * 2;
        unsigned char *grown = realloc(calls->saved, room);

        if (grown == NULL) {
            return false;
        }
        calls->saved = grown;
        calls->saved_room = room;
    }
    if (area->frame_bytes != 0) {
        memcpy(calls->saved + calls->saved_bytes, warp->frame + area->frame,
               area->frame_bytes);
    }
    if (area->predicates != 0) {
        memcpy(calls->saved + calls->saved_bytes + area->frame_bytes,
               warp->predicate + area->predicate,
               area->predicates * sizeof(uint32_t));
    }
    calls->saved_bytes = end;
    return true;
}

static void take_back(struct exec_warp *warp, const struct exec_area *area)
{
    struct exec_calls *calls = warp->calls;
    const unsigned char *from;

    calls->saved_bytes -= area_bytes(area);
    from = calls->saved + calls->saved_bytes;
    if (area->frame_bytes != 0) {
        memcpy(warp->frame + area->frame, from, area->frame_bytes);
    }
    if (area->predicates != 0) {
        memcpy(warp->predicate + area->predicate, from + area->frame_bytes,
               area->predicates * sizeof(uint32_t));
    }
}

static bool activate(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, uint32_t section, uint32_t mask)
{
    const struct exec_call *call = &launch->code->call[op->target];
    const struct exec_area *area = &launch->code->area[section];
    struct exec_calls *calls = warp->calls;
    uint32_t local = calls->frame[calls->depth].top;
    struct exec_frame *frame;

    if (calls->depth == EXEC_CALLS) {
        return ptx_fault(launch, warp, op, "more than %u nested calls",
                         EXEC_CALLS);
    }
    if (local + area->local_bytes > launch->code->local_bytes) {
        return ptx_fault(launch, warp, op,
                         "the stack of %u bytes per thread overflows after "
                         "%u nested calls",
                         launch->code->local_bytes, calls->depth + 1);
    }
    for (uint32_t i = 0; i < call->args; i++) {
        struct far_arg there = {&area->param[i], local, true};

        move(launch, warp, &call->arg[i], &there, mask);
    }
    if (calls->active[section] != 0 && !put_aside(warp, area)) {
        return ptx_fault(launch, warp, op, "no host memory for a call");
    }
    warp->path[warp->depth - 1].pc++;
    frame = &calls->frame[++calls->depth];
    *frame = (struct exec_frame){
        .section = section,
        .call = op->index,
        .mask = mask,
        .live = warp->live,
        .base = warp->base,
        .local = local,
        .top = local + area->local_bytes,
        .saved = calls->active[section] != 0,
    };
    calls->active[section]++;
    fill_slots(launch, warp, section, local);
    warp->live = mask;
    warp->base = warp->depth;
    warp->path[warp->depth++] = (struct exec_path){area->first, mask, PTX_EXIT};
    return true;
}

/* Addresses that an older activation of the same function had. */
static void refill(const struct exec_launch *launch, struct exec_warp *warp,
                   uint32_t section)
{
    const struct exec_calls *calls = warp->calls;
    uint32_t at = calls->depth;

    while (at > 0 && calls->frame[at].section != section) {
        at--;
    }
    fill_slots(launch, warp, section, calls->frame[at].local);
}

void ptx_exec_return(struct exec_launch *launch, struct exec_warp *warp)
{
    struct exec_calls *calls = warp->calls;
    const struct exec_frame done = calls->frame[calls->depth--];
    const struct exec_area *area = &launch->code->area[done.section];
    const struct exec_op *op = &launch->code->op[done.call];
    const struct exec_call *call = &launch->code->call[op->target];

    calls->active[done.section]--;
    if (done.saved) {
        take_back(warp, area);
        refill(launch, warp, done.section);
    }
    calls->frame[calls->depth].exited |= done.exited;
    warp->live = done.live & ~done.exited;
    warp->base = done.base;
    for (uint32_t i = 0; i < call->rets; i++) {
        struct far_arg there = {&area->ret[i], done.local, false};

        move(launch, warp, &call->ret[i], &there, done.mask & ~done.exited);
    }
}

/* ---- the instruction ---- */

/* Those lanes whose register holds the lowest lane's function; the section
 * of it. */
static bool find_target(struct exec_launch *launch, struct exec_warp *warp,
                        const struct exec_op *op, uint32_t *mask,
                        uint32_t *section)
{
    const struct exec_code *code = launch->code;
    const struct loom_ptx_module *m = code->function->module;
    const lane_u64 *to = exec_reg(launch, warp, op->s[0]);
    uint64_t address = to[loom_lowest(*mask)];
    uint64_t number = (address - EXEC_WINDOW_CODE) / EXEC_CODE_STEP;
    uint32_t same = 0;

    for (uint32_t left = *mask; left != 0; left &= left - 1) {
        uint32_t lane = loom_lowest(left);

        same |= to[lane] == address ? 1u << lane : 0;
    }
    *mask = same;
    *section = LOOM_PTX_NONE;
    if (address % EXEC_CODE_STEP == 0 && number >= 1 &&
        number <= m->function_count) {
        *section = ptx_section_of(code->analysis, m->function[number - 1]);
    }
    if (*section == LOOM_PTX_NONE) {
        return ptx_fault(launch, warp, op,
                         "thread %u: 0x%llx is not the address of a function",
                         warp->number * LOOM_WARP_LANES + loom_lowest(same),
                         (unsigned long long)address);
    }
    return true;
}

static bool fits(const struct exec_call *call, const struct exec_area *area)
{
    bool ok = call->args == area->params && call->rets <= area->rets;

    for (uint32_t i = 0; ok && i < call->args; i++) {
        ok = call->arg[i].bytes >= area->param[i].bytes;
    }
    for (uint32_t i = 0; ok && i < call->rets; i++) {
        ok = call->ret[i].bytes >= area->ret[i].bytes;
    }
    return ok;
}

/* Lanes with another target execute the call again, behind the others. */
static void split(struct exec_warp *warp, const struct exec_op *op,
                  uint32_t mask, uint32_t same)
{
    struct exec_path *top = &warp->path[warp->depth - 1];
    uint32_t next = op->index + 1;

    top->pc = next;
    warp->path[warp->depth++] =
        (struct exec_path){op->index, mask & ~same, next};
    warp->path[warp->depth++] = (struct exec_path){op->index, same, next};
}

bool ptx_exec_call(struct exec_launch *launch, struct exec_warp *warp,
                   const struct exec_op *op, uint32_t mask)
{
    const struct exec_call *call = &launch->code->call[op->target];
    uint32_t section = call->section, same = mask;
    bool through_register = op->how.mode != 0 && mask != 0;

    if (warp->calls == NULL && !make_calls(launch, warp)) {
        return ptx_fault(launch, warp, op, "no host memory for a call");
    }
    if (through_register) {
        if (!find_target(launch, warp, op, &same, &section)) {
            return false;
        }
        if (same != mask) {
            split(warp, op, mask, same);
            return true;
        }
        if (!fits(call, &launch->code->area[section])) {
            return ptx_fault(
                launch, warp, op, "the arguments are not those of '%.80s'",
                launch->code->analysis->section[section].function->name);
        }
    }
    loom_writer_put(warp->writer, op->index, mask);
    if (mask == 0) {
        warp->path[warp->depth - 1].pc++;
        return true;
    }
    if (call->builtin != EXEC_NO_BUILTIN) {
        warp->path[warp->depth - 1].pc++;
        return ptx_exec_builtin(launch, warp, op, mask);
    }
    return activate(launch, warp, op, section, mask);
}

/* alloca, stacksave, stackrestore: the stack ends at the same address for
 * all lanes, so the largest request counts. */
bool ptx_exec_stack(struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_op *op, uint32_t mask)
{
    struct exec_frame *frame;
    uint64_t most = 0, align = op->how.mode, at;

    if (warp->calls == NULL && !make_calls(launch, warp)) {
        return ptx_fault(launch, warp, op, "no host memory for a call");
    }
    frame = &warp->calls->frame[warp->calls->depth];
    at = (frame->top + align - 1) / align * align;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = loom_lowest(left);
        uint64_t value =
            op->s_wide != 0
                ? ((const lane_u64 *)exec_reg(launch, warp, op->s[0]))[lane]
                : ((const lane_u32 *)exec_reg(launch, warp, op->s[0]))[lane];

        most = value > most ? value : most;
    }
    if (op->opcode_sub == EXEC_STACK_RESTORE) {
        at = most;
        most = 0;
    } else if (op->opcode_sub == EXEC_STACK_SAVE) {
        at = frame->top;
        most = 0;
    }
    if (most > launch->code->local_bytes ||
        at + most > launch->code->local_bytes) {
        return ptx_fault(launch, warp, op,
                         "the stack of %u bytes per thread has no room for "
                         "%llu more",
                         launch->code->local_bytes, (unsigned long long)most);
    }
    frame->top = (uint32_t)(at + most);
    for (uint32_t left = mask;
         left != 0 && op->opcode_sub != EXEC_STACK_RESTORE; left &= left - 1) {
        uint32_t lane = loom_lowest(left);

        if (op->d_wide != 0) {
            ((lane_u64 *)(void *)(warp->frame + op->d[0]))[lane] = at;
        } else {
            ((lane_u32 *)(void *)(warp->frame + op->d[0]))[lane] = (uint32_t)at;
        }
    }
    return true;
}
