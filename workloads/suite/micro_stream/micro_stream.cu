/*
 * Streams over a footprint: CTAs take turns at its lines, and all that a warp
 * loads is coalesced.  The loads go around the L1 (.cg), so what is measured
 * is the way to the L2, and behind it if the footprint is larger than it.
 *
 * Lanes are `stride` words apart: with 1 every byte that moves is used.
 */
#define LOAD(value, at)                                                        \
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at))
#define STORE(at, value)                                                       \
    asm volatile("st.global.u32 [%0], %1;" : : "l"(at), "r"(value) : "memory")

KERNEL micro_stream_read(const unsigned *in, unsigned *out, unsigned words,
                         unsigned stride, int times)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned all = gridDim.x * blockDim.x * stride;
    unsigned sum = 0;

    for (int k = 0; k < times; k++) {
        unsigned i = id * stride;

        for (; i + 3 * all < words; i += 4 * all) {
            unsigned a, b, c, d;

            LOAD(a, in + i);
            LOAD(b, in + i + all);
            LOAD(c, in + i + 2 * all);
            LOAD(d, in + i + 3 * all);
            sum += a + b + c + d;
        }
    }
    out[id] = sum;
}

KERNEL micro_stream_write(unsigned *to, unsigned words, unsigned stride,
                          int times)
{
    unsigned all = gridDim.x * blockDim.x * stride;

    for (int k = 0; k < times; k++) {
        unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;

        for (; i + 3 * all < words; i += 4 * all) {
            STORE(to + i, k);
            STORE(to + i + all, k);
            STORE(to + i + 2 * all, k);
            STORE(to + i + 3 * all, k);
        }
    }
}
