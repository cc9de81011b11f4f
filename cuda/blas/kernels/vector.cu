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
    }                                                                          \
    KERNEL rot_##t(long long n, T *x, long long incx, T *y, long long incy,    \
                   const T *c_at, T c, const T *s_at, T s)                     \
    {                                                                          \
        c = c_at ? *c_at : c;                                                  \
        s = s_at ? *s_at : s;                                                  \
        EACH(i, n)                                                             \
        {                                                                      \
            T old = x[i * incx], other = y[i * incy];                          \
                                                                               \
            x[i * incx] = c * old + s * other;                                 \
            y[i * incy] = c * other - s * old;                                 \
        }                                                                      \
    }                                                                          \
    /* By a flag and h11, h21, h12, h22, of which it says which are there. */  \
    KERNEL rotm_##t(long long n, T *x, long long incx, T *y, long long incy,   \
                    const T *at)                                               \
    {                                                                          \
        bool own = at[0] == -1, one = at[0] == 1;                              \
        T h11 = own || one ? at[1] : 1, h22 = own || one ? at[4] : 1;          \
        T h21 = one ? -1 : at[2], h12 = one ? 1 : at[3];                       \
                                                                               \
        n = at[0] == -2 ? 0 : n;                                               \
        EACH(i, n)                                                             \
        {                                                                      \
            T old = x[i * incx], other = y[i * incy];                          \
                                                                               \
            x[i * incx] = h11 * old + h12 * other;                             \
            y[i * incy] = h21 * old + h22 * other;                             \
        }                                                                      \
    }                                                                          \
    /* Of a, b: c, s that turn them to r, 0; a is r, b how to find both. */    \
    KERNEL rotg_##t(T *at)                                                     \
    {                                                                          \
        T a = at[0], b = at[1], big = a < 0 ? -a : a, y = b < 0 ? -b : b;      \
        T scale = big + y, c = 1, s = 0, r = 0, z = 0;                         \
                                                                               \
        if (scale != 0) {                                                      \
            r = scale * (T)__dsqrt_rn(a / scale * (a / scale) +                \
                                      b / scale * (b / scale));                \
            r = (big > y ? a : b) < 0 ? -r : r;                                \
            c = a / r;                                                         \
            s = b / r;                                                         \
            z = big > y ? s : c != 0 ? 1 / c : 1;                              \
        }                                                                      \
        at[0] = r;                                                             \
        at[1] = z;                                                             \
        at[2] = c;                                                             \
        at[3] = s;                                                             \
    }                                                                          \
    KERNEL rotmg_##t(T *at)                                                    \
    {                                                                          \
        modify(at);                                                            \
    }

/* Of d1, d2, x1, y1: a flag and h11, h21, h12, h22 after them, that make
 * y1 sqrt(d2) 0; numbers are kept within a factor of 4096 squared of 1. */
template <class T> DEVICE T scaled(T &d, T &one, T &other)
{
    const T g = 4096;
    T x = 1;

    while (d != 0 && (d < 0 ? -d : d) <= 1 / (g * g)) {
        d *= g * g;
        x /= g;
    }
    while ((d < 0 ? -d : d) >= g * g) {
        d /= g * g;
        x *= g;
    }
    one *= x;
    other *= x;
    return x;
}

template <class T> DEVICE void modify(T *at)
{
    T d1 = at[0], d2 = at[1], x1 = at[2], y1 = at[3];
    T p1 = d1 * x1, p2 = d2 * y1, q1 = p1 * x1, q2 = p2 * y1;
    T h11 = 1, h21 = 0, h12 = 0, h22 = 1, u, flag;

    if (d1 >= 0 && p2 == 0) {
        at[4] = -2;
        return;
    }
    if ((q1 < 0 ? -q1 : q1) > (q2 < 0 ? -q2 : q2)) {
        h21 = -y1 / x1;
        h12 = p2 / p1;
        u = 1 - h12 * h21;
        flag = 0;
        d1 /= u;
        d2 /= u;
        x1 *= u;
    } else {
        h11 = p1 / p2;
        h22 = x1 / y1;
        h21 = -1;
        h12 = 1;
        u = q2 < 0 ? -1 : 1 + h11 * h22;
        flag = 1;
        d1 = d2 / u;
        d2 = at[0] / u;
        x1 = y1 * u;
    }
    if (at[0] < 0 || u <= 0) {
        flag = -1;
        d1 = d2 = x1 = h11 = h21 = h12 = h22 = 0;
    } else {
        T x = scaled(d1, h11, h12), y = scaled(d2, h21, h22);

        x1 *= x;
        flag = x == 1 && y == 1 ? flag : -1;
    }
    at[0] = d1;
    at[1] = d2;
    at[2] = x1;
    at[4] = flag;
    at[5] = flag == 0 ? at[5] : h11;
    at[6] = flag == 1 ? at[6] : h21;
    at[7] = flag == 1 ? at[7] : h12;
    at[8] = flag == 0 ? at[8] : h22;
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
