/*
 * A list of zeroed blocks.  Blocks are cache-line aligned because the arrays
 * that parts keep in them are what ticks walk over.  They come from calloc,
 * so that of a large one only what is used is ever touched: a part that idles
 * costs little memory and little time to build.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/arena_private.h"

struct loom_arena_block {
    struct loom_arena_block *next;
    void *start; /* what calloc gave */
};

void *loom_arena_take(struct loom_arena *arena, size_t count, size_t size)
{
    struct loom_arena_block *block;
    unsigned char *start;

    if (size != 0 && count > (SIZE_MAX - 2 * LOOM_LINE) / size) {
        arena->failed = true;
        return NULL;
    }
    start = calloc(1, count * size + 2 * LOOM_LINE);
    if (start == NULL) {
        arena->failed = true;
        return NULL;
    }
    block = (void *)(start +
                     (LOOM_LINE - (uintptr_t)start % LOOM_LINE) % LOOM_LINE);
    block->next = arena->blocks;
    block->start = start;
    arena->blocks = block;
    return (unsigned char *)block + LOOM_LINE;
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
    while (arena->blocks != NULL) {
        struct loom_arena_block *next = arena->blocks->next;

        free(arena->blocks->start);
        arena->blocks = next;
    }
}
