/*
 * Loads from constant memory whose lanes are `stride` words apart.  The host
 * puts its own address into each word, so a load gives the address of the
 * next one.  The two kernels differ by 128 loads.
 */
#define X4(text) text text text text
#define X32(text) X4(X4(text text))
#define X128(text) X4(X32(text))
#define CHAIN(times, at)                                                       \
    asm volatile(times("ld.const.u64 %0, [%0];\n\t") : "+l"(at))

extern "C" __constant__ long micro_const_words[2048] = {1};

KERNEL micro_const_short(long start, long *out, unsigned stride)
{
    long at = start + threadIdx.x % 32 * stride * 8;

    CHAIN(X32, at);
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

KERNEL micro_const_long(long start, long *out, unsigned stride)
{
    long at = start + threadIdx.x % 32 * stride * 8;

    CHAIN(X32, at);
    CHAIN(X128, at);
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
