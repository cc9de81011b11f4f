/*
 * The library's one state, and how its functions are written.
 *
 * A program has one runtime, so this is the only part with data at file
 * scope; runtime.c holds it.  Every entry point that touches it holds the
 * lock, which one thread may take more than once.
 *
 *     LOOM_CUDA(int, cudaFree, void *at)
 *     {
 *         return loom_cuda_done(..);
 *     }
 *
 * declares and defines an exported function; docs/cuda.md lists those.
 */
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#include <stdbool.h>

#include "engine/base.h"

#include "cuda/abi.h"
#include "lua/host.h"

#define LOOM_CUDA(type, name, ...)                                             \
    type name(__VA_ARGS__);                                                    \
    type name(__VA_ARGS__)

/* Another name of an exported function: for streams of threads (_ptsz, _ptds),
 * which are the default stream here, and of older versions. */
#define LOOM_CUDA_ALIAS(name, target)                                          \
    extern __typeof__(target) name __attribute__((alias(#target)))

void loom_cuda_lock(void);
void loom_cuda_unlock(void);

/* Asks the run; starts it at the first time.  Returns an error number, which
 * is not yet the thread's last error.  Texts in `call` are valid until the
 * lock is let go. */
int loom_cuda_ask(struct loom_host_call *call, const char *name,
                  const uint64_t *arg, uint32_t args);
#define LOOM_CUDA_ASK(call, name, ...)                                         \
    loom_cuda_ask(call, name, (const uint64_t[]){__VA_ARGS__},                 \
                  sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
int loom_cuda_ask_text(struct loom_host_call *call, const char *name,
                       const void *text, size_t bytes);

/* Notes an error as the thread's last one; returns it. */
int loom_cuda_done(int error);
/* The error that stays, once a kernel has failed; 0: none. */
int loom_cuda_sticky(void);

/* Told on stderr, unless --quiet; is it? */
bool loom_cuda_tell(const char *fmt, ...) LOOM_PRINTF(1, 2);
bool loom_cuda_tells(void);
/* Told in any case. */
void loom_cuda_complain(const char *text);

/* CUDA's version that the program was built for: 11, 12 or 13. */
int loom_cuda_version(void);

/* Ends the program: nobody can go on. */
LOOM_NORETURN void loom_cuda_give_up(int status, const char *fmt, ...)
    LOOM_PRINTF(2, 3);
LOOM_NORETURN void loom_cuda_missing(const char *name);

/* ---- image.c: what programs register ---- */

struct loom_cuda_kernel {
    const void *host; /* the stub's address, its key */
    const char *name; /* of the device function */
    struct loom_cuda_image *image;
    uint64_t number; /* of the run; 0: not asked for yet */
    uint32_t registers, shared_bytes, local_bytes, max_threads;
    uint32_t param_bytes, params;
    uint32_t *place;            /* [2 * params] offset and bytes of each */
    int32_t max_dynamic_shared; /* as the program has set it, or 0 */
};

/* Loads all that is registered; at start, and when more comes later. */
void loom_cuda_load_images(void);
/* The kernel of a stub, ready to launch; an error number. */
int loom_cuda_find_kernel(const void *host, struct loom_cuda_kernel **kernel);
/* Address and bytes of a device variable, by its host shadow. */
int loom_cuda_find_symbol(const void *host, uint64_t *address, uint64_t *bytes);
/* Does a texture reference give integers as fractions? */
bool loom_cuda_normalized_read(const void *host);
/* The newest architecture of the program's PTX: 75. */
uint32_t loom_cuda_architecture(void);

/* ---- stream.c ---- */

/* The run's number of a stream in *number, or an error. */
int loom_cuda_stream(const void *stream, uint64_t *number);

/* ---- host_memory.c: memory that host and device share ---- */

/* Before a kernel in `stream`: what the host has written goes to the
 * device.  And after waiting: what kernels have written comes back. */
int loom_cuda_push_shared(uint64_t stream);
int loom_cuda_pull_shared(void);
/* 0: the address is not of such memory; else 1 pinned, 3 managed. */
int loom_cuda_shared_kind(const void *at);
/* Frees pinned, managed or mapped memory. */
int loom_cuda_unshare(void *at);
/* Makes device memory at `address` visible to the host, there: an error
 * number. */
int loom_cuda_share(uint64_t address, uint64_t bytes, int kind, void **at);

/* ---- copy.c ---- */

struct loom_cuda_copy {
    uint64_t to, from; /* addresses of device or host */
    size_t width, height, depth;
    size_t to_pitch, from_pitch, to_slice, from_slice;
    int kind;
    const void *stream;
    uint64_t stream_number; /* filled in */
    bool async;
};
/* Checks and does it; notes an error as the thread's last. */
int loom_cuda_copy(struct loom_cuda_copy copy);
/* Between host and device as `kind` says, nothing checked, in stream_number; a
 * silent one is no copy to the machine. */
int loom_cuda_copy_device(const struct loom_cuda_copy *copy, bool silent);

/* ---- array.c ---- */

/* Where one side of a three-dimensional copy begins, in *address, and its
 * pitch and slice, in those of copy->to_; the width becomes bytes. */
int loom_cuda_side(const struct cuda_pitched *plain, struct cuda_array *array,
                   const struct cuda_position *position,
                   struct loom_cuda_copy *copy, uint64_t *address);
/* Bytes of an array's texels; 1 for none. */
size_t loom_cuda_texel(struct cuda_array *array);

#endif
