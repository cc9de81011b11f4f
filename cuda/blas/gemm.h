/*
 * D = alpha op(A) op(B) + beta C, in one way for all functions that ask for it.
 */
#ifndef CUDA_BLAS_GEMM_H
#define CUDA_BLAS_GEMM_H

#include "cuda/blas/blas.h"

union loom_blas_scalar {
    float f32;
    double f64;
    int32_t i32;
};

enum {
    GEMM_POINTERS = 1,
    GEMM_ALIGNED_A = 2,
    GEMM_ALIGNED_B = 4
};

enum {
    FINISH_RELU = 1,
    FINISH_GELU = 2,
    FINISH_BACKWARD_GELU = 3,
    FINISH_BIAS = 16,
    FINISH_BIAS_BY_COLUMN = 32,
    FINISH_AUX = 64
};

/* What a kernel gets: struct gemm of cuda/blas/kernels/gemm.cuh. */
struct loom_blas_gemm {
    const void *a, *b, *c;
    void *d;
    int64_t stride_a, stride_b, stride_c, stride_d;
    const void *alpha_at, *beta_at;
    union loom_blas_scalar alpha, beta;
    const void *bias;
    void *aux;
    int64_t stride_bias, stride_aux;
    int32_t m, n, k, lda, ldb, ldc, ldd, ldaux;
    int32_t type_d, type_scale, type_bias, type_aux;
    int32_t flags, finish;
};

struct loom_blas_request {
    const char *function;
    int op_a, op_b;
    int type_a, type_b, compute;
    int batch;
    const void *alpha, *beta; /* as the program gave them */
    bool scalars_on_device;
    void *stream;
    int sms;
    uint32_t capability;
    struct loom_blas_gemm g; /* without scalars and flags that follow */
};

/* A status; does what is asked. */
int loom_blas_gemm(struct loom_blas_request *request);
/* Would it be done? */
int loom_blas_gemm_check(struct loom_blas_request *request);
/* The type of alpha and beta; -1: no such computation. */
int loom_blas_scale_type(int compute);

#endif
