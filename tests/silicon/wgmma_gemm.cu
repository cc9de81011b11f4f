/*
 * A GEMM of bf16 by wgmma, for what an SM of a Hopper card can reach: D = A B^T
 * in f32, A of m x k and B of n x k with k's elements one after another.  A CTA
 * of two warpgroups makes 128 x 256 of D; tiles of 64 of k come by cp.async to
 * shared memory, swizzled by 128 bytes, four of each.  No sizes but multiples.
 *
 * The PTX beside it was made by clang 19:
 *   clang++-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_90a -nocudainc
 *     -nocudalib -O2 -S wgmma_gemm.cu
 */
#ifndef __CUDACC__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
#endif
#define DEVICE __device__ inline __attribute__((always_inline))

enum {
    BM = 128,
    BN = 256,
    BK = 64,
    STAGES = 4,
    THREADS = 256,
    ROW = BK * 2,
    STAGE = (BM + BN) * ROW,
    ROWS_APART = THREADS / 8
};

DEVICE unsigned tid_x()
{
    unsigned x;

    asm("mov.u32 %0, %%tid.x;" : "=r"(x));
    return x;
}

DEVICE unsigned cta_x()
{
    unsigned x;

    asm("mov.u32 %0, %%ctaid.x;" : "=r"(x));
    return x;
}

DEVICE unsigned cta_y()
{
    unsigned x;

    asm("mov.u32 %0, %%ctaid.y;" : "=r"(x));
    return x;
}

DEVICE void copy16(unsigned to, const unsigned short *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),
                 "l"(from)
                 : "memory");
}

/* A matrix of rows of 128 bytes, swizzled: eight rows are 1024 bytes. */
DEVICE unsigned long long matrix(unsigned shared)
{
    return (shared & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

/* nvcc may be told to compile for 9.0, too, which has no such instructions. */
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)

DEVICE void multiply(float (&d)[128], unsigned long long a,
                     unsigned long long b)
{
    asm volatile(
        "{\n.reg .pred p;\nsetp.eq.u32 p, 0, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, "
        "%8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, "
        "%24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, "
        "%40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, "
        "%56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, "
        "%72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, "
        "%88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, "
        "%104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, "
        "%120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, p, 1, 1, 0, 0;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]),
          "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]),
          "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),
          "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
          "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
          "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
          "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
          "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
          "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]),
          "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]),
          "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]),
          "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
          "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]),
          "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]),
          "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]),
          "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]),
          "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]),
          "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]),
          "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]),
          "+f"(d[95]), "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]),
          "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]),
          "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]),
          "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]),
          "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]),
          "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]),
          "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
        : "l"(a), "l"(b));
}

extern "C" __global__ void __launch_bounds__(THREADS)
    gemm_wgmma(const unsigned short *a, const unsigned short *b, float *d,
               int n, int k)
{
    extern __shared__ char memory[];
    unsigned shared, tid = tid_x(), group = tid / 128;
    unsigned row = tid / 8, chunk = tid % 8, m0 = cta_y() * BM,
             n0 = cta_x() * BN;
    const unsigned short *from_a = a + (long long)(m0 + row) * k + chunk * 8;
    const unsigned short *from_b = b + (long long)(n0 + row) * k + chunk * 8;
    long long apart = (long long)ROWS_APART * k;
    int blocks = k / BK;
    float sums[128];

    asm("{\n.reg .u64 t;\ncvta.to.shared.u64 t, %1;\ncvt.u32.u64 %0, t;\n}"
        : "=r"(shared)
        : "l"((void *)memory));
    shared = (shared + 1023) & ~1023u;
    unsigned to = shared + row * ROW + ((chunk ^ (row & 7)) << 4);

#pragma unroll
    for (int i = 0; i < 128; i++) {
        sums[i] = 0;
    }
    for (int block = -2; block < blocks; block++) {
        int next = block + 2;

        if (block >= 0) {
            asm volatile("cp.async.wait_group 1;\nfence.proxy.async.shared::cta;\n"
                         "bar.sync 0;" ::
                             : "memory");
        }
        if (next < blocks) {
            unsigned at = to + next % STAGES * STAGE;

#pragma unroll
            for (int i = 0; i < BM / ROWS_APART; i++) {
                copy16(at + i * ROWS_APART * ROW,
                       from_a + i * apart + next * BK);
            }
#pragma unroll
            for (int i = 0; i < BN / ROWS_APART; i++) {
                copy16(at + BM * ROW + i * ROWS_APART * ROW,
                       from_b + i * apart + next * BK);
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (block >= 0) {
            unsigned stage = shared + block % STAGES * STAGE;
            unsigned long long x = matrix(stage + group * 64 * ROW);
            unsigned long long y = matrix(stage + BM * ROW);

            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int i = 0; i < BK / 16; i++) {
                multiply(sums, x + i * 2, y + i * 2);
            }
            asm volatile("wgmma.commit_group.sync.aligned;\n"
                         "wgmma.wait_group.sync.aligned 1;" ::
                             : "memory");
        }
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");

    float *at =
        d +
        (long long)(m0 + group * 64 + tid % 128 / 32 * 16 + tid % 32 / 4) * n +
        n0 + tid % 4 * 2;
#pragma unroll
    for (int i = 0; i < 128; i += 4) {
        at[i * 2] = sums[i];
        at[i * 2 + 1] = sums[i + 1];
        at[8ll * n + i * 2] = sums[i + 2];
        at[8ll * n + i * 2 + 1] = sums[i + 3];
    }
}
#endif
