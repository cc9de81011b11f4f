/*
 * What the other programs do not use, as C++ programs write it: constants,
 * managed memory and variables, texture objects, streams and events,
 * templates, printf, asynchronous and pitched copies, occupancy.
 */
#include "host.h"

__constant__ float factor[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__managed__ int total = 100;

template <typename T> __global__ void twice(T *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        data[i] = data[i] * 2 + (T)factor[i & 3];
        atomicAdd(&counter, 1);
    }
}

__global__ void fetch(cudaTextureObject_t texture, float *out, int n)
{
    int i = threadIdx.x;

    if (i < n) {
        out[i] = tex1Dfetch<float>(texture, i) + tex1Dfetch<float>(texture, 0);
    }
}

__global__ void managed(int *data, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        data[i] += i;
    }
    if (threadIdx.x == 0) {
        total += n;
        printf("kernel: %d %s %.2f\n", n, "elements", 0.5);
    }
}

int main()
{
    const int n = 1000;
    std::vector<float> v(n, 3.0f);
    float *d = upload(v), *out = device<float>(n), host[4] = {9, 8, 7, 6};
    int count = 0, blocks = 0, size = 0, *shared, bad = 0;
    cudaStream_t stream[2];
    cudaEvent_t start, stop;
    float ms = -1;

    CHECK(cudaStreamCreate(&stream[0]));
    CHECK(cudaStreamCreateWithFlags(&stream[1], cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, stream[0]));
    twice<float><<<(n + 127) / 128, 128, 0, stream[0]>>>(d, n);
    CHECK(cudaEventRecord(stop, stream[0]));
    CHECK(cudaStreamWaitEvent(stream[1], stop, 0));
    CHECK(cudaMemcpyAsync(v.data(), d, n * sizeof(float),
                          cudaMemcpyDeviceToHost, stream[1]));
    CHECK(cudaStreamSynchronize(stream[1]));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    for (int i = 0; i < n; i++) {
        bad += v[i] != 6 + (i & 3) + 1;
    }
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
    CHECK(cudaMemcpyToSymbol(factor, host, sizeof(host)));
    twice<double><<<1, 32>>>((double *)out, 8);
    std::vector<double> doubles(8);
    CHECK(cudaMemcpy(doubles.data(), out, 64, cudaMemcpyDeviceToHost));
    bad += count != n + 5 || doubles[5] != 8;

    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = n * sizeof(float);
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    fetch<<<1, 32>>>(texture, out, 32);
    v = download(out, 32);
    bad += v[2] != 9 + 7;
    CHECK(cudaDestroyTextureObject(texture));

    CHECK(cudaMallocManaged(&shared, n * sizeof(int)));
    for (int i = 0; i < n; i++) {
        shared[i] = 1;
    }
    total++;
    managed<<<1, 64>>>(shared, n);
    CHECK(cudaDeviceSynchronize());
    bad += shared[999] != 1000 || total != 101 + n;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, fetch, 0, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fetch, 64, 0));
    printf("events: %s, blocks: %d of %d, %s\n", ms > 0 ? "ordered" : "not",
           blocks, size, bad == 0 ? "PASSED" : "FAILED");
    return bad;
}
