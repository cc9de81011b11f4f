/*
 * What host and device share, and how it stays the same on both sides.
 *
 * The run's device memory is not where its addresses say, so shared memory
 * exists twice: in the run, and mapped in the process at the very same
 * address.  Before a kernel, pages that the host has changed are copied to
 * the device; when the program waits, those that kernels have changed are
 * copied back.  Pages of 64 KiB are compared.  Copies of managed memory take
 * the time that copies take on the machine; those of variables none.
 *
 * What the host has changed meanwhile stays, byte by byte, and goes to the
 * device later; where both have changed a byte the kernel's is taken, which is
 * told once.  A launch that is complete when it returns is seen at once, so
 * that the host then goes on from what it has made; its pages are copied in the
 * machine's time when the program waits.
 *
 * Pinned memory exists once: kernels use it where it is in the process.
 *
 * The run is there: variables are shared while it starts.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cuda/runtime.h"

enum {
    PAGE = 65536
};

/* Where pinned memory begins; it ends where machines that are saved may lie
 * (engine/image_private.h: LOOM_IMAGE_FIRST). */
#define PINNED (UINT64_C(1) << 45)

struct shared {
    struct shared *next;
    char *at;       /* in the process; kind says what else it is */
    char *seen;     /* what the device has, as far as is known; NULL: pinned */
    uint64_t bytes; /* as asked for */
    uint64_t base;  /* of the run's allocation */
    bool *owed;     /* pages that are there, but have not taken their time */
    int kind;
    bool registered; /* it is the program's own */
};

static struct {
    struct shared *first;
    bool launched; /* a kernel may have changed something */
    bool owing;    /* some page is owed */
    bool told;     /* that host and device have both written somewhere */
} memory;

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
            s->at < page + LOOM_CUDA_PAGE) {
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

void *loom_cuda_shared_range(const void *at, uint64_t *bytes)
{
    const struct shared *s = find(at);

    *bytes = s == NULL ? 0 : s->bytes;
    return s == NULL ? NULL : s->at;
}

bool loom_cuda_is_mapped(const void *at)
{
    const struct shared *s = find(at);

    return s != NULL && (s->seen != NULL || s->kind == LOOM_CUDA_PINNED);
}

static struct shared *add(void *at, uint64_t bytes, int kind)
{
    struct shared *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        return NULL;
    }
    *s = (struct shared){
        .next = memory.first, .at = at, .bytes = bytes, .kind = kind};
    memory.first = s;
    return s;
}

/* Where nothing else is, so that kernels see the same addresses in each run; if
 * there is something, anywhere. */
static void *map_pinned(size_t bytes)
{
    static char *next = (char *)PINNED; /* the lock is held */
    void *got = mmap(next, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (got != next && got != MAP_FAILED) { /* an old kernel: a hint */
        return got;
    }
    if (got == MAP_FAILED) {
        return mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    next += bytes + LOOM_CUDA_PAGE;
    return got;
}

/* Kernels use it where it is. */
static int adopt(void *at, size_t bytes, bool registered)
{
    struct loom_host_call call = {
        .name = "adopt",
        .arg = {(uintptr_t)at, bytes, (uint64_t)loom_cuda_device()},
        .args = 3};
    int error = loom_cuda_pass(&call);
    struct shared *s =
        error == CUDA_OK ? add(at, bytes, LOOM_CUDA_PINNED) : NULL;

    if (s == NULL) {
        return error != CUDA_OK ? error : CUDA_OUT_OF_MEMORY;
    }
    s->base = (uintptr_t)at;
    s->registered = registered;
    return CUDA_OK;
}

int loom_cuda_pin(size_t bytes, void **at)
{
    size_t mapped = (size_t)loom_cuda_pages(bytes);
    void *got = map_pinned(mapped);
    int error;

    if (got == MAP_FAILED) {
        return CUDA_OUT_OF_MEMORY;
    }
    error = adopt(got, bytes, false);
    if (error != CUDA_OK) {
        munmap(got, mapped);
        return error;
    }
    *at = got;
    return CUDA_OK;
}

int loom_cuda_register(void *at, size_t bytes)
{
    for (struct shared *s = memory.first; s != NULL; s = s->next) {
        if ((char *)at < s->at + s->bytes && s->at < (char *)at + bytes) {
            return CUDA_ALREADY_REGISTERED;
        }
    }
    return adopt(at, bytes, true);
}

int loom_cuda_transfer(struct loom_cuda_transfer t)
{
    struct loom_host_call call = {
        .name = t.silent ? "peek" : "copy",
        .arg = {t.way, t.to, t.from, t.bytes, 1, 1, [10] = t.stream},
        .args = 11};

    return loom_cuda_pass(&call);
}

/* What the device has, into `seen`; no copy to the machine. */
static int copy_all(struct shared *s)
{
    return loom_cuda_transfer(
        (struct loom_cuda_transfer){.way = LOOM_CUDA_TO_HOST,
                                    .to = (uintptr_t)s->seen,
                                    .from = (uintptr_t)s->at,
                                    .bytes = s->bytes,
                                    .silent = true});
}

/* Pages for [at, at + bytes); some may be there, of a variable before. */
static bool map(char *at, uint64_t bytes)
{
    char *first = (char *)((uintptr_t)at / LOOM_CUDA_PAGE * LOOM_CUDA_PAGE);

    for (char *page = first; page < at + bytes; page += LOOM_CUDA_PAGE) {
        void *got =
            mmap(page, LOOM_CUDA_PAGE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

        if (got != page && (got != MAP_FAILED || !ours(page))) {
            return false;
        }
    }
    return true;
}

int loom_cuda_share(uint64_t address, uint64_t bytes, int kind, uint64_t base,
                    void **at)
{
    char *want = (char *)(uintptr_t)address;
    char *seen = calloc(1, (size_t)bytes);
    bool *owed = calloc((size_t)(bytes / PAGE) + 1, sizeof(*owed));
    struct shared *s;

    if (seen == NULL || owed == NULL || !map(want, bytes) ||
        (s = add(want, bytes, kind)) == NULL) {
        free(seen);
        free(owed);
        loom_cuda_tell("there is no room in the process for %llu bytes of "
                       "shared memory at 0x%llx",
                       (unsigned long long)bytes, (unsigned long long)address);
        return CUDA_OUT_OF_MEMORY;
    }
    s->seen = seen;
    s->owed = owed;
    s->base = base;
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
    uint64_t seen = (uintptr_t)s->seen + offset;

    return loom_cuda_transfer((struct loom_cuda_transfer){
        .way = push ? LOOM_CUDA_TO_DEVICE : LOOM_CUDA_TO_HOST,
        .to = push ? device : seen,
        .from = device,
        .bytes = bytes,
        .stream = stream,
        .silent = s->kind != LOOM_CUDA_MANAGED});
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

static void tell_both(const char *at)
{
    char text[256];

    if (!memory.told) {
        memory.told = true;
        snprintf(text, sizeof(text),
                 "host and device have both written to shared memory at %p "
                 "while a kernel ran: what the host wrote there is lost "
                 "(neither sees what the other does before the program waits; "
                 "docs/cuda.md)",
                 (const void *)at);
        loom_cuda_complain(text);
    }
}

/* A page that the device has changed from `before` to what was seen: the
 * host's, but for what the host has changed itself. */
static void merge(struct shared *s, uint64_t offset, uint64_t bytes,
                  const char *before)
{
    char *host = s->at + offset;
    const char *device = s->seen + offset;

    if (memcmp(host, before, (size_t)bytes) == 0) {
        memcpy(host, device, (size_t)bytes);
        return;
    }
    for (uint64_t i = 0; i < bytes; i++) {
        if (device[i] == before[i]) {
            continue; /* the host's, if it has changed that */
        }
        if (host[i] != before[i] && host[i] != device[i]) {
            tell_both(host + i);
        }
        host[i] = device[i];
    }
}

/* What the device has is read in one silent copy; the pages that differ are
 * owed. */
static int look(struct shared *s)
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
            merge(s, at, bytes, before + at);
            s->owed[at / PAGE] = memory.owing = true;
        }
    }
    free(before);
    return error;
}

int loom_cuda_look_shared(void)
{
    int error = CUDA_OK;

    if (!memory.launched) {
        return CUDA_OK;
    }
    memory.launched = false;
    for (struct shared *s = memory.first; s != NULL; s = s->next) {
        if (s->seen != NULL && error == CUDA_OK) {
            error = look(s);
        }
    }
    return error;
}

/* Pages that are owed are read again, in the machine's time. */
static int pay(struct shared *s)
{
    int error = CUDA_OK;

    for (uint64_t at = 0; error == CUDA_OK && at < s->bytes; at += PAGE) {
        if (s->owed[at / PAGE]) {
            s->owed[at / PAGE] = false;
            error = copy_page(
                s, at, s->bytes - at < PAGE ? s->bytes - at : PAGE, false, 0);
        }
    }
    return error;
}

int loom_cuda_pull_shared(void)
{
    int error = loom_cuda_look_shared();

    if (!memory.owing) {
        return error;
    }
    memory.owing = false;
    for (struct shared *s = memory.first; s != NULL; s = s->next) {
        if (s->seen != NULL && error == CUDA_OK) {
            error = pay(s);
        }
    }
    return error;
}

static int give_back(void *at, bool registered)
{
    struct loom_host_call call = {.name = "free", .args = 1};
    struct shared **s = &memory.first, *found;
    int error = loom_cuda_pull_shared();

    while (*s != NULL && (*s)->at != (char *)at) {
        s = &(*s)->next;
    }
    found = *s;
    if (found == NULL || (found->seen != NULL && found->base == 0) ||
        found->registered != registered) {
        return CUDA_INVALID_VALUE; /* nothing, a variable, another's */
    }
    *s = found->next;
    if (found->base != 0 && error == CUDA_OK) {
        call.name = found->kind == LOOM_CUDA_PINNED ? "disown" : "free";
        call.arg[0] = found->base;
        error = loom_cuda_pass(&call);
    }
    if (!registered) {
        munmap(found->at, loom_cuda_pages(found->bytes));
    }
    free(found->seen);
    free(found->owed);
    free(found);
    return error;
}

int loom_cuda_unshare(void *at)
{
    return give_back(at, false);
}

int loom_cuda_unregister(void *at)
{
    int error = give_back(at, true);

    return error == CUDA_INVALID_VALUE ? CUDA_NOT_REGISTERED : error;
}
