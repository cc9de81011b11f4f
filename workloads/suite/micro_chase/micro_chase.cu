/*
 * Pointer chase: every load gives the address of the next one, so the time of
 * a load is its latency and nothing else.
 *
 * Both kernels first follow 64 * warm pointers.  The second then follows 256
 * more than the first, without a loop, so the difference of their times is
 * 256 latencies.
 */
#define X4(text) text text text text
#define X64(text) X4(X4(X4(text)))
#define FOLLOW(times, p)                                                       \
    asm volatile(times("ld.global.u64 %0, [%0];\n\t") : "+l"(p))
#define X256(text) X4(X64(text))

KERNEL micro_chase_short(long start, long *out, int warm)
{
    for (int i = 0; i < warm; i++) {
        FOLLOW(X64, start);
    }
    FOLLOW(X64, start);
    *out = start;
}

KERNEL micro_chase_long(long start, long *out, int warm)
{
    for (int i = 0; i < warm; i++) {
        FOLLOW(X64, start);
    }
    FOLLOW(X64, start);
    FOLLOW(X256, start);
    *out = start;
}
