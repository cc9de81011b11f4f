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
DEVICE void copy16(unsigned to, int offset, const void *from, int bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     to + offset),
                 "l"(from), "r"(bytes)
                 : "memory");
}

DEVICE void load4(unsigned (&to)[4], unsigned from, int offset)
{
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, "
        "[%4];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
        : "r"(from + offset)
        : "memory");
}

DEVICE void load4_transposed(unsigned (&to)[4], unsigned from, int offset)
{
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, "
        "[%4];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
        : "r"(from + offset)
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
 * so that eight that ldmatrix reads are in different banks.  Lines beyond the
 * matrix are read as others are: nobody stores what becomes of them. */
template <int SIZE, int THREADS, bool KS> struct tile {
    enum {
        PER_ROW = (KS ? K : SIZE) / CHUNK,
        ROWS_APART = THREADS / PER_ROW,
        EACH = SIZE * K / CHUNK / THREADS,
        BYTES = SIZE * K * 2,
        APART = ROWS_APART * PER_ROW * 16
    };
    const unsigned short *at[EACH];
    int row, column; /* of the first chunk: within the tile */
    int bytes;       /* of a chunk that is within the matrix */
    unsigned to;

    static DEVICE unsigned place(int row, int chunk)
    {
        return (unsigned)(row * PER_ROW +
                          (chunk ^ (KS ? row >> 1 & 3 : row & 7))) *
               16;
    }

    /* `lines`: how many there are from `first` on. */
    DEVICE tile(const void *matrix, int ld, int first, int lines)
    {
        row = threadIdx.x / PER_ROW;
        column = threadIdx.x % PER_ROW * CHUNK;
        bytes = KS ? CHUNK * 2 : min(max(lines - column, 0), CHUNK) * 2;
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int r = row + j * ROWS_APART;

            at[j] = (const unsigned short *)matrix +
                    (KS ? (long long)(first + min(r, lines - 1)) * ld + column
                        : (long long)r * ld + first +
                              (bytes > 0 ? column : 0));
            keep(at[j]);
        }
        to = place(row, column / CHUNK); /* ROWS_APART keeps what is swapped */
        keep(to);
        keep(bytes);
    }

    DEVICE bool is_aligned() const
    {
        return ((size_t)at[0] & 15) == 0;
    }

    /* Bytes that there are of a chunk, with `left` elements of each line. */
    DEVICE int present(int j, int left) const
    {
        if (KS) {
            return min(max(left - column, 0), CHUNK) * 2;
        }
        return row + j * ROWS_APART < left ? bytes : 0;
    }

    DEVICE void read(unsigned shared, int left)
    {
        shared += to;
        if (left >= K) {
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                copy16(shared, j * APART, at[j], bytes);
            }
        } else {
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                int n = present(j, left);

                copy16(shared, j * APART, n > 0 ? at[j] : at[0], n);
            }
        }
    }

    /* One element at a time. */
    DEVICE void read_each(unsigned shared, int left)
    {
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int n = present(j, left);

#pragma unroll 1
            for (int i = 0; i < CHUNK; i++) {
                unsigned short x = i * 2 < n ? at[j][i] : 0;

                asm volatile("st.shared.u16 [%0], %1;" ::"r"(
                                 shared + to + j * APART + i * 2),
                             "h"(x)
                             : "memory");
            }
        }
    }

    DEVICE void next(int ld)
    {
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            at[j] += KS ? K : (long long)K * ld;
        }
    }
};

/* What a lane reads by ldmatrix: 16 lines and 16 of k at a time, N times along
 * the lines from `line` on.  The second of four matrices has the next lines
 * (BY_LINE) or k. */
template <class Tile, bool KS, bool BY_LINE, int N> struct fragments {
    enum { BASES = KS ? K / 16 : N };
    unsigned base[BASES];

    DEVICE fragments(int line)
    {
        int lane = threadIdx.x % 32;
        int second = lane / 8 % 2 * 8, third = lane / 16 * 8, in = lane % 8;

#pragma unroll
        for (int i = 0; i < BASES; i++) {
            int l = line + (BY_LINE ? second : third) + (KS ? 0 : i * 16);
            int k = (BY_LINE ? third : second) + (KS ? i * 16 : 0);

            base[i] = KS ? Tile::place(l + in, k / CHUNK)
                         : Tile::place(k + in, l / CHUNK);
            keep(base[i]);
        }
    }

    /* Those of k, `from` a tile on. */
    DEVICE void load(unsigned (&to)[N][4], unsigned from, int k) const
    {
#pragma unroll
        for (int i = 0; i < N; i++) {
            if (KS) {
                load4(to[i], from + base[k / 16], i * 16 * Tile::PER_ROW * 16);
            } else {
                load4_transposed(to[i], from + base[i],
                                 k * Tile::PER_ROW * 16);
            }
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
    tile_a a(batch_of<T>(g.a, g.stride_a, g.flags), g.lda, row, g.m - row);
    tile_b b(batch_of<T>(g.b, g.stride_b, g.flags), g.ldb, column,
             g.n - column);
    fragments<tile_a, TA, false, AM / 2> lines_a(m0);
    fragments<tile_b, !TB, true, AN> lines_b(n0);
    int ahead = g.k; /* of k that is not read yet */
    bool chunks_a = (g.flags & ALIGNED_A) && a.is_aligned();
    bool chunks_b = (g.flags & ALIGNED_B) && b.is_aligned();
    unsigned to = base, from = base, last = base + (STAGES - 1) * BYTES;

    keep(base);
    keep(last);

#define READ()                                                                 \
    do {                                                                       \
        if (ahead > 0) {                                                       \
            if (chunks_a) {                                                    \
                a.read(to, ahead);                                             \
            } else {                                                           \
                a.read_each(to, ahead);                                        \
            }                                                                  \
            if (chunks_b) {                                                    \
                b.read(to + tile_a::BYTES, ahead);                             \
            } else {                                                           \
                b.read_each(to + tile_a::BYTES, ahead);                        \
            }                                                                  \
            a.next(g.lda);                                                     \
            b.next(g.ldb);                                                     \
            ahead -= K;                                                        \
            to = to == last ? base : to + BYTES;                               \
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

            lines_b.load(fb, from + tile_a::BYTES, k);
            lines_a.load(fa, from, k);
#pragma unroll
            for (int j = 0; j < AN; j++) {
#pragma unroll
                for (int i = 0; i < AM; i++) {
                    multiply(sum[j][i], fb[j], fa[i / 2][i % 2 * 2],
                             fa[i / 2][i % 2 * 2 + 1], T());
                }
            }
        }
        from = from == last ? base : from + BYTES;
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
