/*
 * Execution: units, results on their way, and the link to the load/store
 * unit.
 *
 * Latencies are fixed once an instruction has its unit, so a result is one
 * entry of a wheel of coming cycles, and a bitmap finds the next cycle that
 * has any.  Memory instructions come back over the link instead.
 *
 * Invariant: a register is pending for exactly one instruction, because an
 * instruction does not issue while a register that it writes is pending.
 */
#include "components/sm/sm_private.h"

uint32_t sm_busy_at(struct sm *sm, loom_cycle at)
{
    uint32_t busy = 0;

    for (uint32_t left = sm->busy; left != 0; left &= left - 1) {
        uint32_t kind = loom_lowest(left);

        if (sm->unit[kind].free_at > at) {
            busy |= 1u << kind;
        }
    }
    return busy;
}

static void take_unit(struct sm *sm, const struct sm_op *op)
{
    struct sm_unit_kind *kind = &sm->unit[op->unit];
    loom_cycle free_at = LOOM_NEVER;
    bool taken = false;

    for (uint32_t i = 0; i < kind->count; i++) {
        if (!taken && kind->until[i] <= sm->now) {
            kind->until[i] = sm->now + op->interval;
            taken = true;
        }
        free_at = kind->until[i] < free_at ? kind->until[i] : free_at;
    }
    LOOM_DEBUG_CHECK(taken);
    kind->free_at = free_at;
    if (free_at > sm->now) {
        sm->busy |= 1u << op->unit;
    }
}

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

static void write_later(struct sm *sm, struct sm_warp *warp, uint32_t latency)
{
    uint32_t place = (uint32_t)((sm->now + latency) % SM_WHEEL);
    uint32_t number = sm->result_free;
    struct sm_result *result = &sm->result[number];

    LOOM_CHECK(number != 0);
    sm->result_free = result->next;
    result->next = sm->wheel[place];
    result->inst = warp->next.index;
    result->warp = warp->slot;
    sm->wheel[place] = number;
    sm->wheel_used[place / 64] |= loom_bit(place % 64);
    warp->results++;
    mark(warp, warp->inst);
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
        result->next = sm->result_free;
        sm->result_free = number;
        look_again(sm, warp);
        number = next;
    }
}

loom_cycle sm_next_write(const struct sm *sm)
{
    uint32_t from = (uint32_t)((sm->now + 1) % SM_WHEEL);
    uint64_t bits = sm->wheel_used[from / 64] >> from % 64 << from % 64;

    /* One word more than there are: the first is looked at twice. */
    for (uint32_t i = 0; i <= SM_WHEEL / 64; i++) {
        uint32_t word = (from / 64 + i) % (SM_WHEEL / 64);

        if (i != 0) {
            bits = sm->wheel_used[word];
        }
        if (bits != 0) {
            uint32_t place = word * 64 + loom_lowest(bits);

            return sm->now + 1 + (place - from) % SM_WHEEL;
        }
    }
    return LOOM_NEVER;
}

static void send_access(struct sm *sm, struct sm_warp *warp)
{
    uint32_t rank = sm->scheduler_ops->rank(sm->scheduler_policy.policy,
                                            warp->scheduler, warp->local);
    struct loom_warp_access *access =
        loom_send(sm->ldst_out, sm->now, sm->config->memory_cycles);

    access->kernel = warp->cta->kernel;
    access->inst = warp->next;
    access->born = loom_cycle_time(sm->self, sm->now);
    access->cta = warp->cta->stream->cta;
    access->warp = warp->slot;
    access->rank = (uint16_t)(rank * sm->config->schedulers + warp->scheduler);
    access->scheduler = warp->scheduler;
    access->command = LOOM_WARP_MEMORY;
}

/* An instruction without active lanes passes and does nothing. */
static void execute_memory(struct sm *sm, struct sm_warp *warp)
{
    const struct loom_static_inst *inst = warp->inst;
    bool returns =
        inst->op == LOOM_OP_LOAD ||
        (inst->op == LOOM_OP_ATOMIC && (inst->flags & LOOM_INST_RETURNS) != 0);

    sm->stats->loads += inst->op == LOOM_OP_LOAD;
    sm->stats->stores += inst->op == LOOM_OP_STORE;
    sm->stats->atomics += inst->op == LOOM_OP_ATOMIC;
    if (warp->next.mask == 0) {
        return;
    }
    send_access(sm, warp);
    if (!returns) {
        warp->stores++;
        return;
    }
    mark(warp, inst);
    sm->scheduler[warp->scheduler].loading |= warp->bit;
    if (inst->op == LOOM_OP_LOAD) {
        warp->loads++;
    } else {
        warp->atomics++;
    }
}

void sm_execute(struct sm *sm, struct sm_warp *warp)
{
    const struct loom_static_inst *inst = warp->inst;
    const struct sm_op *op = &sm->op[inst->op];

    take_unit(sm, op);
    if (op->unit == SM_UNIT_LDST && inst->op != LOOM_OP_MEMBAR) {
        execute_memory(sm, warp);
        return;
    }
    if (writes(inst)) {
        write_later(sm, warp, op->latency);
    }
    if (inst->op == LOOM_OP_BARRIER) {
        sm_barrier_arrive(sm, warp, inst->barrier);
    }
    warp->membar = inst->op == LOOM_OP_MEMBAR;
}

/* What the instruction is decides, not the kind of the message: an atomic
 * whose old value nobody reads is acknowledged like a store. */
static void complete(struct sm *sm, const struct loom_warp_done *done)
{
    struct sm_warp *warp = &sm->warp[done->warp];
    const struct loom_static_inst *inst;

    LOOM_CHECK(done->warp < sm->config->warps && warp->state != SM_EMPTY &&
               warp->cta->stream->cta == done->cta);
    inst = warp->table + done->inst;
    if (inst->op == LOOM_OP_LOAD) {
        LOOM_CHECK(warp->loads != 0);
        warp->loads--;
        clear(warp, inst);
    } else if (inst->op == LOOM_OP_ATOMIC &&
               (inst->flags & LOOM_INST_RETURNS) != 0) {
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

void sm_receive_dones(struct sm *sm)
{
    const struct loom_warp_done *done;

    while ((done = loom_peek(sm->ldst_in, sm->now)) != NULL) {
        if (done->kind == LOOM_DONE_FLUSH) {
            sm_flushed(sm);
            sm->changed = true;
        } else {
            complete(sm, done);
        }
        loom_pop(sm->ldst_in, sm->now);
    }
}
