/*
 * What kernels of cuda/blas/kernels/structured.cu get, and how it is made.
 */
#ifndef CUDA_BLAS_STRUCTURED_H
#define CUDA_BLAS_STRUCTURED_H

#include "cuda/blas/blas.h"

enum {
    KIND_WRONG = -1,
    KIND_ALL,
    KIND_SYMMETRIC,
    KIND_TRIANGLE
};

enum {
    STORAGE_FULL,
    STORAGE_PACKED,
    STORAGE_BAND
};

/* A matrix, of which `turned` is the transposed; a vector is a column. */
struct loom_blas_view {
    const void *at;
    int64_t first, step, ld, stride;
    int32_t rows, kind, storage, turned, lower, unit, below, above;
};

struct loom_blas_product {
    struct loom_blas_view a, b, c;
    const void *alpha_at, *beta_at;
    double alpha, beta;
    int32_t m, n, k, twice, list;
};

/* A launch; NULL for beta is 0. */
struct loom_blas_work {
    const char *kernel[2]; /* of four and of eight bytes */
    int type;
    const void *alpha, *beta;
    struct loom_blas_product g;
    int vectors; /* that are changed in place; 0: another kernel */
    int batch;
};
int loom_blas_work(struct loom_blas *handle, struct loom_blas_work work);

/* For alpha and beta. */
extern const double loom_blas_zero, loom_blas_one;

#endif
