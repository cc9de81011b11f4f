/*
 * Cooperative groups: tiles, of several warps too, coalesced and labelled ones,
 * reductions and scans, the grid, clusters and their shared memory.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "../hosts/host.h"

namespace cg = cooperative_groups;

__global__ void tiles(int *out)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int i = (int)block.thread_rank();

    out[8 * i] = cg::reduce(tile, i, cg::plus<int>());
    out[8 * i + 1] = cg::inclusive_scan(tile, 1, cg::plus<int>());
    out[8 * i + 2] = tile.shfl(i, 3);
    out[8 * i + 3] = (int)tile.meta_group_rank();
    out[8 * i + 4] = (int)tile.ballot(i % 3 == 0);
    if (i % 2 == 1) {
        auto some = cg::coalesced_threads();
        out[8 * i + 5] = (int)(some.size() * 100 + some.thread_rank());
    } else {
        out[8 * i + 5] = -1;
    }
    auto same = cg::labeled_partition(tile, i % 3);
    out[8 * i + 6] = (int)same.size();
    auto half = cg::binary_partition(tile, i % 16 < 5);
    out[8 * i + 7] = cg::reduce(half, i, cg::greater<int>());
}

__global__ void whole_grid(int *data, int *sum, int n)
{
    auto grid = cg::this_grid();

    for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) {
        data[i] = i;
    }
    grid.sync();
    for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) {
        atomicAdd(sum, data[n - 1 - i]);
    }
}

__global__ void __cluster_dims__(4, 1, 1) cluster(int *out)
{
    __shared__ int mine[32];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();

    mine[threadIdx.x] = (int)(100 * rank + threadIdx.x);
    cluster.sync();
    int *next = cluster.map_shared_rank(mine, (rank + 1) % 4);
    out[blockIdx.x * 32 + threadIdx.x] = next[31 - threadIdx.x];
    cluster.sync();
}

/* Tiles of two warps, which wait for each other in shared memory that the
 * system reserves. */
__global__ void several_warps(double *out)
{
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    double i = (double)block.thread_rank();

    out[3 * block.thread_rank()] = cg::reduce(tile, i, cg::plus<double>());
    out[3 * block.thread_rank() + 1] = tile.shfl(i, 40);
    out[3 * block.thread_rank() + 2] = tile.any(i == 130);
}

static int wrong(const std::vector<int> &v)
{
    for (int i = 0; i < 64; i++) {
        const int *o = &v[8 * i];
        int tile = i / 16, first = 16 * tile, ballot = 0, label = 0;

        for (int k = 0; k < 16; k++) {
            ballot |= ((first + k) % 3 == 0) << k;
            label += (first + k) % 3 == i % 3;
        }
        if (o[0] != 16 * first + 120 || o[1] != i % 16 + 1 ||
            o[2] != first + 3 || o[3] != tile || o[4] != ballot ||
            o[5] != (i % 2 ? 1600 + i % 32 / 2 : -1) || o[6] != label ||
            o[7] != (i % 16 < 5 ? first + 4 : first + 15)) {
            return i;
        }
    }
    return -1;
}

int main()
{
    int n = 5000, *out = device<int>(512), *data = device<int>(n),
        *sum = device<int>(1);
    void *args[] = {&data, &sum, &n};

    tiles<<<1, 64>>>(out);
    int at = wrong(download(out, 512));
    if (at >= 0) {
        return result("of the tiles differs", (size_t)at);
    }
    double *sums = device<double>(768);
    several_warps<<<1, 256>>>(sums);
    std::vector<double> got = download(sums, 768), sums_of(768);
    for (int i = 0; i < 256; i++) {
        int first = i / 64 * 64;

        sums_of[3 * i] = 64 * first + 64 * 63 / 2;
        sums_of[3 * i + 1] = first + 40;
        sums_of[3 * i + 2] = first == 128;
    }
    if (got != sums_of) {
        return result("of tiles of several warps differs", 0);
    }
    CHECK(cudaMemset(sum, 0, sizeof(int)));
    CHECK(cudaLaunchCooperativeKernel((void *)whole_grid, 4, 128, args, 0, 0));
    if (download(sum, 1)[0] != n * (n - 1) / 2) {
        return result("of the grid differs", 0);
    }
    cluster<<<8, 32>>>(out);
    std::vector<int> want(256);
    for (int i = 0; i < 256; i++) {
        want[i] = 100 * ((i / 32 + 1) % 4) + 31 - i % 32;
    }
    return compare(download(out, 256), want);
}
