/*
 * Kernels that launch kernels (CUDA dynamic parallelism): in the stream of
 * their CTA, in streams of their own, at once, and last; recursion; events,
 * copies and fills; memory; a launch that cannot be.
 */
#include "../hosts/host.h"

__global__ void add(int *at, int value)
{
    at[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

__global__ void times(int *at, int value)
{
    at[blockIdx.x * blockDim.x + threadIdx.x] *= value;
}

/* Each CTA has 64 numbers: 1, then 3 * (1 + 5) + 100 = 118. */
__global__ void in_order(int *out)
{
    int *mine = out + blockIdx.x * 64;

    mine[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        add<<<1, 64, 0, cudaStreamTailLaunch>>>(mine, 100);
        add<<<2, 32>>>(mine, 5);
        times<<<2, 32>>>(mine, 3);
    }
}

/* The lanes of a warp launch, each for a number of its own. */
__global__ void by_lanes(int *out)
{
    add<<<1, 1>>>(out + threadIdx.x, (int)threadIdx.x);
}

/* A binary tree. */
__global__ void tree(int *count, int depth)
{
    atomicAdd(&count[depth], 1);
    if (depth > 0) {
        tree<<<1, 1, 0, cudaStreamFireAndForget>>>(count, depth - 1);
        tree<<<1, 1, 0, cudaStreamFireAndForget>>>(count, depth - 1);
    }
}

__device__ void swap(int &a, int &b)
{
    int kept = a;

    a = b;
    b = kept;
}

__global__ void sort(int *at, int count)
{
    int pivot = at[count / 2], i = 0, j = count - 1;
    cudaStream_t left, right;

    while (i <= j) {
        while (at[i] < pivot) {
            i++;
        }
        while (at[j] > pivot) {
            j--;
        }
        if (i <= j) {
            swap(at[i++], at[j--]);
        }
    }
    if (j > 0) {
        cudaStreamCreateWithFlags(&left, cudaStreamNonBlocking);
        sort<<<1, 1, 0, left>>>(at, j + 1);
        cudaStreamDestroy(left);
    }
    if (i < count - 1) {
        cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking);
        sort<<<1, 1, 0, right>>>(at + i, count - i);
        cudaStreamDestroy(right);
    }
}

/* What other streams do is waited for: 10 * (0 + 1), copied behind it. */
__global__ void by_events(int *out, int *told)
{
    cudaStream_t first, second;
    cudaEvent_t event;
    int *memory = nullptr;

    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMemsetAsync(out, 0, 128, first);
    add<<<1, 32, 0, first>>>(out, 1);
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event, 0);
    times<<<1, 32, 0, second>>>(out, 10);
    cudaMemcpyAsync(out + 32, out, 128, cudaMemcpyDeviceToDevice, second);
    cudaEventDestroy(event);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);

    add<<<1, 2000>>>(out, 1);
    told[0] = cudaPeekAtLastError();
    told[1] = cudaGetLastError();
    told[2] = cudaGetLastError();
    told[3] = cudaMalloc(&memory, 64);
    told[4] = memory != nullptr && cudaFree(memory) == cudaSuccess;
}

static int tests(void)
{
    int *out = device<int>(512);
    std::vector<int> want(256, 118), numbers(300), got;
    int failed;

    in_order<<<4, 64>>>(out);
    failed = compare(download(out, 256), want);

    CHECK(cudaMemset(out, 0, 128));
    by_lanes<<<1, 32>>>(out);
    add<<<1, 32>>>(out, 1); // after all of them
    for (int i = 0; i < 32; i++) {
        want[i] = i + 1;
    }
    want.resize(32);
    failed |= compare(download(out, 32), want);

    CHECK(cudaMemset(out, 0, 24));
    tree<<<1, 1>>>(out, 5);
    failed |= compare(download(out, 6), {32, 16, 8, 4, 2, 1});

    for (int i = 0; i < 300; i++) {
        numbers[i] = i * 7919 % 1009;
    }
    CHECK(cudaMemcpy(out, numbers.data(), 1200, cudaMemcpyHostToDevice));
    sort<<<1, 1>>>(out, 300);
    std::sort(numbers.begin(), numbers.end());
    failed |= compare(download(out, 300), numbers);

    by_events<<<1, 1>>>(out, out + 64);
    got = download(out, 69);
    want.assign(69, 10);
    for (int i = 64; i < 69; i++) {
        want[i] = 0;
    }
    want[64] = want[65] = cudaErrorInvalidConfiguration;
    want[68] = 1;
    return failed | compare(got, want);
}

int main()
{
    return tests();
}
