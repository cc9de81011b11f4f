/*
 * Formats of up to 32 bits: values from bits, bits from values.
 *
 * A value is held in a double; what is not exact there is rounded "to odd"
 * first, so that it is rounded only once in effect.
 */
#ifndef WORKLOADS_PTX_LANES_FORMATS_H
#define WORKLOADS_PTX_LANES_FORMATS_H

#include "workloads/ptx/lanes/tools.h"

/* What the patterns with all bits of the exponent set are. */
enum narrow_end {
    NARROW_IEEE,
    NARROW_ONE_NAN, /* .e4m3: numbers, but for the last one */
    NARROW_NUMBERS  /* formats of 4 and 6 bits */
};

struct narrow { /* bits of fraction and exponent */
    uint32_t fraction, exponent;
    enum narrow_end end;
};

static inline struct narrow narrow_of(uint8_t type)
{
    switch (type) {
    case LOOM_PTX_BF16:
    case LOOM_PTX_BF16X2:
        return (struct narrow){7, 8, NARROW_IEEE};
    case LOOM_PTX_TF32:
        return (struct narrow){10, 8, NARROW_IEEE};
    case LOOM_PTX_F32:
        return (struct narrow){23, 8, NARROW_IEEE};
    case LOOM_PTX_E4M3:
    case LOOM_PTX_E4M3X2:
        return (struct narrow){3, 4, NARROW_ONE_NAN};
    case LOOM_PTX_E5M2:
    case LOOM_PTX_E5M2X2:
        return (struct narrow){2, 5, NARROW_IEEE};
    case LOOM_PTX_E2M1X2:
        return (struct narrow){1, 2, NARROW_NUMBERS};
    case LOOM_PTX_E2M3X2:
        return (struct narrow){3, 2, NARROW_NUMBERS};
    case LOOM_PTX_E3M2X2:
        return (struct narrow){2, 3, NARROW_NUMBERS};
    default:
        return (struct narrow){10, 5, NARROW_IEEE};
    }
}

static inline bool narrow_pair(uint8_t type)
{
    return type == LOOM_PTX_F16X2 || type == LOOM_PTX_BF16X2;
}

static inline double power_of_two(int32_t exponent)
{
    return lane_double((uint64_t)(exponent + 1023) << 52);
}

/* .e4m3 has no infinity; its last pattern is its NaN. */
static inline double narrow_value(uint32_t bits, struct narrow n)
{
    uint32_t top = (1u << n.exponent) - 1, all = (1u << n.fraction) - 1;
    uint32_t exponent = bits >> n.fraction & top, fraction = bits & all;
    int32_t bias = (1 << (n.exponent - 1)) - 1;
    double value;

    if (exponent == top &&
        (n.end == NARROW_IEEE ? fraction != 0
                              : n.end == NARROW_ONE_NAN && fraction == all)) {
        return LANE_NAN_F64;
    }
    if (exponent == top && n.end == NARROW_IEEE) {
        value = __builtin_inf();
    } else if (exponent == 0) {
        value = fraction * power_of_two(1 - bias - (int32_t)n.fraction);
    } else {
        value = (fraction + all + 1.0) *
                power_of_two((int32_t)exponent - bias - (int32_t)n.fraction);
    }
    return (bits >> (n.fraction + n.exponent) & 1) != 0 ? -value : value;
}

/* hi + lo as a double whose last place is odd if it is not exact: such a
 * double rounds like the exact value to any format with fewer bits. */
static inline double round_odd(double hi, double lo)
{
    uint64_t bits = lane_double_bits(hi);

    if (lo == 0.0 || lo != lo || (bits & 1) != 0) {
        return hi;
    }
    return lane_double((lo > 0.0) == (hi > 0.0) ? bits + 1 : bits - 1);
}

/* Pattern of the largest finite value. */
static inline uint64_t narrow_largest(struct narrow n)
{
    uint64_t top = ((UINT64_C(1) << n.exponent) - 1) << n.fraction;

    return n.end == NARROW_IEEE ? top - 1
                                : (UINT64_C(1) << (n.fraction + n.exponent)) -
                                      1 - (n.end == NARROW_ONE_NAN);
}

/* What an overflow becomes: infinity, or the largest value. */
static inline uint64_t narrow_overflow(struct narrow n, uint8_t round,
                                       bool negative, bool finite)
{
    finite = finite || n.end != NARROW_IEEE || round == LOOM_PTX_RZ ||
             (round == LOOM_PTX_RM && !negative) ||
             (round == LOOM_PTX_RP && negative);
    return narrow_largest(n) + (finite ? 0 : 1);
}

/* Formats without a NaN have their largest value instead. */
static inline uint32_t narrow_nan(struct narrow n)
{
    return (1u << (n.fraction + n.exponent)) - 1;
}

/* Bits of x in a format; `finite`: nothing becomes infinite. */
static inline uint32_t narrow_bits(double x, struct narrow n, uint8_t round,
                                   bool finite)
{
    uint64_t bits = lane_double_bits(x), kept, rest;
    uint64_t fraction = bits & 0xfffffffffffff;
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff) - 1023;
    int32_t bias = (1 << (n.exponent - 1)) - 1, below = 1 - bias - exponent;
    uint32_t shift = 52 - n.fraction, sign;
    bool negative = bits >> 63 != 0;

    if (x != x) {
        return narrow_nan(n);
    }
    sign = negative ? 1u << (n.fraction + n.exponent) : 0;
    if (exponent == 1024) {
        return sign | (uint32_t)(finite || n.end != NARROW_IEEE
                                     ? narrow_largest(n)
                                     : narrow_largest(n) + 1);
    }
    fraction |= exponent == -1023 ? 0 : UINT64_C(1) << 52;
    if (below > 0) {
        shift += (uint32_t)below;
        shift = shift > 54 ? 54 : shift;
    }
    kept = fraction >> shift;
    rest = fraction & ((UINT64_C(1) << shift) - 1);
    kept += lane_away(round, negative, (kept & 1) != 0, rest,
                      UINT64_C(1) << (shift - 1));
    if (below <= 0) {
        kept += ((uint64_t)(exponent + bias) << n.fraction) -
                (UINT64_C(1) << n.fraction);
    }
    if (kept > narrow_largest(n)) {
        kept = narrow_overflow(n, round, negative, finite);
    }
    return sign | (uint32_t)kept;
}

#endif
