/*
 * miss_rate_bypass: the L1 is sampled, and switched off if it misses more
 * than a threshold k.
 *
 * The rival of figure 3 of "A two-level L1D bypassing technique" (paper 002):
 * when a kernel's first CTA starts on an SM, its accesses and misses are
 * counted for a window; then, per SM, all loads go around if the miss rate
 * was above k.  The decision holds until the next kernel, or for
 * `hold_cycles`, after which the next window begins.
 *
 * The end of a window is noticed by whatever comes after it: an access, a
 * kernel or a reader of statistics.  Nothing that the window counts can
 * happen in between, so this is the same as a timer.
 */
#include <string.h>

#include "policies/bypass.h"

struct miss_rate_bypass_config {
    double threshold;
    uint64_t window_cycles, hold_cycles;
    uint32_t min_accesses;
    bool pending_hits_miss, count_stores;
    const char *few;
    uint32_t fetch_bytes;
    bool merge;
};

enum mode {
    CACHE,
    SAMPLE,
    BYPASS,
    MODES
};

struct miss_rate_bypass_stats {
    uint64_t mode; /* enum mode */
    uint64_t mode_cycles[MODES];
    uint64_t windows, bypass_decisions, cache_decisions, few_decisions;
    uint64_t sampled_accesses, sampled_misses;
    uint64_t bypasses;
};

struct miss_rate_bypass {
    enum mode mode;
    bool fresh;         /* a kernel's first CTA has not started yet */
    bool few_bypass;    /* verdict of a window with too few accesses */
    loom_cycle end;     /* of the window or of the decision's time */
    loom_cycle counted; /* mode_cycles are up to date until here */
    uint64_t accesses, misses;
};

static bool mrb_init(struct loom_policy *self, struct loom_error *err)
{
    const struct miss_rate_bypass_config *config = loom_policy_config(self);
    struct miss_rate_bypass *m = loom_policy_state(self);

    (void)err;
    m->few_bypass = strcmp(config->few, "bypass") == 0;
    m->end = LOOM_NEVER;
    return true;
}

static void count_cycles(struct loom_policy *self, loom_cycle at)
{
    struct miss_rate_bypass *m = loom_policy_state(self);
    struct miss_rate_bypass_stats *stats = loom_policy_stats(self);

    if (at > m->counted) {
        stats->mode_cycles[m->mode] += at - m->counted;
        m->counted = at;
    }
}

static void enter(struct loom_policy *self, enum mode mode, loom_cycle at,
                  uint64_t cycles)
{
    struct miss_rate_bypass *m = loom_policy_state(self);
    struct miss_rate_bypass_stats *stats = loom_policy_stats(self);

    count_cycles(self, at);
    m->mode = mode;
    m->end = cycles == 0 ? LOOM_NEVER : at + cycles;
    stats->mode = mode;
}

static void sample(struct loom_policy *self, loom_cycle at)
{
    const struct miss_rate_bypass_config *config = loom_policy_config(self);
    struct miss_rate_bypass *m = loom_policy_state(self);

    m->accesses = 0;
    m->misses = 0;
    enter(self, SAMPLE, at, config->window_cycles);
}

static void decide(struct loom_policy *self, loom_cycle at)
{
    const struct miss_rate_bypass_config *config = loom_policy_config(self);
    const struct miss_rate_bypass *m = loom_policy_state(self);
    struct miss_rate_bypass_stats *stats = loom_policy_stats(self);
    bool few = m->accesses < config->min_accesses;
    bool bypass =
        few ? m->few_bypass
            : (double)m->misses > config->threshold * (double)m->accesses;

    stats->windows++;
    stats->few_decisions += few;
    stats->bypass_decisions += bypass;
    stats->cache_decisions += !bypass;
    enter(self, bypass ? BYPASS : CACHE, at, config->hold_cycles);
}

/* Does what was due before or at `now`. */
static void advance(struct loom_policy *self, loom_cycle now)
{
    const struct miss_rate_bypass *m = loom_policy_state(self);

    while (m->end <= now) {
        if (m->mode == SAMPLE) {
            decide(self, m->end);
        } else {
            sample(self, m->end);
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
    if (m->mode != BYPASS || !loom_bypass_load(request)) {
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
    uint32_t kind = event->request->kind;
    bool missed;

    advance(self, loom_policy_now(self));
    if (m->mode != SAMPLE ||
        (kind != LOOM_MEM_LOAD &&
         !(kind == LOOM_MEM_STORE && config->count_stores))) {
        return;
    }
    missed =
        event->kind == LOOM_EVENT_MISS ||
        (event->kind == LOOM_EVENT_PENDING_HIT && config->pending_hits_miss);
    m->accesses++;
    m->misses += missed;
    stats->sampled_accesses++;
    stats->sampled_misses += missed;
}

static void mrb_watch_sm(struct loom_policy *self,
                         const struct loom_event *event)
{
    struct miss_rate_bypass *m = loom_policy_state(self);

    if (event->kind == LOOM_EVENT_KERNEL_START) {
        m->fresh = true;
    } else if (m->fresh) {
        loom_cycle now = loom_policy_now(self);

        advance(self, now);
        m->fresh = false;
        sample(self, now);
    }
}

static void mrb_settle(struct loom_policy *self, loom_cycle now)
{
    advance(self, now);
    count_cycles(self, now);
}

static bool mrb_check(struct loom_policy *self, struct loom_error *err)
{
    const struct miss_rate_bypass_stats *s = loom_policy_stats(self);

    if (s->bypass_decisions + s->cache_decisions != s->windows ||
        s->sampled_misses > s->sampled_accesses) {
        return loom_fail(err, LOOM_ERR_DEADLOCK,
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
    loom_cost_add(cost, "mode", 1, loom_bits_for(MODES), "What it does now");
}

static const struct loom_facet mrb_facets[] = {
    {&loom_admit_hook, &mrb_admit_ops},
    {&loom_cache_observe_hook, &mrb_cache_ops},
    {&loom_sm_observe_hook, &mrb_sm_ops},
};

static const char *const mode_keys[MODES] = {"cache", "sample", "bypass"};
static const char *const few_choices[] = {"bypass", "cache", NULL};

static const struct loom_param mrb_params[] = {
    LOOM_PARAM(struct miss_rate_bypass_config, threshold,
               .unit = LOOM_UNIT_RATIO, .def = {.f = 0.9}, .min = {.f = 0},
               .max = {.f = 1},
               .doc = "k: a miss rate above it switches the cache off",
               .source = "two-level bypassing (002), the best of its figure 3"),
    LOOM_PARAM(struct miss_rate_bypass_config, window_cycles,
               .unit = LOOM_UNIT_CYCLE, .def = {.u = 5000}, .min = {.u = 1},
               .doc = "Length of a sample",
               .source = "two-level bypassing (002), the sampling period"),
    LOOM_PARAM(struct miss_rate_bypass_config, hold_cycles,
               .unit = LOOM_UNIT_CYCLE,
               .doc = "How long a decision holds before the next sample; 0: "
                      "until the next kernel"),
    LOOM_PARAM(struct miss_rate_bypass_config, min_accesses,
               .unit = LOOM_UNIT_REQUEST, .def = {.u = 1},
               .doc = "A sample of fewer accesses is decided by `few`"),
    LOOM_PARAM(struct miss_rate_bypass_config, few, .def = {.s = "bypass"},
               .choices = few_choices, .doc = "Decision if there were too few",
               .source = "two-level bypassing (002), section 4"),
    LOOM_PARAM(struct miss_rate_bypass_config, pending_hits_miss,
               .def = {.b = true},
               .doc = "Accesses to data that is on its way count as misses"),
    LOOM_PARAM(struct miss_rate_bypass_config, count_stores,
               .def = {.b = false}, .doc = "Stores count as accesses, too"),
    LOOM_BYPASS_PARAMS(struct miss_rate_bypass_config),
};

static const struct loom_stat mrb_stat_table[] = {
    LOOM_GAUGE(struct miss_rate_bypass_stats, mode, LOOM_UNIT_NONE,
               "What it does now: 0 caches, 1 samples, 2 bypasses"),
    LOOM_VECTOR(struct miss_rate_bypass_stats, mode_cycles, "mode", mode_keys,
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
    .facets = LOOM_SLICE(mrb_facets),
    .init = mrb_init,
    .settle = mrb_settle,
    .check = mrb_check,
    .cost = miss_rate_bypass_cost,
};
