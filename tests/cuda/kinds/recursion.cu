/*
 * Functions that call themselves, and each other, and by pointers.
 */
#include "../hosts/host.h"

__device__ __noinline__ int ackermann(int m, int n)
{
    if (m == 0) {
        return n + 1;
    }
    if (n == 0) {
        return ackermann(m - 1, 1);
    }
    return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ bool odd(unsigned n);
__device__ __noinline__ bool even(unsigned n)
{
    return n == 0 ? true : odd(n - 1);
}
__device__ __noinline__ bool odd(unsigned n)
{
    return n == 0 ? false : even(n - 1);
}

/* Quicksort of a part, on each thread's own data. */
__device__ void sort(int *data, int low, int high)
{
    if (low >= high) {
        return;
    }
    int pivot = data[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (data[i] < pivot) {
            i++;
        }
        while (data[j] > pivot) {
            j--;
        }
        if (i <= j) {
            int t = data[i];
            data[i++] = data[j];
            data[j--] = t;
        }
    }
    sort(data, low, j);
    sort(data, i, high);
}

typedef int (*binary)(int, int);
__device__ int plus(int a, int b)
{
    return a + b;
}
__device__ int times(int a, int b)
{
    return a * b;
}
__device__ binary table[2] = {plus, times};

__global__ void call(int *out)
{
    int i = (int)threadIdx.x, own[24];

    for (int k = 0; k < 24; k++) {
        own[k] = (k * 7 + i * 5) % 24;
    }
    sort(own, 0, 23);
    int sorted = 1;
    for (int k = 1; k < 24; k++) {
        sorted &= own[k - 1] <= own[k];
    }
    out[4 * i] = ackermann(i % 3, i % 4);
    out[4 * i + 1] = even((unsigned)i);
    out[4 * i + 2] = sorted;
    out[4 * i + 3] = table[i & 1](i, 3);
}

static int on_host(int m, int n)
{
    return m == 0   ? n + 1
           : n == 0 ? on_host(m - 1, 1)
                    : on_host(m - 1, on_host(m, n - 1));
}

int main()
{
    const int n = 64;
    int *out = device<int>(4 * n);
    std::vector<int> want;

    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
    call<<<1, n>>>(out);
    for (int i = 0; i < n; i++) {
        want.push_back(on_host(i % 3, i % 4));
        want.push_back(i % 2 == 0);
        want.push_back(1);
        want.push_back(i & 1 ? i * 3 : i + 3);
    }
    return compare(download(out, 4 * n), want);
}
