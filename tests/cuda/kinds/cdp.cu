/*
 * A kernel that launches kernels (CUDA dynamic parallelism): refused when it is
 * launched, with an error that tells so; the kernel that it launches runs.
 */
#include "../hosts/host.h"

__global__ void child(int *out)
{
    out[threadIdx.x] = (int)threadIdx.x + 1;
}

__global__ void parent(int *out)
{
    child<<<1, 4>>>(out);
}

int main()
{
    int *out = device<int>(4);
    std::vector<int> want = {1, 2, 3, 4};

    child<<<1, 4>>>(out);
    CHECK(cudaDeviceSynchronize());
    parent<<<1, 1>>>(out);
    if (cudaGetLastError() != cudaErrorNotSupported) {
        return result("is not refused", 0);
    }
    return compare(download(out, 4), want);
}
