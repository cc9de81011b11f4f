// Relocatable device code of two files: what this one takes from second.cu.
#include <cstdio>

extern __device__ int helper(int x);
extern __device__ int table[4];
extern __constant__ float factor;
extern __managed__ int shared_with_host;
__device__ int (*pointer)(int) = helper;

// Each file's own, of the same names.
static __device__ int own = 0;
static __device__ __noinline__ int times(int x) { return x * 3; }

// In both files, once in the program.
template <class T> __device__ __noinline__ T next(T x) { return x + 1; }
template <class T> __global__ void both(T *out) { out[3] += next(out[3]); }

static __global__ void mine(int *out) { out[1] = times(out[1] + 1) + own; }

__global__ void first(int *out)
{
    printf("first: %s\n", "a text");
    out[0] = helper(out[0]) + table[1] + (int)factor + next(3) + pointer(2);
    shared_with_host += 1;
}

void second(int *out);

int main()
{
    int *out, got[4], changed = 100;

    cudaMalloc(&out, 16);
    cudaMemset(out, 0, 16);
    cudaMemcpyToSymbol(table, &changed, 4, 4);
    first<<<1, 1>>>(out);
    mine<<<1, 1>>>(out);
    both<int><<<1, 1>>>(out);
    second(out);
    cudaDeviceSynchronize();
    cudaMemcpy(got, out, 16, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d, %d: %s\n", got[0], got[1], got[2], got[3],
           shared_with_host, cudaGetErrorString(cudaGetLastError()));
    bool ok = got[0] == 11 + 100 + 5 + 4 + 13 && got[1] == 3 &&
              got[2] == 9 && got[3] == 3 && shared_with_host == 12;
    printf("%s\n", ok ? "PASSED" : "FAILED");
    return !ok;
}
