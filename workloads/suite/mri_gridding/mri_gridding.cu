/*
 * Gridding of samples for magnetic resonance imaging, Parboil's mri-gridding:
 * samples are sorted into bins of one cell each and then gathered by the
 * cells around them.
 *
 * gridding_bin finds the bin of each sample and counts, up to a limit beyond
 * which the host takes samples. The pairs of bin and index are sorted by
 * radix, 4 bits at a time: gridding_split sorts 1024 of them, bit by bit, and
 * counts digits, gridding_rearrange takes them to their places. What is in
 * between, and what makes starts of the bins' counts, are prefix sums:
 * gridding_scan of 1024 elements, gridding_up and gridding_down of the sums,
 * gridding_add. gridding_reorder brings the samples in order, as two arrays.
 *
 * In gridding_gather a block of 8 x 4 x 2 threads owns 8 x 4 x 8 cells. It
 * brings the samples of all bins in its reach into shared memory, row by row.
 * The weight is a polynomial in place of the Kaiser-Bessel function.
 */
#define WIDE 8
#define HIGH 4
#define DEEP 2
#define CELLS 4 /* of a thread, DEEP apart */
#define TILE (WIDE * HIGH * DEEP)
#define PART 1024
#define DIGITS 16

struct sample {
    float real, imaginary, x, y, z, density;
};

KERNEL gridding_bin(const struct sample *sample, int *key, int *value,
                    int *count, int samples, int side, int most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < samples) {
        struct sample s = sample[i];
        int bin = ((int)s.z * side + (int)s.y) * side + (int)s.x;
        int found = side * side * side;

        if (count[bin] < most) {
            if (atomicAdd(&count[bin], 1) < most) {
                found = bin;
            } else {
                atomicAdd(&count[bin], -1);
            }
        }
        key[i] = found;
        value[i] = i;
    }
}

/* A tree of sums over 2 * pairs elements, and down again, which leaves the
 * sums of what is before each. */
GPU_INLINE void sweep_up(int *s, int pairs)
{
    for (int n = pairs, stride = 1; n > 0; n /= 2, stride *= 2) {
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            int left = 2 * stride * i + stride - 1;

            s[left + stride] += s[left];
        }
    }
}

GPU_INLINE void sweep_down(int *s, int pairs)
{
    for (int n = 1, stride = pairs; n <= pairs; n *= 2, stride /= 2) {
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            int left = 2 * stride * i + stride - 1;
            int old = s[left];

            s[left] = s[left + stride];
            s[left + stride] += old;
        }
    }
    __syncthreads();
}

GPU_INLINE int digit(int key, int shift)
{
    return key >> shift & (DIGITS - 1);
}

GPU_INLINE void load_four(const int *from, int to[4])
{
    int4 four = *(const int4 *)from;

    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
}

KERNEL gridding_split(int *key, int *value, int *histogram, int samples,
                      int shift)
{
    __shared__ int flags[PART];
    __shared__ int zeros;
    __shared__ int mine[DIGITS];
    int t = threadIdx.x, first = blockIdx.x * PART, from = first + 4 * t;
    int k[4] = {-1, -1, -1, -1}, v[4] = {0, 0, 0, 0}, place[4];

    if (from < samples) {
        load_four(&key[from], k);
        load_four(&value[from], v);
    }
    if (t < DIGITS) {
        mine[t] = 0;
    }
    __syncthreads();
    for (int j = 0; j < 4; j++) {
        atomicAdd(&mine[digit(k[j], shift)], 1);
        place[j] = 4 * t + j;
    }
    /* Zeros are counted in the lower half of a word, ones in the upper. */
    for (int bit = shift; bit < shift + 4; bit++) {
        for (int j = 0; j < 4; j++) {
            flags[place[j]] = 1 << 16 * (k[j] >> bit & 1);
        }
        sweep_up(flags, PART / 2);
        if (t == 0) {
            zeros = flags[PART - 1] & 0xffff;
            flags[PART - 1] = 0;
        }
        sweep_down(flags, PART / 2);
        for (int j = 0; j < 4; j++) {
            int one = k[j] >> bit & 1;

            place[j] =
                (flags[place[j]] >> 16 * one & 0xffff) + (one ? zeros : 0);
        }
        __syncthreads();
    }
    if (from < samples) {
        for (int j = 0; j < 4; j++) {
            key[first + place[j]] = k[j];
            value[first + place[j]] = v[j];
        }
    }
    if (t < DIGITS) {
        histogram[gridDim.x * t + blockIdx.x] = mine[t];
    }
}

KERNEL gridding_rearrange(const int *key, const int *value, int *to_key,
                          int *to_value, const int *histogram, int samples,
                          int shift)
{
    __shared__ int begin[DIGITS];
    __shared__ int digits[PART];
    int t = threadIdx.x, from = blockIdx.x * PART + 4 * t;
    int k[4] = {-1, -1, -1, -1}, v[4] = {0, 0, 0, 0};

    if (t < DIGITS) {
        begin[t] = histogram[gridDim.x * t + blockIdx.x];
    }
    if (from < samples) {
        load_four(&key[from], k);
        load_four(&value[from], v);
    }
    for (int j = 0; j < 4; j++) {
        digits[4 * t + j] = digit(k[j], shift);
    }
    __syncthreads();
    if (from < samples) {
        int before = 4 * t - 1, last = digit(k[0], shift);

        /* The digits of a block are in order. */
        while (before >= 0 && digits[before] == last) {
            before--;
        }
        int place = begin[last] + 4 * t - 1 - before;

        for (int j = 0; j < 4; j++) {
            int now = digit(k[j], shift);

            if (now != last) {
                place = begin[now];
                last = now;
            }
            to_key[place] = k[j];
            to_value[place] = v[j];
            place++;
        }
    }
}

KERNEL gridding_scan(int *data, int *sum, int n)
{
    __shared__ int s[PART];
    int t = threadIdx.x, first = blockIdx.x * PART + t;
    int second = first + PART / 2;

    s[t] = first < n ? data[first] : 0;
    s[t + PART / 2] = second < n ? data[second] : 0;
    sweep_up(s, PART / 2);
    if (t == 0) {
        sum[blockIdx.x] = s[PART - 1];
        s[PART - 1] = 0;
    }
    sweep_down(s, PART / 2);
    if (first < n) {
        data[first] = s[t];
    }
    if (second < n) {
        data[second] = s[t + PART / 2];
    }
}

/* A level of the tree: of elements `stride` apart, two for each thread. */
KERNEL gridding_up(int *sum, int stride)
{
    __shared__ int s[PART];
    int t = threadIdx.x;
    int at = 2 * stride * (blockIdx.x * blockDim.x + t) + stride - 1;

    s[2 * t] = sum[at];
    s[2 * t + 1] = sum[at + stride];
    sweep_up(s, blockDim.x);
    __syncthreads();
    sum[at] = s[2 * t];
    sum[at + stride] = s[2 * t + 1];
}

KERNEL gridding_down(int *sum, int stride)
{
    __shared__ int s[PART];
    int t = threadIdx.x;
    int at = 2 * stride * (blockIdx.x * blockDim.x + t) + stride - 1;

    s[2 * t] = sum[at];
    s[2 * t + 1] = sum[at + stride];
    sweep_down(s, blockDim.x);
    sum[at] = s[2 * t];
    sum[at + stride] = s[2 * t + 1];
}

KERNEL gridding_add(int *data, const int *sum, int n)
{
    __shared__ int before;
    int first = blockIdx.x * PART + threadIdx.x;
    int second = first + PART / 2;

    if (threadIdx.x == 0) {
        before = sum[blockIdx.x];
    }
    __syncthreads();
    if (first < n) {
        data[first] += before;
    }
    if (second < n) {
        data[second] += before;
    }
}

KERNEL gridding_reorder(const int *value, const struct sample *sample,
                        float2 *signal, float4 *place, int samples)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < samples) {
        struct sample s = sample[value[i]];
        float2 a = {s.real, s.imaginary};
        float4 b = {s.x, s.y, s.z, s.density};

        signal[i] = a;
        place[i] = b;
    }
}

KERNEL gridding_gather(const float2 *signal, const float4 *place,
                       const int *start, float2 *grid, float *density, int side,
                       float reach)
{
    __shared__ float real[TILE], imaginary[TILE], weight[TILE];
    __shared__ float sx[TILE], sy[TILE], sz[TILE];
    int rows = side / HIGH, far = (int)reach, near = far + (far < reach);
    int x0 = blockIdx.x * WIDE, y0 = blockIdx.y % rows * HIGH;
    int z0 = blockIdx.y / rows * DEEP * CELLS;
    int t = (threadIdx.z * HIGH + threadIdx.y) * WIDE + threadIdx.x;
    int left = max(x0 - near, 0), right = min(x0 + WIDE + far, side - 1);
    int top = max(y0 - near, 0), bottom = min(y0 + HIGH + far, side - 1);
    int back = min(z0 + DEEP * CELLS + far, side - 1);
    int cell = ((z0 + threadIdx.z) * side + y0 + threadIdx.y) * side + x0 +
               threadIdx.x;
    float x = x0 + (int)threadIdx.x, y = y0 + (int)threadIdx.y;
    float z = z0 + (int)threadIdx.z, most = reach * reach;
    float re[CELLS] = {0}, im[CELLS] = {0}, count[CELLS] = {0};

    for (int w = max(z0 - near, 0); w <= back; w++) {
        for (int v = top; v <= bottom; v++) {
            int row = (w * side + v) * side;
            int from = start[row + left], to = start[row + right + 1];

            for (; from < to; from += TILE) {
                int n = min(to - from, TILE);

                __syncthreads();
                if (t < n) {
                    float2 a = signal[from + t];
                    float4 b = place[from + t];

                    real[t] = a.x, imaginary[t] = a.y;
                    sx[t] = b.x, sy[t] = b.y, sz[t] = b.z, weight[t] = b.w;
                }
                __syncthreads();
                for (int i = 0; i < n; i++) {
                    float dx = sx[i] - x, dy = sy[i] - y;
                    float flat = dx * dx + dy * dy;

                    for (int c = 0; c < CELLS; c++) {
                        float dz = sz[i] - (z + (float)(DEEP * c));
                        float d = flat + dz * dz;

                        if (d < most) {
                            float f = 1.0f - d / most;

                            f *= f * weight[i];
                            re[c] += f * real[i];
                            im[c] += f * imaginary[i];
                            count[c] += 1.0f;
                        }
                    }
                }
            }
        }
    }
    for (int c = 0; c < CELLS; c++) {
        float2 sum = {re[c], im[c]};

        grid[cell + c * DEEP * side * side] = sum;
        density[cell + c * DEEP * side * side] = count[c];
    }
}
