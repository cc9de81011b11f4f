/*
 * The lane functions for the processor that every build supports.
 */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#include "workloads/ptx/lanes_compare.h"
#include "workloads/ptx/lanes_cvt.h"
#include "workloads/ptx/lanes_math.h"
#include "workloads/ptx/lanes_rows.h"

const struct exec_lane_set ptx_lanes_base = {rows, LOOM_COUNTOF(rows),
                                             find_cvt};
