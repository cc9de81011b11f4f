/*
 * Streams, priorities and events: order within and between, callbacks of the
 * host, threads with default streams of their own, copies beside kernels.
 */
#include <thread>

#include "../hosts/host.h"

__global__ void add(int *data, int n, int value)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        data[i] = 3 * data[i] + value;
    }
}

static void note(void *to)
{
    ++*(int *)to;
}

static void work(int **out, int seed)
{
    const int n = 300;
    int *data = device<int>(n);

    CHECK(cudaMemsetAsync(data, 0, n * sizeof(int), cudaStreamPerThread));
    for (int k = 0; k < 5; k++) {
        add<<<blocks(n), 256, 0, cudaStreamPerThread>>>(data, n, seed + k);
    }
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    *out = data;
}

int main()
{
    const int n = 1000, count = 4;
    cudaStream_t stream[count];
    cudaEvent_t ready[count], end;
    int least, greatest, notes = 0, *host, *part[2];
    std::vector<int> want(n * count);
    int *data = device<int>(n * count);
    float ms = -1;

    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaMallocHost(&host, n * count * sizeof(int)));
    for (int s = 0; s < count; s++) {
        CHECK(cudaStreamCreateWithPriority(&stream[s], cudaStreamNonBlocking,
                                           s % 2 ? least : greatest));
        CHECK(cudaEventCreate(&ready[s]));
    }
    for (int i = 0; i < n * count; i++) {
        host[i] = i;
    }
    CHECK(cudaEventCreate(&end));
    for (int s = 0; s < count; s++) {
        CHECK(cudaMemcpyAsync(data + s * n, host + s * n, n * sizeof(int),
                              cudaMemcpyHostToDevice, stream[s]));
        add<<<blocks(n), 256, 0, stream[s]>>>(data + s * n, n, s);
        CHECK(cudaLaunchHostFunc(stream[s], note, &notes));
        CHECK(cudaEventRecord(ready[s], stream[s]));
        CHECK(cudaStreamWaitEvent(stream[0], ready[s], 0));
    }
    add<<<blocks(n * count), 256, 0, stream[0]>>>(data, n * count, 7);
    CHECK(cudaEventRecord(end, stream[0]));
    CHECK(cudaMemcpyAsync(host, data, n * count * sizeof(int),
                          cudaMemcpyDeviceToHost, stream[0]));
    CHECK(cudaStreamSynchronize(stream[0]));
    CHECK(cudaEventElapsedTime(&ms, ready[0], end));
    for (int i = 0; i < n * count; i++) {
        want[i] = 3 * (3 * i + i / n) + 7;
    }
    std::vector<int> got(host, host + n * count);
    if (notes != count || ms < 0 || cudaStreamQuery(stream[1]) != cudaSuccess) {
        return result("of the order differs", (size_t)notes);
    }
    std::thread first(work, &part[0], 1), second(work, &part[1], 10);
    first.join();
    second.join();
    for (int t = 0; t < 2; t++) {
        int x = 0;
        for (int k = 0; k < 5; k++) {
            x = 3 * x + (t ? 10 : 1) + k;
        }
        for (int v : download(part[t], 300)) {
            if (v != x) {
                return result("of a thread differs", (size_t)t);
            }
        }
    }
    return compare(got, want);
}
