/*
 * min: evicts the line that is needed again last (Belady, "A study of
 * replacement algorithms for a virtual-storage computer", IBM Systems Journal
 * 1966).
 *
 * No other policy that gives every missing line a place misses less on the
 * same accesses.  It has to know them, so it works only in a cache whose
 * accesses do not depend on what hits: those of loom.locality, which has no
 * time.  In a timed cache another victim means other accesses afterwards;
 * there is no future to look at before it has happened, and what one run
 * recorded is not what the next one does.
 */
#include "policies/cache_hook.h"

struct min {
    const struct loom_cache_host *host;
};

static bool min_bind(struct loom_policy *self,
                     const struct loom_cache_shape *shape,
                     struct loom_error *err)
{
    struct min *min = loom_policy_state(self);

    if (shape->host == NULL || shape->host->next_use == NULL) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "min needs to know the accesses to come, which only "
                         "loom.locality does: in a timed cache they "
                         "depend on what hits");
    }
    min->host = shape->host;
    return true;
}

static uint32_t min_victim(struct loom_policy *self,
                           const struct loom_mem_request *request, uint32_t set,
                           const struct loom_ways *ways)
{
    const struct min *min = loom_policy_state(self);
    uint32_t last = ways->way[0];
    uint64_t latest = min->host->next_use(min->host->cache, set, last);

    (void)request;
    for (uint32_t i = 1; i < ways->count && latest != LOOM_NEVER; i++) {
        uint32_t way = ways->way[i];
        uint64_t next = min->host->next_use(min->host->cache, set, way);

        if (next > latest) {
            last = way;
            latest = next;
        }
    }
    return last;
}

static const struct loom_replacement_ops min_replacement = {
    .bind = min_bind,
    .victim = min_victim,
    .needs_future = true,
};

const struct loom_policy_type min_policy = {
    .name = "min",
    .doc = "Evicts the line that is needed again last (Belady's bound)",
    .state_size = sizeof(struct min),
    .facets = LOOM_FACETS({&loom_replacement_hook, &min_replacement}),
    .cost = loom_cost_none,
};
