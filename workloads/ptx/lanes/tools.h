/*
 * Tools of the lane functions: the loop over lanes, sources by type, exact
 * helpers for floats.  Included by the two builds of the lanes only.
 */
#ifndef WORKLOADS_PTX_LANES_TOOLS_H
#define WORKLOADS_PTX_LANES_TOOLS_H

#include <string.h>

#include "workloads/ptx/lanes/lanes.h"

/* A register may be source and destination at once, always lane by lane, so
 * the iterations are independent although pointers may be equal. */
#if defined(__clang__)
#define LANES_EACH                                                             \
    _Pragma("clang loop vectorize(assume_safety)") for (uint32_t l = 0;        \
                                                        l < LOOM_WARP_LANES;   \
                                                        l++)
#else
#define LANES_EACH                                                             \
    _Pragma("GCC ivdep") for (uint32_t l = 0; l < LOOM_WARP_LANES; l++)
#endif
/* Where vectorising cannot pay. */
#define LANES_SLOWLY for (uint32_t l = 0; l < LOOM_WARP_LANES; l++)

#define LANE_FN(name)                                                          \
    __attribute__((unused)) static uint32_t name(                              \
        void *to, const void *const *from, uint32_t p __attribute__((unused)), \
        const struct exec_how *how __attribute__((unused)))

#define LANE_BITS(x) (8 * (uint32_t)sizeof(x))

/* 1 << lane, as a table because SSE2 cannot shift by lane. */
static const uint32_t lane_bit[LOOM_WARP_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,
    1u << 7,  1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13,
    1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20,
    1u << 21, 1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27,
    1u << 28, 1u << 29, 1u << 30, 1u << 31};

static inline float lane_float(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline uint32_t lane_float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static inline double lane_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline uint64_t lane_double_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* The canonical NaNs of PTX. */
#define LANE_NAN_F32 lane_float(0x7fffffffu)
#define LANE_NAN_F64 lane_double(UINT64_C(0x7ff8000000000000))

static inline float canon_f32(float x)
{
    return x == x ? x : LANE_NAN_F32;
}

static inline double canon_f64(double x)
{
    return x == x ? x : LANE_NAN_F64;
}

/* Subnormals to zero of the same sign. */
static inline float flush_f32(float x)
{
    uint32_t bits = lane_float_bits(x);

    return (bits & 0x7f800000u) == 0 ? lane_float(bits & 0x80000000u) : x;
}

/* [0, 1]; NaN and -0 become +0. */
static inline float sat_f32(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

/* Which way to the neighbour of a result that was rounded to nearest, if
 * the exact value lies `error` (only its sign counts) above it. */
static inline int round_step(double result, double error, uint8_t round)
{
    if (error == 0.0) {
        return 0;
    }
    switch (round) {
    case LOOM_PTX_RZ:
        return result > 0.0 && error < 0.0   ? -1
               : result < 0.0 && error > 0.0 ? 1
                                             : 0;
    case LOOM_PTX_RM:
        return error < 0.0 ? -1 : 0;
    case LOOM_PTX_RP:
        return error > 0.0 ? 1 : 0;
    default:
        return 0;
    }
}

static inline float next_f32(float x, int step)
{
    uint32_t bits = lane_float_bits(x);

    if (step == 0) {
        return x;
    }
    if (x == 0.0f) {
        return step > 0 ? lane_float(1) : lane_float(0x80000001u);
    }
    return lane_float((step > 0) == (x > 0.0f) ? bits + 1 : bits - 1);
}

static inline double next_f64(double x, int step)
{
    uint64_t bits = lane_double_bits(x);

    if (step == 0) {
        return x;
    }
    if (x == 0.0) {
        return lane_double(step > 0 ? 1 : UINT64_C(0x8000000000000001));
    }
    return lane_double((step > 0) == (x > 0.0) ? bits + 1 : bits - 1);
}

/* Rounds the exact value hi + lo, |lo| <= ulp(hi) / 2, to a float.  `lo`
 * only matters by its sign. */
static inline float round_f32(double hi, double lo, uint8_t round)
{
    float r = (float)hi;
    double off = hi - (double)r;
    double error;

    if (hi - hi != 0.0) { /* infinite or NaN: exact */
        return r;
    }
    if (r - r != 0.0f) {
        error = hi > 0.0 ? -1.0 : 1.0; /* overflow: the value lies below */
    } else {
        error = off != 0.0 ? off : lo;
        /* Half way in double, but not exactly: nearest is the other one. */
        if (off != 0.0 && lo != 0.0 && (off > 0.0) == (lo > 0.0)) {
            float other = next_f32(r, off > 0.0 ? 1 : -1);

            if ((double)other - hi == off) {
                r = other;
                error = -off;
            }
        }
    }
    return next_f32(r, round_step((double)r, error, round));
}

/* a + b = *sum + the result, exactly (Knuth). */
static inline double two_sum(double a, double b, double *sum)
{
    double s = a + b;
    double bb = s - a;

    *sum = s;
    return (a - (s - bb)) + (b - bb);
}

static inline double lane_fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

/* Is a positive (or negative) value rounded away from zero?  `rest` is what
 * is cut off, `half` half of the last place that stays, `odd` its parity. */
static inline bool lane_away(uint8_t round, bool negative, bool odd,
                             lane_u128 rest, lane_u128 half)
{
    switch (round) {
    case LOOM_PTX_RZ:
        return false;
    case LOOM_PTX_RM:
        return negative && rest != 0;
    case LOOM_PTX_RP:
        return !negative && rest != 0;
    case LOOM_PTX_RNA:
        return rest >= half;
    default:
        return rest > half || (rest == half && odd);
    }
}

#endif
