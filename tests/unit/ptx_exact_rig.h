/*
 * Exactly rounded results of binary formats up to 64 bits, by search: the
 * pattern whose value is nearest to the exact result, which is compared and
 * never computed.  Quadruple precision (113 bits) holds every product that
 * this takes without an error.  Shares nothing with the executor, and neither
 * libm nor the rounding mode of the host has a part in it.
 */
#ifndef TESTS_UNIT_PTX_EXACT_RIG_H
#define TESTS_UNIT_PTX_EXACT_RIG_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

#if LDBL_MANT_DIG == 113
typedef long double quad;
#else
__extension__ typedef __float128 quad;
#endif

struct format { /* bits */
    int fraction, exponent;
};

static const struct format binary16 = {10, 5}, brain16 = {7, 8};
static const struct format binary32 = {23, 8}, binary64 = {52, 11};

static inline uint64_t format_sign(struct format f)
{
    return UINT64_C(1) << (f.fraction + f.exponent);
}

static inline uint64_t format_infinity(struct format f)
{
    return ((UINT64_C(1) << f.exponent) - 1) << f.fraction;
}

static inline bool format_is_nan(struct format f, uint64_t bits)
{
    return (bits & (format_sign(f) - 1)) > format_infinity(f);
}

/* Not a number nor infinite, or as 2^emax+1. */
static inline bool format_is_infinite(struct format f, uint64_t bits)
{
    return (bits & (format_sign(f) - 1)) == format_infinity(f);
}

static inline quad power_of_2(int n)
{
    quad value = 1, step = n < 0 ? (quad)0.5 : (quad)2;

    for (int i = n < 0 ? -n : n; i > 0; i /= 2) {
        value = (i & 1) != 0 ? value * step : value;
        step = step * step;
    }
    return value;
}

/* Of a pattern without its sign; infinity as if exponents went on. */
static inline quad format_size(struct format f, uint64_t bits)
{
    int bias = (1 << (f.exponent - 1)) - 1;
    int exponent = (int)(bits >> f.fraction);
    uint64_t part = bits & ((UINT64_C(1) << f.fraction) - 1);

    if (exponent == 0) {
        return (quad)part * power_of_2(1 - bias - f.fraction);
    }
    part += UINT64_C(1) << f.fraction;
    return (quad)part * power_of_2(exponent - bias - f.fraction);
}

static inline quad format_value(struct format f, uint64_t bits)
{
    quad size = format_size(f, bits & (format_sign(f) - 1));

    return (bits & format_sign(f)) != 0 ? -size : size;
}

/* An exact number: x + y, x / y or the root of x.  A sum's y is what x lacks
 * of it; a quotient's y is positive. */
struct exact {
    enum {
        EXACT_SUM,
        EXACT_QUOTIENT,
        EXACT_ROOT
    } kind;
    quad x, y;
    bool negative; /* of a zero */
};

static inline struct exact exact_of(quad x)
{
    return (struct exact){EXACT_SUM, x, 0, x < 0};
}

/* x + y with what rounding took away. */
static inline struct exact exact_sum(quad x, quad y)
{
    quad sum = x + y, part = sum - x;

    return (struct exact){EXACT_SUM, sum, (x - (sum - part)) + (y - part),
                          sum < 0};
}

static inline struct exact exact_quotient(quad x, quad y)
{
    return (struct exact){EXACT_QUOTIENT, y < 0 ? -x : x, y < 0 ? -y : y,
                          (x < 0) != (y < 0)};
}

/* The sign of e - v. */
static inline int exact_against(const struct exact *e, quad v)
{
    quad d = e->kind == EXACT_SUM        ? (e->x - v) + e->y
             : e->kind == EXACT_QUOTIENT ? e->x - v * e->y
                                         : e->x - v * v;

    return d > 0 ? 1 : d < 0 ? -1 : 0;
}

/* mode: 'n' to nearest even, 'a' ties away, 'z' to zero, 'm' down, 'p' up. */
static inline uint64_t exact_round(struct format f, struct exact e, char mode)
{
    uint64_t sign = 0, low = 0, high = format_infinity(f);
    int tie;
    bool up;

    if (e.x < 0 || (e.x == 0 && e.negative)) {
        sign = format_sign(f);
        e.x = -e.x;
        e.y = e.kind == EXACT_SUM ? -e.y : e.y;
        mode = mode == 'm' ? 'p' : mode == 'p' ? 'm' : mode;
    }
    while (high - low > 1) { /* value(low) <= e < value(high) */
        uint64_t middle = (low + high) / 2;

        if (exact_against(&e, format_size(f, middle)) >= 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    tie = exact_against(&e, (format_size(f, low) + format_size(f, high)) / 2);
    up = mode == 'n'   ? tie > 0 || (tie == 0 && (low & 1) != 0)
         : mode == 'a' ? tie >= 0
         : mode == 'p' ? exact_against(&e, format_size(f, low)) > 0
                       : false;
    return sign | (up ? high : low);
}

#endif
