/*
 * Taps of the polynomial hash, from the polynomials by degree.
 */
#include "policies/lib/ipoly.h"

/* By degree, without the leading term. */
static const uint16_t polynomial[LOOM_IPOLY_BITS + 1] = {
    [1] = 0x1,   /* x + 1 */
    [2] = 0x3,   /* x^2 + x + 1 */
    [3] = 0x3,   /* x^3 + x + 1 */
    [4] = 0x3,   /* x^4 + x + 1 */
    [5] = 0x5,   /* x^5 + x^2 + 1 */
    [6] = 0x3,   /* x^6 + x + 1 */
    [7] = 0x3,   /* x^7 + x + 1 */
    [8] = 0x1d,  /* x^8 + x^4 + x^3 + x^2 + 1 */
    [9] = 0x11,  /* x^9 + x^4 + 1 */
    [10] = 0x9,  /* x^10 + x^3 + 1 */
    [11] = 0x5,  /* x^11 + x^2 + 1 */
    [12] = 0x53, /* x^12 + x^6 + x^4 + x + 1 */
};

void loom_ipoly_init(struct loom_ipoly *poly, uint32_t bits,
                     uint32_t upper_bits)
{
    uint32_t mask = (1u << bits) - 1;
    uint32_t power = polynomial[bits]; /* x^(k + i) mod p */

    if (upper_bits == 0) {
        upper_bits = bits == 4 ? 13 : bits == 5 ? 15 : bits == 6 ? 19 : 64;
    }
    *poly = (struct loom_ipoly){.bits = bits};
    for (uint32_t i = 0; i < upper_bits; i++) {
        for (uint32_t j = 0; j < bits; j++) {
            poly->tap[j] |= (uint64_t)(power >> j & 1) << i;
        }
        power <<= 1;
        if ((power >> bits & 1) != 0) {
            power = (power & mask) ^ polynomial[bits];
        }
    }
}
