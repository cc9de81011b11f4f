/*
 * What a program describes to cublasLt: numbers of cublasLt.h.
 */
#ifndef CUDA_BLAS_LT_H
#define CUDA_BLAS_LT_H

#include "cuda/blas/blas.h"

enum {
    LT_EPILOGUE_DEFAULT = 1,
    LT_RELU = 2,
    LT_BIAS = 4,
    LT_DRELU = 8,
    LT_BGRAD = 16,
    LT_GELU = 32,
    LT_DGELU = 64,
    LT_AUX = 128,
    LT_BGRADA = 256,
    LT_BGRADB = 512
};

enum {
    LT_POINTERS_HOST = 0,
    LT_POINTERS_DEVICE = 1
};

enum {
    LT_COLUMNS = 0, /* column-major */
    LT_ROWS = 1
};

enum {
    LT_NO_TYPE = -1
};

/* cublasLtMatmulDesc_t: at most 256 bytes (88 in CUDA 11). */
struct loom_lt_operation {
    int32_t compute, scale_type, pointers, op_a, op_b, op_c, fill, epilogue;
    const void *bias;
    void *aux;
    int64_t bias_stride, aux_ld, aux_stride;
    int32_t bias_type, aux_type;
};

/* cublasLtMatrixLayout_t: at most 64 bytes. */
struct loom_lt_layout {
    int32_t type, order;
    uint64_t rows, columns;
    int64_t ld, stride;
    int32_t batch;
};

/* cublasLtMatmulPreference_t: at most 64 bytes. */
struct loom_lt_preference {
    uint64_t workspace_bytes;
};

/* cublasLtMatmulAlgo_t and cublasLtMatmulHeuristicResult_t. */
struct loom_lt_algorithm {
    uint64_t data[8];
};
struct loom_lt_heuristic {
    struct loom_lt_algorithm algorithm;
    size_t workspace_bytes;
    int32_t status;
    float waves;
    int32_t reserved[4];
};

#endif
