/*
 * Virtual memory management: addresses are reserved, memory is created, and
 * mapped there.
 *
 * As with pinned memory, kernels use it where it is in the process: a
 * reservation is a range of the process's addresses without access, what is
 * created is a file in memory, and mapped pieces are maps of it.  So a piece
 * keeps what it holds wherever it is mapped, and may be mapped twice.  The run
 * knows pieces side by side that may be accessed as one allocation, for
 * programs go from one into the next.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE, memfd_create */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/driver/driver.h"

/* Of devices so far. */
#define GRANULE (UINT64_C(2) << 20)
/* Behind pinned memory, before saved machines (cuda/shared.c). */
#define FIRST UINT64_C(0x280000000000)
#define LAST UINT64_C(0x300000000000)

enum {
    ON_DEVICE = 1, /* CUmemLocationType */
    PINNED = 1,    /* CUmemAllocationType */
    HANDLE_FILE = 1,
    NO_ACCESS = 0, /* CUmemAccess_flags */
    ACCESS = 3,
    OPTIONS = 2 /* of the granularity: least, recommended */
};

struct backing {
    struct backing *next;
    uint64_t bytes;
    uint32_t maps;
    int file;
    uint32_t holds; /* by the program's handle */
    struct driver_memory_properties properties;
};

struct piece {
    struct piece *next; /* by address */
    uint64_t at, bytes;
    struct backing *of;
    uint32_t open; /* devices that may access it, a bit each; the run knows it
                    * if there is one */
};

struct reservation {
    struct reservation *next;
    uint64_t at, bytes;
    struct piece *first;
};

static struct {
    struct reservation *reservation;
    struct backing *backing;
    uint64_t next; /* address that nobody had; 0: FIRST */
} space;           /* under the lock */

/* ---- addresses ---- */

/* That all of the range is in; NULL: in none. */
static struct reservation *reservation_of(uint64_t at, uint64_t bytes)
{
    for (struct reservation *r = space.reservation; r != NULL; r = r->next) {
        if (at >= r->at && bytes <= r->bytes &&
            at - r->at <= r->bytes - bytes) {
            return r;
        }
    }
    return NULL;
}

static bool whole(uint64_t bytes)
{
    return bytes != 0 && bytes % GRANULE == 0;
}

static int reserve(uint64_t *at, size_t bytes, size_t align, uint64_t flags)
{
    struct reservation *r;
    uint64_t step = align > GRANULE ? align : GRANULE, start;

    if (at == NULL || !whole(bytes) || flags != 0 ||
        (align != 0 && (align & (align - 1)) != 0)) {
        return CUDA_INVALID_VALUE;
    }
    start = space.next == 0 ? FIRST : space.next;
    start = (start + step - 1) / step * step;
    r = start < LAST && bytes <= LAST - start ? calloc(1, sizeof(*r)) : NULL;
    if (r == NULL ||
        mmap(loom_driver_pointer(start), bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
             -1, 0) != loom_driver_pointer(start)) {
        free(r);
        return CUDA_OUT_OF_MEMORY;
    }
    *r = (struct reservation){space.reservation, start, bytes, NULL};
    space.reservation = r;
    space.next = start + bytes + GRANULE;
    *at = start;
    return CUDA_OK;
}

/* All of it, when nothing is mapped there. */
static int give_addresses(uint64_t at, size_t bytes)
{
    struct reservation **link = &space.reservation, *r;

    while (*link != NULL && (*link)->at != at) {
        link = &(*link)->next;
    }
    r = *link;
    if (r == NULL || r->bytes != bytes || r->first != NULL) {
        return CUDA_INVALID_VALUE;
    }
    munmap(loom_driver_pointer(at), bytes);
    *link = r->next;
    free(r);
    return CUDA_OK;
}

/* ---- memory ---- */

/* What the program asks for; an error number if it cannot be. */
static int check(const struct driver_memory_properties *p)
{
    if (p == NULL || p->type != PINNED) {
        return CUDA_INVALID_VALUE;
    }
    if (p->location.type != ON_DEVICE ||
        (p->handle_types & ~HANDLE_FILE) != 0) {
        return CUDA_NOT_SUPPORTED;
    }
    return loom_cuda_is_device(p->location.id) ? CUDA_OK : CUDA_INVALID_DEVICE;
}

static int granularity(size_t *bytes, const struct driver_memory_properties *p,
                       unsigned option)
{
    int error =
        bytes == NULL || option >= OPTIONS ? CUDA_INVALID_VALUE : check(p);

    if (error == CUDA_OK) {
        *bytes = GRANULE;
    }
    return error;
}

static int take(uint64_t bytes, int device)
{
    struct loom_host_call call = {.name = NULL};

    return LOOM_CUDA_ASK(&call, "take", bytes, (uint64_t)device);
}

static void give(uint64_t bytes, int device)
{
    struct loom_host_call call = {.name = NULL};

    LOOM_CUDA_ASK(&call, "give", bytes, (uint64_t)device);
}

static int create(uint64_t *handle, size_t bytes,
                  const struct driver_memory_properties *p, uint64_t flags)
{
    int error = check(p);
    struct backing *b;

    if (handle == NULL || flags != 0 || !whole(bytes)) {
        return CUDA_INVALID_VALUE;
    }
    error = error == CUDA_OK ? take(bytes, p->location.id) : error;
    if (error != CUDA_OK) {
        return error;
    }
    b = calloc(1, sizeof(*b));
    if (b != NULL) {
        *b = (struct backing){.next = space.backing,
                              .bytes = bytes,
                              .file = memfd_create("warploom", MFD_CLOEXEC),
                              .holds = 1,
                              .properties = *p};
    }
    if (b == NULL || b->file < 0 || ftruncate(b->file, (off_t)bytes) != 0) {
        if (b != NULL && b->file >= 0) {
            close(b->file);
        }
        free(b);
        give(bytes, p->location.id);
        return CUDA_OUT_OF_MEMORY;
    }
    space.backing = b;
    *handle = (uintptr_t)b;
    return CUDA_OK;
}

static struct backing *backing_of(uint64_t handle)
{
    struct backing *b = space.backing;

    while (b != NULL && ((uintptr_t)b != handle || b->holds == 0)) {
        b = b->next;
    }
    return b;
}

/* Neither the program nor a map has it any more. */
static void drop(struct backing *b)
{
    struct backing **link = &space.backing;

    if (b->holds != 0 || b->maps != 0) {
        return;
    }
    while (*link != b) {
        link = &(*link)->next;
    }
    *link = b->next;
    close(b->file);
    give(b->bytes, b->properties.location.id);
    free(b);
}

static int release(uint64_t handle)
{
    struct backing *b = backing_of(handle);

    if (b == NULL) {
        return CUDA_INVALID_VALUE;
    }
    b->holds--;
    drop(b);
    return CUDA_OK;
}

/* ---- maps ---- */

/* The run knows the pieces of a reservation no more. */
static int forget(const struct reservation *r)
{
    struct loom_host_call call = {.name = NULL};
    uint64_t end = 0;
    int error = CUDA_OK;

    for (const struct piece *p = r->first; p != NULL; p = p->next) {
        if (p->open != 0 && p->at != end && error == CUDA_OK) {
            error = LOOM_CUDA_ASK(&call, "disown", p->at);
        }
        end = p->open != 0 ? p->at + p->bytes : 0;
    }
    return error;
}

/* Each row of open pieces side by side is one allocation of the run. */
static int tell(const struct reservation *r)
{
    struct loom_host_call call = {.name = NULL};
    int error = CUDA_OK;

    for (const struct piece *p = r->first; p != NULL && error == CUDA_OK;) {
        uint64_t at = p->at, end = p->at;
        uint64_t device = (uint64_t)p->of->properties.location.id;

        if (p->open == 0) {
            p = p->next;
            continue;
        }
        for (; p != NULL && p->open != 0 && p->at == end; p = p->next) {
            end += p->bytes;
        }
        error = LOOM_CUDA_ASK(&call, "adopt", at, end - at, device);
    }
    return error;
}

/* The pieces of a range; *exact: they are all of it, one beside the other. */
static struct piece **pieces_of(uint64_t at, uint64_t bytes, bool *exact)
{
    struct reservation *r = reservation_of(at, bytes);
    struct piece **first = r == NULL ? NULL : &r->first;
    uint64_t end = at;

    while (first != NULL && *first != NULL && (*first)->at < at) {
        first = &(*first)->next;
    }
    for (const struct piece *p = first == NULL ? NULL : *first;
         p != NULL && p->at == end && end < at + bytes; p = p->next) {
        end += p->bytes;
    }
    *exact = bytes != 0 && end == at + bytes;
    return first;
}

static int map(uint64_t at, size_t bytes, size_t offset, uint64_t handle,
               uint64_t flags)
{
    struct reservation *r = reservation_of(at, bytes);
    struct backing *b = backing_of(handle);
    struct piece **link = r == NULL ? NULL : &r->first, *p;

    if (r == NULL || b == NULL || offset != 0 || flags != 0 || !whole(bytes) ||
        at % GRANULE != 0 || bytes > b->bytes) {
        return CUDA_INVALID_VALUE;
    }
    while (*link != NULL && (*link)->at + (*link)->bytes <= at) {
        link = &(*link)->next;
    }
    if (*link != NULL && (*link)->at < at + bytes) {
        return CUDA_INVALID_VALUE; /* something is there */
    }
    p = calloc(1, sizeof(*p));
    if (p == NULL ||
        mmap(loom_driver_pointer(at), bytes, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_NORESERVE | MAP_FIXED, b->file,
             0) == MAP_FAILED) {
        free(p);
        return CUDA_OUT_OF_MEMORY;
    }
    *p = (struct piece){*link, at, bytes, b, 0};
    *link = p;
    b->maps++;
    return CUDA_OK;
}

static int unmap(uint64_t at, size_t bytes)
{
    bool exact;
    struct piece **link = pieces_of(at, bytes, &exact);
    struct reservation *r = reservation_of(at, bytes);
    int error = exact ? forget(r) : CUDA_INVALID_VALUE;

    if (error != CUDA_OK) {
        return error;
    }
    mmap(loom_driver_pointer(at), bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    while (*link != NULL && (*link)->at < at + bytes) {
        struct piece *p = *link;

        *link = p->next;
        p->of->maps--;
        drop(p->of);
        free(p);
    }
    return tell(r);
}

static int set_access(uint64_t at, size_t bytes,
                      const struct driver_access *access, size_t count)
{
    bool exact;
    struct piece **first = pieces_of(at, bytes, &exact);
    struct reservation *r = reservation_of(at, bytes);
    int error;

    if (!exact || access == NULL || count < 1 ||
        count > (size_t)loom_cuda_devices()) {
        return CUDA_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++) {
        if (access[i].location.type != ON_DEVICE ||
            (access[i].flags != NO_ACCESS && access[i].flags != ACCESS)) {
            return CUDA_NOT_SUPPORTED;
        }
        if (!loom_cuda_is_device(access[i].location.id)) {
            return CUDA_INVALID_DEVICE;
        }
    }
    error = forget(r);
    for (struct piece *p = *first; p != NULL && p->at < at + bytes;
         p = p->next) {
        for (size_t i = 0; i < count; i++) {
            uint32_t device = UINT32_C(1) << access[i].location.id;

            p->open = access[i].flags == ACCESS ? p->open | device
                                                : p->open & ~device;
        }
    }
    return error == CUDA_OK ? tell(r) : error;
}

static const struct piece *piece_at(uint64_t at)
{
    const struct reservation *r = reservation_of(at, 1);
    const struct piece *p = r == NULL ? NULL : r->first;

    while (p != NULL && at - p->at >= p->bytes) {
        p = p->next;
    }
    return p;
}

static int get_access(uint64_t *flags, const struct driver_location *location,
                      uint64_t at)
{
    const struct piece *p = piece_at(at);

    if (flags == NULL || location == NULL || p == NULL) {
        return CUDA_INVALID_VALUE;
    }
    *flags = location->type == ON_DEVICE && loom_cuda_is_device(location->id) &&
                     (p->open >> location->id & 1) != 0
                 ? ACCESS
                 : NO_ACCESS;
    return CUDA_OK;
}

static int retain(uint64_t *handle, uint64_t at)
{
    const struct piece *p = piece_at(at);

    if (handle == NULL || p == NULL) {
        return CUDA_INVALID_VALUE;
    }
    p->of->holds++;
    *handle = (uintptr_t)p->of;
    return CUDA_OK;
}

static int properties(struct driver_memory_properties *to, uint64_t handle)
{
    const struct backing *b = backing_of(handle);

    if (to == NULL || b == NULL) {
        return CUDA_INVALID_VALUE;
    }
    *to = b->properties;
    return CUDA_OK;
}

/* ---- the functions ---- */

/* A call with the lock. */
static int unlocked(int error)
{
    loom_cuda_unlock();
    return error;
}

#define LOCKED(call) LOOM_DRIVEN((loom_cuda_lock(), unlocked(call)))

LOOM_CUDA(int, cuMemAddressReserve, uint64_t *at, size_t bytes, size_t align,
          uint64_t hint, uint64_t flags)
{
    (void)hint;
    return LOCKED(reserve(at, bytes, align, flags));
}

LOOM_CUDA(int, cuMemAddressFree, uint64_t at, size_t bytes)
{
    return LOCKED(give_addresses(at, bytes));
}

LOOM_CUDA(int, cuMemGetAllocationGranularity, size_t *bytes,
          const struct driver_memory_properties *of, unsigned option)
{
    return LOOM_DRIVEN_BARE(granularity(bytes, of, option));
}

LOOM_CUDA(int, cuMemCreate, uint64_t *handle, size_t bytes,
          const struct driver_memory_properties *of, uint64_t flags)
{
    return LOCKED(create(handle, bytes, of, flags));
}

LOOM_CUDA(int, cuMemRelease, uint64_t handle)
{
    return LOCKED(release(handle));
}

LOOM_CUDA(int, cuMemRetainAllocationHandle, uint64_t *handle, uint64_t at)
{
    return LOCKED(retain(handle, at));
}

LOOM_CUDA(int, cuMemGetAllocationPropertiesFromHandle,
          struct driver_memory_properties *to, uint64_t handle)
{
    return LOCKED(properties(to, handle));
}

LOOM_CUDA(int, cuMemMap, uint64_t at, size_t bytes, size_t offset,
          uint64_t handle, uint64_t flags)
{
    return LOCKED(map(at, bytes, offset, handle, flags));
}

LOOM_CUDA(int, cuMemUnmap, uint64_t at, size_t bytes)
{
    return LOCKED(unmap(at, bytes));
}

LOOM_CUDA(int, cuMemSetAccess, uint64_t at, size_t bytes,
          const struct driver_access *access, size_t count)
{
    return LOCKED(set_access(at, bytes, access, count));
}

LOOM_CUDA(int, cuMemGetAccess, uint64_t *flags,
          const struct driver_location *location, uint64_t at)
{
    return LOCKED(get_access(flags, location, at));
}
