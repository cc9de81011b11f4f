/*
 * CifarNet, as a network of Tango: three convolutions of 5 x 5, each with a
 * pooling layer, and a fully connected one.
 *
 * A block computes a feature map, a thread one of its values.  The first
 * index of a thread counts rows, so that the lanes of a warp are in different
 * rows.  Values are in double precision, as Tango has them.
 */

#include "../layers.h"

KERNEL cifarnet_convolve(const double *in, const double *weight,
                         const double *bias, double *out, int inputs, int side,
                         int kernel, int stride, int pad, int rectify)
{
    struct layer l = {inputs, side, kernel, stride, pad, rectify};

    convolve(in, weight, bias, out, l, blockIdx.x, threadIdx.x, threadIdx.y,
             blockDim.x);
}

KERNEL cifarnet_pool(const double *in, double *out, int side)
{
    pool(in, out, side, blockIdx.x, threadIdx.x, threadIdx.y, blockDim.x);
}

KERNEL cifarnet_classify(const double *in, const double *weight,
                         const double *bias, double *out, int inputs)
{
    double sum = bias[threadIdx.x];

    for (int i = 0; i < inputs; i++) {
        sum += in[i] * weight[threadIdx.x * inputs + i];
    }
    out[threadIdx.x] = sum;
}
