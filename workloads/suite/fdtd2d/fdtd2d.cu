/*
 * Finite differences of Maxwell's equations in two dimensions, the algorithm
 * of PolyBench's FDTD-2D: three kernels per time step, one thread per cell.
 *
 * The fields have nx rows; ex has a column more than hz, ey a row more.
 */
KERNEL fdtd2d_ey(int nx, int ny, float source, float *ey, float *hz)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < nx && j < ny) {
        if (i == 0) {
            ey[j] = source;
        } else {
            ey[i * ny + j] -= 0.5f * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
        }
    }
}

KERNEL fdtd2d_ex(int nx, int ny, float *ex, float *hz)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < nx && j > 0 && j < ny) {
        ex[i * (ny + 1) + j] -= 0.5f * (hz[i * ny + j] - hz[i * ny + j - 1]);
    }
}

KERNEL fdtd2d_hz(int nx, int ny, float *ex, float *ey, float *hz)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < nx && j < ny) {
        hz[i * ny + j] -=
            0.7f * (ex[i * (ny + 1) + j + 1] - ex[i * (ny + 1) + j] +
                    ey[(i + 1) * ny + j] - ey[i * ny + j]);
    }
}
