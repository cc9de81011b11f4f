/*
 * xoshiro256** (Blackman and Vigna 2018) seeded by splitmix64 from a run's
 * seed and a path.
 */
#include "engine/rng.h"

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = *x += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

uint64_t loom_hash_of(const char *text)
{
    uint64_t x = UINT64_C(0xCBF29CE484222325);

    for (; *text != '\0'; text++) {
        x = (x ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    }
    return x;
}

void loom_rng_init(struct loom_rng *rng, uint64_t seed, const char *path)
{
    uint64_t x = loom_hash_of(path) ^ splitmix(&seed);

    for (int i = 0; i < 4; i++) {
        rng->word[i] = splitmix(&x);
    }
}

uint64_t loom_rng_next(struct loom_rng *rng)
{
    uint64_t *s = rng->word;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t loom_rng_failures(struct loom_rng *rng, uint64_t threshold,
                           uint64_t most)
{
    struct loom_rng copy = *rng; /* in registers */
    uint64_t n = 0;

    while (n < most && loom_rng_next(&copy) >> 11 >= threshold) {
        n++;
    }
    *rng = copy;
    return n;
}

uint64_t loom_rng_below(struct loom_rng *rng, uint64_t bound)
{
    uint64_t x;

    /* Rejects the few values that would make low results more likely: those
     * below 2^64 % bound, which is less than bound. */
    do {
        x = loom_rng_next(rng);
    } while (LOOM_UNLIKELY(x < bound) && x < (0 - bound) % bound);
    return (bound & (bound - 1)) == 0 ? x & (bound - 1) : x % bound;
}

double loom_rng_real(struct loom_rng *rng)
{
    return (double)(loom_rng_next(rng) >> 11) * 0x1p-53;
}
