/*
 * Relocatable device code (nvcc -rdc=true): the PTX of all translation units of
 * a program.
 *
 * The wrapper of such a program points to a list of containers, one for each
 * source file and library, that a NULL ends.  Beside them is what nvcc has
 * linked of their machine code, of which nothing is used here.
 */
#ifndef CUDA_LINKED_H
#define CUDA_LINKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/error.h"

struct loom_cuda_linked {
    char *text; /* one unit after the other; the caller frees it */
    size_t bytes;
    uint32_t units;   /* with PTX */
    uint32_t without; /* containers with machine code only */
    uint32_t arch;    /* the newest that is used */
};

/* False: a container is damaged, or the list. */
bool loom_cuda_linked_read(const void *list, struct loom_cuda_linked *linked,
                           struct loom_error *err);

/* Bytes that may be read from `at` on, by what the system says: fat binaries
 * say how long they are, and a damaged one must not be believed. */
size_t loom_cuda_readable(const void *at);

#endif
