/*
 * carb: every window's miss rate says which share of the loads goes around.
 *
 * An approximation of "Application characteristics-aware sporadic cache
 * bypassing for high performance GPGPUs" (Do, Kim and Kim, 2018), of which
 * only the title is at hand.  The miss rate of the loads that were looked up
 * in a window puts the program into one of three classes; each class has a
 * share of loads that go around in the next window, here and there among the
 * others.
 *
 * Which ones is a hash of the request, so one that is refused and asked about
 * again gets the same answer, and no call counts as an access.
 */
#include <string.h>

#include "policies/lib/bypass.h"

struct carb_config {
    uint64_t window_cycles;
    uint32_t min_accesses;
    double low, high, low_share, middle_share, high_share;
    const char *unit;
    bool pending_hits_miss;
    uint32_t fetch_bytes;
    bool merge;
};

enum class {
    LOW,
    MIDDLE,
    HIGH,
    CLASSES
};

struct carb_stats {
    uint64_t class, class_cycles[CLASSES], windows[CLASSES], kept_windows;
    uint64_t loads, bypasses, sampled_accesses, sampled_misses;
};

struct carb {
    enum class class;
    uint32_t share; /* of 2^24 */
    bool by_access;
    loom_cycle end, counted;
    uint64_t accesses, misses; /* in this window */
};

static bool carb_init(struct loom_policy *self, struct loom_error *err)
{
    const struct carb_config *config = loom_policy_config(self);
    struct carb *c = loom_policy_state(self);

    (void)err;
    c->by_access = strcmp(config->unit, "access") == 0;
    c->end = config->window_cycles;
    return true;
}

static bool carb_validate(const void *config, struct loom_error *err)
{
    const struct carb_config *k = config;

    if (k->low > k->high) {
        return loom_fail(err, LOOM_ERR_CONFIG, "low %g is above high %g",
                         k->low, k->high);
    }
    return true;
}

static void count_cycles(struct loom_policy *self, loom_cycle at)
{
    struct carb *c = loom_policy_state(self);
    struct carb_stats *stats = loom_policy_stats(self);

    if (at > c->counted) {
        stats->class_cycles[c->class] += at - c->counted;
        c->counted = at;
    }
}

static void classify(struct loom_policy *self)
{
    const struct carb_config *config = loom_policy_config(self);
    struct carb *c = loom_policy_state(self);
    struct carb_stats *stats = loom_policy_stats(self);
    double accesses = (double)c->accesses, misses = (double)c->misses;
    double share;

    if (c->accesses == 0 || c->accesses < config->min_accesses) {
        stats->kept_windows++;
        return;
    }
    c->class = misses > config->high * accesses  ? HIGH
               : misses < config->low * accesses ? LOW
                                                 : MIDDLE;
    share = c->class == HIGH  ? config->high_share
            : c->class == LOW ? config->low_share
                              : config->middle_share;
    c->share = (uint32_t)(share * (double)(1u << 24));
    c->accesses = 0;
    c->misses = 0;
    stats->windows[c->class]++;
    stats->class = c->class;
}

static void advance(struct loom_policy *self, loom_cycle now)
{
    const struct carb_config *config = loom_policy_config(self);
    struct carb *c = loom_policy_state(self);

    while (c->end <= now) {
        count_cycles(self, c->end);
        classify(self);
        c->end += config->window_cycles;
    }
}

/* 24 bits that depend on nothing but the request. */
static uint32_t draw(const struct carb *c, const struct loom_mem_request *r)
{
    uint64_t x = r->born * UINT64_C(0x9E3779B97F4A7C15);

    x ^= (uint64_t)r->warp << 32 | r->inst;
    x ^= c->by_access ? r->block : 0;
    x = (x ^ x >> 31) * UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(x >> 40);
}

static enum loom_admit carb_admit(struct loom_policy *self,
                                  const struct loom_mem_request *request,
                                  struct loom_bypass *bypass)
{
    const struct carb_config *config = loom_policy_config(self);
    const struct carb *c = loom_policy_state(self);
    struct carb_stats *stats = loom_policy_stats(self);

    advance(self, loom_policy_now(self));
    if (!loom_bypass_load(request) || draw(c, request) >= c->share) {
        return LOOM_ADMIT_DEFAULT;
    }
    loom_bypass_set(bypass, config->fetch_bytes, config->merge);
    stats->bypasses++;
    return LOOM_ADMIT_BYPASS;
}

static void carb_watch(struct loom_policy *self, const struct loom_event *event)
{
    const struct carb_config *config = loom_policy_config(self);
    struct carb *c = loom_policy_state(self);
    struct carb_stats *stats = loom_policy_stats(self);
    bool missed;

    if (!loom_bypass_load(event->request)) {
        return;
    }
    advance(self, loom_policy_now(self));
    if (event->kind == LOOM_EVENT_ACCESS) {
        stats->loads++;
        return;
    }
    missed =
        event->kind == LOOM_EVENT_MISS ||
        (event->kind == LOOM_EVENT_PENDING_HIT && config->pending_hits_miss);
    c->accesses++;
    c->misses += missed;
    stats->sampled_accesses++;
    stats->sampled_misses += missed;
}

static void carb_settle(struct loom_policy *self, loom_cycle now)
{
    advance(self, now);
    count_cycles(self, now);
}

static bool carb_check(struct loom_policy *self, struct loom_error *err)
{
    const struct carb_stats *s = loom_policy_stats(self);

    if (s->bypasses > s->loads || s->sampled_misses > s->sampled_accesses ||
        s->bypasses + s->sampled_accesses > s->loads) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "%llu went around and %llu were looked up, of %llu "
                         "loads",
                         (unsigned long long)s->bypasses,
                         (unsigned long long)s->sampled_accesses,
                         (unsigned long long)s->loads);
    }
    return true;
}

static const struct loom_admit_ops carb_admit_ops = {.admit = carb_admit};
static const struct loom_observe_ops carb_observe = {
    .events = LOOM_EVENT(ACCESS) | LOOM_EVENT(HIT) | LOOM_EVENT(PENDING_HIT) |
              LOOM_EVENT(MISS),
    .observe = carb_watch,
};

static void carb_cost(const void *config, const struct loom_cost_shape *shape,
                      struct loom_cost *cost)
{
    const struct carb_config *k = config;
    uint32_t bits = loom_bits_for(k->window_cycles + 1);

    (void)shape;
    loom_cost_add(cost, "counters", 2, bits, "Accesses and misses of a window");
    loom_cost_add(cost, "timer", 1, bits, "Cycles of a window");
    loom_cost_add(cost, "class", 1, loom_bits_for(CLASSES), "Class");
    loom_cost_add(cost, "hash", 1, 24, "Source of what goes around");
}

static const char *const class_keys[CLASSES] = {"low", "middle", "high"};

#define SHARE(field, default_, doc_)                                           \
    LOOM_PARAM(struct carb_config, field, .unit = LOOM_UNIT_RATIO,             \
               .def = {.f = default_}, .min = {.f = 0}, .max = {.f = 1},       \
               .doc = doc_)

static const struct loom_param carb_params[] = {
    LOOM_PARAM(struct carb_config, window_cycles, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 5000}, .min = {.u = 64},
               .max = {.u = UINT64_C(1) << 40}, .doc = "Length of a window"),
    LOOM_PARAM(struct carb_config, min_accesses, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 64},
               .doc = "A window of fewer loads goes on counting in the next, "
                      "and the share stays"),
    SHARE(low, 0.3, "Below this miss rate the class is low"),
    SHARE(high, 0.9, "Above this miss rate the class is high"),
    SHARE(low_share, 0, "Loads that go around in class low"),
    SHARE(middle_share, 0.25, "Loads that go around in class middle"),
    SHARE(high_share, 0.75, "Loads that go around in class high"),
    LOOM_PARAM(struct carb_config, unit, .def = {.s = "instruction"},
               .choices = LOOM_CHOICES("instruction", "access"),
               .doc = "What goes around as one: all accesses of a load, or "
                      "each by itself"),
    LOOM_PARAM(struct carb_config, pending_hits_miss, .def = {.b = true},
               .doc = "Accesses to data that is on its way count as misses"),
    LOOM_BYPASS_PARAMS(struct carb_config),
};

static const struct loom_stat carb_stat_table[] = {
    LOOM_GAUGE(struct carb_stats, class, LOOM_UNIT_NONE,
               "The class now: 0 low, 1 middle, 2 high"),
    LOOM_VECTOR(struct carb_stats, class_cycles, "program_class", class_keys,
                LOOM_UNIT_CYCLE, "Cycles in each class"),
    LOOM_VECTOR(struct carb_stats, windows, "program_class", class_keys,
                LOOM_UNIT_EVENT, "Windows that chose each class"),
    LOOM_COUNTER(struct carb_stats, kept_windows, LOOM_UNIT_EVENT,
                 "Windows of too few loads, which changed nothing"),
    LOOM_COUNTER(struct carb_stats, loads, LOOM_UNIT_REQUEST,
                 "Accesses of loads, sent around or not"),
    LOOM_COUNTER(struct carb_stats, bypasses, LOOM_UNIT_REQUEST,
                 "Accesses sent around"),
    LOOM_COUNTER(struct carb_stats, sampled_accesses, LOOM_UNIT_REQUEST,
                 "Accesses of loads that were looked up"),
    LOOM_COUNTER(struct carb_stats, sampled_misses, LOOM_UNIT_REQUEST,
                 "Of these, misses"),
};

const struct loom_policy_type carb_policy = {
    .name = "carb",
    .doc = "A share of the loads, by the miss rate, goes around here and "
           "there; an approximation",
    .state_size = sizeof(struct carb),
    .config_size = sizeof(struct carb_config),
    .stats_size = sizeof(struct carb_stats),
    .params = LOOM_SLICE(carb_params),
    .stats = LOOM_SLICE(carb_stat_table),
    .facets = LOOM_FACETS({&loom_admit_hook, &carb_admit_ops},
                          {&loom_cache_observe_hook, &carb_observe}),
    .validate = carb_validate,
    .init = carb_init,
    .settle = carb_settle,
    .check = carb_check,
    .cost = carb_cost,
};
