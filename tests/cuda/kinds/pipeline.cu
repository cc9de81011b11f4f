/*
 * Pipelines of libcu++: tiles that are copied to shared memory while others
 * are used; cp.async by memcpy_async with barriers, and by the primitives.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline_primitives.h>

#include "../hosts/host.h"

namespace cg = cooperative_groups;
static const int tile = 256, stages = 3;

__global__ void staged(const float *in, float *out, int tiles)
{
    __shared__ alignas(16) float room[stages][tile];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages>
        state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int next = 0;
    float sum = 0;

    for (int i = 0; i < tiles; i++) {
        for (; next < tiles && next < i + stages; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, room[next % stages], in + next * tile,
                               cuda::aligned_size_t<16>(sizeof(room[0])), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += room[i % stages][(threadIdx.x + 1) % tile] * (float)(i + 1);
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

__global__ void barriers(const float *in, float *out)
{
    __shared__ alignas(16) float room[tile];
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    auto block = cg::this_thread_block();

    if (threadIdx.x == 0) {
        init(&ready, blockDim.x);
    }
    block.sync();
    cuda::memcpy_async(block, room, in, sizeof(room), ready);
    ready.arrive_and_wait();
    out[threadIdx.x] = room[tile - 1 - threadIdx.x];
}

__global__ void primitives(const float *in, float *out)
{
    __shared__ alignas(16) float room[2][tile];
    int i = (int)threadIdx.x;

    __pipeline_memcpy_async(&room[0][i], in + i, sizeof(float));
    __pipeline_commit();
    __pipeline_memcpy_async(&room[1][i], in + tile + i, sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float a = room[0][(i + 5) % tile];
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = a + room[1][(i + 7) % tile];
    cg::wait(cg::this_thread_block());
}

int main()
{
    const int tiles = 7;
    std::vector<float> in = numbers(tile * tiles, 3, 100), want(3 * tile);
    float *from = upload(in), *out = device<float>(3 * tile);

    staged<<<1, tile>>>(from, out, tiles);
    barriers<<<1, tile>>>(from, out + tile);
    primitives<<<1, tile>>>(from, out + 2 * tile);
    for (int i = 0; i < tile; i++) {
        for (int k = 0; k < tiles; k++) {
            want[i] += in[k * tile + (i + 1) % tile] * (float)(k + 1);
        }
        want[tile + i] = in[tile - 1 - i];
        want[2 * tile + i] = in[(i + 5) % tile] + in[tile + (i + 7) % tile];
    }
    return compare(download(out, 3 * tile), want);
}
