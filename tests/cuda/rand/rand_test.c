/*
 * cuRAND's host API: sequences against those that are computed here, and some
 * numbers that NVIDIA's library makes on a CPU; distributions by their
 * statistics; what is not supported.
 *
 * usage: rand_test CASE, in a run of `warploom cuda`
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/abi.h"

int cudaMalloc(void **at, size_t bytes);
int cudaFree(void *at);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaStreamCreate(void **stream);
int cudaStreamDestroy(void *stream);

typedef void *generator;
int curandCreateGenerator(generator *g, int type);
int curandCreateGeneratorHost(generator *g, int type);
int curandDestroyGenerator(generator g);
int curandGetVersion(int *version);
int curandSetStream(generator g, void *stream);
int curandSetPseudoRandomGeneratorSeed(generator g, uint64_t seed);
int curandSetGeneratorOffset(generator g, uint64_t offset);
int curandSetGeneratorOrdering(generator g, int order);
int curandGenerateSeeds(generator g);
int curandGenerate(generator g, uint32_t *out, size_t n);
int curandGenerateLongLong(generator g, uint64_t *out, size_t n);
int curandGenerateUniform(generator g, float *out, size_t n);
int curandGenerateUniformDouble(generator g, double *out, size_t n);
int curandGenerateNormal(generator g, float *out, size_t n, float m, float d);
int curandGenerateNormalDouble(generator g, double *out, size_t n, double m,
                               double d);
int curandGenerateLogNormal(generator g, float *out, size_t n, float m,
                            float d);
int curandGenerateLogNormalDouble(generator g, double *out, size_t n, double m,
                                  double d);
int curandGeneratePoisson(generator g, uint32_t *out, size_t n, double lambda);
int curandSetQuasiRandomGeneratorDimensions(generator g, unsigned n);

enum {
    XORWOW = 101,
    MRG32K3A = 121,
    MTGP32 = 141,
    MT19937 = 142,
    PHILOX = 161,
    SOBOL32 = 201,
    LEGACY = 103,
    SEEDED = 102,
    ROOM = 1 << 20 /* bytes */
};

static int bad;

#define HOLDS(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            printf("line %d: not %s\n", __LINE__, #condition);                 \
            bad++;                                                             \
        }                                                                      \
    } while (0)
#define OK(call) HOLDS((call) == 0)

static void *device;
static union {
    uint32_t bits[ROOM / 4];
    float real[ROOM / 4];
    double wide[ROOM / 8];
} got;

static void fetch(size_t bytes)
{
    OK(cudaMemcpy(&got, device, bytes, CUDA_DEVICE_TO_HOST));
}

static generator make(int type, uint64_t seed)
{
    generator g = NULL;

    OK(curandCreateGenerator(&g, type));
    OK(curandSetPseudoRandomGeneratorSeed(g, seed));
    return g;
}

/* ---- sequences ---- */

static void philox(uint64_t seed, uint64_t counter, uint64_t sequence,
                   uint32_t out[4])
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    uint32_t c[4] = {(uint32_t)counter, (uint32_t)(counter >> 32),
                     (uint32_t)sequence, (uint32_t)(sequence >> 32)};

    for (int round = 0; round < 10; round++) {
        uint64_t a = UINT64_C(0xD2511F53) * c[0];
        uint64_t b = UINT64_C(0xCD9E8D57) * c[2];
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b,
                            (uint32_t)(a >> 32) ^ c[3] ^ k1, (uint32_t)a};

        memcpy(c, next, sizeof(c));
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    memcpy(out, c, sizeof(c));
}

static void of_philox(void)
{
    const uint64_t seed = 0x123456789abcdef, at = 65536 * 4 - 9;
    generator g = make(PHILOX, seed);
    uint32_t want[4];
    int wrong = 0;

    OK(curandSetGeneratorOffset(g, at));
    OK(curandGenerate(g, device, 1000));
    fetch(4000);
    for (uint64_t i = 0; i < 1000; i++) {
        philox(seed, (at + i) / 4 / 65536, (at + i) / 4 % 65536, want);
        wrong += got.bits[i] != want[(at + i) % 4];
    }
    HOLDS(wrong == 0);
    OK(curandSetGeneratorOffset(g, 0));
    OK(curandGenerateUniformDouble(g, device, 100));
    fetch(800);
    wrong = 0;
    for (uint64_t i = 0; i < 100; i++) {
        uint64_t x;

        philox(seed, i % 4 / 2, i / 4, want);
        x = want[i % 2 * 2] ^ (uint64_t)want[i % 2 * 2 + 1] << 21;
        wrong += got.wide[i] != (double)x * 0x1p-53 + 0x1p-54;
    }
    HOLDS(wrong == 0);
    /* The known answer of key and counter 0. */
    philox(0, 0, 0, want);
    HOLDS(want[0] == 0x6627e8d5 && want[1] == 0xe169c58d &&
          want[2] == 0xbc57ac4c && want[3] == 0x9b00dbd8);
    OK(curandDestroyGenerator(g));
}

/* Of cuRAND 10.4's generators for the host, on a CPU. */
static void known(int type, uint64_t seed, const uint32_t want[5])
{
    generator g = make(type, seed);

    OK(curandGenerate(g, device, 8200));
    fetch(sizeof(uint32_t) * 8200);
    HOLDS(got.bits[0] == want[0] && got.bits[1] == want[1]);
    HOLDS(got.bits[4095] == want[2] && got.bits[4096] == want[3]);
    HOLDS(got.bits[8192] == want[4]);
    /* The same, in two parts, and by an offset. */
    OK(curandSetGeneratorOffset(g, 4000));
    OK(curandGenerate(g, device, 95));
    OK(curandGenerate(g, device, 98));
    fetch(sizeof(uint32_t) * 98);
    HOLDS(got.bits[0] == want[2] && got.bits[1] == want[3]);
    OK(curandDestroyGenerator(g));
}

static void of_sequences(void)
{
    generator g = make(MRG32K3A, 0);

    known(XORWOW, 0,
          (uint32_t[]){0xbd7f03b6, 0xebc63fb7, 0xd7724d31, 0x703e556d,
                       0x845af0c5});
    known(XORWOW, 1234,
          (uint32_t[]){0x253d5e15, 0xd1f7605a, 0xe5dcbada, 0x6f558604,
                       0xdee6daf2});
    known(MRG32K3A, 0,
          (uint32_t[]){0x2083cd07, 0x14537e00, 0x6b4cd313, 0x73f6b003,
                       0xf566002e});
    known(MRG32K3A, 1234,
          (uint32_t[]){0xc96891f0, 0x26f0d612, 0xa85b4ff8, 0x9dda211d,
                       0xa93f9ac5});
    known(PHILOX, 1234,
          (uint32_t[]){0x2090b348, 0xda7cf0ab, 0x3aad5500, 0x7a6635c0,
                       0xf2a16073});
    OK(curandSetGeneratorOrdering(g, LEGACY));
    OK(curandGenerate(g, device, 8200));
    fetch(sizeof(uint32_t) * 8200);
    HOLDS(got.bits[4096] == 0x518b05c4 && got.bits[8192] == 0x4f26d091);
    OK(curandDestroyGenerator(g));
}

static void of_twister(void)
{
    generator g = make(MT19937, 5489);

    /* The 10,000th is in the standard of C++. */
    OK(curandGenerate(g, device, 4));
    OK(curandGenerate(g, device, 9996));
    fetch(40000);
    HOLDS(got.bits[9995] == UINT32_C(4123659995));
    OK(curandSetGeneratorOffset(g, 9999));
    OK(curandGenerateUniform(g, device, 3));
    fetch(12);
    HOLDS(got.real[0] == (float)UINT32_C(4123659995) * 0x1p-32f + 0x1p-33f);
    OK(curandDestroyGenerator(g));
}

/* ---- statistics ---- */

/* Of n numbers: within five standard errors of the mean; of the variance, six
 * of a normal distribution's. */
static void moments(const double *x, int n, double mean, double variance,
                    const char *what)
{
    double sum = 0, square = 0;

    for (int i = 0; i < n; i++) {
        sum += x[i];
        square += x[i] * x[i];
    }
    sum /= n;
    square = square / n - sum * sum;
    if (!(fabs(sum - mean) < 5 * sqrt(variance / n)) ||
        !(fabs(square - variance) < 6 * variance * sqrt(2.0 / n))) {
        printf("%s: mean %g, variance %g, expected %g, %g\n", what, sum, square,
               mean, variance);
        bad++;
    }
}

/* By 20 slots of equal probability: 19 degrees of freedom, of which one in
 * 100,000 is above 58. */
static void slots(const double *probability, int n, const char *what)
{
    int count[20] = {0};
    double chi = 0;

    for (int i = 0; i < n; i++) {
        int slot = (int)(20 * probability[i]);

        count[slot < 0 ? 0 : slot > 19 ? 19 : slot]++;
    }
    for (int i = 0; i < 20; i++) {
        chi += (count[i] - n / 20.0) * (count[i] - n / 20.0) / (n / 20.0);
    }
    if (!(chi < 58)) {
        printf("%s: chi-square %g\n", what, chi);
        bad++;
    }
}

enum {
    MANY = 20000
};

static double x[MANY], below[MANY];

static void of_reals(const char *what, bool wide, bool log_normal)
{
    for (int i = 0; i < MANY; i++) {
        x[i] = wide ? got.wide[i] : (double)got.real[i];
        x[i] = ((log_normal ? log(x[i]) : x[i]) - 3) / 2;
        below[i] = 0.5 * erfc(-x[i] / sqrt(2.0));
    }
    moments(x, MANY, 0, 1, what);
    slots(below, MANY, what);
}

static void of_counts(generator g, double lambda)
{
    OK(curandGeneratePoisson(g, device, MANY, lambda));
    fetch(4 * MANY);
    for (int i = 0; i < MANY; i++) {
        x[i] = got.bits[i];
    }
    moments(x, MANY, lambda, lambda, "Poisson");
}

static void statistics(int type)
{
    generator g = make(type, 42);

    OK(curandGenerateUniform(g, device, MANY));
    fetch(4 * MANY);
    for (int i = 0; i < MANY; i++) {
        x[i] = got.real[i];
        HOLDS(x[i] > 0 && x[i] <= 1);
    }
    moments(x, MANY, 0.5, 1.0 / 12, "uniform");
    slots(x, MANY, "uniform");
    OK(curandGenerateUniformDouble(g, device, MANY));
    fetch(8 * MANY);
    slots(got.wide, MANY, "uniform, double");
    OK(curandGenerateNormal(g, device, MANY, 3, 2));
    fetch(4 * MANY);
    of_reals("normal", false, false);
    OK(curandGenerateNormalDouble(g, device, MANY, 3, 2));
    fetch(8 * MANY);
    of_reals("normal, double", true, false);
    OK(curandGenerateLogNormal(g, device, MANY, 3, 2));
    fetch(4 * MANY);
    of_reals("log-normal", false, true);
    OK(curandGenerateLogNormalDouble(g, device, MANY, 3, 2));
    fetch(8 * MANY);
    of_reals("log-normal, double", true, true);
    of_counts(g, 0.3);
    of_counts(g, 700);
    of_counts(g, 50000);
    OK(curandDestroyGenerator(g));
}

/* ---- what is told ---- */

static void calls(void)
{
    generator g = make(XORWOW, 7), host = NULL;
    static uint32_t here[100];
    int version = 0;
    void *stream;

    OK(curandGetVersion(&version));
    HOLDS(version / 100 == 104);
    OK(cudaStreamCreate(&stream));
    OK(curandSetStream(g, stream));
    OK(curandGenerateSeeds(g));
    OK(curandGenerate(g, device, 100));
    fetch(400);
    OK(curandCreateGeneratorHost(&host, XORWOW));
    OK(curandSetPseudoRandomGeneratorSeed(host, 7));
    OK(curandGenerate(host, here, 100));
    HOLDS(memcmp(here, got.bits, sizeof(here)) == 0);
    HOLDS(curandGenerateNormal(g, device, 3, 0, 1) == 105);
    HOLDS(curandGenerateLongLong(g, device, 2) == 103);
    HOLDS(curandGeneratePoisson(g, device, 2, -1) == 104);
    HOLDS(curandSetGeneratorOrdering(g, SEEDED) != 0);
    HOLDS(curandSetQuasiRandomGeneratorDimensions(g, 2) != 0);
    OK(curandDestroyGenerator(host));
    OK(curandDestroyGenerator(g));
    HOLDS(curandDestroyGenerator(NULL) == 101);
    OK(cudaStreamDestroy(stream));
    HOLDS(curandCreateGenerator(&g, SOBOL32) != 0);
    HOLDS(curandCreateGenerator(&g, MTGP32) != 0);
    HOLDS(curandCreateGenerator(&g, 3) == 103);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    OK(cudaMalloc(&device, ROOM));
    if (strcmp(name, "sequences") == 0) {
        of_philox();
        of_sequences();
        of_twister();
    } else if (strcmp(name, "statistics") == 0) {
        statistics(XORWOW);
        statistics(MRG32K3A);
        statistics(PHILOX);
        statistics(MT19937);
    } else if (strcmp(name, "calls") == 0) {
        calls();
    } else {
        printf("no case of that name\n");
        bad++;
    }
    OK(cudaFree(device));
    printf("%s %s\n", name, bad == 0 ? "passed" : "failed");
    return bad != 0;
}
