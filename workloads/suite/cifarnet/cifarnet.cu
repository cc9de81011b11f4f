/*
 * CifarNet, as a network of Tango: three convolutions of 5 x 5, each with a
 * pooling layer, and a fully connected one.
 *
 * A block computes a feature map, a thread one of its values.  The first
 * index of a thread counts rows, so that the lanes of a warp are in different
 * rows.
 */

KERNEL cifarnet_convolve(const float *in, const float *weight, const float *bias,
                   float *out, int inputs, int side, int kernel, int stride,
                   int pad, int rectify)
{
    int y = threadIdx.x, x = threadIdx.y, f = blockIdx.x;
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
    out[(f * width + y) * width + x] = rectify ? fmaxf(sum, 0.0f) : sum;
}

/* Largest of a window of 3 x 3, two apart. */
KERNEL cifarnet_pool(const float *in, float *out, int side)
{
    int y = threadIdx.x, x = threadIdx.y, f = blockIdx.x;
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
    out[(f * width + y) * width + x] = most;
}

KERNEL cifarnet_classify(const float *in, const float *weight,
                         const float *bias, float *out, int inputs)
{
    float sum = bias[threadIdx.x];

    for (int i = 0; i < inputs; i++) {
        sum += in[i] * weight[threadIdx.x * inputs + i];
    }
    out[threadIdx.x] = sum;
}
