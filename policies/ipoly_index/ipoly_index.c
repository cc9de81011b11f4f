/*
 * ipoly_index: the line's number as a polynomial, modulo an irreducible one.
 *
 * Rau, "Pseudo-randomly interleaved memory", ISCA 1991; GPGPU-Sim 4 (`P`,
 * ipoly_hash_function).  With k = log2(sets), the lowest k bits of the line's
 * number are XORed with H(x) x^k mod p(x) over GF(2), where H are the bits
 * above and p is an irreducible polynomial of degree k.  Any run of strides
 * that are powers of two spreads over all sets.
 *
 * p is the primitive polynomial with the fewest and lowest terms, as tabled
 * in Peterson and Weldon, "Error-Correcting Codes", appendix C; for 16, 32
 * and 64 sets these are the ones whose remainders GPGPU-Sim writes out as
 * taps, for the lowest 13, 15 and 19 bits of H.  Other numbers of sets use
 * all bits of H.
 */
#include "policies/cache_hook.h"

enum {
    BITS_MAX = 12
};

/* By degree, without the leading term. */
static const uint16_t polynomial[BITS_MAX + 1] = {
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

struct ipoly_config {
    uint32_t upper_bits;
};

struct ipoly_index {
    uint64_t tap[BITS_MAX]; /* bits of H that an index bit is the parity of */
    uint32_t shift, bits, mask;
};

static void make_taps(struct ipoly_index *index, uint32_t upper_bits)
{
    uint32_t power = polynomial[index->bits]; /* x^(k + i) mod p */

    for (uint32_t i = 0; i < upper_bits; i++) {
        for (uint32_t j = 0; j < index->bits; j++) {
            index->tap[j] |= (uint64_t)(power >> j & 1) << i;
        }
        power <<= 1;
        if ((power >> index->bits & 1) != 0) {
            power = (power & index->mask) ^ polynomial[index->bits];
        }
    }
}

static bool ipoly_bind(struct loom_policy *self,
                       const struct loom_cache_shape *shape,
                       struct loom_error *err)
{
    const struct ipoly_config *config = loom_policy_config(self);
    struct ipoly_index *index = loom_policy_state(self);
    uint32_t bits =
        loom_is_power_of_2(shape->sets) ? loom_log2(shape->sets) : BITS_MAX + 1;
    uint32_t upper = config->upper_bits;

    if (bits == 0 || bits > BITS_MAX) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "ipoly_index does not exist for %u sets, expected a "
                         "power of 2 in 2..%u",
                         shape->sets, 1u << BITS_MAX);
    }
    if (upper == 0) { /* the bits that GPGPU-Sim has taps for, else all */
        upper = bits == 4 ? 13 : bits == 5 ? 15 : bits == 6 ? 19 : 64;
    }
    index->bits = bits;
    index->shift = loom_log2(shape->line_bytes);
    index->mask = shape->sets - 1;
    make_taps(index, upper);
    return true;
}

static uint32_t ipoly_set(struct loom_policy *self, loom_addr line)
{
    const struct ipoly_index *index = loom_policy_state(self);
    loom_addr number = line >> index->shift;
    loom_addr upper = number >> index->bits;
    uint32_t set = (uint32_t)number & index->mask;

    for (uint32_t j = 0; j < index->bits; j++) {
        set ^= (uint32_t)__builtin_parityll(upper & index->tap[j]) << j;
    }
    return set;
}

static const struct loom_param ipoly_params[] = {
    LOOM_PARAM(struct ipoly_config, upper_bits, .unit = LOOM_UNIT_NONE,
               .def = {.u = 0}, .max = {.u = 64},
               .doc = "Bits above the index that are hashed in; 0: 13, 15 and "
                      "19 for 16, 32 and 64 sets, else all",
               .source = "GPGPU-Sim 4, ipoly_hash_function"),
};

static const struct loom_set_index_ops ipoly_set_index = {
    .bind = ipoly_bind,
    .index = ipoly_set,
};

static const struct loom_facet ipoly_facets[] = {
    {&loom_set_index_hook, &ipoly_set_index},
};

const struct loom_policy_type ipoly_index_policy = {
    .name = "ipoly_index",
    .doc = "Set from the line's number modulo an irreducible polynomial",
    .state_size = sizeof(struct ipoly_index),
    .config_size = sizeof(struct ipoly_config),
    .params = LOOM_SLICE(ipoly_params),
    .facets = LOOM_SLICE(ipoly_facets),
};
