/*
 * Atomics of halves and bfloat16, alone and in pairs, compare-and-swap of 16
 * bits, and their arithmetic.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../hosts/host.h"

__global__ void count(half *h, __half2 *pair, __nv_bfloat16 *b,
                      __nv_bfloat162 *twin, unsigned short *swaps, half *shown)
{
    __shared__ half sum;

    if (threadIdx.x == 0) {
        sum = __float2half(0);
    }
    __syncthreads();
    atomicAdd(&sum, __float2half(0.5f));
    atomicAdd(h, __float2half(1));
    atomicAdd(pair, __floats2half2_rn(1, 0.25f));
    atomicAdd(b, __float2bfloat16(1));
    atomicAdd(twin, __floats2bfloat162_rn(2, 0.5f));
    unsigned short old = *(volatile unsigned short *)swaps, seen;
    while ((seen = atomicCAS(swaps, old, (unsigned short)(old + 1))) != old) {
        old = seen;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        *shown = __hfma(sum, __float2half(2), hsqrt(__float2half(16)));
    }
}

int main()
{
    char *at = device<char>(32), got[32];
    half h[4], shown;
    __nv_bfloat16 b[4];
    unsigned short swaps;

    CHECK(cudaMemset(at, 0, 32));
    count<<<2, 64>>>((half *)at, (__half2 *)(at + 4), (__nv_bfloat16 *)(at + 8),
                     (__nv_bfloat162 *)(at + 12), (unsigned short *)(at + 16),
                     (half *)(at + 20));
    CHECK(cudaMemcpy(got, at, 32, cudaMemcpyDeviceToHost));
    memcpy(h, got, 8);
    memcpy(b, got + 8, 8);
    memcpy(&swaps, got + 16, 2);
    memcpy((void *)&shown, got + 20, 2);
    bool right = __half2float(h[0]) == 128 && __half2float(h[2]) == 128 &&
                 __half2float(h[3]) == 32 && __bfloat162float(b[0]) == 128 &&
                 __bfloat162float(b[2]) == 256 &&
                 __bfloat162float(b[3]) == 64 && swaps == 128 &&
                 __half2float(shown) == 64 * 0.5f * 2 + 4;
    return result(right ? nullptr : "of the sums differs", 0);
}
