/*
 * The lane functions for the processor that every build supports.
 */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#include "workloads/ptx/lanes/compare.h"
#include "workloads/ptx/lanes/cvt.h"
#include "workloads/ptx/lanes/math.h"
#include "workloads/ptx/lanes/rows.h"

const struct exec_lane_set ptx_lanes_base = {rows, LOOM_COUNTOF(rows),
                                             find_cvt};
