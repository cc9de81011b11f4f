/*
 * Random numbers that depend on nothing but their seed (xoshiro256**, after
 * Blackman and Vigna 2018, seeded by splitmix64).  One generator per
 * instance, seeded from the run's seed and the instance's path, so that
 * adding a component changes nobody else's numbers.
 */
#ifndef ENGINE_RNG_H
#define ENGINE_RNG_H

#include "engine/base.h"

struct loom_rng {
    uint64_t word[4];
};

/* FNV-1a. */
uint64_t loom_hash_of(const char *text);

void loom_rng_init(struct loom_rng *rng, uint64_t seed, const char *path);
uint64_t loom_rng_next(struct loom_rng *rng);
/* Bernoulli trials, each of which succeeds if loom_rng_next() >> 11 is below
 * `threshold`: how many fail before one succeeds, or `most` if all do. */
uint64_t loom_rng_failures(struct loom_rng *rng, uint64_t threshold,
                           uint64_t most);
/* Uniform in [0, bound); bound > 0. */
uint64_t loom_rng_below(struct loom_rng *rng, uint64_t bound);
/* Uniform in [0, 1). */
double loom_rng_real(struct loom_rng *rng);

#endif
