/*
 * The interface of cublas.h, without handles: numbers that are exact in every
 * type, against what the arithmetic gives.
 */
#include "tests/cuda/blas/blas.h"

int cublasInit(void);
int cublasShutdown(void);
int cublasGetError(void);
int cublasGetVersion(int *version);
int cublasAlloc(int n, int bytes, void **at);
int cublasFree(void *at);
int cublasSetKernelStream(void *stream);

enum {
    ORDER = 9
};

#define OF(L, l, t)                                                            \
    void cublas##L##axpy(int n, t alpha, const t *x, int incx, t *y,           \
                         int incy);                                            \
    void cublas##L##scal(int n, t alpha, t *x, int incx);                      \
    void cublas##L##copy(int n, const t *x, int incx, t *y, int incy);         \
    void cublas##L##rot(int n, t *x, int incx, t *y, int incy, t c, t s);      \
    t cublas##L##dot(int n, const t *x, int incx, const t *y, int incy);       \
    t cublas##L##asum(int n, const t *x, int incx);                            \
    t cublas##L##nrm2(int n, const t *x, int incx);                            \
    int cublasI##l##amax(int n, const t *x, int incx);                         \
    void cublas##L##gemv(char op, int m, int n, t alpha, const t *a, int lda,  \
                         const t *x, int incx, t beta, t *y, int incy);        \
    void cublas##L##ger(int m, int n, t alpha, const t *x, int incx,           \
                        const t *y, int incy, t *a, int lda);                  \
    void cublas##L##gemm(char op_a, char op_b, int m, int n, int k, t alpha,   \
                         const t *a, int lda, const t *b, int ldb, t beta,     \
                         t *c, int ldc);                                       \
    void cublas##L##trmm(char side, char fill, char op, char diagonal, int m,  \
                         int n, t alpha, const t *a, int lda, t *b, int ldb);  \
    void cublas##L##trsm(char side, char fill, char op, char diagonal, int m,  \
                         int n, t alpha, const t *a, int lda, t *b, int ldb);  \
    static void vectors_##l(int type)                                          \
    {                                                                          \
        struct array x = array_of(type, ORDER, 0);                             \
        struct array y = array_of(type, ORDER, 0);                             \
        t host[ORDER];                                                         \
                                                                               \
        for (int i = 0; i < ORDER; i++) {                                      \
            host[i] = (t)(i == 4 ? -40 : i);                                   \
        }                                                                      \
        OK(cudaMemcpy(x.device, host, sizeof(host), CUDA_HOST_TO_DEVICE));     \
        cublas##L##copy(ORDER, x.device, 1, y.device, 1);                      \
        cublas##L##scal(ORDER, (t)3, y.device, 1);                             \
        cublas##L##axpy(ORDER, (t)-2, x.device, 1, y.device, 1);               \
        HOLDS(cublas##L##dot(ORDER, x.device, 1, y.device, 1) == 1788);        \
        HOLDS(cublas##L##asum(ORDER, x.device, 1) == 72);                      \
        HOLDS(cublas##L##nrm2(1, (t *)x.device + 4, 1) == 40);                 \
        HOLDS(cublasI##l##amax(ORDER, x.device, 1) == 5);                      \
        cublas##L##rot(ORDER, x.device, 1, y.device, 1, (t)0, (t)2);           \
        array_read(&x);                                                        \
        array_read(&y);                                                        \
        HOLDS(x.value[3] == 6 && y.value[3] == -6);                            \
        array_free(&x), array_free(&y);                                        \
    }                                                                          \
    /* A is i + 2j, B the unit matrix, or a triangle of ones. */               \
    static void matrices_##l(int type)                                         \
    {                                                                          \
        struct array a = array_of(type, ORDER * ORDER, 0);                     \
        struct array b = array_of(type, ORDER * ORDER, 0);                     \
        struct array c = array_of(type, ORDER * ORDER, 0);                     \
        t host[2][ORDER * ORDER];                                              \
                                                                               \
        for (int i = 0; i < ORDER * ORDER; i++) {                              \
            int row = i % ORDER, column = i / ORDER;                           \
                                                                               \
            host[0][i] = (t)(row + 2 * column);                                \
            host[1][i] = (t)(row >= column);                                   \
        }                                                                      \
        OK(cudaMemcpy(a.device, host[0], sizeof(host[0]),                      \
                      CUDA_HOST_TO_DEVICE));                                   \
        OK(cudaMemcpy(b.device, host[1], sizeof(host[1]),                      \
                      CUDA_HOST_TO_DEVICE));                                   \
        cublas##L##gemm('t', 'N', ORDER, ORDER, ORDER, (t)2, a.device, ORDER,  \
                        b.device, ORDER, (t)0, c.device, ORDER);               \
        array_read(&c);                                                        \
        /* 2 (sum of i from 7 to 8, and 2 * 1 twice) */                        \
        HOLDS(c.value[1 + 7 * ORDER] == 38);                                   \
        cublas##L##gemv('N', ORDER, ORDER, (t)1, b.device, ORDER, a.device, 1, \
                        (t)0, c.device, 1);                                    \
        cublas##L##ger(ORDER, ORDER, (t)1, a.device, 1, a.device, 1, c.device, \
                       ORDER);                                                 \
        array_read(&c);                                                        \
        HOLDS(c.value[8] == 36 && c.value[1 + 7 * ORDER] == 45);               \
        cublas##L##trmm('L', 'l', 'N', 'N', ORDER, ORDER, (t)1, b.device,      \
                        ORDER, a.device, ORDER);                               \
        array_read(&a);                                                        \
        HOLDS(a.value[3 + ORDER] == 0 + 1 + 2 + 3 + 4 * 2);                    \
        cublas##L##trsm('L', 'L', 'n', 'N', ORDER, ORDER, (t)1, b.device,      \
                        ORDER, a.device, ORDER);                               \
        array_read(&a);                                                        \
        for (int i = 0; i < ORDER * ORDER; i++) {                              \
            HOLDS(a.value[i] == host[0][i]);                                   \
        }                                                                      \
        OK(cublasGetError());                                                  \
        cublas##L##trsm('L', '?', 'n', 'N', ORDER, ORDER, (t)1, b.device,      \
                        ORDER, a.device, ORDER);                               \
        HOLDS(cublasGetError() == INVALID_VALUE);                              \
        OK(cublasGetError());                                                  \
        array_free(&a), array_free(&b), array_free(&c);                        \
    }

OF(S, s, float)
OF(D, d, double)

int main(void)
{
    void *at, *stream;
    int version = 0;

    HOLDS(cublasShutdown() == NOT_INITIALIZED);
    HOLDS(cublasAlloc(2, 4, &at) == NOT_INITIALIZED);
    HOLDS(cublasSasum(2, NULL, 1) == 0);
    HOLDS(cublasGetError() == NOT_INITIALIZED);
    OK(cublasInit());
    OK(cublasInit());
    OK(cublasGetVersion(&version));
    HOLDS(version == 130000);
    OK(cublasAlloc(5, 8, &at));
    HOLDS(cublasAlloc(0, 8, &at) == INVALID_VALUE);
    OK(cublasFree(at));
    vectors_s(F32);
    OK(cudaStreamCreate(&stream));
    OK(cublasSetKernelStream(stream));
    vectors_d(F64);
    matrices_s(F32);
    matrices_d(F64);
    OK(cublasShutdown());
    OK(cudaStreamDestroy(stream));
    printf("legacy passed\n");
    return 0;
}
