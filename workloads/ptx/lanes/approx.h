/*
 * The approximate functions of floats.
 *
 * sin, cos, ex2, lg2 and tanh are Taylor series in double after reduction of
 * the argument: their error is far below the 2^-20 or so that PTX allows,
 * and they use nothing but IEEE operations, so every host computes the same
 * bits (libm differs between hosts).
 */
#ifndef WORKLOADS_PTX_LANES_APPROX_H
#define WORKLOADS_PTX_LANES_APPROX_H

#include "workloads/ptx/lanes/narrow.h"

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

#endif
