/*
 * Set dueling: who leads, and the counter.
 */
#include "policies/lib/duel.h"

#include <string.h>

#include "engine/rng.h"

const char *const loom_duel_leader_sets[] = {"stride", "complement", "random",
                                             NULL};

bool loom_duel_validate(const struct loom_duel_config *config,
                        struct loom_error *err)
{
    if (config->psel_start >> config->psel_bits != 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'psel_start' is %u, expected less than "
                         "2^psel_bits, which is %u",
                         config->psel_start, 1u << config->psel_bits);
    }
    return true;
}

static uint32_t leaders_of(const struct loom_duel_config *config, uint32_t sets)
{
    uint32_t eighth = sets / 8 < 32 ? sets / 8 : 32;

    if (config->leaders != 0) {
        return config->leaders;
    }
    return eighth != 0 ? eighth : 1;
}

/* Leaders of the two in turn, as far apart as possible: with 4 of 32 sets
 * 0, 8, 16 and 24 against 4, 12, 20 and 28. */
static void lead_by_stride(struct loom_duel *duel, uint32_t sets,
                           uint32_t leaders)
{
    for (uint64_t i = 0; i < 2 * (uint64_t)leaders; i++) {
        duel->role[i * sets / (2 * (uint64_t)leaders)] = (uint8_t)(i % 2);
    }
}

/* Constituencies of equal size; in number c the set at c leads for the
 * first, that at the complement of c for the second. */
static void lead_by_complement(struct loom_duel *duel, uint32_t sets,
                               uint32_t leaders)
{
    uint32_t size = sets / leaders;

    for (uint32_t c = 0; c < leaders; c++) {
        duel->role[c * size + (c & (size - 1))] = LOOM_DUEL_FIRST;
        duel->role[c * size + (~c & (size - 1))] = LOOM_DUEL_SECOND;
    }
}

static void lead_at_random(struct loom_duel *duel, struct loom_policy *self,
                           uint32_t sets, uint32_t leaders)
{
    for (uint32_t i = 0; i < 2 * leaders; i++) {
        uint32_t set;

        do {
            set = (uint32_t)loom_rng_below(loom_policy_rng(self), sets);
        } while (duel->role[set] != LOOM_DUEL_SIDES);
        duel->role[set] = (uint8_t)(i % 2);
    }
}

static bool fit(struct loom_policy *self, const struct loom_duel_config *config,
                uint32_t sets, uint32_t leaders, struct loom_error *err)
{
    if (2 * (uint64_t)leaders > sets) {
        loom_fail(err, LOOM_ERR_CONFIG,
                  "parameter 'leaders' makes %u leader sets of each policy, "
                  "which do not fit into %u sets: set dueling needs two sets "
                  "at least",
                  leaders, sets);
        return loom_fail_at(err, loom_policy_path(self));
    }
    if (strcmp(config->leader_sets, "complement") == 0 &&
        !(loom_is_power_of_2(sets) && loom_is_power_of_2(leaders))) {
        loom_fail(err, LOOM_ERR_CONFIG,
                  "parameter 'leader_sets' is complement, which does not exist "
                  "for %u leaders in %u sets, expected powers of 2",
                  leaders, sets);
        return loom_fail_at(err, loom_policy_path(self));
    }
    return true;
}

bool loom_duel_bind(struct loom_duel *duel, struct loom_policy *self,
                    const struct loom_cache_shape *shape,
                    const struct loom_duel_config *config,
                    struct loom_duel_stats *stats, struct loom_error *err)
{
    uint32_t leaders = leaders_of(config, shape->sets);

    if (!fit(self, config, shape->sets, leaders, err)) {
        return false;
    }
    duel->role = loom_policy_alloc(self, shape->sets, sizeof(*duel->role));
    if (!loom_policy_has_memory(self, err)) {
        return false;
    }
    memset(duel->role, LOOM_DUEL_SIDES, shape->sets);
    if (strcmp(config->leader_sets, "complement") == 0) {
        lead_by_complement(duel, shape->sets, leaders);
    } else if (strcmp(config->leader_sets, "random") == 0) {
        lead_at_random(duel, self, shape->sets, leaders);
    } else {
        lead_by_stride(duel, shape->sets, leaders);
    }
    duel->half = 1u << (config->psel_bits - 1);
    duel->most = 2 * duel->half - 1;
    duel->psel = config->psel_start != 0 ? config->psel_start : duel->half;
    duel->stats = stats;
    stats->psel = duel->psel;
    return true;
}

static enum loom_duel_side winner(const struct loom_duel *duel)
{
    return duel->psel >= duel->half ? LOOM_DUEL_SECOND : LOOM_DUEL_FIRST;
}

enum loom_duel_side loom_duel_miss(struct loom_duel *duel, uint32_t set)
{
    enum loom_duel_side side = (enum loom_duel_side)duel->role[set];
    enum loom_duel_side before = winner(duel);

    if (side == LOOM_DUEL_SIDES) {
        duel->stats->follower_misses[before]++;
        return before;
    }
    duel->stats->leader_misses[side]++;
    if (side == LOOM_DUEL_FIRST) {
        duel->psel += duel->psel < duel->most;
    } else {
        duel->psel -= duel->psel > 0;
    }
    duel->stats->psel = duel->psel;
    duel->stats->psel_switches += winner(duel) != before;
    return side;
}

void loom_duel_cost(const struct loom_duel_config *config,
                    struct loom_cost *cost)
{
    loom_cost_add(cost, "psel", 1, config->psel_bits,
                  "Counter that the misses of the leader sets drive");
}

bool loom_duel_check(const struct loom_duel *duel,
                     const struct loom_array *insertions,
                     struct loom_error *err)
{
    const struct loom_duel_stats *stats = duel->stats;
    uint64_t counted = 0, inserted = 0;

    if (stats == NULL) { /* not bound: an infinite cache asks nobody */
        return true;
    }
    for (uint32_t i = 0; i < LOOM_DUEL_SIDES; i++) {
        counted += stats->leader_misses[i] + stats->follower_misses[i];
    }
    for (uint32_t i = 0; i < insertions->count; i++) {
        inserted += insertions->item[i];
    }
    if (duel->psel > duel->most || counted != inserted) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "PSEL is %u of at most %u; %llu misses of leaders and "
                         "followers, %llu insertions",
                         duel->psel, duel->most, (unsigned long long)counted,
                         (unsigned long long)inserted);
    }
    return true;
}
