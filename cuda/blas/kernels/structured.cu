/*
 * Symmetric, triangular, band and packed matrices: products, and what a
 * triangle does to vectors in place; systems by LU.  Numbers are those of
 * cuda/blas/structured.c, whose structs these are.
 */
#define KERNEL extern "C" __global__ void
#define DEVICE static __device__ __forceinline__

enum { ALL, SYMMETRIC, TRIANGLE };
enum { FULL, PACKED, BAND };

/* Element (i, j), of a turned one that at (j, i): i * step + j * ld after the
 * first, or as BLAS packs a triangle or a band. */
struct view {
    const void *at; /* of several matrices the first, or their addresses */
    long long first, step, ld, stride;
    int rows, kind, storage, turned, lower, unit, below, above;
};

struct product {
    view a, b, c;
    const void *alpha_at, *beta_at; /* on the device, or 0 */
    double alpha, beta;
    int m, n, k, twice, list;
};

template <class T> DEVICE T *start(const view &v, int list)
{
    return list ? ((T *const *)v.at)[blockIdx.z]
                : (T *)v.at + blockIdx.z * v.stride;
}

DEVICE bool inside(const view &v, int i, int j)
{
    return v.lower ? i >= j : i <= j;
}

DEVICE long long place(const view &v, int i, int j)
{
    long long column = j;

    if (v.storage == PACKED) {
        return i + (v.lower ? (2LL * v.rows - j - 1) * column / 2
                            : (column + 1) * column / 2);
    }
    return v.storage == BAND ? v.above + i - j + column * v.ld
                             : v.first + i * v.step + column * v.ld;
}

template <class T> DEVICE T get(const view &v, const T *at, int i, int j)
{
    bool swapped = v.turned != 0;
    int row = swapped ? j : i, column = swapped ? i : j;

    if (v.kind != ALL && !inside(v, row, column)) {
        if (v.kind == TRIANGLE) {
            return 0;
        }
        swapped = !swapped;
        row = swapped ? j : i;
        column = swapped ? i : j;
    }
    if (v.unit && row == column) {
        return 1;
    }
    if (v.storage == BAND &&
        (row - column > v.below || column - row > v.above)) {
        return 0;
    }
    return at[place(v, row, column)];
}

/* C = alpha A B + beta C, `twice` alpha (A B + B' A') + beta C, of a triangle
 * of C or all: a block has 16 x 16 elements. */
template <class T> DEVICE void multiply(const product &g)
{
    __shared__ T left[16][17], right[16][17];
    const T *a = start<const T>(g.a, g.list), *b = start<const T>(g.b, g.list);
    T *c = start<T>(g.c, g.list);
    T alpha = g.alpha_at ? *(const T *)g.alpha_at : (T)g.alpha;
    T beta = g.beta_at ? *(const T *)g.beta_at : (T)g.beta, sum = 0;
    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.x * 16 + x, j = blockIdx.y * 16 + y;
    int depth = alpha == 0 ? 0 : g.k;

#pragma unroll 1
    for (int other = 0; other <= g.twice; other++) {
        const view &va = other ? g.b : g.a, &vb = other ? g.a : g.b;
        const T *at = other ? b : a, *bt = other ? a : b;

#pragma unroll 1
        for (int k = 0; k < depth; k += 16) {
            bool has_a = i < g.m && k + y < g.k;
            bool has_b = k + x < g.k && j < g.n;

            left[y][x] =
                has_a ? get(va, at, other ? k + y : i, other ? i : k + y) : 0;
            right[y][x] =
                has_b ? get(vb, bt, other ? j : k + x, other ? k + x : j) : 0;
            __syncthreads();
#pragma unroll 4
            for (int s = 0; s < 16; s++) {
                sum += left[s][x] * right[y][s];
            }
            __syncthreads();
        }
    }
    if (i < g.m && j < g.n && (g.c.kind == ALL || inside(g.c, i, j))) {
        T *to = c + place(g.c, i, j);

        *to = alpha * sum + (beta == 0 ? 0 : beta * *to);
    }
}

/* x = alpha op(A) x, or what gives x: a block for each vector, whose elements
 * are b.step apart, and b.ld from the next vector's. */
template <class T> DEVICE void in_place(const product &g, bool solves)
{
    const T *a = start<const T>(g.a, g.list);
    T *x = start<T>(g.b, g.list) + g.b.first + blockIdx.x * g.b.ld;
    T alpha = g.alpha_at ? *(const T *)g.alpha_at : (T)g.alpha;
    bool lower = (g.a.lower != 0) != (g.a.turned != 0);

    for (int s = 0; s < g.n; s++) {
        int j = lower == solves ? s : g.n - 1 - s;
        T diagonal = get(g.a, a, j, j);
        T now, old;

        __syncthreads();
        old = x[j * g.b.step];
        now = solves ? old / diagonal : alpha * old;
        __syncthreads();
        if (threadIdx.x == 0) {
            x[j * g.b.step] = solves ? now : now * diagonal;
        }
        for (int i = (lower ? j + 1 : 0) + threadIdx.x; i < (lower ? g.n : j);
             i += blockDim.x) {
            x[i * g.b.step] += (solves ? -now : now) * get(g.a, a, i, j);
        }
    }
}

/* ---- LU of some matrices, of which a block has one ---- */

/* Rows of a pivot: those of the largest number. Blocks of 256. */
template <class T> DEVICE int pivot(const T *column, int from, int n)
{
    __shared__ T value[256];
    __shared__ int where[256];
    int t = threadIdx.x;

    value[t] = -1;
    where[t] = from;
    for (int i = from + t; i < n; i += 256) {
        T v = column[i] < 0 ? -column[i] : column[i];

        if (v > value[t]) {
            value[t] = v;
            where[t] = i;
        }
    }
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half && (value[t + half] > value[t] ||
                         (value[t + half] == value[t] &&
                          where[t + half] < where[t]))) {
            value[t] = value[t + half];
            where[t] = where[t + half];
        }
    }
    __syncthreads();
    return where[0];
}

template <class T> DEVICE void exchange(T &x, T &y)
{
    T old = x;

    x = y;
    y = old;
}

/* Without `pivots` rows stay. */
template <class T>
DEVICE void factor(T *a, int n, int lda, int *pivots, int *info)
{
    int bad = 0;

    for (int k = 0; k < n; k++) {
        T *column = a + (long long)k * lda;
        int left = n - k - 1;
        T d;

        if (pivots) {
            int p = pivot(column, k, n);

            if (threadIdx.x == 0) {
                pivots[k] = p + 1;
            }
            for (int j = threadIdx.x; p != k && j < n; j += blockDim.x) {
                exchange(a[k + (long long)j * lda], a[p + (long long)j * lda]);
            }
            __syncthreads();
        }
        d = column[k];
        bad = bad == 0 && d == 0 ? k + 1 : bad;
        for (int i = k + 1 + threadIdx.x; d != 0 && i < n; i += blockDim.x) {
            column[i] /= d;
        }
        __syncthreads();
        for (int e = threadIdx.x; e < left * left; e += blockDim.x) {
            int i = k + 1 + e % left;
            T *to = a + (long long)(k + 1 + e / left) * lda;

            to[i] -= column[i] * to[k];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        *info = bad;
    }
}

/* Gauss-Jordan of at most 32 rows, beside the unit matrix. */
template <class T>
DEVICE void invert(const T *a, int n, int lda, T *to, int ldto, int *info)
{
    __shared__ T w[64][33];
    int bad = 0;

    for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
        w[e / n][e % n] = a[e % n + (long long)(e / n) * lda];
        w[n + e / n][e % n] = e / n == e % n;
    }
    __syncthreads();
    for (int k = 0; k < n && bad == 0; k++) {
        int p = pivot(w[k], k, n), j = threadIdx.x;
        T d = w[k][p];

        bad = d == 0 ? k + 1 : 0;
        __syncthreads();
        if (j < 2 * n && bad == 0) {
            exchange(w[j][k], w[j][p]);
            w[j][k] /= d;
        }
        __syncthreads();
        /* Of the columns after k, then of k itself. */
        for (int e = threadIdx.x; bad == 0 && e < 2 * n * n; e += blockDim.x) {
            if (e % n != k && e / n != k) {
                w[e / n][e % n] -= w[k][e % n] * w[e / n][k];
            }
        }
        __syncthreads();
    }
    for (int e = threadIdx.x; bad == 0 && e < n * n; e += blockDim.x) {
        to[e % n + (long long)(e / n) * ldto] = w[n + e / n][e % n];
    }
    if (threadIdx.x == 0) {
        *info = bad;
    }
}

#define OF_TYPE(T, t)                                                          \
    KERNEL product_##t(const product g)                                        \
    {                                                                          \
        multiply<T>(g);                                                        \
    }                                                                          \
    KERNEL triangle_times_##t(const product g)                                 \
    {                                                                          \
        in_place<T>(g, false);                                                 \
    }                                                                          \
    KERNEL triangle_solve_##t(const product g)                                 \
    {                                                                          \
        in_place<T>(g, true);                                                  \
    }                                                                          \
    /* The triangle C is that of A: blocks of 16 x 16. */                      \
    KERNEL triangle_copy_##t(const product g)                                  \
    {                                                                          \
        int i = blockIdx.x * 16 + threadIdx.x;                                 \
        int j = blockIdx.y * 16 + threadIdx.y;                                 \
                                                                               \
        if (i < g.n && j < g.n && inside(g.c, i, j)) {                         \
            ((T *)g.c.at)[place(g.c, i, j)] =                                  \
                get(g.a, (const T *)g.a.at, i, j);                             \
        }                                                                      \
    }                                                                          \
    KERNEL lu_##t(T *const *a, int n, int lda, int *pivots, int *info)         \
    {                                                                          \
        factor(a[blockIdx.x], n, lda, pivots ? pivots + blockIdx.x * n : 0,    \
               info + blockIdx.x);                                             \
    }                                                                          \
    KERNEL invert_##t(const T *const *a, int n, int lda, T *const *to,         \
                      int ldto, int *info)                                     \
    {                                                                          \
        invert(a[blockIdx.x], n, lda, to[blockIdx.x], ldto,                    \
               info + blockIdx.x);                                             \
    }                                                                          \
    /* The unit matrix, and whether the triangle A has an inverse. */          \
    KERNEL identity_##t(const T *const *a, int n, int lda, T *const *to,       \
                        int ldto, int *info)                                   \
    {                                                                          \
        int bad = 0;                                                           \
                                                                               \
        for (int e = threadIdx.x; e < n * n; e += blockDim.x) {                \
            to[blockIdx.x][e % n + (long long)(e / n) * ldto] =                \
                e / n == e % n;                                                \
        }                                                                      \
        for (int k = n - 1; threadIdx.x == 0 && k >= 0; k--) {                 \
            bad = a[blockIdx.x][k + (long long)k * lda] == 0 ? k + 1 : bad;    \
        }                                                                      \
        if (threadIdx.x == 0) {                                                \
            info[blockIdx.x] = bad;                                            \
        }                                                                      \
    }                                                                          \
    /* Exchanges of rows as the pivots say; a thread has a column. */          \
    KERNEL swap_rows_##t(int n, int columns, T *const *b, int ldb,             \
                         const int *pivots, int backwards)                     \
    {                                                                          \
        int j = blockIdx.x * blockDim.x + threadIdx.x;                         \
        T *to = b[blockIdx.y] + (long long)j * ldb;                            \
                                                                               \
        for (int s = 0; j < columns && s < n; s++) {                           \
            int k = backwards ? n - 1 - s : s;                                 \
                                                                               \
            exchange(to[k], to[pivots[blockIdx.y * n + k] - 1]);               \
        }                                                                      \
    }

OF_TYPE(float, f32)
OF_TYPE(double, f64)
