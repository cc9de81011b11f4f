/*
 * miss_rate_bypass: the L1 is sampled, and switched off if it misses more
 * than a threshold k.
 *
 * The rival of figure 3 of "A two-level L1D bypassing technique" (paper 002):
 * from the first CTA on an SM on, its accesses and misses are counted for a
 * window; then, per SM, all loads go around if the miss rate was above k.  The
 * decision holds for `hold_cycles`, after which the next window begins, or
 * until the next launch: the windows are those of two_level.
 */
#include "policies/lib/bypass.h"
#include "policies/lib/window.h"

struct miss_rate_bypass_config {
    double threshold;
    uint64_t window_cycles, hold_cycles;
    uint32_t min_accesses;
    bool pending_hits_miss, count_stores;
    const char *few, *restart;
    uint32_t fetch_bytes;
    bool merge;
};

struct miss_rate_bypass_stats {
    uint64_t mode; /* enum loom_window_mode */
    uint64_t mode_cycles[LOOM_WINDOW_MODES];
    uint64_t windows, bypass_decisions, cache_decisions, few_decisions;
    uint64_t sampled_accesses, sampled_misses;
    uint64_t bypasses;
};

struct miss_rate_bypass {
    struct loom_window window;
    bool few_bypass; /* verdict of a window with too few accesses */
};

static bool mrb_init(struct loom_policy *self, struct loom_error *err)
{
    const struct miss_rate_bypass_config *config = loom_policy_config(self);
    struct miss_rate_bypass *m = loom_policy_state(self);
    struct miss_rate_bypass_stats *stats = loom_policy_stats(self);

    (void)err;
    m->few_bypass = strcmp(config->few, "bypass") == 0;
    loom_window_init(&m->window, config->restart, stats->mode_cycles);
    return true;
}

static void sample(struct loom_policy *self, loom_cycle at)
{
    const struct miss_rate_bypass_config *config = loom_policy_config(self);
    struct miss_rate_bypass *m = loom_policy_state(self);
    struct miss_rate_bypass_stats *stats = loom_policy_stats(self);

    loom_window_sample(&m->window, at, config->window_cycles);
    stats->mode = LOOM_WINDOW_SAMPLE;
}

static void decide(struct loom_policy *self, loom_cycle at)
{
    const struct miss_rate_bypass_config *config = loom_policy_config(self);
    struct miss_rate_bypass *m = loom_policy_state(self);
    struct miss_rate_bypass_stats *stats = loom_policy_stats(self);
    const struct loom_window *w = &m->window;
    bool few = w->accesses < config->min_accesses;
    bool bypass =
        few ? m->few_bypass
            : (double)w->misses > config->threshold * (double)w->accesses;

    stats->windows++;
    stats->few_decisions += few;
    stats->bypass_decisions += bypass;
    stats->cache_decisions += !bypass;
    loom_window_enter(&m->window,
                      bypass ? LOOM_WINDOW_BYPASS : LOOM_WINDOW_CACHE, at,
                      config->hold_cycles);
    stats->mode = m->window.mode;
}

/* Does what was due before or at `now`. */
static void advance(struct loom_policy *self, loom_cycle now)
{
    const struct miss_rate_bypass *m = loom_policy_state(self);

    while (m->window.end <= now) {
        if (m->window.mode == LOOM_WINDOW_SAMPLE) {
            decide(self, m->window.end);
        } else {
            sample(self, m->window.end);
        }
    }
}

static enum loom_admit mrb_admit(struct loom_policy *self,
                                 const struct loom_mem_request *request,
                                 struct loom_bypass *bypass)
{
    const struct miss_rate_bypass_config *config = loom_policy_config(self);
    const struct miss_rate_bypass *m = loom_policy_state(self);
    struct miss_rate_bypass_stats *stats = loom_policy_stats(self);

    advance(self, loom_policy_now(self));
    if (m->window.mode != LOOM_WINDOW_BYPASS || !loom_bypass_load(request)) {
        return LOOM_ADMIT_DEFAULT;
    }
    loom_bypass_set(bypass, config->fetch_bytes, config->merge);
    stats->bypasses++;
    return LOOM_ADMIT_BYPASS;
}

/* An access was accepted: hit, pending hit or miss. */
static void mrb_watch_cache(struct loom_policy *self,
                            const struct loom_event *event)
{
    const struct miss_rate_bypass_config *config = loom_policy_config(self);
    struct miss_rate_bypass *m = loom_policy_state(self);
    struct miss_rate_bypass_stats *stats = loom_policy_stats(self);
    uint64_t misses;

    advance(self, loom_policy_now(self));
    misses = m->window.misses;
    stats->sampled_accesses += loom_window_count(
        &m->window, event, config->pending_hits_miss, config->count_stores);
    stats->sampled_misses += m->window.misses - misses;
}

static void mrb_watch_sm(struct loom_policy *self,
                         const struct loom_event *event)
{
    struct miss_rate_bypass *m = loom_policy_state(self);

    if (loom_window_starts(&m->window, event)) {
        advance(self, loom_policy_now(self));
        sample(self, loom_policy_now(self));
    }
}

static void mrb_settle(struct loom_policy *self, loom_cycle now)
{
    struct miss_rate_bypass *m = loom_policy_state(self);

    advance(self, now);
    loom_window_settle(&m->window, now);
}

static bool mrb_check(struct loom_policy *self, struct loom_error *err)
{
    const struct miss_rate_bypass_stats *s = loom_policy_stats(self);

    if (s->bypass_decisions + s->cache_decisions != s->windows ||
        s->sampled_misses > s->sampled_accesses) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "decisions are not windows, or misses more than "
                         "accesses");
    }
    return true;
}

static const struct loom_admit_ops mrb_admit_ops = {.admit = mrb_admit};
static const struct loom_observe_ops mrb_cache_ops = {
    .events = LOOM_EVENT(HIT) | LOOM_EVENT(PENDING_HIT) | LOOM_EVENT(MISS),
    .observe = mrb_watch_cache,
};
static const struct loom_observe_ops mrb_sm_ops = {
    .events = LOOM_EVENT(KERNEL_START) | LOOM_EVENT(CTA_START),
    .observe = mrb_watch_sm,
};

static void miss_rate_bypass_cost(const void *config,
                                  const struct loom_cost_shape *shape,
                                  struct loom_cost *cost)
{
    const struct miss_rate_bypass_config *k = config;
    uint32_t bits = loom_bits_for(k->window_cycles + 1);
    uint64_t longest =
        k->hold_cycles > k->window_cycles ? k->hold_cycles : k->window_cycles;

    (void)shape;
    loom_cost_add(cost, "counters", 2, bits, "Accesses and misses of a sample");
    loom_cost_add(cost, "timer", 1, loom_bits_for(longest + 1),
                  "Cycles to the end of a sample or decision");
    loom_cost_add(cost, "mode", 1, loom_bits_for(LOOM_WINDOW_MODES),
                  "What it does now");
}

static const char *const mode_keys[] = LOOM_WINDOW_MODE_KEYS;
static const char *const few_choices[] = LOOM_WINDOW_FEW;
static const char *const restart_choices[] = LOOM_WINDOW_RESTART;

static const struct loom_param mrb_params[] = {
    LOOM_PARAM(struct miss_rate_bypass_config, threshold,
               .unit = LOOM_UNIT_RATIO, .def = {.f = 0.9}, .min = {.f = 0},
               .max = {.f = 1},
               .doc = "k: a miss rate above it switches the cache off",
               .source = "two-level bypassing (002), the best of its figure 3"),
    LOOM_WINDOW_PARAMS(struct miss_rate_bypass_config, few_choices,
                       restart_choices),
    LOOM_BYPASS_PARAMS(struct miss_rate_bypass_config),
};

static const struct loom_stat mrb_stat_table[] = {
    LOOM_GAUGE(struct miss_rate_bypass_stats, mode, LOOM_UNIT_NONE,
               "What it does now: 0 caches, 1 samples, 2 bypasses"),
    LOOM_VECTOR(struct miss_rate_bypass_stats, mode_cycles, "ran_in", mode_keys,
                LOOM_UNIT_CYCLE, "Cycles in each mode"),
    LOOM_COUNTER(struct miss_rate_bypass_stats, windows, LOOM_UNIT_EVENT,
                 "Samples that ended in a decision"),
    LOOM_COUNTER(struct miss_rate_bypass_stats, bypass_decisions,
                 LOOM_UNIT_EVENT, "Decisions to switch the cache off"),
    LOOM_COUNTER(struct miss_rate_bypass_stats, cache_decisions,
                 LOOM_UNIT_EVENT, "Decisions to use the cache"),
    LOOM_COUNTER(struct miss_rate_bypass_stats, few_decisions, LOOM_UNIT_EVENT,
                 "Decisions for want of accesses"),
    LOOM_COUNTER(struct miss_rate_bypass_stats, sampled_accesses,
                 LOOM_UNIT_REQUEST, "Accesses in samples"),
    LOOM_COUNTER(struct miss_rate_bypass_stats, sampled_misses,
                 LOOM_UNIT_REQUEST, "Of these, misses"),
    LOOM_RATIO(struct miss_rate_bypass_stats, sampled_miss_ratio,
               sampled_misses, sampled_accesses, LOOM_UNIT_RATIO,
               "Miss rate of all samples"),
    LOOM_COUNTER(struct miss_rate_bypass_stats, bypasses, LOOM_UNIT_REQUEST,
                 "Loads sent around"),
};

const struct loom_policy_type miss_rate_bypass_policy = {
    .name = "miss_rate_bypass",
    .doc = "Loads go around a cache whose sampled miss rate is above k",
    .state_size = sizeof(struct miss_rate_bypass),
    .config_size = sizeof(struct miss_rate_bypass_config),
    .stats_size = sizeof(struct miss_rate_bypass_stats),
    .params = LOOM_SLICE(mrb_params),
    .stats = LOOM_SLICE(mrb_stat_table),
    .facets = LOOM_FACETS({&loom_admit_hook, &mrb_admit_ops},
                          {&loom_cache_observe_hook, &mrb_cache_ops},
                          {&loom_sm_observe_hook, &mrb_sm_ops}),
    .init = mrb_init,
    .settle = mrb_settle,
    .check = mrb_check,
    .cost = miss_rate_bypass_cost,
};
