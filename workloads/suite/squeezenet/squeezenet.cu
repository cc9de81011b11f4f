/*
 * The beginning of SqueezeNet, as a network of Tango: a convolution, then
 * fire modules, which squeeze to few maps by 1 x 1 and expand by 1 x 1 and 3
 * x 3, with pooling between them.
 *
 * A block computes a row of a feature map: coalesced.
 */

#include "../layers.h"

KERNEL squeezenet_convolve(const float *in, const float *weight, const float *bias,
                    float *out, int inputs, int side, int kernel, int stride,
                    int pad, int rectify)
{
    struct layer l = {inputs, side, kernel, stride, pad, rectify};

    convolve(in, weight, bias, out, l, blockIdx.y, blockIdx.x, threadIdx.x,
             blockDim.x);
}

KERNEL squeezenet_pool(const float *in, float *out, int side)
{
    pool(in, out, side, blockIdx.y, blockIdx.x, threadIdx.x, blockDim.x);
}
