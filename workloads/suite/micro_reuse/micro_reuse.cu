/*
 * What caches keep: one warp loads a working set line by line, `uses` times
 * over, then scans lines that are never loaded again, and all that anew.
 *
 * Without a scan and with a set larger than the cache it is the loop that LRU
 * never hits in; with a set that fits and a scan that does not, LRU loses the
 * set in each round.
 */
#define LOAD(value, at)                                                        \
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at))

KERNEL micro_reuse(const unsigned *set, const unsigned *scan, unsigned *out,
                   unsigned set_lines, unsigned scan_lines, int uses,
                   int rounds)
{
    const unsigned *passing = scan + threadIdx.x;
    unsigned sum = 0, word;

    for (int round = 0; round < rounds; round++) {
        for (int k = 0; k < uses; k++) {
            for (unsigned i = 0; i < set_lines; i++) {
                LOAD(word, set + threadIdx.x + 32 * i);
                sum += word;
            }
        }
        for (unsigned i = 0; i < scan_lines; i++) {
            LOAD(word, passing);
            passing += 32;
            sum += word;
        }
    }
    out[threadIdx.x] = sum;
}
