/*
 * Lines that match a pattern, S-L1's Grep: each thread reads the lines that
 * begin in its chunk and notes where those begin that match.  The pattern is
 * in shared memory; `*` is any text, `?` any byte.
 */
#define LONGEST 64 /* pattern */

GPU_INLINE bool matches(const unsigned char *text, int at,
                        const unsigned char *pattern)
{
    int p = 0, star = -1, again = 0;
    bool failed = false;
    unsigned char c = text[at];

    while (c != '\n' && !failed) {
        if (pattern[p] == '*') {
            star = p++;
            again = at;
        } else if (pattern[p] == '?' || pattern[p] == c) {
            p++;
            at++;
        } else {
            failed = star < 0;
            p = star + 1;
            at = ++again;
        }
        c = text[at];
    }
    while (pattern[p] == '*') {
        p++;
    }
    return !failed && pattern[p] == 0;
}

KERNEL sl1_grep(const unsigned char *text, const unsigned char *pattern,
                int *found, int *count, int chunk, int room)
{
    __shared__ unsigned char mine[LONGEST];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int at = t * chunk, end = at + chunk, hits = 0;

    for (int i = threadIdx.x; i < LONGEST; i += blockDim.x) {
        mine[i] = pattern[i];
    }
    __syncthreads();
    if (at > 0) {
        while (at < end && text[at - 1] != '\n') {
            at++;
        }
    }
    while (at < end) {
        if (matches(text, at, mine)) {
            if (hits < room) {
                found[t * room + hits] = at;
            }
            hits++;
        }
        while (text[at++] != '\n') {
        }
    }
    count[t] = hits;
}
