/*
 * Memory pools: memory in the order of streams, the default pool and one of the
 * program's own, its attributes.
 */
#include "../hosts/host.h"

__global__ void fill(int *data, int n, int value)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        data[i] = value + i;
    }
}

__global__ void gather(const int *a, const int *b, int *out, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        out[i] = a[i] - b[n - 1 - i];
    }
}

int main()
{
    const int n = 2000;
    const size_t bytes = n * sizeof(int);
    int supported = 0, *a, *b, *out = device<int>(n);
    cudaStream_t stream;
    cudaMemPool_t standard, own;
    cudaMemPoolProps props = {};
    std::vector<int> want(n);
    uint64_t used = 0, high = 0, keep = UINT64_MAX;

    CHECK(
        cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaDeviceGetDefaultMemPool(&standard, 0));
    CHECK(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReleaseThreshold,
                                  &keep));
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&own, &props));
    for (int k = 0; k < 10; k++) {
        CHECK(cudaMallocAsync(&a, bytes, stream));
        CHECK(cudaMallocFromPoolAsync((void **)&b, bytes, own, stream));
        fill<<<blocks(n), 256, 0, stream>>>(a, n, 10 * k);
        fill<<<blocks(n), 256, 0, stream>>>(b, n, k);
        gather<<<blocks(n), 256, 0, stream>>>(a, b, out, n);
        if (k == 9) {
            CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent,
                                          &used));
        }
        CHECK(cudaFreeAsync(a, stream));
        CHECK(cudaFreeAsync(b, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemHigh, &high));
    CHECK(cudaMemPoolTrimTo(own, 0));
    CHECK(cudaMemPoolDestroy(own));
    if (!supported || used < bytes || high < used || high > 10 * used) {
        printf("used %llu, high %llu\n", (unsigned long long)used,
               (unsigned long long)high);
        return result("of the attributes is wrong", 0);
    }
    for (int i = 0; i < n; i++) {
        want[i] = 90 + i - (9 + n - 1 - i);
    }
    return compare(download(out, n), want);
}
