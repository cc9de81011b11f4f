/*
 * Execution: what an instruction does when it issues, and what its warp gains
 * when it is done.
 *
 * Invariant: a register is pending for exactly one instruction, because an
 * instruction does not issue while a register that it writes is pending.
 */
#include "engine/free_list.h"

#include "components/sm/sm_private.h"

static void mark(struct sm_warp *warp, const struct loom_static_inst *inst)
{
    for (uint32_t i = 0; i < LOOM_REG_WORDS; i++) {
        warp->pending[i] |= inst->def[i];
    }
}

static void clear(struct sm_warp *warp, const struct loom_static_inst *inst)
{
    for (uint32_t i = 0; i < LOOM_REG_WORDS; i++) {
        warp->pending[i] &= ~inst->def[i];
    }
}

static bool writes(const struct loom_static_inst *inst)
{
    uint64_t any = 0;

    for (uint32_t i = 0; i < LOOM_REG_WORDS; i++) {
        any |= inst->def[i];
    }
    return any != 0;
}

/* Only a warp that waits for what has come, or for its end, can move on. */
static void look_again(struct sm *sm, struct sm_warp *warp)
{
    sm->changed = true;
    if (warp->state != SM_READY && warp->state != SM_FETCH) {
        sm_update(sm, warp);
    }
}

void sm_write_due(struct sm *sm)
{
    uint32_t place = (uint32_t)(sm->now % SM_WHEEL);
    uint32_t number = sm->wheel[place];

    if (number == 0) {
        return;
    }
    sm->wheel[place] = 0;
    sm->wheel_used[place / 64] &= ~loom_bit(place % 64);
    while (number != 0) {
        struct sm_result *result = &sm->result[number];
        struct sm_warp *warp = &sm->warp[result->warp];
        uint32_t next = result->next;

        warp->results--;
        clear(warp, warp->table + result->inst);
        if (sm->operands.on) {
            sm_operands_write(sm, warp, warp->table + result->inst);
        }
        result->next = loom_free_link(number, sm->result_free);
        sm->result_free = number;
        look_again(sm, warp);
        number = next;
    }
}

static void send_now(struct sm *sm, const struct sm_warp *warp)
{
    uint32_t rank = sm->scheduler_ops->rank(sm->scheduler_policy.policy,
                                            warp->scheduler, warp->local);

    sm_send_access(sm, warp, &warp->next,
                   (uint16_t)(rank * sm->config->schedulers + warp->scheduler));
}

/* Does the warp stop until the atomic has returned? */
static bool atomic_waits(const struct sm *sm,
                         const struct loom_static_inst *inst)
{
    return inst->op == LOOM_OP_ATOMIC &&
           ((inst->flags & LOOM_INST_RETURNS) != 0 ||
            sm->config->every_atomic_waits);
}

/* An instruction without active lanes passes and does nothing; through
 * collectors it takes its time, and its registers are pending as for others,
 * as its end clears them. */
static void execute_memory(struct sm *sm, struct sm_warp *warp)
{
    const struct loom_static_inst *inst = warp->inst;
    bool returns = inst->op == LOOM_OP_LOAD || atomic_waits(sm, inst);

    sm->stats->loads += inst->op == LOOM_OP_LOAD;
    sm->stats->stores += inst->op == LOOM_OP_STORE;
    sm->stats->atomics += inst->op == LOOM_OP_ATOMIC;
    if (warp->next.mask == 0) {
        if (sm->operands.on) {
            warp->results++;
            mark(warp, inst);
        }
        return;
    }
    if (!sm->operands.on) {
        send_now(sm, warp);
    }
    if (!returns) {
        warp->stores++;
        return;
    }
    mark(warp, inst);
    sm->scheduler[warp->scheduler].loading |= warp->bit;
    if (inst->op == LOOM_OP_LOAD) {
        bool copy = (inst->flags & LOOM_INST_ASYNC) != 0;

        warp->loads++;
        warp->copies += copy;
        warp->group[warp->group_at] += copy;
    } else {
        warp->atomics++;
    }
}

/* The warp does nothing for so many nanoseconds, a millisecond at most. */
static void fall_asleep(struct sm *sm, struct sm_warp *warp)
{
    uint64_t wanted = loom_stream_base(&warp->next) & UINT32_MAX;
    loom_time million = loom_cycle_time(sm->self, sm->now + 1000000) -
                        loom_cycle_time(sm->self, sm->now);

    wanted = wanted < 1000000 ? wanted : 1000000;
    sm_hold(sm, warp, sm->now + wanted * 1000000 * 1000000 / million,
            SM_BARRIER);
}

/* The end of a group of copies, or a wait for all but the last of them.
 * Copies are taken to end in the order in which they were issued. */
static void group_copies(struct sm_warp *warp,
                         const struct loom_static_inst *inst)
{
    uint32_t groups = inst->barrier;

    if (inst->op != LOOM_OP_MEMBAR) {
        warp->group_at = (uint8_t)((warp->group_at + 1u) % SM_COPY_GROUPS);
        warp->group[warp->group_at] = 0;
        return;
    }
    warp->awaits_copies = true;
    warp->copies_left = 0;
    if (groups == LOOM_ALL_COPIES) {
        return;
    }
    groups = groups < SM_COPY_GROUPS ? groups : SM_COPY_GROUPS - 1;
    for (uint32_t i = 0; i <= groups; i++) {
        warp->copies_left += warp->group[(warp->group_at - i) % SM_COPY_GROUPS];
    }
}

/* The end of a group of products, or a wait for all but the last ones. */
static void group_products(struct sm *sm, struct sm_warp *warp, uint32_t wait)
{
    if (wait == 0) {
        warp->product[warp->product_group++ % SM_PRODUCT_GROUPS] =
            warp->product_end;
    } else if (wait <= SM_PRODUCT_GROUPS) {
        uint32_t group = warp->product_group - wait;

        sm_hold(sm, warp, warp->product[group % SM_PRODUCT_GROUPS],
                SM_PRODUCTS);
    }
}

/* A memory barrier.  One that leaves the SM gathers others before it goes;
 * those that come while it is on its way wait for its end and then go together.
 */
static void fence(struct sm *sm, struct sm_warp *warp)
{
    const struct sm_config *c = sm->config;
    enum loom_form form = (enum loom_form)warp->inst->form;
    bool proxy =
        form == LOOM_FORM_FENCE_PROXY || form == LOOM_FORM_FENCE_SHARED;
    uint32_t latency = proxy ? c->fence_proxy_latency : c->fence_latency;

    warp->membar = proxy ? SM_MEMBAR_BUT_COPIES : SM_MEMBAR_ALL;
    if (form == LOOM_FORM_FENCE_CTA || form == LOOM_FORM_FENCE_SHARED ||
        latency == 0) {
        return;
    }
    if (sm->fence_at == 0 || sm->now >= sm->fence_at + c->fence_interval) {
        sm->fence_at =
            sm->now +
            (latency > c->fence_interval ? latency - c->fence_interval : 0);
    } else if (sm->now > sm->fence_at) {
        sm->fence_at += c->fence_interval;
    }
    sm_hold(sm, warp, sm->fence_at + c->fence_interval, SM_MEMBAR);
}

/* What orders a warp's instructions, and others' of its CTA. */
static void wait_or_tell(struct sm *sm, struct sm_warp *warp)
{
    const struct loom_static_inst *inst = warp->inst;

    if (inst->op == LOOM_OP_BARRIER) {
        if (warp->next.mask != 0) { /* its guard is true for some lanes */
            sm_barrier_arrive(sm, warp, inst->barrier);
        }
    } else if (inst->form == LOOM_FORM_PRODUCTS) {
        group_products(sm, warp, inst->barrier);
    } else if (inst->form == LOOM_FORM_GRID_WAIT ||
               inst->form == LOOM_FORM_GRID_LAUNCH ||
               inst->form == LOOM_FORM_CHILD) {
        sm_depend(sm, warp);
    }
    if ((inst->flags & LOOM_INST_ASYNC) != 0) {
        if (inst->op != LOOM_OP_NOP || inst->barrier == 0) {
            group_copies(warp, inst);
        } else if (warp->next.mode != LOOM_ADDR_NONE) {
            fall_asleep(sm, warp);
        }
    } else if (inst->op == LOOM_OP_MEMBAR) {
        fence(sm, warp);
    }
}

void sm_execute(struct sm *sm, struct sm_warp *warp)
{
    const struct loom_static_inst *inst = warp->inst;
    struct sm_op op = sm_timing(sm, inst);

    if (LOOM_UNLIKELY(op.unit == SM_UNIT_QUEUE)) {
        sm_queue_product(sm, warp);
        return;
    }
    if (sm->operands.on) {
        sm_operands_issue(sm, warp);
    } else {
        sm_take_unit(sm, sm_group(sm, warp->scheduler, op.unit), op);
    }
    if (op.unit == SM_UNIT_LDST && inst->op != LOOM_OP_MEMBAR) {
        execute_memory(sm, warp);
        return;
    }
    if (sm->operands.on) {
        warp->results++;
        mark(warp, inst);
    } else if (writes(inst)) {
        sm_write_later(sm, warp->slot, warp->next.index,
                       op.latency + sm->more[inst->first_use]);
        warp->results++;
        mark(warp, inst);
    }
    if (sm->bus != NULL && !sm->operands.on && op.unit != SM_UNIT_LDST) {
        sm_take_bus(sm, op.latency);
    }
    if (LOOM_UNLIKELY(inst->op == LOOM_OP_BARRIER ||
                      inst->op == LOOM_OP_MEMBAR ||
                      inst->form >= LOOM_FORM_PRODUCTS ||
                      (inst->flags & LOOM_INST_ASYNC) != 0)) {
        wait_or_tell(sm, warp);
    }
}

/* What the instruction is decides, not the kind of the message: an atomic
 * whose old value nobody reads is acknowledged like a store. */
static void complete(struct sm *sm, const struct loom_warp_done *done)
{
    struct sm_warp *warp = &sm->warp[done->warp];
    struct sm_cta *cta = &sm->cta[done->slot];
    const struct loom_static_inst *inst;

    LOOM_CHECK(done->warp < sm->config->warps && cta->kernel != NULL &&
               cta->stream->cta == done->cta);
    if (LOOM_UNLIKELY(warp->cta != cta)) {
        sm_arrived(sm, cta);
        return;
    }
    inst = warp->table + done->inst;
    if (inst->op == LOOM_OP_LOAD) {
        LOOM_CHECK(warp->loads != 0);
        warp->loads--;
        warp->copies -= (inst->flags & LOOM_INST_ASYNC) != 0;
        clear(warp, inst);
    } else if (atomic_waits(sm, inst)) {
        LOOM_CHECK(warp->atomics != 0);
        warp->atomics--;
        clear(warp, inst);
    } else {
        LOOM_CHECK(warp->stores != 0);
        warp->stores--;
    }
    if (warp->loads == 0 && warp->atomics == 0) {
        sm->scheduler[warp->scheduler].loading &= ~warp->bit;
    }
    look_again(sm, warp);
}

/* Registers of a completion find a write port and their banks free; takes
 * both.  `left` counts ports. */
static bool write_port(struct sm *sm, const struct loom_warp_done *done,
                       uint32_t *left)
{
    const struct sm_warp *warp = &sm->warp[done->warp];
    const struct loom_static_inst *inst =
        sm->cta[done->slot].kernel->inst + done->inst;

    if (!writes(inst)) {
        return true;
    }
    if (*left == 0 ||
        (sm->operands.on && !sm_operands_try_write(sm, warp, inst))) {
        return false;
    }
    (*left)--;
    return true;
}

void sm_receive_dones(struct sm *sm)
{
    uint32_t width = sm->config->load_writebacks;
    uint32_t left = width != 0 ? width : UINT32_MAX;
    bool ports = width != 0 || sm->operands.on;
    const struct loom_warp_done *done;

    while ((done = loom_peek(sm->ldst_in, sm->now)) != NULL) {
        if (done->kind == LOOM_DONE_FLUSH) {
            sm_flushed(sm);
            sm->changed = true;
        } else if (ports && !write_port(sm, done, &left)) {
            sm->again = true;
            break;
        } else {
            complete(sm, done);
        }
        loom_pop(sm->ldst_in, sm->now);
    }
}
