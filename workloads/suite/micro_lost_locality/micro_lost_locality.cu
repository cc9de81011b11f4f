/*
 * Locality that many warps lose and few would keep: every lane walks along its
 * own row, word by word.
 *
 * A load touches one line for each lane, and the next loads of the same warp
 * use these lines again, as in products of a matrix and a vector.  An L1 keeps
 * the 32 lines of a few warps, and of more warps none.
 */
KERNEL micro_lost_locality(const unsigned *in, unsigned *out, int words)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned *row = in + thread * (unsigned)words;
    unsigned sum = 0;

#pragma unroll 1
    for (int i = 0; i < words; i++) {
        sum = sum * 3 + row[i];
    }
    out[thread] = sum;
}
