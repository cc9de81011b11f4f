/*
 * Issue: each scheduler takes one warp that is ready and has a unit, or
 * counts why there was none.
 *
 * What cannot issue is masked out before the policy is asked, so a pick never
 * fails.  Of several reasons for an empty slot the one nearest to issue is
 * counted, as GPGPU-Sim does (ready but no unit, then scoreboard, then idle);
 * a register that only loads hold back counts as `memory`.
 */
#include "components/sm/sm_private.h"

/* What would do with either is held back, too, where one is busy and others
 * that can issue now need the other one. */
static uint32_t with_either(const struct sm *sm, uint32_t number, uint32_t busy)
{
    const struct sm_scheduler *scheduler = &sm->scheduler[number];
    uint32_t both = 1u << SM_UNIT_INT | 1u << SM_UNIT_MUL;
    uint32_t left = both & ~busy;

    if (left == both || !sm->config->sp_multiplies) {
        return busy;
    }
    if (left == 0 || (scheduler->state[SM_READY] &
                      scheduler->next_unit[loom_lowest(left)]) != 0) {
        busy |= 1u << SM_UNIT_EITHER;
    }
    return busy;
}

/* The kinds of units that scheduler `number` finds busy, of all `busy`. */
static uint32_t busy_for(const struct sm *sm, uint32_t number, uint64_t busy)
{
    const uint32_t shared = 1u << SM_UNIT_LDST;
    uint32_t own;

    if (!sm->config->sub_core || busy == 0) {
        return (uint32_t)busy;
    }
    own = (uint32_t)(busy >> number * SM_GROUP) & ((1u << SM_GROUP) - 1);
    if (sm->operands.on) {
        return own;
    }
    own = (own & ~shared) | ((uint32_t)busy & shared);
    return with_either(sm, number, own);
}

/* What hinders a scheduler's instructions on their way to a unit now.  Kinds
 * that have become free need not be looked at again. */
static uint32_t hindered(struct sm *sm, uint32_t number)
{
    if (sm->operands.on) {
        return busy_for(sm, number, sm->operands.full);
    }
    sm->busy = sm_busy_at(sm, sm->now);
    return busy_for(sm, number, sm->busy);
}

/* Warps whose result would find its cycle of the bus taken. */
static uint64_t without_bus(const struct sm *sm, uint32_t number,
                            uint64_t ready)
{
    uint64_t blocked = 0;

    for (; ready != 0; ready &= ready - 1) {
        uint32_t local = loom_lowest(ready);
        const struct sm_warp *warp =
            &sm->warp[local * sm->config->schedulers + number];
        struct sm_op op = sm_timing(sm, warp->inst);

        if (op.unit != SM_UNIT_LDST && !sm_bus_free(sm, op.latency)) {
            blocked |= loom_bit(local);
        }
    }
    return blocked;
}

/* Ready warps whose instruction has a unit that is not in `busy`, and room
 * in the load/store link. */
static uint64_t available(struct sm *sm, const struct sm_scheduler *scheduler,
                          uint32_t busy)
{
    uint64_t ready = scheduler->state[SM_READY];

    for (; busy != 0; busy &= busy - 1) {
        ready &= ~scheduler->next_unit[loom_lowest(busy)];
    }
    if (sm->operands.on) {
        return ready;
    }
    if ((ready & scheduler->next_unit[SM_UNIT_LDST]) != 0 &&
        !loom_ready(sm->ldst_out, sm->now)) {
        ready &= ~scheduler->next_unit[SM_UNIT_LDST];
    }
    if (sm->bus != NULL && ready != 0) {
        ready &= ~without_bus(sm, (uint32_t)(scheduler - sm->scheduler), ready);
    }
    return ready;
}

/* Why ready warps cannot issue: the kinds in `busy` are taken. */
static enum sm_slot refusal(const struct sm *sm, uint32_t number, uint32_t busy)
{
    const struct sm_scheduler *scheduler = &sm->scheduler[number];
    uint64_t ready = scheduler->state[SM_READY];
    uint64_t free = ready;

    for (uint32_t left = busy; left != 0; left &= left - 1) {
        uint32_t unit = loom_lowest(left);

        free &= ~scheduler->next_unit[unit];
        if (sm->operands.on && (ready & scheduler->next_unit[unit]) != 0) {
            uint32_t group = sm_group(sm, number, unit);
            uint32_t slot = sm->operands.refused[group][unit];

            return slot != 0 ? (enum sm_slot)slot : SM_SLOT_COLLECTOR;
        }
    }
    if ((free & scheduler->next_unit[SM_UNIT_LDST]) != 0) {
        return SM_SLOT_LDST;
    }
    return free != 0 ? SM_SLOT_RESULT_BUS : SM_SLOT_UNIT;
}

/* Why no warp was available. */
static enum sm_slot reason(const struct sm *sm, uint32_t number, uint32_t busy)
{
    const struct sm_scheduler *scheduler = &sm->scheduler[number];
    uint64_t blocked = scheduler->state[SM_SCOREBOARD];

    if (scheduler->state[SM_READY] != 0) {
        return refusal(sm, number, busy);
    }
    if (scheduler->state[SM_PRODUCTS] != 0) {
        return SM_SLOT_UNIT;
    }
    if (blocked != 0) {
        return (blocked & ~scheduler->loading) != 0 ? SM_SLOT_SCOREBOARD
                                                    : SM_SLOT_MEMORY;
    }
    if (scheduler->state[SM_FETCH] != 0) {
        return (scheduler->state[SM_FETCH] & ~scheduler->missing) != 0
                   ? SM_SLOT_FETCH
                   : SM_SLOT_FETCH_MISS;
    }
    if (scheduler->state[SM_MEMBAR] != 0) {
        return SM_SLOT_MEMBAR;
    }
    if (scheduler->state[SM_ATOMIC] != 0) {
        return SM_SLOT_ATOMIC;
    }
    if (scheduler->state[SM_BARRIER] != 0) {
        return SM_SLOT_BARRIER;
    }
    return scheduler->state[SM_DRAIN] != 0 ? SM_SLOT_DRAIN : SM_SLOT_IDLE;
}

/* Warps of `set` whose next instruction loads from global or local memory. */
static uint64_t cached_loads(const struct sm *sm, uint32_t number, uint64_t set)
{
    uint64_t loads = set & sm->scheduler[number].next[LOOM_OP_LOAD];
    uint64_t found = 0;

    for (; loads != 0; loads &= loads - 1) {
        uint32_t local = loom_lowest(loads);
        uint8_t space =
            sm->warp[local * sm->config->schedulers + number].inst->space;

        if (space == LOOM_SPACE_GLOBAL || space == LOOM_SPACE_LOCAL) {
            found |= loom_bit(local);
        }
    }
    return found;
}

static inline uint64_t at_barriers(const struct sm_scheduler *scheduler)
{
    return scheduler->state[SM_BARRIER] | scheduler->state[SM_MEMBAR];
}

/* Those of `ready` that go before the others. */
static uint64_t prefer(const struct sm *sm, struct loom_throttle_view *view,
                       uint64_t ready)
{
    for (uint32_t i = 0; i < loom_chain(&sm->throttles); i++) {
        const struct loom_throttle_ops *ops = sm->throttles.item[i].ops;
        uint64_t first;

        if (ops->prefer != NULL) {
            view->ready = ready;
            view->loads &= ready;
            first = ready & ops->prefer(sm->throttles.item[i].policy, view);
            ready = first != 0 ? first : ready;
        }
    }
    return ready;
}

static uint64_t throttle(const struct sm *sm, uint32_t number, uint64_t ready)
{
    const struct sm_scheduler *scheduler = &sm->scheduler[number];
    uint64_t active[SM_SCHEDULERS], waiting[SM_SCHEDULERS];
    struct loom_throttle_view view = {
        .ready = ready,
        .active = scheduler->active,
        .waiting = at_barriers(scheduler),
        .memory = (scheduler->state[SM_SCOREBOARD] & scheduler->loading) |
                  scheduler->state[SM_ATOMIC],
        .loads = cached_loads(sm, number, ready),
        .next = scheduler->next,
        .sm_active = active,
        .sm_waiting = waiting,
        .now = sm->now,
        .scheduler = number,
    };

    for (uint32_t s = 0; s < sm->config->schedulers; s++) {
        active[s] = sm->scheduler[s].active;
        waiting[s] = at_barriers(&sm->scheduler[s]);
    }
    for (uint32_t i = 0; i < loom_chain(&sm->throttles); i++) {
        const struct loom_throttle_ops *ops = sm->throttles.item[i].ops;

        if (ops->allow != NULL) {
            ready &= ops->allow(sm->throttles.item[i].policy, &view);
        }
    }
    return sm->prefers && ready != 0 ? prefer(sm, &view, ready) : ready;
}

static void count(struct sm *sm, const struct sm_warp *warp)
{
    sm_count_inst(sm->stats, warp->inst, warp->next.mask);
    if (loom_observed(&sm->observers, LOOM_EVENT_ISSUE)) {
        struct loom_event event = sm_warp_event(sm, warp, LOOM_EVENT_ISSUE);

        event.inst = warp->next.index;
        event.mask = warp->next.mask;
        loom_observers_tell(&sm->observers, &event);
    }
}

static void issue_warp(struct sm *sm, struct sm_warp *warp)
{
    const struct loom_scheduler_ops *ops = sm->scheduler_ops;

    count(sm, warp);
    sm_execute(sm, warp);
    warp->since = sm->now;
    if (ops->issued != NULL) {
        ops->issued(sm->scheduler_policy.policy, warp->scheduler, warp->local,
                    sm->now);
    }
    sm_next_inst(sm, warp);
    sm_update(sm, warp);
}

/* Instructions of one warp, as long as it can; with different units, two of
 * a kind do not go together (GPGPU-Sim 4, gpgpu_dual_issue_diff_exec_units). */
static void issue_several(struct sm *sm, uint32_t number, uint32_t local)
{
    const struct sm_scheduler *scheduler = &sm->scheduler[number];
    struct sm_warp *warp = &sm->warp[local * sm->config->schedulers + number];
    uint64_t used = 0;

    for (uint32_t i = 0; i < sm->config->issue_per_scheduler; i++) {
        uint32_t unit;

        if (i != 0 && (available(sm, scheduler, hindered(sm, number)) &
                       loom_bit(local)) == 0) {
            break;
        }
        unit = sm_unit_of(sm, warp->inst);
        if (sm->config->dual_issue_different_units &&
            (used & loom_bit(unit)) != 0) {
            break;
        }
        used |= loom_bit(unit);
        sm->looks_on = sm->config->branch_seen_at_issue &&
                       i + 1 != sm->config->issue_per_scheduler;
        issue_warp(sm, warp);
        sm->stats->dual_issues += i != 0;
    }
}

/* Memory instructions go in turn, whatever the scheduler's order is. */
static uint32_t in_turn(struct sm_scheduler *scheduler, uint64_t ready,
                        uint32_t local)
{
    uint64_t memory = ready & scheduler->next_unit[SM_UNIT_LDST];
    uint64_t first = memory >> scheduler->turn << scheduler->turn;

    if ((memory >> local & 1) == 0) {
        return local;
    }
    local = loom_lowest(first != 0 ? first : memory);
    scheduler->turn = (local + 1) % 64;
    return local;
}

static enum sm_slot run_scheduler(struct sm *sm, uint32_t number)
{
    struct sm_scheduler *scheduler = &sm->scheduler[number];
    uint32_t schedulers = sm->config->schedulers;
    uint32_t busy, local;
    uint64_t ready;

    scheduler->refused = 0;
    if (scheduler->state[SM_READY] == 0) {
        return reason(sm, number, 0);
    }
    busy = hindered(sm, number);
    ready = available(sm, scheduler, busy);
    if (ready == 0) {
        return reason(sm, number, busy);
    }
    if (loom_chain(&sm->throttles) != 0) {
        scheduler->refused = ready;
        ready = throttle(sm, number, ready);
        if (ready == 0) {
            return SM_SLOT_THROTTLED;
        }
    }
    local = sm->scheduler_ops->pick(sm->scheduler_policy.policy, number, ready,
                                    sm->now);
    LOOM_CHECK(local < 64 && (ready >> local & 1) != 0);
    if (sm->config->memory_in_turn) {
        local = in_turn(scheduler, ready, local);
    }
    if (sm->config->issue_per_scheduler == 1) {
        issue_warp(sm, &sm->warp[local * schedulers + number]);
    } else {
        issue_several(sm, number, local);
    }
    return SM_SLOT_ISSUED;
}

void sm_issue(struct sm *sm)
{
    const struct loom_scheduler_ops *ops = sm->scheduler_ops;
    uint32_t schedulers = sm->config->schedulers;
    uint32_t number = sm->rotate ? (uint32_t)(sm->now % schedulers) : 0;
    bool issued = false;

    for (uint32_t i = 0; i < schedulers; i++) {
        enum sm_slot slot = run_scheduler(sm, number);

        sm->scheduler[number].slots[slot]++;
        if (slot == SM_SLOT_ISSUED) {
            issued = true;
        } else if (ops->stalled != NULL) {
            ops->stalled(sm->scheduler_policy.policy, number, 1);
        }
        number = number + 1 == schedulers ? 0 : number + 1;
    }
    if (issued) {
        sm->changed = true;
        loom_progress(sm->self);
    }
}

uint64_t sm_issuable(struct sm *sm, uint32_t number)
{
    const struct sm_scheduler *scheduler = &sm->scheduler[number];
    uint64_t busy =
        sm->operands.on ? sm->operands.full : sm_busy_at(sm, sm->now + 1);

    return scheduler->state[SM_READY] == 0
               ? 0
               : available(sm, scheduler, busy_for(sm, number, busy));
}

static loom_cycle next_wake(const struct sm *sm)
{
    uint32_t from = (uint32_t)((sm->now + 1) % SM_RING);
    uint64_t bits = sm->ring_used;

    if (bits == 0) {
        return LOOM_NEVER;
    }
    bits = from == 0 ? bits : bits >> from | bits << (SM_RING - from);
    return sm->now + 1 + loom_lowest(bits);
}

static loom_cycle next_unit(const struct sm *sm, uint64_t busy)
{
    loom_cycle next = sm->bus != NULL ? sm->now + 1 : LOOM_NEVER;

    for (; busy != 0; busy &= busy - 1) {
        uint32_t i = loom_lowest(busy);
        loom_cycle at = sm->unit[i / SM_GROUP][i % SM_GROUP].free_at;

        next = at < next ? at : next;
    }
    return next;
}

/* A throttle's answer changes with events only (or its policy sets a timer),
 * so a cycle in which nothing happened would be repeated as it was. */
loom_cycle sm_plan(struct sm *sm)
{
    bool on = sm->operands.on;
    uint64_t busy = on ? sm->operands.full : sm_busy_at(sm, sm->now + 1);
    loom_cycle next = on ? sm_operands_next(sm) : LOOM_NEVER;
    loom_cycle at;

    if (sm->again || next == sm->now + 1 ||
        (sm->fetch.stage && sm_fetch_again(sm))) {
        return sm->now + 1;
    }
    for (uint32_t s = 0; s < sm->config->schedulers; s++) {
        struct sm_scheduler *scheduler = &sm->scheduler[s];
        uint32_t own = busy_for(sm, s, busy);
        uint64_t free;

        if (scheduler->state[SM_READY] == 0) {
            scheduler->idle_slot = reason(sm, s, own);
            continue;
        }
        free = available(sm, scheduler, own);
        if (free == 0) {
            scheduler->idle_slot = reason(sm, s, own);
        } else if (loom_chain(&sm->throttles) == 0 || sm->changed ||
                   (free & ~scheduler->refused) != 0) {
            return sm->now + 1;
        } else { /* and a warp that it would let go may wait for a unit */
            scheduler->idle_slot = SM_SLOT_THROTTLED;
        }
        at = on ? LOOM_NEVER : next_unit(sm, busy);
        next = at < next ? at : next;
    }
    at = next_wake(sm);
    next = at < next ? at : next;
    at = sm_next_write(sm);
    return at < next ? at : next;
}
