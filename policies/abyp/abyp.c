/*
 * abyp: loads whose lines leave the cache unused go around it.
 *
 * Adaptive GPU cache bypassing (Tian et al., GPGPU-8, 2015).  A table of
 * saturating counters is indexed by a hash of the load's address in memory,
 * which differs from kernel to kernel; a line remembers the hash of the load
 * that brought it and whether it was used again.  A line
 * that is replaced unused counts its load up, a use counts it down; an access
 * whose counter has reached the threshold goes around.  What goes around
 * teaches nothing here, so a part at the L2 (policy abyp_l2) tells in the
 * reply when a line was asked for again: the bit "abyp_false".
 */
#include <string.h>

#include "policies/lib/bypass.h"
#include "policies/lib/load_table.h"

struct abyp_config {
    uint32_t entries, counter_bits, threshold;
    const char *when, *false_bypass, *forget;
    bool pending_hits_reuse;
    uint32_t fetch_bytes;
    bool merge;
};

struct abyp_stats {
    uint64_t loads, bypasses, unallocated, false_bypasses;
    uint64_t dead_lines, used_lines, reuses, forgotten;
    uint64_t bypassing_entries;
    struct loom_array dead_by_entry, reuses_by_entry, bypasses_by_entry;
};

struct line {
    uint16_t entry;
    bool known; /* brought in by a load */
    bool reused;
};

struct abyp {
    uint16_t *counter; /* [entries] */
    struct line *line; /* [sets * ways] */
    uint32_t ways, bit;
    uint16_t limit;
    bool on_miss, reset, per_kernel;
    const struct loom_mem_request *refused; /* a way, just now */
    struct loom_load_table loads;
};

static bool abyp_init(struct loom_policy *self, struct loom_error *err)
{
    const struct abyp_config *config = loom_policy_config(self);
    struct abyp *a = loom_policy_state(self);
    struct abyp_stats *stats = loom_policy_stats(self);

    a->limit = (uint16_t)((1u << config->counter_bits) - 1);
    a->on_miss = strcmp(config->when, "miss") == 0;
    a->reset = strcmp(config->false_bypass, "reset") == 0;
    a->per_kernel = strcmp(config->forget, "kernel") == 0;
    a->counter = loom_policy_alloc(self, config->entries, sizeof(*a->counter));
    loom_policy_array(self, &stats->dead_by_entry, config->entries);
    loom_policy_array(self, &stats->reuses_by_entry, config->entries);
    loom_policy_array(self, &stats->bypasses_by_entry, config->entries);
    return loom_policy_has_memory(self, err) &&
           loom_load_table_init(&a->loads, self, config->entries, err) &&
           loom_policy_bits(self, LOOM_BITS_REPLY, "abyp_false", 1, &a->bit,
                            err);
}

static bool abyp_validate(const void *config, struct loom_error *err)
{
    const struct abyp_config *k = config;

    if (k->threshold >= 1u << k->counter_bits) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "threshold %u is more than a counter of %u bits "
                         "holds, which is %u",
                         k->threshold, k->counter_bits,
                         (1u << k->counter_bits) - 1);
    }
    return true;
}

static bool abyp_bind(struct loom_policy *self,
                      const struct loom_observe_shape *shape,
                      struct loom_error *err)
{
    struct abyp *a = loom_policy_state(self);
    size_t lines = (size_t)shape->sets * shape->ways;

    a->ways = shape->ways;
    a->line = loom_policy_alloc(self, lines, sizeof(*a->line));
    return loom_policy_has_memory(self, err);
}

/* Loads of all kernels have an entry each while there are any, in the order
 * of the first launches; the rest share them by their static index. */
static uint32_t entry_of(struct loom_policy *self,
                         const struct loom_mem_request *request)
{
    const struct abyp_config *config = loom_policy_config(self);
    struct abyp *a = loom_policy_state(self);
    uint32_t row =
        loom_load_table_find(&a->loads, request->kernel, request->inst);

    return row != LOOM_NO_ROW ? row : request->inst % config->entries;
}

static bool avoids(struct loom_policy *self,
                   const struct loom_mem_request *request)
{
    const struct abyp_config *config = loom_policy_config(self);
    const struct abyp *a = loom_policy_state(self);

    return loom_bypass_load(request) &&
           a->counter[entry_of(self, request)] >= config->threshold;
}

static enum loom_admit abyp_admit(struct loom_policy *self,
                                  const struct loom_mem_request *request,
                                  struct loom_bypass *bypass)
{
    const struct abyp_config *config = loom_policy_config(self);
    const struct abyp *a = loom_policy_state(self);
    struct abyp_stats *stats = loom_policy_stats(self);

    if (a->on_miss || !avoids(self, request)) {
        return LOOM_ADMIT_DEFAULT;
    }
    loom_bypass_set(bypass, config->fetch_bytes, config->merge);
    stats->bypasses++;
    stats->bypasses_by_entry.item[entry_of(self, request)]++;
    return LOOM_ADMIT_BYPASS;
}

/* May be refused afterwards and asked again: counted when it is a miss. */
static enum loom_allocate abyp_allocate(struct loom_policy *self,
                                        const struct loom_mem_request *request,
                                        uint32_t set,
                                        struct loom_bypass *bypass)
{
    const struct abyp_config *config = loom_policy_config(self);
    struct abyp *a = loom_policy_state(self);

    (void)set;
    if (!a->on_miss || !avoids(self, request)) {
        return LOOM_ALLOCATE_DEFAULT;
    }
    a->refused = request;
    loom_bypass_set(bypass, config->fetch_bytes, config->merge);
    return LOOM_NO_ALLOCATE;
}

static struct line *line_of(struct abyp *a, const struct loom_event *event)
{
    return &a->line[(size_t)event->set * a->ways + event->way];
}

static void count_down(struct abyp *a, uint32_t entry)
{
    if (a->counter[entry] > 0) {
        a->counter[entry]--;
    }
}

static void count_up(struct abyp *a, uint32_t entry)
{
    if (a->counter[entry] < a->limit) {
        a->counter[entry]++;
    }
}

static void note_use(struct loom_policy *self, const struct loom_event *event)
{
    struct abyp *a = loom_policy_state(self);
    struct abyp_stats *stats = loom_policy_stats(self);
    struct line *line = line_of(a, event);

    if (!line->known || !loom_bypass_load(event->request)) {
        return;
    }
    line->reused = true;
    count_down(a, line->entry);
    stats->reuses++;
    stats->reuses_by_entry.item[line->entry]++;
}

/* A line that is written or flushed says nothing of its use. */
static void note_eviction(struct loom_policy *self,
                          const struct loom_event *event)
{
    struct abyp *a = loom_policy_state(self);
    struct abyp_stats *stats = loom_policy_stats(self);
    struct line *line = line_of(a, event);

    if (line->known && event->reason == LOOM_EVICT_CAPACITY) {
        if (!line->reused) {
            count_up(a, line->entry);
            stats->dead_by_entry.item[line->entry]++;
        }
        stats->dead_lines += !line->reused;
        stats->used_lines += line->reused;
    }
    line->known = false;
}

static void note_miss(struct loom_policy *self, const struct loom_event *event)
{
    struct abyp *a = loom_policy_state(self);
    struct abyp_stats *stats = loom_policy_stats(self);

    if (a->refused == event->request) {
        stats->unallocated++;
        stats->bypasses_by_entry.item[entry_of(self, event->request)]++;
    }
    a->refused = NULL;
}

static void note_reply(struct loom_policy *self, const struct loom_event *event)
{
    struct abyp *a = loom_policy_state(self);
    struct abyp_stats *stats = loom_policy_stats(self);
    uint32_t entry = entry_of(self, event->request);

    if ((event->request->reply_bits >> a->bit & 1) == 0) {
        return;
    }
    stats->false_bypasses++;
    if (a->reset) {
        a->counter[entry] = 0;
    } else {
        count_down(a, entry);
    }
}

static void abyp_watch(struct loom_policy *self, const struct loom_event *event)
{
    const struct abyp_config *config = loom_policy_config(self);
    struct abyp *a = loom_policy_state(self);
    struct abyp_stats *stats = loom_policy_stats(self);

    switch (event->kind) {
    case LOOM_EVENT_ACCESS:
        stats->loads += loom_bypass_load(event->request);
        break;
    case LOOM_EVENT_PENDING_HIT:
        if (!config->pending_hits_reuse || event->way >= a->ways) {
            break;
        }
        note_use(self, event);
        break;
    case LOOM_EVENT_HIT:
        note_use(self, event);
        break;
    case LOOM_EVENT_MISS:
        note_miss(self, event);
        break;
    case LOOM_EVENT_RESERVATION_FAIL:
        a->refused = NULL;
        break;
    case LOOM_EVENT_ALLOCATE:
        *line_of(a, event) = (struct line){
            .entry = (uint16_t)entry_of(self, event->request),
            .known = loom_bypass_load(event->request),
        };
        break;
    case LOOM_EVENT_EVICT:
        note_eviction(self, event);
        break;
    default:
        note_reply(self, event);
        break;
    }
}

static void abyp_watch_sm(struct loom_policy *self,
                          const struct loom_event *event)
{
    const struct abyp_config *config = loom_policy_config(self);
    struct abyp *a = loom_policy_state(self);
    struct abyp_stats *stats = loom_policy_stats(self);

    (void)event;
    if (a->per_kernel) {
        memset(a->counter, 0, config->entries * sizeof(*a->counter));
        stats->forgotten++;
    }
}

static void abyp_given(struct loom_policy *self, const void *work,
                       uint32_t kind)
{
    struct abyp *a = loom_policy_state(self);

    loom_load_table_given(&a->loads, work, kind);
}

static void abyp_settle(struct loom_policy *self, loom_cycle now)
{
    const struct abyp_config *config = loom_policy_config(self);
    const struct abyp *a = loom_policy_state(self);
    struct abyp_stats *stats = loom_policy_stats(self);

    (void)now;
    stats->bypassing_entries = 0;
    for (uint32_t i = 0; i < config->entries; i++) {
        stats->bypassing_entries += a->counter[i] >= config->threshold;
    }
}

static uint64_t sum(const struct loom_array *array)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < array->count; i++) {
        total += array->item[i];
    }
    return total;
}

static bool abyp_check(struct loom_policy *self, struct loom_error *err)
{
    const struct abyp_stats *s = loom_policy_stats(self);

    if (sum(&s->bypasses_by_entry) != s->bypasses + s->unallocated ||
        sum(&s->dead_by_entry) != s->dead_lines ||
        sum(&s->reuses_by_entry) != s->reuses ||
        s->bypasses + s->unallocated > s->loads) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "counts by entry are not the totals, or more than "
                         "%llu loads went around",
                         (unsigned long long)s->loads);
    }
    return true;
}

static const struct loom_admit_ops abyp_admit_ops = {.admit = abyp_admit};
static const struct loom_allocation_ops abyp_allocation_ops = {
    .allocate = abyp_allocate};
static const struct loom_observe_ops abyp_cache_ops = {
    .events = LOOM_EVENT(ACCESS) | LOOM_EVENT(HIT) | LOOM_EVENT(PENDING_HIT) |
              LOOM_EVENT(MISS) | LOOM_EVENT(ALLOCATE) | LOOM_EVENT(EVICT) |
              LOOM_EVENT(REPLY) | LOOM_EVENT(RESERVATION_FAIL),
    .bind = abyp_bind,
    .observe = abyp_watch,
};
static const struct loom_observe_ops abyp_sm_ops = {
    .events = LOOM_EVENT(KERNEL_START), .observe = abyp_watch_sm};

static void abyp_cost(const void *config, const struct loom_cost_shape *shape,
                      struct loom_cost *cost)
{
    const struct abyp_config *k = config;

    loom_cost_add(cost, "counter", k->entries, k->counter_bits,
                  "Dead lines of a load");
    loom_cost_add(cost, "line", (uint64_t)shape->sets * shape->ways,
                  loom_bits_for(k->entries) + 1,
                  "Load that brought a line, and whether it was used again");
}

static const struct loom_param abyp_params[] = {
    LOOM_PARAM(struct abyp_config, entries, .def = {.u = 128}, .min = {.u = 1},
               .max = {.u = 32768}, .doc = "Counters in the table"),
    LOOM_PARAM(struct abyp_config, counter_bits, .def = {.u = 4},
               .min = {.u = 1}, .max = {.u = 15}, .doc = "Bits of a counter"),
    LOOM_PARAM(struct abyp_config, threshold, .def = {.u = 8}, .min = {.u = 1},
               .doc = "A load whose counter has reached this goes around"),
    LOOM_PARAM(struct abyp_config, when, .def = {.s = "access"},
               .choices = LOOM_CHOICES("access", "miss"),
               .doc = "When it goes around: at each access, or at misses, "
                      "which then take no line"),
    LOOM_PARAM(struct abyp_config, false_bypass, .def = {.s = "decrement"},
               .choices = LOOM_CHOICES("decrement", "reset"),
               .doc = "What the L2's news of a false bypass does to a counter"),
    LOOM_PARAM(struct abyp_config, forget, .def = {.s = "never"},
               .choices = LOOM_CHOICES("never", "kernel"),
               .doc = "When the counters are cleared: never, or whenever a "
                      "kernel starts, also one that ran before"),
    LOOM_PARAM(struct abyp_config, pending_hits_reuse, .def = {.b = true},
               .doc = "An access to data that is on its way is a use"),
    LOOM_BYPASS_PARAMS(struct abyp_config),
};

static const struct loom_stat abyp_stat_table[] = {
    LOOM_COUNTER(struct abyp_stats, loads, LOOM_UNIT_REQUEST,
                 "Accesses of loads, sent around or not"),
    LOOM_COUNTER(struct abyp_stats, bypasses, LOOM_UNIT_REQUEST,
                 "Accesses sent around"),
    LOOM_COUNTER(struct abyp_stats, unallocated, LOOM_UNIT_REQUEST,
                 "Misses that got no line, with when = miss"),
    LOOM_COUNTER(struct abyp_stats, false_bypasses, LOOM_UNIT_EVENT,
                 "Replies in which the L2 told of a false bypass"),
    LOOM_COUNTER(struct abyp_stats, dead_lines, LOOM_UNIT_LINE,
                 "Lines of loads that were replaced unused"),
    LOOM_COUNTER(struct abyp_stats, used_lines, LOOM_UNIT_LINE,
                 "Lines of loads that were replaced after a use"),
    LOOM_COUNTER(struct abyp_stats, reuses, LOOM_UNIT_REQUEST,
                 "Uses of lines that loads brought"),
    LOOM_COUNTER(struct abyp_stats, forgotten, LOOM_UNIT_EVENT,
                 "Times the table was cleared"),
    LOOM_GAUGE(struct abyp_stats, bypassing_entries, LOOM_UNIT_NONE,
               "Counters that have reached the threshold"),
    LOOM_ARRAY(struct abyp_stats, dead_by_entry, "entry", LOOM_UNIT_LINE,
               "Lines replaced unused, by entry of the table"),
    LOOM_ARRAY(struct abyp_stats, reuses_by_entry, "entry", LOOM_UNIT_REQUEST,
               "Uses, by entry of the table"),
    LOOM_ARRAY(struct abyp_stats, bypasses_by_entry, "entry", LOOM_UNIT_REQUEST,
               "Accesses sent around or without a line, by entry"),
};

const struct loom_policy_type abyp_policy = {
    .name = "abyp",
    .doc = "Loads whose lines leave the cache unused go around it",
    .state_size = sizeof(struct abyp),
    .config_size = sizeof(struct abyp_config),
    .stats_size = sizeof(struct abyp_stats),
    .params = LOOM_SLICE(abyp_params),
    .stats = LOOM_SLICE(abyp_stat_table),
    .facets = LOOM_FACETS({&loom_admit_hook, &abyp_admit_ops},
                          {&loom_allocation_hook, &abyp_allocation_ops},
                          {&loom_cache_observe_hook, &abyp_cache_ops},
                          {&loom_sm_observe_hook, &abyp_sm_ops}),
    .validate = abyp_validate,
    .init = abyp_init,
    .given = abyp_given,
    .settle = abyp_settle,
    .check = abyp_check,
    .cost = abyp_cost,
};
