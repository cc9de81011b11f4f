/*
 * A number's low bits hashed with the bits above them: the number as a
 * polynomial over GF(2), modulo an irreducible one (Rau, "Pseudo-randomly
 * interleaved memory", ISCA 1991; GPGPU-Sim 4, ipoly_hash_function).
 *
 * With k bits, result = low XOR (H(x) x^k mod p(x)), where H are the bits
 * above and p is the primitive polynomial of degree k with the fewest and
 * lowest terms, as tabled in Peterson and Weldon, "Error-Correcting Codes",
 * appendix C.  For k = 4, 5 and 6 these are the ones whose remainders
 * GPGPU-Sim writes out as taps, for the lowest 13, 15 and 19 bits of H.
 */
#ifndef POLICIES_LIB_IPOLY_H
#define POLICIES_LIB_IPOLY_H

#include <stdint.h>

#define LOOM_IPOLY_BITS 12 /* largest k */

struct loom_ipoly {
    uint64_t tap[LOOM_IPOLY_BITS]; /* bits of H that a bit is the parity of */
    uint32_t bits;                 /* k */
};

/* `bits` in 1..LOOM_IPOLY_BITS; `upper_bits` of H count, 0: as many as
 * GPGPU-Sim has taps for, else all 64. */
void loom_ipoly_init(struct loom_ipoly *poly, uint32_t bits,
                     uint32_t upper_bits);

static inline uint32_t loom_ipoly_hash(const struct loom_ipoly *poly,
                                       uint64_t upper, uint32_t low)
{
    for (uint32_t j = 0; j < poly->bits; j++) {
        low ^= (uint32_t)__builtin_parityll(upper & poly->tap[j]) << j;
    }
    return low;
}

#endif
