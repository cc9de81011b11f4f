/*
 * cublas?gemm() and its like: all ask for the same (gemm.h).  The names of
 * those for several matrices have what they differ in: addresses on the device
 * (Batched) or strides (StridedBatched), types that are arguments (Ex).
 */
#include "cuda/blas/gemm.h"

/* A matrix, an array of addresses of some, or the first of some. */
struct operand {
    const void *at;
    int type, ld;
    int64_t stride;
};

struct shape {
    int op_a, op_b, m, n, k, batch, compute;
    bool pointers;
    const void *alpha, *beta;
};

static int gemm(const char *function, struct loom_blas *handle,
                struct shape shape, struct operand a, struct operand b,
                struct operand c)
{
    struct loom_blas_request r = {.function = function,
                                  .op_a = shape.op_a,
                                  .op_b = shape.op_b,
                                  .type_a = a.type,
                                  .type_b = b.type,
                                  .compute = shape.compute,
                                  .batch = shape.batch,
                                  .alpha = shape.alpha,
                                  .beta = shape.beta};

    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    r.scalars_on_device = handle->pointers_on_device != 0;
    r.stream = handle->stream;
    r.sms = handle->sms;
    r.capability = handle->capability;
    r.g = (struct loom_blas_gemm){.a = a.at,
                                  .b = b.at,
                                  .c = c.at,
                                  .d = (void *)(uintptr_t)c.at,
                                  .stride_a = a.stride,
                                  .stride_b = b.stride,
                                  .stride_c = c.stride,
                                  .stride_d = c.stride,
                                  .m = shape.m,
                                  .n = shape.n,
                                  .k = shape.k,
                                  .lda = a.ld,
                                  .ldb = b.ld,
                                  .ldc = c.ld,
                                  .ldd = c.ld,
                                  .type_d = c.type,
                                  .flags = shape.pointers ? GEMM_POINTERS : 0};
    return loom_blas_gemm(&r);
}

#define PLAIN(T, compute)                                                      \
    gemm(__func__, handle,                                                     \
         (struct shape){op_a, op_b, m, n, k, 1, compute, false, alpha, beta},  \
         (struct operand){a, T, lda, 0}, (struct operand){b, T, ldb, 0},       \
         (struct operand){c, T, ldc, 0})
#define STRIDED(T, compute)                                                    \
    gemm(__func__, handle,                                                     \
         (struct shape){op_a, op_b, m, n, k, batch, compute, false, alpha,     \
                        beta},                                                 \
         (struct operand){a, T, lda, stride_a},                                \
         (struct operand){b, T, ldb, stride_b},                                \
         (struct operand){c, T, ldc, stride_c})
#define BATCHED(T, compute)                                                    \
    gemm(__func__, handle,                                                     \
         (struct shape){op_a, op_b, m, n, k, batch, compute, true, alpha,      \
                        beta},                                                 \
         (struct operand){a, T, lda, 0}, (struct operand){b, T, ldb, 0},       \
         (struct operand){c, T, ldc, 0})

LOOM_CUDA(int, cublasSgemm_v2, struct loom_blas *handle, int op_a, int op_b,
          int m, int n, int k, const float *alpha, const float *a, int lda,
          const float *b, int ldb, const float *beta, float *c, int ldc)
{
    return PLAIN(TYPE_F32, COMPUTE_F32);
}

LOOM_CUDA(int, cublasSgemmStridedBatched, struct loom_blas *handle, int op_a,
          int op_b, int m, int n, int k, const float *alpha, const float *a,
          int lda, long long stride_a, const float *b, int ldb,
          long long stride_b, const float *beta, float *c, int ldc,
          long long stride_c, int batch)
{
    return STRIDED(TYPE_F32, COMPUTE_F32);
}

LOOM_CUDA(int, cublasSgemmBatched, struct loom_blas *handle, int op_a, int op_b,
          int m, int n, int k, const float *alpha, const float *const *a,
          int lda, const float *const *b, int ldb, const float *beta,
          float *const *c, int ldc, int batch)
{
    return BATCHED(TYPE_F32, COMPUTE_F32);
}

LOOM_CUDA(int, cublasDgemm_v2, struct loom_blas *handle, int op_a, int op_b,
          int m, int n, int k, const double *alpha, const double *a, int lda,
          const double *b, int ldb, const double *beta, double *c, int ldc)
{
    return PLAIN(TYPE_F64, COMPUTE_F64);
}

LOOM_CUDA(int, cublasDgemmStridedBatched, struct loom_blas *handle, int op_a,
          int op_b, int m, int n, int k, const double *alpha, const double *a,
          int lda, long long stride_a, const double *b, int ldb,
          long long stride_b, const double *beta, double *c, int ldc,
          long long stride_c, int batch)
{
    return STRIDED(TYPE_F64, COMPUTE_F64);
}

LOOM_CUDA(int, cublasDgemmBatched, struct loom_blas *handle, int op_a, int op_b,
          int m, int n, int k, const double *alpha, const double *const *a,
          int lda, const double *const *b, int ldb, const double *beta,
          double *const *c, int ldc, int batch)
{
    return BATCHED(TYPE_F64, COMPUTE_F64);
}

LOOM_CUDA(int, cublasHgemm, struct loom_blas *handle, int op_a, int op_b, int m,
          int n, int k, const uint16_t *alpha, const uint16_t *a, int lda,
          const uint16_t *b, int ldb, const uint16_t *beta, uint16_t *c,
          int ldc)
{
    return PLAIN(TYPE_F16, COMPUTE_F16);
}

LOOM_CUDA(int, cublasHgemmStridedBatched, struct loom_blas *handle, int op_a,
          int op_b, int m, int n, int k, const uint16_t *alpha,
          const uint16_t *a, int lda, long long stride_a, const uint16_t *b,
          int ldb, long long stride_b, const uint16_t *beta, uint16_t *c,
          int ldc, long long stride_c, int batch)
{
    return STRIDED(TYPE_F16, COMPUTE_F16);
}

LOOM_CUDA(int, cublasHgemmBatched, struct loom_blas *handle, int op_a, int op_b,
          int m, int n, int k, const uint16_t *alpha, const uint16_t *const *a,
          int lda, const uint16_t *const *b, int ldb, const uint16_t *beta,
          uint16_t *const *c, int ldc, int batch)
{
    return BATCHED(TYPE_F16, COMPUTE_F16);
}

LOOM_CUDA(int, cublasGemmEx, struct loom_blas *handle, int op_a, int op_b,
          int m, int n, int k, const void *alpha, const void *a, int type_a,
          int lda, const void *b, int type_b, int ldb, const void *beta,
          void *c, int type_c, int ldc, int compute, int algorithm)
{
    (void)algorithm;
    return gemm(
        __func__, handle,
        (struct shape){op_a, op_b, m, n, k, 1, compute, false, alpha, beta},
        (struct operand){a, type_a, lda, 0},
        (struct operand){b, type_b, ldb, 0},
        (struct operand){c, type_c, ldc, 0});
}

LOOM_CUDA(int, cublasGemmStridedBatchedEx, struct loom_blas *handle, int op_a,
          int op_b, int m, int n, int k, const void *alpha, const void *a,
          int type_a, int lda, long long stride_a, const void *b, int type_b,
          int ldb, long long stride_b, const void *beta, void *c, int type_c,
          int ldc, long long stride_c, int batch, int compute, int algorithm)
{
    (void)algorithm;
    return gemm(
        __func__, handle,
        (struct shape){op_a, op_b, m, n, k, batch, compute, false, alpha, beta},
        (struct operand){a, type_a, lda, stride_a},
        (struct operand){b, type_b, ldb, stride_b},
        (struct operand){c, type_c, ldc, stride_c});
}

LOOM_CUDA(int, cublasGemmBatchedEx, struct loom_blas *handle, int op_a,
          int op_b, int m, int n, int k, const void *alpha,
          const void *const *a, int type_a, int lda, const void *const *b,
          int type_b, int ldb, const void *beta, void *const *c, int type_c,
          int ldc, int batch, int compute, int algorithm)
{
    (void)algorithm;
    return gemm(
        __func__, handle,
        (struct shape){op_a, op_b, m, n, k, batch, compute, true, alpha, beta},
        (struct operand){a, type_a, lda, 0},
        (struct operand){b, type_b, ldb, 0},
        (struct operand){c, type_c, ldc, 0});
}

/* Of which sums are of four bytes whatever the types are. */
LOOM_CUDA(int, cublasSgemmEx, struct loom_blas *handle, int op_a, int op_b,
          int m, int n, int k, const float *alpha, const void *a, int type_a,
          int lda, const void *b, int type_b, int ldb, const float *beta,
          void *c, int type_c, int ldc)
{
    return gemm(
        __func__, handle,
        (struct shape){op_a, op_b, m, n, k, 1, COMPUTE_F32, false, alpha, beta},
        (struct operand){a, type_a, lda, 0},
        (struct operand){b, type_b, ldb, 0},
        (struct operand){c, type_c, ldc, 0});
}

/* Groups of matrices of one shape each; alphas and betas are on the host. */
struct group {
    const int *op_a, *op_b, *m, *n, *k, *lda, *ldb, *ldc, *size;
    const char *alpha, *beta;
    const void *const *a, *const *b, *const *c;
    int type_a, type_b, type_c, compute, scalar_bytes, groups;
};

static int grouped(const char *function, struct loom_blas *handle,
                   struct group g)
{
    int status = BLAS_OK, mode, at = 0;

    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    mode = handle->pointers_on_device;
    handle->pointers_on_device = 0;
    for (int i = 0; i < g.groups && status == BLAS_OK; i++) {
        status = gemm(function, handle,
                      (struct shape){g.op_a[i], g.op_b[i], g.m[i], g.n[i],
                                     g.k[i], g.size[i], g.compute, true,
                                     g.alpha + i * g.scalar_bytes,
                                     g.beta + i * g.scalar_bytes},
                      (struct operand){g.a + at, g.type_a, g.lda[i], 0},
                      (struct operand){g.b + at, g.type_b, g.ldb[i], 0},
                      (struct operand){g.c + at, g.type_c, g.ldc[i], 0});
        at += g.size[i];
    }
    handle->pointers_on_device = mode;
    return status;
}

#define GROUPED(L, T, compute, bytes)                                          \
    LOOM_CUDA(int, cublas##L##gemmGroupedBatched, struct loom_blas *handle,    \
              const int *op_a, const int *op_b, const int *m, const int *n,    \
              const int *k, const void *alpha, const void *const *a,           \
              const int *lda, const void *const *b, const int *ldb,            \
              const void *beta, void *const *c, const int *ldc, int groups,    \
              const int *size)                                                 \
    {                                                                          \
        return grouped(__func__, handle,                                       \
                       (struct group){op_a,  op_b,                             \
                                      m,     n,                                \
                                      k,     lda,                              \
                                      ldb,   ldc,                              \
                                      size,  alpha,                            \
                                      beta,  a,                                \
                                      b,     (const void *const *)c,           \
                                      T,     T,                                \
                                      T,     compute,                          \
                                      bytes, groups});                         \
    }

/* clang-format off */
GROUPED(S, TYPE_F32, COMPUTE_F32, 4)
GROUPED(D, TYPE_F64, COMPUTE_F64, 8)
/* clang-format on */

LOOM_CUDA(int, cublasGemmGroupedBatchedEx, struct loom_blas *handle,
          const int *op_a, const int *op_b, const int *m, const int *n,
          const int *k, const void *alpha, const void *const *a, int type_a,
          const int *lda, const void *const *b, int type_b, const int *ldb,
          const void *beta, void *const *c, int type_c, const int *ldc,
          int groups, const int *size, int compute)
{
    int scale = loom_blas_scale_type(compute);

    return grouped(__func__, handle,
                   (struct group){op_a,
                                  op_b,
                                  m,
                                  n,
                                  k,
                                  lda,
                                  ldb,
                                  ldc,
                                  size,
                                  alpha,
                                  beta,
                                  a,
                                  b,
                                  (const void *const *)c,
                                  type_a,
                                  type_b,
                                  type_c,
                                  compute,
                                  scale == TYPE_F64   ? 8
                                  : scale == TYPE_F16 ? 2
                                                      : 4,
                                  groups});
}
