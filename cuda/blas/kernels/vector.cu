/*
 * Vectors.  `x` and `y` are where their first elements are, whatever the sign
 * of an increment is.  A scalar is on the device, or 0 and its value follows.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define KERNEL extern "C" __global__ void
#define DEVICE static __device__ __forceinline__

/* ---- element by element ---- */

#define EACH(i, n)                                                             \
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;       \
         i < n; i += (long long)gridDim.x * blockDim.x)

#define ELEMENTS(T, t)                                                         \
    KERNEL axpy_##t(long long n, const T *at, T value, const T *x,             \
                    long long incx, T *y, long long incy)                      \
    {                                                                          \
        T alpha = at ? *at : value;                                            \
                                                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            y[i * incy] += alpha * x[i * incx];                                \
        }                                                                      \
    }                                                                          \
    KERNEL scal_##t(long long n, const T *at, T value, T *x, long long incx)   \
    {                                                                          \
        T alpha = at ? *at : value;                                            \
                                                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            x[i * incx] *= alpha;                                              \
        }                                                                      \
    }                                                                          \
    KERNEL copy_##t(long long n, const T *x, long long incx, T *y,             \
                    long long incy)                                            \
    {                                                                          \
        EACH(i, n)                                                             \
        {                                                                      \
            y[i * incy] = x[i * incx];                                         \
        }                                                                      \
    }                                                                          \
    KERNEL swap_##t(long long n, T *x, long long incx, T *y, long long incy)   \
    {                                                                          \
        EACH(i, n)                                                             \
        {                                                                      \
            T old = x[i * incx];                                               \
                                                                               \
            x[i * incx] = y[i * incy];                                         \
            y[i * incy] = old;                                                 \
        }                                                                      \
    }

ELEMENTS(float, f32)
ELEMENTS(double, f64)

/* ---- sums: of each block, then of blocks by a launch of one ---- */

template <class T> DEVICE T sum_of_block(T x)
{
    __shared__ T part[32];

#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
        x += __shfl_down_sync(~0u, x, apart);
    }
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = x;
    }
    __syncthreads();
    x = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : T();
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
        x += __shfl_down_sync(~0u, x, apart);
    }
    return x;
}

#define SUMS(T, t)                                                             \
    KERNEL dot_##t(long long n, const T *x, long long incx, const T *y,        \
                   long long incy, T *to)                                      \
    {                                                                          \
        T sum = 0;                                                             \
                                                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            sum += x[i * incx] * y[i * incy];                                  \
        }                                                                      \
        sum = sum_of_block(sum);                                               \
        if (threadIdx.x == 0) {                                                \
            to[blockIdx.x] = sum;                                              \
        }                                                                      \
    }                                                                          \
    KERNEL asum_##t(long long n, const T *x, long long incx, T *to)            \
    {                                                                          \
        T sum = 0;                                                             \
                                                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            T v = x[i * incx];                                                 \
                                                                               \
            sum += v < 0 ? -v : v;                                             \
        }                                                                      \
        sum = sum_of_block(sum);                                               \
        if (threadIdx.x == 0) {                                                \
            to[blockIdx.x] = sum;                                              \
        }                                                                      \
    }                                                                          \
    KERNEL total_##t(long long n, const T *part, T *to)                        \
    {                                                                          \
        T sum = 0;                                                             \
                                                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            sum += part[i];                                                    \
        }                                                                      \
        sum = sum_of_block(sum);                                               \
        if (threadIdx.x == 0) {                                                \
            *to = sum;                                                         \
        }                                                                      \
    }                                                                          \
    KERNEL squares_##t(long long n, const T *x, long long incx, double *to)    \
    {                                                                          \
        double sum = 0;                                                        \
                                                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            double v = x[i * incx];                                            \
                                                                               \
            sum += v * v;                                                      \
        }                                                                      \
        sum = sum_of_block(sum);                                               \
        if (threadIdx.x == 0) {                                                \
            to[blockIdx.x] = sum;                                              \
        }                                                                      \
    }                                                                          \
    KERNEL root_##t(long long n, const double *part, T *to)                    \
    {                                                                          \
        double sum = 0;                                                        \
                                                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            sum += part[i];                                                    \
        }                                                                      \
        sum = sum_of_block(sum);                                               \
        if (threadIdx.x == 0) {                                                \
            *to = (T)__dsqrt_rn(sum);                                          \
        }                                                                      \
    }

SUMS(float, f32)
SUMS(double, f64)

/* ---- numbers of two bytes, in sums of four; scalars are of four ---- */

#define NARROW(T, t)                                                           \
    KERNEL axpy_##t(long long n, const float *at, float value, const T *x,     \
                    long long incx, T *y, long long incy)                      \
    {                                                                          \
        float alpha = at ? *at : value;                                        \
                                                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            y[i * incy] = T(alpha * float(x[i * incx]) + float(y[i * incy]));  \
        }                                                                      \
    }                                                                          \
    KERNEL scal_##t(long long n, const float *at, float value, T *x,           \
                    long long incx)                                            \
    {                                                                          \
        float alpha = at ? *at : value;                                        \
                                                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            x[i * incx] = T(alpha * float(x[i * incx]));                       \
        }                                                                      \
    }                                                                          \
    KERNEL dot_##t(long long n, const T *x, long long incx, const T *y,        \
                   long long incy, float *to)                                  \
    {                                                                          \
        float sum = 0;                                                         \
                                                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            sum += float(x[i * incx]) * float(y[i * incy]);                    \
        }                                                                      \
        sum = sum_of_block(sum);                                               \
        if (threadIdx.x == 0) {                                                \
            to[blockIdx.x] = sum;                                              \
        }                                                                      \
    }                                                                          \
    KERNEL total_##t(long long n, const float *part, T *to)                    \
    {                                                                          \
        float sum = 0;                                                         \
                                                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            sum += part[i];                                                    \
        }                                                                      \
        sum = sum_of_block(sum);                                               \
        if (threadIdx.x == 0) {                                                \
            *to = T(sum);                                                      \
        }                                                                      \
    }                                                                          \
    KERNEL squares_##t(long long n, const T *x, long long incx, double *to)    \
    {                                                                          \
        double sum = 0;                                                        \
                                                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            double v = float(x[i * incx]);                                     \
                                                                               \
            sum += v * v;                                                      \
        }                                                                      \
        sum = sum_of_block(sum);                                               \
        if (threadIdx.x == 0) {                                                \
            to[blockIdx.x] = sum;                                              \
        }                                                                      \
    }                                                                          \
    KERNEL root_##t(long long n, const double *part, T *to)                    \
    {                                                                          \
        double sum = 0;                                                        \
                                                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            sum += part[i];                                                    \
        }                                                                      \
        sum = sum_of_block(sum);                                               \
        if (threadIdx.x == 0) {                                                \
            *to = T((float)__dsqrt_rn(sum));                                   \
        }                                                                      \
    }

NARROW(__half, f16)
NARROW(__nv_bfloat16, bf16)

/* ---- where the largest or smallest is: the first one's number, from 1 ---- */

template <class T> struct place {
    T value;
    long long index; /* 0: none */
};

template <class T, bool LARGEST>
DEVICE void take(place<T> &best, T value, long long index)
{
    bool better = LARGEST ? value > best.value : value < best.value;

    if (index != 0 &&
        (best.index == 0 || better ||
         (value == best.value && index < best.index))) {
        best.value = value;
        best.index = index;
    }
}

template <class T, bool LARGEST> DEVICE void best_of_block(place<T> &best)
{
    __shared__ place<T> part[256];

    part[threadIdx.x] = best;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            take<T, LARGEST>(best, part[threadIdx.x + half].value,
                             part[threadIdx.x + half].index);
            part[threadIdx.x] = best;
        }
    }
}

/* Blocks of 256. */
#define PLACES(T, t, which, LARGEST)                                           \
    KERNEL which##_##t(long long n, const T *x, long long incx, place<T> *to)  \
    {                                                                          \
        place<T> best = {0, 0};                                                \
                                                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            T v = x[i * incx];                                                 \
                                                                               \
            take<T, LARGEST>(best, v < 0 ? -v : v, i + 1);                     \
        }                                                                      \
        best_of_block<T, LARGEST>(best);                                       \
        if (threadIdx.x == 0) {                                                \
            to[blockIdx.x] = best;                                             \
        }                                                                      \
    }                                                                          \
    KERNEL which##_of_##t(long long n, const place<T> *part, int *to)          \
    {                                                                          \
        place<T> best = {0, 0};                                                \
                                                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            take<T, LARGEST>(best, part[i].value, part[i].index);              \
        }                                                                      \
        best_of_block<T, LARGEST>(best);                                       \
        if (threadIdx.x == 0) {                                                \
            *to = (int)best.index;                                             \
        }                                                                      \
    }

PLACES(float, f32, iamax, true)
PLACES(float, f32, iamin, false)
PLACES(double, f64, iamax, true)
PLACES(double, f64, iamin, false)
