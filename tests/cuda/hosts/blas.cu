/* cuBLAS by its own headers: numbers, names and versions of symbols. */
#include <cstdio>

#include <cublas_v2.h>

int main()
{
    const float a[4] = {1, 2, 3, 4}, one = 1, zero = 0;
    float c[4] = {0}, *device;
    cublasHandle_t handle;

    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
        return 1;
    }
    cudaMalloc(&device, sizeof(a) + sizeof(c));
    cudaMemcpy(device, a, sizeof(a), cudaMemcpyHostToDevice);
    if (cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &one, device, 2,
                    device, 2, &zero, device + 4, 2) != CUBLAS_STATUS_SUCCESS) {
        return 1;
    }
    cudaMemcpy(c, device + 4, sizeof(c), cudaMemcpyDeviceToHost);
    cublasDestroy(handle);
    printf("%s\n", c[0] == 10 && c[1] == 14 && c[2] == 14 && c[3] == 20
                       ? "PASSED"
                       : "FAILED");
    return 0;
}
