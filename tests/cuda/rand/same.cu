/*
 * Numbers of cuRAND: each generator, with requests of all kinds in between, to
 * stdout, as bytes.  Generators are those for the host, which NVIDIA's library
 * runs on a CPU: what it writes is compared with what ours does.
 */
#include <curand.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    COUNT = 300000
};

static char room[COUNT * 8];

/* To four decimals: sines and logarithms differ in the last digits. */
static void put_real(const char *what, double x)
{
    printf("%s %.4f\n", what, x + 0.0);
}

static void bits(curandGenerator_t g, size_t count)
{
    curandGenerate(g, (unsigned *)room, count);
    for (size_t i = 0; i < count; i++) {
        printf("%08x\n", ((unsigned *)room)[i]);
    }
}

static void one(curandRngType_t type, int order, unsigned long long seed)
{
    const float *f = (const float *)room;
    const double *d = (const double *)room;
    curandGenerator_t g;

    if (curandCreateGeneratorHost(&g, type) != 0) {
        exit(1);
    }
    printf("generator %d, order %d, seed %llu\n", (int)type, order, seed);
    curandSetGeneratorOrdering(g, (curandOrdering_t)order);
    curandSetPseudoRandomGeneratorSeed(g, seed);
    bits(g, COUNT);
    bits(g, 37);
    curandSetGeneratorOffset(g, 12345678901ull);
    bits(g, 5000);
    curandSetGeneratorOffset(g, 1);
    curandGenerateUniform(g, (float *)room, 9001);
    for (int i = 0; i < 9001; i++) {
        printf("uniform %.9g\n", (double)f[i]);
    }
    curandSetGeneratorOffset(g, 0);
    curandGenerateUniformDouble(g, (double *)room, 9000);
    for (int i = 0; i < 9000; i++) {
        printf("double %.17g\n", d[i]);
    }
    bits(g, 1000);
    curandSetGeneratorOffset(g, 0);
    curandGenerateNormal(g, (float *)room, 20000, 0, 1);
    for (int i = 0; i < 20000; i++) {
        put_real("normal", (double)f[i]);
    }
    bits(g, 1000);
    curandSetGeneratorOffset(g, 0);
    curandGenerateNormalDouble(g, (double *)room, 20000, 0, 1);
    for (int i = 0; i < 20000; i++) {
        put_real("normal double", d[i]);
    }
    bits(g, 1000);
    curandDestroyGenerator(g);
}

int main(void)
{
    static const curandRngType_t types[] = {CURAND_RNG_PSEUDO_XORWOW,
                                            CURAND_RNG_PSEUDO_MRG32K3A,
                                            CURAND_RNG_PSEUDO_PHILOX4_32_10};

    for (int i = 0; i < 3; i++) {
        one(types[i], CURAND_ORDERING_PSEUDO_DEFAULT, 0);
        one(types[i], CURAND_ORDERING_PSEUDO_LEGACY, 0x123456789abcdefull);
    }
    return 0;
}
