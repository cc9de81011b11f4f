/*
 * Double arithmetic in every rounding mode, by integers.
 *
 * Error-free transformations lose the sign of an error that underflows, so
 * .rz, .rm and .rp are computed here exactly: a number is a sign, the
 * exponent of its highest bit and 128 bits of significand whose lowest one
 * stands for all that was shifted out ("sticky").  The highest bit is at
 * SOFT_TOP, which leaves one bit for a carry and more than 53 below the last
 * one that is kept, so that rounding never sees the sticky bit alone.
 */
#ifndef WORKLOADS_PTX_LANES_SOFT_H
#define WORKLOADS_PTX_LANES_SOFT_H

#include "workloads/ptx/lanes/tools.h"

#define SOFT_TOP 125

struct soft {
    lane_u128 bits; /* 0: zero */
    int32_t exponent;
    bool negative;
};

static inline bool soft_special(double x)
{
    return x - x != 0.0;
}

static inline uint32_t soft_leading(lane_u128 x)
{
    uint64_t high = (uint64_t)(x >> 64);

    return high != 0 ? (uint32_t)__builtin_clzll(high)
                     : 64u + (uint32_t)__builtin_clzll((uint64_t)x);
}

static inline lane_u128 soft_shift_right(lane_u128 x, uint32_t by)
{
    if (by == 0) {
        return x;
    }
    if (by > 127) {
        return x != 0;
    }
    return x >> by | ((x << (128 - by)) != 0);
}

/* Highest bit to SOFT_TOP; the exponent stays that of the highest bit. */
static inline struct soft soft_normal(lane_u128 bits, int32_t exponent,
                                      bool negative)
{
    struct soft s = {0, 0, negative};
    uint32_t leading;

    if (bits == 0) {
        return s;
    }
    leading = soft_leading(bits);
    s.exponent = exponent + (127 - SOFT_TOP) - (int32_t)leading;
    s.bits = leading < 127 - SOFT_TOP
                 ? soft_shift_right(bits, 127 - SOFT_TOP - leading)
                 : bits << (leading - (127 - SOFT_TOP));
    return s;
}

/* Of a finite x. */
static inline struct soft soft_of(double x)
{
    uint64_t bits = lane_double_bits(x), fraction = bits & 0xfffffffffffff;
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff);

    if (exponent != 0) {
        fraction |= UINT64_C(1) << 52;
    } else {
        exponent = 1;
    }
    return soft_normal((lane_u128)fraction << (SOFT_TOP - 52), exponent - 1023,
                       bits >> 63 != 0);
}

static inline double soft_round(struct soft s, uint8_t round)
{
    uint64_t sign = s.negative ? UINT64_C(1) << 63 : 0, kept;
    uint32_t shift = SOFT_TOP - 52;
    lane_u128 mask;
    int32_t biased = s.exponent + 1023;

    if (s.bits == 0) {
        return lane_double(sign);
    }
    if (biased < 1) { /* subnormal: fewer places */
        shift += (uint32_t)(1 - biased) < 54 ? (uint32_t)(1 - biased) : 54;
        biased = 0;
    }
    if (shift > 126) {
        s.bits = soft_shift_right(s.bits, shift - 126);
        shift = 126;
    }
    mask = ((lane_u128)1 << shift) - 1;
    kept = (uint64_t)(s.bits >> shift);
    kept += lane_away(round, s.negative, (kept & 1) != 0, s.bits & mask,
                      (lane_u128)1 << (shift - 1));
    if (biased > 0) {
        kept -= UINT64_C(1) << 52;
    }
    if (biased >= 0x7ff || kept + ((uint64_t)biased << 52) >= 0x7ffULL << 52) {
        bool finite = round == LOOM_PTX_RZ ||
                      (round == LOOM_PTX_RM && !s.negative) ||
                      (round == LOOM_PTX_RP && s.negative);

        return lane_double(sign | ((0x7ffULL << 52) - (finite ? 1 : 0)));
    }
    return lane_double(sign | (kept + ((uint64_t)biased << 52)));
}

static inline struct soft soft_product(double x, double y)
{
    struct soft a = soft_of(x), b = soft_of(y);

    return soft_normal((a.bits >> (SOFT_TOP - 52)) * (b.bits >> (SOFT_TOP - 52))
                           << (SOFT_TOP - 104),
                       a.exponent + b.exponent, a.negative != b.negative);
}

/* `round` decides the sign of a zero that is a difference. */
static inline struct soft soft_sum(struct soft a, struct soft b, uint8_t round)
{
    struct soft swap = a;
    lane_u128 small;

    if (a.bits == 0 && b.bits == 0) {
        a.negative =
            a.negative == b.negative ? a.negative : round == LOOM_PTX_RM;
        return a;
    }
    if (a.bits == 0 || b.bits == 0) {
        return a.bits == 0 ? b : a;
    }
    if (a.exponent < b.exponent ||
        (a.exponent == b.exponent && a.bits < b.bits)) {
        a = b;
        b = swap;
    }
    small = soft_shift_right(b.bits, (uint32_t)(a.exponent - b.exponent));
    if (a.negative == b.negative) {
        return soft_normal(a.bits + small, a.exponent, a.negative);
    }
    if (a.bits == small) {
        return (struct soft){0, 0, round == LOOM_PTX_RM};
    }
    return soft_normal(a.bits - small, a.exponent, a.negative);
}

static inline double soft_add(double x, double y, uint8_t round)
{
    if (soft_special(x) || soft_special(y)) {
        return canon_f64(x + y);
    }
    return soft_round(soft_sum(soft_of(x), soft_of(y), round), round);
}

static inline double soft_mul(double x, double y, uint8_t round)
{
    if (soft_special(x) || soft_special(y)) {
        return canon_f64(x * y);
    }
    return soft_round(soft_product(x, y), round);
}

static inline double soft_fma(double x, double y, double z, uint8_t round)
{
    if (soft_special(x) || soft_special(y) || soft_special(z)) {
        return canon_f64(lane_fma(x, y, z));
    }
    return soft_round(soft_sum(soft_product(x, y), soft_of(z), round), round);
}

static inline double soft_div(double x, double y, uint8_t round)
{
    struct soft a, b;
    lane_u128 n, d, q;

    if (soft_special(x) || soft_special(y) || y == 0.0) {
        return canon_f64(x / y);
    }
    a = soft_of(x);
    b = soft_of(y);
    n = a.bits >> (SOFT_TOP - 52) << 64; /* 117 bits over 53 */
    d = b.bits >> (SOFT_TOP - 52);
    q = n / d;
    q = q << 1 | (q * d != n);
    return soft_round(soft_normal(q << (SOFT_TOP - 65), a.exponent - b.exponent,
                                  a.negative != b.negative),
                      round);
}

static inline double soft_sqrt(double x, uint8_t round)
{
    struct soft a;
    lane_u128 n, root = 0, rest;

    if (soft_special(x) || x <= 0.0) {
        return canon_f64(__builtin_sqrt(x));
    }
    a = soft_of(x);
    /* An even exponent and 2 * 56 places make a root of 56 or 57 bits. */
    n = a.bits >> (SOFT_TOP - 112);
    if ((a.exponent & 1) != 0) {
        n <<= 1;
        a.exponent--;
    }
    rest = n;
    for (lane_u128 bit = (lane_u128)1 << 114; bit != 0; bit >>= 2) {
        if (rest >= root + bit) {
            rest -= root + bit;
            root = root >> 1 | bit;
        } else {
            root >>= 1;
        }
    }
    root = root << 1 | (rest != 0);
    return soft_round(
        soft_normal(root << (SOFT_TOP - 57), a.exponent / 2, false), round);
}

#endif
