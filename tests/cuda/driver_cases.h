/*
 * What the cases of driver_test.c and driver_memory.c share.
 */
#ifndef TESTS_CUDA_DRIVER_CASES_H
#define TESTS_CUDA_DRIVER_CASES_H

#include <string.h>

#include "tests/cuda/driver_calls.h"
#include "tests/cuda/stub_link.h"

enum {
    ELEMENTS = 1000
};

/* The PTX of most cases. */
static inline char *kernels(void)
{
    return stub_read(getenv("TEST_PTX"));
}

static inline void begin(void)
{
    void *context;
    int device;

    DRIVER_OK(cuInit(0));
    DRIVER_OK(cuDeviceGet(&device, 0));
    DRIVER_OK(cuCtxCreate_v2(&context, 0, device));
}

/* 0, 1, 2, .. */
static inline address floats_on_device(void)
{
    float values[ELEMENTS];
    address at;

    for (int i = 0; i < ELEMENTS; i++) {
        values[i] = (float)i;
    }
    DRIVER_OK(cuMemAlloc_v2(&at, sizeof(values)));
    DRIVER_OK(cuMemcpyHtoD_v2(at, values, sizeof(values)));
    return at;
}

static inline void check_floats(address at, float factor, float add)
{
    float values[ELEMENTS];

    DRIVER_OK(cuMemcpyDtoH_v2(values, at, sizeof(values)));
    for (int i = 0; i < ELEMENTS; i++) {
        DRIVER_HOLDS(values[i] == factor * (float)i + add);
    }
}

/* driver_memory.c */
void case_memory(void);
void case_boxes(void);
void case_managed(void);
void case_texture(void);
void case_streams(void);
/* driver_virtual.c */
void case_virtual(void);
/* driver_graph.c */
void case_graph(void);

#endif
