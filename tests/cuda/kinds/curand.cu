/*
 * cuRAND's device functions: each generator, whose numbers are uniform, normal
 * or of Poisson's distribution as far as 20,000 of them tell; Philox's are
 * those of its authors' test vectors, and a skip ahead is as many draws.
 */
#include <curand_kernel.h>

#include "../hosts/host.h"

template <typename STATE>
__global__ void draw(float *uniform, float *normal, float *poisson, int each)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    STATE state;

    curand_init(1234, i, 0, &state);
    for (int k = 0; k < each; k++) {
        uniform[i * each + k] = curand_uniform(&state);
        normal[i * each + k] = curand_normal(&state);
        poisson[i * each + k] = (float)curand_poisson(&state, 4.0);
    }
}

template <typename STATE> __global__ void skip(unsigned *out)
{
    STATE a, b;

    curand_init(99, 3, 0, &a);
    curand_init(99, 3, 5, &b);
    for (int k = 0; k < 5; k++) {
        curand(&a);
    }
    out[0] = curand(&a) == curand(&b);
    skipahead(7ull, &a);
    for (int k = 0; k < 7; k++) {
        curand(&b);
    }
    out[0] &= curand(&a) == curand(&b);
}

/* Key and counter zero: Salmon and others, "Parallel random numbers: as easy as
 * 1, 2, 3", the known answers of their Random123. */
__global__ void philox(uint4 *out)
{
    curandStatePhilox4_32_10_t state;

    curand_init(0, 0, 0, &state);
    *out = curand4(&state);
}

__global__ void sobol(float *out, curandDirectionVectors32_t *vectors)
{
    curandStateSobol32_t state;

    curand_init(*vectors, 0, &state);
    for (int k = 0; k < 8; k++) {
        out[k] = curand_uniform(&state);
    }
}

static bool near(const std::vector<float> &v, double mean, double variance)
{
    double sum = 0, square = 0;

    for (float x : v) {
        sum += x;
        square += (double)x * x;
    }
    sum /= (double)v.size();
    square = square / (double)v.size() - sum * sum;
    /* Five standard errors of the mean; of the variance a generous six. */
    double error = std::sqrt(variance / (double)v.size());
    return std::abs(sum - mean) < 5 * error &&
           std::abs(square - variance) <
               6 * variance * std::sqrt(2 / (double)v.size());
}

template <typename STATE> static int distributions(const char *name)
{
    const int threads = 200, each = 100, n = threads * each;
    float *u = device<float>(n), *g = device<float>(n), *p = device<float>(n);
    unsigned *same = device<unsigned>(1);

    draw<STATE><<<2, threads / 2>>>(u, g, p, each);
    skip<STATE><<<1, 1>>>(same);
    std::vector<float> uniform = download(u, n);
    int slots[10] = {0};
    double chi = 0;
    for (float x : uniform) {
        if (!(x > 0 && x <= 1)) {
            printf("%s: %g is not uniform\n", name, (double)x);
            return 1;
        }
        slots[std::min(9, (int)(10 * x))]++;
    }
    for (int count : slots) {
        chi += std::pow(count - n / 10, 2) / (n / 10);
    }
    /* 9 degrees of freedom: 1 of 100,000 is above 39. */
    bool right = chi < 39 && near(uniform, 0.5, 1.0 / 12) &&
                 near(download(g, n), 0, 1) && near(download(p, n), 4, 4) &&
                 download(same, 1)[0] == 1;
    if (!right) {
        printf("%s: other distributions, or skips\n", name);
    }
    return !right;
}

int main()
{
    int bad = distributions<curandStateXORWOW_t>("XORWOW") +
              distributions<curandStateMRG32k3a_t>("MRG32k3a") +
              distributions<curandStatePhilox4_32_10_t>("Philox");
    uint4 *at = device<uint4>(1);
    float *points = device<float>(8);

    philox<<<1, 1>>>(at);
    uint4 x = download(at, 1)[0];
    if (x.x != 0x6627e8d5 || x.y != 0xe169c58d || x.z != 0xbc57ac4c ||
        x.w != 0x9b00dbd8) {
        printf("Philox: %x %x %x %x\n", x.x, x.y, x.z, x.w);
        bad++;
    }
    /* Direction numbers of the first dimension: van der Corput's sequence. */
    std::vector<unsigned> directions(32);
    for (int i = 0; i < 32; i++) {
        directions[i] = 1u << (31 - i);
    }
    sobol<<<1, 1>>>(points, (curandDirectionVectors32_t *)upload(directions));
    const float corput[8] = {0, .5, .75, .25, .375, .875, .625, .125};
    std::vector<float> got = download(points, 8);
    for (int i = 0; i < 8; i++) {
        bad += std::abs(got[i] - corput[i]) > 1e-6f;
    }
    return result(bad ? "of some generator is wrong" : nullptr, 0);
}
