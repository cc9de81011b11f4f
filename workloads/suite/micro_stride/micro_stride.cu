/*
 * Loads whose lanes are `stride` words apart: how many accesses the coalescer
 * makes of one, and what they take.
 *
 * A warp loads the same words again and again, into eight registers in turn,
 * so that many loads are under way.  The two kernels differ by 64 loads.
 */
#define LOADS                                                                  \
    "ld.global.u32 %0, [%8];\n\tld.global.u32 %1, [%8];\n\t"                   \
    "ld.global.u32 %2, [%8];\n\tld.global.u32 %3, [%8];\n\t"                   \
    "ld.global.u32 %4, [%8];\n\tld.global.u32 %5, [%8];\n\t"                   \
    "ld.global.u32 %6, [%8];\n\tld.global.u32 %7, [%8];\n\t"
#define LOAD(text)                                                             \
    asm volatile(text                                                          \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), \
                   "=r"(r[5]), "=r"(r[6]), "=r"(r[7])                          \
                 : "l"(at))
#define X4(text) text text text text

GPU_INLINE unsigned sum(const unsigned r[8])
{
    return r[0] + r[1] + r[2] + r[3] + r[4] + r[5] + r[6] + r[7];
}

KERNEL micro_stride_short(const unsigned *in, unsigned *out, unsigned stride)
{
    const unsigned *at = in + threadIdx.x % 32 * stride;
    unsigned r[8];

    LOAD(X4(LOADS));
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum(r);
}

KERNEL micro_stride_long(const unsigned *in, unsigned *out, unsigned stride)
{
    const unsigned *at = in + threadIdx.x % 32 * stride;
    unsigned r[8];

    LOAD(X4(LOADS));
    LOAD(X4(LOADS LOADS));
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum(r);
}
