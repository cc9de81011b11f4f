/*
 * Cases of api_test.c about kernels that launch kernels.
 */
#ifndef TESTS_CUDA_API_CHILDREN_H
#define TESTS_CUDA_API_CHILDREN_H

#include "tests/cuda/stubs.h"

static const char branch; /* a shadow: only its address matters */

/* A kernel whose CTAs launch two more of it each, down to a depth. */
static void launch_branches(uint32_t *count, uint32_t depth, uint32_t shared)
{
    void *args[] = {&count, &depth, &shared};

    OK(cudaMemset(count, 0, 4));
    OK(stub_launch(&branch, 1, 1, 0, NULL, args));
}

static void case_children(void)
{
    uint32_t *count, seen = 0;

    OK(cudaMalloc((void **)&count, 4));
    for (uint32_t depth = 0; depth < 5; depth++) {
        launch_branches(count, depth, 1024);
        OK(cudaMemcpy(&seen, count, 4, CUDA_DEVICE_TO_HOST));
        HOLDS(seen == (2u << depth) - 1);
    }
}

/* What is launched needs more than an SM has: the run ends. */
static void case_large_children(void)
{
    uint32_t *count;

    OK(cudaMalloc((void **)&count, 4));
    launch_branches(count, 1, 1 << 20);
}

#endif
