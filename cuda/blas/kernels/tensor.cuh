/*
 * GEMM of numbers of two bytes by tensor cores: tiles of A and B come to
 * shared memory by cp.async, three of each, of which warps take fragments by
 * ldmatrix.  What mma.sync calls A is op(B) transposed, and its B is op(A):
 * so a thread's two neighbouring sums are neighbours in a column of D.
 */
#include "gemm.cuh"

enum { K = 32, STAGES = 3, CHUNK = 8 }; /* CHUNK: elements of 16 bytes */

DEVICE unsigned shared_address(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

/* `bytes` are read, those that follow up to 16 are 0. */
DEVICE void copy16(unsigned to, const void *from, int bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
                 "l"(from), "r"(bytes)
                 : "memory");
}

DEVICE void load4(unsigned (&to)[4], unsigned from)
{
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
        : "r"(from)
        : "memory");
}

DEVICE void load4_transposed(unsigned (&to)[4], unsigned from)
{
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, "
        "[%4];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
        : "r"(from)
        : "memory");
}

#define MULTIPLY(type, kind)                                                   \
    DEVICE void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0,   \
                         unsigned b1, type)                                    \
    {                                                                          \
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." kind "." kind    \
                     ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "     \
                     "{%0, %1, %2, %3};"                                       \
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])          \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0),    \
                       "r"(b1));                                               \
    }
MULTIPLY(f16, "f16")
MULTIPLY(bf16, "bf16")

/* A tile of SIZE lines by K in shared memory.  KS: elements of a line follow
 * each other, else those of the same k do.  Chunks of 16 bytes change places,
 * so that eight that ldmatrix reads are in different banks. */
template <int SIZE, int THREADS, bool KS> struct tile {
    enum {
        PER_ROW = (KS ? K : SIZE) / CHUNK,
        ROWS_APART = THREADS / PER_ROW,
        EACH = SIZE * K / CHUNK / THREADS,
        BYTES = SIZE * K * 2
    };
    const unsigned short *at;
    long long apart;
    int row, column; /* of the first chunk: within the tile */
    unsigned to;

    static __device__ __forceinline__ unsigned place(int row, int chunk)
    {
        return (unsigned)(row * PER_ROW +
                          (chunk ^ (KS ? row >> 1 & 3 : row & 7))) *
               16;
    }

    __device__ __forceinline__ tile(const void *matrix, int ld, int first)
    {
        row = threadIdx.x / PER_ROW;
        column = threadIdx.x % PER_ROW * CHUNK;
        at = (const unsigned short *)matrix +
             (KS ? (long long)(first + row) * ld + column
                 : (long long)row * ld + first + column);
        apart = (long long)ROWS_APART * ld;
        to = place(row, column / CHUNK); /* ROWS_APART keeps what is swapped */
    }

    __device__ __forceinline__ bool is_aligned() const
    {
        return ((size_t)at & 15) == 0;
    }

    /* Elements that there are of a chunk, and of none in rows beyond. */
    __device__ __forceinline__ int present(int j, int lines, int left) const
    {
        int r = row + j * ROWS_APART;
        int rest = (KS ? left : lines) - column;

        rest = rest < 0 ? 0 : rest > CHUNK ? CHUNK : rest;
        return r < (KS ? lines : left) ? rest : 0;
    }

    __device__ __forceinline__ void read(unsigned shared, int lines, int left)
    {
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int n = present(j, lines, left);

            copy16(shared + to + j * ROWS_APART * PER_ROW * 16,
                   at + (n > 0 ? j * apart : 0), n * 2);
        }
    }

    /* One element at a time. */
    __device__ __forceinline__ void read_each(unsigned shared, int lines,
                                              int left)
    {
#pragma unroll 1
        for (int j = 0; j < EACH; j++) {
            int n = present(j, lines, left);

#pragma unroll 1
            for (int i = 0; i < CHUNK; i++) {
                unsigned short x = i < n ? at[j * apart + i] : 0;

                asm volatile("st.shared.u16 [%0], %1;" ::"r"(
                                 shared + to +
                                 j * ROWS_APART * PER_ROW * 16 + i * 2),
                             "h"(x)
                             : "memory");
            }
        }
    }

    __device__ __forceinline__ void next(int ld)
    {
        at += KS ? K : (long long)K * ld;
    }

    /* A lane's address for ldmatrix of 16 lines from `line` and 16 of k.  The
     * second of four matrices has the next lines (BY_LINE) or k. */
    template <bool BY_LINE>
    static __device__ __forceinline__ unsigned address(int line, int k)
    {
        int lane = threadIdx.x % 32;
        int second = lane / 8 % 2 * 8, third = lane / 16 * 8, in = lane % 8;
        int l = line + (BY_LINE ? second : third);
        int kk = k + (BY_LINE ? third : second);

        return KS ? place(l + in, kk / CHUNK) : place(kk + in, l / CHUNK);
    }

    static __device__ __forceinline__ void load(unsigned (&to)[4],
                                                unsigned from)
    {
        if (KS) {
            load4(to, from);
        } else {
            load4_transposed(to, from);
        }
    }
};

/* Sixteen columns of each warp at a time. */
template <int BM, int BN, int WM, int WN, int AN, int AM>
DEVICE void store_all(const gemm &g, const float (&sum)[AN][AM][4],
                      float *stage)
{
    enum { THREADS = BM / WM * (BN / WN) * 32, COLUMNS = BN / WN * 16 };
    target<float> to(g);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float *mine = stage + (warp / (BM / WM) * 16 + lane / 4) * BM +
                  warp % (BM / WM) * WM + lane % 4 * 2;

#pragma unroll
    for (int j = 0; j < AN; j++) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < AM; i++) {
            *(float2 *)(mine + i * 8) = make_float2(sum[j][i][0],
                                                    sum[j][i][1]);
            *(float2 *)(mine + 8 * BM + i * 8) = make_float2(sum[j][i][2],
                                                             sum[j][i][3]);
        }
        __syncthreads();
#pragma unroll 1
        for (int i = threadIdx.x; i < BM / 4 * COLUMNS; i += THREADS) {
            int column = i / (BM / 4);

            to.store(g, stage + i * 4, blockIdx.x * BM + i % (BM / 4) * 4,
                     blockIdx.y * BN + column / 16 * WN + j * 16 +
                         column % 16);
        }
    }
}

/* Warps of WM x WN. */
template <class T, int BM, int BN, int WM, int WN, bool TA, bool TB>
DEVICE void tensor(const gemm &g)
{
    enum { THREADS = BM / WM * (BN / WN) * 32, AM = WM / 8, AN = WN / 16 };
    typedef tile<BM, THREADS, TA> tile_a;
    typedef tile<BN, THREADS, !TB> tile_b;
    enum { BYTES = tile_a::BYTES + tile_b::BYTES };
    __shared__ __align__(128) char stage[STAGES * BYTES];
    unsigned base = shared_address(stage);
    int warp = threadIdx.x / 32;
    int m0 = warp % (BM / WM) * WM, n0 = warp / (BM / WM) * WN;
    int row = blockIdx.x * BM, column = blockIdx.y * BN;
    float sum[AN][AM][4] = {};
    tile_a a(batch_of<T>(g.a, g.stride_a, g.flags), g.lda, row);
    tile_b b(batch_of<T>(g.b, g.stride_b, g.flags), g.ldb, column);
    int ahead = g.k; /* of k that is not read yet */
    bool chunks_a = (g.flags & ALIGNED_A) && a.is_aligned();
    bool chunks_b = (g.flags & ALIGNED_B) && b.is_aligned();
    unsigned to = base, from = base;

#define READ()                                                                 \
    do {                                                                       \
        if (ahead > 0) {                                                       \
            if (chunks_a) {                                       \
                a.read(to, g.m - row, ahead);                                  \
            } else {                                                           \
                a.read_each(to, g.m - row, ahead);                             \
            }                                                                  \
            if (chunks_b) {                                       \
                b.read(to + tile_a::BYTES, g.n - column, ahead);               \
            } else {                                                           \
                b.read_each(to + tile_a::BYTES, g.n - column, ahead);          \
            }                                                                  \
            a.next(g.lda);                                                     \
            b.next(g.ldb);                                                     \
            ahead -= K;                                                        \
            to = to == base + (STAGES - 1) * BYTES ? base : to + BYTES;        \
        }                                                                      \
        asm volatile("cp.async.commit_group;" ::: "memory");                   \
    } while (0)

#pragma unroll 1
    for (int i = 0; i < STAGES - 1; i++) {
        READ();
    }
#pragma unroll 1
    for (int left = g.k; left > 0; left -= K) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        READ();
#pragma unroll
        for (int k = 0; k < K; k += 16) {
            unsigned fb[AN][4], fa[AM / 2][4];

#pragma unroll
            for (int j = 0; j < AN; j++) {
                tile_b::load(fb[j],
                             from + tile_a::BYTES +
                                 tile_b::template address<true>(n0 + j * 16,
                                                                k));
            }
#pragma unroll
            for (int i = 0; i < AM / 2; i++) {
                tile_a::load(fa[i], from + tile_a::template address<false>(
                                               m0 + i * 16, k));
            }
#pragma unroll
            for (int j = 0; j < AN; j++) {
#pragma unroll
                for (int i = 0; i < AM; i++) {
                    multiply(sum[j][i], fb[j], fa[i / 2][i % 2 * 2],
                             fa[i / 2][i % 2 * 2 + 1], T());
                }
            }
        }
        from = from == base + (STAGES - 1) * BYTES ? base : from + BYTES;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    store_all<BM, BN, WM, WN, AN, AM>(g, sum, (float *)stage);
}

#define TENSOR(name, T, BM, BN, WM, WN, TA, TB)                                \
    extern "C" __global__ void __launch_bounds__(BM / WM * (BN / WN) * 32)     \
        name##_##BM##x##BN(const gemm g)                                       \
    {                                                                          \
        tensor<T, BM, BN, WM, WN, TA, TB>(g);                                  \
    }
#define TENSOR4(name, T, BM, BN, WM, WN)                                       \
    TENSOR(name##_nn, T, BM, BN, WM, WN, false, false)                         \
    TENSOR(name##_nt, T, BM, BN, WM, WN, false, true)                          \
    TENSOR(name##_tn, T, BM, BN, WM, WN, true, false)                          \
    TENSOR(name##_tt, T, BM, BN, WM, WN, true, true)
