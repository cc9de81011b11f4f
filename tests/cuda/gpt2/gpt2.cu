/*
 * A GPT-2 that nvcc builds, with model.c and host_ops.c, trained on the device
 * and on the host.
 *
 * usage: gpt2 [LAYERS [HEADS [WIDTH [LENGTH [BATCH [STEPS]]]]]]
 */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#include "kernels.cu"

#define HOST_TO_DEVICE cudaMemcpyHostToDevice
#define DEVICE_TO_HOST cudaMemcpyDeviceToHost
#define DIM(x, y) dim3((unsigned)(x), (unsigned)(y))
#define LAUNCH(kernel, grid, block, args)                                      \
    OK(cudaLaunchKernel((const void *)kernel, grid, block, args, 0, 0))

#include "device_ops.h"

int main(int argc, char **argv)
{
    return compare_both(shape_of(argc - 1, argv + 1), &device_ops, &host_ops);
}
