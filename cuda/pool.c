/*
 * Memory pools: allocations in the order of a stream.
 *
 * What is freed into a pool stays there, and is given out again at once: memory
 * sees everything in the program's order, so nothing that was asked for before
 * can still be to come.  Only a pool that has nothing fitting allocates, which
 * waits for all streams as every allocation does.  A pool gives memory back
 * when it is trimmed, when the program waits and it has more than its
 * threshold, or when there is none left.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

#define POOL_MAGIC 0x6c6f6f7064756300 /* "\0cudpool" */

enum {
    LOCATION_DEVICE = 1, /* cudaMemLocationTypeDevice */
    ACCESS_READ_WRITE = 3
};

/* enum cudaMemPoolAttr */
enum {
    ATTRIBUTE_FLAGS_LAST = 3, /* what may be used again: of int */
    ATTRIBUTE_THRESHOLD,
    ATTRIBUTE_RESERVED,
    ATTRIBUTE_RESERVED_HIGH,
    ATTRIBUTE_USED,
    ATTRIBUTE_USED_HIGH
};

struct block {
    struct block *next;
    struct cuda_pool *pool; /* NULL: a graph's */
    uint64_t at, bytes;
};

struct cuda_pool {
    uint64_t magic;
    int device;
    struct cuda_pool *next; /* one made before */
    struct block *kept;     /* freed */
    int reuse[ATTRIBUTE_FLAGS_LAST];
    uint64_t threshold, reserved, reserved_high, used, used_high;
};

/* cudaMemPoolProps, as far as it is read. */
struct cuda_pool_properties {
    int32_t type, handles, location_type, location;
};

struct cuda_location {
    int32_t type, id;
};

struct cuda_access {
    struct cuda_location where;
    int32_t flags;
};

/* Of each device. */
struct of_device {
    struct cuda_pool first;    /* its own */
    struct cuda_pool *current; /* NULL: that one */
    uint64_t of_graphs, of_graphs_high;
};

static struct {
    struct of_device device[LOOM_CUDA_DEVICES];
    struct cuda_pool *made;
    struct block *used;
} pools; /* the lock is held */

static struct cuda_pool new_pool(int device)
{
    return (struct cuda_pool){
        .magic = POOL_MAGIC, .device = device, .reuse = {1, 1, 1}};
}

static struct cuda_pool *first_pool(int device)
{
    struct cuda_pool *first = &pools.device[device].first;

    if (first->magic == 0) {
        *first = new_pool(device);
    }
    return first;
}

static struct cuda_pool *current_pool(int device)
{
    struct cuda_pool *current = pools.device[device].current;

    return current != NULL ? current : first_pool(device);
}

static struct cuda_pool *pool_of(struct cuda_pool *handle)
{
    return handle != NULL && handle->magic == POOL_MAGIC ? handle : NULL;
}

static void raise_high(uint64_t *high, uint64_t now)
{
    *high = *high > now ? *high : now;
}

/* ---- blocks ---- */

/* Of the same size, so that what is beyond an allocation is nobody's. */
static struct block **fitting(struct cuda_pool *pool, uint64_t bytes)
{
    struct block **b = &pool->kept;

    while (*b != NULL && (*b)->bytes != bytes) {
        b = &(*b)->next;
    }
    return *b == NULL ? NULL : b;
}

static int new_block(struct cuda_pool *pool, int device, uint64_t bytes,
                     struct block **made)
{
    struct loom_host_call call = {.name = NULL};
    struct block *block = calloc(1, sizeof(*block));
    int error = CUDA_OUT_OF_MEMORY;

    if (block != NULL && bytes <= UINT64_C(1) << 48) {
        error = LOOM_CUDA_ASK(&call, "alloc", bytes, (uint64_t)device);
    }
    if (block != NULL && error == CUDA_OUT_OF_MEMORY &&
        loom_cuda_pools_trim()) {
        error = LOOM_CUDA_ASK(&call, "alloc", bytes, (uint64_t)device);
    }
    if (error != CUDA_OK) {
        free(block);
        return error;
    }
    *block = (struct block){NULL, pool, call.result[0], bytes};
    *made = block;
    return CUDA_OK;
}

static int allocate(struct cuda_pool *pool, size_t bytes, void **at)
{
    struct block **kept = fitting(pool, bytes), *block;
    int error = CUDA_OK;

    if (kept != NULL) {
        block = *kept;
        *kept = block->next;
    } else {
        error = new_block(pool, pool->device, bytes, &block);
        if (error != CUDA_OK) {
            return error;
        }
        pool->reserved += bytes;
        raise_high(&pool->reserved_high, pool->reserved);
    }
    block->next = pools.used;
    pools.used = block;
    pool->used += block->bytes;
    raise_high(&pool->used_high, pool->used);
    *at = (void *)(uintptr_t)block->at;
    return CUDA_OK;
}

bool loom_cuda_pool_free(const void *at, int *error)
{
    struct block **b = &pools.used, *block;

    while (*b != NULL && (*b)->at != (uintptr_t)at) {
        b = &(*b)->next;
    }
    block = *b;
    if (block == NULL) {
        return false;
    }
    if (block->pool != NULL) {
        *b = block->next;
        block->next = block->pool->kept;
        block->pool->kept = block;
        block->pool->used -= block->bytes;
    }
    *error = loom_cuda_sticky();
    return true;
}

int loom_cuda_pool_keep(size_t bytes, void **at)
{
    struct of_device *of = &pools.device[loom_cuda_device()];
    struct block *block;
    int error;

    loom_cuda_lock();
    error = new_block(NULL, loom_cuda_device(), bytes == 0 ? 1 : bytes, &block);
    if (error == CUDA_OK) {
        block->next = pools.used;
        pools.used = block;
        of->of_graphs += block->bytes;
        raise_high(&of->of_graphs_high, of->of_graphs);
        *at = (void *)(uintptr_t)block->at;
    }
    loom_cuda_unlock();
    return error;
}

/* Down to so many bytes, if what it keeps is enough for that. */
static bool trim(struct cuda_pool *pool, uint64_t to)
{
    struct loom_host_call call = {.name = NULL};
    bool freed = false;

    while (pool->kept != NULL && pool->reserved > to) {
        struct block *block = pool->kept;

        pool->kept = block->next;
        pool->reserved -= block->bytes;
        freed = LOOM_CUDA_ASK(&call, "free", block->at) == CUDA_OK || freed;
        free(block);
    }
    return freed;
}

/* Each down to its threshold, or all down to 0. */
static bool trim_all(bool whole)
{
    bool freed = false;

    for (int i = 0; i < loom_cuda_devices(); i++) {
        struct cuda_pool *first = first_pool(i);

        freed = trim(first, whole ? 0 : first->threshold) || freed;
    }
    for (struct cuda_pool *p = pools.made; p != NULL; p = p->next) {
        freed = trim(p, whole ? 0 : p->threshold) || freed;
    }
    return freed;
}

bool loom_cuda_pools_trim(void)
{
    return trim_all(true);
}

void loom_cuda_pools_settle(void)
{
    loom_cuda_lock();
    trim_all(false);
    loom_cuda_unlock();
}

/* ---- allocations ---- */

LOOM_CUDA(int, cudaMallocFromPoolAsync, void **at, size_t bytes,
          struct cuda_pool *handle, void *stream)
{
    struct cuda_pool *pool = pool_of(handle);
    uint64_t number;
    int error = loom_cuda_stream(stream, &number);

    if (at == NULL || bytes == 0 || pool == NULL || error != CUDA_OK) {
        return loom_cuda_done(error != CUDA_OK ? error : CUDA_INVALID_VALUE);
    }
    if (loom_cuda_captures(stream)) {
        error = loom_cuda_pool_keep(bytes, at);
        return loom_cuda_done(
            error != CUDA_OK
                ? error
                : loom_cuda_capture(
                      stream, (struct loom_cuda_work){
                                  .type = NODE_ALLOC,
                                  .of.memory = {.at = *at, .bytes = bytes}}));
    }
    loom_cuda_lock();
    error = allocate(pool, bytes, at);
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaMallocAsync, void **at, size_t bytes, void *stream)
{
    struct cuda_pool *pool;
    uint64_t number;
    int error = loom_cuda_stream(stream, &number);

    if (error != CUDA_OK) {
        return loom_cuda_done(error);
    }
    loom_cuda_lock();
    pool = current_pool(loom_cuda_device_of(number));
    loom_cuda_unlock();
    return cudaMallocFromPoolAsync(at, bytes, pool, stream);
}

LOOM_CUDA(int, cudaFreeAsync, void *at, void *stream)
{
    struct loom_host_call call = {.name = NULL};
    uint64_t number;
    int error = loom_cuda_stream(stream, &number);

    if (error != CUDA_OK) {
        return loom_cuda_done(error);
    }
    if (loom_cuda_captures(stream)) {
        return loom_cuda_done(loom_cuda_capture(
            stream, (struct loom_cuda_work){.type = NODE_FREE,
                                            .of.memory = {.at = at}}));
    }
    loom_cuda_lock();
    if (!loom_cuda_pool_free(at, &error)) { /* cudaMalloc's may be so freed */
        error = loom_cuda_shared_kind(at) != 0
                    ? loom_cuda_unshare(at)
                    : LOOM_CUDA_ASK(&call, "free", (uintptr_t)at);
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

/* ---- pools ---- */

LOOM_CUDA(int, cudaMemPoolCreate, struct cuda_pool **made,
          const struct cuda_pool_properties *properties)
{
    struct cuda_pool *pool;

    if (made == NULL || properties == NULL || properties->type != 1 ||
        properties->location_type != LOCATION_DEVICE) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    if (!loom_cuda_is_device(properties->location)) {
        return loom_cuda_done(CUDA_INVALID_DEVICE);
    }
    if (properties->handles != 0) {
        loom_cuda_complain("cudaMemPoolCreate: memory for other processes is "
                           "not provided (handleTypes)");
        return loom_cuda_done(CUDA_NOT_SUPPORTED);
    }
    pool = calloc(1, sizeof(*pool));
    if (pool == NULL) {
        return loom_cuda_done(CUDA_OUT_OF_MEMORY);
    }
    loom_cuda_lock();
    *pool = new_pool(properties->location);
    pool->next = pools.made;
    pools.made = pool;
    loom_cuda_unlock();
    *made = pool;
    return CUDA_OK;
}

/* What is allocated from it stays until it is freed; so does the pool, then. */
LOOM_CUDA(int, cudaMemPoolDestroy, struct cuda_pool *handle)
{
    struct cuda_pool *pool = pool_of(handle);

    if (pool == NULL || pool == &pools.device[pool->device].first) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    trim(pool, 0);
    pool->magic = 0;
    if (pools.device[pool->device].current == pool) {
        pools.device[pool->device].current = NULL;
    }
    loom_cuda_unlock();
    return CUDA_OK;
}

LOOM_CUDA(int, cudaMemPoolTrimTo, struct cuda_pool *handle, size_t bytes)
{
    struct cuda_pool *pool = pool_of(handle);

    if (pool == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    trim(pool, bytes);
    loom_cuda_unlock();
    return CUDA_OK;
}

static uint64_t *number_of(struct cuda_pool *pool, int attribute)
{
    switch (attribute) {
    case ATTRIBUTE_THRESHOLD:
        return &pool->threshold;
    case ATTRIBUTE_RESERVED:
        return &pool->reserved;
    case ATTRIBUTE_RESERVED_HIGH:
        return &pool->reserved_high;
    case ATTRIBUTE_USED:
        return &pool->used;
    case ATTRIBUTE_USED_HIGH:
        return &pool->used_high;
    default:
        return NULL;
    }
}

LOOM_CUDA(int, cudaMemPoolGetAttribute, struct cuda_pool *handle, int attribute,
          void *value)
{
    struct cuda_pool *pool = pool_of(handle);
    const uint64_t *number;

    if (pool == NULL || value == NULL || attribute < 1) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    number = number_of(pool, attribute);
    if (attribute <= ATTRIBUTE_FLAGS_LAST) {
        memcpy(value, &pool->reuse[attribute - 1], sizeof(int));
    } else if (number != NULL) {
        memcpy(value, number, sizeof(*number));
    } else {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    return CUDA_OK;
}

/* The highest values may be set to 0 only, to begin anew. */
LOOM_CUDA(int, cudaMemPoolSetAttribute, struct cuda_pool *handle, int attribute,
          const void *value)
{
    struct cuda_pool *pool = pool_of(handle);
    uint64_t *number;

    if (pool == NULL || value == NULL || attribute < 1 ||
        attribute == ATTRIBUTE_RESERVED || attribute == ATTRIBUTE_USED) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    number = number_of(pool, attribute);
    if (attribute <= ATTRIBUTE_FLAGS_LAST) {
        memcpy(&pool->reuse[attribute - 1], value, sizeof(int));
    } else if (number != NULL) {
        memcpy(number, value, sizeof(*number));
    } else {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    return CUDA_OK;
}

/* Any device may reach any pool. */
LOOM_CUDA(int, cudaMemPoolSetAccess, struct cuda_pool *pool,
          const struct cuda_access *access, size_t count)
{
    if (pool_of(pool) == NULL || (count > 0 && access == NULL)) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    for (size_t i = 0; i < count; i++) {
        if (access[i].where.type != LOCATION_DEVICE ||
            !loom_cuda_is_device(access[i].where.id)) {
            return loom_cuda_done(CUDA_INVALID_DEVICE);
        }
    }
    return CUDA_OK;
}

LOOM_CUDA(int, cudaMemPoolGetAccess, int *flags, struct cuda_pool *pool,
          const struct cuda_location *where)
{
    if (flags == NULL || pool_of(pool) == NULL || where == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    *flags = where->type == LOCATION_DEVICE && loom_cuda_is_device(where->id)
                 ? ACCESS_READ_WRITE
                 : 0;
    return CUDA_OK;
}

static int give_pool(struct cuda_pool **pool, int device, bool default_one)
{
    if (pool == NULL || !loom_cuda_is_device(device)) {
        return loom_cuda_done(pool == NULL ? CUDA_INVALID_VALUE
                                           : CUDA_INVALID_DEVICE);
    }
    loom_cuda_lock();
    *pool = default_one ? first_pool(device) : current_pool(device);
    loom_cuda_unlock();
    return CUDA_OK;
}

LOOM_CUDA(int, cudaDeviceGetDefaultMemPool, struct cuda_pool **pool, int device)
{
    return give_pool(pool, device, true);
}

LOOM_CUDA(int, cudaDeviceGetMemPool, struct cuda_pool **pool, int device)
{
    return give_pool(pool, device, false);
}

LOOM_CUDA(int, cudaDeviceSetMemPool, int device, struct cuda_pool *pool)
{
    if (!loom_cuda_is_device(device)) {
        return loom_cuda_done(CUDA_INVALID_DEVICE);
    }
    if (pool_of(pool) == NULL || pool->device != device) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    pools.device[device].current = pool;
    loom_cuda_unlock();
    return CUDA_OK;
}

/* A place's pools; those of hosts and of managed memory are not provided. */
static int device_of(const struct cuda_location *where, int type)
{
    if (where == NULL || type != 1 || where->type != LOCATION_DEVICE) {
        return -1;
    }
    return where->id;
}

LOOM_CUDA(int, cudaMemGetDefaultMemPool, struct cuda_pool **pool,
          const struct cuda_location *where, int type)
{
    return give_pool(pool, device_of(where, type), true);
}

LOOM_CUDA(int, cudaMemGetMemPool, struct cuda_pool **pool,
          const struct cuda_location *where, int type)
{
    return give_pool(pool, device_of(where, type), false);
}

LOOM_CUDA(int, cudaMemSetMemPool, const struct cuda_location *where, int type,
          struct cuda_pool *pool)
{
    return cudaDeviceSetMemPool(device_of(where, type), pool);
}

/* ---- memory of graphs ---- */

/* Used, most used, reserved, most reserved: what is used stays. */
LOOM_CUDA(int, cudaDeviceGetGraphMemAttribute, int device, int attribute,
          uint64_t *value)
{
    if (!loom_cuda_is_device(device) || attribute < 0 || attribute > 3 ||
        value == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    *value = attribute % 2 == 0 ? pools.device[device].of_graphs
                                : pools.device[device].of_graphs_high;
    loom_cuda_unlock();
    return CUDA_OK;
}

LOOM_CUDA(int, cudaDeviceSetGraphMemAttribute, int device, int attribute,
          const uint64_t *value)
{
    if (!loom_cuda_is_device(device) || (attribute != 1 && attribute != 3) ||
        value == NULL || *value != 0) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    pools.device[device].of_graphs_high = pools.device[device].of_graphs;
    loom_cuda_unlock();
    return CUDA_OK;
}

LOOM_CUDA(int, cudaDeviceGraphMemTrim, int device)
{
    return loom_cuda_done(loom_cuda_is_device(device) ? CUDA_OK
                                                      : CUDA_INVALID_DEVICE);
}

LOOM_CUDA_ALIAS(cudaMallocAsync_ptsz, cudaMallocAsync);
LOOM_CUDA_ALIAS(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);
LOOM_CUDA_ALIAS(cudaFreeAsync_ptsz, cudaFreeAsync);
