/*
 * cuda::atomic, atomic_ref, barrier, latch and semaphore of libcu++.
 */
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

#include "../hosts/host.h"

using counter = cuda::atomic<int, cuda::thread_scope_device>;

__global__ void count(counter *total, int *plain, float *real,
                      unsigned long long *most)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    cuda::atomic_ref<int, cuda::thread_scope_device> ref(*plain);
    cuda::atomic_ref<float, cuda::thread_scope_device> sum(*real);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> top(*most);

    total->fetch_add(1, cuda::memory_order_relaxed);
    ref.fetch_xor(1 << (i % 31));
    sum.fetch_add(0.5f);
    top.fetch_max((unsigned long long)i << 33);
}

/* A lock around what is no atomic. */
__global__ void locked(counter *lock, volatile int *value)
{
    for (int turn = 0; turn < 4; turn++) {
        int open = 0;
        while (!lock->compare_exchange_strong(open, 1,
                                              cuda::memory_order_acquire)) {
            open = 0;
        }
        *value = *value + 1;
        lock->store(0, cuda::memory_order_release);
    }
}

/* One block hands values to the next. */
__global__ void hand_over(counter *ready, int *value, int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *value = 4711;
        ready->store(1, cuda::memory_order_release);
        ready->notify_all();
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        ready->wait(0, cuda::memory_order_acquire);
        *out = *value;
    }
}

__global__ void wait_all(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int data[128];
    int i = (int)threadIdx.x;

    if (i == 0) {
        init(&barrier, blockDim.x);
    }
    __syncthreads();
    for (int turn = 0; turn < 3; turn++) {
        data[i] = i + turn;
        barrier.arrive_and_wait();
        out[i] = data[127 - i];
        auto token = barrier.arrive();
        barrier.wait(std::move(token));
    }
}

int main()
{
    counter *atomics = device<counter>(3);
    int *ints = device<int>(140), bits = 0;
    float *real = device<float>(1);
    unsigned long long *most = device<unsigned long long>(1);

    CHECK(cudaMemset(atomics, 0, 3 * sizeof(counter)));
    CHECK(cudaMemset(ints, 0, 140 * sizeof(int)));
    CHECK(cudaMemset(real, 0, sizeof(float)));
    CHECK(cudaMemset(most, 0, 8));
    count<<<5, 96>>>(atomics, ints, real, most);
    for (int i = 0; i < 480; i++) {
        bits ^= 1 << (i % 31);
    }
    if (download((int *)atomics, 1)[0] != 480 || download(ints, 1)[0] != bits ||
        download(real, 1)[0] != 240 || download(most, 1)[0] != 479ull << 33) {
        return result("of the counters differs", 0);
    }
    locked<<<6, 1>>>(atomics + 1, ints + 1);
    hand_over<<<2, 32>>>(atomics + 2, ints + 2, ints + 3);
    if (download(ints, 4)[1] != 24 || download(ints, 4)[3] != 4711) {
        return result("of lock and message differs", 1);
    }
    wait_all<<<1, 128>>>(ints + 8);
    std::vector<int> want(128);
    for (int i = 0; i < 128; i++) {
        want[i] = 127 - i + 2;
    }
    return compare(download(ints + 8, 128), want);
}
