/*
 * The beginning of SqueezeNet, as a network of Tango: a convolution, then
 * fire modules, which squeeze to few maps by 1 x 1 and expand by 1 x 1 and 3
 * x 3, with pooling between them.
 *
 * A block computes a row of a feature map: coalesced.
 */

KERNEL squeezenet_convolve(const float *in, const float *weight, const float *bias,
                   float *out, int inputs, int side, int kernel, int stride,
                   int pad, int rectify)
{
    int x = threadIdx.x, y = blockIdx.x, f = blockIdx.y;
    int width = blockDim.x;

    float sum = bias[f];

    for (int c = 0; c < inputs; c++) {
        for (int u = 0; u < kernel; u++) {
            for (int v = 0; v < kernel; v++) {
                int iy = y * stride + u - pad, ix = x * stride + v - pad;

                if (iy >= 0 && iy < side && ix >= 0 && ix < side) {
                    sum += in[(c * side + iy) * side + ix] *
                           weight[((f * inputs + c) * kernel + u) * kernel +
                                  v];
                }
            }
        }
    }
    out[(f * gridDim.x + y) * width + x] = rectify ? fmaxf(sum, 0.0f) : sum;
}

/* Largest of a window of 3 x 3, two apart. */
KERNEL squeezenet_pool(const float *in, float *out, int side)
{
    int x = threadIdx.x, y = blockIdx.x, f = blockIdx.y;
    int width = blockDim.x;

    float most = -3.4e38f;

    for (int u = 0; u < 3; u++) {
        for (int v = 0; v < 3; v++) {
            int iy = 2 * y + u, ix = 2 * x + v;

            if (iy < side && ix < side) {
                most = fmaxf(most, in[(f * side + iy) * side + ix]);
            }
        }
    }
    out[(f * gridDim.x + y) * width + x] = most;
}
