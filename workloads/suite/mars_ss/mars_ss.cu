/*
 * Similarity of documents as a map, Mars's SimilarityScore: a task per pair
 * of documents, which computes the cosine of the angle between their rows of
 * features.
 */
struct task {
    int first, second;
};

KERNEL mars_ss(const float *feature, const struct task *task, float *score,
               int features, int tasks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < tasks) {
        const float *a = feature + task[i].first * features;
        const float *b = feature + task[i].second * features;
        float dot = 0.0f, aa = 0.0f, bb = 0.0f;

        for (int k = 0; k < features; k++) {
            dot += a[k] * b[k];
            aa += a[k] * a[k];
            bb += b[k] * b[k];
        }
        score[i] = dot / (sqrtf(aa) * sqrtf(bb));
    }
}
