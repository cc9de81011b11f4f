/*
 * Loads around the L1 (.cg) that are n-way coalesced: `ways` lanes of a warp
 * load neighbouring words of a block of 128 bytes, the next `ways` lanes those
 * of the next block.  Each warp has blocks of its own and loads all of their
 * pieces of 32 bytes (of 4 * ways, if that is more), one after the other.
 *
 * `ahead` loads (1, 2 or 4) of a thread are under way before it uses a value.
 */
#define LOAD(value, at)                                                        \
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at))
/* Uses a value here and not later. */
#define ADD(sum, value)                                                        \
    asm volatile("add.u32 %0, %0, %1;" : "+r"(sum) : "r"(value))

KERNEL micro_ways(const unsigned *in, unsigned *out, unsigned ways,
                  unsigned sets, unsigned ahead, unsigned times)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32, groups = 32 / ways;
    unsigned piece = ways < 8 ? 8 : ways; /* words */
    unsigned set = gridDim.x * (blockDim.x / 32) * groups * 32;
    const unsigned *first =
        in + (id / 32 * groups + lane / ways) * 32 + lane % ways;
    unsigned sum = 0;

    for (unsigned k = 0; k < times; k++) {
        const unsigned *block = first;

        for (unsigned s = 0; s < sets; s++, block += set) {
            for (unsigned at = 0; at < 32; at += ahead * piece) {
                unsigned a, b, c, d;

                if (ahead == 1) {
                    LOAD(a, block + at);
                    ADD(sum, a);
                } else if (ahead == 2) {
                    LOAD(a, block + at);
                    LOAD(b, block + at + piece);
                    ADD(sum, a);
                    ADD(sum, b);
                } else {
                    LOAD(a, block + at);
                    LOAD(b, block + at + piece);
                    LOAD(c, block + at + 2 * piece);
                    LOAD(d, block + at + 3 * piece);
                    ADD(sum, a);
                    ADD(sum, b);
                    ADD(sum, c);
                    ADD(sum, d);
                }
            }
        }
    }
    out[id] = sum;
}
