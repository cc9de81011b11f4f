/*
 * Expected results of 16-bit and 8-bit floats, by search: the pattern whose
 * value is nearest to the exact result.  Shares nothing with the executor.
 */
#ifndef TESTS_UNIT_PTX_NARROW_RIG_H
#define TESTS_UNIT_PTX_NARROW_RIG_H

#include <math.h>

#include "tests/unit/ptx_check_rig.h"

struct form {
    int fraction, exponent; /* bits */
    bool finite;            /* no infinity: e4m3 */
};

static const struct form f16 = {10, 5, false}, bf16 = {7, 8, false};
static const struct form e4m3 = {3, 4, true}, e5m2 = {2, 5, false};
static const struct form tf32 = {10, 8, false}, f32_form = {23, 8, false};

static inline uint32_t form_top(struct form f) /* past the largest value */
{
    return f.finite ? 0x7f : ((1u << f.exponent) - 1) << f.fraction;
}

/* Of a positive pattern, also of form_top() as if exponents went on. */
static inline long double form_abs(struct form f, uint32_t bits)
{
    int bias = (1 << (f.exponent - 1)) - 1;
    int exponent = (int)(bits >> f.fraction);
    long double part = bits & ((1u << f.fraction) - 1);

    if (exponent == 0) {
        return ldexpl(part, 1 - bias - f.fraction);
    }
    return ldexpl(part + (1u << f.fraction), exponent - bias - f.fraction);
}

static inline long double form_value(struct form f, uint32_t bits)
{
    uint32_t sign = 1u << (f.fraction + f.exponent), low = bits & (sign - 1);
    long double value;

    if (f.finite ? low == 0x7f : low > form_top(f)) {
        return NAN;
    }
    value = !f.finite && low == form_top(f) ? INFINITY : form_abs(f, low);
    return (bits & sign) != 0 ? -value : value;
}

/* Sign of s + e - x, e being a correction of s. */
static inline int against(long double s, long double e, long double x)
{
    long double d = s - x;

    d = d + e;
    return d > 0 ? 1 : d < 0 ? -1 : 0;
}

/* s + e rounded; mode: 'n' even, 'a' ties away, 'z', 'm', 'p'. */
static inline uint32_t form_round(struct form f, long double s, long double e,
                                  char mode, bool finite)
{
    uint32_t sign = signbit(s) ? 1u << (f.fraction + f.exponent) : 0;
    uint32_t low = 0, high = form_top(f);
    int tie;
    bool up;

    if (isnan(s)) {
        return (1u << (f.fraction + f.exponent)) - 1;
    }
    if (sign != 0) {
        s = -s;
        e = -e;
        mode = mode == 'm' ? 'p' : mode == 'p' ? 'm' : mode;
    }
    if (isinf(s)) {
        return sign | (finite || f.finite ? high - 1 : high);
    }
    while (high - low > 1) { /* value(low) <= s + e < value(high) */
        uint32_t middle = (low + high) / 2;

        if (against(s, e, form_abs(f, middle)) >= 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    tie = against(s, e, (form_abs(f, low) + form_abs(f, high)) / 2);
    up = mode == 'n'   ? tie > 0 || (tie == 0 && (low & 1) != 0)
         : mode == 'a' ? tie >= 0
                       : mode == 'p' && against(s, e, form_abs(f, low)) > 0;
    if (against(s, e, form_abs(f, high)) >= 0 && high == form_top(f)) {
        up = mode != 'z' && mode != 'm';
    }
    if (up && high == form_top(f) && (finite || f.finite)) {
        up = false;
    }
    return sign | (up ? high : low);
}

/* x + y as s and e. */
static inline uint32_t form_sum(struct form f, long double x, long double y,
                                char mode)
{
    volatile long double s = x + y;
    volatile long double bb = s - x;
    volatile long double e = (x - (s - bb)) + (y - bb);

    return form_round(f, s, isfinite(s) ? e : 0, mode, false);
}

static inline long double flushed(struct form f, long double x)
{
    return fabsl(x) < form_abs(f, 1u << f.fraction) ? copysignl(0, x) : x;
}

/* Every pair of halves, in each half of the word and in the low 16 bits. */
static const uint64_t narrow_edge[EDGES] = {
    0x00000000, 0x80003c00, 0x3c008000, 0xbc000001, 0x000103ff, 0x04003555,
    0x7bff0400, 0xfbff7bff, 0x7c00fc00, 0xfc007e00, 0x7e003c01, 0x3f80bf81,
    0x42f70080, 0x7f7f42f7, 0x007f0001, 0x5640c8ff};

#endif
