/*
 * Ways by age: for policies that give each line of a cache a number, and evict
 * the candidate with the least one.
 */
#ifndef POLICIES_LIB_AGES_H
#define POLICIES_LIB_AGES_H

#include "policies/cache_hook.h"

/* The candidate with the least of the numbers of a set.  Which one that is
 * follows no pattern, so there are no branches that the host could guess. */
static inline uint32_t loom_oldest_way(const uint64_t *age,
                                       const struct loom_ways *ways)
{
    uint64_t oldest = ways->way[0], least = age[oldest];

    for (uint32_t i = 1; i < ways->count; i++) {
        uint64_t mine = age[ways->way[i]];
        bool older = mine < least;

        least = loom_choose(older, mine, least);
        oldest = loom_choose(older, ways->way[i], oldest);
    }
    return (uint32_t)oldest;
}

#endif
