/*
 * What compilers make of the language's less regular parts: switches, calls
 * (recursive, indirect, with structures), local arrays, 64-bit and double
 * arithmetic, bytes, warp operations, dynamic shared memory, constants and
 * printf.  features.lua computes the same.
 */
#ifdef __clang__
#define __noinline__ __attribute__((noinline))
#define FULL 0xffffffffu
GPU_INLINE int __shfl_down_sync(unsigned mask, int value, unsigned by)
{
    return __nvvm_shfl_sync_down_i32(mask, value, (int)by, 31);
}
GPU_INLINE int __shfl_xor_sync(unsigned mask, int value, unsigned by)
{
    return __nvvm_shfl_sync_bfly_i32(mask, value, (int)by, 31);
}
GPU_INLINE unsigned __ballot_sync(unsigned mask, int yes)
{
    return __nvvm_vote_ballot_sync(mask, yes);
}
GPU_INLINE int __any_sync(unsigned mask, int yes)
{
    return __nvvm_vote_any_sync(mask, yes);
}
GPU_INLINE int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
GPU_INLINE int __clz(unsigned x)
{
    return x == 0 ? 32 : __builtin_clz(x);
}
GPU_INLINE int __ffs(unsigned x)
{
    return __builtin_ffs((int)x);
}
GPU_INLINE unsigned __brev(unsigned x)
{
    return __builtin_bitreverse32(x);
}
GPU_INLINE double sqrt(double x)
{
    return __nvvm_sqrt_rn_d(x);
}
extern "C" __device__ int printf(const char *, ...);
#else
#include <cstdio>
#define FULL 0xffffffffu
#endif

#define SELF (blockIdx.x * blockDim.x + threadIdx.x)

KERNEL choose(const int *in, int *out)
{
    int x = in[SELF], r = x * 3;

    switch (x & 15) {
    case 0:
        r += 7;
        break;
    case 1:
        r ^= 0x55;
        break;
    case 2:
        r = -r;
        break;
    case 3:
        r <<= 2;
        /* falls through */
    case 4:
        r += 11;
        break;
    case 5:
        r %= 10;
        break;
    case 6:
        r /= 3;
        break;
    case 7:
        r &= 0xf0;
        break;
    case 9:
        r |= 1;
        break;
    default:
        r -= 1;
        break;
    }
    out[SELF] = r;
}

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

KERNEL recurse(const int *in, int *out)
{
    out[SELF] = fibonacci(in[SELF] % 11);
}

__device__ __noinline__ int plus(int a, int b)
{
    return a + b;
}

__device__ __noinline__ int minus(int a, int b)
{
    return a - b;
}

__device__ __noinline__ int times(int a, int b)
{
    return a * b;
}

typedef int (*binary)(int, int);

KERNEL indirect(const int *in, int *out)
{
    int x = in[SELF];
    binary f = x % 3 == 0 ? plus : x % 3 == 1 ? minus : times;

    out[SELF] = f(x, (int)threadIdx.x);
}

struct pair {
    int low;
    short high[3];
    double scale;
};

__device__ __noinline__ pair swapped(pair p)
{
    pair r;

    r.low = p.high[0];
    r.high[0] = (short)p.low;
    r.high[1] = p.high[2];
    r.high[2] = p.high[1];
    r.scale = 1.0 / p.scale;
    return r;
}

KERNEL structures(pair p, int *out, double *scale)
{
    p.low += (int)SELF;
    p = swapped(p);
    out[4 * SELF] = p.low;
    for (int i = 0; i < 3; i++) {
        out[4 * SELF + 1 + i] = p.high[i];
    }
    scale[SELF] = p.scale;
}

KERNEL doubles(const double *in, double *out, long long *whole)
{
    double x = in[SELF];
    long long n = (long long)(x * 1000.0);

    out[2 * SELF] = sqrt(x) / (x + 3.0);
    out[2 * SELF + 1] = x * x - (double)(float)x;
    whole[2 * SELF] = n / (long long)(SELF + 7);
    whole[2 * SELF + 1] = n % (long long)(SELF + 7);
}

KERNEL warps(const int *in, int *out)
{
    int x = in[SELF], sum = x, most = x;
    unsigned odd = __ballot_sync(FULL, x & 1);

    for (int by = 16; by > 0; by /= 2) {
        int other = __shfl_xor_sync(FULL, most, by);

        sum += __shfl_down_sync(FULL, sum, by);
        most = other > most ? other : most;
    }
    if (threadIdx.x % 32 == 0) {
        out[4 * (SELF / 32)] = sum;
        out[4 * (SELF / 32) + 1] = most;
        out[4 * (SELF / 32) + 2] = (int)odd;
    }
    if (__any_sync(FULL, x == 13) && threadIdx.x % 32 == 0) {
        out[4 * (SELF / 32) + 3] = 1;
    }
}

KERNEL bits(const int *in, int *out)
{
    unsigned x = (unsigned)in[SELF];

    out[4 * SELF] = __popc(x);
    out[4 * SELF + 1] = __clz(x);
    out[4 * SELF + 2] = __ffs(x);
    out[4 * SELF + 3] = (int)__brev(x);
}

extern __shared__ int bin[];

KERNEL histogram(const unsigned char *in, int *out, int n, int bins)
{
    for (int i = threadIdx.x; i < bins; i += blockDim.x) {
        bin[i] = 0;
    }
    __syncthreads();
    for (int i = SELF; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bin[in[i] % bins], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += blockDim.x) {
        atomicAdd(&out[i], bin[i]);
    }
}

__constant__ int weights[8] = {1, -2, 3, -4, 5, -6, 7, -8};

KERNEL sorted(const int *in, int *out)
{
    int own[8], sum = 0;

    for (int i = 0; i < 8; i++) {
        own[i] = in[8 * SELF + i];
    }
    for (int i = 1; i < 8; i++) {
        int x = own[i], k = i;

        while (k > 0 && own[k - 1] > x) {
            own[k] = own[k - 1];
            k--;
        }
        own[k] = x;
    }
    for (int i = 0; i < 8; i++) {
        sum += own[i] * weights[i];
    }
    out[SELF] = sum;
}

KERNEL speak(const int *in)
{
    if (SELF < 2) {
        printf("features: thread %d has %d, half of it is %.1f\n", (int)SELF,
               in[SELF], in[SELF] / 2.0);
    }
}
