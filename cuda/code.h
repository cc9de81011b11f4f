/*
 * Machine code in fat binaries, of which only what compilers say of registers
 * and memory is read: cuda/cubin.h.
 */
#ifndef CUDA_CODE_H
#define CUDA_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "cuda/fatbin.h"

struct loom_cuda_code {
    char *bytes; /* the owner frees them; NULL: there is none */
    size_t size;
    uint32_t arch;
};

/* That beside PTX for `arch` in the container at `data`, which may be NULL:
 * for the compute capability of the machine, else the nearest.  That of
 * relocatable device code is as nvlink made it. */
void loom_cuda_read_code(const void *data, uint32_t arch,
                         struct loom_cuda_code *code);
/* Why a program with machine code and no PTX cannot run. */
void loom_cuda_no_ptx(const struct loom_fatbin *fatbin, char *text,
                      size_t room);

#endif
