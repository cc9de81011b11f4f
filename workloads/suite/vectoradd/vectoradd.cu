/*
 * c = a + b, one thread per element: the smallest streaming kernel.
 */
KERNEL vectoradd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
