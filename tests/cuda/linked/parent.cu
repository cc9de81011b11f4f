// A kernel that launches a kernel, and one beside it that does not.
#include <cstdio>

__global__ void child(int *out) { out[threadIdx.x] = threadIdx.x + 1; }
__global__ void parent(int *out) { child<<<1, 4>>>(out + 4); }

int main()
{
    int *out, got[8];

    cudaMalloc(&out, sizeof(got));
    child<<<1, 4>>>(out);
    parent<<<1, 1>>>(out);
    cudaError_t error = cudaMemcpy(got, out, sizeof(got), cudaMemcpyDefault);
    for (int i = 0; error == cudaSuccess && i < 8; i++) {
        if (got[i] != i % 4 + 1) {
            printf("FAILED: %d: %d\n", i, got[i]);
            return 1;
        }
    }
    printf("%s\n", error == cudaSuccess ? "PASSED" : cudaGetErrorString(error));
    return error != cudaSuccess;
}
