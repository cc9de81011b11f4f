/*
 * Loads whose lines have a known kind of locality, alone or together.
 *
 *   1  stream: each line is loaded once, by one warp
 *   2  own:    each warp loads its own lines again and again
 *   4  table:  all warps load the same lines
 *
 * Lines of the three are apart in their number modulo 32 (16..31, 0..7,
 * 8..15), so that they do not meet in a small table of tags that is indexed
 * by it.
 */
#define LOAD(value, at)                                                        \
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at))

KERNEL micro_locality(const unsigned *data, unsigned *out, int rounds,
                      int lines, unsigned own, unsigned table, int kinds)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned warps = gridDim.x * blockDim.x / 32;
    unsigned warp = id / 32, lane = id % 32;
    unsigned sum = 0, value;

#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        unsigned n = r * warps + warp;

        if (kinds & 1) {
            LOAD(value, data + (n / 16 * 32 + 16 + n % 16) * 32 + lane);
            sum += value;
        }
#pragma unroll 1
        for (int k = 0; k < lines; k++) {
            if (kinds & 2) {
                LOAD(value, data + (own + warp * 32 + k) * 32 + lane);
                sum += value;
            }
            if (kinds & 4) {
                LOAD(value, data + (table + 8 + k) * 32 + lane);
                sum += value;
            }
        }
    }
    out[id] = sum;
}
