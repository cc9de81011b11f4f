/*
 * Stream buffers in memory up to a limit, and beyond it in a file.
 *
 * A buffer in the file is a reserved range of host addresses into which
 * pieces of the file are mapped one behind the other.  Growing maps another
 * piece; if the range is used up, all pieces are mapped again at the start
 * of a larger one.  So nothing is copied but what the buffer held when it
 * left the memory.
 *
 * Invariants: `memory` is the sum of the sizes of buffers in memory; every
 * piece of the file below `end` belongs to one buffer or is in `spare`.
 */
#include "workloads/streams/pool.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE (UINT64_C(1) << 20)         /* bytes of the file at a time */
#define RANGE (UINT64_C(1) << 28)         /* host addresses, at first */
#define ALWAYS_MEMORY (UINT64_C(1) << 14) /* smaller buffers never spill */

struct loom_spill {
    unsigned char *range;
    uint64_t range_bytes;
    uint64_t *piece; /* [count], offsets in the file */
    uint64_t count, room;
};

struct loom_stream_pool {
    uint64_t limit;
    struct loom_pool_use use;
    int file;     /* -1: none yet */
    uint64_t end; /* of the file */
    uint64_t *spare;
    uint64_t spare_count, spare_room;
    char folder[512];
};

struct loom_stream_pool *loom_pool_create(uint64_t limit)
{
    struct loom_stream_pool *pool = calloc(1, sizeof(*pool));

    if (pool != NULL) {
        pool->limit = limit;
        pool->file = -1;
        /* On a disk, where /tmp may be memory. */
        (void)loom_pool_folder(pool, "/var/tmp");
    }
    return pool;
}

bool loom_pool_folder(struct loom_stream_pool *pool, const char *folder)
{
    return snprintf(pool->folder, sizeof(pool->folder), "%s", folder) <
           (int)sizeof(pool->folder);
}

void loom_pool_destroy(struct loom_stream_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    if (pool->file >= 0) {
        close(pool->file);
    }
    free(pool->spare);
    free(pool);
}

void loom_pool_limit(struct loom_stream_pool *pool, uint64_t limit)
{
    pool->limit = limit;
}

struct loom_pool_use loom_pool_use(const struct loom_stream_pool *pool)
{
    return pool->use;
}

bool loom_pool_crowded(const struct loom_stream_pool *pool)
{
    return pool->use.memory > pool->limit / 2;
}

static bool add_offset(uint64_t **list, uint64_t *count, uint64_t *room,
                       uint64_t offset)
{
    if (*count == *room) {
        uint64_t more = *room == 0 ? 16 : *room * 2;
        uint64_t *grown = realloc(*list, more * sizeof(*grown));

        if (grown == NULL) {
            return false;
        }
        *list = grown;
        *room = more;
    }
    (*list)[(*count)++] = offset;
    return true;
}

static bool open_file(struct loom_stream_pool *pool)
{
    char name[sizeof(pool->folder) + 32];

    if (pool->file >= 0) {
        return true;
    }
    snprintf(name, sizeof(name), "%s/warploom-XXXXXX", pool->folder);
    pool->file = mkstemp(name);
    if (pool->file < 0) {
        return false;
    }
    unlink(name);
    (void)fcntl(pool->file, F_SETFD, FD_CLOEXEC);
    return true;
}

/* A piece of the file with room on the disk, so that writing to it cannot
 * fail later. */
static bool take_piece(struct loom_stream_pool *pool, uint64_t *offset)
{
    bool again = pool->spare_count != 0;

    if (!open_file(pool)) {
        return false;
    }
    *offset = again ? pool->spare[pool->spare_count - 1] : pool->end;
    if (posix_fallocate(pool->file, (off_t)*offset, (off_t)PIECE) != 0) {
        return false;
    }
    if (again) {
        pool->spare_count--;
    } else {
        pool->end += PIECE;
    }
    return true;
}

static bool map_piece(const struct loom_stream_pool *pool, unsigned char *at,
                      uint64_t offset)
{
    return mmap(at, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                pool->file, (off_t)offset) != MAP_FAILED;
}

/* Moves to a range of host addresses that is large enough. */
static bool make_range(const struct loom_stream_pool *pool,
                       struct loom_spill *spill, uint64_t bytes)
{
    uint64_t size = spill->range_bytes == 0 ? RANGE : spill->range_bytes;
    unsigned char *range;

    if (bytes <= spill->range_bytes) {
        return true;
    }
    while (size < bytes) {
        size *= 2;
    }
    range = mmap(NULL, size, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) {
        return false;
    }
    for (uint64_t i = 0; i < spill->count; i++) {
        if (!map_piece(pool, range + i * PIECE, spill->piece[i])) {
            munmap(range, size);
            return false;
        }
    }
    if (spill->range != NULL) {
        munmap(spill->range, spill->range_bytes);
    }
    spill->range = range;
    spill->range_bytes = size;
    return true;
}

static void give_pieces(struct loom_stream_pool *pool, struct loom_spill *spill)
{
    for (uint64_t i = 0; i < spill->count; i++) {
        /* Nobody needs it written to the disk any more. */
        (void)madvise(spill->range + i * PIECE, PIECE, MADV_REMOVE);
        /* Without memory for the list, the piece is lost until the end. */
        (void)add_offset(&pool->spare, &pool->spare_count, &pool->spare_room,
                         spill->piece[i]);
    }
    pool->use.file -= spill->count * PIECE;
    if (spill->range != NULL) {
        munmap(spill->range, spill->range_bytes);
    }
    free(spill->piece);
    free(spill);
}

/* Full pieces leave this process's memory; the page cache keeps them as
 * long as it likes. */
static void drop(const struct loom_spill *spill, uint64_t from, uint64_t to)
{
    if (from < to) {
        (void)madvise(spill->range + from * PIECE, (to - from) * PIECE,
                      MADV_DONTNEED);
    }
}

static bool grow_spill(struct loom_stream_pool *pool, struct loom_spill *spill,
                       uint64_t bytes)
{
    uint64_t before = spill->count;

    if (!make_range(pool, spill, (bytes + PIECE - 1) / PIECE * PIECE)) {
        return false;
    }
    while (spill->count * PIECE < bytes) {
        uint64_t offset;

        if (!take_piece(pool, &offset)) {
            return false;
        }
        if (!add_offset(&spill->piece, &spill->count, &spill->room, offset)) {
            return false;
        }
        pool->use.file += PIECE;
        if (!map_piece(pool, spill->range + (spill->count - 1) * PIECE,
                       offset)) {
            return false;
        }
    }
    if (pool->use.file > pool->use.file_max) {
        pool->use.file_max = pool->use.file;
    }
    drop(spill, 0, before);
    return true;
}

/* Large buffers grow by several pieces, which are neighbours in the file and
 * so one mapping to the host, which has a limit for these. */
static uint64_t ahead(uint64_t has, uint64_t bytes)
{
    uint64_t more = has / 8;

    more = more > 4 * PIECE ? 4 * PIECE : more;
    return bytes > has + more ? bytes : has + more;
}

static bool leave_memory(struct loom_stream_pool *pool,
                         struct loom_pool_buffer *buffer, uint64_t bytes)
{
    struct loom_spill *spill = calloc(1, sizeof(*spill));

    if (spill == NULL) {
        return false;
    }
    if (!grow_spill(pool, spill, bytes)) {
        give_pieces(pool, spill);
        return false;
    }
    if (buffer->bytes != 0) {
        memcpy(spill->range, buffer->at, buffer->bytes);
    }
    free(buffer->at);
    pool->use.memory -= buffer->bytes;
    *buffer =
        (struct loom_pool_buffer){spill->range, spill->count * PIECE, spill};
    return true;
}

/* In memory, growing may mean copying, so a buffer doubles. */
static bool grow_memory(struct loom_stream_pool *pool,
                        struct loom_pool_buffer *buffer, uint64_t bytes)
{
    void *at;

    bytes = bytes < 2 * buffer->bytes ? 2 * buffer->bytes : bytes;
    if (bytes > ALWAYS_MEMORY &&
        pool->use.memory - buffer->bytes + bytes > pool->limit) {
        return false;
    }
    at = realloc(buffer->at, bytes);
    if (at == NULL) {
        return false;
    }
    pool->use.memory += bytes - buffer->bytes;
    if (pool->use.memory > pool->use.memory_max) {
        pool->use.memory_max = pool->use.memory;
    }
    buffer->at = at;
    buffer->bytes = bytes;
    return true;
}

bool loom_pool_grow(struct loom_stream_pool *pool,
                    struct loom_pool_buffer *buffer, uint64_t bytes)
{
    struct loom_spill *spill = buffer->spill;
    bool ok;

    if (bytes <= buffer->bytes) {
        return true;
    }
    if (spill == NULL) {
        return grow_memory(pool, buffer, bytes) ||
               leave_memory(pool, buffer, ahead(buffer->bytes, bytes));
    }
    ok = grow_spill(pool, spill, ahead(buffer->bytes, bytes));
    buffer->at = spill->range; /* it may have moved in any case */
    buffer->bytes = spill->count * PIECE;
    return ok;
}

void loom_pool_release(struct loom_stream_pool *pool,
                       struct loom_pool_buffer *buffer)
{
    if (buffer->spill != NULL) {
        give_pieces(pool, buffer->spill);
    } else {
        free(buffer->at);
        pool->use.memory -= buffer->bytes;
    }
    *buffer = (struct loom_pool_buffer){0};
}

void loom_pool_settle(struct loom_stream_pool *pool,
                      const struct loom_pool_buffer *buffer)
{
    (void)pool;
    if (buffer->spill != NULL) {
        drop(buffer->spill, 0, buffer->spill->count);
    }
}
