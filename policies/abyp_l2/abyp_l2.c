/*
 * abyp_l2: the L2's part of abyp.
 *
 * A line of the L2 remembers that a load went around the L1 for it, of which
 * SM and which load.  If a load that went around asks for the line again, the
 * first one should have been kept: the reply to the second says so with the
 * bit "abyp_false", and the line remembers the second one.
 */
#include <string.h>

#include "policies/cache_hook.h"

struct abyp_l2_config {
    const char *same;
};

struct abyp_l2_stats {
    uint64_t marks, repeats, false_bypasses;
};

struct line {
    uint32_t inst;
    uint16_t sm;
    bool bypassed;
};

struct abyp_l2 {
    struct line *line; /* [sets * ways] */
    uint32_t ways, bit;
    bool same_sm, same_load;
    bool tell; /* what the access in hand is told */
};

static bool abyp_l2_init(struct loom_policy *self, struct loom_error *err)
{
    const struct abyp_l2_config *config = loom_policy_config(self);
    struct abyp_l2 *a = loom_policy_state(self);

    a->same_load = strcmp(config->same, "load") == 0;
    a->same_sm = a->same_load || strcmp(config->same, "sm") == 0;
    return loom_policy_bits(self, LOOM_BITS_REPLY, "abyp_false", 1, &a->bit,
                            err);
}

static bool abyp_l2_bind(struct loom_policy *self,
                         const struct loom_observe_shape *shape,
                         struct loom_error *err)
{
    struct abyp_l2 *a = loom_policy_state(self);
    size_t lines = (size_t)shape->sets * shape->ways;

    a->ways = shape->ways;
    a->line = loom_policy_alloc(self, lines, sizeof(*a->line));
    return loom_policy_has_memory(self, err);
}

static struct line *line_of(struct abyp_l2 *a, const struct loom_event *event)
{
    return &a->line[(size_t)event->set * a->ways + event->way];
}

static bool went_around(const struct loom_mem_request *r)
{
    return r->kind == LOOM_MEM_LOAD && (r->bypassed & LOOM_LEVEL_L1) != 0;
}

static void note_use(struct loom_policy *self, const struct loom_event *event)
{
    struct abyp_l2 *a = loom_policy_state(self);
    struct abyp_l2_stats *stats = loom_policy_stats(self);
    const struct loom_mem_request *r = event->request;
    struct line *line = line_of(a, event);

    if (line->bypassed) {
        stats->repeats++;
        a->tell = (!a->same_sm || line->sm == r->sm) &&
                  (!a->same_load || line->inst == r->inst);
    }
    stats->marks++;
    *line = (struct line){r->inst, r->sm, true};
}

static void abyp_l2_watch(struct loom_policy *self,
                          const struct loom_event *event)
{
    struct abyp_l2 *a = loom_policy_state(self);

    if (event->kind == LOOM_EVENT_EVICT) {
        line_of(a, event)->bypassed = false;
        return;
    }
    if (event->kind == LOOM_EVENT_ACCESS) {
        a->tell = false;
        return;
    }
    if (went_around(event->request) && event->way < a->ways) {
        note_use(self, event);
    }
}

static uint16_t abyp_l2_answer(struct loom_policy *self,
                               const struct loom_mem_request *request)
{
    struct abyp_l2 *a = loom_policy_state(self);
    struct abyp_l2_stats *stats = loom_policy_stats(self);

    if (!a->tell || !went_around(request)) {
        return 0;
    }
    a->tell = false;
    stats->false_bypasses++;
    return (uint16_t)loom_bit(a->bit);
}

static bool abyp_l2_check(struct loom_policy *self, struct loom_error *err)
{
    const struct abyp_l2_stats *s = loom_policy_stats(self);

    if (s->false_bypasses > s->repeats || s->repeats > s->marks) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "told of %llu false bypasses of %llu repeats",
                         (unsigned long long)s->false_bypasses,
                         (unsigned long long)s->repeats);
    }
    return true;
}

static const struct loom_allocation_ops abyp_l2_allocation = {
    .answer = abyp_l2_answer};
static const struct loom_observe_ops abyp_l2_observe = {
    .events = LOOM_EVENT(ACCESS) | LOOM_EVENT(HIT) | LOOM_EVENT(PENDING_HIT) |
              LOOM_EVENT(ALLOCATE) | LOOM_EVENT(EVICT),
    .bind = abyp_l2_bind,
    .observe = abyp_l2_watch,
};

static void abyp_l2_cost(const void *config,
                         const struct loom_cost_shape *shape,
                         struct loom_cost *cost)
{
    const struct abyp_l2_config *k = config;
    bool load = strcmp(k->same, "load") == 0;
    bool sm = load || strcmp(k->same, "sm") == 0;

    loom_cost_add(cost, "line", (uint64_t)shape->sets * shape->ways,
                  1 + (sm ? loom_bits_for(shape->sms) : 0) +
                      (load ? shape->pc_bits : 0),
                  "Whether a load went around the L1 for it, and which");
}

static const struct loom_param abyp_l2_params[] = {
    LOOM_PARAM(struct abyp_l2_config, same, .def = {.s = "sm"},
               .choices = LOOM_CHOICES("any", "sm", "load"),
               .doc = "Whose second request proves a false bypass: anybody's, "
                      "the same SM's, or that of its same load"),
};

static const struct loom_stat abyp_l2_stat_table[] = {
    LOOM_COUNTER(struct abyp_l2_stats, marks, LOOM_UNIT_REQUEST,
                 "Loads that went around the L1 and have a line here"),
    LOOM_COUNTER(struct abyp_l2_stats, repeats, LOOM_UNIT_REQUEST,
                 "Of these, to a line that another one had asked for"),
    LOOM_COUNTER(struct abyp_l2_stats, false_bypasses, LOOM_UNIT_REQUEST,
                 "Of these, told that the bypass was false"),
};

const struct loom_policy_type abyp_l2_policy = {
    .name = "abyp_l2",
    .doc = "Tells abyp when a line that went around the L1 is asked for again",
    .state_size = sizeof(struct abyp_l2),
    .config_size = sizeof(struct abyp_l2_config),
    .stats_size = sizeof(struct abyp_l2_stats),
    .params = LOOM_SLICE(abyp_l2_params),
    .stats = LOOM_SLICE(abyp_l2_stat_table),
    .facets = LOOM_FACETS({&loom_allocation_hook, &abyp_l2_allocation},
                          {&loom_cache_observe_hook, &abyp_l2_observe}),
    .init = abyp_l2_init,
    .check = abyp_l2_check,
    .cost = abyp_l2_cost,
};
