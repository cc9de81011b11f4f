/*
 * A GPT-2 whose kernels are in a file of PTX, trained on the device and on the
 * host: what CI runs, which has no nvcc.
 *
 * usage: gpt2 FILE.ptx [LAYERS [HEADS [WIDTH [LENGTH [BATCH [STEPS]]]]]]
 */
#include <stdio.h>
#include <stdlib.h>

#include "cuda/abi.h"

int cudaMalloc(void **at, size_t bytes);
int cudaFree(void *at);
int cudaMemset(void *at, int value, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaLibraryLoadFromFile(void **library, const char *path, void *a, void *b,
                            unsigned count, void *c, void *d, unsigned n);
int cudaLibraryGetKernel(void **kernel, void *library, const char *name);
int cudaLaunchKernel(const void *kernel, struct cuda_dim3 grid,
                     struct cuda_dim3 block, void **args, size_t shared_bytes,
                     void *stream);

#define HOST_TO_DEVICE CUDA_HOST_TO_DEVICE
#define DEVICE_TO_HOST CUDA_DEVICE_TO_HOST
#define DIM(x, y) ((struct cuda_dim3){(uint32_t)(x), (uint32_t)(y), 1})
#define LAUNCH(kernel, grid, block, args)                                      \
    OK(cudaLaunchKernel(kernel_of(#kernel), grid, block, args, 0, NULL))

static void *library;

static const void *kernel_of(const char *name)
{
    void *kernel = NULL;

    if (cudaLibraryGetKernel(&kernel, library, name) != 0) {
        printf("FAILED: no kernel '%s'\n", name);
        exit(1);
    }
    return kernel;
}

#include "device_ops.h"

int main(int argc, char **argv)
{
    if (argc < 2) {
        return 2;
    }
    OK(cudaLibraryLoadFromFile(&library, argv[1], NULL, NULL, 0, NULL, NULL,
                               0));
    return compare_both(shape_of(argc - 2, argv + 2), &device_ops, &host_ops);
}
