/*
 * Power of lines: what a policy says, and what it costs.
 */
#include "components/cache/power.h"

void cache_integrate_power(struct cache *c, loom_cycle now)
{
    struct cache_stats *s = c->stats;
    uint64_t on = c->in_power[LOOM_LINE_ON];
    uint64_t drowsy = c->in_power[LOOM_LINE_DROWSY];
    uint64_t cycles;

    if (now <= c->power_counted) {
        return;
    }
    cycles = now - c->power_counted;
    c->power_counted = now;
    if (c->asleep) {
        drowsy += on;
        on = 0;
    }
    s->line_on_cycles += on * cycles;
    s->line_drowsy_cycles += drowsy * cycles;
    s->line_gated_cycles += c->in_power[LOOM_LINE_GATED] * cycles;
}

static void set_state(struct cache *c, uint32_t at, enum loom_line_power state,
                      loom_cycle now)
{
    struct cache_line *line = &c->line[at];

    if (state != (enum loom_line_power)line->power) {
        cache_integrate_power(c, now);
        c->in_power[line->power]--;
        c->in_power[state]++;
        line->power = (uint8_t)state;
    }
}

/* Its data is gone; its tag is not.  There is room for what it writes back. */
static void empty_gated(struct cache *c, uint32_t at, loom_cycle now)
{
    struct cache_victim victim = cache_victim_of(c, at);

    if (victim.dirty != 0) {
        cache_write_back(c, &victim, now);
    }
    cache_empty_line(c, at);
}

bool cache_set_power(void *cache, uint32_t set, uint32_t way,
                     enum loom_line_power state, loom_cycle now)
{
    struct cache *c = cache;
    uint32_t at = cache_at(c, set, way);

    if (c->line[at].pending != 0 ||
        (state == LOOM_LINE_GATED && c->line[at].dirty != 0 &&
         !cache_room(c, 1, now))) {
        return false;
    }
    set_state(c, at, state, now);
    if (state == LOOM_LINE_GATED) {
        empty_gated(c, at, now);
    }
    return true;
}

void cache_sleep(void *cache, bool asleep, loom_cycle now)
{
    struct cache *c = cache;

    if (asleep != c->asleep) {
        cache_integrate_power(c, now);
        c->asleep = asleep;
    }
}

LOOM_NOINLINE void cache_ask_power(struct cache *c, enum loom_event_kind event,
                                   const struct cache_access *a)
{
    uint32_t at = cache_at(c, a->set, a->way);
    enum loom_line_power state =
        c->power->after(c->power_self, event, a->request, a->set, a->way);

    set_state(c, at, state, a->now);
    if (state == LOOM_LINE_GATED && c->line[at].pending == 0 &&
        event != LOOM_EVENT_EVICT) {
        empty_gated(c, at, a->now);
    }
}
