/*
 * What opening a centre at point x would gain, the kernel of Rodinia's
 * streamcluster.
 *
 * A thread owns a point.  Coordinates are stored dimension by dimension
 * (coalesced), the points' records and the rows of `lower`, in which a thread
 * notes what the centres would gain, are not.
 */
struct point {
    float weight;
    float cost; /* to its centre */
    long long assign;
    float *coordinates; /* of the host, not used */
    long long unused;
};

KERNEL streamcluster_gain(const struct point *point, const float *coord,
                          const int *centre, float *lower, char *changes,
                          int points, int dimensions, int x, int centres,
                          int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < points) {
        float *mine = &lower[i * stride];
        float d = 0.0f, before = point[i].cost;

        for (int k = 0; k < dimensions; k++) {
            float diff = coord[k * points + i] - coord[k * points + x];

            d += diff * diff;
        }
        d *= point[i].weight;
        if (d < before) {
            changes[i] = 1;
            mine[centres] += d - before;
        } else {
            mine[centre[point[i].assign]] += before - d;
        }
    }
}
