/*
 * CTAs of a kernel on an SM, as the runtime says, beside NVIDIA's calculator,
 * which is a header of the toolkit: of kernels with more and more registers,
 * for all sizes of a CTA and many of its shared memory.
 */
#include <cuda_occupancy.h>

#include "../hosts/host.h"

template <int N> __global__ void holds(float *data)
{
    float held[N];

    for (int i = 0; i < N; i++) {
        held[i] = data[i * 1024 + threadIdx.x];
    }
    __syncthreads();
    for (int i = 0; i < N; i++) {
        data[(i * 7 % N) * 1024 + threadIdx.x] = held[i] * held[(i + 1) % N];
    }
}

static cudaDeviceProp device_is;
static long compared, wrong;

static void compare_one(const void *kernel, cudaOccFuncAttributes attributes,
                        int threads, size_t bytes)
{
    cudaOccDeviceProp properties = device_is;
    cudaOccDeviceState state;
    cudaOccResult result;
    int have = -1;

    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties,
                                                &attributes, &state, threads,
                                                bytes) != CUDA_OCC_SUCCESS) {
        return;
    }
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&have, kernel, threads,
                                                        bytes));
    compared++;
    if (have != result.activeBlocksPerMultiprocessor && wrong++ == 0) {
        printf("%d registers, %d threads, %zu bytes: %d CTAs, expected %d\n",
               attributes.numRegs, threads, bytes, have,
               result.activeBlocksPerMultiprocessor);
    }
}

template <int N> static void compare_kernel()
{
    const void *kernel = (const void *)holds<N>;
    cudaFuncAttributes is;

    CHECK(cudaFuncGetAttributes(&is, kernel));
    cudaOccFuncAttributes attributes = is;
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = device_is.sharedMemPerBlockOptin;
    for (int threads = 32; threads <= is.maxThreadsPerBlock; threads += 32) {
        compare_one(kernel, attributes, threads, 0);
        compare_one(kernel, attributes, threads, (size_t)threads * 37 + N);
        compare_one(kernel, attributes, threads - 31, (size_t)threads * 12 * N);
    }
}

int main()
{
    CHECK(cudaGetDeviceProperties(&device_is, 0));
    compare_kernel<2>();
    compare_kernel<12>();
    compare_kernel<21>();
    compare_kernel<30>();
    compare_kernel<38>();
    compare_kernel<47>();
    compare_kernel<70>();
    compare_kernel<100>();
    printf("%ld compared\n", compared);
    return result(wrong != 0 || compared < 500 ? "differ" : nullptr,
                  (size_t)wrong);
}
