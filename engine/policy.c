/*
 * Policy instances: what a policy sees of itself.
 */
#include <string.h>

#include "engine/machine_private.h"

void *loom_policy_state(struct loom_policy *policy)
{
    return policy + 1;
}

const void *loom_policy_config(const struct loom_policy *policy)
{
    return policy->config;
}

void *loom_policy_stats(struct loom_policy *policy)
{
    return policy->stats;
}

const char *loom_policy_path(const struct loom_policy *policy)
{
    return policy->path;
}

const void *loom_policy_type_ops(const struct loom_policy_type *type,
                                 const struct loom_hook *hook)
{
    for (size_t i = 0; i < type->facets.count; i++) {
        if (type->facets.item[i].hook == hook) {
            return type->facets.item[i].ops;
        }
    }
    return NULL;
}

void *loom_policy_alloc(struct loom_policy *policy, size_t count, size_t size)
{
    LOOM_CHECK(!policy->frozen);
    return loom_arena_take(&policy->arena, count, size);
}

void loom_policy_array(struct loom_policy *policy, struct loom_array *array,
                       uint32_t count)
{
    array->count = count;
    array->item = loom_policy_alloc(policy, count, sizeof(*array->item));
}

bool loom_policy_has_memory(const struct loom_policy *policy,
                            struct loom_error *err)
{
    return loom_arena_whole(&policy->arena, err);
}

struct loom_rng *loom_policy_rng(struct loom_policy *policy)
{
    return &policy->rng;
}

bool loom_policy_bits(struct loom_policy *policy, enum loom_bits space,
                      const char *name, uint32_t width, uint32_t *shift,
                      struct loom_error *err)
{
    struct bits *bits = &policy->machine->bits[space];

    LOOM_CHECK(!policy->frozen && width != 0);
    for (uint32_t i = 0; i < bits->count; i++) {
        if (strcmp(bits->name[i], name) == 0) {
            *shift = bits->shift[i];
            return bits->width[i] == width ||
                   loom_fail(err, LOOM_ERR_CONFIG,
                             "policy bits '%s' are %u wide, not %u", name,
                             bits->width[i], width);
        }
    }
    if (bits->used + width > LOOM_BITS) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "policy bits '%s' need %u, but %u of %d are taken",
                         name, width, bits->used, LOOM_BITS);
    }
    *shift = bits->used;
    bits->name[bits->count] =
        loom_arena_text(loom_policy_arena(policy->machine), name);
    bits->shift[bits->count] = *shift;
    bits->width[bits->count++] = width;
    bits->used += width;
    return true;
}

loom_cycle loom_policy_now(const struct loom_policy *policy)
{
    const struct clock *clock = policy->host->clock;
    loom_time now = policy->host->shard->now;

    if (LOOM_LIKELY(clock->base_time == now)) {
        return clock->base;
    }
    return loom_clock_after(clock, now) - 1;
}

static void wake_host(struct loom_policy *policy, loom_cycle at)
{
    struct loom_component *host = policy->host;
    loom_cycle soonest = loom_component_after_now(host);

    loom_clock_catch_up(host->clock, soonest);
    loom_clock_wake(host->clock, host->position, at < soonest ? soonest : at);
}

void loom_policy_wake(struct loom_policy *policy, loom_cycle at)
{
    struct loom_component *host = policy->host;

    policy->timer = at;
    if (at < host->timer) {
        host->timer = at;
    }
    wake_host(policy, at);
}

void loom_policy_kick(struct loom_policy *policy)
{
    wake_host(policy, 0);
}

const struct loom_policy_type *
loom_policy_type_of(const struct loom_policy *policy)
{
    return policy->type;
}

struct loom_component *loom_policy_host(const struct loom_policy *policy)
{
    return policy->host;
}
