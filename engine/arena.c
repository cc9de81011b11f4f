/*
 * Zeroed blocks, one behind the other in regions that the kernel fills page by
 * page as they are written to: a part that idles costs little memory and
 * little time to build, however much it asked for.  Blocks are cache-line
 * aligned because the arrays that parts keep in them are what ticks walk over.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/arena_private.h"

/* Does nothing where there is no such sanitizer. */
#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#endif

enum {
    REGION = 4 << 20 /* bytes at least */
};

/* At its own start. */
struct loom_arena_region {
    struct loom_arena_region *next;
    size_t bytes;
};

/* Regions of an arena with a place lie one behind the other. */
static bool add_region(struct loom_arena *arena, size_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    struct loom_arena_region *region;

    bytes = bytes + LOOM_LINE < REGION ? REGION : bytes + LOOM_LINE;
    if (arena->place != NULL) {
        flags |= MAP_FIXED_NOREPLACE;
        bytes = (bytes + REGION - 1) / REGION * REGION;
    }
    region = mmap(arena->place, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (region == MAP_FAILED) {
        return false;
    }
    if (arena->place != NULL && (unsigned char *)region != arena->place) {
        munmap(region, bytes); /* of a kernel that does not know the flag */
        return false;
    }
    arena->place = arena->place != NULL ? arena->place + bytes : NULL;
    region->next = arena->regions;
    region->bytes = bytes;
    arena->regions = region;
    arena->free = (unsigned char *)region + LOOM_LINE;
    arena->left = bytes - LOOM_LINE;
    return true;
}

/* Notes what is given of an arena with a place. */
static bool note(struct loom_arena *arena, const struct loom_arena *owner,
                 unsigned char *start, size_t bytes)
{
    if (arena->blocks == arena->block_room) {
        size_t room = arena->block_room == 0 ? 1024 : 2 * arena->block_room;
        struct loom_arena_block *grown =
            realloc(arena->block, room * sizeof(*grown));

        if (grown == NULL) {
            return false;
        }
        arena->block = grown;
        arena->block_room = room;
    }
    arena->block[arena->blocks++] =
        (struct loom_arena_block){start, bytes, owner};
    return true;
}

void *loom_arena_take(struct loom_arena *arena, size_t count, size_t size)
{
    struct loom_arena *from = arena->from != NULL ? arena->from : arena;
    unsigned char *block;
    size_t bytes;

    if (size != 0 && count > (SIZE_MAX / 2 - REGION) / size) {
        arena->failed = true;
        return NULL;
    }
    /* And a line that is nobody's, so that sanitizers see who writes on. */
    bytes = (count * size + 2 * LOOM_LINE - 1) / LOOM_LINE * LOOM_LINE;
    if (bytes > from->left && !add_region(from, bytes)) {
        arena->failed = true;
        return NULL;
    }
    block = from->free;
    if (from->place != NULL && !note(from, arena, block, count * size)) {
        arena->failed = true;
        return NULL;
    }
    from->free += bytes;
    from->left -= bytes;
    ASAN_POISON_MEMORY_REGION(block + count * size, bytes - count * size);
    return block;
}

bool loom_arena_whole(const struct loom_arena *arena, struct loom_error *err)
{
    return !arena->failed ||
           loom_fail(err, LOOM_ERR_MEMORY, "no memory for its state");
}

char *loom_arena_text(struct loom_arena *arena, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = loom_arena_take(arena, bytes, 1);

    if (copy != NULL) {
        memcpy(copy, text, bytes);
    }
    return copy;
}

void loom_arena_free(struct loom_arena *arena)
{
    while (arena->regions != NULL) {
        struct loom_arena_region *region = arena->regions;

        arena->regions = region->next;
        ASAN_UNPOISON_MEMORY_REGION(region, region->bytes);
        munmap(region, region->bytes);
    }
    free(arena->block);
}
