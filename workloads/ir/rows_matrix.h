/*
 * The rows of matrices: the end of workloads/ir/rows.h, which says what their
 * letters mean.
 */
#ifndef WORKLOADS_IR_ROWS_MATRIX_H
#define WORKLOADS_IR_ROWS_MATRIX_H

/* clang-format off */
#define LOOM_PTX_MATRIX_ROWS(ROW) \
    ROW(STMATRIX, "stmatrix", "yagMFpt", "aw", STORE) \
    ROW(MOVMATRIX, "movmatrix", "yagFt", "ds", SHUFFLE) \
    ROW(LDMATRIX, "ldmatrix", "yagMFpt", "va", LOAD) \
    ROW(MMA, "mma", "yaglFsbrtttt", "vwww", TENSOR) \
    ROW(MMA_SP, "mma.sp", "yaglstttt", "vwwwss", TENSOR) \
    ROW(MMA_SP_ORDERED, "mma.sp::ordered_metadata", "yaglstttt", \
        "vwwwss", TENSOR) \
    ROW(WGMMA_FENCE, "wgmma.fence", "ya", "", NOP) \
    ROW(WGMMA_COMMIT, "wgmma.commit_group", "ya", "", NOP) \
    ROW(WGMMA_WAIT, "wgmma.wait_group", "ya", "s", NOP) \
    ROW(WGMMA_MMA, "wgmma.mma_async", "yagsbttt", "vwsp?ssss", TENSOR) \
    ROW(WGMMA_SP, "wgmma.mma_async.sp", "yagsttt", "vwsssp?ssss", \
        TENSOR) \
    ROW(WMMA_LOAD_A, "wmma.load.a", "yalgpt", "va?s", LOAD) \
    ROW(WMMA_LOAD_B, "wmma.load.b", "yalgpt", "va?s", LOAD) \
    ROW(WMMA_LOAD_C, "wmma.load.c", "yalgpt", "va?s", LOAD) \
    ROW(WMMA_STORE_D, "wmma.store.d", "yalgpt", "aw?s", STORE) \
    ROW(WMMA_MMA, "wmma.mma", "yalgttttrs", "vwww", TENSOR)
/* clang-format on */

#endif
