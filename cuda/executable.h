/*
 * The file of the program that runs: its symbol table, and whether nvcc has
 * made it.
 */
#ifndef CUDA_EXECUTABLE_H
#define CUDA_EXECUTABLE_H

#include "cuda/elf.h"

/* One symbol table of a file, mapped into memory. */
struct loom_cuda_executable {
    struct loom_elf elf;
    uint64_t symbol, symbols; /* where, how many; 0: it is stripped */
    uint64_t name, name_bytes;
    bool kernels;   /* has sections of fat binaries */
    bool segment;   /* has what is registered of them */
    bool registers; /* asks a library to register them */
    bool driver;    /* asks the driver for something */
};

struct loom_cuda_function {
    const char *name; /* in the file */
    uint64_t address; /* as linked */
    uint64_t bytes;
};

/* False: there is none, or it is not of this kind of processor. */
bool loom_cuda_executable_open(const char *path,
                               struct loom_cuda_executable *file);
void loom_cuda_executable_close(struct loom_cuda_executable *file);

/* Is symbol `number` a function that is defined in the file? */
bool loom_cuda_executable_function(const struct loom_cuda_executable *file,
                                   uint64_t number,
                                   struct loom_cuda_function *function);

#endif
