/*
 * Merchants that customers of a merchant visit, S-L1's MasterCard Affinity:
 * one kernel marks the customers of merchant X, the next counts where marked
 * customers were.
 *
 * A record is 16 bytes of text: eight digits of the card, a blank, six of the
 * merchant, a line feed.  Each thread reads its chunk of records byte by byte.
 */
GPU_INLINE int number(const unsigned char *text, int digits)
{
    int value = 0;

    for (int i = 0; i < digits; i++) {
        value = 10 * value + text[i] - '0';
    }
    return value;
}

KERNEL sl1_affinity_mark(const unsigned char *record, unsigned char *marked,
                         int merchant, int chunk)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;

    for (int r = first; r < first + chunk; r++) {
        if (number(record + 16 * r + 9, 6) == merchant) {
            marked[number(record + 16 * r, 8)] = 1;
        }
    }
}

KERNEL sl1_affinity_count(const unsigned char *record,
                          const unsigned char *marked, int *visits, int chunk)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;

    for (int r = first; r < first + chunk; r++) {
        if (marked[number(record + 16 * r, 8)]) {
            atomicAdd(&visits[number(record + 16 * r + 9, 6)], 1);
        }
    }
}
