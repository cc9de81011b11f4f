/*
 * Speckle-reducing anisotropic diffusion, Rodinia's srad (version 2): one
 * kernel computes the diffusion coefficient of each pixel, the next one
 * updates the image.
 *
 * Blocks of 16 x 16 pixels pass through shared memory.  Every thread loads
 * the pixels around the block that lie in its column and row, though only the
 * threads at the rim use them, as the published program does.
 */
#define SIDE 16

KERNEL srad_coefficient(const float *J, float *E, float *W, float *N,
                        float *S, float *C, int rows, int columns, float q0)
{
    __shared__ float tile[SIDE][SIDE], north[SIDE][SIDE], south[SIDE][SIDE],
        east[SIDE][SIDE], west[SIDE][SIDE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int left = blockIdx.x * SIDE, top = blockIdx.y * SIDE;
    int at = (top + ty) * columns + left + tx;
    int above = top > 0 ? top - 1 : 0;
    int below = top + SIDE < rows ? top + SIDE : rows - 1;
    int before = left > 0 ? left - 1 : 0;
    int after = left + SIDE < columns ? left + SIDE : columns - 1;
    float jc, n, s, e, w, g2, l, num, den, q;

    north[ty][tx] = J[above * columns + left + tx];
    south[ty][tx] = J[below * columns + left + tx];
    west[ty][tx] = J[(top + ty) * columns + before];
    east[ty][tx] = J[(top + ty) * columns + after];
    tile[ty][tx] = J[at];
    __syncthreads();
    jc = tile[ty][tx];
    n = (ty == 0 ? north[ty][tx] : tile[ty - 1][tx]) - jc;
    s = (ty == SIDE - 1 ? south[ty][tx] : tile[ty + 1][tx]) - jc;
    w = (tx == 0 ? west[ty][tx] : tile[ty][tx - 1]) - jc;
    e = (tx == SIDE - 1 ? east[ty][tx] : tile[ty][tx + 1]) - jc;
    g2 = (n * n + s * s + w * w + e * e) / (jc * jc);
    l = (n + s + w + e) / jc;
    num = 0.5f * g2 - (1.0f / 16.0f) * (l * l);
    den = 1.0f + 0.25f * l;
    q = num / (den * den);
    den = (q - q0) / (q0 * (1.0f + q0));
    C[at] = fminf(fmaxf(1.0f / (1.0f + den), 0.0f), 1.0f);
    E[at] = e;
    W[at] = w;
    N[at] = n;
    S[at] = s;
}

KERNEL srad_update(float *J, const float *E, const float *W, const float *N,
                   const float *S, const float *C, int rows, int columns,
                   float lambda)
{
    __shared__ float tile[SIDE][SIDE], south[SIDE][SIDE], east[SIDE][SIDE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int left = blockIdx.x * SIDE, top = blockIdx.y * SIDE;
    int at = (top + ty) * columns + left + tx;
    int below = top + SIDE < rows ? top + SIDE : rows - 1;
    int after = left + SIDE < columns ? left + SIDE : columns - 1;
    float c, cs, ce;

    south[ty][tx] = C[below * columns + left + tx];
    east[ty][tx] = C[(top + ty) * columns + after];
    tile[ty][tx] = C[at];
    __syncthreads();
    c = tile[ty][tx];
    cs = ty == SIDE - 1 ? south[ty][tx] : tile[ty + 1][tx];
    ce = tx == SIDE - 1 ? east[ty][tx] : tile[ty][tx + 1];
    J[at] += 0.25f * lambda *
             (c * N[at] + cs * S[at] + c * W[at] + ce * E[at]);
}
