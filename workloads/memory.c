/*
 * Device memory as one reserved range of the host's address space.
 *
 * The range is reserved without backing store when the memory is created and
 * made accessible as allocations reach into it, so that the host pointer of
 * a simulated address is one addition and sparse devices cost nothing.
 *
 * Invariants: `item` is sorted by address because addresses are never given
 * twice, so an access to freed memory is always found; between two
 * allocations lie at least LOOM_MEMORY_ALIGN bytes that belong to nobody, so
 * an overrun never reaches a neighbour unnoticed.
 */
#include "workloads/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "workloads/races.h"
#include "workloads/texture.h"

/* Addresses are not used again, so the range is larger than the device. */
#define RANGE_FACTOR 16u
#define RANGE_MIN (UINT64_C(1) << 36)
#define RANGE_MAX (UINT64_C(1) << 44)
#define FREED_MAX 4096u /* freed allocations that messages can name */
#define COMMIT_STEP (UINT64_C(1) << 21) /* bytes; a multiple of any page */

struct loom_memory {
    unsigned char *range; /* host address of LOOM_MEMORY_BASE */
    uint64_t range_bytes;
    uint64_t committed; /* accessible bytes from the start of the range */
    uint64_t next;      /* offset of the next allocation */
    uint64_t used, limit, guard;
    struct loom_allocation *item; /* [count], ascending; names are owned */
    uint32_t count, capacity;
    struct loom_allocation *freed; /* [FREED_MAX], a ring; names are owned */
    uint64_t freed_count;
    unsigned char *written; /* a bit for each byte of the range, or NULL */
    struct loom_texture_table *textures; /* or NULL */
    struct loom_race_list *races;        /* or NULL */
};

static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

static void *reserve(uint64_t bytes)
{
    return mmap(NULL, bytes, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

struct loom_memory *loom_memory_create(uint64_t limit)
{
    struct loom_memory *memory = calloc(1, sizeof(*memory));
    void *range;

    if (memory == NULL) {
        return NULL;
    }
    memory->limit = limit;
    memory->range_bytes =
        limit > RANGE_MAX / RANGE_FACTOR ? RANGE_MAX : limit * RANGE_FACTOR;
    if (memory->range_bytes < RANGE_MIN) {
        memory->range_bytes = RANGE_MIN;
    }
    range = reserve(memory->range_bytes);
    while (range == MAP_FAILED && memory->range_bytes / 2 >= limit) {
        memory->range_bytes /= 2; /* address space may be limited */
        range = reserve(memory->range_bytes);
    }
    if (range == MAP_FAILED) {
        free(memory);
        return NULL;
    }
    memory->range = range;
    memory->guard = LOOM_MEMORY_ALIGN;
    return memory;
}

void loom_memory_guard(struct loom_memory *memory, uint64_t bytes)
{
    memory->guard = round_up(bytes, LOOM_MEMORY_ALIGN);
}

void loom_memory_destroy(struct loom_memory *memory)
{
    if (memory == NULL) {
        return;
    }
    for (uint32_t i = 0; i < memory->count; i++) {
        free((char *)(uintptr_t)memory->item[i].name);
    }
    for (uint32_t i = 0; i < FREED_MAX && memory->freed != NULL; i++) {
        free((char *)(uintptr_t)memory->freed[i].name);
    }
    loom_texture_table_free(memory->textures);
    loom_races_free(memory->races);
    free(memory->freed);
    free(memory->item);
    if (memory->written != NULL) {
        munmap(memory->written, memory->range_bytes / 8);
    }
    munmap(memory->range, memory->range_bytes);
    free(memory);
}

static bool grow_table(struct loom_memory *memory)
{
    uint32_t capacity = memory->capacity == 0 ? 16 : memory->capacity * 2;
    struct loom_allocation *item;

    if (memory->count < memory->capacity) {
        return true;
    }
    item = realloc(memory->item, capacity * sizeof(*item));
    if (item == NULL) {
        return false;
    }
    memory->item = item;
    memory->capacity = capacity;
    return true;
}

/* Makes the range accessible up to offset `end`. */
static bool commit(struct loom_memory *memory, uint64_t end)
{
    uint64_t to = round_up(end, COMMIT_STEP);

    if (to <= memory->committed) {
        return true;
    }
    if (mprotect(memory->range + memory->committed, to - memory->committed,
                 PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    memory->committed = to;
    return true;
}

bool loom_memory_alloc(struct loom_memory *memory, uint64_t bytes,
                       const char *name, loom_addr *base,
                       struct loom_error *err)
{
    uint64_t size, end;
    char *copy;

    if (bytes == 0) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "allocation '%s' is 0 bytes long", name);
    }
    if (bytes > memory->limit || memory->used > memory->limit - bytes) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "allocation '%s' of %llu bytes does not fit into "
                         "device memory: %llu of %llu bytes are used",
                         name, (unsigned long long)bytes,
                         (unsigned long long)memory->used,
                         (unsigned long long)memory->limit);
    }
    size = round_up(bytes, LOOM_MEMORY_ALIGN) + memory->guard;
    end = memory->next + size;
    if (round_up(end + LOOM_MEMORY_TAIL, COMMIT_STEP) > memory->range_bytes) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "allocation '%s' of %llu bytes: all device addresses "
                         "have been used (they are not given twice)",
                         name, (unsigned long long)bytes);
    }
    copy = strdup(name);
    if (copy == NULL || !grow_table(memory) ||
        !commit(memory, end + LOOM_MEMORY_TAIL)) {
        free(copy);
        return loom_fail(err, LOOM_ERR_MEMORY,
                         "no host memory for allocation '%s' of %llu bytes",
                         name, (unsigned long long)bytes);
    }
    *base = LOOM_MEMORY_BASE + memory->next;
    memory->item[memory->count++] =
        (struct loom_allocation){.base = *base, .bytes = bytes, .name = copy};
    memory->next = end;
    memory->used += bytes;
    return true;
}

/* Number of allocations that start at or before `at`. */
static uint32_t starting_before(const struct loom_memory *memory, loom_addr at)
{
    uint32_t low = 0, high = memory->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (memory->item[middle].base <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Keeps what is known of a freed allocation for messages; takes its name. */
static void remember(struct loom_memory *memory,
                     const struct loom_allocation *a)
{
    struct loom_allocation *place;

    if (memory->freed == NULL) {
        memory->freed = calloc(FREED_MAX, sizeof(*memory->freed));
    }
    if (memory->freed == NULL) {
        free((char *)(uintptr_t)a->name);
        return;
    }
    place = &memory->freed[memory->freed_count++ % FREED_MAX];
    free((char *)(uintptr_t)place->name);
    *place = *a;
}

bool loom_memory_freed(const struct loom_memory *memory, loom_addr at,
                       struct loom_allocation *found)
{
    for (uint32_t i = 0; i < FREED_MAX && memory->freed != NULL; i++) {
        const struct loom_allocation *a = &memory->freed[i];

        if (at >= a->base && at - a->base < a->bytes) {
            *found = *a;
            return true;
        }
    }
    return false;
}

void loom_memory_protect(struct loom_memory *memory, loom_addr base)
{
    uint32_t n = starting_before(memory, base);

    LOOM_CHECK(n != 0 && memory->item[n - 1].base == base);
    memory->item[n - 1].read_only = true;
}

bool loom_memory_watch(struct loom_memory *memory)
{
    void *bits;

    if (memory->written != NULL) {
        return true;
    }
    bits = mmap(NULL, memory->range_bytes / 8, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bits == MAP_FAILED) {
        return false;
    }
    memory->written = bits;
    for (uint32_t i = 0; i < memory->count; i++) {
        loom_memory_mark(memory, memory->item[i].base, memory->item[i].bytes);
    }
    return true;
}

bool loom_memory_watched(const struct loom_memory *memory)
{
    return memory->written != NULL;
}

void loom_memory_mark(struct loom_memory *memory, loom_addr at, uint64_t bytes)
{
    uint64_t from = at - LOOM_MEMORY_BASE, end = from + bytes;

    if (memory->written == NULL) {
        return;
    }
    while (from < end && (from % 8 != 0 || end - from < 8)) {
        memory->written[from / 8] |= (unsigned char)(1u << from % 8);
        from++;
    }
    memset(memory->written + from / 8, 0xff, (end - from) / 8);
    for (from += (end - from) / 8 * 8; from < end; from++) {
        memory->written[from / 8] |= (unsigned char)(1u << from % 8);
    }
}

bool loom_memory_written(const struct loom_memory *memory, loom_addr at,
                         uint64_t bytes)
{
    uint64_t from = at - LOOM_MEMORY_BASE;

    for (uint64_t i = from; memory->written != NULL && i < from + bytes; i++) {
        if ((memory->written[i / 8] >> i % 8 & 1) == 0) {
            return false;
        }
    }
    return true;
}

bool loom_memory_free(struct loom_memory *memory, loom_addr base,
                      struct loom_error *err)
{
    uint32_t n = starting_before(memory, base);
    struct loom_allocation *item = memory->item;
    uint64_t from, to;

    if (n == 0 || item[n - 1].base != base) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "cannot free address 0x%llx: no live allocation "
                         "starts there",
                         (unsigned long long)base);
    }
    /* Whole pages go back to the host; addresses are not used again. */
    from = round_up(base - LOOM_MEMORY_BASE, COMMIT_STEP);
    to = (base - LOOM_MEMORY_BASE + item[n - 1].bytes) / COMMIT_STEP *
         COMMIT_STEP;
    if (from < to) {
        (void)madvise(memory->range + from, to - from, MADV_DONTNEED);
    }
    memory->used -= item[n - 1].bytes;
    remember(memory, &item[n - 1]);
    memmove(&item[n - 1], &item[n], (memory->count - n) * sizeof(*item));
    memory->count--;
    return true;
}

void *loom_memory_at(const struct loom_memory *memory, loom_addr at,
                     uint64_t bytes)
{
    uint32_t n = starting_before(memory, at);
    const struct loom_allocation *a;

    if (n == 0) {
        return NULL;
    }
    a = &memory->item[n - 1];
    if (at - a->base > a->bytes || bytes > a->bytes - (at - a->base)) {
        return NULL;
    }
    return memory->range + (at - LOOM_MEMORY_BASE);
}

static bool refuse(const struct loom_memory *memory, const char *what,
                   loom_addr at, uint64_t bytes, struct loom_error *err)
{
    struct loom_allocation near;

    if (loom_memory_freed(memory, at, &near)) {
        return loom_fail(
            err, LOOM_ERR_WORKLOAD,
            "cannot %s %llu bytes at 0x%llx: '%s', %llu bytes "
            "at 0x%llx, was freed",
            what, (unsigned long long)bytes, (unsigned long long)at, near.name,
            (unsigned long long)near.bytes, (unsigned long long)near.base);
    }
    if (!loom_memory_nearest(memory, at, &near)) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "cannot %s %llu bytes at 0x%llx: nothing is allocated",
                         what, (unsigned long long)bytes,
                         (unsigned long long)at);
    }
    return loom_fail(err, LOOM_ERR_WORKLOAD,
                     "cannot %s %llu bytes at 0x%llx: nearest allocation is "
                     "'%s', %llu bytes at 0x%llx",
                     what, (unsigned long long)bytes, (unsigned long long)at,
                     near.name, (unsigned long long)near.bytes,
                     (unsigned long long)near.base);
}

bool loom_memory_write(struct loom_memory *memory, loom_addr to,
                       const void *from, uint64_t bytes, struct loom_error *err)
{
    void *host = loom_memory_at(memory, to, bytes);

    if (host == NULL) {
        return refuse(memory, "write", to, bytes, err);
    }
    memcpy(host, from, bytes);
    loom_memory_mark(memory, to, bytes);
    return true;
}

bool loom_memory_read(const struct loom_memory *memory, loom_addr from,
                      void *to, uint64_t bytes, struct loom_error *err)
{
    const void *host = loom_memory_at(memory, from, bytes);

    if (host == NULL) {
        return refuse(memory, "read", from, bytes, err);
    }
    memcpy(to, host, bytes);
    return true;
}

bool loom_memory_before(const struct loom_memory *memory, loom_addr at,
                        struct loom_allocation *found)
{
    uint32_t n = starting_before(memory, at);

    if (n != 0) {
        *found = memory->item[n - 1];
    }
    return n != 0;
}

bool loom_memory_nearest(const struct loom_memory *memory, loom_addr at,
                         struct loom_allocation *found)
{
    uint32_t n = starting_before(memory, at);

    if (memory->count == 0) {
        return false;
    }
    if (n == 0) {
        *found = memory->item[0];
        return true;
    }
    *found = memory->item[n - 1];
    if (n < memory->count && at - found->base >= found->bytes &&
        memory->item[n].base - at < at - (found->base + found->bytes)) {
        *found = memory->item[n];
    }
    return true;
}

uint32_t loom_memory_count(const struct loom_memory *memory)
{
    return memory->count;
}

struct loom_allocation loom_memory_get(const struct loom_memory *memory,
                                       uint32_t number)
{
    LOOM_CHECK(number < memory->count);
    return memory->item[number];
}

void loom_memory_digest(const struct loom_memory *memory,
                        struct loom_digest *digest)
{
    for (uint32_t i = 0; i < memory->count; i++) {
        const struct loom_allocation *a = &memory->item[i];

        loom_digest_add_numbers(digest, (uint64_t[]){a->base, a->bytes}, 2);
        loom_digest_add(digest, memory->range + (a->base - LOOM_MEMORY_BASE),
                        a->bytes);
    }
}

struct loom_race_list *loom_memory_races(struct loom_memory *memory)
{
    if (memory->races == NULL) {
        memory->races = calloc(1, sizeof(*memory->races));
    }
    return memory->races;
}

struct loom_texture_table **loom_memory_textures(struct loom_memory *memory)
{
    return &memory->textures;
}

struct loom_texture_table *
loom_memory_texture_table(const struct loom_memory *memory)
{
    return memory->textures;
}
