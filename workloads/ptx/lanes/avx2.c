/*
 * The lane functions for x86-64 processors with AVX2 and FMA: the same
 * source, the same results, about three times as fast.
 */
#if defined(__x86_64__)

#include <string.h>

#include "workloads/ir/ir.h"
#include "workloads/stream.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#pragma clang attribute push(                                                  \
    __attribute__((target("avx2,fma,bmi,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,bmi,lzcnt,popcnt")
#endif

#include "workloads/ptx/lanes/compare.h"
#include "workloads/ptx/lanes/cvt.h"
#include "workloads/ptx/lanes/math.h"
#include "workloads/ptx/lanes/rows.h"

const struct exec_lane_set ptx_lanes_avx2 = {rows, LOOM_COUNTOF(rows),
                                             find_cvt};

#if defined(__clang__)
#pragma clang attribute pop
#endif

#else
/* ISO C wants a declaration in every file. */
extern const int ptx_lanes_avx2_not_here;
#endif
