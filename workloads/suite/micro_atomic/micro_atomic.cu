/*
 * Atomic additions whose lanes are `stride` words apart, and warps `spread`
 * words; with 0 and 0 all of them add to one word.
 */
KERNEL micro_atomic(int *at, unsigned stride, unsigned spread, int times)
{
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int *mine = at + warp * spread + threadIdx.x % 32 * stride;

    for (int i = 0; i < times; i++) {
        asm volatile("red.global.add.s32 [%0], 1;\n\t"
                     "red.global.add.s32 [%0], 1;\n\t"
                     "red.global.add.s32 [%0], 1;\n\t"
                     "red.global.add.s32 [%0], 1;"
                     :
                     : "l"(mine)
                     : "memory");
    }
}
