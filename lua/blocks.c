/*
 * States of Lua, whose memory is of blocks by size.
 *
 * Lua says of each block that it gives back how large it is, so lists of free
 * blocks of each size, cut from larger pieces, do without the heads and the
 * searching that malloc() needs.  A third of the time in which the library
 * starts and a machine is described was malloc's (decision 0090).  What is
 * given back is used again, never returned before Lua ends.
 */
#include "lua/blocks.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/error.h"

#define GRAIN 16u
#define SIZES 32u /* larger blocks are malloc's */
#define PIECE ((size_t)64 << 10)

/* Address sanitizers see what is given back too early if malloc() has all. */
#if defined(__SANITIZE_ADDRESS__)
#define ALL_LARGE true
#elif defined(__has_feature)
#define ALL_LARGE __has_feature(address_sanitizer)
#else
#define ALL_LARGE false
#endif

struct block {
    struct block *next;
};

struct loom_lua_blocks {
    struct block *free[SIZES];
    unsigned char *next; /* of the newest piece, what is not cut yet */
    size_t left;
    struct block *pieces;
    bool warns, amid; /* what warn() says is shown; it goes on */
};

/* The list of blocks of so many bytes, 1 or more; SIZES: none. */
static size_t list_of(size_t bytes)
{
    size_t list = (bytes - 1) / GRAIN;

    return list < SIZES && !ALL_LARGE ? list : SIZES;
}

static void *cut(struct loom_lua_blocks *blocks, size_t bytes)
{
    void *block;

    if (blocks->left < bytes) {
        struct block *piece = malloc(PIECE);

        if (piece == NULL) {
            return NULL;
        }
        piece->next = blocks->pieces;
        blocks->pieces = piece;
        blocks->next = (unsigned char *)piece + GRAIN;
        blocks->left = PIECE - GRAIN;
    }
    block = blocks->next;
    blocks->next += bytes;
    blocks->left -= bytes;
    return block;
}

static void *take(struct loom_lua_blocks *blocks, size_t bytes)
{
    size_t list = list_of(bytes);
    struct block *block;

    if (list == SIZES) {
        return malloc(bytes);
    }
    block = blocks->free[list];
    if (block == NULL) {
        return cut(blocks, (list + 1) * GRAIN);
    }
    blocks->free[list] = block->next;
    return block;
}

static void give(struct loom_lua_blocks *blocks, void *block, size_t bytes)
{
    size_t list = list_of(bytes);
    struct block *head = block;

    if (list == SIZES) {
        free(block);
        return;
    }
    head->next = blocks->free[list];
    blocks->free[list] = head;
}

/* Of another size.  Lua relies on it that a block can always shrink: one that
 * cannot be copied stays as it is. */
static void *change(struct loom_lua_blocks *blocks, void *block, size_t before,
                    size_t after)
{
    void *copy;

    if (list_of(before) != list_of(after)) {
        copy = take(blocks, after);
        if (copy != NULL) {
            memcpy(copy, block, before < after ? before : after);
            give(blocks, block, before);
        }
    } else {
        copy = list_of(after) < SIZES ? block : realloc(block, after);
    }
    return copy == NULL && after < before ? block : copy;
}

/* As Lua wants it: lua_Alloc. */
static void *allocate(void *context, void *block, size_t before, size_t after)
{
    struct loom_lua_blocks *blocks = context;

    if (block == NULL) {
        return after == 0 ? NULL : take(blocks, after);
    }
    if (after != 0) {
        return change(blocks, block, before, after);
    }
    if (before != 0) {
        give(blocks, block, before);
    }
    return NULL;
}

/* What warn() of a script says, as lua(1) shows it. */
static void warn(void *context, const char *text, int more)
{
    struct loom_lua_blocks *blocks = context;
    bool begins = !blocks->amid;

    blocks->amid = more != 0;
    if (begins && !more && text[0] == '@') {
        blocks->warns = strcmp(text, "@on") == 0 ||
                        (blocks->warns && strcmp(text, "@off") != 0);
    } else if (blocks->warns) {
        fprintf(stderr, "%s%s%s", begins ? "Lua warning: " : "", text,
                more ? "" : "\n");
    }
}

static int no_way_out(lua_State *L)
{
    LOOM_BUG("an error in Lua that nobody catches: %s", lua_tostring(L, -1));
}

static void drop(struct loom_lua_blocks *blocks)
{
    while (blocks->pieces != NULL) {
        struct block *piece = blocks->pieces;

        blocks->pieces = piece->next;
        free(piece);
    }
    free(blocks);
}

lua_State *loom_lua_new(void)
{
    struct loom_lua_blocks *blocks = calloc(1, sizeof(*blocks));
    lua_State *L;

    if (blocks == NULL) {
        return NULL;
    }
    L = lua_newstate(allocate, blocks);
    if (L == NULL) {
        drop(blocks);
        return NULL;
    }
    lua_atpanic(L, no_way_out);
    lua_setwarnf(L, warn, blocks);
    return L;
}

void loom_lua_end(lua_State *L)
{
    void *blocks;

    lua_getallocf(L, &blocks);
    lua_close(L);
    drop(blocks);
}
