/*
 * Generators: what they are told, and their states; what is not supported.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/rand/rand.h"

enum {
    STATE_WORDS = 6, /* of a thread, XORWOW and MRG32k3a */
    TWISTER_WORDS = 624
};

static const uint64_t rand_magic = 0x646e61726d6f6f6c;

bool loom_rand_is_there(const struct loom_rand *generator)
{
    return generator != NULL && generator->magic == rand_magic;
}

int loom_rand_refuse(atomic_bool *told, const char *function, const char *why)
{
    char text[400];

    if (!atomic_exchange(told, true)) {
        snprintf(text, sizeof(text),
                 "the program calls %s, which is not supported: %s "
                 "(docs/cuda-libraries.md lists what is)",
                 function, why);
        loom_cuda_complain(text);
    }
    return RAND_TYPE_ERROR;
}

#define REFUSE(why)                                                            \
    do {                                                                       \
        static atomic_bool told;                                               \
                                                                               \
        return loom_rand_refuse(&told, __func__, why);                         \
    } while (0)

static void of_order(struct loom_rand *generator)
{
    generator->threads =
        generator->type == RAND_MRG32K3A && generator->order != ORDER_LEGACY
            ? 81920
            : 4096;
    generator->seeded = false;
}

static int create(struct loom_rand **to, int type, bool on_host)
{
    static atomic_bool told[2];
    const char *name =
        on_host ? "curandCreateGeneratorHost" : "curandCreateGenerator";
    struct loom_rand *g;

    if (to == NULL) {
        return RAND_OUT_OF_RANGE;
    }
    *to = NULL;
    type = type == RAND_DEFAULT ? RAND_XORWOW : type;
    if (type == RAND_MTGP32) {
        return loom_rand_refuse(
            &told[0], name,
            "CURAND_RNG_PSEUDO_MTGP32, whose parameters are NVIDIA's");
    }
    if (type >= RAND_QUASI && type <= RAND_QUASI + 4) {
        return loom_rand_refuse(
            &told[1], name,
            "quasirandom numbers, whose direction vectors are NVIDIA's");
    }
    if (type != RAND_XORWOW && type != RAND_MRG32K3A && type != RAND_MT19937 &&
        type != RAND_PHILOX) {
        return RAND_TYPE_ERROR;
    }
    g = calloc(1, sizeof(*g));
    if (g == NULL) {
        return RAND_ALLOCATION_FAILED;
    }
    *g = (struct loom_rand){.magic = rand_magic,
                            .type = type,
                            .order = ORDER_DEFAULT,
                            .on_host = on_host};
    of_order(g);
    if (cudaMalloc((void **)&g->state, (size_t)81920 * STATE_WORDS *
                                           sizeof(*g->state)) != CUDA_OK ||
        (type == RAND_MT19937 &&
         cudaMalloc((void **)&g->words, RAND_WORDS * sizeof(*g->words)) !=
             CUDA_OK)) {
        cudaFree(g->state);
        free(g);
        return RAND_ALLOCATION_FAILED;
    }
    *to = g;
    return RAND_OK;
}

LOOM_CUDA(int, curandCreateGenerator, struct loom_rand **to, int type)
{
    return create(to, type, false);
}

/* Its numbers are made on the device, too, and copied. */
LOOM_CUDA(int, curandCreateGeneratorHost, struct loom_rand **to, int type)
{
    return create(to, type, true);
}

LOOM_CUDA(int, curandDestroyGenerator, struct loom_rand *generator)
{
    if (!loom_rand_is_there(generator)) {
        return RAND_NOT_INITIALIZED;
    }
    cudaFree(generator->state);
    cudaFree(generator->words);
    memset(generator, 0, sizeof(*generator));
    free(generator);
    return RAND_OK;
}

/* Those of the toolkits' releases: 10.2, 10.3, 10.4. */
LOOM_CUDA(int, curandGetVersion, int *version)
{
    if (version == NULL) {
        return RAND_OUT_OF_RANGE;
    }
    *version = 10000 + 100 * (loom_cuda_version() - 9);
    return RAND_OK;
}

LOOM_CUDA(int, curandGetProperty, int which, int *value)
{
    if (value == NULL || which < 0 || which > 2) {
        return RAND_OUT_OF_RANGE;
    }
    *value = which == 0 ? 10 : which == 1 ? loom_cuda_version() - 9 : 0;
    return RAND_OK;
}

LOOM_CUDA(int, curandSetStream, struct loom_rand *generator, void *stream)
{
    if (!loom_rand_is_there(generator)) {
        return RAND_NOT_INITIALIZED;
    }
    generator->stream = stream;
    return RAND_OK;
}

/* The position stays. */
LOOM_CUDA(int, curandSetPseudoRandomGeneratorSeed, struct loom_rand *generator,
          uint64_t seed)
{
    if (!loom_rand_is_there(generator)) {
        return RAND_NOT_INITIALIZED;
    }
    generator->seed = seed;
    generator->seeded = false;
    return RAND_OK;
}

LOOM_CUDA(int, curandSetGeneratorOffset, struct loom_rand *generator,
          uint64_t offset)
{
    if (!loom_rand_is_there(generator)) {
        return RAND_NOT_INITIALIZED;
    }
    generator->position = offset;
    generator->seeded = false;
    return RAND_OK;
}

LOOM_CUDA(int, curandSetGeneratorOrdering, struct loom_rand *generator,
          int order)
{
    if (!loom_rand_is_there(generator)) {
        return RAND_NOT_INITIALIZED;
    }
    if (order == ORDER_SEEDED) {
        REFUSE("CURAND_ORDERING_PSEUDO_SEEDED");
    }
    if (order < ORDER_BEST || order > ORDER_DYNAMIC) {
        return RAND_OUT_OF_RANGE;
    }
    generator->order = order;
    of_order(generator);
    return RAND_OK;
}

/* The states of all sequences, by the kernel that jumps to where they start. */
static int jump(struct loom_rand *g, const char *kernel, uint32_t *jumps,
                size_t bytes)
{
    void *on_device = NULL;
    int status = RAND_ALLOCATION_FAILED;

    if (jumps != NULL && cudaMalloc(&on_device, bytes) == CUDA_OK) {
        void *args[] = {&g->state, &g->threads, &g->seed, &g->position,
                        &on_device};

        status =
            cudaMemcpy(on_device, jumps, bytes, CUDA_HOST_TO_DEVICE) == CUDA_OK
                ? loom_rand_launch(g, kernel, g->threads, args)
                : RAND_INITIALIZATION_FAILED;
        cudaFree(on_device);
    }
    free(jumps);
    return status;
}

/* Knuth's, by Matsumoto and Nishimura. */
static int twister(struct loom_rand *g)
{
    uint32_t state[TWISTER_WORDS];

    state[0] = (uint32_t)g->seed;
    for (uint32_t i = 1; i < TWISTER_WORDS; i++) {
        state[i] = 1812433253 * (state[i - 1] ^ state[i - 1] >> 30) + i;
    }
    /* These are the words before the first of the sequence. */
    g->word = TWISTER_WORDS;
    return cudaMemcpy(g->state, state, sizeof(state), CUDA_HOST_TO_DEVICE) ==
                   CUDA_OK
               ? RAND_OK
               : RAND_INITIALIZATION_FAILED;
}

int loom_rand_start(struct loom_rand *g)
{
    uint32_t *jumps;
    size_t bytes;
    int status = RAND_OK;

    if (g->seeded || g->type == RAND_PHILOX) {
        return RAND_OK;
    }
    if (g->type == RAND_MT19937) {
        status = twister(g);
    } else if (g->type == RAND_XORWOW) {
        jumps = loom_rand_xorwow_jumps(&bytes);
        status = jump(g, "xorwow_start", jumps, bytes);
    } else {
        jumps = loom_rand_mrg32k3a_jumps(&bytes);
        status = jump(g, "mrg32k3a_start", jumps, bytes);
    }
    g->seeded = status == RAND_OK;
    return status;
}

LOOM_CUDA(int, curandGenerateSeeds, struct loom_rand *generator)
{
    return loom_rand_is_there(generator) ? loom_rand_start(generator)
                                         : RAND_NOT_INITIALIZED;
}

#define MISSING(name, why)                                                     \
    LOOM_CUDA(int, name, void)                                                 \
    {                                                                          \
        REFUSE(why);                                                           \
    }

/* clang-format off */
MISSING(curandSetQuasiRandomGeneratorDimensions, "quasirandom numbers")
MISSING(curandGetDirectionVectors32, "its vectors are NVIDIA's")
MISSING(curandGetDirectionVectors64, "its vectors are NVIDIA's")
MISSING(curandGetScrambleConstants32, "its constants are NVIDIA's")
MISSING(curandGetScrambleConstants64, "its constants are NVIDIA's")
MISSING(curandCreatePoissonDistribution, "its tables are NVIDIA's")
MISSING(curandDestroyDistribution, "there are none")
MISSING(curandGeneratePoissonMethod, "curandGeneratePoisson is")
/* clang-format on */
