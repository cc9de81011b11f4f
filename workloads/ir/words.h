/*
 * More of PTX's vocabulary: shapes, layouts, flags and special registers.
 * Part of workloads/ir/opcode.h, which includes it.
 */
#ifndef WORKLOADS_IR_WORDS_H
#define WORKLOADS_IR_WORDS_H

#include "engine/error.h"

/* Geometry of a texture or surface, or shape of a matrix. */
enum loom_ptx_shape {
    LOOM_PTX_1D = 1,
    LOOM_PTX_2D,
    LOOM_PTX_3D,
    LOOM_PTX_A1D,
    LOOM_PTX_A2D,
    LOOM_PTX_CUBE,
    LOOM_PTX_ACUBE,
    LOOM_PTX_M8N8,
    LOOM_PTX_M16N16K16,
    LOOM_PTX_M8N32K16,
    LOOM_PTX_M32N8K16,
    LOOM_PTX_M16N16K8,
    LOOM_PTX_M8N8K4,
    LOOM_PTX_M8N8K16,
    LOOM_PTX_M8N8K32,
    LOOM_PTX_M16N8K4,
    LOOM_PTX_M16N8K8,
    LOOM_PTX_M16N8K16,
    LOOM_PTX_M16N8K32,
    LOOM_PTX_M16N8K64,
    LOOM_PTX_M8N8K128,
    LOOM_PTX_M16N8K128,
    LOOM_PTX_M16N8K256,
    LOOM_PTX_M16N16, /* of bytes */
    LOOM_PTX_M8N16,
    LOOM_PTX_M16N8,
    LOOM_PTX_4D, /* tensors */
    LOOM_PTX_5D,
    LOOM_PTX_M64, /* wgmma: plus (n / 8 - 1) * LOOM_PTX_KS and which k */
    LOOM_PTX_M64_END = LOOM_PTX_M64 + 160
};

/* The k of wgmma in the order of its shapes. */
enum loom_ptx_wgmma_k {
    LOOM_PTX_K8,
    LOOM_PTX_K16,
    LOOM_PTX_K32,
    LOOM_PTX_K64,
    LOOM_PTX_K256,
    LOOM_PTX_KS
};

/* Of one or two matrices. */
enum loom_ptx_layout {
    LOOM_PTX_ROW = 1,
    LOOM_PTX_COL,
    LOOM_PTX_ROW_ROW,
    LOOM_PTX_ROW_COL,
    LOOM_PTX_COL_ROW,
    LOOM_PTX_COL_COL
};

/* .L1::evict_* and the like. */
enum loom_ptx_evict {
    LOOM_PTX_EVICT_NORMAL = 1,
    LOOM_PTX_EVICT_UNCHANGED,
    LOOM_PTX_EVICT_FIRST,
    LOOM_PTX_EVICT_LAST,
    LOOM_PTX_NO_ALLOCATE,
    LOOM_PTX_L2_EVICT_NORMAL,
    LOOM_PTX_L2_EVICT_LAST,
    LOOM_PTX_L2_EVICT_FIRST,
    LOOM_PTX_L2_EVICT_UNCHANGED
};

/* .L2::64B and such */
enum loom_ptx_prefetch {
    LOOM_PTX_L2_64B = 1,
    LOOM_PTX_L2_128B,
    LOOM_PTX_L2_256B
};

/* Bits of loom_ptx_inst.flags. */
enum {
    LOOM_PTX_SYNC = 1 << 0,
    LOOM_PTX_UNI = 1 << 1,
    LOOM_PTX_APPROX = 1 << 2,
    LOOM_PTX_FULL = 1 << 3,
    LOOM_PTX_FTZ = 1 << 4,
    LOOM_PTX_SAT = 1 << 5,
    LOOM_PTX_CC = 1 << 6,
    LOOM_PTX_NONCOHERENT = 1 << 7, /* ld.global.nc */
    LOOM_PTX_ALIGNED = 1 << 8,
    LOOM_PTX_TO = 1 << 9, /* cvta.to: generic to the space */
    LOOM_PTX_SHIFTAMT = 1 << 10,
    LOOM_PTX_RELU = 1 << 11,
    LOOM_PTX_XORSIGN_ABS = 1 << 12,
    LOOM_PTX_NAN_RESULT = 1 << 13, /* min, max: .NaN */
    LOOM_PTX_ABS_VALUE = 1 << 14,  /* redux.abs */
    LOOM_PTX_NOFTZ = 1 << 15,
    LOOM_PTX_TRANS = 1 << 16,
    LOOM_PTX_SATFINITE = 1 << 17,
    LOOM_PTX_PAIR = 1 << 18 /* operands 0 and 1 are written "a|b" */
};

/* More bits of flags: of copies that run on their own. */
enum {
    LOOM_PTX_B1024 = 1 << 21,        /* a tensor map */
    LOOM_PTX_RESTRICT_CTA = 1 << 22, /* .sync_restrict::shared::cta */
    LOOM_PTX_RESTRICT_CLUSTER = 1 << 23,
    LOOM_PTX_CACHE_HINT = 1 << 24, /* a further operand holds the policy */
    LOOM_PTX_TILE = 1 << 25,       /* of a tensor */
    LOOM_PTX_MULTICAST = 1 << 26,
    LOOM_PTX_NOINC = 1 << 28,
    LOOM_PTX_BULK_GROUP = 1 << 29,
    LOOM_PTX_COMPLETE_TX = 1 << 30, /* .mbarrier::complete_tx::bytes */
    LOOM_PTX_READ = 1 << 27         /* .read */
};

/* %tid.x ...; the vectors %tid and so on are not values. */
enum loom_ptx_special {
    LOOM_PTX_TID_X = 1,
    LOOM_PTX_TID_Y,
    LOOM_PTX_TID_Z,
    LOOM_PTX_NTID_X,
    LOOM_PTX_NTID_Y,
    LOOM_PTX_NTID_Z,
    LOOM_PTX_CTAID_X,
    LOOM_PTX_CTAID_Y,
    LOOM_PTX_CTAID_Z,
    LOOM_PTX_NCTAID_X,
    LOOM_PTX_NCTAID_Y,
    LOOM_PTX_NCTAID_Z,
    LOOM_PTX_LANEID,
    LOOM_PTX_WARPID,
    LOOM_PTX_NWARPID,
    LOOM_PTX_SMID,
    LOOM_PTX_NSMID,
    LOOM_PTX_GRIDID,
    LOOM_PTX_LANEMASK_EQ,
    LOOM_PTX_LANEMASK_LE,
    LOOM_PTX_LANEMASK_LT,
    LOOM_PTX_LANEMASK_GE,
    LOOM_PTX_LANEMASK_GT,
    LOOM_PTX_CLOCK,
    LOOM_PTX_CLOCK_HI,
    LOOM_PTX_CLOCK64,
    LOOM_PTX_GLOBALTIMER,
    LOOM_PTX_GLOBALTIMER_LO,
    LOOM_PTX_GLOBALTIMER_HI,
    LOOM_PTX_DYNAMIC_SMEM_SIZE,
    LOOM_PTX_TOTAL_SMEM_SIZE,
    LOOM_PTX_ENVREG0, /* ENVREG0 + n is %envregn, n < 32 */
    LOOM_PTX_WARP_SIZE = LOOM_PTX_ENVREG0 + 32, /* WARP_SZ */
    LOOM_PTX_PM0, /* PM0 + n is %pmn, n < 8; then %pmn_64 */
    LOOM_PTX_CLUSTERID_X = LOOM_PTX_PM0 + 16,
    LOOM_PTX_CLUSTERID_Y,
    LOOM_PTX_CLUSTERID_Z,
    LOOM_PTX_NCLUSTERID_X,
    LOOM_PTX_NCLUSTERID_Y,
    LOOM_PTX_NCLUSTERID_Z,
    LOOM_PTX_CLUSTER_CTAID_X,
    LOOM_PTX_CLUSTER_CTAID_Y,
    LOOM_PTX_CLUSTER_CTAID_Z,
    LOOM_PTX_CLUSTER_NCTAID_X,
    LOOM_PTX_CLUSTER_NCTAID_Y,
    LOOM_PTX_CLUSTER_NCTAID_Z,
    LOOM_PTX_CLUSTER_CTARANK,
    LOOM_PTX_CLUSTER_NCTARANK,
    LOOM_PTX_IS_EXPLICIT_CLUSTER,
    LOOM_PTX_AGGR_SMEM_SIZE,
    LOOM_PTX_RESERVED_SMEM_BEGIN,
    LOOM_PTX_RESERVED_SMEM_END,
    LOOM_PTX_RESERVED_SMEM_CAP,
    LOOM_PTX_RESERVED_SMEM_0,
    LOOM_PTX_RESERVED_SMEM_1,
    LOOM_PTX_GRAPH_EXEC,
    LOOM_PTX_SPECIALS
};

#endif
