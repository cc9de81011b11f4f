/*
 * Nearest of k centres for each particle, the step of S-L1's Kmeans that
 * reads the data: each thread has a chunk of particles, the centres are in
 * shared memory.
 */
#define DIMENSIONS 4
#define MOST 64 /* centres */

KERNEL sl1_kmeans(const float *particle, const float *centre, int *member,
                  int k, int chunk)
{
    __shared__ float mine[MOST * DIMENSIONS];
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;

    for (int i = threadIdx.x; i < k * DIMENSIONS; i += blockDim.x) {
        mine[i] = centre[i];
    }
    __syncthreads();
    for (int i = first; i < first + chunk; i++) {
        float least = 3.4e38f;
        int best = 0;

        for (int c = 0; c < k; c++) {
            float d = 0.0f;

            for (int j = 0; j < DIMENSIONS; j++) {
                float x = particle[i * DIMENSIONS + j];

                d += (x - mine[c * DIMENSIONS + j]) *
                     (x - mine[c * DIMENSIONS + j]);
            }
            if (d < least) {
                least = d;
                best = c;
            }
        }
        member[i] = best;
    }
}
