/*
 * CUB: of blocks and warps, and of the device: reduction, scan, selection,
 * histogram.  The device's sort is Thrust's, which has its own program.
 */
#include <cub/cub.cuh>

#include "../hosts/host.h"

__global__ void of_block(const int *in, int *out)
{
    using reduce = cub::BlockReduce<int, 128>;
    using scan = cub::BlockScan<int, 128>;
    using sort = cub::BlockRadixSort<int, 128, 2>;
    using warp = cub::WarpReduce<int>;
    __shared__ union {
        reduce::TempStorage reduce;
        scan::TempStorage scan;
        sort::TempStorage sort;
        warp::TempStorage warp[4];
    } room;
    int i = (int)threadIdx.x, value[2] = {in[2 * i], in[2 * i + 1]}, before;
    int sum = reduce(room.reduce).Sum(value[0]);

    __syncthreads();
    scan(room.scan).ExclusiveSum(value[1], before);
    __syncthreads();
    int most = warp(room.warp[i / 32]).Reduce(value[0], cuda::maximum<>());
    __syncthreads();
    sort(room.sort).Sort(value);
    out[2 * i] = value[0];
    out[2 * i + 1] = value[1];
    out[256 + i] = before;
    if (i == 0) {
        out[384] = sum;
    }
    if (i % 32 == 0) {
        out[385 + i / 32] = most;
    }
}

struct even {
    __device__ bool operator()(int x) const
    {
        return x % 2 == 0;
    }
};

#define TWICE(CALL, ...)                                                       \
    do {                                                                       \
        size_t bytes = 0;                                                      \
        CHECK(CALL(nullptr, bytes, __VA_ARGS__));                              \
        void *room = device<char>(bytes);                                      \
        CHECK(CALL(room, bytes, __VA_ARGS__));                                 \
        CHECK(cudaFree(room));                                                 \
    } while (0)

static int of_blocks(const std::vector<int> &in)
{
    int *out = device<int>(389), sum = 0, before = 0;
    std::vector<int> sorted(in.begin(), in.begin() + 256);

    of_block<<<1, 128>>>(upload(in), out);
    std::vector<int> got = download(out, 389);
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < 128; i++) {
        if (got[256 + i] != before) {
            return 1;
        }
        sum += in[2 * i];
        before += in[2 * i + 1];
    }
    for (int w = 0; w < 4; w++) {
        int most = in[64 * w];
        for (int i = 0; i < 32; i++) {
            most = std::max(most, in[64 * w + 2 * i]);
        }
        if (got[385 + w] != most) {
            return 1;
        }
    }
    got.resize(256);
    return got != sorted || download(out + 384, 1)[0] != sum;
}

int main()
{
    const int n = 5000;
    std::vector<int> in = integers<int>(n, 11, 0, 999), want;
    int *data = upload(in), *out = device<int>(n), *count = device<int>(1),
        total = 0, bad = of_blocks(in);

    TWICE(cub::DeviceReduce::Sum, data, out, n);
    for (int x : in) {
        total += x;
        want.push_back(total);
    }
    bad += download(out, 1)[0] != total;
    TWICE(cub::DeviceScan::InclusiveSum, data, out, n);
    bad += download(out, n) != want;

    want.clear();
    std::copy_if(in.begin(), in.end(), std::back_inserter(want),
                 [](int x) { return x % 2 == 0; });
    TWICE(cub::DeviceSelect::If, data, out, count, n, even());
    bad += download(count, 1)[0] != (int)want.size() ||
           download(out, want.size()) != want;

    want.assign(10, 0);
    for (int x : in) {
        want[x / 100]++;
    }
    TWICE(cub::DeviceHistogram::HistogramEven, data, out, 11, 0, 1000, n);
    bad += download(out, 10) != want;
    return result(bad ? "of some algorithm differs" : nullptr, (size_t)bad);
}
