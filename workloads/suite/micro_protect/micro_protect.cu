/*
 * A small working set that is used again and again, and a stream between its
 * uses that is never used again: lines that die in the cache push out lines
 * that live, unless those are protected.
 *
 * Each load of the warp is one line of 128 bytes.  A round reads the kept
 * lines, all of them, and then as many new ones of the stream.
 */
GPU_INLINE unsigned load(const unsigned *at)
{
    unsigned value;

    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at));
    return value;
}

KERNEL micro_protect(const unsigned *kept, const unsigned *stream,
                     unsigned *out, unsigned rounds, unsigned kept_lines,
                     unsigned stream_lines)
{
    const unsigned *next = stream + threadIdx.x;
    unsigned sum = 0;

    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < kept_lines; i++) {
            sum += load(kept + i * 32 + threadIdx.x);
        }
        for (unsigned i = 0; i < stream_lines; i++) {
            sum += load(next);
            next += 32;
        }
    }
    out[threadIdx.x] = sum;
}
