/*
 * The PTX of an image, or why there is none.  The runtime's lock is held.
 */
#ifndef CUDA_TEXT_H
#define CUDA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/abi.h"

struct loom_cuda_text {
    char *ptx; /* [bytes], its owner's; NULL: there is none, and `error` says
                * so, or it is needed no more */
    size_t bytes;
    uint32_t arch; /* that it is for; 0: nobody says */
    int error;
    char *why; /* what is wrong; NULL: nothing, or no memory to say it */
    bool told; /* somebody has been told of it */
};

/* Reads what a wrapper has, or a module at `data`: PTX, a fat binary or its
 * wrapper.  What is wrong is told and noted. */
void loom_cuda_text_of_wrapper(struct loom_cuda_text *text,
                               const struct cuda_wrapper *wrapper);
void loom_cuda_text_of_module(struct loom_cuda_text *text, const char *data);

/* The error of an image that something is asked of, which is told if it was
 * not yet. */
int loom_cuda_text_error(struct loom_cuda_text *text);

#endif
