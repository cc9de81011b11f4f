/*
 * k-means clustering after Rodinia's kmeans, with features in global memory
 * in place of a texture.
 *
 * A point's features lie behind each other and a thread owns a point, so the
 * lanes of a warp read 32 lines at once and come back to them for every
 * cluster: memory-divergent.  kmeans_invert makes the transposed copy, as the
 * published program does.
 */
KERNEL kmeans_invert(const float *feature, float *inverted, int points,
                     int features)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;

    if (p < points) {
        for (int j = 0; j < features; j++) {
            inverted[p + points * j] = feature[p * features + j];
        }
    }
}

KERNEL kmeans_point(const float *feature, const float *cluster, int *member,
                    int points, int features, int clusters)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;

    if (p < points) {
        float least = 3.4e38f;
        int best = -1;

        for (int c = 0; c < clusters; c++) {
            float d = 0.0f;

            for (int j = 0; j < features; j++) {
                float diff =
                    feature[p * features + j] - cluster[c * features + j];

                d += diff * diff;
            }
            if (d < least) {
                least = d;
                best = c;
            }
        }
        member[p] = best;
    }
}
