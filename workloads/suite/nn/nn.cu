/*
 * Distances of records from a place, Rodinia's nn (nearest neighbour): a
 * record per thread, each read once.
 */
struct place {
    float latitude;
    float longitude;
};

KERNEL nn(const struct place *place, float *distance, int n, float latitude,
          float longitude)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float y = latitude - place[i].latitude;
        float x = longitude - place[i].longitude;

        distance[i] = sqrtf(y * y + x * x);
    }
}
