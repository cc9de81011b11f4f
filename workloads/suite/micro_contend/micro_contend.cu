/*
 * Warps that use lines of their own again and again: what each needs is
 * little, what all need together is more than the cache holds.
 *
 * A load reads one word of each of the warp's lines; eight loads, of eight
 * words of the same lines, are under way at once.
 */
#define LOADS                                                                  \
    "ld.global.u32 %0, [%8];\n\tld.global.u32 %1, [%8+4];\n\t"                 \
    "ld.global.u32 %2, [%8+8];\n\tld.global.u32 %3, [%8+12];\n\t"              \
    "ld.global.u32 %4, [%8+16];\n\tld.global.u32 %5, [%8+20];\n\t"             \
    "ld.global.u32 %6, [%8+24];\n\tld.global.u32 %7, [%8+28];\n\t"

KERNEL micro_contend(const unsigned *in, unsigned *out, unsigned lines,
                     unsigned rounds)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned *at =
        in + (blockIdx.x * (blockDim.x / 32) + warp) * lines * 32 * rounds +
        lane % lines * 32;
    unsigned sum = 0;

    for (unsigned i = 0; i < rounds; i++) {
        unsigned r[8];

        asm volatile(LOADS
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]),
                       "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
                     : "l"(at));
        sum += r[0] + r[1] + r[2] + r[3] + r[4] + r[5] + r[6] + r[7];
        at += lines * 32;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
