/*
 * Loads whose lanes are as far apart as two lines of one set: a load wants
 * more lines of a set than the set has ways, and the next load wants the
 * next set.
 *
 * Nothing is used twice, so no cache could help; it can only be in the way.
 */
KERNEL micro_conflict(const unsigned *in, unsigned *out, unsigned stride,
                      unsigned rounds, unsigned step)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned *at = in + thread * stride;
    unsigned sum = 0;

    for (unsigned i = 0; i < rounds; i++) {
        unsigned value;

        asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at));
        sum += value;
        at += step;
    }
    out[thread] = sum;
}
