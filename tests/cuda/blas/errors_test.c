/*
 * What cuBLAS says of wrong arguments and of what is not provided; what a
 * handle holds.
 */
#include "tests/cuda/blas/blas.h"

static void fields(handle h)
{
    int value = -1;

    OK(cublasGetPointerMode_v2(h, &value));
    HOLDS(value == HOST);
    OK(cublasSetPointerMode_v2(h, DEVICE));
    OK(cublasGetPointerMode_v2(h, &value));
    HOLDS(value == DEVICE);
    OK(cublasSetPointerMode_v2(h, HOST));
    OK(cublasSetMathMode(h, 3));
    OK(cublasGetMathMode(h, &value));
    HOLDS(value == 3);
    OK(cublasSetAtomicsMode(h, 1));
    OK(cublasGetAtomicsMode(h, &value));
    HOLDS(value == 1);
    OK(cublasSetWorkspace_v2(h, NULL, 0));
    OK(cublasGetVersion_v2(h, &value));
    HOLDS(value == 130000);
    HOLDS(strcmp(cublasGetStatusName(NOT_SUPPORTED),
                 "CUBLAS_STATUS_NOT_SUPPORTED") == 0);
    HOLDS(strcmp(cublasGetStatusString(0), "unknown status") != 0);
    HOLDS(strcmp(cublasGetStatusString(77), "unknown status") == 0);
}

static void transfers(void)
{
    float in[6] = {1, 2, 3, 4, 5, 6}, out[4] = {0};
    struct array x = array_of(F32, 6, 0);

    OK(cublasSetVector(3, 4, in, 2, x.device, 1));
    array_read(&x);
    HOLDS(x.value[0] == 1 && x.value[1] == 3 && x.value[2] == 5);
    OK(cudaMemcpy(x.device, in, sizeof(in), CUDA_HOST_TO_DEVICE));
    OK(cublasGetMatrix(2, 2, 4, x.device, 3, out, 2));
    HOLDS(out[0] == 1 && out[1] == 2 && out[2] == 4 && out[3] == 5);
    HOLDS(cublasSetVector(3, 4, in, 0, x.device, 1) == INVALID_VALUE);
    array_free(&x);
}

int main(void)
{
    handle h;
    float one = 1;
    struct array x;

    HOLDS(cublasCreate_v2(NULL) == INVALID_VALUE);
    OK(cublasCreate_v2(&h));
    fields(h);
    transfers();
    x = array_new(F32, 64);
    HOLDS(cublasSgemm_v2(NULL, N, N, 2, 2, 2, &one, x.device, 2, x.device, 2,
                         &one, x.device, 2) == NOT_INITIALIZED);
    HOLDS(cublasSgemm_v2(h, N, N, -1, 2, 2, &one, x.device, 2, x.device, 2,
                         &one, x.device, 2) == INVALID_VALUE);
    HOLDS(cublasSgemm_v2(h, N, N, 4, 2, 2, &one, x.device, 3, x.device, 2, &one,
                         x.device, 4) == INVALID_VALUE);
    HOLDS(cublasSgemm_v2(h, 7, N, 2, 2, 2, &one, x.device, 2, x.device, 2, &one,
                         x.device, 2) == INVALID_VALUE);
    HOLDS(cublasSgemm_v2(h, N, N, 2, 2, 2, NULL, x.device, 2, x.device, 2, &one,
                         x.device, 2) == INVALID_VALUE);
    HOLDS(cublasSaxpy_v2(NULL, 2, &one, x.device, 1, x.device, 1) ==
          NOT_INITIALIZED);
    OK(cublasSgemm_v2(h, N, N, 0, 2, 2, &one, NULL, 2, NULL, 2, &one, NULL, 2));
    /* Numbers of 8 bits, whose sums would be of two bytes. */
    HOLDS(cublasGemmEx(h, N, N, 2, 2, 2, &one, x.device, 28, 2, x.device, 28, 2,
                       &one, x.device, F16, 2, C32F, -1) == NOT_SUPPORTED);
    HOLDS(cublasCherk_v2(h) == NOT_SUPPORTED);
    HOLDS(cublasCherk_v2(h) == NOT_SUPPORTED);
    OK(cublasDestroy_v2(h));
    printf("errors passed\n");
    return 0;
}
