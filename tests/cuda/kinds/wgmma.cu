/*
 * Matrix products of four warps (wgmma), as inline PTX: m64n8k16 of halves from
 * shared memory without swizzle, and with A in registers.  Of compute
 * capability 9.0a.
 */
#include <cuda_fp16.h>

#include "../hosts/host.h"

static const int M = 64, N = 8, K = 16;

/* nvcc compiles for 9.0, too, which has no such instructions. */
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)

/* Core matrices of 8 rows of 16 bytes lie one after another: along k at the
 * leading offset, along m or n at the stride. */
__device__ uint64_t matrix(const void *at, unsigned leading, unsigned stride)
{
    uint64_t address = __cvta_generic_to_shared(at);

    return (address & 0x3ffff) >> 4 | (uint64_t)(leading >> 4) << 16 |
           (uint64_t)(stride >> 4) << 32;
}

__device__ void fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ void done()
{
    asm volatile("wgmma.commit_group.sync.aligned;\n"
                 "wgmma.wait_group.sync.aligned 0;" ::
                     : "memory");
}

__global__ void __launch_bounds__(128)
    multiply(const half *a, const half *b, float *c)
{
    __shared__ alignas(128) half x[M * K], y[N * K];
    int t = (int)threadIdx.x, warp = t / 32, lane = t % 32;
    float d[4] = {0, 0, 0, 0};

    for (int i = t; i < M * K; i += 128) {
        int row = i / K, k = i % K;
        x[(row / 8 * 2 + k / 8) * 64 + row % 8 * 8 + k % 8] = a[i];
    }
    for (int i = t; i < N * K; i += 128) {
        int row = i / K, k = i % K;
        y[k / 8 * 64 + row * 8 + k % 8] = b[i];
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    fence();
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 0, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                 "{%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;\n}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(matrix(x, 128, 256)), "l"(matrix(y, 128, 256)));
    done();

    /* Once more, from registers, on top. */
    int row = 16 * warp + lane / 4, k = lane % 4 * 2;
    unsigned from[4];
    for (int i = 0; i < 4; i++) {
        const half *at = a + (row + (i & 1) * 8) * K + k + i / 2 * 8;
        from[i] = *(const unsigned *)at;
    }
    fence();
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p, 1, 1, 0;\n}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3]),
                   "l"(matrix(y, 128, 256)));
    done();
    for (int i = 0; i < 4; i++) {
        c[(row + i / 2 * 8) * N + lane % 4 * 2 + i % 2] = d[i];
    }
}

#else
__global__ void multiply(const half *, const half *, float *)
{
}
#endif

int main()
{
    std::vector<int> left = integers<int>(M * K, 1, -4, 4),
                     right = integers<int>(N * K, 2, -4, 4);
    std::vector<half> a, b;
    std::vector<float> want(M * N);
    float *c = device<float>(M * N);

    for (int v : left) {
        a.push_back(__float2half((float)v));
    }
    for (int v : right) {
        b.push_back(__float2half((float)v));
    }
    multiply<<<1, 128>>>(upload(a), upload(b), c);
    for (int i = 0; i < M * N; i++) {
        for (int k = 0; k < K; k++) {
            want[i] += (float)(2 * left[i / N * K + k] * right[i % N * K + k]);
        }
    }
    return compare(download(c, M * N), want);
}
