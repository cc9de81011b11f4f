/*
 * Which devices there are, and which of them a thread uses.
 */
#ifndef CUDA_WHICH_H
#define CUDA_WHICH_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LOOM_CUDA_DEVICES = 16 /* at most: --devices */
};

/* Before main(); what is wrong with it is told when the run starts. */
void loom_cuda_set_devices(long count);
int loom_cuda_devices(void);
bool loom_cuda_is_device(int device);
/* The thread's: the first one, until it uses another. */
int loom_cuda_device(void);
void loom_cuda_use_device(int device);

/* A stream's number has its device above 32 bits; what is below is 0 for the
 * device's default stream. */
static inline uint64_t loom_cuda_default_stream(int device)
{
    return (uint64_t)(unsigned)device << 32;
}

static inline bool loom_cuda_is_default(uint64_t number)
{
    return (uint32_t)number == 0;
}

static inline int loom_cuda_device_of(uint64_t number)
{
    return (int)(number >> 32);
}

/* Is what is given to this stream over when the call returns?  That is so in
 * the default stream, unless other devices could work meanwhile. */
bool loom_cuda_waits(uint64_t number);

#endif
