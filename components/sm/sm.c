/*
 * sm: a streaming multiprocessor without its memory path.
 *
 * It takes CTAs, issues their warps' instructions in order, as registers,
 * units and barriers allow, and hands memory instructions to its load/store
 * unit.  What the instructions do was decided before (functional first): the
 * SM consumes each warp's stream.
 *
 * A cycle: results and completions arrive, then commands, then the schedulers
 * issue, then messages leave.  If no scheduler can issue before a known cycle
 * or a message, the SM sleeps; the cycles in between are all alike and are
 * counted when it wakes.
 *
 * Fetch slots, instruction cache, operand collectors and the result bus are
 * modelled where the configuration asks for them; else they are constants.
 */
#include "components/sm/sm_private.h"

static bool bind_policies(struct sm *sm, struct loom_error *err)
{
    const struct sm_config *config = sm->config;
    const struct loom_sm_shape shape = {
        .sm = loom_component_index(sm->self),
        .schedulers = config->schedulers,
        .warps = config->warps,
        .locals = (config->warps + config->schedulers - 1) / config->schedulers,
    };
    struct loom_observe_shape observed = {
        .sm = shape.sm,
        .schedulers = shape.schedulers,
        .warps = shape.warps,
    };
    const struct loom_scheduler_ops *ops;

    sm->scheduler_policy = loom_slot(sm->self, "scheduler").item[0];
    ops = sm->scheduler_ops = sm->scheduler_policy.ops;
    if (ops->pick == NULL || ops->rank == NULL) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "'%s' does not answer pick() and rank(), expected a "
                         "warp scheduler",
                         loom_policy_path(sm->scheduler_policy.policy));
    }
    if (ops->bind != NULL &&
        !ops->bind(sm->scheduler_policy.policy, &shape, err)) {
        return loom_fail_at(err, loom_policy_path(sm->scheduler_policy.policy));
    }
    observed.ranked = ops->ranked;
    sm->throttles = loom_slot(sm->self, "throttle");
    for (uint32_t i = 0; i < sm->throttles.count; i++) {
        struct loom_policy *policy = sm->throttles.item[i].policy;
        const struct loom_throttle_ops *limit = sm->throttles.item[i].ops;

        sm->prefers = sm->prefers || limit->prefer != NULL;
        if (limit->allow == NULL && limit->prefer == NULL) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "'%s' answers neither allow() nor prefer(), "
                             "expected a throttle",
                             loom_policy_path(policy));
        }
        if (limit->bind != NULL && !limit->bind(policy, &shape, err)) {
            return loom_fail_at(err, loom_policy_path(policy));
        }
    }
    if (!loom_observers_bind(&sm->observers, sm->self, "observe", &observed,
                             err)) {
        return false;
    }
    if (loom_observed(&sm->observers, LOOM_EVENT_WAIT)) {
        sm->told = loom_alloc(sm->self, config->warps, sizeof(*sm->told));
        for (uint32_t i = 0; sm->told != NULL && i < config->warps; i++) {
            sm->told[i].reason = LOOM_WAIT_REASONS;
        }
    }
    return loom_has_memory(sm->self, err);
}

static void make_slots(struct sm *sm)
{
    for (uint32_t i = 0; i < SM_SLOTS; i++) {
        loom_array(sm->self, &sm->stats->by_scheduler[i],
                   sm->config->schedulers);
    }
}

static void make_warps(struct sm *sm)
{
    uint32_t schedulers = sm->config->schedulers;

    for (uint32_t w = 0; w < sm->config->warps; w++) {
        struct sm_warp *warp = &sm->warp[w];

        warp->slot = (uint16_t)w;
        warp->scheduler = (uint8_t)(w % schedulers);
        warp->local = (uint8_t)(w / schedulers);
        warp->bit = loom_bit(warp->local);
        warp->state = SM_EMPTY;
        sm->scheduler[warp->scheduler].state[SM_EMPTY] |= warp->bit;
    }
    for (uint32_t s = 0; s < schedulers; s++) {
        sm->scheduler[s].idle_slot = SM_SLOT_IDLE;
    }
}

/* Every result has had a unit, which starts one a cycle at most, and lies no
 * more cycles ahead than the longest latency: the pool cannot run out. */
static bool make_pool(struct sm *sm, struct loom_error *err)
{
    uint32_t units = 0, longest = 0, more = 0;

    for (uint32_t i = 0; i < SM_UNITS; i++) {
        units += sm_kind_of(sm->config, i).units;
    }
    for (uint32_t i = 0; i < SM_OPS; i++) {
        longest = sm->op[i].latency > longest ? sm->op[i].latency : longest;
    }
    for (uint32_t i = 0; i < LOOM_USES; i++) {
        more = sm->more[i] > more ? sm->more[i] : more;
    }
    sm->results = units * (longest + more + 1) + 2;
    sm->result = loom_alloc(sm->self, sm->results, sizeof(*sm->result));
    sm->result_free = 1;
    return loom_has_memory(sm->self, err);
}

static bool sm_init(struct loom_component *self, struct loom_error *err)
{
    struct sm *sm = loom_state(self);
    const struct sm_config *config = loom_config(self);

    sm->self = self;
    sm->config = config;
    sm->stats = loom_stats_of(self);
    sm->gpu_in = loom_port_in(self, "gpu", 0);
    sm->gpu_out = loom_port_out(self, "gpu", 0);
    sm->ldst_in = loom_port_in(self, "ldst", 0);
    sm->ldst_out = loom_port_out(self, "ldst", 0);
    loom_watch(sm->gpu_in, &sm->incoming, SM_FROM_GPU);
    loom_watch(sm->ldst_in, &sm->incoming, SM_FROM_LDST);
    sm->rotate = config->scheduler_order[0] == 'r';
    sm_make_ops(sm);
    sm->scheduler =
        loom_alloc(self, config->schedulers, sizeof(*sm->scheduler));
    sm->warp = loom_alloc(self, config->warps, sizeof(*sm->warp));
    make_slots(sm);
    if (config->result_bus_width != 0) {
        sm->bus = loom_alloc(self, SM_WHEEL, sizeof(*sm->bus));
    }
    if (!make_pool(sm, err)) {
        return false;
    }
    make_warps(sm);
    return sm_fetch_init(sm, err) && sm_operands_init(sm, err) &&
           bind_policies(sm, err);
}

/* Tells how many warps had an instruction buffered in the cycles before
 * `until`, and that it is `after` from there on. */
LOOM_NOINLINE static void
tell_watchers_buffered(const struct sm *sm, loom_cycle until, uint32_t after)
{
    const struct loom_event event = {
        .now = until,
        .kernel = sm->kernel,
        .duration = until - sm->told_at,
        .kind = LOOM_EVENT_IBUFFER,
        .count = sm->told_buffered,
        .after = after,
    };

    if (event.duration != 0 || after != sm->told_buffered) {
        loom_observers_tell(&sm->observers, &event);
    }
}

static inline void tell_buffered(struct sm *sm, loom_cycle until,
                                 uint32_t after)
{
    if (loom_observed(&sm->observers, LOOM_EVENT_IBUFFER)) {
        tell_watchers_buffered(sm, until, after);
    }
    sm->told_at = until;
}

static void count_cycles(struct sm *sm, uint64_t cycles)
{
    struct sm_stats *stats = sm->stats;

    stats->cycles += cycles;
    stats->active_cycles += sm->resident != 0 ? cycles : 0;
    stats->resident_warp_cycles += cycles * sm->resident;
    stats->ibuffer_warp_cycles += cycles * sm->buffered;
    sm->counted += cycles;
}

/* Counts the cycles before `now` that were slept through. */
static void catch_up(struct sm *sm, loom_cycle now)
{
    const struct loom_scheduler_ops *ops = sm->scheduler_ops;
    uint64_t cycles = now - sm->counted;

    if (now <= sm->counted) {
        return;
    }
    for (uint32_t s = 0; s < sm->config->schedulers; s++) {
        sm->scheduler[s].slots[sm->scheduler[s].idle_slot] += cycles;
        if (ops->stalled != NULL) {
            ops->stalled(sm->scheduler_policy.policy, s, cycles);
        }
    }
    count_cycles(sm, cycles);
}

static void tell_waits(struct sm *sm)
{
    uint64_t issuable[SM_SCHEDULERS];

    for (uint32_t s = 0; s < sm->config->schedulers; s++) {
        issuable[s] = sm_issuable(sm, s);
    }
    sm_tell_waits(sm, issuable);
}

/* What holds at the end of a tick holds until the next one. */
static void finish_cycle(struct sm *sm)
{
    uint32_t buffered = 0;

    for (uint32_t s = 0; s < sm->config->schedulers; s++) {
        const struct sm_scheduler *scheduler = &sm->scheduler[s];

        buffered +=
            loom_popcount(scheduler->active & ~scheduler->state[SM_FETCH]);
    }
    sm->buffered = buffered;
    if (buffered != sm->told_buffered) {
        tell_buffered(sm, sm->now, buffered);
        sm->told_buffered = buffered;
    }
    if (LOOM_UNLIKELY(sm->told != NULL)) {
        tell_waits(sm);
    }
    count_cycles(sm, 1);
}

static loom_cycle sm_tick(struct loom_component *self, loom_cycle now)
{
    struct sm *sm = loom_state(self);

    catch_up(sm, now);
    sm->now = now;
    sm->changed = false;
    sm->again = false;
    sm_write_due(sm);
    sm_wake_due(sm);
    if ((sm->incoming & SM_FROM_LDST) != 0) {
        sm_receive_dones(sm);
    }
    if (sm->operands.on) {
        sm_operands_step(sm);
    }
    if ((sm->incoming & SM_FROM_L1I) != 0) {
        sm_fetch_replies(sm);
    }
    if ((sm->incoming & SM_FROM_GPU) != 0) {
        sm_receive_commands(sm);
    }
    sm_issue(sm);
    if (sm->fetch.stage) {
        sm_fetch(sm);
    }
    if ((sm->done_slots | sm->trigger_slots | sm->launch_slots |
         sm->leave_slots) != 0 ||
        sm->ending != SM_RUNNING) {
        sm_send_dones(sm);
    }
    if (sm->ask_slots != 0) {
        loom_meet(self, sm_meet);
    }
    finish_cycle(sm);
    return sm_plan(sm);
}

static void publish_slots(struct sm *sm)
{
    for (uint32_t i = 0; i < SM_SLOTS; i++) {
        uint64_t sum = 0;

        for (uint32_t s = 0; s < sm->config->schedulers; s++) {
            uint64_t slots = sm->scheduler[s].slots[i];

            sm->stats->by_scheduler[i].item[s] = slots;
            sum += slots;
        }
        sm->stats->issue_slots[i] = sum;
    }
}

static void sm_settle(struct loom_component *self, loom_cycle now)
{
    struct sm *sm = loom_state(self);

    catch_up(sm, now);
    tell_buffered(sm, sm->counted, sm->told_buffered);
    publish_slots(sm);
}

/* Every cycle of every scheduler is in one slot. */
static bool check_slots(const struct sm *sm, struct loom_error *err)
{
    for (uint32_t s = 0; s < sm->config->schedulers; s++) {
        uint64_t slots = 0;

        for (uint32_t i = 0; i < SM_SLOTS; i++) {
            slots += sm->scheduler[s].slots[i];
        }
        if (slots != sm->stats->cycles) {
            return loom_fail(err, LOOM_ERR_LAW,
                             "the issue slots of scheduler %u sum to %llu, "
                             "expected %llu, the cycles",
                             s, (unsigned long long)slots,
                             (unsigned long long)sm->stats->cycles);
        }
    }
    return true;
}

static bool sm_check(struct loom_component *self, struct loom_error *err)
{
    const struct sm *sm = loom_state(self);
    const struct sm_stats *stats = sm->stats;

    if (!check_slots(sm, err)) {
        return false;
    }
    if (sm->resident != 0 || stats->warps != stats->warps_done ||
        stats->ctas != stats->ctas_done) {
        return loom_fail(err, LOOM_ERR_LAW, "%u warps have not finished",
                         sm->resident);
    }
    if (stats->fetches !=
        stats->fetch_hits + stats->fetch_misses + stats->fetch_merges) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "fetches are not hits, misses and merges");
    }
    if ((sm->done_slots | sm->trigger_slots | sm->launch_slots |
         sm->leave_slots) != 0 ||
        sm->ending != SM_RUNNING || sm->operands.busy != 0 ||
        sm_next_write(sm) != LOOM_NEVER) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "messages or results are still on their way");
    }
    return true;
}

static void sm_report(struct loom_component *self, struct loom_report *report)
{
    static const char *const waits[SM_STATES] = {
        "nothing",    "its instruction",  "a barrier",
        "an atomic",  "a memory barrier", "products",
        "a register", "its turn",         "outstanding accesses"};
    const struct sm *sm = loom_state(self);
    const struct sm_warp *oldest = NULL;

    for (uint32_t w = 0; w < sm->config->warps; w++) {
        const struct sm_warp *warp = &sm->warp[w];

        if (warp->state != SM_EMPTY &&
            (oldest == NULL || warp->since < oldest->since)) {
            oldest = warp;
        }
    }
    if (oldest != NULL) {
        loom_report_line(report, self, oldest->since,
                         "%u warps; warp %u of CTA %u waits for %s: pc 0x%x, "
                         "%u loads, %u stores, %u atomics outstanding",
                         sm->resident, oldest->slot, oldest->cta->stream->cta,
                         waits[oldest->state],
                         oldest->inst != NULL ? oldest->inst->pc : 0,
                         oldest->loads, oldest->stores, oldest->atomics);
    }
    if (sm->ending == SM_FLUSH_SEND || sm->ending == SM_FLUSH_WAIT) {
        loom_report_line(report, self, LOOM_NEVER, "waits for its L1 to flush");
    }
}

const struct loom_component_ops sm_ops = {
    .validate = sm_validate,
    .init = sm_init,
    .tick = sm_tick,
    .settle = sm_settle,
    .check = sm_check,
    .report = sm_report,
    .warm = &sm_warm,
};
