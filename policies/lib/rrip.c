/*
 * Predictions, victims and ageing of the RRIP family.
 */
#include "policies/lib/rrip.h"

#include <string.h>

const char *const loom_rrip_promotions[] = {"hit", "frequency", NULL};
const char *const loom_rrip_scans[] = {"lowest", "highest", NULL};
const char *const loom_rrip_ages[] = {"set", "candidates", NULL};

bool loom_rrip_bind(struct loom_policy *self,
                    const struct loom_cache_shape *shape,
                    const struct loom_rrip_config *config,
                    struct loom_error *err)
{
    struct loom_rrip *r = loom_policy_state(self);
    struct loom_rrip_stats *stats = loom_policy_stats(self);
    size_t lines = (size_t)shape->sets * shape->ways;
    uint32_t values = 1u << config->bits;

    r->sets = shape->sets;
    r->ways = shape->ways;
    r->distant = (uint8_t)(values - 1);
    r->by_frequency = strcmp(config->promotion, "frequency") == 0;
    r->highest = strcmp(config->scan, "highest") == 0;
    r->age_all = strcmp(config->age, "set") == 0;
    r->value = loom_policy_alloc(self, lines, sizeof(*r->value));
    loom_policy_array(self, &stats->insertions, values);
    if (!loom_policy_has_memory(self, err)) {
        return false;
    }
    memset(r->value, r->distant, lines);
    return true;
}

void loom_rrip_insert(struct loom_policy *self, uint32_t set, uint32_t way,
                      uint32_t value)
{
    struct loom_rrip *r = loom_policy_state(self);
    struct loom_rrip_stats *stats = loom_policy_stats(self);

    stats->insertions.item[value]++;
    r->value[(size_t)set * r->ways + way] = (uint8_t)value;
}

static uint8_t aged(const struct loom_rrip *r, uint8_t value, uint32_t by)
{
    return value + by < r->distant ? (uint8_t)(value + by) : r->distant;
}

static void age(struct loom_rrip *r, uint8_t *value,
                const struct loom_ways *ways, uint32_t by)
{
    if (r->age_all) {
        for (uint32_t way = 0; way < r->ways; way++) {
            value[way] = aged(r, value[way], by);
        }
        return;
    }
    for (uint32_t i = 0; i < ways->count; i++) {
        value[ways->way[i]] = aged(r, value[ways->way[i]], by);
    }
}

uint32_t loom_rrip_victim(struct loom_policy *self,
                          const struct loom_mem_request *request, uint32_t set,
                          const struct loom_ways *ways)
{
    struct loom_rrip *r = loom_policy_state(self);
    uint8_t *value = r->value + (size_t)set * r->ways;
    uint32_t last = ways->way[0];

    (void)request;
    for (uint32_t i = 1; i < ways->count; i++) {
        uint32_t way = ways->way[i];

        if (value[way] > value[last] ||
            (r->highest && value[way] == value[last])) {
            last = way;
        }
    }
    if (value[last] < r->distant) {
        struct loom_rrip_stats *stats = loom_policy_stats(self);

        stats->agings++;
        age(r, value, ways, (uint32_t)(r->distant - value[last]));
    }
    return last;
}

void loom_rrip_hit(struct loom_policy *self,
                   const struct loom_mem_request *request, uint32_t set,
                   uint32_t way)
{
    struct loom_rrip *r = loom_policy_state(self);
    struct loom_rrip_stats *stats = loom_policy_stats(self);
    uint8_t *value = &r->value[(size_t)set * r->ways + way];

    (void)request;
    if (*value != 0) {
        stats->promotions++;
        *value = r->by_frequency ? (uint8_t)(*value - 1) : 0;
    }
}

void loom_rrip_cost(uint32_t bits, const struct loom_cost_shape *shape,
                    struct loom_cost *cost)
{
    loom_cost_add(cost, "rrpv", (uint64_t)shape->sets * shape->ways, bits,
                  "Re-reference prediction of a line");
}

bool loom_rrip_check(struct loom_policy *self, struct loom_error *err)
{
    const struct loom_rrip *r = loom_policy_state(self);

    for (size_t i = 0; i < (size_t)r->sets * r->ways; i++) {
        if (r->value[i] > r->distant) {
            return loom_fail(err, LOOM_ERR_LAW,
                             "the prediction of line %zu is %u, of at most %u",
                             i, r->value[i], r->distant);
        }
    }
    return true;
}
