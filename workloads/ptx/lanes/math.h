/*
 * Signs, tests and the approximate functions of floats.
 *
 * sin, cos, ex2, lg2 and tanh are Taylor series in double after reduction of
 * the argument: their error is far below the 2^-20 or so that PTX allows,
 * and they use nothing but IEEE operations, so every host computes the same
 * bits (libm differs between hosts).
 */
#ifndef WORKLOADS_PTX_LANES_MATH_H
#define WORKLOADS_PTX_LANES_MATH_H

#include "workloads/ptx/lanes/narrow.h"

FLOAT_1(neg_f32, f32,
        canon_f32(lane_float(lane_float_bits(IN(x)) ^ 0x80000000u)))
FLOAT_1(abs_f32, f32,
        canon_f32(lane_float(lane_float_bits(IN(x)) & 0x7fffffffu)))
FLOAT_1(neg_f64, f64,
        lane_double(lane_double_bits(x) ^ UINT64_C(0x8000000000000000)))
FLOAT_1(abs_f64, f64,
        lane_double(lane_double_bits(x) & UINT64_C(0x7fffffffffffffff)))
/* The sign of the first, the rest of the second. */
FLOAT_2(copysign_f32, f32,
        lane_float((lane_float_bits(x) & 0x80000000u) |
                   (lane_float_bits(y) & 0x7fffffffu)))
FLOAT_2(copysign_f64, f64,
        lane_double((lane_double_bits(x) & UINT64_C(0x8000000000000000)) |
                    (lane_double_bits(y) & UINT64_C(0x7fffffffffffffff))))

static inline bool test_float(uint32_t bits, uint8_t mode)
{
    uint32_t exponent = bits & 0x7f800000u, fraction = bits & 0x007fffffu;

    switch (mode) {
    case LOOM_PTX_FINITE:
        return exponent != 0x7f800000u;
    case LOOM_PTX_INFINITE:
        return exponent == 0x7f800000u && fraction == 0;
    case LOOM_PTX_NUMBER:
        return exponent != 0x7f800000u || fraction == 0;
    case LOOM_PTX_NOTANUMBER:
        return exponent == 0x7f800000u && fraction != 0;
    case LOOM_PTX_NORMAL: /* +0 and -0, too */
        return exponent != 0x7f800000u && (exponent != 0 || fraction == 0);
    default: /* subnormal */
        return exponent == 0 && fraction != 0;
    }
}

LANE_FN(testp_f32)
{
    const lane_u32 *a = from[0];
    uint32_t out = 0;

    (void)to;
    LANES_SLOWLY
    {
        out |= test_float(a[l], how->mode) ? lane_bit[l] : 0;
    }
    return out;
}

LANE_FN(testp_f64)
{
    const lane_u64 *a = from[0];
    uint32_t out = 0;

    (void)to;
    LANES_SLOWLY
    {
        /* The same classes with the exponent cut to 8 bits. */
        uint64_t exponent = a[l] >> 52 & 0x7ff;
        uint32_t bits = (a[l] << 12) != 0 ? 1 : 0;

        bits |= exponent == 0x7ff ? 0x7f800000u : exponent != 0 ? 0x800000u : 0;
        out |= test_float(bits, how->mode) ? lane_bit[l] : 0;
    }
    return out;
}

#define LN2 0.693147180559945309417
#define LOG2E 1.44269504088896340736
#define TWO_OVER_PI 0.636619772367581343076
/* pi/2 in three parts; the first two have 33 bits each. */
#define PIO2_1 1.57079632673412561417e+00
#define PIO2_2 6.07710050630396597660e-11
#define PIO2_3 2.02226624879595063154e-21

/* e^t - 1 for |t| <= ln2 / 2. */
static inline double expm1_series(double t)
{
    double sum = 0.0;

    for (int k = 14; k >= 1; k--) {
        sum = (sum + 1.0) * t / k;
    }
    return sum;
}

/* 2^x, x already bounded to [-200, 200]. */
static inline double exp2_double(double x)
{
    double n = __builtin_floor(x + 0.5);
    uint64_t power = (uint64_t)((int64_t)n + 1023) << 52;

    return (1.0 + expm1_series((x - n) * LN2)) * lane_double(power);
}

static inline float ex2_float(float x)
{
    if (x != x) {
        return x;
    }
    return (float)exp2_double(x > 200.0f ? 200.0 : x < -200.0f ? -200.0 : x);
}

static inline float lg2_float(float x)
{
    uint64_t bits = lane_double_bits(x);
    double exponent, m, s, sum = 0.0;

    if (!(x > 0.0f)) {
        return x == 0.0f ? -__builtin_inff() : LANE_NAN_F32;
    }
    if (x - x != 0.0f) {
        return x;
    }
    exponent = (double)(int64_t)(bits >> 52) - 1023.0;
    m = lane_double((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
    if (m > 1.41421356237309504880) {
        m *= 0.5;
        exponent += 1.0;
    }
    s = (m - 1.0) / (m + 1.0);
    for (int k = 23; k >= 1; k -= 2) {
        sum = sum * (s * s) + 1.0 / k;
    }
    return (float)(exponent + 2.0 * s * sum * LOG2E);
}

/* sin(x + quarter * pi/2). */
static inline float sine(float f, uint32_t quarter)
{
    double x = f;
    double n = __builtin_floor(x * TWO_OVER_PI + 0.5);
    double r = ((x - n * PIO2_1) - n * PIO2_2) - n * PIO2_3;
    double sum = 0.0;

    if (x - x != 0.0) {
        return LANE_NAN_F32;
    }
    /* n < 2^53 for every float below 2^52; beyond, one quarter is as good as
     * another: PTX bounds the error in [-pi, pi] only. */
    if (n < -9007199254740992.0 || n > 9007199254740992.0) {
        n = 0.0;
        r = 0.0;
    }
    quarter += (uint32_t)(uint64_t)(int64_t)n;
    if ((quarter & 1) == 0) {
        for (int k = 18; k >= 2; k -= 2) {
            sum = (1.0 + sum) * -(r * r) / (double)(k * (k + 1));
        }
        sum = r * (1.0 + sum);
    } else {
        for (int k = 18; k >= 2; k -= 2) {
            sum = (1.0 + sum) * -(r * r) / (double)(k * (k - 1));
        }
        sum = 1.0 + sum;
    }
    return (float)((quarter & 2) != 0 ? -sum : sum);
}

static inline float tanh_float(float x)
{
    double t = x > 20.0f ? 20.0 : x < -20.0f ? -20.0 : x;
    double e;

    if (x != x) {
        return x;
    }
    if (t > -0.17 && t < 0.17) {
        e = expm1_series(2.0 * t);
        return x == 0.0f ? x : (float)(e / (e + 2.0));
    }
    e = exp2_double(2.0 * t * LOG2E);
    return (float)((e - 1.0) / (e + 1.0));
}

FLOAT_1(ex2_f32, f32, OUT(ex2_float(IN(x))))
FLOAT_1(lg2_f32, f32, OUT(lg2_float(IN(x))))
FLOAT_1(sin_f32, f32, OUT(sine(IN(x), 0)))
FLOAT_1(cos_f32, f32, OUT(sine(IN(x), 1)))
FLOAT_1(tanh_f32, f32, OUT(tanh_float(x)))

#define FLOAT_ROWS_PLAIN(t, TYPE)                                              \
    {LOOM_PTX_ADD, TYPE, EXEC_PLAIN, add_##t},                                 \
        {LOOM_PTX_SUB, TYPE, EXEC_PLAIN, sub_##t},                             \
        {LOOM_PTX_MUL, TYPE, EXEC_PLAIN, mul_##t},                             \
        {LOOM_PTX_DIV, TYPE, EXEC_PLAIN, div_##t},                             \
        {LOOM_PTX_FMA, TYPE, EXEC_PLAIN, fma_##t},                             \
        {LOOM_PTX_MAD, TYPE, EXEC_PLAIN, fma_##t},                             \
        {LOOM_PTX_MIN, TYPE, EXEC_PLAIN, min_##t},                             \
        {LOOM_PTX_MAX, TYPE, EXEC_PLAIN, max_##t},                             \
        {LOOM_PTX_ADD, TYPE, EXEC_GENERAL, add_any_##t},                       \
        {LOOM_PTX_SUB, TYPE, EXEC_GENERAL, sub_any_##t},                       \
        {LOOM_PTX_MUL, TYPE, EXEC_GENERAL, mul_any_##t},                       \
        {LOOM_PTX_DIV, TYPE, EXEC_GENERAL, div_any_##t},                       \
        {LOOM_PTX_RCP, TYPE, EXEC_GENERAL, rcp_any_##t},                       \
        {LOOM_PTX_SQRT, TYPE, EXEC_GENERAL, sqrt_any_##t},                     \
        {LOOM_PTX_NEG, TYPE, EXEC_ANY, neg_##t},                               \
        {LOOM_PTX_ABS, TYPE, EXEC_ANY, abs_##t},                               \
        {LOOM_PTX_COPYSIGN, TYPE, EXEC_ANY, copysign_##t},                     \
    {                                                                          \
        LOOM_PTX_TESTP, TYPE, EXEC_ANY, testp_##t                              \
    }
#define FLOAT_ROWS                                                             \
    FLOAT_ROWS_PLAIN(f32, LOOM_PTX_F32), FLOAT_ROWS_PLAIN(f64, LOOM_PTX_F64),  \
        {LOOM_PTX_FMA, LOOM_PTX_F32, EXEC_GENERAL, fma_any_f32},               \
        {LOOM_PTX_MAD, LOOM_PTX_F32, EXEC_GENERAL, fma_any_f32},               \
        {LOOM_PTX_MIN, LOOM_PTX_F32, EXEC_GENERAL, min_ftz_f32},               \
        {LOOM_PTX_MAX, LOOM_PTX_F32, EXEC_GENERAL, max_ftz_f32},               \
        {LOOM_PTX_FMA, LOOM_PTX_F64, EXEC_GENERAL, fma_any_f64},               \
        {LOOM_PTX_MAD, LOOM_PTX_F64, EXEC_GENERAL, fma_any_f64},               \
        {LOOM_PTX_RCP, LOOM_PTX_F64, EXEC_FANCY, rcp_gross_f64},               \
        {LOOM_PTX_RSQRT, LOOM_PTX_F64, EXEC_FANCY, rsqrt_gross_f64},           \
        {LOOM_PTX_MIN, LOOM_PTX_F32, EXEC_FANCY, min_fancy_f32},               \
        {LOOM_PTX_MAX, LOOM_PTX_F32, EXEC_FANCY, max_fancy_f32},               \
        {LOOM_PTX_RCP, LOOM_PTX_F32, EXEC_PLAIN, rcp_any_f32},                 \
        {LOOM_PTX_RCP, LOOM_PTX_F64, EXEC_PLAIN, rcp_f64},                     \
        {LOOM_PTX_SQRT, LOOM_PTX_F32, EXEC_PLAIN, sqrt_any_f32},               \
        {LOOM_PTX_SQRT, LOOM_PTX_F64, EXEC_PLAIN, sqrt_f64},                   \
        {LOOM_PTX_RSQRT, LOOM_PTX_F32, EXEC_ANY, rsqrt_any_f32},               \
        {LOOM_PTX_RSQRT, LOOM_PTX_F64, EXEC_PLAIN, rsqrt_f64},                 \
        {LOOM_PTX_EX2, LOOM_PTX_F32, EXEC_ANY, ex2_f32},                       \
        {LOOM_PTX_LG2, LOOM_PTX_F32, EXEC_ANY, lg2_f32},                       \
        {LOOM_PTX_SIN, LOOM_PTX_F32, EXEC_ANY, sin_f32},                       \
        {LOOM_PTX_COS, LOOM_PTX_F32, EXEC_ANY, cos_f32},                       \
    {                                                                          \
        LOOM_PTX_TANH, LOOM_PTX_F32, EXEC_ANY, tanh_f32                        \
    }

#endif
