/*
 * Books about lines that are turned off.
 */
#include "policies/lib/gating.h"

bool loom_gating_bind(struct loom_gating *g, struct loom_policy *self,
                      const struct loom_cache_shape *shape,
                      enum loom_line_power state, struct loom_error *err)
{
    g->host = shape->host;
    g->ways = shape->ways;
    g->lines = shape->sets * shape->ways;
    g->state = loom_policy_alloc(self, g->lines, sizeof(*g->state));
    g->since = loom_policy_alloc(self, g->lines, sizeof(*g->since));
    loom_policy_array(self, g->on_cycles, g->lines);
    if (!loom_policy_has_memory(self, err)) {
        return false;
    }
    g->on = g->lines;
    for (uint32_t i = 0; i < g->lines; i++) {
        if (!g->host->power(g->host->cache, i / g->ways, i % g->ways, state,
                            0)) {
            return loom_fail(err, LOOM_ERR_CONFIG, "a line is in use");
        }
        loom_gating_set(g, i / g->ways, i % g->ways, state, 0);
    }
    return true;
}

/* A line that was on. */
static void count(struct loom_gating *g, uint32_t at, loom_cycle now)
{
    if (g->state[at] == LOOM_LINE_ON && now > g->since[at]) {
        g->on_cycles->item[at] += now - g->since[at];
    }
    g->since[at] = now;
}

enum loom_line_power loom_gating_set(struct loom_gating *g, uint32_t set,
                                     uint32_t way, enum loom_line_power state,
                                     loom_cycle now)
{
    uint32_t at = set * g->ways + way;

    if (state != (enum loom_line_power)g->state[at]) {
        count(g, at, now);
        g->on += state == LOOM_LINE_ON;
        g->on -= g->state[at] == LOOM_LINE_ON;
        g->state[at] = (uint8_t)state;
    }
    return state;
}

void loom_gating_prefer(const struct loom_gating *g, uint32_t set,
                        struct loom_ways *ways)
{
    uint32_t off = 0;

    for (uint32_t i = 0; i < ways->count; i++) {
        off += loom_gating_is_off(g, set, ways->way[i]);
    }
    if (off == 0) {
        return;
    }
    off = 0;
    for (uint32_t i = 0; i < ways->count; i++) {
        if (loom_gating_is_off(g, set, ways->way[i])) {
            ways->way[off++] = ways->way[i];
        }
    }
    ways->count = off;
}

void loom_gating_settle(struct loom_gating *g, loom_cycle now)
{
    for (uint32_t i = 0; i < g->lines; i++) {
        count(g, i, now);
    }
}
