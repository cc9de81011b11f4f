/*
 * Hits of each URL in a web log, S-L1's Page View Count: each thread reads
 * the lines that begin in its chunk byte by byte, hashes the URL and counts
 * it in a hash table of all threads.
 *
 * key: hashes of URLs, 0 where there is none yet; slots: a power of 2.
 */
KERNEL sl1_pageview(const unsigned char *log, int *key, int *count, int slots,
                    int chunk, int bytes)
{
    int at = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    int end = at + chunk;

    if (at > 0) {
        while (at < end && log[at - 1] != '\n') {
            at++;
        }
    }
    while (at < end) {
        unsigned h = 2166136261u, s;
        unsigned char c;

        while (c = log[at++], c > ' ') {
            h = (h ^ c) * 16777619u;
        }
        for (s = h & (slots - 1);; s = (s + 1) & (slots - 1)) {
            int there = key[s];

            if (there == 0) {
                there = atomicCAS(&key[s], 0, (int)h);
            }
            if (there == 0 || there == (int)h) {
                break;
            }
        }
        atomicAdd(&count[s], 1);
        while (c != '\n' && at < bytes) {
            c = log[at++];
        }
    }
}
