/*
 * Recency stacks as arrays of positions: a move is one pass over the set,
 * which compilers make a few vector instructions of for the associativities
 * of caches.
 */
#include "policies/lib/recency.h"

#include <string.h>

bool loom_recency_bind(struct loom_policy *self,
                       const struct loom_cache_shape *shape,
                       struct loom_error *err)
{
    struct loom_recency *r = loom_policy_state(self);
    struct loom_recency_stats *stats = loom_policy_stats(self);
    size_t lines = (size_t)shape->sets * shape->ways;

    if (shape->ways > LOOM_RECENCY_WAYS) {
        return loom_fail(err, LOOM_ERR_CONFIG, "%u ways, expected at most %u",
                         shape->ways, LOOM_RECENCY_WAYS);
    }
    r->sets = shape->sets;
    r->ways = shape->ways;
    r->position = loom_policy_alloc(self, lines, sizeof(*r->position));
    r->seen = loom_policy_alloc(self, shape->ways, sizeof(*r->seen));
    loom_policy_array(self, &stats->insertions, shape->ways);
    if (!loom_policy_has_memory(self, err)) {
        return false;
    }
    for (size_t i = 0; i < lines; i++) {
        r->position[i] = (uint16_t)(i % shape->ways);
    }
    return true;
}

void loom_recency_move(struct loom_recency *r, uint32_t set, uint32_t way,
                       uint32_t to)
{
    uint16_t *position = r->position + (size_t)set * r->ways;
    uint32_t from = position[way];

    if (to < from) {
        for (uint32_t i = 0; i < r->ways; i++) {
            position[i] = (uint16_t)(position[i] +
                                     (position[i] >= to && position[i] < from));
        }
    } else if (to > from) {
        for (uint32_t i = 0; i < r->ways; i++) {
            position[i] = (uint16_t)(position[i] -
                                     (position[i] > from && position[i] <= to));
        }
    }
    position[way] = (uint16_t)to;
}

void loom_recency_insert(struct loom_policy *self, uint32_t set, uint32_t way,
                         uint32_t position)
{
    struct loom_recency_stats *stats = loom_policy_stats(self);

    stats->insertions.item[position]++;
    loom_recency_move(loom_policy_state(self), set, way, position);
}

uint32_t loom_recency_victim(struct loom_policy *self,
                             const struct loom_mem_request *request,
                             uint32_t set, const struct loom_ways *ways)
{
    const struct loom_recency *r = loom_policy_state(self);
    const uint16_t *position = r->position + (size_t)set * r->ways;
    uint32_t last = ways->way[0];

    (void)request;
    for (uint32_t i = 1; i < ways->count; i++) {
        if (position[ways->way[i]] > position[last]) {
            last = ways->way[i];
        }
    }
    return last;
}

void loom_recency_hit(struct loom_policy *self,
                      const struct loom_mem_request *request, uint32_t set,
                      uint32_t way)
{
    struct loom_recency *r = loom_policy_state(self);
    struct loom_recency_stats *stats = loom_policy_stats(self);

    (void)request;
    if (loom_recency_position(r, set, way) != 0) {
        stats->promotions++;
        loom_recency_move(r, set, way, 0);
    }
}

void loom_recency_invalidated(struct loom_policy *self, uint32_t set,
                              uint32_t way)
{
    struct loom_recency *r = loom_policy_state(self);

    loom_recency_move(r, set, way, r->ways - 1);
}

void loom_recency_cost(const void *config, const struct loom_cost_shape *shape,
                       struct loom_cost *cost)
{
    (void)config;
    loom_cost_add(cost, "order", (uint64_t)shape->sets * shape->ways,
                  loom_bits_for(shape->ways),
                  "Place of a line in its set's order");
}

bool loom_recency_check(struct loom_policy *self, struct loom_error *err)
{
    struct loom_recency *r = loom_policy_state(self);

    for (uint32_t set = 0; set < r->sets; set++) {
        memset(r->seen, 0, r->ways * sizeof(*r->seen));
        for (uint32_t way = 0; way < r->ways; way++) {
            uint32_t at = loom_recency_position(r, set, way);

            if (at >= r->ways || r->seen[at]) {
                return loom_fail(err, LOOM_ERR_LAW,
                                 "position %u of way %u in set %u is taken", at,
                                 way, set);
            }
            r->seen[at] = true;
        }
    }
    return true;
}
