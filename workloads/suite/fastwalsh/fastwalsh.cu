/*
 * Dyadic convolution by fast Walsh transforms, fastWalshTransform of the CUDA
 * samples: steps of radix 4 over global memory until parts have 2048
 * elements, which are then transformed in shared memory.
 */
#define PART 2048

/* The butterfly of four elements. */
#define BUTTERFLY(d0, d1, d2, d3)                                             \
    do {                                                                       \
        float s0 = (d0) + (d2), s1 = (d1) + (d3);                              \
        float s2 = (d0) - (d2), s3 = (d1) - (d3);                              \
        (d0) = s0 + s1;                                                        \
        (d1) = s0 - s1;                                                        \
        (d2) = s2 + s3;                                                        \
        (d3) = s2 - s3;                                                        \
    } while (0)

/* A step of radix 4 with elements `stride` apart. */
KERNEL fastwalsh_global(float *data, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int low = i & (stride - 1);
    float *at = &data[((i - low) << 2) + low];
    float d0 = at[0], d1 = at[stride], d2 = at[2 * stride],
          d3 = at[3 * stride];

    BUTTERFLY(d0, d1, d2, d3);
    at[0] = d0;
    at[stride] = d1;
    at[2 * stride] = d2;
    at[3 * stride] = d3;
}

/* All steps inside a part of n <= PART elements by n / 4 threads. */
KERNEL fastwalsh_shared(float *data, int n)
{
    __shared__ float s[PART];
    int first = blockIdx.x * n, t = threadIdx.x, stride = n / 4;

    for (int i = t; i < n; i += blockDim.x) {
        s[i] = data[first + i];
    }
    for (; stride > 0; stride /= 4) {
        int low = t & (stride - 1);
        float *at = &s[((t - low) << 2) + low];

        __syncthreads();
        BUTTERFLY(at[0], at[stride], at[2 * stride], at[3 * stride]);
        if (stride == 2) { /* a step of radix 2 is left */
            break;
        }
    }
    if (stride == 2) {
        __syncthreads();
        for (int i = t; i < n / 2; i += blockDim.x) {
            float a = s[2 * i], b = s[2 * i + 1];

            s[2 * i] = a + b;
            s[2 * i + 1] = a - b;
        }
    }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) {
        data[first + i] = s[i];
    }
}

KERNEL fastwalsh_modulate(float *a, const float *b, int n, float scale)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        a[i] *= scale * b[i];
    }
}
