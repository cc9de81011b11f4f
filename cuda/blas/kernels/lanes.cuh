/*
 * GEMM by ordinary instructions: tiles of A and B in shared memory, two of
 * each, of which a thread has TM x TN sums.
 */
#include "gemm.cuh"

DEVICE void read16(float *to, const float *from)
{
    float4 v = *(const float4 *)from;

    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}
DEVICE void read16(int *to, const int *from)
{
    int4 v = *(const int4 *)from;

    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}
DEVICE void read16(double *to, const double *from)
{
    double2 v = *(const double2 *)from;

    to[0] = v.x, to[1] = v.y;
}

/* A tile of SIZE lines by K, of a matrix in which they follow each other, or
 * (KS) of one in which the elements of a line do.  Lines beyond the matrix are
 * read as others are: nobody stores what becomes of them. */
template <class T, class Acc, int SIZE, int K, int THREADS, bool KS>
struct tile {
    enum {
        EACH = SIZE * K / THREADS,
        ROOM = SIZE + 16 / sizeof(Acc),
        LINES_APART = KS ? THREADS / K : 0,
        KS_APART = KS ? 0 : THREADS / SIZE
    };
    const T *at[EACH];
    int line, k; /* of the first */
    Acc held[EACH];

    /* `lines`: how many there are from `first` on. */
    DEVICE tile(const T *matrix, int ld, int first, int lines)
    {
        line = KS ? threadIdx.x / K : threadIdx.x % SIZE;
        k = KS ? threadIdx.x % K : threadIdx.x / SIZE;
        keep(line);
        keep(k);
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            long long l = first + min(line + j * LINES_APART, lines - 1);
            long long here = k + j * KS_APART;

            at[j] = matrix + (KS ? l * ld + here : here * ld + l);
            keep(at[j]);
        }
    }

    /* With `left` elements of each line: those that follow are 0. */
    DEVICE void read(int left, int ld)
    {
        if (left >= K) {
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                held[j] = widen(*at[j]);
                at[j] += KS ? K : (long long)K * ld;
            }
        } else {
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                held[j] = 0;
                if (k + j * KS_APART < left) {
                    held[j] = widen(*at[j]);
                }
            }
        }
    }

    DEVICE void write(Acc (*to)[ROOM])
    {
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            to[k + j * KS_APART][line + j * LINES_APART] = held[j];
        }
    }
};

template <class Acc, int N, int SIZE>
DEVICE void fragment(Acc *to, const Acc *row, int thread)
{
    enum { V = 16 / sizeof(Acc) };

#pragma unroll
    for (int i = 0; i < N / V; i++) {
        read16(to + i * V, row + i * (SIZE / (N / V)) + thread * V);
    }
}

/* The element that is a thread's `i`th, of those it has along a side. */
template <class Acc, int N, int SIZE> DEVICE int position(int i, int thread)
{
    enum { V = 16 / sizeof(Acc) };

    return i / V * (SIZE / (N / V)) + thread * V + i % V;
}

/* A column of each thread's sums at a time. */
template <class Acc, int BM, int BN, int TM, int TN>
DEVICE void store_all(const gemm &g, const Acc (&sum)[TN][TM], Acc *stage)
{
    enum { THREADS = BM / TM * (BN / TN), COLUMNS = BN / TN };
    target<Acc> to(g);
    int x = threadIdx.x % (BM / TM), y = threadIdx.x / (BM / TM);

#pragma unroll
    for (int j = 0; j < TN; j++) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TM; i++) {
            stage[y * BM + position<Acc, TM, BM>(i, x)] = sum[j][i];
        }
        __syncthreads();
#pragma unroll 1
        for (int i = threadIdx.x; i < BM / 4 * COLUMNS; i += THREADS) {
            to.store(g, stage + i * 4, blockIdx.x * BM + i % (BM / 4) * 4,
                     blockIdx.y * BN +
                         position<Acc, TN, BN>(j, i / (BM / 4)));
        }
    }
}

template <class T, class Acc, int BM, int BN, int TM, int TN, bool TA, bool TB>
DEVICE void lanes(const gemm &g)
{
    enum { K = 8, THREADS = BM / TM * (BN / TN) };
    typedef tile<T, Acc, BM, K, THREADS, TA> tile_a;
    typedef tile<T, Acc, BN, K, THREADS, !TB> tile_b;
    __shared__ __align__(16) Acc as[2][K][tile_a::ROOM];
    __shared__ __align__(16) Acc bs[2][K][tile_b::ROOM];
    Acc sum[TN][TM] = {};
    int x = threadIdx.x % (BM / TM), y = threadIdx.x / (BM / TM);
    int row = blockIdx.x * BM, column = blockIdx.y * BN, now = 0;
    tile_a a(batch_of<T>(g.a, g.stride_a, g.flags), g.lda, row, g.m - row);
    tile_b b(batch_of<T>(g.b, g.stride_b, g.flags), g.ldb, column,
             g.n - column);

    a.read(g.k, g.lda);
    b.read(g.k, g.ldb);
    a.write(as[0]);
    b.write(bs[0]);
    __syncthreads();
    for (int left = g.k; left > 0; left -= K) {
        if (left > K) {
            a.read(left - K, g.lda);
            b.read(left - K, g.ldb);
        }
#pragma unroll
        for (int k = 0; k < K; k++) {
            Acc fa[TM], fb[TN];

            fragment<Acc, TM, BM>(fa, as[now][k], x);
            fragment<Acc, TN, BN>(fb, bs[now][k], y);
#pragma unroll
            for (int j = 0; j < TN; j++) {
#pragma unroll
                for (int i = 0; i < TM; i++) {
                    sum[j][i] += fa[i] * fb[j];
                }
            }
        }
        now ^= 1;
        if (left > K) {
            a.write(as[now]);
            b.write(bs[now]);
        }
        __syncthreads();
    }
    store_all<Acc, BM, BN, TM, TN>(g, sum, as[0][0]);
}

#define LANES(name, T, Acc, BM, BN, TM, TN, TA, TB)                            \
    extern "C" __global__ void __launch_bounds__(BM / TM * (BN / TN))          \
        name##_##BM##x##BN(const gemm g)                                       \
    {                                                                          \
        lanes<T, Acc, BM, BN, TM, TN, TA, TB>(g);                              \
    }

/* Those for each way in which A and B may lie: n and t. */
#define LANES4(name, T, Acc, BM, BN, TM, TN)                                   \
    LANES(name##_nn, T, Acc, BM, BN, TM, TN, false, false)                     \
    LANES(name##_nt, T, Acc, BM, BN, TM, TN, false, true)                      \
    LANES(name##_tn, T, Acc, BM, BN, TM, TN, true, false)                      \
    LANES(name##_tt, T, Acc, BM, BN, TM, TN, true, true)
