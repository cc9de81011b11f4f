/*
 * two_level: loads go around an L1 that misses much or serves few warps.
 *
 * Kim and Kim, "New two-level L1 data cache bypassing technique for high
 * performance GPUs", J. Inf. Process. Syst. 2021.  When a kernel's first CTA
 * starts on an SM, accesses and misses of its L1 are counted for a window
 * (miss rate monitor), and so are the warps with a valid instruction buffer
 * entry (warp occupancy monitor).  At the window's end the decision unit sets
 * the SM's mode: a clear miss rate decides alone, an ambiguous one leaves it
 * to the occupancy.  In mode B all loads go around, stores never do.
 *
 * The end of a window is noticed by whatever comes after it: an access, an
 * event of the SM or a reader of statistics.  Nothing that the window counts
 * can happen in between, so this is the same as a timer.
 */
#include <string.h>

#include "policies/bypass.h"
#include "policies/load_table.h"

struct two_level_config {
    double miss_low, miss_high, occupancy;
    uint64_t window_cycles, hold_cycles;
    uint32_t min_accesses, load_rows, fetch_bytes;
    bool pending_hits_miss, count_stores, merge;
    const char *few, *occupancy_at;
};

enum mode {
    CACHE,
    SAMPLE,
    BYPASS,
    MODES
};

/* Why a window ended as it did. */
enum verdict {
    FEW,
    LOW_MISS,
    HIGH_MISS,
    LOW_OCCUPANCY,
    HIGH_OCCUPANCY,
    VERDICTS
};

struct two_level_stats {
    uint64_t sampling, bypassing; /* gauges: 0 or 1 */
    uint64_t mode_cycles[MODES];
    uint64_t verdicts[VERDICTS];
    uint64_t windows, to_bypass, to_cache;
    uint64_t sampled_accesses, sampled_misses;
    uint64_t sampled_cycles, sampled_warp_cycles;
    uint64_t bypasses, cached_loads;
    struct loom_load_ids load;
    struct loom_array load_bypasses, load_cached;
};

struct two_level {
    struct loom_load_table table;
    enum mode mode;
    bool fresh;        /* a kernel's first CTA has not started yet */
    bool few_bypass;   /* verdict of a window with too few accesses */
    bool at_end;       /* the occupancy is that of the window's last cycle */
    uint32_t warps;    /* warp slots of the SM */
    uint32_t buffered; /* warps with a valid entry since `integrated` */
    loom_cycle integrated; /* warp_cycles are up to date until here */
    loom_cycle end;        /* of the window or of the decision's time */
    loom_cycle counted;    /* mode_cycles are up to date until here */
    uint64_t accesses, misses, warp_cycles; /* of this window */
};

/* ---- building ---- */

static bool two_level_init(struct loom_policy *self, struct loom_error *err)
{
    const struct two_level_config *config = loom_policy_config(self);
    struct two_level *t = loom_policy_state(self);
    struct two_level_stats *s = loom_policy_stats(self);

    t->few_bypass = strcmp(config->few, "bypass") == 0;
    t->at_end = strcmp(config->occupancy_at, "end") == 0;
    t->end = LOOM_NEVER;
    if (!loom_load_ids_init(&s->load, self, config->load_rows) ||
        !loom_policy_array(self, &s->load_bypasses, config->load_rows) ||
        !loom_policy_array(self, &s->load_cached, config->load_rows)) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u loads",
                         config->load_rows);
    }
    return loom_load_table_init(&t->table, self, config->load_rows, err);
}

static bool two_level_validate(const void *config, struct loom_error *err)
{
    const struct two_level_config *k = config;

    if (k->miss_low > k->miss_high) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'miss_low' is %g, expected at most "
                         "'miss_high', %g",
                         k->miss_low, k->miss_high);
    }
    return true;
}

static bool two_level_bind_sm(struct loom_policy *self,
                              const struct loom_observe_shape *shape,
                              struct loom_error *err)
{
    struct two_level *t = loom_policy_state(self);

    (void)err;
    t->warps = shape->warps;
    return true;
}

/* ---- modes ---- */

static void count_cycles(struct loom_policy *self, loom_cycle at)
{
    struct two_level *t = loom_policy_state(self);
    struct two_level_stats *stats = loom_policy_stats(self);

    if (at > t->counted) {
        stats->mode_cycles[t->mode] += at - t->counted;
        t->counted = at;
    }
}

static void integrate(struct two_level *t, loom_cycle at)
{
    if (at > t->integrated) {
        t->warp_cycles += t->buffered * (at - t->integrated);
        t->integrated = at;
    }
}

static void enter(struct loom_policy *self, enum mode mode, loom_cycle at,
                  uint64_t cycles)
{
    struct two_level *t = loom_policy_state(self);
    struct two_level_stats *stats = loom_policy_stats(self);

    count_cycles(self, at);
    stats->to_bypass += mode == BYPASS && t->mode != BYPASS;
    stats->to_cache += mode != BYPASS && t->mode == BYPASS;
    t->mode = mode;
    t->end = cycles == 0 ? LOOM_NEVER : at + cycles;
    stats->sampling = mode == SAMPLE;
    stats->bypassing = mode == BYPASS;
}

static void sample(struct loom_policy *self, loom_cycle at)
{
    const struct two_level_config *config = loom_policy_config(self);
    struct two_level *t = loom_policy_state(self);

    integrate(t, at);
    t->accesses = 0;
    t->misses = 0;
    t->warp_cycles = 0;
    enter(self, SAMPLE, at, config->window_cycles);
}

/* Is the occupancy of the window below the threshold? */
static bool low_occupancy(struct loom_policy *self)
{
    const struct two_level_config *config = loom_policy_config(self);
    const struct two_level *t = loom_policy_state(self);
    double slots = config->occupancy * (double)t->warps;

    return t->at_end
               ? (double)t->buffered < slots
               : (double)t->warp_cycles < slots * (double)config->window_cycles;
}

static enum verdict judge(struct loom_policy *self)
{
    const struct two_level_config *config = loom_policy_config(self);
    const struct two_level *t = loom_policy_state(self);
    double accesses = (double)t->accesses, misses = (double)t->misses;

    if (t->accesses < config->min_accesses) {
        return FEW;
    }
    if (misses < config->miss_low * accesses) {
        return LOW_MISS;
    }
    if (misses > config->miss_high * accesses) {
        return HIGH_MISS;
    }
    return low_occupancy(self) ? LOW_OCCUPANCY : HIGH_OCCUPANCY;
}

static void decide(struct loom_policy *self, loom_cycle at)
{
    const struct two_level_config *config = loom_policy_config(self);
    struct two_level *t = loom_policy_state(self);
    struct two_level_stats *stats = loom_policy_stats(self);
    enum verdict verdict;
    bool bypass;

    integrate(t, at);
    verdict = judge(self);
    bypass = verdict == FEW ? t->few_bypass
                            : verdict == HIGH_MISS || verdict == LOW_OCCUPANCY;
    stats->windows++;
    stats->verdicts[verdict]++;
    stats->sampled_cycles += config->window_cycles;
    stats->sampled_warp_cycles += t->warp_cycles;
    enter(self, bypass ? BYPASS : CACHE, at, config->hold_cycles);
}

/* Does what was due before or at `now`. */
static void advance(struct loom_policy *self, loom_cycle now)
{
    const struct two_level *t = loom_policy_state(self);

    while (t->end <= now) {
        if (t->mode == SAMPLE) {
            decide(self, t->end);
        } else {
            sample(self, t->end);
        }
    }
}

/* ---- questions and events ---- */

static enum loom_admit two_level_admit(struct loom_policy *self,
                                       const struct loom_mem_request *request,
                                       struct loom_bypass *bypass)
{
    const struct two_level_config *config = loom_policy_config(self);
    const struct two_level *t = loom_policy_state(self);

    advance(self, loom_policy_now(self));
    if (t->mode != BYPASS || request->kind != LOOM_MEM_LOAD) {
        return LOOM_ADMIT_DEFAULT;
    }
    loom_bypass_set(bypass, config->fetch_bytes, config->merge);
    return LOOM_ADMIT_BYPASS;
}

static void count_load(struct loom_policy *self,
                       const struct loom_mem_request *request, bool around)
{
    struct two_level *t = loom_policy_state(self);
    struct two_level_stats *stats = loom_policy_stats(self);
    uint32_t row =
        loom_load_table_find(&t->table, request->kernel, request->inst);

    if (around && t->mode != BYPASS) {
        return; /* somebody else's verdict, or the program's */
    }
    stats->bypasses += around;
    stats->cached_loads += !around;
    if (row != LOOM_NO_ROW) {
        stats->load_bypasses.item[row] += around;
        stats->load_cached.item[row] += !around;
    }
}

static void two_level_watch_cache(struct loom_policy *self,
                                  const struct loom_event *event)
{
    const struct two_level_config *config = loom_policy_config(self);
    struct two_level *t = loom_policy_state(self);
    struct two_level_stats *stats = loom_policy_stats(self);
    uint32_t kind = event->request->kind;
    bool missed;

    advance(self, event->now);
    if (kind == LOOM_MEM_LOAD) {
        count_load(self, event->request, event->kind == LOOM_EVENT_BYPASS);
    }
    if (t->mode != SAMPLE || event->kind == LOOM_EVENT_BYPASS ||
        (kind != LOOM_MEM_LOAD &&
         !(kind == LOOM_MEM_STORE && config->count_stores))) {
        return;
    }
    missed =
        event->kind == LOOM_EVENT_MISS ||
        (event->kind == LOOM_EVENT_PENDING_HIT && config->pending_hits_miss);
    t->accesses++;
    t->misses += missed;
    stats->sampled_accesses++;
    stats->sampled_misses += missed;
}

static void two_level_watch_sm(struct loom_policy *self,
                               const struct loom_event *event)
{
    struct two_level *t = loom_policy_state(self);
    struct two_level_stats *stats = loom_policy_stats(self);

    switch (event->kind) {
    case LOOM_EVENT_IBUFFER:
        t->buffered = event->count;
        advance(self, event->now);
        integrate(t, event->now);
        t->buffered = event->after;
        break;
    case LOOM_EVENT_KERNEL_START:
        loom_load_table_start(&t->table, event->kernel);
        loom_load_ids_publish(&stats->load, &t->table);
        t->fresh = true;
        break;
    default: /* a CTA */
        if (t->fresh) {
            advance(self, event->now);
            t->fresh = false;
            sample(self, event->now);
        }
        break;
    }
}

/* Loads of a trace, whose instructions come to be known one by one. */
static void two_level_watch_ldst(struct loom_policy *self,
                                 const struct loom_event *event)
{
    struct two_level *t = loom_policy_state(self);
    struct two_level_stats *stats = loom_policy_stats(self);
    uint32_t used = t->table.used;

    (void)loom_load_table_note(&t->table, event->kernel, event->inst);
    if (t->table.used != used) {
        loom_load_ids_publish(&stats->load, &t->table);
    }
}

static void two_level_settle(struct loom_policy *self, loom_cycle now)
{
    advance(self, now);
    count_cycles(self, now);
}

static bool two_level_check(struct loom_policy *self, struct loom_error *err)
{
    const struct two_level_stats *s = loom_policy_stats(self);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < VERDICTS; i++) {
        sum += s->verdicts[i];
    }
    if (sum != s->windows || s->sampled_misses > s->sampled_accesses) {
        return loom_fail(err, LOOM_ERR_DEADLOCK,
                         "verdicts %llu are not windows %llu, or misses %llu "
                         "more than accesses %llu",
                         (unsigned long long)sum,
                         (unsigned long long)s->windows,
                         (unsigned long long)s->sampled_misses,
                         (unsigned long long)s->sampled_accesses);
    }
    return true;
}

/* The paper counts the first three parts. */
static void two_level_cost(const void *config,
                           const struct loom_cost_shape *shape,
                           struct loom_cost *cost)
{
    const struct two_level_config *k = config;
    uint32_t count = loom_bits_for(k->window_cycles + 1);
    uint64_t timer =
        k->hold_cycles > k->window_cycles ? k->hold_cycles : k->window_cycles;
    bool average = strcmp(k->occupancy_at, "average") == 0;

    loom_cost_add(cost, "accesses", 1, count, "Accesses of the window");
    loom_cost_add(cost, "misses", 1, count, "Misses of the window");
    loom_cost_add(cost, "occupancy", 1, loom_bits_for(shape->warps),
                  "Warps with a valid instruction buffer entry");
    loom_cost_add(cost, "warp_cycles", average ? 1 : 0, count,
                  "What the sum over the window has beyond the occupancy");
    loom_cost_add(cost, "timer", 1, loom_bits_for(timer + 1),
                  "Cycles of the window or of a decision");
    loom_cost_add(cost, "mode", 1, loom_bits_for(MODES),
                  "Samples, caches or bypasses");
}

/* ---- descriptor ---- */

static const struct loom_admit_ops admit_ops = {.admit = two_level_admit};
static const struct loom_observe_ops cache_ops = {
    .events = LOOM_EVENT(HIT) | LOOM_EVENT(PENDING_HIT) | LOOM_EVENT(MISS) |
              LOOM_EVENT(BYPASS),
    .observe = two_level_watch_cache,
};
static const struct loom_observe_ops sm_ops = {
    .events =
        LOOM_EVENT(KERNEL_START) | LOOM_EVENT(CTA_START) | LOOM_EVENT(IBUFFER),
    .bind = two_level_bind_sm,
    .observe = two_level_watch_sm,
};
static const struct loom_observe_ops ldst_ops = {
    .events = LOOM_EVENT(MEM_ISSUE),
    .observe = two_level_watch_ldst,
};

static const struct loom_facet facets[] = {
    {&loom_admit_hook, &admit_ops},
    {&loom_cache_observe_hook, &cache_ops},
    {&loom_sm_observe_hook, &sm_ops},
    {&loom_ldst_observe_hook, &ldst_ops},
};

static const char *const mode_keys[MODES] = {"cache", "sample", "bypass"};
static const char *const verdict_keys[VERDICTS] = {
    "few_accesses", "low_miss", "high_miss", "low_occupancy", "high_occupancy"};
static const char *const few_choices[] = {"bypass", "cache", NULL};
static const char *const at_choices[] = {"average", "end", NULL};

#define RATIO(field, def_, doc_, source_)                                      \
    LOOM_PARAM(struct two_level_config, field, .unit = LOOM_UNIT_RATIO,        \
               .def = {.f = (def_)}, .max = {.f = 1}, .doc = doc_,             \
               .source = source_)

static const struct loom_param params[] = {
    RATIO(miss_low, 0.1, "A miss rate below it keeps the cache on",
          "not given: between CF, 4.6 %, and the ambiguous ones"),
    RATIO(miss_high, 0.9, "A miss rate above it switches the cache off",
          "not given: below MS, 95 %, and PF, 99 %"),
    RATIO(occupancy, 0.5,
          "Between the two, an occupancy below this part of the SM's warp "
          "slots switches the cache off",
          "not given: between 46 % and 84 %, section 4"),
    LOOM_PARAM(struct two_level_config, window_cycles, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 5000}, .min = {.u = 1}, .max = {.u = 1u << 30},
               .doc = "Length of the sampling period",
               .source = "section 3.2: 5K cycles"),
    LOOM_PARAM(struct two_level_config, hold_cycles, .unit = LOOM_UNIT_CYCLE,
               .max = {.u = UINT64_C(1) << 40},
               .doc = "How long a decision holds before the next sample; 0: "
                      "until the next kernel's first CTA"),
    LOOM_PARAM(struct two_level_config, min_accesses, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 1},
               .doc = "A window with fewer accesses is decided by `few`"),
    LOOM_PARAM(struct two_level_config, few, .def = {.s = "bypass"},
               .choices = few_choices,
               .doc = "Decision if there were too few accesses",
               .source = "section 4: bypasses when few accesses occur"),
    LOOM_PARAM(struct two_level_config, occupancy_at, .def = {.s = "average"},
               .choices = at_choices,
               .doc = "Occupancy: its average over the window, or its value "
                      "at the end"),
    LOOM_PARAM(struct two_level_config, pending_hits_miss, .def = {.b = true},
               .doc = "Accesses to data that is on its way count as misses, as "
                      "GPGPU-Sim prints them for a cache that allocates on "
                      "fills"),
    LOOM_PARAM(struct two_level_config, count_stores, .def = {.b = false},
               .doc = "Stores count as accesses, too"),
    LOOM_BYPASS_PARAMS(struct two_level_config),
    LOOM_PARAM(struct two_level_config, load_rows, .def = {.u = 64},
               .min = {.u = 1}, .max = {.u = 4096},
               .doc = "Loads with statistics of their own"),
};

#define COUNT(field, unit, doc_)                                               \
    LOOM_COUNTER(struct two_level_stats, field, LOOM_UNIT_##unit, doc_)
#define PER_LOAD(field, unit, doc_)                                            \
    LOOM_ARRAY(struct two_level_stats, field, "load", LOOM_UNIT_##unit, doc_)

static const struct loom_stat stat_table[] = {
    LOOM_GAUGE(struct two_level_stats, sampling, LOOM_UNIT_NONE,
               "1 while it samples"),
    LOOM_GAUGE(struct two_level_stats, bypassing, LOOM_UNIT_NONE,
               "1 while loads go around (mode B)"),
    LOOM_VECTOR(struct two_level_stats, mode_cycles, "mode", mode_keys,
                LOOM_UNIT_CYCLE, "Cycles in each mode"),
    COUNT(windows, EVENT, "Windows that ended in a decision"),
    LOOM_VECTOR(struct two_level_stats, verdicts, "verdict", verdict_keys,
                LOOM_UNIT_EVENT, "What decided them"),
    COUNT(to_bypass, EVENT, "Changes to mode B"),
    COUNT(to_cache, EVENT, "Changes from mode B"),
    COUNT(sampled_accesses, REQUEST, "Accesses in windows"),
    COUNT(sampled_misses, REQUEST, "Of these, misses"),
    COUNT(sampled_cycles, CYCLE, "Cycles of windows that ended"),
    COUNT(sampled_warp_cycles, WARP,
          "Warps with a valid instruction buffer entry, summed over these "
          "cycles"),
    LOOM_RATIO(struct two_level_stats, sampled_miss_ratio, sampled_misses,
               sampled_accesses, LOOM_UNIT_RATIO, "Miss rate of all windows"),
    LOOM_RATIO(struct two_level_stats, sampled_occupancy, sampled_warp_cycles,
               sampled_cycles, LOOM_UNIT_WARP,
               "Mean occupancy of all windows, in warps"),
    COUNT(bypasses, REQUEST, "Accesses of loads sent around"),
    COUNT(cached_loads, REQUEST, "Accesses of loads that were looked up"),
    LOOM_LOAD_IDS(struct two_level_stats, load),
    PER_LOAD(load_bypasses, REQUEST, "Its accesses sent around"),
    PER_LOAD(load_cached, REQUEST, "Its accesses that were looked up"),
};

const struct loom_policy_type two_level_policy = {
    .name = "two_level",
    .doc = "Loads go around an L1 that misses much or serves few warps",
    .state_size = sizeof(struct two_level),
    .config_size = sizeof(struct two_level_config),
    .stats_size = sizeof(struct two_level_stats),
    .params = LOOM_SLICE(params),
    .stats = LOOM_SLICE(stat_table),
    .facets = LOOM_SLICE(facets),
    .validate = two_level_validate,
    .init = two_level_init,
    .settle = two_level_settle,
    .check = two_level_check,
    .cost = two_level_cost,
};
