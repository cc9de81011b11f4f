/*
 * Jumps ahead: both generators' steps are linear, so 2^k steps are one matrix,
 * which is the square of that for 2^(k-1).
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/rand/rand.h"

enum {
    BITS = 160,
    WORDS = 5,
    XORWOW_POWERS = 67 + 32, /* a sequence is 2^67 steps */
    MRG_POWERS = 76 + 32     /* 2^76 steps */
};

/* What a step makes of the five words. */
static void step(const uint32_t from[WORDS], uint32_t to[WORDS])
{
    uint32_t t = from[0] ^ from[0] >> 2;

    memmove(to, from + 1, (WORDS - 1) * sizeof(*to));
    to[4] = from[4] ^ from[4] << 4 ^ t ^ t << 1;
}

static void apply(const uint32_t *matrix, const uint32_t from[WORDS],
                  uint32_t to[WORDS])
{
    memset(to, 0, WORDS * sizeof(*to));
    for (uint32_t i = 0; i < BITS; i++) {
        if ((from[i / 32] >> i % 32 & 1) != 0) {
            for (uint32_t w = 0; w < WORDS; w++) {
                to[w] ^= matrix[i * WORDS + w];
            }
        }
    }
}

uint32_t *loom_rand_xorwow_jumps(size_t *bytes)
{
    const size_t size = BITS * WORDS;
    uint32_t *jumps = malloc(XORWOW_POWERS * size * sizeof(*jumps));

    *bytes = XORWOW_POWERS * size * sizeof(*jumps);
    if (jumps == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < BITS; i++) {
        uint32_t one[WORDS] = {0};

        one[i / 32] = UINT32_C(1) << i % 32;
        step(one, jumps + i * WORDS);
    }
    for (size_t k = 1; k < XORWOW_POWERS; k++) {
        const uint32_t *half = jumps + (k - 1) * size;

        for (uint32_t i = 0; i < BITS; i++) {
            apply(half, half + i * WORDS, jumps + k * size + i * WORDS);
        }
    }
    return jumps;
}

static void square(const uint32_t *from, uint32_t *to, uint64_t modulus)
{
    for (uint32_t i = 0; i < 9; i++) {
        uint64_t sum = 0;

        for (uint32_t k = 0; k < 3; k++) {
            sum +=
                (uint64_t)from[i / 3 * 3 + k] * from[3 * k + i % 3] % modulus;
        }
        to[i] = (uint32_t)(sum % modulus);
    }
}

uint32_t *loom_rand_mrg32k3a_jumps(size_t *bytes)
{
    static const uint64_t m1 = 4294967087, m2 = 4294944443;
    const uint32_t first[18] = {
        0, 1, 0, 0, 0, 1, (uint32_t)(m1 - 810728),  1403580, 0,
        0, 1, 0, 0, 0, 1, (uint32_t)(m2 - 1370589), 0,       527612};
    uint32_t *jumps = malloc(MRG_POWERS * sizeof(first));

    *bytes = MRG_POWERS * sizeof(first);
    if (jumps == NULL) {
        return NULL;
    }
    memcpy(jumps, first, sizeof(first));
    for (size_t k = 1; k < MRG_POWERS; k++) {
        square(jumps + (k - 1) * 18, jumps + k * 18, m1);
        square(jumps + (k - 1) * 18 + 9, jumps + k * 18 + 9, m2);
    }
    return jumps;
}
