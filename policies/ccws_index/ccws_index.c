/*
 * ccws_index: the set is shifted by seven for each tag.
 *
 * With A the address, s = log2(line), n sets and tag = A >> (s + log2(n)),
 * the set is ((A >> s) + 7 * tag) modulo n: the index of the simulator that
 * was published with Rogers et al., "Cache-conscious wavefront scheduling",
 * MICRO 2012.
 */
#include "policies/lib/index.h"

enum {
    STEP = 7
};

static uint32_t ccws_set(struct loom_policy *self, loom_addr line)
{
    const struct loom_index *index = loom_policy_state(self);
    loom_addr number = line >> index->shift;

    return (uint32_t)(number + STEP * (number >> index->bits)) & index->mask;
}

static const struct loom_set_index_ops ccws_set_index = {
    .bind = loom_index_bind,
    .index = ccws_set,
};

const struct loom_policy_type ccws_index_policy = {
    .name = "ccws_index",
    .doc = "Set of the line's number plus seven times its tag",
    .state_size = sizeof(struct loom_index),
    .facets = LOOM_FACETS({&loom_set_index_hook, &ccws_set_index}),
    .cost = loom_cost_none,
};
