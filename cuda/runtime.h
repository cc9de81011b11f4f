/*
 * The library's one state, and how its functions are written.
 *
 * A program has one runtime, so this is the only part with data at file
 * scope.  Every entry point that touches it holds the
 * lock, which one thread may take more than once.
 *
 *     LOOM_CUDA(int, cudaFree, void *at)
 *     {
 *         return loom_cuda_done(..);
 *     }
 *
 * declares and defines an exported function; docs/cuda.md lists those.
 *
 * The files from the top down: driver/, which is made of the other entry
 * points, of which graph_nodes.c, graph_run.c and graph_update.c stand above
 * array.c, that above copy.c, and that above capture.c and graph.c; start.c,
 * which starts the run when it is first asked; image.c, which loads what is
 * registered; shared.c; runtime.c; which.c.
 */
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#include <stdbool.h>

#include "engine/base.h"

#include "cuda/abi.h"
#include "cuda/calls.h"
#include "cuda/image.h"
#include "cuda/stream.h"
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

/* Asks a run that has been started; as loom_cuda_ask(). */
int loom_cuda_pass(struct loom_host_call *call);
/* The run is over, or could not be started. */
void loom_cuda_set_ended(void);

/* Notes an error as the thread's last one; returns it. */
int loom_cuda_done(int error);
/* Between these the thread is in a call of the driver API, which notes no
 * errors, and uses the runtime's functions. */
void loom_cuda_begin_driver(void);
void loom_cuda_end_driver(void);
/* Has this thread called the runtime since this was asked last? */
bool loom_cuda_take_runs(void);
/* The error that stays, once a kernel has failed; 0: none. */
int loom_cuda_sticky(void);

/* Told on stderr, unless --quiet; is it? */
bool loom_cuda_tell(const char *fmt, ...) LOOM_PRINTF(1, 2);
bool loom_cuda_tells(void);
void loom_cuda_be_quiet(void);
/* Told in any case. */
void loom_cuda_complain(const char *text);

/* CUDA's version that the program was built for: 11, 12 or 13. */
int loom_cuda_version(void);
void loom_cuda_set_version(int version);

enum {
    LOOM_CUDA_USER_ERROR = 1 /* a status to give up with */
};

/* Ends the program: nobody can go on. */
LOOM_NORETURN void loom_cuda_give_up(int status, const char *fmt, ...)
    LOOM_PRINTF(2, 3);
LOOM_NORETURN void loom_cuda_missing(const char *name);

/* ---- shared.c: memory that host and device share ---- */

enum {
    LOOM_CUDA_PAGE = 4096, /* is mapped as a whole */
    LOOM_CUDA_PINNED = 1,
    LOOM_CUDA_MANAGED = 3
};

/* Up to the next page. */
static inline uint64_t loom_cuda_pages(uint64_t bytes)
{
    return (bytes + LOOM_CUDA_PAGE - 1) / LOOM_CUDA_PAGE * LOOM_CUDA_PAGE;
}

enum loom_cuda_way {
    LOOM_CUDA_TO_DEVICE,
    LOOM_CUDA_TO_HOST,
    LOOM_CUDA_WITHIN,
    LOOM_CUDA_FILL
};

struct loom_cuda_transfer {
    uint64_t way, to, from, bytes;
    uint64_t stream; /* the run's number */
    bool silent;     /* is no copy to the machine */
};
/* Between host and device, nothing checked. */
int loom_cuda_transfer(struct loom_cuda_transfer transfer);

/* Before a kernel in `stream`: what the host has written goes to the
 * device.  And after waiting: what kernels have written comes back. */
int loom_cuda_push_shared(uint64_t stream);
int loom_cuda_pull_shared(void);
/* After a launch that is complete: the host sees what it has written, which is
 * copied back when the program waits. */
int loom_cuda_look_shared(void);
/* 0: the address is not of such memory; else one of the above. */
int loom_cuda_shared_kind(const void *at);
/* Start and bytes of what is allocated there; NULL: nothing. */
void *loom_cuda_shared_range(const void *at, uint64_t *bytes);
/* May kernels use it? */
bool loom_cuda_is_mapped(const void *at);
/* Makes device memory at `address` visible to the host, there: an error
 * number.  `base` is what is freed with it, 0: nothing, it is a variable. */
int loom_cuda_share(uint64_t address, uint64_t bytes, int kind, uint64_t base,
                    void **at);
/* Allocates memory of the host that kernels may use. */
int loom_cuda_pin(size_t bytes, void **at);
/* The same of memory that the program has. */
int loom_cuda_register(void *at, size_t bytes);
int loom_cuda_unregister(void *at);
/* Frees pinned or managed memory. */
int loom_cuda_unshare(void *at);

/* ---- start.c ---- */

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
/* A run is there, and what the program registers is loaded. */
int loom_cuda_need_images(void);
/* The kernel of a stub, ready to launch; an error number. */
int loom_cuda_find_kernel(const void *host, struct loom_cuda_kernel **kernel);
/* Address and bytes of a device variable, by its host shadow. */
int loom_cuda_find_symbol(const void *host, uint64_t *address, uint64_t *bytes);

/* ---- devices.c ---- */

/* The thread's device may reach another, or not any more; an error number. */
int loom_cuda_peer(int other, bool wanted);

/* ---- device.c ---- */

/* The machine's compute capability, or that of the program's PTX. */
int loom_cuda_capability(uint32_t *capability);

/* ---- library.c ---- */

/* Options of a compiler, which has an error log, as programs give them. */
struct loom_cuda_jit {
    const int *option; /* [options] */
    void **value;
    unsigned options;
};
/* Load a module; they note an error as the thread's last. */
int loom_cuda_module(struct loom_cuda_image **module, const void *data,
                     struct loom_cuda_jit jit);
int loom_cuda_module_file(struct loom_cuda_image **module, const char *path,
                          struct loom_cuda_jit jit);
/* What a file holds, with a zero, which the caller frees; NULL: it cannot be
 * read, which has been told. */
char *loom_cuda_read_file(const char *path, size_t *bytes);

/* ---- launch.c ---- */

struct loom_cuda_launch {
    struct cuda_dim3 grid, block;
    size_t shared_bytes, packed_bytes;
    void *stream;
    bool cooperative;
    int device;         /* of what is kept */
    uint8_t begins;     /* 1: soon, in a graph; 2: early, programmatic */
    uint64_t cluster;   /* CTAs, 11 bits each dimension; 0: not given */
    void **args;        /* one address for each parameter; or */
    const void *packed; /* all of them, as the kernel has them */
};
/* Notes an error as the thread's last. */
int loom_cuda_launch(const void *handle, struct loom_cuda_launch how);
/* `extra` of a launch: its parameters in one buffer, with their bytes. */
int loom_cuda_read_extra(void **extra, struct loom_cuda_launch *how);
void loom_cuda_attributes(const struct cuda_launch_attribute *attribute,
                          uint32_t count, struct loom_cuda_launch *how);
struct loom_cuda_work;
/* What a launch is, with its arguments as they are now: graph.h. */
int loom_cuda_launch_keep(const void *handle, struct loom_cuda_launch how,
                          struct loom_cuda_work *work);

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
/* Of a symbol, its bytes from `offset` on. */
struct loom_cuda_part {
    const void *symbol;
    size_t bytes, offset;
};
/* What the copy to or from it is. */
int loom_cuda_copy_symbol(struct loom_cuda_part part, const void *other,
                          int kind, bool to, struct loom_cuda_copy *copy);

struct loom_cuda_fill {
    uint64_t at;
    uint32_t value;
    size_t unit;               /* bytes of the value: 1, 2 or 4 */
    struct cuda_extent extent; /* its width in bytes */
    size_t pitch, slice;
    void *stream;
};
/* Likewise. */
int loom_cuda_fill(struct loom_cuda_fill fill);

/* ---- array.c ---- */

int loom_cuda_copy3d(const struct cuda_copy3d *p, struct loom_cuda_copy *copy);

struct loom_cuda_place {
    uint64_t address;
    size_t texel, pitch, slice, bytes; /* `bytes`: all of it */
};
int loom_cuda_array_place(struct cuda_array *array,
                          struct loom_cuda_place *place);

#endif
