/*
 * Addresses in the shared memory of a cluster's CTAs (struct exec_cluster).
 */
#ifndef WORKLOADS_PTX_LANES_RANKS_H
#define WORKLOADS_PTX_LANES_RANKS_H

#include "workloads/ptx/lanes/tools.h"

/* The same place in the shared memory of another CTA of the cluster, and whose
 * a place is. */
#define MAPA(name, S)                                                          \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_u##S *d = to;                                                     \
        const lane_u##S *a = from[0];                                          \
        const lane_u32 *b = from[1];                                           \
        LANES_EACH                                                             \
        {                                                                      \
            const lane_u##S rank = (b[l] & 127) + 1;                           \
            d[l] = (a[l] & ~(lane_u##S)0xff000000) | rank << 24;               \
        }                                                                      \
        return 0;                                                              \
    }
MAPA(mapa_u32, 32)
MAPA(mapa_u64, 64)

#define RANK(name, S)                                                          \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_u32 *d = to;                                                      \
        const lane_u##S *a = from[0];                                          \
        const lane_u32 *own = from[1];                                         \
        LANES_EACH                                                             \
        {                                                                      \
            const uint32_t tag = (uint32_t)(a[l] >> 24) & 255;                 \
            d[l] = tag == 0 ? own[l] : tag - 1;                                \
        }                                                                      \
        return 0;                                                              \
    }
RANK(rank_u32, 32)
RANK(rank_u64, 64)

#define RANK_ROWS                                                              \
    {LOOM_PTX_MAPA, LOOM_PTX_U32, EXEC_ANY, mapa_u32},                         \
        {LOOM_PTX_MAPA, LOOM_PTX_U64, EXEC_ANY, mapa_u64},                     \
        {LOOM_PTX_GETCTARANK, LOOM_PTX_U32, EXEC_ANY, rank_u32},               \
    {                                                                          \
        LOOM_PTX_GETCTARANK, LOOM_PTX_U64, EXEC_ANY, rank_u64                  \
    }

#endif
