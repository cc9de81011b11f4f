/*
 * two_level: loads go around an L1 that misses much or serves few warps.
 *
 * Kim and Kim, "New two-level L1 data cache bypassing technique for high
 * performance GPUs", J. Inf. Process. Syst. 2021.  From the first CTA on an SM
 * on, accesses and misses of its L1 are counted for a window (miss rate
 * monitor), and so are the warps with a valid instruction buffer entry (warp
 * occupancy monitor).  At the window's end the decision unit sets the SM's
 * mode for a long period: a clear miss rate decides alone, an ambiguous one
 * leaves it to the occupancy.  In mode B all loads go around, stores never do.
 */
#include <string.h>

#include "policies/lib/bypass.h"
#include "policies/lib/load_table.h"
#include "policies/lib/window.h"

struct two_level_config {
    double miss_low, miss_high, occupancy;
    uint64_t window_cycles, hold_cycles;
    uint32_t min_accesses, load_rows, fetch_bytes;
    bool pending_hits_miss, count_stores, merge;
    const char *few, *restart, *occupancy_at;
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
    uint64_t mode_cycles[LOOM_WINDOW_MODES];
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
    struct loom_window window;
    bool few_bypass;   /* verdict of a window with too few accesses */
    bool at_end;       /* the occupancy is that of the window's last cycle */
    uint32_t warps;    /* warp slots of the SM */
    uint32_t buffered; /* warps with a valid entry since `integrated` */
    loom_cycle integrated; /* warp_cycles are up to date until here */
    uint64_t warp_cycles;  /* of this window */
};

/* ---- building ---- */

static bool two_level_init(struct loom_policy *self, struct loom_error *err)
{
    const struct two_level_config *config = loom_policy_config(self);
    struct two_level *t = loom_policy_state(self);
    struct two_level_stats *s = loom_policy_stats(self);

    t->few_bypass = strcmp(config->few, "bypass") == 0;
    t->at_end = strcmp(config->occupancy_at, "end") == 0;
    loom_window_init(&t->window, config->restart, s->mode_cycles);
    loom_load_ids_init(&s->load, self, config->load_rows);
    loom_policy_array(self, &s->load_bypasses, config->load_rows);
    loom_policy_array(self, &s->load_cached, config->load_rows);
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

static void integrate(struct two_level *t, loom_cycle at)
{
    if (at > t->integrated) {
        t->warp_cycles += t->buffered * (at - t->integrated);
        t->integrated = at;
    }
}

/* Counts the change to the mode that was entered. */
static void entered(struct loom_policy *self, enum loom_window_mode before)
{
    const struct two_level *t = loom_policy_state(self);
    struct two_level_stats *stats = loom_policy_stats(self);
    enum loom_window_mode mode = t->window.mode;

    stats->to_bypass +=
        mode == LOOM_WINDOW_BYPASS && before != LOOM_WINDOW_BYPASS;
    stats->to_cache +=
        mode != LOOM_WINDOW_BYPASS && before == LOOM_WINDOW_BYPASS;
    stats->sampling = mode == LOOM_WINDOW_SAMPLE;
    stats->bypassing = mode == LOOM_WINDOW_BYPASS;
}

static void sample(struct loom_policy *self, loom_cycle at)
{
    const struct two_level_config *config = loom_policy_config(self);
    struct two_level *t = loom_policy_state(self);
    enum loom_window_mode before = t->window.mode;

    integrate(t, at);
    t->warp_cycles = 0;
    loom_window_sample(&t->window, at, config->window_cycles);
    entered(self, before);
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
    double accesses = (double)t->window.accesses;
    double misses = (double)t->window.misses;

    if (t->window.accesses < config->min_accesses) {
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
    enum loom_window_mode before = t->window.mode;
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
    loom_window_enter(&t->window,
                      bypass ? LOOM_WINDOW_BYPASS : LOOM_WINDOW_CACHE, at,
                      config->hold_cycles);
    entered(self, before);
}

/* Does what was due before or at `now`. */
static void advance(struct loom_policy *self, loom_cycle now)
{
    const struct two_level *t = loom_policy_state(self);

    while (t->window.end <= now) {
        if (t->window.mode == LOOM_WINDOW_SAMPLE) {
            decide(self, t->window.end);
        } else {
            sample(self, t->window.end);
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
    if (t->window.mode != LOOM_WINDOW_BYPASS ||
        request->kind != LOOM_MEM_LOAD) {
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

    if (around && t->window.mode != LOOM_WINDOW_BYPASS) {
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
    uint64_t misses;

    advance(self, event->now);
    if (event->request->kind == LOOM_MEM_LOAD) {
        count_load(self, event->request, event->kind == LOOM_EVENT_BYPASS);
    }
    if (event->kind == LOOM_EVENT_BYPASS) {
        return;
    }
    misses = t->window.misses;
    stats->sampled_accesses += loom_window_count(
        &t->window, event, config->pending_hits_miss, config->count_stores);
    stats->sampled_misses += t->window.misses - misses;
}

static void two_level_watch_sm(struct loom_policy *self,
                               const struct loom_event *event)
{
    struct two_level *t = loom_policy_state(self);

    switch (event->kind) {
    case LOOM_EVENT_IBUFFER:
        t->buffered = event->count;
        advance(self, event->now);
        integrate(t, event->now);
        t->buffered = event->after;
        break;
    case LOOM_EVENT_KERNEL_START:
        (void)loom_window_starts(&t->window, event);
        break;
    default: /* a CTA */
        if (loom_window_starts(&t->window, event)) {
            advance(self, event->now);
            sample(self, event->now);
        }
        break;
    }
}

static void two_level_given(struct loom_policy *self, const void *work,
                            uint32_t kind)
{
    struct two_level *t = loom_policy_state(self);
    struct two_level_stats *stats = loom_policy_stats(self);

    loom_load_table_given(&t->table, work, kind);
    loom_load_ids_publish(&stats->load, &t->table);
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
    struct two_level *t = loom_policy_state(self);

    advance(self, now);
    loom_window_settle(&t->window, now);
}

static bool two_level_check(struct loom_policy *self, struct loom_error *err)
{
    const struct two_level_stats *s = loom_policy_stats(self);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < VERDICTS; i++) {
        sum += s->verdicts[i];
    }
    if (sum != s->windows || s->sampled_misses > s->sampled_accesses) {
        return loom_fail(err, LOOM_ERR_LAW,
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
    loom_cost_add(cost, "mode", 1, loom_bits_for(LOOM_WINDOW_MODES),
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

static const char *const mode_keys[] = LOOM_WINDOW_MODE_KEYS;
static const char *const verdict_keys[VERDICTS] = {
    "few_accesses", "low_miss", "high_miss", "low_occupancy", "high_occupancy"};
static const char *const few_choices[] = LOOM_WINDOW_FEW;
static const char *const restart_choices[] = LOOM_WINDOW_RESTART;

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
    LOOM_WINDOW_PARAMS(struct two_level_config, few_choices, restart_choices),
    LOOM_PARAM(struct two_level_config, occupancy_at, .def = {.s = "average"},
               .choices = LOOM_CHOICES("average", "end"),
               .doc = "Occupancy: its average over the window, or its value "
                      "at the end"),
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
    LOOM_VECTOR(struct two_level_stats, mode_cycles, "ran_in", mode_keys,
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
    .facets = LOOM_FACETS(
        {&loom_admit_hook, &admit_ops}, {&loom_cache_observe_hook, &cache_ops},
        {&loom_sm_observe_hook, &sm_ops}, {&loom_ldst_observe_hook, &ldst_ops}),
    .validate = two_level_validate,
    .init = two_level_init,
    .given = two_level_given,
    .settle = two_level_settle,
    .check = two_level_check,
    .joins = true,
    .cost = two_level_cost,
};
