/*
 * Vectors and matrices between host and device: cublasSetMatrix() and its like,
 * which are copies.
 */
#include "cuda/blas/blas.h"

/* Elements of `bytes` that are `apart` elements from each other. */
struct vector {
    const void *at;
    int apart;
};

/* `n` pieces of `bytes`, whose distances are given in `unit` bytes. */
static int move(int n, int64_t bytes, int unit, struct vector from,
                struct vector to, void *stream)
{
    struct loom_cuda_copy copy = {.from = (uintptr_t)from.at,
                                  .to = (uintptr_t)to.at,
                                  .width = (size_t)bytes,
                                  .height = (size_t)n,
                                  .depth = 1,
                                  .from_pitch =
                                      (size_t)from.apart * (size_t)unit,
                                  .to_pitch = (size_t)to.apart * (size_t)unit,
                                  .kind = CUDA_DEFAULT,
                                  .stream = stream,
                                  .async = true};

    if (n < 0 || bytes < 0 || unit <= 0 || from.apart <= 0 || to.apart <= 0) {
        return BLAS_INVALID_VALUE;
    }
    if (n == 0 || bytes == 0) {
        return BLAS_OK;
    }
    return loom_cuda_copy(copy) == CUDA_OK ? BLAS_OK : BLAS_MAPPING_ERROR;
}

LOOM_CUDA(int, cublasSetVector, int n, int bytes, const void *x, int incx,
          void *y, int incy)
{
    return move(n, bytes, bytes, (struct vector){x, incx},
                (struct vector){y, incy}, NULL);
}

LOOM_CUDA(int, cublasSetMatrix, int rows, int columns, int bytes, const void *a,
          int lda, void *b, int ldb)
{
    return move(columns, (int64_t)rows * bytes, bytes, (struct vector){a, lda},
                (struct vector){b, ldb}, NULL);
}

LOOM_CUDA(int, cublasSetVectorAsync, int n, int bytes, const void *x, int incx,
          void *y, int incy, void *stream)
{
    return move(n, bytes, bytes, (struct vector){x, incx},
                (struct vector){y, incy}, stream);
}

LOOM_CUDA(int, cublasSetMatrixAsync, int rows, int columns, int bytes,
          const void *a, int lda, void *b, int ldb, void *stream)
{
    return move(columns, (int64_t)rows * bytes, bytes, (struct vector){a, lda},
                (struct vector){b, ldb}, stream);
}

LOOM_CUDA(int, cublasGetVector, int n, int bytes, const void *x, int incx,
          void *y, int incy)
{
    return move(n, bytes, bytes, (struct vector){x, incx},
                (struct vector){y, incy}, NULL);
}

LOOM_CUDA(int, cublasGetMatrix, int rows, int columns, int bytes, const void *a,
          int lda, void *b, int ldb)
{
    return move(columns, (int64_t)rows * bytes, bytes, (struct vector){a, lda},
                (struct vector){b, ldb}, NULL);
}

LOOM_CUDA(int, cublasGetVectorAsync, int n, int bytes, const void *x, int incx,
          void *y, int incy, void *stream)
{
    return move(n, bytes, bytes, (struct vector){x, incx},
                (struct vector){y, incy}, stream);
}

LOOM_CUDA(int, cublasGetMatrixAsync, int rows, int columns, int bytes,
          const void *a, int lda, void *b, int ldb, void *stream)
{
    return move(columns, (int64_t)rows * bytes, bytes, (struct vector){a, lda},
                (struct vector){b, ldb}, stream);
}
