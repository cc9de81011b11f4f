/*
 * What a stream's handle is.
 */
#ifndef CUDA_STREAM_H
#define CUDA_STREAM_H

#include "cuda/abi.h"
#include "cuda/which.h"

#define LOOM_CUDA_STREAM_MAGIC 0x6d72747364756300 /* "\0cudstrm" */

struct cuda_stream {
    uint64_t magic, number;
    unsigned flags;
    int priority;
    char attribute[64]; /* cudaLaunchAttributeValue: kept, no more */
    int attribute_id;   /* 0: none */
};

/* The run's number of a stream in *number, or an error. */
static inline int loom_cuda_stream(const void *handle, uint64_t *number)
{
    const struct cuda_stream *stream = handle;

    if ((uintptr_t)handle <= CUDA_STREAM_PER_THREAD) {
        *number = loom_cuda_default_stream(loom_cuda_device());
        return CUDA_OK;
    }
    if ((uintptr_t)handle % sizeof(uint64_t) != 0 ||
        stream->magic != LOOM_CUDA_STREAM_MAGIC) {
        return CUDA_INVALID_HANDLE;
    }
    *number = stream->number;
    return CUDA_OK;
}

#endif
