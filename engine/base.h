/*
 * Types and helpers that every layer shares.
 *
 * Time is an integer count of femtoseconds and never a double: two runs of
 * one configuration must produce bit-identical statistics, and sums of
 * doubles depend on the order in which they are taken.
 */
#ifndef ENGINE_BASE_H
#define ENGINE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t loom_time;  /* femtoseconds since the start of the run */
typedef uint64_t loom_cycle; /* edge number of one clock, from 0 */
/* For products that must not overflow before they are divided. */
__extension__ typedef unsigned __int128 loom_u128;

typedef uint64_t loom_addr; /* byte address in the simulated machine */

/* Returned by a tick that has nothing to do until a message, a credit or a
 * policy's timer arrives; also "no such cycle". */
#define LOOM_NEVER UINT64_MAX

/* Nothing happens at this time (two and a half hours) or later: sums of times
 * before it fit, in Lua's integers, too. */
#define LOOM_TIME_END ((loom_time)INT64_MAX)

#define LOOM_COUNTOF(array) (sizeof(array) / sizeof((array)[0]))

/* Initialises a {pointer, count} slice from a static array. */
#define LOOM_SLICE(array)                                                      \
    {                                                                          \
        (array), LOOM_COUNTOF(array)                                           \
    }

#if defined(__GNUC__)
#define LOOM_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define LOOM_NORETURN __attribute__((noreturn))
#define LOOM_NOINLINE __attribute__((noinline))
/* For what is compiled once for each value of a constant argument. */
#define LOOM_INLINE inline __attribute__((always_inline))
/* What has no value: the same bits everywhere, which 0.0 / 0.0 has not. */
#define LOOM_NAN ((double)__builtin_nanf(""))

#define LOOM_LIKELY(x) __builtin_expect(!!(x), 1)
#define LOOM_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#error "warploom needs gcc or clang: __int128 and bit builtins"
#endif

/* Number of the lowest set bit; x != 0. */
static inline uint32_t loom_lowest(uint64_t x)
{
    return (uint32_t)__builtin_ctzll(x);
}

static inline uint32_t loom_popcount(uint64_t x)
{
    return (uint32_t)__builtin_popcountll(x);
}

static inline uint64_t loom_bit(uint32_t n)
{
    return UINT64_C(1) << n;
}

/* `a` if `first`, else `b`, without a branch: for what nobody can guess. */
static inline uint64_t loom_choose(bool first, uint64_t a, uint64_t b)
{
    return b ^ ((a ^ b) & (0 - (uint64_t)first));
}

static inline bool loom_is_power_of_2(uint64_t x)
{
    return x != 0 && (x & (x - 1)) == 0;
}

/* Floor of the base-2 logarithm; x != 0. */
static inline uint32_t loom_log2(uint64_t x)
{
    return 63u - (uint32_t)__builtin_clzll(x);
}

#endif
