/*
 * A list of zeroed blocks.  Blocks are cache-line aligned because the arrays
 * that parts keep in them are what ticks walk over.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/arena_private.h"

enum {
    LINE = 64
};

struct loom_arena_block {
    struct loom_arena_block *next;
};

void *loom_arena_take(struct loom_arena *arena, size_t count, size_t size)
{
    struct loom_arena_block *block;
    size_t bytes;

    if (size != 0 && count > (SIZE_MAX - 2 * LINE) / size) {
        return NULL;
    }
    bytes = (count * size + 2 * LINE - 1) / LINE * LINE;
    block = aligned_alloc(LINE, bytes + LINE);
    if (block == NULL) {
        return NULL;
    }
    memset(block, 0, bytes + LINE);
    block->next = arena->blocks;
    arena->blocks = block;
    return (unsigned char *)block + LINE;
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

        free(arena->blocks);
        arena->blocks = next;
    }
}
