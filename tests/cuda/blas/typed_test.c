/*
 * Vectors whose types are arguments, against sums of doubles.
 */
#include "tests/cuda/blas/blas.h"

int cublasAxpyEx(handle h, int n, const void *alpha, int alpha_type,
                 const void *x, int x_type, int incx, void *y, int y_type,
                 int incy, int executed);
int cublasScalEx(handle h, int n, const void *alpha, int alpha_type, void *x,
                 int x_type, int incx, int executed);
int cublasDotEx(handle h, int n, const void *x, int x_type, int incx,
                const void *y, int y_type, int incy, void *result,
                int result_type, int executed);
int cublasDotcEx(handle h, int n, const void *x, int x_type, int incx,
                 const void *y, int y_type, int incy, void *result,
                 int result_type, int executed);
int cublasNrm2Ex(handle h, int n, const void *x, int x_type, int incx,
                 void *result, int result_type, int executed);

static handle blas;

/* Of scalars and sums. */
static int scalar_of(int type)
{
    return type == F64 ? F64 : F32;
}

static void close_to(int type, double x, double y, const char *what, int i)
{
    if (!(fabs(x - y) <= tolerance(type, y) * 4)) {
        printf("%s of type %d: element %d is %.17g, not %.17g\n", what, type, i,
               x, y);
        exit(1);
    }
}

static void elements(int type, int n, int mode)
{
    struct array x = array_new(type, (size_t)n);
    struct array y = array_new(type, (size_t)(2 * n));
    struct array z = array_of(type, (size_t)(2 * n), 0);
    int of = scalar_of(type);

    OK(cudaMemcpy(z.device, y.device, (size_t)(2 * n) * bytes_of(type),
                  CUDA_DEVICE_TO_DEVICE));
    OK(cublasSetPointerMode_v2(blas, mode));
    OK(cublasAxpyEx(blas, n, scalar(of, -0.75, mode), of, x.device, type, 1,
                    z.device, type, 2, of));
    array_read(&z);
    for (int i = 0; i < 2 * n; i++) {
        close_to(type, z.value[i],
                 y.value[i] - (i % 2 == 0 ? 0.75 * x.value[i / 2] : 0), "axpy",
                 i);
    }
    OK(cublasScalEx(blas, n, scalar(of, 3, mode), of, y.device, type, 2, of));
    array_read(&z);
    array_read(&y);
    for (int i = 0; i < n; i++) {
        close_to(type, y.value[2 * i], 3 * (z.value[2 * i] + 0.75 * x.value[i]),
                 "scal", i);
    }
    array_free(&x), array_free(&y), array_free(&z);
}

/* A result on the host or the device. */
static double result(int type, const void *from, int mode)
{
    double raw = 0;

    OK(cudaMemcpy(&raw, from, bytes_of(type),
                  mode == DEVICE ? CUDA_DEVICE_TO_HOST : 0));
    return number(&raw, 0, type);
}

static void sums(int type, int n, int mode)
{
    struct array x = array_new(type, (size_t)n + 1);
    struct array y = array_new(type, (size_t)n + 1);
    struct array room = array_of(type, 2, 0);
    double host = 0, dot = 0, squares = 0;
    void *to = mode == DEVICE ? room.device : (void *)&host;
    int of = scalar_of(type);

    for (int i = 0; i < n; i++) {
        dot += x.value[i] * y.value[i];
        squares += x.value[i] * x.value[i];
    }
    OK(cublasSetPointerMode_v2(blas, mode));
    OK(cublasDotEx(blas, n, x.device, type, 1, y.device, type, 1, to, type,
                   of));
    close_to(type, result(type, to, mode), dot, "dot", n);
    OK(cublasDotcEx(blas, n, y.device, type, 1, x.device, type, 1, to, type,
                    of));
    close_to(type, result(type, to, mode), dot, "dotc", n);
    OK(cublasNrm2Ex(blas, n, x.device, type, 1, to, type, of));
    close_to(type, result(type, to, mode), sqrt(squares), "nrm2", n);
    array_free(&x), array_free(&y), array_free(&room);
}

/* Types that do not go together. */
static void refused(void)
{
    struct array x = array_new(F16, 4);
    float to = 0;

    OK(cublasSetPointerMode_v2(blas, HOST));
    HOLDS(cublasDotEx(blas, 4, x.device, F16, 1, x.device, F16, 1, &to, F32,
                      F32) == NOT_SUPPORTED);
    HOLDS(cublasNrm2Ex(blas, 4, x.device, F16, 1, &to, F16, F16) ==
          NOT_SUPPORTED);
    HOLDS(cublasScalEx(blas, 4, &to, F32, x.device, I8, 1, F32) ==
          NOT_SUPPORTED);
    array_free(&x);
}

int main(void)
{
    static const int types[] = {F32, F64, F16, BF16};

    OK(cublasCreate_v2(&blas));
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        for (int mode = HOST; mode <= DEVICE; mode++) {
            elements(types[i], 1, mode);
            elements(types[i], 777, mode);
            sums(types[i], 0, mode);
            sums(types[i], 3, mode);
            sums(types[i], 2000, mode);
        }
    }
    refused();
    OK(cublasDestroy_v2(blas));
    OK(cudaGetLastError());
    printf("typed passed\n");
    return 0;
}
