/*
 * What a warp waits for, and what it does next.
 *
 * The state of a warp follows from its fields; sm_update() derives it after
 * an event and moves the warp's bit.  Reasons are tried in a fixed order, so
 * a warp that waits for two things is counted for the first of them.
 */
#include "components/sm/sm_private.h"

enum {
    NEAR = 16 /* bytes of an instruction at most */
};

/* The last instruction of the warp has been issued. */
static void exhaust(struct sm *sm, struct sm_warp *warp)
{
    struct sm_scheduler *scheduler = &sm->scheduler[warp->scheduler];
    const struct loom_scheduler_ops *ops = sm->scheduler_ops;
    struct sm_cta *cta = warp->cta;

    warp->inst = NULL;
    scheduler->active &= ~warp->bit;
    if (ops->finished != NULL) {
        ops->finished(sm->scheduler_policy.policy, warp->scheduler,
                      warp->local);
    }
    cta->running &= ~loom_bit(warp->slot - cta->first_warp);
    sm_barrier_leave(sm, cta);
}

/* The buffer lost one instruction; `taken`: the next one does not follow it
 * in the program, `follower` is the address of what does.  At least `cycles`
 * pass, if they are more than one. */
static void refill(struct sm *sm, struct sm_warp *warp, bool taken,
                   uint32_t cycles, uint32_t follower)
{
    const struct sm_config *config = sm->config;
    uint32_t flush;
    bool buffered;

    warp->entries--;
    buffered = warp->entries != 0;
    if (buffered && !taken && cycles <= 1) {
        return;
    }
    flush = buffered && !sm->looks_on ? config->flush_cycles : 0;
    if (cycles > 1) {
        flush =
            cycles > config->fetch_cycles ? cycles - config->fetch_cycles : 0;
    }
    warp->entries = (uint16_t)config->ibuffer_entries;
    if (sm->fetch.stage) {
        warp->wrong = taken && !buffered && config->fetch_fall_through &&
                      config->branch_cycles == 0;
        warp->fetch_pc = warp->wrong ? follower : warp->inst->pc;
        sm_fetch_want(sm, warp, sm->now + flush);
        return;
    }
    warp->fetch_at = sm->now + config->fetch_cycles + flush;
    sm_wake_at(sm, warp, warp->fetch_at);
}

static uint32_t follower_of(const struct sm_warp *warp,
                            const struct loom_static_inst *inst)
{
    const struct loom_kernel *kernel = warp->cta->kernel;

    return inst + 1 < kernel->inst + kernel->inst_count ? inst[1].pc : inst->pc;
}

/* Does `next` not follow `last` in the program?  With branch_cycles addresses
 * say so: where a compiler's order is timed, the table has another one, and
 * an instruction may be there several times. */
static bool is_taken(const struct sm *sm, const struct loom_static_inst *last,
                     const struct loom_static_inst *next)
{
    uint32_t step = next->pc - last->pc; /* backwards: a large one */

    if (sm->config->branch_cycles == 0) {
        return next != last + 1;
    }
    return last->op == LOOM_OP_BRANCH ? step - 1 >= NEAR : step > 8 * NEAR;
}

/* Cycles from an instruction to the next one of the warp, which lanes `lost`
 * do not execute.  Those go straight to where all meet before or after others
 * do what is between: a branch that is taken, and the wait. */
static uint32_t cycles_between(const struct sm *sm,
                               const struct loom_static_inst *last,
                               const struct loom_static_inst *next, bool taken,
                               uint32_t lost)
{
    const struct sm_config *config = sm->config;
    uint32_t cycles = 1;

    if (taken && config->branch_cycles > config->fetch_cycles) {
        cycles = config->branch_cycles;
    } else if (last->op == LOOM_OP_BRANCH &&
               (last->flags & LOOM_INST_PREDICATED) != 0 &&
               (last->way & LOOM_WAY_SHORT) == 0 && config->pass_cycles != 0) {
        cycles = config->pass_cycles;
    }
    if (lost != 0 && (last->way & LOOM_WAY_STRAIGHT) != 0 &&
        config->meet_cycles != 0) {
        cycles += config->branch_cycles + config->meet_cycles;
    }
    return (next->way & LOOM_WAY_MEET) != 0 ? cycles + config->meet_cycles
                                            : cycles;
}

/* The next part is there after this cycle (parts.c). */
static void ask(struct sm *sm, struct sm_warp *warp)
{
    struct sm_cta *cta = warp->cta;

    warp->fetch_at = LOOM_NEVER;
    cta->asking |= loom_bit(warp->slot - cta->first_warp);
    sm->ask_slots |= loom_bit((uint32_t)(cta - sm->cta));
    sm->again = true;
}

void sm_next_inst(struct sm *sm, struct sm_warp *warp)
{
    struct sm_scheduler *scheduler = &sm->scheduler[warp->scheduler];
    const struct loom_static_inst *last = warp->inst;
    bool first = last == NULL;
    uint32_t mask = warp->next.mask;
    bool more, taken;

    if (!first) {
        scheduler->next[last->op] &= ~warp->bit;
        scheduler->next_unit[sm_unit_of(sm, last)] &= ~warp->bit;
    }
    more = loom_stream_next(&warp->cursor, &warp->next);
    if (LOOM_UNLIKELY(!more && warp->open)) {
        ask(sm, warp);
        return;
    }
    if (loom_observed(&sm->observers, LOOM_EVENT_LOOP_EXIT) && !first &&
        last->loop != LOOM_NO_LOOP) {
        sm_tell_loops(sm, warp, (uint32_t)(last - warp->table),
                      more ? warp->table[warp->next.index].loop : LOOM_NO_LOOP);
    }
    if (!more) {
        exhaust(sm, warp);
        return;
    }
    LOOM_DEBUG_CHECK(warp->next.index < warp->cta->kernel->inst_count);
    warp->inst = warp->table + warp->next.index;
    scheduler->next[warp->inst->op] |= warp->bit;
    scheduler->next_unit[sm_unit_of(sm, warp->inst)] |= warp->bit;
    taken = !first && is_taken(sm, last, warp->inst);
    refill(sm, warp, taken,
           first ? 1
                 : cycles_between(sm, last, warp->inst, taken,
                                  mask & ~warp->next.mask),
           first ? 0 : follower_of(warp, last));
}

static inline bool waits_for_register(const struct sm_warp *warp)
{
    const uint64_t *use = warp->inst->use;
    uint64_t both = 0;

    for (uint32_t i = 0; i < LOOM_REG_WORDS; i++) {
        both |= use[i] & warp->pending[i];
    }
    return both != 0;
}

/* A memory barrier of GPGPU-Sim waits for pending register writes, that is
 * for loads; stores are optional.  Copies are waited for by groups only (PTX
 * ISA: no order between them and other accesses). */
static bool waits_for_memory(const struct sm *sm, struct sm_warp *warp)
{
    if (warp->membar != SM_MEMBAR_NONE &&
        (warp->atomics != 0 ||
         warp->loads != (warp->membar == SM_MEMBAR_ALL ? 0 : warp->copies) ||
         (sm->config->membar_waits_stores && warp->stores != 0))) {
        return true;
    }
    warp->membar = SM_MEMBAR_NONE;
    if (warp->awaits_copies && warp->copies > warp->copies_left) {
        return true;
    }
    warp->awaits_copies = false;
    return false;
}

static enum sm_state wanted(const struct sm *sm, struct sm_warp *warp)
{
    if (warp->inst == NULL) {
        return SM_DRAIN;
    }
    if (warp->fetch_at > sm->now) {
        return SM_FETCH;
    }
    if (warp->barrier_at > sm->now) {
        return (enum sm_state)warp->held;
    }
    if (warp->atomics != 0 && sm->config->atomic_results_wait) {
        return SM_ATOMIC;
    }
    if (waits_for_memory(sm, warp)) {
        return SM_MEMBAR;
    }
    return waits_for_register(warp) ? SM_SCOREBOARD : SM_READY;
}

/* The warp has nothing left to issue and nothing outstanding. */
static LOOM_NOINLINE void retire(struct sm *sm, struct sm_warp *warp)
{
    struct sm_cta *cta = warp->cta;
    struct sm_scheduler *scheduler = &sm->scheduler[warp->scheduler];

    sm_tell_warp(sm, warp, LOOM_EVENT_WARP_FINISH);
    cta->posted += warp->stores;
    warp->stores = 0;
    scheduler->state[warp->state] &= ~warp->bit;
    scheduler->state[SM_EMPTY] |= warp->bit;
    warp->state = SM_EMPTY;
    warp->cta = NULL;
    sm->resident--;
    sm->stats->warps_done++;
    cta->left--;
    if (cta->left == 0) {
        sm_tell_cta(sm, cta, LOOM_EVENT_CTA_FINISH);
        *(cta->posted == 0 ? &sm->done_slots : &sm->leave_slots) |=
            loom_bit((uint32_t)(cta - sm->cta));
        sm->stats->ctas_done++;
    }
}

void sm_arrived(struct sm *sm, struct sm_cta *cta)
{
    uint64_t bit = loom_bit((uint32_t)(cta - sm->cta));

    LOOM_CHECK(cta->posted != 0);
    if (--cta->posted == 0 && cta->left == 0) {
        sm->leave_slots &= ~bit;
        sm->done_slots |= bit;
        sm->changed = true;
    }
}

/* Operand collectors still hold a store that has been issued. */
static bool waits_for_stores(const struct sm *sm, const struct sm_warp *warp)
{
    return warp->stores != 0 &&
           (sm->config->exit_waits_stores || sm->operands.on);
}

void sm_update(struct sm *sm, struct sm_warp *warp)
{
    struct sm_scheduler *scheduler = &sm->scheduler[warp->scheduler];
    enum sm_state state = wanted(sm, warp);

    scheduler->state[warp->state] &= ~warp->bit;
    scheduler->state[state] |= warp->bit;
    warp->state = (uint8_t)state;
    if (state == SM_DRAIN && warp->loads == 0 && warp->atomics == 0 &&
        warp->results == 0 && !waits_for_stores(sm, warp)) {
        retire(sm, warp);
    }
}

void sm_wake_due(struct sm *sm)
{
    uint32_t place = (uint32_t)(sm->now % SM_RING);
    uint32_t schedulers = sm->config->schedulers;

    if ((sm->ring_used & loom_bit(place)) == 0) {
        return;
    }
    sm->ring_used &= ~loom_bit(place);
    sm->changed = true;
    for (uint32_t s = 0; s < schedulers; s++) {
        struct sm_scheduler *scheduler = &sm->scheduler[s];
        uint64_t due = scheduler->wake[place];

        scheduler->wake[place] = 0;
        for (; due != 0; due &= due - 1) {
            uint32_t slot = loom_lowest(due) * schedulers + s;

            if (sm->warp[slot].state == SM_EMPTY) {
                continue;
            }
            if (sm->fetch.stage) {
                sm_fetch_woken(sm, &sm->warp[slot]);
            }
            sm_update(sm, &sm->warp[slot]);
            if (sm->warp[slot].barrier_at > sm->now) {
                sm_barrier_wake(sm, &sm->warp[slot]);
            }
        }
    }
}
