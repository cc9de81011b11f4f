/*
 * The interface of cublas.h, from before handles: one handle of the process,
 * letters for what is transposed, scalars by value, results as values, and the
 * last error for who asks.  Each is the function with a handle.
 */
#include <stddef.h>

#include "cuda/blas/blas.h"

static struct {
    struct loom_blas *handle;
    int error; /* the last one; read by cublasGetError() */
} legacy;

static void note(int status)
{
    if (status != BLAS_OK) {
        legacy.error = status;
    }
}

static int op_of(char letter)
{
    return letter == 'N' || letter == 'n'   ? OP_N
           : letter == 'T' || letter == 't' ? OP_T
           : letter == 'C' || letter == 'c' ? OP_C
                                            : -1;
}

static int fill_of(char letter)
{
    return letter == 'L' || letter == 'l'   ? FILL_LOWER
           : letter == 'U' || letter == 'u' ? FILL_UPPER
                                            : -1;
}

static int side_of(char letter)
{
    return letter == 'L' || letter == 'l'   ? SIDE_LEFT
           : letter == 'R' || letter == 'r' ? SIDE_RIGHT
                                            : -1;
}

static int diagonal_of(char letter)
{
    return letter == 'U' || letter == 'u'   ? UNIT
           : letter == 'N' || letter == 'n' ? !UNIT
                                            : -1;
}

/* Of a letter that is none, the function's answer. */
static bool valid(int what)
{
    if (what < 0) {
        note(BLAS_INVALID_VALUE);
    }
    return what >= 0;
}

LOOM_CUDA(int, cublasInit, void)
{
    return legacy.handle != NULL ? BLAS_OK : loom_blas_create(&legacy.handle);
}

LOOM_CUDA(int, cublasShutdown, void)
{
    int status = loom_blas_destroy(legacy.handle);

    legacy.handle = NULL;
    return status;
}

LOOM_CUDA(int, cublasGetError, void)
{
    int error = legacy.error;

    legacy.error = BLAS_OK;
    return error;
}

LOOM_CUDA(int, cublasAlloc, int n, int bytes, void **at)
{
    if (n <= 0 || bytes <= 0 || at == NULL) {
        return BLAS_INVALID_VALUE;
    }
    if (legacy.handle == NULL) {
        return BLAS_NOT_INITIALIZED;
    }
    return cudaMalloc(at, (size_t)n * (size_t)bytes) == CUDA_OK
               ? BLAS_OK
               : BLAS_ALLOC_FAILED;
}

LOOM_CUDA(int, cublasFree, void *at)
{
    return cudaFree(at) == CUDA_OK ? BLAS_OK : BLAS_INTERNAL_ERROR;
}

LOOM_CUDA(int, cublasSetKernelStream, void *stream)
{
    if (legacy.handle == NULL) {
        return BLAS_NOT_INITIALIZED;
    }
    legacy.handle->stream = stream;
    return BLAS_OK;
}

LOOM_CUDA(int, cublasGetVersion, int *version)
{
    int cublasGetVersion_v2(struct loom_blas *, int *);

    return cublasGetVersion_v2(legacy.handle, version);
}

#define HANDLE struct loom_blas *
#define IN const void *
/* What the functions with handles take; pointers to numbers are all alike. */
#define WITH_HANDLES(L)                                                        \
    int cublas##L##axpy_v2(HANDLE, int, IN, IN, int, void *, int);             \
    int cublas##L##scal_v2(HANDLE, int, IN, void *, int);                      \
    int cublas##L##copy_v2(HANDLE, int, IN, int, void *, int);                 \
    int cublas##L##swap_v2(HANDLE, int, void *, int, void *, int);             \
    int cublas##L##dot_v2(HANDLE, int, IN, int, IN, int, void *);              \
    int cublas##L##asum_v2(HANDLE, int, IN, int, void *);                      \
    int cublas##L##nrm2_v2(HANDLE, int, IN, int, void *);                      \
    int cublas##L##rot_v2(HANDLE, int, void *, int, void *, int, IN, IN);      \
    int cublas##L##rotm_v2(HANDLE, int, void *, int, void *, int, IN);         \
    int cublas##L##rotg_v2(HANDLE, void *, void *, void *, void *);            \
    int cublas##L##rotmg_v2(HANDLE, void *, void *, void *, IN, void *);       \
    int cublas##L##gemv_v2(HANDLE, int, int, int, IN, IN, int, IN, int, IN,    \
                           void *, int);                                       \
    int cublas##L##ger_v2(HANDLE, int, int, IN, IN, int, IN, int, void *,      \
                          int);                                                \
    int cublas##L##symv_v2(HANDLE, int, int, IN, IN, int, IN, int, IN, void *, \
                           int);                                               \
    int cublas##L##syr_v2(HANDLE, int, int, IN, IN, int, void *, int);         \
    int cublas##L##syr2_v2(HANDLE, int, int, IN, IN, int, IN, int, void *,     \
                           int);                                               \
    int cublas##L##trmv_v2(HANDLE, int, int, int, int, IN, int, void *, int);  \
    int cublas##L##trsv_v2(HANDLE, int, int, int, int, IN, int, void *, int);  \
    int cublas##L##gemm_v2(HANDLE, int, int, int, int, int, IN, IN, int, IN,   \
                           int, IN, void *, int);                              \
    int cublas##L##symm_v2(HANDLE, int, int, int, int, IN, IN, int, IN, int,   \
                           IN, void *, int);                                   \
    int cublas##L##syrk_v2(HANDLE, int, int, int, int, IN, IN, int, IN,        \
                           void *, int);                                       \
    int cublas##L##syr2k_v2(HANDLE, int, int, int, int, IN, IN, int, IN, int,  \
                            IN, void *, int);                                  \
    int cublas##L##trmm_v2(HANDLE, int, int, int, int, int, int, IN, IN, int,  \
                           IN, int, void *, int);                              \
    int cublas##L##trsm_v2(HANDLE, int, int, int, int, int, int, IN, IN, int,  \
                           void *, int);

WITH_HANDLES(S)
WITH_HANDLES(D)
int cublasIsamax_v2(HANDLE, int, IN, int, int *);
int cublasIsamin_v2(HANDLE, int, IN, int, int *);
int cublasIdamax_v2(HANDLE, int, IN, int, int *);
int cublasIdamin_v2(HANDLE, int, IN, int, int *);

#define CALL(function, ...) note(function(legacy.handle, __VA_ARGS__))
#define ANSWER(type, function, ...)                                            \
    type result = 0;                                                           \
    CALL(function, __VA_ARGS__, &result);                                      \
    return result

/* Vectors. */
#define VECTORS(L, l, type)                                                    \
    LOOM_CUDA(void, cublas##L##axpy, int n, type alpha, IN x, int incx,        \
              void *y, int incy)                                               \
    {                                                                          \
        CALL(cublas##L##axpy_v2, n, &alpha, x, incx, y, incy);                 \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##scal, int n, type alpha, void *x, int incx)     \
    {                                                                          \
        CALL(cublas##L##scal_v2, n, &alpha, x, incx);                          \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##copy, int n, IN x, int incx, void *y, int incy) \
    {                                                                          \
        CALL(cublas##L##copy_v2, n, x, incx, y, incy);                         \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##swap, int n, void *x, int incx, void *y,        \
              int incy)                                                        \
    {                                                                          \
        CALL(cublas##L##swap_v2, n, x, incx, y, incy);                         \
    }                                                                          \
    LOOM_CUDA(type, cublas##L##dot, int n, IN x, int incx, IN y, int incy)     \
    {                                                                          \
        ANSWER(type, cublas##L##dot_v2, n, x, incx, y, incy);                  \
    }                                                                          \
    LOOM_CUDA(type, cublas##L##asum, int n, IN x, int incx)                    \
    {                                                                          \
        ANSWER(type, cublas##L##asum_v2, n, x, incx);                          \
    }                                                                          \
    LOOM_CUDA(type, cublas##L##nrm2, int n, IN x, int incx)                    \
    {                                                                          \
        ANSWER(type, cublas##L##nrm2_v2, n, x, incx);                          \
    }                                                                          \
    LOOM_CUDA(int, cublasI##l##amax, int n, IN x, int incx)                    \
    {                                                                          \
        ANSWER(int, cublasI##l##amax_v2, n, x, incx);                          \
    }                                                                          \
    LOOM_CUDA(int, cublasI##l##amin, int n, IN x, int incx)                    \
    {                                                                          \
        ANSWER(int, cublasI##l##amin_v2, n, x, incx);                          \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##rot, int n, void *x, int incx, void *y,         \
              int incy, type c, type s)                                        \
    {                                                                          \
        CALL(cublas##L##rot_v2, n, x, incx, y, incy, &c, &s);                  \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##rotm, int n, void *x, int incx, void *y,        \
              int incy, IN h)                                                  \
    {                                                                          \
        CALL(cublas##L##rotm_v2, n, x, incx, y, incy, h);                      \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##rotg, void *a, void *b, void *c, void *s)       \
    {                                                                          \
        CALL(cublas##L##rotg_v2, a, b, c, s);                                  \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##rotmg, void *d1, void *d2, void *x1, IN y1,     \
              void *h)                                                         \
    {                                                                          \
        CALL(cublas##L##rotmg_v2, d1, d2, x1, y1, h);                          \
    }

VECTORS(S, s, float)
VECTORS(D, d, double)

/* Matrices and vectors. */
#define MATRICES(L, type)                                                      \
    LOOM_CUDA(void, cublas##L##gemv, char op, int m, int n, type alpha, IN a,  \
              int lda, IN x, int incx, type beta, void *y, int incy)           \
    {                                                                          \
        if (valid(op_of(op))) {                                                \
            CALL(cublas##L##gemv_v2, op_of(op), m, n, &alpha, a, lda, x, incx, \
                 &beta, y, incy);                                              \
        }                                                                      \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##ger, int m, int n, type alpha, IN x, int incx,  \
              IN y, int incy, void *a, int lda)                                \
    {                                                                          \
        CALL(cublas##L##ger_v2, m, n, &alpha, x, incx, y, incy, a, lda);       \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##symv, char fill, int n, type alpha, IN a,       \
              int lda, IN x, int incx, type beta, void *y, int incy)           \
    {                                                                          \
        if (valid(fill_of(fill))) {                                            \
            CALL(cublas##L##symv_v2, fill_of(fill), n, &alpha, a, lda, x,      \
                 incx, &beta, y, incy);                                        \
        }                                                                      \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##syr, char fill, int n, type alpha, IN x,        \
              int incx, void *a, int lda)                                      \
    {                                                                          \
        if (valid(fill_of(fill))) {                                            \
            CALL(cublas##L##syr_v2, fill_of(fill), n, &alpha, x, incx, a,      \
                 lda);                                                         \
        }                                                                      \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##syr2, char fill, int n, type alpha, IN x,       \
              int incx, IN y, int incy, void *a, int lda)                      \
    {                                                                          \
        if (valid(fill_of(fill))) {                                            \
            CALL(cublas##L##syr2_v2, fill_of(fill), n, &alpha, x, incx, y,     \
                 incy, a, lda);                                                \
        }                                                                      \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##trmv, char fill, char op, char diagonal, int n, \
              IN a, int lda, void *x, int incx)                                \
    {                                                                          \
        if (valid(fill_of(fill) | op_of(op) | diagonal_of(diagonal))) {        \
            CALL(cublas##L##trmv_v2, fill_of(fill), op_of(op),                 \
                 diagonal_of(diagonal), n, a, lda, x, incx);                   \
        }                                                                      \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##trsv, char fill, char op, char diagonal, int n, \
              IN a, int lda, void *x, int incx)                                \
    {                                                                          \
        if (valid(fill_of(fill) | op_of(op) | diagonal_of(diagonal))) {        \
            CALL(cublas##L##trsv_v2, fill_of(fill), op_of(op),                 \
                 diagonal_of(diagonal), n, a, lda, x, incx);                   \
        }                                                                      \
    }

MATRICES(S, float)
MATRICES(D, double)

/* Products of matrices; that of a triangle takes the place of B. */
#define PRODUCTS(L, type)                                                      \
    LOOM_CUDA(void, cublas##L##gemm, char op_a, char op_b, int m, int n,       \
              int k, type alpha, IN a, int lda, IN b, int ldb, type beta,      \
              void *c, int ldc)                                                \
    {                                                                          \
        if (valid(op_of(op_a) | op_of(op_b))) {                                \
            CALL(cublas##L##gemm_v2, op_of(op_a), op_of(op_b), m, n, k,        \
                 &alpha, a, lda, b, ldb, &beta, c, ldc);                       \
        }                                                                      \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##symm, char side, char fill, int m, int n,       \
              type alpha, IN a, int lda, IN b, int ldb, type beta, void *c,    \
              int ldc)                                                         \
    {                                                                          \
        if (valid(side_of(side) | fill_of(fill))) {                            \
            CALL(cublas##L##symm_v2, side_of(side), fill_of(fill), m, n,       \
                 &alpha, a, lda, b, ldb, &beta, c, ldc);                       \
        }                                                                      \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##syrk, char fill, char op, int n, int k,         \
              type alpha, IN a, int lda, type beta, void *c, int ldc)          \
    {                                                                          \
        if (valid(fill_of(fill) | op_of(op))) {                                \
            CALL(cublas##L##syrk_v2, fill_of(fill), op_of(op), n, k, &alpha,   \
                 a, lda, &beta, c, ldc);                                       \
        }                                                                      \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##syr2k, char fill, char op, int n, int k,        \
              type alpha, IN a, int lda, IN b, int ldb, type beta, void *c,    \
              int ldc)                                                         \
    {                                                                          \
        if (valid(fill_of(fill) | op_of(op))) {                                \
            CALL(cublas##L##syr2k_v2, fill_of(fill), op_of(op), n, k, &alpha,  \
                 a, lda, b, ldb, &beta, c, ldc);                               \
        }                                                                      \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##trmm, char side, char fill, char op,            \
              char diagonal, int m, int n, type alpha, IN a, int lda, void *b, \
              int ldb)                                                         \
    {                                                                          \
        if (valid(side_of(side) | fill_of(fill) | op_of(op) |                  \
                  diagonal_of(diagonal))) {                                    \
            CALL(cublas##L##trmm_v2, side_of(side), fill_of(fill), op_of(op),  \
                 diagonal_of(diagonal), m, n, &alpha, a, lda, b, ldb, b, ldb); \
        }                                                                      \
    }                                                                          \
    LOOM_CUDA(void, cublas##L##trsm, char side, char fill, char op,            \
              char diagonal, int m, int n, type alpha, IN a, int lda, void *b, \
              int ldb)                                                         \
    {                                                                          \
        if (valid(side_of(side) | fill_of(fill) | op_of(op) |                  \
                  diagonal_of(diagonal))) {                                    \
            CALL(cublas##L##trsm_v2, side_of(side), fill_of(fill), op_of(op),  \
                 diagonal_of(diagonal), m, n, &alpha, a, lda, b, ldb);         \
        }                                                                      \
    }

PRODUCTS(S, float)
PRODUCTS(D, double)
