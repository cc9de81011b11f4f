/*
 * Arithmetic of 16-bit floats.  Semantics: PTX ISA, "Half
 * Precision Floating Point Instructions".
 *
 * A value is computed in double, where products of two 16-bit floats are
 * exact and the error of a sum is known; it is then rounded once.  A packed
 * type (.f16x2) is the same twice.
 */
#ifndef WORKLOADS_PTX_LANES_NARROW_H
#define WORKLOADS_PTX_LANES_NARROW_H

#include "workloads/ptx/lanes/float.h"
#include "workloads/ptx/lanes/formats.h"

/* Sources and results of the arithmetic. */
static inline double narrow_in(uint32_t bits, struct narrow n,
                               const struct exec_how *how)
{
    uint32_t top = ((1u << n.exponent) - 1) << n.fraction;

    if (how->ftz && (bits & top) == 0) {
        bits &= 1u << (n.fraction + n.exponent);
    }
    return narrow_value(bits & 0xffff, n);
}

static inline uint32_t narrow_out(double x, struct narrow n,
                                  const struct exec_how *how)
{
    uint32_t bits, top = ((1u << n.exponent) - 1) << n.fraction;

    if (how->sat) {
        x = x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
    }
    if (how->relu && x <= 0.0) {
        x = 0.0;
    }
    bits = narrow_bits(x, n, how->round, false);
    if (how->ftz && (bits & top) == 0) {
        bits &= 1u << (n.fraction + n.exponent);
    }
    return bits;
}

/* x + y, where the sum itself may be inexact. */
static inline double narrow_sum(double x, double y)
{
    double sum, error = two_sum(x, y, &sum);

    return sum - sum != 0.0 ? sum : round_odd(sum, error);
}

/* .xorsign.abs and .NaN of min and max; `least` chooses. */
static inline double narrow_pick(double x, double y, bool least,
                                 const struct exec_how *how)
{
    bool negative = (lane_double_bits(x) ^ lane_double_bits(y)) >> 63 != 0;
    double r;

    if (how->nan && (x != x || y != y)) {
        return LANE_NAN_F64;
    }
    if (how->xorsign) {
        x = __builtin_fabs(x);
        y = __builtin_fabs(y);
    }
    r = least ? min_double(x, y) : max_double(x, y);
    return how->xorsign && negative ? -r : r;
}

/* One or two values in each lane: x, y, z to `expr`. */
#define NARROW(name, sources, expr)                                            \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_u32 *d = to;                                                      \
        const lane_u32 *a = from[0], *b = from[1], *c = from[2];               \
        const struct narrow n = narrow_of(how->dtype);                         \
        const uint32_t end = narrow_pair(how->dtype) ? 32 : 16;                \
        LANES_SLOWLY                                                           \
        {                                                                      \
            uint32_t result = 0;                                               \
            for (uint32_t at = 0; at < end; at += 16) {                        \
                double x = narrow_in(a[l] >> at, n, how), y = 0.0, z = 0.0;    \
                y = sources > 1 ? narrow_in(b[l] >> at, n, how) : y;           \
                z = sources > 2 ? narrow_in(c[l] >> at, n, how) : z;           \
                (void)y;                                                       \
                (void)z;                                                       \
                result |= narrow_out(expr, n, how) << at;                      \
            }                                                                  \
            d[l] = result;                                                     \
        }                                                                      \
        return 0;                                                              \
    }
NARROW(add_narrow, 2, narrow_sum(x, y))
NARROW(sub_narrow, 2, narrow_sum(x, -y))
NARROW(mul_narrow, 2, x *y)
NARROW(fma_narrow, 3, narrow_sum(x *y, z))
NARROW(neg_narrow, 1, -x)
NARROW(abs_narrow, 1, __builtin_fabs(x))
NARROW(min_narrow, 2, narrow_pick(x, y, true, how))
NARROW(max_narrow, 2, narrow_pick(x, y, false, how))

/* The half that how->high names, of both sources. */
#define NARROW_COMPARE(name, cond)                                             \
    LANE_FN(name##_narrow)                                                     \
    {                                                                          \
        const lane_u32 *a = from[0], *b = from[1];                             \
        const struct narrow n = narrow_of(how->stype);                         \
        const uint32_t at = how->high ? 16 : 0;                                \
        uint32_t out = 0;                                                      \
        (void)to;                                                              \
        LANES_SLOWLY                                                           \
        {                                                                      \
            const double x = narrow_in(a[l] >> at, n, how);                    \
            const double y = narrow_in(b[l] >> at, n, how);                    \
            out |= (cond) ? lane_bit[l] : 0;                                   \
        }                                                                      \
        return out;                                                            \
    }
NARROW_COMPARE(eq, x == y)
NARROW_COMPARE(ne, x<y || x> y)
NARROW_COMPARE(lt, x < y)
NARROW_COMPARE(le, x <= y)
NARROW_COMPARE(gt, x > y)
NARROW_COMPARE(ge, x >= y)
NARROW_COMPARE(equ, !(x < y || x > y))
NARROW_COMPARE(neu, x != y)
NARROW_COMPARE(ltu, !(x >= y))
NARROW_COMPARE(leu, !(x > y))
NARROW_COMPARE(gtu, !(x <= y))
NARROW_COMPARE(geu, !(x < y))
NARROW_COMPARE(num, x == x && y == y)
NARROW_COMPARE(nan, x != x || y != y)

#define NARROW_ROWS(TYPE)                                                      \
    {LOOM_PTX_ADD, TYPE, EXEC_ANY, add_narrow},                                \
        {LOOM_PTX_SUB, TYPE, EXEC_ANY, sub_narrow},                            \
        {LOOM_PTX_MUL, TYPE, EXEC_ANY, mul_narrow},                            \
        {LOOM_PTX_FMA, TYPE, EXEC_ANY, fma_narrow},                            \
        {LOOM_PTX_NEG, TYPE, EXEC_ANY, neg_narrow},                            \
        {LOOM_PTX_ABS, TYPE, EXEC_ANY, abs_narrow},                            \
        {LOOM_PTX_MIN, TYPE, EXEC_ANY, min_narrow},                            \
        {LOOM_PTX_MAX, TYPE, EXEC_ANY, max_narrow},                            \
        {LOOM_PTX_EX2, TYPE, EXEC_ANY, ex2_narrow},                            \
    {                                                                          \
        LOOM_PTX_TANH, TYPE, EXEC_ANY, tanh_narrow                             \
    }
#define NARROW_COMPARE_ROWS COMPARE_ROWS_FLOAT(narrow, LOOM_PTX_F16)

#endif
