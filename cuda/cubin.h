/*
 * What a compiler says of a kernel in its machine code, an ELF file for one
 * architecture: how many registers and how much memory a thread or a block
 * has.  The code itself is not looked at.
 *
 * NVIDIA does not document the format; what is read here was found by comparing
 * what nvcc 13.0 writes for sm_75 to sm_120 with what ptxas -v says.
 */
#ifndef CUDA_CUBIN_H
#define CUDA_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loom_cubin_kernel {
    uint32_t registers;    /* per thread */
    uint32_t shared_bytes; /* static */
    uint32_t local_bytes;  /* per thread, with what it calls */
};

/* False: the file has no such kernel, or is damaged where that would be. */
bool loom_cubin_find(const void *bytes, size_t size, const char *name,
                     struct loom_cubin_kernel *kernel);

#endif
