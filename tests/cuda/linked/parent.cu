// A kernel that launches a kernel, which is not simulated, and one beside it
// that does not.
#include <cstdio>

__global__ void child(int *out) { out[threadIdx.x] = threadIdx.x + 1; }
__global__ void parent(int *out) { child<<<1, 4>>>(out); }

int main()
{
    int *out;

    cudaMalloc(&out, 16);
    child<<<1, 4>>>(out);
    printf("child: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    parent<<<1, 1>>>(out);
    cudaError_t error = cudaGetLastError();
    printf("parent: %s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
