/*
 * Memory that is freed together: everything a machine's instances take in init.
 */
#ifndef ENGINE_ARENA_PRIVATE_H
#define ENGINE_ARENA_PRIVATE_H

#include "engine/error.h"

enum {
    LOOM_LINE = 64 /* bytes of a cache line */
};

struct loom_arena_region;

/* What was given, to whom: of an arena that has a place. */
struct loom_arena_block {
    unsigned char *start;
    size_t bytes;
    const struct loom_arena *owner;
};

struct loom_arena {
    struct loom_arena *from; /* whose memory it gives; NULL: its own */
    struct loom_arena_region *regions;
    unsigned char *free; /* in the newest region */
    size_t left;
    bool failed;          /* it had no memory for something, whoever looked */
    unsigned char *place; /* where its next region is; NULL: anywhere */
    struct loom_arena_block *block; /* [blocks] in the order of their starts */
    size_t blocks, block_room;
};

/* Zeroed and aligned for anything, on a cache line of its own.  NULL when
 * the host has no more or the size overflows. */
void *loom_arena_take(struct loom_arena *arena, size_t count, size_t size);
/* Has there been memory for all of it? */
bool loom_arena_whole(const struct loom_arena *arena, struct loom_error *err);
/* Not inlined: link-time optimisation takes the other members of a value's
 * union for pointers and warns. */
LOOM_NOINLINE char *loom_arena_text(struct loom_arena *arena, const char *text);
/* With all that was given `from` it. */
void loom_arena_free(struct loom_arena *arena);

#endif
