/*
 * Device memory: each allocation has host memory of its own.
 *
 * Addresses are numbers and do not depend on what the host has room for; an
 * allocation takes as much of the host's address space as it is long, so
 * that a small program runs where that is limited.  Large ones are mapped
 * without backing store: what nobody touches costs nothing.
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

/* Addresses are not used again, so there are more than the device has bytes.
 */
#define RANGE_FACTOR 16u
#define RANGE_MIN (UINT64_C(1) << 36)
#define RANGE_MAX (UINT64_C(1) << 44)
#define FREED_MAX 4096u           /* freed allocations that messages can name */
#define LARGE (UINT64_C(1) << 21) /* bytes from which on it is mapped */
#define BEYOND_MAX 64u            /* bytes of an access beyond allocations */

struct loom_memory {
    uint64_t range; /* bytes of addresses, from LOOM_MEMORY_BASE, of each */
    uint64_t next[LOOM_MEMORY_WINDOWS]; /* offset of the next allocation */
    uint32_t window;
    bool windowed;
    uint64_t used, limit, guard;
    struct loom_allocation *item; /* [count], ascending; names are owned */
    uint32_t count, capacity;
    struct loom_allocation *freed; /* [FREED_MAX], a ring; names are owned */
    uint64_t freed_count;
    bool watched, forgiving;
    unsigned char sink[BEYOND_MAX]; /* what is written beyond allocations */
    struct loom_texture_table *textures; /* or NULL */
    struct loom_race_list *races;        /* or NULL */
};

static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

/* Zeros, and the bytes behind them that may be read; NULL: no memory. */
static unsigned char *take_host(uint64_t bytes)
{
    void *at;

    if (bytes < LARGE) {
        return calloc(1, (size_t)bytes + LOOM_MEMORY_TAIL);
    }
    at = mmap(NULL, bytes + LOOM_MEMORY_TAIL, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void give_host(unsigned char *at, uint64_t bytes)
{
    if (bytes < LARGE) {
        free(at);
    } else if (at != NULL) {
        munmap(at, bytes + LOOM_MEMORY_TAIL);
    }
}

/* A bit for each byte. */
static uint64_t bits_of(uint64_t bytes)
{
    return bytes / 8 + 1;
}

/* All but its name. */
static void give_item(const struct loom_allocation *a)
{
    if (!a->adopted) {
        give_host(a->host, a->bytes);
    }
    if (a->written != NULL) {
        give_host(a->written, bits_of(a->bytes));
    }
}

struct loom_memory *loom_memory_create(uint64_t limit)
{
    struct loom_memory *memory = calloc(1, sizeof(*memory));

    if (memory == NULL) {
        return NULL;
    }
    memory->limit = limit;
    memory->range =
        limit > RANGE_MAX / RANGE_FACTOR ? RANGE_MAX : limit * RANGE_FACTOR;
    if (memory->range < RANGE_MIN) {
        memory->range = RANGE_MIN;
    }
    memory->guard = LOOM_MEMORY_ALIGN;
    return memory;
}

void loom_memory_guard(struct loom_memory *memory, uint64_t bytes)
{
    memory->guard = round_up(bytes, LOOM_MEMORY_ALIGN);
}

void loom_memory_window(struct loom_memory *memory, uint32_t device)
{
    uint64_t most = (UINT64_C(1) << LOOM_MEMORY_WINDOW_BITS) - LOOM_MEMORY_BASE;

    LOOM_CHECK(device < LOOM_MEMORY_WINDOWS &&
               (memory->windowed || memory->count == 0));
    memory->windowed = true;
    memory->window = device;
    memory->range = memory->range < most ? memory->range : most;
}

/* The first address beyond those that are ever allocated. */
static loom_addr end_of(const struct loom_memory *memory)
{
    return memory->windowed
               ? (loom_addr)LOOM_MEMORY_WINDOWS << LOOM_MEMORY_WINDOW_BITS
               : LOOM_MEMORY_BASE + memory->range;
}

void loom_memory_destroy(struct loom_memory *memory)
{
    if (memory == NULL) {
        return;
    }
    for (uint32_t i = 0; i < memory->count; i++) {
        free((char *)(uintptr_t)memory->item[i].name);
        give_item(&memory->item[i]);
    }
    for (uint32_t i = 0; i < FREED_MAX && memory->freed != NULL; i++) {
        free((char *)(uintptr_t)memory->freed[i].name);
    }
    free(memory->textures);
    loom_races_free(memory->races);
    free(memory->freed);
    free(memory->item);
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

/* Host memory of a new allocation; false: there is none. */
static bool fill_item(const struct loom_memory *memory,
                      struct loom_allocation *a, const char *name)
{
    a->name = strdup(name);
    a->host = take_host(a->bytes);
    if (memory->watched) {
        a->written = take_host(bits_of(a->bytes));
    }
    if (a->name != NULL && a->host != NULL &&
        (!memory->watched || a->written != NULL)) {
        return true;
    }
    free((char *)(uintptr_t)a->name);
    give_item(a);
    return false;
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

/* There is room in the table. */
static void insert(struct loom_memory *memory,
                   const struct loom_allocation *item)
{
    uint32_t n = starting_before(memory, item->base);

    memmove(&memory->item[n + 1], &memory->item[n],
            (memory->count - n) * sizeof(*item));
    memory->item[n] = *item;
    memory->count++;
}

bool loom_memory_alloc(struct loom_memory *memory, uint64_t bytes,
                       const char *name, loom_addr *base,
                       struct loom_error *err)
{
    struct loom_allocation item = {.bytes = bytes};
    uint64_t *next = &memory->next[memory->window], end;

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
    end = *next + round_up(bytes, LOOM_MEMORY_ALIGN) + memory->guard;
    if (end > memory->range) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "allocation '%s' of %llu bytes: all device addresses "
                         "have been used (they are not given twice)",
                         name, (unsigned long long)bytes);
    }
    item.base = ((loom_addr)memory->window << LOOM_MEMORY_WINDOW_BITS) +
                LOOM_MEMORY_BASE + *next;
    if (!grow_table(memory) || !fill_item(memory, &item, name)) {
        return loom_fail(err, LOOM_ERR_MEMORY,
                         "no host memory for allocation '%s' of %llu bytes; "
                         "device memory has %llu bytes so far",
                         name, (unsigned long long)bytes,
                         (unsigned long long)memory->used);
    }
    *base = item.base;
    insert(memory, &item);
    *next = end;
    memory->used += bytes;
    return true;
}

bool loom_memory_adopt(struct loom_memory *memory, loom_addr base, void *host,
                       uint64_t bytes, struct loom_error *err)
{
    struct loom_allocation item = {
        .base = base, .bytes = bytes, .host = host, .adopted = true};
    uint32_t n = starting_before(memory, base + bytes);

    if (bytes == 0 ||
        (base + bytes > LOOM_MEMORY_BASE && base < end_of(memory)) ||
        (n > 0 &&
         memory->item[n - 1].base + memory->item[n - 1].bytes > base)) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "%llu bytes of the host at 0x%llx: they are among "
                         "those of the device",
                         (unsigned long long)bytes, (unsigned long long)base);
    }
    item.name = strdup("host");
    if (item.name == NULL || !grow_table(memory)) {
        free((char *)(uintptr_t)item.name);
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory for a table");
    }
    insert(memory, &item);
    return true;
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

void loom_memory_watch(struct loom_memory *memory)
{
    memory->watched = true; /* what is there has no bits: all are written */
}

bool loom_memory_watched(const struct loom_memory *memory)
{
    return memory->watched;
}

/* The bits of the allocation that `at` is in, or NULL; *from: which one. */
static unsigned char *bits_at(const struct loom_memory *memory, loom_addr at,
                              uint64_t *from)
{
    uint32_t n = memory->watched ? starting_before(memory, at) : 0;

    if (n == 0) {
        return NULL;
    }
    *from = at - memory->item[n - 1].base;
    return memory->item[n - 1].written;
}

void loom_memory_mark(struct loom_memory *memory, loom_addr at, uint64_t bytes)
{
    uint64_t from = 0;
    unsigned char *written = bits_at(memory, at, &from);
    uint64_t end = from + bytes;

    if (written == NULL) {
        return;
    }
    while (from < end && (from % 8 != 0 || end - from < 8)) {
        written[from / 8] |= (unsigned char)(1u << from % 8);
        from++;
    }
    memset(written + from / 8, 0xff, (end - from) / 8);
    for (from += (end - from) / 8 * 8; from < end; from++) {
        written[from / 8] |= (unsigned char)(1u << from % 8);
    }
}

bool loom_memory_written(const struct loom_memory *memory, loom_addr at,
                         uint64_t bytes)
{
    uint64_t from = 0;
    const unsigned char *written = bits_at(memory, at, &from);

    for (uint64_t i = from; written != NULL && i < from + bytes; i++) {
        if ((written[i / 8] >> i % 8 & 1) == 0) {
            return false;
        }
    }
    return true;
}

void loom_memory_forgive(struct loom_memory *memory)
{
    memory->forgiving = true;
}

bool loom_memory_beyond(const struct loom_memory *memory, loom_addr at,
                        uint64_t bytes)
{
    loom_addr page = at / LOOM_MEMORY_PAGE;
    struct loom_allocation near;

    return bytes <= BEYOND_MAX && loom_memory_nearest(memory, at, &near) &&
           (at < near.base || at - near.base + bytes > near.bytes) &&
           page >= near.base / LOOM_MEMORY_PAGE &&
           page <= (near.base + near.bytes - 1) / LOOM_MEMORY_PAGE;
}

const unsigned char *loom_memory_zeros(const struct loom_memory *memory,
                                       loom_addr at, uint64_t bytes)
{
    static const unsigned char zeros[BEYOND_MAX];

    return memory->forgiving && loom_memory_beyond(memory, at, bytes) ? zeros
                                                                      : NULL;
}

unsigned char *loom_memory_sink(struct loom_memory *memory, loom_addr at,
                                uint64_t bytes)
{
    return memory->forgiving && loom_memory_beyond(memory, at, bytes)
               ? memory->sink
               : NULL;
}

bool loom_memory_free(struct loom_memory *memory, loom_addr base,
                      struct loom_error *err)
{
    uint32_t n = starting_before(memory, base);
    struct loom_allocation *item = memory->item;

    if (n == 0 || item[n - 1].base != base) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "cannot free address 0x%llx: no live allocation "
                         "starts there",
                         (unsigned long long)base);
    }
    give_item(&item[n - 1]);
    memory->used -= item[n - 1].adopted ? 0 : item[n - 1].bytes;
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
    return a->host + (at - a->base);
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
        loom_digest_add(digest, a->host, a->bytes);
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
