/*
 * Reuse and a stream in one loop: every lane walks along its own row, word by
 * word, and the warp reads lines between that nobody has used before.
 *
 * Warps that lose their rows to others are slow.  But so few warps that all
 * keep theirs leave most of the memory's bandwidth unused, which those that
 * are held back could use for their streams.
 */
KERNEL micro_partial(const unsigned *in, const unsigned *stream, unsigned *out,
                     int words, int streams)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned all = gridDim.x * blockDim.x;
    const unsigned *row = in + thread * (unsigned)words;
    const unsigned *next = stream + thread;
    unsigned sum = 0;

#pragma unroll 1
    for (int i = 0; i < words; i++) {
        sum = sum * 3 + row[i];
#pragma unroll 1
        for (int k = 0; k < streams; k++) {
            sum = sum * 3 + *next;
            next += all;
        }
    }
    out[thread] = sum;
}
