/*
 * fifo: evicts the line that was inserted longest ago, used or not.
 *
 * Each insertion stamps the line with a counter that only grows, so no two
 * lines are ever equally old.
 */
#include "policies/lib/ages.h"

struct fifo {
    uint32_t ways;
    uint64_t clock;    /* insertions so far */
    uint64_t *arrived; /* [sets * ways] value of `clock` at the insertion */
};

static bool fifo_bind(struct loom_policy *self,
                      const struct loom_cache_shape *shape,
                      struct loom_error *err)
{
    struct fifo *fifo = loom_policy_state(self);
    size_t lines = (size_t)shape->sets * shape->ways;

    fifo->ways = shape->ways;
    fifo->arrived = loom_policy_alloc(self, lines, sizeof(*fifo->arrived));
    return loom_policy_has_memory(self, err);
}

static void fifo_inserted(struct loom_policy *self,
                          const struct loom_mem_request *request, uint32_t set,
                          uint32_t way)
{
    struct fifo *fifo = loom_policy_state(self);

    (void)request;
    fifo->arrived[(size_t)set * fifo->ways + way] = ++fifo->clock;
}

static uint32_t fifo_victim(struct loom_policy *self,
                            const struct loom_mem_request *request,
                            uint32_t set, const struct loom_ways *ways)
{
    const struct fifo *fifo = loom_policy_state(self);

    (void)request;
    return loom_oldest_way(fifo->arrived + (size_t)set * fifo->ways, ways);
}

/* A bind for another cache takes another array. */
static struct loom_replacement_hints fifo_hints(struct loom_policy *self)
{
    const struct fifo *fifo = loom_policy_state(self);

    return (struct loom_replacement_hints){.ages = &fifo->arrived};
}

static const struct loom_replacement_ops fifo_replacement = {
    .bind = fifo_bind,
    .victim = fifo_victim,
    .inserted = fifo_inserted,
    .hints = fifo_hints,
};

static void fifo_cost(const void *config, const struct loom_cost_shape *shape,
                      struct loom_cost *cost)
{
    (void)config;
    loom_cost_add(cost, "oldest", shape->sets, loom_bits_for(shape->ways),
                  "Way that came into the set first");
}

const struct loom_policy_type fifo_policy = {
    .name = "fifo",
    .doc = "Evicts the line inserted longest ago",
    .state_size = sizeof(struct fifo),
    .facets = LOOM_FACETS({&loom_replacement_hook, &fifo_replacement}),
    .joins = true,
    .cost = fifo_cost,
};
