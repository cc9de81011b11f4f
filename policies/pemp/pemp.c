/*
 * pemp: loads that missed in one window go around in the next.
 *
 * An approximation of "Early miss prediction based periodic cache bypassing
 * for high performance GPUs" (Do, Kim and Kim, 2017), of which only the
 * abstract is at hand: time is divided into windows; in a monitored one every
 * access is looked up and each load's miss rate is taken; in the
 * `bypass_windows` that follow, loads that are predicted to miss go around
 * before they are looked up, the others do not.
 *
 * The prediction is a load's miss rate in the monitored window, or whether a
 * copy of the cache's tags lacks the block (`predictor` = tags), which is
 * what the abstract speaks of.
 *
 * The end of a window is noticed by what comes after it, which is the same
 * as a timer: nothing that a window counts happens in between.
 */
#include <string.h>

#include "policies/lib/bypass.h"

struct pemp_config {
    uint64_t window_cycles;
    const char *predictor;
    uint32_t bypass_windows, entries, min_accesses;
    double threshold;
    bool pending_hits_miss;
    uint32_t fetch_bytes;
    bool merge;
};

enum mode {
    MONITOR,
    BYPASS,
    MODES
};

struct pemp_stats {
    uint64_t mode, mode_cycles[MODES], windows;
    uint64_t loads, bypasses, monitored_accesses, monitored_misses;
    uint64_t predicted_entries, predictions, right_predictions;
    struct loom_array bypasses_by_entry;
};

struct entry {
    uint32_t accesses, misses; /* in this monitored window */
    bool misses_next;          /* predicted by the last one */
    bool known;                /* there was enough to predict from */
};

struct pemp {
    enum mode mode;
    loom_cycle end, counted;
    struct entry *entry; /* [entries] */
    bool by_tags;
    uint32_t lines, ways;
    loom_addr *tag; /* [lines] block + 1; 0: none */
};

static bool pemp_init(struct loom_policy *self, struct loom_error *err)
{
    const struct pemp_config *config = loom_policy_config(self);
    struct pemp *p = loom_policy_state(self);
    struct pemp_stats *stats = loom_policy_stats(self);

    p->entry = loom_policy_alloc(self, config->entries, sizeof(*p->entry));
    loom_policy_array(self, &stats->bypasses_by_entry, config->entries);
    p->end = config->window_cycles;
    p->by_tags = strcmp(config->predictor, "tags") == 0;
    return loom_policy_has_memory(self, err);
}

static bool pemp_bind(struct loom_policy *self,
                      const struct loom_observe_shape *shape,
                      struct loom_error *err)
{
    struct pemp *p = loom_policy_state(self);

    p->ways = shape->ways;
    p->lines = shape->sets * shape->ways;
    p->tag = loom_policy_alloc(self, p->lines, sizeof(*p->tag));
    return loom_policy_has_memory(self, err);
}

static void count_cycles(struct loom_policy *self, loom_cycle at)
{
    struct pemp *p = loom_policy_state(self);
    struct pemp_stats *stats = loom_policy_stats(self);

    if (at > p->counted) {
        stats->mode_cycles[p->mode] += at - p->counted;
        p->counted = at;
    }
}

static void predict(struct loom_policy *self)
{
    const struct pemp_config *config = loom_policy_config(self);
    struct pemp *p = loom_policy_state(self);
    struct pemp_stats *stats = loom_policy_stats(self);

    stats->predicted_entries = 0;
    stats->windows++;
    for (uint32_t i = 0; i < config->entries; i++) {
        struct entry *e = &p->entry[i];

        e->known = e->accesses >= config->min_accesses && e->accesses != 0;
        e->misses_next =
            e->known &&
            (double)e->misses > config->threshold * (double)e->accesses;
        stats->predicted_entries += e->misses_next;
        e->accesses = 0;
        e->misses = 0;
    }
}

/* Whole periods may have passed with nothing in them. */
static void advance(struct loom_policy *self, loom_cycle now)
{
    const struct pemp_config *config = loom_policy_config(self);
    struct pemp *p = loom_policy_state(self);
    struct pemp_stats *stats = loom_policy_stats(self);

    while (p->end <= now) {
        count_cycles(self, p->end);
        if (p->mode == MONITOR) {
            predict(self);
            p->mode = BYPASS;
            p->end += config->window_cycles * config->bypass_windows;
        } else {
            p->mode = MONITOR;
            p->end += config->window_cycles;
        }
        stats->mode = p->mode;
    }
}

/* ---- the copy of the tags ---- */

static bool holds(const struct pemp *p, loom_addr block)
{
    for (uint32_t i = 0; i < p->lines; i++) {
        if (p->tag[i] == block + 1) {
            return true;
        }
    }
    return false;
}

static void copy_tag(struct pemp *p, const struct loom_event *event)
{
    if (event->way < p->ways) {
        p->tag[event->set * p->ways + event->way] =
            event->kind == LOOM_EVENT_ALLOCATE ? event->request->block + 1 : 0;
    }
}

/* ---- questions and events ---- */

static enum loom_admit pemp_admit(struct loom_policy *self,
                                  const struct loom_mem_request *request,
                                  struct loom_bypass *bypass)
{
    const struct pemp_config *config = loom_policy_config(self);
    const struct pemp *p = loom_policy_state(self);
    struct pemp_stats *stats = loom_policy_stats(self);
    uint32_t entry = request->inst % config->entries;

    advance(self, loom_policy_now(self));
    if (p->mode != BYPASS || !loom_bypass_load(request) ||
        (p->by_tags ? holds(p, request->block)
                    : !p->entry[entry].misses_next)) {
        return LOOM_ADMIT_DEFAULT;
    }
    loom_bypass_set(bypass, config->fetch_bytes, config->merge);
    stats->bypasses++;
    stats->bypasses_by_entry.item[entry]++;
    return LOOM_ADMIT_BYPASS;
}

static void monitor(struct loom_policy *self, const struct loom_event *event)
{
    const struct pemp_config *config = loom_policy_config(self);
    struct pemp *p = loom_policy_state(self);
    struct pemp_stats *stats = loom_policy_stats(self);
    struct entry *e = &p->entry[event->inst % config->entries];
    bool missed =
        event->kind == LOOM_EVENT_MISS ||
        (event->kind == LOOM_EVENT_PENDING_HIT && config->pending_hits_miss);

    if (e->known) {
        stats->predictions++;
        stats->right_predictions += e->misses_next == missed;
    }
    e->accesses++;
    e->misses += missed;
    stats->monitored_accesses++;
    stats->monitored_misses += missed;
}

static void pemp_watch(struct loom_policy *self, const struct loom_event *event)
{
    struct pemp *p = loom_policy_state(self);
    struct pemp_stats *stats = loom_policy_stats(self);

    if (event->kind == LOOM_EVENT_ALLOCATE || event->kind == LOOM_EVENT_EVICT) {
        copy_tag(p, event);
        return;
    }
    if (!loom_bypass_load(event->request)) {
        return;
    }
    advance(self, loom_policy_now(self));
    if (event->kind == LOOM_EVENT_ACCESS) {
        stats->loads++;
    } else if (p->mode == MONITOR) {
        monitor(self, event);
    }
}

static void pemp_settle(struct loom_policy *self, loom_cycle now)
{
    advance(self, now);
    count_cycles(self, now);
}

static bool pemp_check(struct loom_policy *self, struct loom_error *err)
{
    const struct pemp_stats *s = loom_policy_stats(self);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < s->bypasses_by_entry.count; i++) {
        sum += s->bypasses_by_entry.item[i];
    }
    if (sum != s->bypasses || s->bypasses > s->loads ||
        s->monitored_misses > s->monitored_accesses ||
        s->right_predictions > s->predictions) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "bypasses %llu are %llu by entry, of %llu loads",
                         (unsigned long long)s->bypasses,
                         (unsigned long long)sum, (unsigned long long)s->loads);
    }
    return true;
}

static const struct loom_admit_ops pemp_admit_ops = {.admit = pemp_admit};
static const struct loom_observe_ops pemp_observe = {
    .events = LOOM_EVENT(ACCESS) | LOOM_EVENT(HIT) | LOOM_EVENT(PENDING_HIT) |
              LOOM_EVENT(MISS) | LOOM_EVENT(ALLOCATE) | LOOM_EVENT(EVICT),
    .bind = pemp_bind,
    .observe = pemp_watch,
};

static void pemp_cost(const void *config, const struct loom_cost_shape *shape,
                      struct loom_cost *cost)
{
    const struct pemp_config *k = config;
    uint32_t bits = loom_bits_for(k->window_cycles + 1);

    if (strcmp(k->predictor, "tags") == 0) {
        loom_cost_add(cost, "tags", (uint64_t)shape->sets * shape->ways,
                      loom_cost_tag_bits(shape, shape->sets) + 1,
                      "A copy of the cache's tags, and valid bits");
    } else {
        loom_cost_add(cost, "entry", k->entries, 2 * bits + 1,
                      "Accesses and misses of a load, and its prediction");
    }
    loom_cost_add(cost, "timer", 1,
                  loom_bits_for(k->window_cycles * (k->bypass_windows + 1)),
                  "Cycles of monitored and other windows");
}

static const char *const mode_keys[MODES] = {"monitor", "bypass"};

static const struct loom_param pemp_params[] = {
    LOOM_PARAM(struct pemp_config, window_cycles, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 5000}, .min = {.u = 64},
               .max = {.u = UINT64_C(1) << 40}, .doc = "Length of a window"),
    LOOM_PARAM(struct pemp_config, predictor, .def = {.s = "load"},
               .choices = LOOM_CHOICES("load", "tags"),
               .doc = "What predicts a miss: the load's miss rate in the "
                      "monitored window, or that a copy of the tags lacks the "
                      "block",
               .source = "PEMP, 2017: the abstract has a copy of the tags"),
    LOOM_PARAM(struct pemp_config, bypass_windows, .def = {.u = 4},
               .min = {.u = 1}, .max = {.u = 1u << 20},
               .doc = "Windows of bypassing after a monitored one"),
    LOOM_PARAM(struct pemp_config, entries, .def = {.u = 128}, .min = {.u = 1},
               .max = {.u = 65536},
               .doc = "Loads that are predicted, by the low bits of their "
                      "static index"),
    LOOM_PARAM(struct pemp_config, threshold, .unit = LOOM_UNIT_RATIO,
               .def = {.f = 0.9}, .min = {.f = 0}, .max = {.f = 1},
               .doc = "A load whose miss rate was above it is predicted to "
                      "miss"),
    LOOM_PARAM(struct pemp_config, min_accesses, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 16}, .doc = "Fewer in a window predict nothing"),
    LOOM_PARAM(struct pemp_config, pending_hits_miss, .def = {.b = true},
               .doc = "Accesses to data that is on its way count as misses"),
    LOOM_BYPASS_PARAMS(struct pemp_config),
};

static const struct loom_stat pemp_stat_table[] = {
    LOOM_GAUGE(struct pemp_stats, mode, LOOM_UNIT_NONE,
               "What it does now: 0 monitors, 1 bypasses"),
    LOOM_VECTOR(struct pemp_stats, mode_cycles, "ran_in", mode_keys,
                LOOM_UNIT_CYCLE, "Cycles in each mode"),
    LOOM_COUNTER(struct pemp_stats, windows, LOOM_UNIT_EVENT,
                 "Monitored windows that have ended"),
    LOOM_COUNTER(struct pemp_stats, loads, LOOM_UNIT_REQUEST,
                 "Accesses of loads, sent around or not"),
    LOOM_COUNTER(struct pemp_stats, bypasses, LOOM_UNIT_REQUEST,
                 "Accesses predicted to miss and sent around"),
    LOOM_COUNTER(struct pemp_stats, monitored_accesses, LOOM_UNIT_REQUEST,
                 "Accesses of loads in monitored windows"),
    LOOM_COUNTER(struct pemp_stats, monitored_misses, LOOM_UNIT_REQUEST,
                 "Of these, misses"),
    LOOM_GAUGE(struct pemp_stats, predicted_entries, LOOM_UNIT_NONE,
               "Entries that the last window predicts to miss"),
    LOOM_COUNTER(struct pemp_stats, predictions, LOOM_UNIT_REQUEST,
                 "Monitored accesses for which the window before had a "
                 "prediction"),
    LOOM_COUNTER(struct pemp_stats, right_predictions, LOOM_UNIT_REQUEST,
                 "Of these, right"),
    LOOM_RATIO(struct pemp_stats, accuracy, right_predictions, predictions,
               LOOM_UNIT_RATIO, "Share of predictions that were right"),
    LOOM_ARRAY(struct pemp_stats, bypasses_by_entry, "entry", LOOM_UNIT_REQUEST,
               "Accesses sent around, by entry"),
};

const struct loom_policy_type pemp_policy = {
    .name = "pemp",
    .doc = "Loads that missed in a monitored window go around for a while; an "
           "approximation",
    .state_size = sizeof(struct pemp),
    .config_size = sizeof(struct pemp_config),
    .stats_size = sizeof(struct pemp_stats),
    .params = LOOM_SLICE(pemp_params),
    .stats = LOOM_SLICE(pemp_stat_table),
    .facets = LOOM_FACETS({&loom_admit_hook, &pemp_admit_ops},
                          {&loom_cache_observe_hook, &pemp_observe}),
    .init = pemp_init,
    .settle = pemp_settle,
    .check = pemp_check,
    .cost = pemp_cost,
};
