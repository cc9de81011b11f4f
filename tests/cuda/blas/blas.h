/*
 * cuBLAS as programs see it: prototypes with types of ours, numbers of the
 * cuBLAS documentation.  And numbers of two bytes, made and read on the host.
 */
#ifndef TESTS_CUDA_BLAS_BLAS_H
#define TESTS_CUDA_BLAS_BLAS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/abi.h"

int cudaMalloc(void **at, size_t bytes);
int cudaFree(void *at);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemset(void *at, int value, size_t bytes);
int cudaDeviceSynchronize(void);
int cudaGetLastError(void);
int cudaStreamCreate(void **stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamDestroy(void *stream);

enum {
    F32 = 0,
    F64 = 1,
    F16 = 2,
    I8 = 3,
    I32 = 10,
    BF16 = 14
};
enum {
    C16F = 64,
    C32F = 68,
    C64F = 70,
    C32I = 72,
    C32F_FAST_TF32 = 77
};
enum {
    N,
    T,
    C
};
enum {
    LEFT,
    RIGHT
};
enum {
    LOWER,
    UPPER
};
enum {
    NON_UNIT,
    UNIT
};
enum {
    HOST,
    DEVICE
};
enum {
    INVALID_VALUE = 7,
    NOT_INITIALIZED = 1,
    NOT_SUPPORTED = 15
};

typedef void *handle;

int cublasCreate_v2(handle *h);
int cublasDestroy_v2(handle h);
int cublasSetStream_v2(handle h, void *stream);
int cublasGetStream_v2(handle h, void **stream);
int cublasSetPointerMode_v2(handle h, int mode);
int cublasGetPointerMode_v2(handle h, int *mode);
int cublasSetMathMode(handle h, int mode);
int cublasGetMathMode(handle h, int *mode);
int cublasSetAtomicsMode(handle h, int mode);
int cublasGetAtomicsMode(handle h, int *mode);
int cublasSetWorkspace_v2(handle h, void *at, size_t bytes);
int cublasGetVersion_v2(handle h, int *version);
const char *cublasGetStatusName(int status);
const char *cublasGetStatusString(int status);
int cublasSetVector(int n, int bytes, const void *x, int incx, void *y,
                    int incy);
int cublasGetMatrix(int rows, int columns, int bytes, const void *a, int lda,
                    void *b, int ldb);

#define OF_TYPE(L, l, t)                                                       \
    int cublas##L##gemm_v2(handle h, int ta, int tb, int m, int n, int k,      \
                           const t *alpha, const t *a, int lda, const t *b,    \
                           int ldb, const t *beta, t *c, int ldc);             \
    int cublas##L##gemmStridedBatched(                                         \
        handle h, int ta, int tb, int m, int n, int k, const t *alpha,         \
        const t *a, int lda, long long sa, const t *b, int ldb, long long sb,  \
        const t *beta, t *c, int ldc, long long sc, int batch);                \
    int cublas##L##gemmBatched(handle h, int ta, int tb, int m, int n, int k,  \
                               const t *alpha, const t *const *a, int lda,     \
                               const t *const *b, int ldb, const t *beta,      \
                               t *const *c, int ldc, int batch);               \
    int cublas##L##axpy_v2(handle h, int n, const t *alpha, const t *x,        \
                           int incx, t *y, int incy);                          \
    int cublas##L##scal_v2(handle h, int n, const t *alpha, t *x, int incx);   \
    int cublas##L##copy_v2(handle h, int n, const t *x, int incx, t *y,        \
                           int incy);                                          \
    int cublas##L##swap_v2(handle h, int n, t *x, int incx, t *y, int incy);   \
    int cublas##L##dot_v2(handle h, int n, const t *x, int incx, const t *y,   \
                          int incy, t *result);                                \
    int cublas##L##asum_v2(handle h, int n, const t *x, int incx, t *result);  \
    int cublas##L##nrm2_v2(handle h, int n, const t *x, int incx, t *result);  \
    int cublasI##l##amax_v2(handle h, int n, const t *x, int incx,             \
                            int *result);                                      \
    int cublasI##l##amin_v2(handle h, int n, const t *x, int incx,             \
                            int *result);                                      \
    int cublas##L##gemv_v2(handle h, int ta, int m, int n, const t *alpha,     \
                           const t *a, int lda, const t *x, int incx,          \
                           const t *beta, t *y, int incy);                     \
    int cublas##L##ger_v2(handle h, int m, int n, const t *alpha, const t *x,  \
                          int incx, const t *y, int incy, t *a, int lda);      \
    int cublas##L##geam(handle h, int ta, int tb, int m, int n,                \
                        const t *alpha, const t *a, int lda, const t *beta,    \
                        const t *b, int ldb, t *c, int ldc);                   \
    int cublas##L##dgmm(handle h, int side, int m, int n, const t *a, int lda, \
                        const t *x, int incx, t *c, int ldc);                  \
    int cublas##L##trsm_v2(handle h, int side, int fill, int ta, int diagonal, \
                           int m, int n, const t *alpha, const t *a, int lda,  \
                           t *b, int ldb);                                     \
    int cublas##L##trsmBatched(handle h, int side, int fill, int ta,           \
                               int diagonal, int m, int n, const t *alpha,     \
                               const t *const *a, int lda, t *const *b,        \
                               int ldb, int batch);

OF_TYPE(S, s, float)
OF_TYPE(D, d, double)

int cublasHgemm(handle h, int ta, int tb, int m, int n, int k,
                const void *alpha, const void *a, int lda, const void *b,
                int ldb, const void *beta, void *c, int ldc);
int cublasGemmEx(handle h, int ta, int tb, int m, int n, int k,
                 const void *alpha, const void *a, int type_a, int lda,
                 const void *b, int type_b, int ldb, const void *beta, void *c,
                 int type_c, int ldc, int compute, int algorithm);
int cublasGemmStridedBatchedEx(handle h, int ta, int tb, int m, int n, int k,
                               const void *alpha, const void *a, int type_a,
                               int lda, long long sa, const void *b, int type_b,
                               int ldb, long long sb, const void *beta, void *c,
                               int type_c, int ldc, long long sc, int batch,
                               int compute, int algorithm);
int cublasGemmBatchedEx(handle h, int ta, int tb, int m, int n, int k,
                        const void *alpha, const void *const *a, int type_a,
                        int lda, const void *const *b, int type_b, int ldb,
                        const void *beta, void *const *c, int type_c, int ldc,
                        int batch, int compute, int algorithm);
int cublasCherk_v2(handle h);

#define HOLDS(what)                                                            \
    do {                                                                       \
        if (!(what)) {                                                         \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #what);                  \
            exit(1);                                                           \
        }                                                                      \
    } while (0)
#define OK(call) HOLDS((call) == 0)

size_t bytes_of(int type);
/* Number `i` of an array. */
void put_number(void *at, size_t i, int type, double x);
double number(const void *at, size_t i, int type);
/* How far a number of a type may be from x. */
double tolerance(int type, double x);
/* Eighths from -1 to 1: sums of their products are exact. */
double next_number(void);

/* An array on the host, and the same on the device. */
struct array {
    int type;
    size_t count;
    double *value; /* [count] */
    void *device;
};
struct array array_new(int type, size_t count);
/* All elements the same. */
struct array array_of(int type, size_t count, double x);
void array_free(struct array *a);
/* Reads what the device has: value; or writes it there. */
void array_read(struct array *a);
void array_send(const struct array *a);
/* A scalar as a call gets it: on the host or on the device. */
const void *scalar(int type, double x, int mode);

struct lt_case;
int run_lt(void);

#endif
