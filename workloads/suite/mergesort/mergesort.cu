/*
 * Sorting pairs by merging, mergeSort of the CUDA samples.
 *
 * Parts of 1024 are sorted in shared memory.  Then, for runs of twice the
 * length each time: every 128th element of both runs of a pair is ranked by
 * binary search in the other one (mergesort_rank), the places where both are
 * cut are merged (mergesort_cut), and a block merges the elements between two
 * cuts in shared memory (mergesort_merge).
 */
#define PART 1024
#define SAMPLE 128

/* Elements of s[0 .. n) that go before `key`; ties go before if `equal`. */
GPU_INLINE int rank_of(unsigned key, const unsigned *s, int n, bool equal)
{
    int low = 0, high = n;

    while (low < high) {
        int middle = (low + high) / 2;

        if (s[middle] < key || (equal && s[middle] == key)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

KERNEL mergesort_part(unsigned *key, unsigned *value)
{
    __shared__ unsigned k[PART], v[PART];
    int t = threadIdx.x, first = blockIdx.x * PART;

    for (int i = t; i < PART; i += PART / 2) {
        k[i] = key[first + i];
        v[i] = value[first + i];
    }
    for (int run = 1; run < PART; run *= 2) {
        int low = t & (run - 1);
        unsigned *base = k + 2 * (t - low);
        unsigned ka, kb, va, vb;
        int a, b;

        __syncthreads();
        ka = base[low];
        va = v[2 * (t - low) + low];
        kb = base[run + low];
        vb = v[2 * (t - low) + run + low];
        a = rank_of(ka, base + run, run, false) + low;
        b = rank_of(kb, base, run, true) + low;
        __syncthreads();
        base[a] = ka;
        v[2 * (t - low) + a] = va;
        base[b] = kb;
        v[2 * (t - low) + b] = vb;
    }
    __syncthreads();
    for (int i = t; i < PART; i += PART / 2) {
        key[first + i] = k[i];
        value[first + i] = v[i];
    }
}

/* rank[i]: of sample i in the other run of its pair. */
KERNEL mergesort_rank(const unsigned *key, int *rank, int run, int samples)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < samples) {
        int at = i * SAMPLE, mine = at / run;
        const unsigned *other = key + (mine ^ 1) * run;

        rank[i] = rank_of(key[at], other, run, mine & 1);
    }
}

/* The samples of a pair of runs in the order in which they are merged: cut[2
 * p] elements of the first run and cut[2 p + 1] of the second go before. */
KERNEL mergesort_cut(const unsigned *key, const int *rank, int *cut, int run,
                     int samples)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < samples) {
        int per_run = run / SAMPLE, mine = i / per_run, low = i % per_run;
        int pair = mine / 2 * 2 * per_run, count = 0;
        /* Samples of the other run that go before: those below the rank. */
        int before = (rank[i] + SAMPLE - 1) / SAMPLE;
        int place = pair + low + min(before, per_run);

        count = low * SAMPLE;
        cut[2 * place] = mine & 1 ? rank[i] : count;
        cut[2 * place + 1] = mine & 1 ? count : rank[i];
    }
}

/* A block merges what is between cut b and the next one. */
KERNEL mergesort_merge(const unsigned *key, const unsigned *value,
                       unsigned *to_key, unsigned *to_value, const int *cut,
                       int run)
{
    __shared__ unsigned a[SAMPLE], b[SAMPLE];
    __shared__ int from_a, from_b, na, nb;
    int t = threadIdx.x, per_pair = 2 * run / SAMPLE;
    int pair = blockIdx.x / per_pair * 2 * run;
    bool last = (blockIdx.x + 1) % per_pair == 0;
    const unsigned *first, *second;
    int to;

    if (t == 0) {
        from_a = cut[2 * blockIdx.x];
        from_b = cut[2 * blockIdx.x + 1];
        na = (last ? run : cut[2 * blockIdx.x + 2]) - from_a;
        nb = (last ? run : cut[2 * blockIdx.x + 3]) - from_b;
    }
    sync_variables();
    first = key + pair + from_a;
    second = key + pair + run + from_b;
    to = pair + from_a + from_b;
    if (t < na) {
        a[t] = first[t];
    }
    if (t < nb) {
        b[t] = second[t];
    }
    __syncthreads();
    if (t < na) {
        int at = to + t + rank_of(a[t], b, nb, false);

        to_key[at] = a[t];
        to_value[at] = value[pair + from_a + t];
    }
    if (t < nb) {
        int at = to + t + rank_of(b[t], a, na, true);

        to_key[at] = b[t];
        to_value[at] = value[pair + run + from_b + t];
    }
}
