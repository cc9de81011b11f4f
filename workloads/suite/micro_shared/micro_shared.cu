/*
 * Loads from shared memory whose lanes are `stride` words apart.
 *
 * Each word holds its own address, so a load gives the address of the next
 * one: a chain without arithmetic.  Lanes that fall on one word share it.
 * The short and the long kernel differ by 128 loads; in the kernels of a pair a
 * thread has two chains, so that two of its loads are under way.
 */
#define X4(text) text text text text
#define X32(text) X4(X4(text text))
#define X128(text) X4(X32(text))
#define WORDS 4096
#define CHAIN(times, at)                                                       \
    asm volatile(times("ld.shared.u32 %0, [%0];\n\t") : "+r"(at))
#define PAIR(times, a, b)                                                      \
    asm volatile(times("ld.shared.u32 %0, [%0];\n\t"                           \
                       "ld.shared.u32 %1, [%1];\n\t")                          \
                 : "+r"(a), "+r"(b))

__shared__ unsigned words[WORDS];

GPU_INLINE unsigned shared_address(unsigned *word)
{
    unsigned at;

    asm volatile("{ .reg .u64 t; cvta.to.shared.u64 t, %1;"
                 " cvt.u32.u64 %0, t; }"
                 : "=r"(at)
                 : "l"(word));
    return at;
}

GPU_INLINE unsigned prepare(unsigned stride)
{
    for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x) {
        words[i] = shared_address(&words[i]);
    }
    __syncthreads();
    return shared_address(&words[threadIdx.x % 32 * stride % WORDS]);
}

KERNEL micro_shared_short(unsigned *out, unsigned stride)
{
    unsigned at = prepare(stride), start = shared_address(&words[0]);

    CHAIN(X32, at);
    out[blockIdx.x * blockDim.x + threadIdx.x] = (at - start) / 4;
}

KERNEL micro_shared_long(unsigned *out, unsigned stride)
{
    unsigned at = prepare(stride), start = shared_address(&words[0]);

    CHAIN(X32, at);
    CHAIN(X128, at);
    out[blockIdx.x * blockDim.x + threadIdx.x] = (at - start) / 4;
}

/* The second chain begins half of the words later. */
GPU_INLINE unsigned opposite(unsigned at, unsigned start)
{
    return start + (at - start + 2 * WORDS) % (4 * WORDS);
}

KERNEL micro_shared_pair_short(unsigned *out, unsigned stride)
{
    unsigned at = prepare(stride), start = shared_address(&words[0]);
    unsigned other = opposite(at, start);

    PAIR(X32, at, other);
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        opposite(other, start) == at ? (at - start) / 4 : 0xffffffffu;
}

KERNEL micro_shared_pair_long(unsigned *out, unsigned stride)
{
    unsigned at = prepare(stride), start = shared_address(&words[0]);
    unsigned other = opposite(at, start);

    PAIR(X32, at, other);
    PAIR(X128, at, other);
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        opposite(other, start) == at ? (at - start) / 4 : 0xffffffffu;
}
