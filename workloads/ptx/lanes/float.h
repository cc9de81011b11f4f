/*
 * Floating-point arithmetic on 32 lanes.  Semantics: PTX ISA, "Floating
 * Point Instructions".
 *
 * Each operation has a plain form (to nearest even, keeps subnormals) that
 * vectorises, and a general one for .ftz, .sat and directed rounding.  The
 * general forms of .f32 compute in double, where the result and the sign of
 * its error are exact; those of .f64 use integers (soft.h).  Reciprocals
 * and roots are correctly rounded also where PTX allows an approximation.
 */
#ifndef WORKLOADS_PTX_LANES_FLOAT_H
#define WORKLOADS_PTX_LANES_FLOAT_H

#include "workloads/ptx/lanes/soft.h"

#define FLOAT_1(name, T, expr)                                                 \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_##T *d = to;                                                      \
        const lane_##T *a = from[0];                                           \
        LANES_EACH                                                             \
        {                                                                      \
            const lane_##T x = a[l];                                           \
            d[l] = (expr);                                                     \
        }                                                                      \
        return 0;                                                              \
    }
#define FLOAT_2(name, T, expr)                                                 \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_##T *d = to;                                                      \
        const lane_##T *a = from[0], *b = from[1];                             \
        LANES_EACH                                                             \
        {                                                                      \
            const lane_##T x = a[l], y = b[l];                                 \
            d[l] = (expr);                                                     \
        }                                                                      \
        return 0;                                                              \
    }
#define FLOAT_3(name, T, expr)                                                 \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_##T *d = to;                                                      \
        const lane_##T *a = from[0], *b = from[1], *c = from[2];               \
        LANES_EACH                                                             \
        {                                                                      \
            const lane_##T x = a[l], y = b[l], z = c[l];                       \
            d[l] = (expr);                                                     \
        }                                                                      \
        return 0;                                                              \
    }

FLOAT_2(add_f32, f32, canon_f32(x + y))
FLOAT_2(sub_f32, f32, canon_f32(x - y))
FLOAT_2(mul_f32, f32, canon_f32(x *y))
FLOAT_2(div_f32, f32, canon_f32(x / y))
FLOAT_3(fma_f32, f32, canon_f32(__builtin_fmaf(x, y, z)))
FLOAT_2(add_f64, f64, canon_f64(x + y))
FLOAT_2(sub_f64, f64, canon_f64(x - y))
FLOAT_2(mul_f64, f64, canon_f64(x *y))
FLOAT_2(div_f64, f64, canon_f64(x / y))
FLOAT_3(fma_f64, f64, canon_f64(lane_fma(x, y, z)))
FLOAT_1(rcp_f64, f64, canon_f64(1.0 / x))
FLOAT_1(sqrt_f64, f64, canon_f64(__builtin_sqrt(x)))
FLOAT_1(rsqrt_f64, f64, canon_f64(1.0 / __builtin_sqrt(x)))

/* One operand is a NaN: the other; -0 is less than +0. */
static inline float min_float(float x, float y)
{
    if (x == 0.0f && y == 0.0f) {
        return lane_float(lane_float_bits(x) | lane_float_bits(y));
    }
    return x < y || y != y ? x : y;
}

static inline float max_float(float x, float y)
{
    if (x == 0.0f && y == 0.0f) {
        return lane_float(lane_float_bits(x) & lane_float_bits(y));
    }
    return x > y || y != y ? x : y;
}

static inline double min_double(double x, double y)
{
    if (x == 0.0 && y == 0.0) {
        return lane_double(lane_double_bits(x) | lane_double_bits(y));
    }
    return x < y || y != y ? x : y;
}

static inline double max_double(double x, double y)
{
    if (x == 0.0 && y == 0.0) {
        return lane_double(lane_double_bits(x) & lane_double_bits(y));
    }
    return x > y || y != y ? x : y;
}

FLOAT_2(min_f32, f32, canon_f32(min_float(x, y)))
FLOAT_2(max_f32, f32, canon_f32(max_float(x, y)))
FLOAT_2(min_f64, f64, canon_f64(min_double(x, y)))
FLOAT_2(max_f64, f64, canon_f64(max_double(x, y)))

/* Sources and result as .ftz and .sat want them. */
static inline float enter_f32(float x, const struct exec_how *how)
{
    return how->ftz ? flush_f32(x) : x;
}

static inline float leave_f32(float x, const struct exec_how *how)
{
    x = how->ftz ? flush_f32(x) : x;
    return how->sat ? sat_f32(x) : canon_f32(x);
}

#define IN(x) enter_f32(x, how)
#define OUT(x) leave_f32(x, how)
FLOAT_2(min_ftz_f32, f32, OUT(min_float(IN(x), IN(y))))
FLOAT_2(max_ftz_f32, f32, OUT(max_float(IN(x), IN(y))))

/* How far the exact quotient or root is above q: its sign is exact, as the
 * remainder of a double operation on floats is. */
static inline float div_round(float x, float y, uint8_t round)
{
    double q = (double)x / y;
    double rest = -lane_fma(q, y, -(double)x);

    if (q - q != 0.0 || y - y != 0.0f) {
        return (float)q;
    }
    return round_f32(q, y < 0.0f ? -rest : rest, round);
}

static inline float sqrt_round(float x, uint8_t round)
{
    double r = __builtin_sqrt((double)x);

    if (r - r != 0.0) {
        return (float)r;
    }
    return round_f32(r, -lane_fma(r, r, -(double)x), round);
}

static inline float sum_round(double x, double y, uint8_t round)
{
    double sum;
    double error = two_sum(x, y, &sum);

    if (sum == 0.0 && round == LOOM_PTX_RM &&
        lane_double_bits(x) != lane_double_bits(y)) {
        return -0.0f; /* x - x, rounded down */
    }
    return round_f32(sum, sum - sum != 0.0 ? 0.0 : error, round);
}

FLOAT_2(add_any_f32, f32, OUT(sum_round(IN(x), IN(y), how->round)))
FLOAT_2(sub_any_f32, f32, OUT(sum_round(IN(x), -IN(y), how->round)))
FLOAT_2(mul_any_f32, f32,
        OUT(round_f32((double)IN(x) * IN(y), 0.0, how->round)))
FLOAT_3(fma_any_f32, f32,
        OUT(sum_round((double)IN(x) * IN(y), IN(z), how->round)))
FLOAT_2(div_any_f32, f32, OUT(div_round(IN(x), IN(y), how->round)))
FLOAT_1(rcp_any_f32, f32, OUT(div_round(1.0f, IN(x), how->round)))
FLOAT_1(sqrt_any_f32, f32, OUT(sqrt_round(IN(x), how->round)))
FLOAT_1(rsqrt_any_f32, f32, OUT((float)(1.0 / __builtin_sqrt((double)IN(x)))))

/* Two floats in each lane. */
#define PAIR_F32(name, sources, expr)                                          \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_f32 *d = to;                                                      \
        const lane_f32 *a = from[0], *b = from[1];                             \
        const lane_f32 *c = sources > 2 ? from[2] : b;                         \
        for (uint32_t l = 0; l < 2 * LOOM_WARP_LANES; l++) {                   \
            const lane_f32 x = a[l], y = b[l], z = c[l];                       \
            (void)z;                                                           \
            d[l] = (expr);                                                     \
        }                                                                      \
        return 0;                                                              \
    }
PAIR_F32(add_f32x2, 2, OUT(sum_round(IN(x), IN(y), how->round)))
PAIR_F32(sub_f32x2, 2, OUT(sum_round(IN(x), -IN(y), how->round)))
PAIR_F32(mul_f32x2, 2, OUT(round_f32((double)IN(x) * IN(y), 0.0, how->round)))
PAIR_F32(fma_f32x2, 3, OUT(sum_round((double)IN(x) * IN(y), IN(z), how->round)))

FLOAT_2(add_any_f64, f64, soft_add(x, y, how->round))
FLOAT_2(sub_any_f64, f64, soft_add(x, -y, how->round))
FLOAT_2(mul_any_f64, f64, soft_mul(x, y, how->round))
FLOAT_2(div_any_f64, f64, soft_div(x, y, how->round))
FLOAT_3(fma_any_f64, f64, soft_fma(x, y, z, how->round))
FLOAT_1(rcp_any_f64, f64, soft_div(1.0, x, how->round))
FLOAT_1(sqrt_any_f64, f64, soft_sqrt(x, how->round))

#endif
