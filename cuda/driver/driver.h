/*
 * The driver API, on the functions of the runtime.
 *
 *     LOOM_CUDA(int, cuMemFree_v2, uint64_t at)
 *     {
 *         return LOOM_DRIVEN(cudaFree(pointer(at)));
 *     }
 *
 * answers what the function in it does, in the driver's error numbers, if the
 * program has called cuInit() and its thread has a context.  Both APIs have one
 * device memory and one set of streams, and the same handles: a CUfunction or
 * CUkernel is what the runtime takes where it expects a stub's address, a
 * CUmodule or CUlibrary is an image.
 *
 * Names are those that cuda.h maps programs' names to: cuMemFree is
 * cuMemFree_v2.  What has the plain name then is of CUDA before 3.2.
 */
#ifndef CUDA_DRIVER_DRIVER_H
#define CUDA_DRIVER_DRIVER_H

#include "cuda/driver/abi.h"
#include "cuda/runtime.h"

#define LOOM_DRIVEN(call)                                                      \
    (loom_driver_begin() ? loom_driver_end(call) : loom_driver_refusal())
/* Without a context. */
#define LOOM_DRIVEN_BARE(call)                                                 \
    (loom_driver_begin_bare() ? loom_driver_end(call) : CUDA_INITIALIZATION)

bool loom_driver_begin(void);
bool loom_driver_begin_bare(void);
/* The driver's number for an error of the runtime's. */
int loom_driver_end(int error);
int loom_driver_refusal(void);

/* The context of the thread, or NULL. */
struct loom_driver_context;
struct loom_driver_context *loom_driver_current(void);
/* The same if it is on that device; else the one there that the runtime uses.
 */
struct loom_driver_context *loom_driver_context_on(int device);

/* Of a symbol, by the names that programs use: as cuGetProcAddress, whose
 * answers these are; flag 2 is for streams of threads. */
enum loom_driver_entry {
    LOOM_DRIVER_FOUND,
    LOOM_DRIVER_UNKNOWN,
    LOOM_DRIVER_LATER /* than the version */
};
enum loom_driver_entry loom_driver_entry(const char *symbol, int version,
                                         uint64_t flags, void **function);

static inline void *loom_driver_pointer(uint64_t at)
{
    return (void *)(uintptr_t)at;
}

/* Puts the textures into the variables of references that have changed: before
 * a launch. */
int loom_driver_bind_references(void);
/* References into a module go with it. */
void loom_driver_forget_references(const struct loom_cuda_image *module);

/* Are what is read of these integers fractions, unless `flags` say so? */
bool loom_driver_fractions(const struct cuda_channel *channel, uint32_t flags);

/* CU_TRSF_.. */
enum {
    LOOM_DRIVER_READ_AS_INTEGER = 1,
    LOOM_DRIVER_NORMALIZED = 2
};

/* CUmemorytype, of sides of copies */
enum {
    LOOM_DRIVER_HOST = 1,
    LOOM_DRIVER_DEVICE,
    LOOM_DRIVER_ARRAY,
    LOOM_DRIVER_ANY
};

/* What a copy of boxes is; an error number. */
int loom_driver_copy_box(const struct driver_copy3d *p,
                         struct loom_cuda_copy *copy);

/* False: there is no such format. */
bool loom_driver_channel(uint32_t format, uint32_t channels,
                         struct cuda_channel *channel);

#endif
