/*
 * Layers of the convolutional networks: what one thread computes, value (x,
 * y) of map f.  Maps of the output are `width` values wide.  T is float or
 * double.
 */
#ifndef WORKLOADS_SUITE_LAYERS_H
#define WORKLOADS_SUITE_LAYERS_H

struct layer {
    int inputs; /* maps */
    int side;   /* of an input map */
    int kernel, stride, pad, rectify;
};

GPU_INLINE float larger(float a, float b)
{
    return fmaxf(a, b);
}

GPU_INLINE double larger(double a, double b)
{
    return fmax(a, b);
}

template <typename T>
GPU_INLINE void convolve(const T *in, const T *weight, const T *bias, T *out,
                         struct layer l, int f, int y, int x, int width)
{
    T sum = bias[f];

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
    out[(f * width + y) * width + x] = l.rectify ? larger(sum, (T)0) : sum;
}

/* Largest of a window of 3 x 3, two apart. */
template <typename T>
GPU_INLINE void pool(const T *in, T *out, int side, int f, int y, int x,
                     int width)
{
    T most = -3.4e38f;

    for (int u = 0; u < 3; u++) {
        for (int v = 0; v < 3; v++) {
            int iy = 2 * y + u, ix = 2 * x + v;

            if (iy < side && ix < side) {
                most = larger(most, in[(f * side + iy) * side + ix]);
            }
        }
    }
    out[(f * width + y) * width + x] = most;
}

#endif
