/*
 * Prefix sums by shuffles, shfl_scan of the CUDA samples: each warp scans 32
 * elements in registers, the first warp of a block the sums of its warps, and
 * a second launch the sums of the blocks, which a third kernel adds.
 *
 * Built for sm_30, the first architecture that has shuffles.
 */
KERNEL shfl_scan(int *data, int *partial)
{
    __shared__ int sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int value = data[i];

    for (int d = 1; d < 32; d *= 2) {
        int other = shuffle_up(value, d);

        value += lane >= d ? other : 0;
    }
    if (lane == 31) {
        sums[warp] = value;
    }
    __syncthreads();
    if (warp == 0) {
        int sum = lane < blockDim.x / 32 ? sums[lane] : 0;

        for (int d = 1; d < 32; d *= 2) {
            int other = shuffle_up(sum, d);

            sum += lane >= d ? other : 0;
        }
        sums[lane] = sum;
    }
    __syncthreads();
    value += warp > 0 ? sums[warp - 1] : 0;
    data[i] = value;
    if (partial && threadIdx.x == blockDim.x - 1) {
        partial[blockIdx.x] = value;
    }
}

/* Adds what the blocks before have, which one thread loads for its block. */
KERNEL shfl_add(int *data, const int *partial)
{
    __shared__ int before;

    if (threadIdx.x == 0) {
        before = blockIdx.x > 0 ? partial[blockIdx.x - 1] : 0;
    }
    sync_variables();
    data[blockIdx.x * blockDim.x + threadIdx.x] += before;
}
