/*
 * Device memory: the contents, not the timing.
 *
 * One flat 64-bit global space with allocations in it.  Addresses start at
 * LOOM_MEMORY_BASE, are 256-byte aligned, grow in the order of allocation
 * and are a function of the sequence of calls only, so that runs repeat.
 * Every access is checked against the allocation it falls in.
 */
#ifndef WORKLOADS_MEMORY_H
#define WORKLOADS_MEMORY_H

#include "engine/digest.h"
#include "engine/error.h"

/* Where GPGPU-Sim's heap starts: address maps see the same bits. */
#define LOOM_MEMORY_BASE UINT64_C(0xC0000000)
#define LOOM_MEMORY_ALIGN 256
/* Where there are several devices, each has a window of addresses. */
#define LOOM_MEMORY_WINDOW_BITS 40
#define LOOM_MEMORY_WINDOWS 16u
#define LOOM_MEMORY_TAIL 32

struct loom_memory;

struct loom_allocation {
    loom_addr base;
    uint64_t bytes;
    const char *name;       /* for messages; may be "" */
    bool read_only;         /* programs may not write it; the host may */
    bool adopted;           /* `host` is somebody else's */
    unsigned char *host;    /* its bytes; see loom_memory_at() */
    unsigned char *written; /* a bit for each of them, or NULL: all are */
};

/* `limit` is the device's memory in bytes. */
struct loom_memory *loom_memory_create(uint64_t limit);
/* Bytes (a multiple of the alignment) after each later allocation that belong
 * to nobody, so that overruns are found; LOOM_MEMORY_ALIGN unless changed.  0
 * packs allocations as a CUDA allocator does. */
void loom_memory_guard(struct loom_memory *memory, uint64_t bytes);
void loom_memory_destroy(struct loom_memory *memory); /* accepts NULL */

/* From now on allocations are in the window of that device.  To be called
 * before the first one, if ever. */
void loom_memory_window(struct loom_memory *memory, uint32_t device);

/* Zeroed.  False if the device is full. */
bool loom_memory_alloc(struct loom_memory *memory, uint64_t bytes,
                       const char *name, loom_addr *base,
                       struct loom_error *err);
bool loom_memory_free(struct loom_memory *memory, loom_addr base,
                      struct loom_error *err);
/* Bytes of the host that programs may use, at an address where nothing is ever
 * allocated; until they are freed.  No more than those may be read. */
bool loom_memory_adopt(struct loom_memory *memory, loom_addr base, void *host,
                       uint64_t bytes, struct loom_error *err);

bool loom_memory_write(struct loom_memory *memory, loom_addr to,
                       const void *from, uint64_t bytes,
                       struct loom_error *err);
bool loom_memory_read(const struct loom_memory *memory, loom_addr from,
                      void *to, uint64_t bytes, struct loom_error *err);

/* Host pointer to `bytes` bytes at `at`, or NULL if not all of them lie in
 * one live allocation.  Valid until that allocation is freed.  The
 * LOOM_MEMORY_TAIL bytes behind an allocation may be read, too. */
void *loom_memory_at(const struct loom_memory *memory, loom_addr at,
                     uint64_t bytes);

/* Programs may not write this allocation from now on. */
void loom_memory_protect(struct loom_memory *memory, loom_addr base);

/* The freed allocation that held `at`; only the last some thousand are
 * known.  False: none did. */
bool loom_memory_freed(const struct loom_memory *memory, loom_addr at,
                       struct loom_allocation *found);

/* Is it where nothing is allocated, but in a page that an allocation is in?
 * Hardware knows pages only. */
#define LOOM_MEMORY_PAGE (UINT64_C(2) << 20)
bool loom_memory_beyond(const struct loom_memory *memory, loom_addr at,
                        uint64_t bytes);
/* From now on programs that read there get zeros, and what they write there is
 * lost. */
void loom_memory_forgive(struct loom_memory *memory);
/* Those zeros; NULL: such a read is an error, or there is an allocation. */
const unsigned char *loom_memory_zeros(const struct loom_memory *memory,
                                       loom_addr at, uint64_t bytes);
/* Where such a write may go, as nobody reads it; NULL likewise. */
unsigned char *loom_memory_sink(struct loom_memory *memory, loom_addr at,
                                uint64_t bytes);

/* Of later allocations, remembers which bytes have been written: by
 * loom_memory_write(), or as loom_memory_mark() says.  All other bytes count
 * as written. */
void loom_memory_watch(struct loom_memory *memory);
bool loom_memory_watched(const struct loom_memory *memory);
/* The bytes lie in one live allocation. */
void loom_memory_mark(struct loom_memory *memory, loom_addr at, uint64_t bytes);
bool loom_memory_written(const struct loom_memory *memory, loom_addr at,
                         uint64_t bytes);

/* The allocation that contains `at` or, failing that, the one whose end or
 * start is nearest; false if there is none at all. */
bool loom_memory_nearest(const struct loom_memory *memory, loom_addr at,
                         struct loom_allocation *found);

/* The live allocation that starts last at or before `at`; false: none does. */
bool loom_memory_before(const struct loom_memory *memory, loom_addr at,
                        struct loom_allocation *found);

/* The races that were found among those who use this memory, which owns the
 * list; NULL: no host memory. */
struct loom_race_list;
struct loom_race_list *loom_memory_races(struct loom_memory *memory);

/* The textures of this memory, which it owns (workloads/texture.h). */
struct loom_texture_table;
struct loom_texture_table **loom_memory_textures(struct loom_memory *memory);
struct loom_texture_table *
loom_memory_texture_table(const struct loom_memory *memory);

uint32_t loom_memory_count(const struct loom_memory *memory);
/* Live allocations in ascending order of address. */
struct loom_allocation loom_memory_get(const struct loom_memory *memory,
                                       uint32_t number);

/* Adds addresses, sizes and contents of all live allocations. */
void loom_memory_digest(const struct loom_memory *memory,
                        struct loom_digest *digest);

#endif
