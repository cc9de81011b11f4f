/*
 * A matrix and vectors; two matrices; triangular systems; sums of rows.
 * Matrices are column-major.  A scalar is on the device, or 0 and its value
 * follows.
 */
#define KERNEL extern "C" __global__ void
#define DEVICE static __device__ __forceinline__

template <class T> DEVICE T sum_of_warp(T x)
{
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
        x += __shfl_down_sync(~0u, x, apart);
    }
    return x;
}

/* y = alpha A x + beta y: blocks of 32 rows and 8 shares of the columns; and
 * of A transposed: a warp has a column. */
#define VECTORS(T, t)                                                          \
    KERNEL gemv_##t##_n(int m, int n, const T *alpha_at, T alpha, const T *a,  \
                        int lda, const T *x, long long incx,                   \
                        const T *beta_at, T beta, T *y, long long incy)        \
    {                                                                          \
        __shared__ T part[8][32];                                              \
        int i = blockIdx.x * 32 + threadIdx.x;                                 \
        T sum = 0;                                                             \
                                                                               \
        for (int j = threadIdx.y; i < m && j < n; j += 8) {                    \
            sum += a[(long long)j * lda + i] * x[j * incx];                    \
        }                                                                      \
        part[threadIdx.y][threadIdx.x] = sum;                                  \
        __syncthreads();                                                       \
        if (threadIdx.y == 0 && i < m) {                                       \
            for (int j = 1; j < 8; j++) {                                      \
                sum += part[j][threadIdx.x];                                   \
            }                                                                  \
            sum *= alpha_at ? *alpha_at : alpha;                               \
            beta = beta_at ? *beta_at : beta;                                  \
            y[i * incy] = beta == 0 ? sum : sum + beta * y[i * incy];          \
        }                                                                      \
    }                                                                          \
    KERNEL gemv_##t##_t(int m, int n, const T *alpha_at, T alpha, const T *a,  \
                        int lda, const T *x, long long incx,                   \
                        const T *beta_at, T beta, T *y, long long incy)        \
    {                                                                          \
        int j = blockIdx.x * 8 + threadIdx.y;                                  \
        T sum = 0;                                                             \
                                                                               \
        for (int i = threadIdx.x; i < m && j < n; i += 32) {                   \
            sum += a[(long long)j * lda + i] * x[i * incx];                    \
        }                                                                      \
        sum = sum_of_warp(sum);                                                \
        if (threadIdx.x == 0 && j < n) {                                       \
            sum *= alpha_at ? *alpha_at : alpha;                               \
            beta = beta_at ? *beta_at : beta;                                  \
            y[j * incy] = beta == 0 ? sum : sum + beta * y[j * incy];          \
        }                                                                      \
    }                                                                          \
    KERNEL ger_##t(int m, int n, const T *alpha_at, T alpha, const T *x,       \
                   long long incx, const T *y, long long incy, T *a, int lda)  \
    {                                                                          \
        int i = blockIdx.x * 32 + threadIdx.x;                                 \
        int j = blockIdx.y * 8 + threadIdx.y;                                  \
                                                                               \
        if (i < m && j < n) {                                                  \
            a[(long long)j * lda + i] +=                                       \
                (alpha_at ? *alpha_at : alpha) * x[i * incx] * y[j * incy];    \
        }                                                                      \
    }

VECTORS(float, f32)
VECTORS(double, f64)

/* C = alpha op(A) + beta op(B), C = A diag(x) and diag(x) A.  An element of
 * op(A) is at i * ia + j * ja.  What has the factor 0 is not read. */
#define TWO(T, t)                                                              \
    KERNEL geam_##t(int m, int n, const T *alpha_at, T alpha, const T *a,      \
                    long long ia, long long ja, const T *beta_at, T beta,      \
                    const T *b, long long ib, long long jb, T *c, int ldc)     \
    {                                                                          \
        int i = blockIdx.x * 32 + threadIdx.x;                                 \
        int j = blockIdx.y * 8 + threadIdx.y;                                  \
        T sum = 0;                                                             \
                                                                               \
        alpha = alpha_at ? *alpha_at : alpha;                                  \
        beta = beta_at ? *beta_at : beta;                                      \
        if (i < m && j < n) {                                                  \
            if (alpha != 0) {                                                  \
                sum = alpha * a[i * ia + j * ja];                              \
            }                                                                  \
            if (beta != 0) {                                                   \
                sum += beta * b[i * ib + j * jb];                              \
            }                                                                  \
            c[(long long)j * ldc + i] = sum;                                   \
        }                                                                      \
    }                                                                          \
    KERNEL dgmm_##t(int m, int n, const T *a, int lda, const T *x,             \
                    long long by_row, long long by_column, T *c, int ldc)      \
    {                                                                          \
        int i = blockIdx.x * 32 + threadIdx.x;                                 \
        int j = blockIdx.y * 8 + threadIdx.y;                                  \
                                                                               \
        if (i < m && j < n) {                                                  \
            c[(long long)j * ldc + i] = a[(long long)j * lda + i] *            \
                                        x[i * by_row + j * by_column];         \
        }                                                                      \
    }

TWO(float, f32)
TWO(double, f64)

/* Triangular systems L X = alpha B or U X = alpha B of n rows: a thread has one
 * of the `count` vectors of B, whose elements are `ib` apart, and itself `jb`
 * from the next.  Element (i, j) of the matrix is at i * ia + j * ja.  `batch`:
 * a and b are arrays of addresses. */
#define TRIANGLES(T, t)                                                        \
    KERNEL trsm_##t(int n, int count, const T *alpha_at, T alpha,              \
                    const void *a_at, long long ia, long long ja, void *b_at,  \
                    long long ib, long long jb, int lower, int unit,           \
                    int batch)                                                 \
    {                                                                          \
        int v = blockIdx.x * blockDim.x + threadIdx.x;                         \
        const T *a = (const T *)a_at;                                          \
        T *b = (T *)b_at;                                                      \
                                                                               \
        if (batch) {                                                           \
            a = ((const T *const *)a_at)[blockIdx.y];                          \
            b = ((T *const *)b_at)[blockIdx.y];                                \
        }                                                                      \
        if (v >= count) {                                                      \
            return;                                                            \
        }                                                                      \
        b += v * jb;                                                           \
        alpha = alpha_at ? *alpha_at : alpha;                                  \
        for (int s = 0; s < n; s++) {                                          \
            int i = lower ? s : n - 1 - s;                                     \
            T sum = alpha == 0 ? 0 : alpha * b[i * ib];                        \
                                                                               \
            for (int r = 0; r < s; r++) {                                      \
                int j = lower ? r : n - 1 - r;                                 \
                                                                               \
                sum -= a[i * ia + j * ja] * b[j * ib];                         \
            }                                                                  \
            b[i * ib] = unit ? sum : sum / a[i * ia + i * ja];                 \
        }                                                                      \
    }

TRIANGLES(float, f32)
TRIANGLES(double, f64)
