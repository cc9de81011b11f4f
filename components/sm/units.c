/*
 * What instructions take up: execution units, the result bus, the wheel of
 * results on their way, and the link to the load/store unit.
 *
 * Latencies are fixed once an instruction has its unit, so a result is one
 * entry of a wheel of coming cycles, and a bitmap finds the next cycle that
 * has any.  Memory instructions come back over the link instead.
 */
#include "engine/free_list.h"

#include "components/sm/sm_private.h"

uint64_t sm_busy_at(struct sm *sm, loom_cycle at)
{
    uint64_t busy = 0;

    for (uint64_t left = sm->busy; left != 0; left &= left - 1) {
        uint32_t i = loom_lowest(left);

        if (sm->unit[i / SM_GROUP][i % SM_GROUP].free_at > at) {
            busy |= loom_bit(i);
        }
    }
    return busy;
}

uint32_t sm_group(const struct sm *sm, uint32_t scheduler, uint32_t unit)
{
    return sm->config->sub_core && unit != SM_UNIT_LDST ? scheduler : 0;
}

bool sm_unit_free(const struct sm *sm, uint32_t group, uint32_t unit)
{
    return sm->unit[group][unit].free_at <= sm->now;
}

bool sm_bus_free(const struct sm *sm, uint32_t latency)
{
    const struct sm_bus_slot *slot;

    if (sm->bus == NULL) {
        return true;
    }
    slot = &sm->bus[(sm->now + latency) % SM_WHEEL];
    return slot->at != sm->now + latency ||
           slot->count < sm->config->result_bus_width;
}

void sm_take_bus(struct sm *sm, uint32_t latency)
{
    loom_cycle at = sm->now + latency;
    struct sm_bus_slot *slot;

    if (sm->bus != NULL) {
        slot = &sm->bus[at % SM_WHEEL];
        slot->count = slot->at == at ? slot->count + 1 : 1;
        slot->at = at;
    }
}

static uint32_t earliest(const struct sm_unit_kind *kind)
{
    uint32_t found = 0;

    for (uint32_t i = 1; i < kind->count; i++) {
        found = kind->until[i] < kind->until[found] ? i : found;
    }
    return found;
}

/* The unit (or place in a queue) is taken until then. */
static void hold(struct sm *sm, uint32_t group, uint32_t unit, uint32_t number,
                 loom_cycle until)
{
    struct sm_unit_kind *kind = &sm->unit[group][unit];

    kind->until[number] = until;
    kind->free_at = kind->until[earliest(kind)];
    if (kind->free_at > sm->now) {
        sm->busy |= loom_bit(group * SM_GROUP + unit);
    }
}

/* What wants the first SP unit gets it; others get the last one that is free.
 * Where either an integer unit or that one would do and both are free, the one
 * is left to others that can issue now and need it. */
static void take_pipe(struct sm *sm, uint32_t group, struct sm_op op)
{
    const struct sm_scheduler *scheduler = &sm->scheduler[group];
    struct sm_unit_kind *kind = &sm->unit[group][SM_UNIT_SP];
    struct sm_unit_kind *first = &sm->unit[group][SM_UNIT_MUL];
    bool any = op.unit == SM_UNIT_SP;
    uint32_t number = any ? kind->count - 1 : 0, rest;

    if (op.unit == SM_UNIT_EITHER && sm_unit_free(sm, group, SM_UNIT_INT) &&
        (first->free_at > sm->now ||
         (scheduler->state[SM_READY] & scheduler->next_unit[SM_UNIT_INT]) ==
             0)) {
        op.unit = SM_UNIT_INT;
        sm_take_unit(sm, group, op);
        return;
    }
    while (any && kind->until[number] > sm->now) {
        LOOM_DEBUG_CHECK(number != 0);
        number--;
    }
    rest = (uint32_t)kind->rest[number] + op.rest;
    kind->rest[number] = (uint8_t)rest;
    hold(sm, group, SM_UNIT_SP, number, sm->now + op.interval + (rest >> 8));
    if (number == 0) {
        first->free_at = kind->until[0];
        sm->busy |= loom_bit(group * SM_GROUP + SM_UNIT_MUL);
    }
}

void sm_take_unit(struct sm *sm, uint32_t group, struct sm_op op)
{
    struct sm_unit_kind *kind = &sm->unit[group][op.unit];
    loom_cycle free_at = LOOM_NEVER;
    bool taken = false;

    if (sm->config->sp_multiplies &&
        (op.unit == SM_UNIT_SP || op.unit >= SM_UNIT_MUL)) {
        take_pipe(sm, group, op);
        return;
    }
    for (uint32_t i = 0; i < kind->count; i++) {
        if (!taken && kind->until[i] <= sm->now) {
            uint32_t rest = (uint32_t)kind->rest[i] + op.rest;

            kind->until[i] = sm->now + op.interval + (rest >> 8);
            kind->rest[i] = (uint8_t)rest;
            taken = true;
        }
        free_at = kind->until[i] < free_at ? kind->until[i] : free_at;
    }
    LOOM_DEBUG_CHECK(taken);
    kind->free_at = free_at;
    if (free_at > sm->now) {
        sm->busy |= loom_bit(group * SM_GROUP + op.unit);
    }
}

/* Cycles for which a warpgroup reads its matrices: 32 bytes of each column of
 * B, and A's four times 16 rows. */
static uint32_t reading(const struct sm *sm,
                        const struct loom_static_inst *inst)
{
    uint32_t each = sm->config->tensor_queue_bytes;
    uint32_t bytes = inst->parts * 8u * 32u + inst->bytes * 4u * 32u;
    uint32_t cycles = each != 0 ? (bytes + each - 1) / each : 0;
    uint32_t least = sm->config->tensor_queue_cycles;

    return cycles > least ? cycles : least;
}

/* Its place is free when it starts, and its sums are there when the latency
 * has passed; the next one may add to them meanwhile.  The group's other warps
 * are in other sub-cores, at the same time. */
void sm_queue_product(struct sm *sm, struct sm_warp *warp)
{
    struct sm_op op = sm_timing(sm, warp->inst);
    uint32_t group = sm_group(sm, warp->scheduler, SM_UNIT_QUEUE);
    struct sm_unit_kind *unit = &sm->unit[group][sm->multiplies];
    uint32_t number = earliest(unit);
    uint32_t rest = (uint32_t)unit->rest[number] + op.rest;
    uint32_t cycles = op.interval + (rest >> 8),
             least = reading(sm, warp->inst);
    uint32_t more = least > cycles ? least - cycles : 0;
    loom_cycle start = unit->until[number];

    start = start > sm->now ? start : sm->now;
    unit->rest[number] = (uint8_t)rest;
    hold(sm, group, sm->multiplies, number, start + cycles + more);
    hold(sm, group, SM_UNIT_QUEUE, earliest(&sm->unit[group][SM_UNIT_QUEUE]),
         start);
    warp->product_end = start + op.latency + more;
}

void sm_write_later(struct sm *sm, uint32_t warp, uint32_t inst,
                    uint32_t latency)
{
    uint32_t place = (uint32_t)((sm->now + latency) % SM_WHEEL);
    uint32_t number = sm->result_free;
    struct sm_result *result = &sm->result[number];

    LOOM_CHECK(number < sm->results);
    sm->result_free = loom_free_next(number, result->next);
    result->next = sm->wheel[place];
    result->inst = inst;
    result->warp = warp;
    sm->wheel[place] = number;
    sm->wheel_used[place / 64] |= loom_bit(place % 64);
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

void sm_send_access(struct sm *sm, const struct sm_warp *warp,
                    const struct loom_warp_inst *inst, uint16_t rank)
{
    struct loom_warp_access *access =
        loom_send(sm->ldst_out, sm->now, sm->config->memory_cycles);

    access->kernel = warp->cta->kernel;
    access->inst = *inst;
    access->born = loom_cycle_time(sm->self, sm->now);
    access->cta = warp->cta->stream->cta;
    access->warp = warp->slot;
    access->rank = rank;
    access->scheduler = warp->scheduler;
    access->slot = (uint8_t)(warp->cta - sm->cta);
    access->command = LOOM_WARP_MEMORY;
}

/* Memory instructions with lanes leave for the load/store unit; all others
 * are written back, also those without a result: their warp ends after them. */
void sm_start_flight(struct sm *sm, const struct sm_flight *flight,
                     struct sm_op op)
{
    const struct sm_warp *warp = &sm->warp[flight->warp];
    const struct loom_static_inst *inst = warp->table + flight->inst.index;
    uint32_t group = op.unit == SM_UNIT_LDST ? 0 : flight->group;

    sm_take_unit(sm, group, op);
    if (op.unit == SM_UNIT_LDST && inst->op != LOOM_OP_MEMBAR &&
        flight->inst.mask != 0) {
        sm_send_access(sm, warp, &flight->inst, flight->rank);
        return;
    }
    sm_write_later(sm, flight->warp, flight->inst.index, op.latency);
    if (op.unit != SM_UNIT_LDST) {
        sm_take_bus(sm, op.latency);
    }
}
