/*
 * The tensor memory accelerator: boxes of a tensor to shared memory and back
 * by a map that the driver encodes, what is outside filled with zeros, and
 * bulk copies without a map.  Of machines from compute capability 9.0.
 */
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include "../hosts/host.h"

namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

static const int width = 64, height = 48, box = 16;

__global__ void transposed(const __grid_constant__ CUtensorMap in,
                           const __grid_constant__ CUtensorMap out)
{
    __shared__ alignas(128) int from[box][box], to[box][box];
    __shared__ barrier ready;
    int x = (int)blockIdx.x * box, y = (int)blockIdx.y * box;

    if (threadIdx.x == 0) {
        init(&ready, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        const int32_t at[2] = {x, y};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, from,
                                  &in, at,
                                  cuda::device::barrier_native_handle(ready));
        token = cuda::device::barrier_arrive_tx(ready, 1, sizeof(from));
    } else {
        token = ready.arrive();
    }
    ready.wait(std::move(token));
    for (int i = (int)threadIdx.x; i < box * box; i += (int)blockDim.x) {
        to[i % box][i / box] = from[i / box][i % box] + 1;
    }
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        const int32_t at[2] = {y, x};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out,
                                  at, to);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

__global__ void bulk(const int *in, int *out, int n)
{
    extern __shared__ __align__(128) int room[];
    __shared__ barrier ready;

    if (threadIdx.x == 0) {
        init(&ready, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::memcpy_async(room, in, cuda::aligned_size_t<16>(n * sizeof(int)),
                           ready);
        token = cuda::device::barrier_arrive_tx(ready, 1, 0);
    } else {
        token = ready.arrive();
    }
    ready.wait(std::move(token));
    out[threadIdx.x] = room[n - 1 - threadIdx.x];
}

typedef CUresult (*encoder)(CUtensorMap *, CUtensorMapDataType, cuuint32_t,
                            void *, const cuuint64_t *, const cuuint64_t *,
                            const cuuint32_t *, const cuuint32_t *,
                            CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static CUtensorMap map_of(encoder encode, int *data, int columns, int rows)
{
    cuuint64_t size[2] = {(cuuint64_t)columns, (cuuint64_t)rows};
    cuuint64_t stride[1] = {columns * sizeof(int)};
    cuuint32_t part[2] = {box, box}, step[2] = {1, 1};
    CUtensorMap map;

    CUresult error = encode(
        &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, data, size, stride, part, step,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (error != CUDA_SUCCESS) {
        printf("FAILED: cuTensorMapEncodeTiled: %d\n", (int)error);
        exit(1);
    }
    /* As CUTLASS does for drivers of before 13.2. */
    reinterpret_cast<uint64_t *>(&map)[1] &= ~(UINT64_C(1) << 21);
    return map;
}

int main()
{
    std::vector<int> in = integers<int>(width * height, 5, 0, 1000);
    std::vector<int> want(width * (height - 4) + 128);
    device<char>(2 << 20); /* bit 21 of addresses behind it is set */
    int *from = upload(in), *to = device<int>(want.size());
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;

    /* The last four rows are outside: zeros are read, nothing is written. */
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry,
                                           12000, cudaEnableDefault, &found));
    CUtensorMap a = map_of((encoder)entry, from, width, height - 4);
    CUtensorMap b = map_of((encoder)entry, to, height - 4, width);
    transposed<<<dim3(width / box, height / box), 64>>>(a, b);
    for (int y = 0; y < height - 4; y++) {
        for (int x = 0; x < width; x++) {
            want[x * (height - 4) + y] = in[y * width + x] + 1;
        }
    }
    bulk<<<1, 128, 1024>>>(from, to + width * (height - 4), 256);
    for (int i = 0; i < 128; i++) {
        want[width * (height - 4) + i] = in[255 - i];
    }
    return compare(download(to, want.size()), want);
}
