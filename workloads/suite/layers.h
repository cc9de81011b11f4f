/*
 * Layers of the convolutional networks: what one thread computes, value (x,
 * y) of map f.  Maps of the output are `width` values wide.
 */
#ifndef WORKLOADS_SUITE_LAYERS_H
#define WORKLOADS_SUITE_LAYERS_H

struct layer {
    int inputs; /* maps */
    int side;   /* of an input map */
    int kernel, stride, pad, rectify;
};

GPU_INLINE void convolve(const float *in, const float *weight,
                         const float *bias, float *out, struct layer l, int f,
                         int y, int x, int width)
{
    float sum = bias[f];

    for (int c = 0; c < l.inputs; c++) {
        for (int u = 0; u < l.kernel; u++) {
            for (int v = 0; v < l.kernel; v++) {
                int iy = y * l.stride + u - l.pad;
                int ix = x * l.stride + v - l.pad;

                if (iy >= 0 && iy < l.side && ix >= 0 && ix < l.side) {
                    sum += in[(c * l.side + iy) * l.side + ix] *
                           weight[((f * l.inputs + c) * l.kernel + u) *
                                      l.kernel +
                                  v];
                }
            }
        }
    }
    out[(f * width + y) * width + x] = l.rectify ? fmaxf(sum, 0.0f) : sum;
}

/* Largest of a window of 3 x 3, two apart. */
GPU_INLINE void pool(const float *in, float *out, int side, int f, int y,
                     int x, int width)
{
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

#endif
