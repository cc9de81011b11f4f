/*
 * ccws_index: the set is shifted by seven for each tag.
 *
 * With A the address, s = log2(line), n sets and tag = A >> (s + log2(n)),
 * the set is ((A >> s) + 7 * tag) modulo n: the index of the simulator that
 * was published with Rogers et al., "Cache-conscious wavefront scheduling",
 * MICRO 2012.
 */
#include "policies/cache_hook.h"

enum {
    STEP = 7
};

struct ccws_index {
    uint32_t shift; /* log2 of the line */
    uint32_t bits;  /* log2 of the sets */
    uint32_t mask;  /* sets - 1 */
};

static bool ccws_bind(struct loom_policy *self,
                      const struct loom_cache_shape *shape,
                      struct loom_error *err)
{
    struct ccws_index *index = loom_policy_state(self);

    if (!loom_is_power_of_2(shape->sets)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "ccws_index does not exist for %u sets, expected a "
                         "power of 2",
                         shape->sets);
    }
    index->shift = loom_log2(shape->line_bytes);
    index->bits = loom_log2(shape->sets);
    index->mask = shape->sets - 1;
    return true;
}

static uint32_t ccws_set(struct loom_policy *self, loom_addr line)
{
    const struct ccws_index *index = loom_policy_state(self);
    loom_addr number = line >> index->shift;

    return (uint32_t)(number + STEP * (number >> index->bits)) & index->mask;
}

static const struct loom_set_index_ops ccws_set_index = {
    .bind = ccws_bind,
    .index = ccws_set,
};

static const struct loom_facet ccws_facets[] = {
    {&loom_set_index_hook, &ccws_set_index},
};

const struct loom_policy_type ccws_index_policy = {
    .name = "ccws_index",
    .doc = "Set of the line's number plus seven times its tag",
    .state_size = sizeof(struct ccws_index),
    .facets = LOOM_SLICE(ccws_facets),
    .cost = loom_cost_none,
};
