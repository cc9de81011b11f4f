/*
 * The order in which the warps of a scheduler were started, as masks.
 *
 * older[w] has a bit for every started warp that is older than w.  The oldest
 * of a set is found by jumping to any older member until there is none, which
 * takes about log2 of the set's size steps; the youngest likewise.
 *
 * In hardware this is an age matrix: for n warps n(n-1)/2 bits.
 */
#ifndef POLICIES_LIB_AGE_MATRIX_H
#define POLICIES_LIB_AGE_MATRIX_H

#include "engine/base.h"

#define LOOM_AGE_LOCALS 64

struct loom_age_matrix {
    uint64_t started;
    uint64_t older[LOOM_AGE_LOCALS];
};

/* A warp starts in slot `local`: it is the youngest. */
static inline void loom_age_start(struct loom_age_matrix *ages, uint32_t local)
{
    for (uint32_t i = 0; i < LOOM_AGE_LOCALS; i++) {
        ages->older[i] &= ~loom_bit(local);
    }
    ages->older[local] = ages->started;
    ages->started |= loom_bit(local);
}

static inline void loom_age_finish(struct loom_age_matrix *ages, uint32_t local)
{
    ages->started &= ~loom_bit(local);
}

/* Of a set of started warps, which is not empty. */
static inline uint32_t loom_age_oldest(const struct loom_age_matrix *ages,
                                       uint64_t set)
{
    uint32_t oldest;

    do {
        oldest = loom_lowest(set);
        set &= ages->older[oldest];
    } while (set != 0);
    return oldest;
}

static inline uint32_t loom_age_youngest(const struct loom_age_matrix *ages,
                                         uint64_t set)
{
    uint32_t youngest;

    do {
        youngest = loom_lowest(set);
        set &= ~(ages->older[youngest] | loom_bit(youngest));
    } while (set != 0);
    return youngest;
}

/* Started warps that are older. */
static inline uint32_t loom_age_rank(const struct loom_age_matrix *ages,
                                     uint32_t local)
{
    return loom_popcount(ages->older[local] & ages->started);
}

#endif
