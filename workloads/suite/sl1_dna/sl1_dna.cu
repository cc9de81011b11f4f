/*
 * Assembly of DNA fragments, the merging of S-L1's DNA Assembly: the last
 * `overlap` bases of each fragment are entered in a hash table; then each
 * fragment looks its first bases up and so finds the one that it continues.
 *
 * Each thread has a chunk of fragments and reads them byte by byte.
 */
GPU_INLINE unsigned hash(const unsigned char *text, int length)
{
    unsigned h = 2166136261u;

    for (int i = 0; i < length; i++) {
        h = (h ^ text[i]) * 16777619u;
    }
    return h;
}

/* table: fragment number + 1, 0 where there is none; slots: a power of 2. */
KERNEL sl1_dna_enter(const unsigned char *fragment, int *table, int slots,
                     int length, int overlap, int chunk)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;

    for (int f = first; f < first + chunk; f++) {
        unsigned at =
            hash(fragment + f * length + length - overlap, overlap);

        while (atomicCAS(&table[at & (slots - 1)], 0, f + 1) != 0) {
            at++;
        }
    }
}

KERNEL sl1_dna_merge(const unsigned char *fragment, const int *table,
                     int *before, int slots, int length, int overlap,
                     int chunk)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;

    for (int f = first; f < first + chunk; f++) {
        const unsigned char *mine = fragment + f * length;
        unsigned at = hash(mine, overlap);
        int other, found = -1;

        while (found < 0 && (other = table[at & (slots - 1)]) != 0) {
            const unsigned char *end =
                fragment + (other - 1) * length + length - overlap;
            int same = 0;

            while (same < overlap && mine[same] == end[same]) {
                same++;
            }
            if (same == overlap) {
                found = other - 1;
            }
            at++;
        }
        before[f] = found;
    }
}
