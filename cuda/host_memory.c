/*
 * Memory that the program and its kernels both use: cudaMallocManaged, mapped
 * cudaHostAlloc, and __managed__ variables; and pinned memory, which is the
 * host's alone.
 *
 * The run's device memory is not where its addresses say, so shared memory
 * exists twice: in the run, and mapped in the process at the very same
 * address.  Before a kernel, pages that the host has changed are copied to
 * the device; when the program waits, those that kernels have changed are
 * copied back.  Pages of 64 KiB are compared.  Copies of managed memory take
 * the time that copies take on the machine; those of mapped memory none.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cuda/runtime.h"

enum {
    PAGE = 65536,
    SYSTEM_PAGE = 4096,
    PINNED = 1,
    MANAGED = 3
};

struct shared {
    struct shared *next;
    char *at;       /* in the process; kind says what else it is */
    char *seen;     /* what the device has, as far as is known; NULL: pinned */
    uint64_t bytes; /* as asked for */
    uint64_t base;  /* of the run's allocation */
    int kind;
};

static struct {
    struct shared *first;
    bool launched; /* a kernel may have changed something */
} memory;

static size_t pages(uint64_t bytes)
{
    return (size_t)((bytes + SYSTEM_PAGE - 1) / SYSTEM_PAGE * SYSTEM_PAGE);
}

static struct shared *find(const void *at)
{
    for (struct shared *s = memory.first; s != NULL; s = s->next) {
        if ((const char *)at >= s->at && (const char *)at < s->at + s->bytes) {
            return s;
        }
    }
    return NULL;
}

/* Is a page of a variable or an allocation that is shared? */
static bool ours(const char *page)
{
    for (struct shared *s = memory.first; s != NULL; s = s->next) {
        if (s->seen != NULL && page < s->at + s->bytes &&
            s->at < page + SYSTEM_PAGE) {
            return true;
        }
    }
    return false;
}

int loom_cuda_shared_kind(const void *at)
{
    const struct shared *s = find(at);

    return s == NULL ? 0 : s->kind;
}

static struct shared *add(void *at, uint64_t bytes, int kind)
{
    struct shared *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        return NULL;
    }
    *s = (struct shared){memory.first, at, NULL, bytes, 0, kind};
    memory.first = s;
    return s;
}

/* What the device has, into `seen`; no copy to the machine. */
static int copy_all(struct shared *s)
{
    struct loom_cuda_copy copy = {.to = (uintptr_t)s->seen,
                                  .from = (uintptr_t)s->at,
                                  .width = (size_t)s->bytes,
                                  .height = 1,
                                  .depth = 1,
                                  .kind = CUDA_DEVICE_TO_HOST};

    return loom_cuda_copy_device(&copy, true);
}

/* Pages for [at, at + bytes); some may be there, of a variable before. */
static bool map(char *at, uint64_t bytes)
{
    char *first = (char *)((uintptr_t)at / SYSTEM_PAGE * SYSTEM_PAGE);

    for (char *page = first; page < at + bytes; page += SYSTEM_PAGE) {
        void *got =
            mmap(page, SYSTEM_PAGE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

        if (got != page && (got != MAP_FAILED || !ours(page))) {
            return false;
        }
    }
    return true;
}

int loom_cuda_share(uint64_t address, uint64_t bytes, int kind, void **at)
{
    char *want = (char *)(uintptr_t)address;
    char *seen = calloc(1, (size_t)bytes);
    struct shared *s;

    if (seen == NULL || !map(want, bytes) ||
        (s = add(want, bytes, kind)) == NULL) {
        free(seen);
        loom_cuda_tell("there is no room in the process for %llu bytes of "
                       "shared memory at 0x%llx",
                       (unsigned long long)bytes, (unsigned long long)address);
        return CUDA_OUT_OF_MEMORY;
    }
    s->seen = seen;
    *at = want;
    /* Variables have a value before anything is written. */
    if (copy_all(s) == CUDA_OK) {
        memcpy(want, seen, (size_t)bytes);
    }
    return CUDA_OK;
}

/* One page, or the rest of the allocation, from one side to the other. */
static int copy_page(struct shared *s, uint64_t offset, uint64_t bytes,
                     bool push, uint64_t stream)
{
    uint64_t device = (uintptr_t)s->at + offset;
    struct loom_cuda_copy copy = {.to = device,
                                  .from = device,
                                  .width = (size_t)bytes,
                                  .height = 1,
                                  .depth = 1,
                                  .kind = CUDA_HOST_TO_DEVICE,
                                  .stream_number = stream};

    if (!push) {
        copy.kind = CUDA_DEVICE_TO_HOST;
        copy.to = (uintptr_t)(s->seen + offset);
    }
    return loom_cuda_copy_device(&copy, s->kind != MANAGED);
}

int loom_cuda_push_shared(uint64_t stream)
{
    int error = CUDA_OK;

    memory.launched = memory.first != NULL;
    for (struct shared *s = memory.first; s != NULL; s = s->next) {
        for (uint64_t at = 0; s->seen != NULL && at < s->bytes; at += PAGE) {
            uint64_t bytes = s->bytes - at < PAGE ? s->bytes - at : PAGE;

            if (memcmp(s->at + at, s->seen + at, (size_t)bytes) != 0) {
                error = copy_page(s, at, bytes, true, stream);
                if (error != CUDA_OK) {
                    return error;
                }
                memcpy(s->seen + at, s->at + at, (size_t)bytes);
            }
        }
    }
    return CUDA_OK;
}

/* What the device has is read in one silent copy; the pages that differ are
 * then read again, in the machine's time. */
static int pull(struct shared *s)
{
    char *before = malloc((size_t)s->bytes);
    int error = CUDA_OK;

    if (before == NULL) {
        return CUDA_OUT_OF_MEMORY;
    }
    memcpy(before, s->seen, (size_t)s->bytes);
    error = copy_all(s);
    for (uint64_t at = 0; error == CUDA_OK && at < s->bytes; at += PAGE) {
        uint64_t bytes = s->bytes - at < PAGE ? s->bytes - at : PAGE;

        if (memcmp(before + at, s->seen + at, (size_t)bytes) != 0) {
            error = copy_page(s, at, bytes, false, 0);
            memcpy(s->at + at, s->seen + at, (size_t)bytes);
        }
    }
    free(before);
    return error;
}

int loom_cuda_pull_shared(void)
{
    int error = CUDA_OK;

    if (!memory.launched) {
        return CUDA_OK;
    }
    memory.launched = false;
    for (struct shared *s = memory.first; s != NULL; s = s->next) {
        if (s->seen != NULL && error == CUDA_OK) {
            error = pull(s);
        }
    }
    return error;
}

/* Forgets one that begins at `at`, and what it has. */
static int drop(void *at)
{
    struct loom_host_call call = {.name = NULL};
    struct shared **s = &memory.first, *found;
    int error = loom_cuda_pull_shared();

    while (*s != NULL && (*s)->at != (char *)at) {
        s = &(*s)->next;
    }
    found = *s;
    if (found == NULL || (found->seen != NULL && found->base == 0)) {
        return CUDA_INVALID_VALUE; /* nothing, or a variable */
    }
    *s = found->next;
    if (found->base != 0 && error == CUDA_OK) {
        error = LOOM_CUDA_ASK(&call, "free", found->base);
    }
    munmap(found->at, pages(found->bytes));
    free(found->seen);
    free(found);
    return error;
}

int loom_cuda_unshare(void *at)
{
    return drop(at);
}

/* Whole pages of device memory, for they are mapped. */
static int allocate_shared(void **at, size_t bytes, int kind)
{
    struct loom_host_call call = {.name = NULL};
    uint64_t base, start;
    int error;

    *at = NULL;
    if (bytes == 0 || bytes > UINT64_C(1) << 48) {
        return bytes == 0 ? CUDA_INVALID_VALUE : CUDA_OUT_OF_MEMORY;
    }
    error = LOOM_CUDA_ASK(&call, "alloc", pages(bytes) + SYSTEM_PAGE);
    if (error != CUDA_OK) {
        return error;
    }
    base = call.result[0];
    start = (base + SYSTEM_PAGE - 1) / SYSTEM_PAGE * SYSTEM_PAGE;
    error = loom_cuda_share(start, bytes, kind, at);
    if (error == CUDA_OK) {
        memory.first->base = base;
    } else {
        LOOM_CUDA_ASK(&call, "free", base);
    }
    return error;
}

static int allocate_pinned(void **at, size_t bytes)
{
    void *got = mmap(NULL, pages(bytes), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (got == MAP_FAILED || add(got, bytes, PINNED) == NULL) {
        return CUDA_OUT_OF_MEMORY;
    }
    *at = got;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaMallocManaged, void **at, size_t bytes, unsigned flags)
{
    int error;

    (void)flags;
    loom_cuda_lock();
    error = allocate_shared(at, bytes, MANAGED);
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaHostAlloc, void **at, size_t bytes, unsigned flags)
{
    int error;

    *at = NULL;
    if (bytes == 0) {
        return CUDA_OK;
    }
    loom_cuda_lock();
    error = flags & CUDA_HOST_MAPPED ? allocate_shared(at, bytes, PINNED)
                                     : allocate_pinned(at, bytes);
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaMallocHost, void **at, size_t bytes)
{
    return cudaHostAlloc(at, bytes, 0);
}

LOOM_CUDA(int, cudaFreeHost, void *at)
{
    int error;

    loom_cuda_lock();
    error = at == NULL ? CUDA_OK : drop(at);
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaHostGetDevicePointer, void **device, void *host,
          unsigned flags)
{
    const struct shared *s;

    (void)flags;
    loom_cuda_lock();
    s = find(host);
    loom_cuda_unlock();
    *device = host;
    if (s != NULL && s->seen != NULL) {
        return CUDA_OK;
    }
    loom_cuda_tell("cudaHostGetDevicePointer: kernels can use only memory of "
                   "cudaHostAlloc with cudaHostAllocMapped");
    return loom_cuda_done(CUDA_INVALID_VALUE);
}

LOOM_CUDA(int, cudaHostGetFlags, unsigned *flags, void *host)
{
    *flags = loom_cuda_shared_kind(host) == PINNED ? CUDA_HOST_MAPPED : 0;
    return loom_cuda_done(*flags != 0 ? CUDA_OK : CUDA_INVALID_VALUE);
}

/* Copies of registered memory are like any other. */
LOOM_CUDA(int, cudaHostRegister, void *at, size_t bytes, unsigned flags)
{
    if (flags & CUDA_HOST_MAPPED) {
        loom_cuda_tell("cudaHostRegister: kernels cannot use registered "
                       "memory; see cudaHostAlloc");
        return loom_cuda_done(CUDA_NOT_SUPPORTED);
    }
    return loom_cuda_done(at == NULL || bytes == 0 ? CUDA_INVALID_VALUE
                                                   : CUDA_OK);
}

LOOM_CUDA(int, cudaHostUnregister, void *at)
{
    return loom_cuda_done(at == NULL ? CUDA_INVALID_VALUE : CUDA_OK);
}

/* Managed memory moves when kernels and waits say so. */
LOOM_CUDA(int, cudaMemPrefetchAsync, const void *at, size_t bytes,
          uint64_t where, ...)
{
    (void)bytes, (void)where;
    return loom_cuda_done(
        loom_cuda_shared_kind(at) == MANAGED ? CUDA_OK : CUDA_INVALID_VALUE);
}

LOOM_CUDA(int, cudaMemAdvise, const void *at, size_t bytes, int advice, ...)
{
    (void)bytes, (void)advice;
    return loom_cuda_done(
        loom_cuda_shared_kind(at) == MANAGED ? CUDA_OK : CUDA_INVALID_VALUE);
}
