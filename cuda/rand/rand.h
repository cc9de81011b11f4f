/*
 * cuRAND as kernels that run on the simulated GPU (docs/cuda-libraries.md):
 * what its files share.  Numbers are those of curand.h.
 *
 * The files from the top down: generate.c and generator.c with the functions
 * that programs call, jumps.c, kernels.c.
 */
#ifndef CUDA_RAND_RAND_H
#define CUDA_RAND_RAND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cuda/abi.h"
#include "cuda/calls.h"
#include "cuda/runtime.h"

enum {
    RAND_OK = 0,
    RAND_NOT_INITIALIZED = 101,
    RAND_ALLOCATION_FAILED = 102,
    RAND_TYPE_ERROR = 103,
    RAND_OUT_OF_RANGE = 104,
    RAND_LENGTH_NOT_MULTIPLE = 105,
    RAND_LAUNCH_FAILURE = 201,
    RAND_INITIALIZATION_FAILED = 203
};

enum {
    RAND_DEFAULT = 100,
    RAND_XORWOW = 101,
    RAND_MRG32K3A = 121,
    RAND_MTGP32 = 141,
    RAND_MT19937 = 142,
    RAND_PHILOX = 161,
    RAND_QUASI = 200 /* and above */
};

enum {
    ORDER_BEST = 100,
    ORDER_DEFAULT = 101,
    ORDER_SEEDED = 102,
    ORDER_LEGACY = 103,
    ORDER_DYNAMIC = 104
};

struct loom_rand {
    uint64_t magic;
    void *stream;
    int type;     /* RAND_XORWOW, .. */
    int order;    /* ORDER_DEFAULT, .. */
    bool on_host; /* results are wanted there */
    bool seeded;  /* what is in `state` is that of `position` */
    uint64_t seed;
    uint64_t position; /* of the next number */
    uint32_t threads;  /* that have a sequence each */
    uint32_t *state;   /* on the device */
    uint32_t *words;   /* on the device: MT19937's, RAND_WORDS of them */
    uint32_t word;     /* of MT19937's state, which is next */
};

/* ---- kernels.c ---- */

enum {
    RAND_BLOCK = 256, /* threads of a block */
    RAND_WORDS = 1 << 20
};

/* A status. */
int loom_rand_launch(const struct loom_rand *generator, const char *kernel,
                     uint64_t threads, void **args);

/* ---- jumps.c ---- */

/* The powers of the generators' matrices, as their kernels want them, which the
 * caller frees; NULL: no memory. */
uint32_t *loom_rand_xorwow_jumps(size_t *bytes);
uint32_t *loom_rand_mrg32k3a_jumps(size_t *bytes);

/* ---- generator.c ---- */

bool loom_rand_is_there(const struct loom_rand *generator);
/* A state for what is next, if there is none: a status. */
int loom_rand_start(struct loom_rand *generator);
/* Says once, in any case, what is not supported. */
int loom_rand_refuse(atomic_bool *told, const char *function, const char *why);

#endif
