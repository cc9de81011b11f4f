/*
 * LIBOR market model, LIB of ISPASS 2009: each thread follows a path of
 * forward rates over `maturity` steps and values a portfolio of swaptions.
 *
 * The rates of a path are an array of the thread, in local memory.
 */
#define RATES 40
#define OPTIONS 15

__constant__ int maturity_of[OPTIONS];
__constant__ float swap_rate[OPTIONS];
__constant__ float lambda[RATES];

KERNEL libor(const float *normal, float *value, int paths, int maturity,
             float delta)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    float rate[RATES], swap[RATES];
    float root = sqrtf(delta), bond = 1.0f, annuity = 0.0f, sum = 0.0f;

    if (p >= paths) {
        return;
    }
    for (int i = 0; i < RATES; i++) {
        rate[i] = 0.05f;
    }
    for (int n = 0; n < maturity; n++) {
        float drift = 0.0f, shock = root * normal[n * paths + p];

        for (int i = n + 1; i < RATES; i++) {
            float l = lambda[i - n - 1], con = delta * l;

            drift += con * rate[i] / (1.0f + delta * rate[i]);
            rate[i] *= expf(con * drift + l * (shock - 0.5f * con));
        }
    }
    for (int i = maturity; i < RATES; i++) {
        bond /= 1.0f + delta * rate[i];
        annuity += delta * bond;
        swap[i] = 1.0f - bond; /* what the floating side is worth */
        rate[i] = annuity;
    }
    for (int o = 0; o < OPTIONS; o++) {
        int m = maturity + maturity_of[o] - 1;
        float gain = swap[m] - swap_rate[o] * rate[m];

        sum += gain > 0.0f ? gain : 0.0f;
    }
    for (int n = 0; n < maturity; n++) {
        sum /= 1.0f + delta * 0.05f;
    }
    value[p] = sum;
}
