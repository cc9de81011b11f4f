/*
 * daws: loads of a loop are held back so that the footprints of the loops that
 * warps are in fit the L1.  In the manner of divergence-aware warp scheduling
 * (Rogers, O'Connor and Aamodt, MICRO 2013); an approximation, see the page.
 *
 * A load in a loop has a footprint: the most accesses that one execution of
 * it has made, if its lines are used again.  Whether they are is seen in a
 * short history of blocks of each warp.  A loop's footprint is the sum over
 * the loads in it, and a warp's is that of the innermost loop that it is in.
 *
 * The oldest warps whose footprints together fit into `percent` of the L1's
 * lines may issue loads inside their loops, at least one of them; warps at
 * barriers do not count, so the ones they wait for are not held back.
 */
#include "policies/cache_hook.h"
#include "policies/lib/warp_order.h"
#include "policies/sm_hook.h"

enum {
    DAWS_LOADS = 64,
    DAWS_LOOPS = 32,
    DAWS_NONE = UINT8_MAX
};

struct daws_config {
    uint32_t percent, lines, history;
};

struct daws_stats {
    uint64_t holds, entries, exits, reuses;
    uint64_t footprint, most_footprint;
};

struct daws_load {
    uint32_t kernel, inst;
    uint32_t most; /* accesses of one execution */
    uint8_t loop;  /* in daws.loop */
    bool valid, reused;
};

struct daws_loop {
    uint32_t kernel;
    uint32_t footprint; /* lines */
    uint16_t number;    /* the kernel's */
    bool valid;
};

struct daws_warp {
    loom_addr *block; /* [history] blocks accessed last, + 1; a ring */
    uint32_t at;
    uint8_t loop; /* in daws.loop, or DAWS_NONE */
};

struct daws {
    struct loom_warp_order order;
    uint32_t schedulers, lines; /* that footprints may have */
    uint32_t loads, loops;      /* entries taken so far: oldest replaced */
    struct daws_load load[DAWS_LOADS];
    struct daws_loop loop[DAWS_LOOPS];
    struct daws_warp warp[LOOM_WARP_SLOTS];
    uint64_t held[LOOM_SM_SCHEDULERS]; /* ready, and not allowed */
};

static bool daws_init(struct loom_policy *self, struct loom_error *err)
{
    const struct daws_config *config = loom_policy_config(self);
    struct daws *daws = loom_policy_state(self);
    size_t history = config->history;
    loom_addr *block =
        loom_policy_alloc(self, history * LOOM_WARP_SLOTS + 1, sizeof(*block));

    if (!loom_policy_has_memory(self, err)) {
        return false;
    }
    for (size_t w = 0; w < LOOM_WARP_SLOTS; w++) {
        daws->warp[w].block = block + w * history;
        daws->warp[w].loop = DAWS_NONE;
    }
    return true;
}

static bool daws_bind(struct loom_policy *self,
                      const struct loom_sm_shape *shape, struct loom_error *err)
{
    struct daws *daws = loom_policy_state(self);

    (void)err;
    daws->schedulers = shape->schedulers;
    return true;
}

static bool daws_bind_cache(struct loom_policy *self,
                            const struct loom_observe_shape *shape,
                            struct loom_error *err)
{
    const struct daws_config *config = loom_policy_config(self);
    struct daws *daws = loom_policy_state(self);
    uint64_t lines = config->lines != 0 ? config->lines
                                        : (uint64_t)shape->sets * shape->ways;

    (void)err;
    daws->lines = (uint32_t)(lines * config->percent / 100);
    return true;
}

static uint32_t footprint_of(const struct daws *daws, uint32_t warp)
{
    uint8_t loop = daws->warp[warp].loop;

    return loop == DAWS_NONE ? 0 : daws->loop[loop].footprint;
}

static uint64_t daws_allow(struct loom_policy *self,
                           const struct loom_throttle_view *view)
{
    struct daws_stats *stats = loom_policy_stats(self);
    struct daws *daws = loom_policy_state(self);
    uint32_t s = view->scheduler;
    uint64_t blocked = 0, sum = 0, within = 0;

    for (uint32_t i = 0; i < daws->order.count; i++) {
        uint32_t slot = daws->order.slot[i];
        uint32_t scheduler = slot % daws->schedulers;
        uint64_t bit = loom_bit(slot / daws->schedulers);
        uint32_t lines = footprint_of(daws, slot);

        if (lines == 0 || (view->sm_active[scheduler] &
                           ~view->sm_waiting[scheduler] & bit) == 0) {
            continue;
        }
        sum += lines;
        if (within == 0 || sum <= daws->lines) {
            within = sum;
        } else if (scheduler == s) {
            blocked |= bit;
        }
    }
    blocked &= view->loads;
    stats->holds += loom_popcount(blocked & ~daws->held[s]);
    stats->footprint = within;
    stats->most_footprint =
        within > stats->most_footprint ? within : stats->most_footprint;
    daws->held[s] = blocked;
    return ~blocked;
}

/* ---- which loop a warp is in ---- */

static bool is_loop(const struct daws *daws, uint32_t i, uint32_t kernel,
                    uint16_t number)
{
    const struct daws_loop *loop = &daws->loop[i];

    return loop->valid && loop->kernel == kernel && loop->number == number;
}

/* Finds a loop, or takes the oldest entry for it: its loads are forgotten. */
static uint8_t loop_entry(struct daws *daws, uint32_t kernel, uint16_t number)
{
    uint32_t i = 0;

    while (i < DAWS_LOOPS && !is_loop(daws, i, kernel, number)) {
        i++;
    }
    if (i < DAWS_LOOPS) {
        return (uint8_t)i;
    }
    i = daws->loops++ % DAWS_LOOPS;
    daws->loop[i] = (struct daws_loop){kernel, 0, number, true};
    for (uint32_t k = 0; k < DAWS_LOADS; k++) {
        daws->load[k].valid = daws->load[k].valid && daws->load[k].loop != i;
    }
    return (uint8_t)i;
}

static uint8_t loop_of(struct daws *daws, const struct daws_warp *warp,
                       const struct loom_event *event)
{
    uint32_t kernel = event->kernel->number;
    uint16_t number = event->kernel->inst[event->inst].loop;

    if (number == LOOM_NO_LOOP) {
        return DAWS_NONE;
    }
    if (warp->loop != DAWS_NONE && is_loop(daws, warp->loop, kernel, number)) {
        return warp->loop;
    }
    return loop_entry(daws, kernel, number);
}

static void daws_observe_sm(struct loom_policy *self,
                            const struct loom_event *event)
{
    const struct daws_config *config = loom_policy_config(self);
    struct daws_stats *stats = loom_policy_stats(self);
    struct daws *daws = loom_policy_state(self);
    struct daws_warp *warp = &daws->warp[event->warp];
    uint8_t loop = DAWS_NONE;

    daws->held[event->warp % daws->schedulers] &=
        ~loom_bit(event->warp / daws->schedulers);
    if (event->kind == LOOM_EVENT_ISSUE) {
        loop = loop_of(daws, warp, event);
    } else if (event->kind == LOOM_EVENT_WARP_START) {
        loom_warp_order_add(&daws->order, event->warp);
        for (uint32_t i = 0; i < config->history; i++) {
            warp->block[i] = 0;
        }
    } else {
        loom_warp_order_remove(&daws->order, event->warp);
    }
    stats->exits += warp->loop != DAWS_NONE && warp->loop != loop;
    stats->entries += loop != DAWS_NONE && warp->loop != loop;
    warp->loop = loop;
}

/* ---- what its loads touch ---- */

static struct daws_load *find_load(struct daws *daws, uint32_t kernel,
                                   uint32_t inst)
{
    for (uint32_t i = 0; i < DAWS_LOADS; i++) {
        struct daws_load *load = &daws->load[i];

        if (load->valid && load->inst == inst && load->kernel == kernel) {
            return load;
        }
    }
    return NULL;
}

static struct daws_load *new_load(struct daws *daws, uint32_t kernel,
                                  uint32_t inst, uint8_t loop)
{
    struct daws_load *load = &daws->load[daws->loads++ % DAWS_LOADS];

    if (load->valid && load->reused) {
        daws->loop[load->loop].footprint -= load->most;
    }
    *load = (struct daws_load){
        .kernel = kernel, .inst = inst, .loop = loop, .valid = true};
    return load;
}

/* A load was coalesced into `count` accesses. */
static void daws_observe_ldst(struct loom_policy *self,
                              const struct loom_event *event)
{
    const struct daws_config *config = loom_policy_config(self);
    struct daws *daws = loom_policy_state(self);
    const struct loom_static_inst *inst = &event->kernel->inst[event->inst];
    uint32_t kernel = event->kernel->number;
    struct daws_load *load;

    if (inst->op != LOOM_OP_LOAD || inst->loop == LOOM_NO_LOOP) {
        return;
    }
    load = find_load(daws, kernel, event->inst);
    if (load == NULL) {
        load = new_load(daws, kernel, event->inst,
                        loop_entry(daws, kernel, inst->loop));
        load->reused = config->history == 0;
    }
    if (event->count > load->most) {
        if (load->reused) {
            daws->loop[load->loop].footprint += event->count - load->most;
        }
        load->most = event->count;
    }
}

static void daws_observe_cache(struct loom_policy *self,
                               const struct loom_event *event)
{
    const struct daws_config *config = loom_policy_config(self);
    struct daws_stats *stats = loom_policy_stats(self);
    struct daws *daws = loom_policy_state(self);
    const struct loom_mem_request *request = event->request;
    struct daws_warp *warp = &daws->warp[request->warp];
    struct daws_load *load;

    if (config->history == 0 || request->kind != LOOM_MEM_LOAD) {
        return;
    }
    load = find_load(daws, request->kernel, request->inst);
    if (load == NULL) {
        return;
    }
    for (uint32_t i = 0; i < config->history && !load->reused; i++) {
        if (warp->block[i] == request->block + 1) {
            load->reused = true;
            daws->loop[load->loop].footprint += load->most;
            stats->reuses++;
        }
    }
    warp->block[warp->at] = request->block + 1;
    warp->at = warp->at + 1 < config->history ? warp->at + 1 : 0;
}

static bool daws_check(struct loom_policy *self, struct loom_error *err)
{
    const struct daws_stats *stats = loom_policy_stats(self);

    if (stats->entries != stats->exits) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "loops were entered %llu times and left %llu times",
                         (unsigned long long)stats->entries,
                         (unsigned long long)stats->exits);
    }
    return true;
}

static const struct loom_throttle_ops daws_throttle = {
    .bind = daws_bind,
    .allow = daws_allow,
};
static const struct loom_observe_ops daws_sm_events = {
    .events =
        LOOM_EVENT(WARP_START) | LOOM_EVENT(WARP_FINISH) | LOOM_EVENT(ISSUE),
    .observe = daws_observe_sm,
};
static const struct loom_observe_ops daws_ldst_events = {
    .events = LOOM_EVENT(MEM_ISSUE),
    .observe = daws_observe_ldst,
};
static const struct loom_observe_ops daws_cache_events = {
    .events = LOOM_EVENT(ACCESS),
    .bind = daws_bind_cache,
    .observe = daws_observe_cache,
};

static void daws_cost(const void *config_, const struct loom_cost_shape *shape,
                      struct loom_cost *cost)
{
    const struct daws_config *config = config_;

    loom_cost_add(cost, "age", shape->warps, loom_bits_for(shape->warps),
                  "Place of a warp in the SM's order of age");
    loom_cost_add(cost, "loop", shape->warps, loom_bits_for(DAWS_LOOPS + 1),
                  "Loop that a warp is in");
    loom_cost_add(cost, "loops", DAWS_LOOPS, shape->pc_bits + 16,
                  "Address and footprint of a loop");
    loom_cost_add(cost, "loads", DAWS_LOADS,
                  shape->pc_bits + loom_bits_for(DAWS_LOOPS) + 6 + 2,
                  "Address, loop, accesses and reuse of a load");
    loom_cost_add(cost, "history", (uint64_t)shape->warps * config->history,
                  loom_cost_tag_bits(shape, 1), "Blocks that a warp accessed");
}

static const struct loom_param daws_params[] = {
    LOOM_PARAM(struct daws_config, percent, .def = {.u = 60}, .min = {.u = 1},
               .max = {.u = 1000},
               .doc = "Share of the L1's lines that footprints may have, in "
                      "percent",
               .source = "DAWS, MICRO 2013: an associativity factor of 0.6 "
                         "(from memory)"),
    LOOM_PARAM(struct daws_config, lines, .unit = LOOM_UNIT_LINE,
               .def = {.u = 0}, .max = {.u = 1u << 20},
               .doc = "Lines of the L1; 0: as many as it has"),
    LOOM_PARAM(struct daws_config, history, .unit = LOOM_UNIT_LINE,
               .def = {.u = 128}, .max = {.u = 4096},
               .doc = "Blocks of a warp that are remembered to see reuse; 0: "
                      "every load in a loop counts"),
};

static const struct loom_stat daws_stat_table[] = {
    LOOM_COUNTER(struct daws_stats, holds, LOOM_UNIT_EVENT,
                 "Times that a ready load began to be held back"),
    LOOM_COUNTER(struct daws_stats, entries, LOOM_UNIT_EVENT,
                 "Times that a warp entered a loop"),
    LOOM_COUNTER(struct daws_stats, exits, LOOM_UNIT_EVENT,
                 "Times that a warp left a loop"),
    LOOM_COUNTER(struct daws_stats, reuses, LOOM_UNIT_EVENT,
                 "Loads whose lines were found to be used again"),
    LOOM_GAUGE(struct daws_stats, footprint, LOOM_UNIT_LINE,
               "Footprint of the warps that may load, when last asked for"),
    LOOM_GAUGE(struct daws_stats, most_footprint, LOOM_UNIT_LINE,
               "The most of it at any time"),
};

const struct loom_policy_type daws_policy = {
    .name = "daws",
    .doc = "Loads in loops are held back so that footprints fit the L1",
    .state_size = sizeof(struct daws),
    .config_size = sizeof(struct daws_config),
    .stats_size = sizeof(struct daws_stats),
    .params = LOOM_SLICE(daws_params),
    .stats = LOOM_SLICE(daws_stat_table),
    .facets = LOOM_FACETS({&loom_throttle_hook, &daws_throttle},
                          {&loom_cache_observe_hook, &daws_cache_events},
                          {&loom_ldst_observe_hook, &daws_ldst_events},
                          {&loom_sm_observe_hook, &daws_sm_events}),
    .init = daws_init,
    .check = daws_check,
    .cost = daws_cost,
};
