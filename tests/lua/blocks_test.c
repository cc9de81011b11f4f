/*
 * Memory of Lua's states: blocks of all sizes that grow, shrink and come back,
 * work that repeats, and a script that wants more than there is.
 */
/* lint: allow layer: it is about states of Lua */
#include <lauxlib.h>
/* lint: allow layer: it is about states of Lua */
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "lua/blocks.h"
#include "tests/unit/test.h"

static size_t left = SIZE_MAX;
static unsigned pieces; /* that blocks are cut from: none of an asan build's */

/* What blocks.c calls here instead of malloc() (tests.cmake). */
void *loom_test_malloc(size_t bytes);
void *loom_test_malloc(size_t bytes)
{
    if (bytes > left) {
        return NULL;
    }
    left -= left == SIZE_MAX ? 0 : bytes;
    pieces += bytes == 65536;
    return malloc(bytes);
}

static unsigned char *fill(unsigned char *block, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++) {
        block[i] = (unsigned char)(seed * 31 + i);
    }
    return block;
}

static bool holds(const unsigned char *block, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++) {
        if (block[i] != (unsigned char)(seed * 31 + i)) {
            return false;
        }
    }
    return true;
}

/* Sizes around every list's end and beyond the last one, in a random order. */
static void blocks_keep_what_is_in_them(void)
{
    enum {
        BLOCKS = 200,
        STEPS = 40000,
        MOST = 700
    };
    static unsigned char *block[BLOCKS];
    static size_t bytes[BLOCKS];
    lua_State *L = loom_lua_new();
    unsigned random = 1;
    void *context;
    lua_Alloc alloc;

    REQUIRE(L != NULL);
    alloc = lua_getallocf(L, &context);
    for (int step = 0; step < STEPS; step++) {
        unsigned i, wanted;
        size_t kept;

        random = random * 1664525 + 1013904223;
        i = (random >> 8) % BLOCKS;
        wanted = (random >> 16) % 4 == 0 ? 0 : 1 + (random >> 18) % MOST;
        kept = bytes[i] < wanted ? bytes[i] : wanted;
        if (block[i] == NULL && wanted == 0) {
            continue;
        }
        block[i] = alloc(context, block[i], bytes[i], wanted);
        REQUIRE((block[i] != NULL) == (wanted != 0));
        if (block[i] != NULL) {
            EXPECT((uintptr_t)block[i] % 16 == 0);
            REQUIRE(holds(block[i], kept, i));
            fill(block[i], wanted, i);
        }
        bytes[i] = wanted;
    }
    for (unsigned i = 0; i < BLOCKS; i++) {
        EXPECT(holds(block[i], bytes[i], i));
        alloc(context, block[i], bytes[i], 0);
    }
    loom_lua_end(L);
}

static int run(lua_State *L, const char *text)
{
    int status = luaL_loadstring(L, text);

    return status == LUA_OK ? lua_pcall(L, 0, 0, 0) : status;
}

/* What is given back is what comes next, so that nothing grows. */
static void work_that_repeats_needs_no_more(void)
{
    static const char work[] =
        "local t = {} "
        "for i = 1, 20000 do t[i] = { i, tostring(i), x = i } end "
        "t = nil collectgarbage() collectgarbage()";
    lua_State *L = loom_lua_new();
    unsigned first;

    REQUIRE(L != NULL);
    luaL_openlibs(L);
    EXPECT(run(L, work) == LUA_OK);
    first = pieces;
    for (int i = 0; i < 10; i++) {
        EXPECT(run(L, work) == LUA_OK);
    }
    EXPECT(pieces <= first + 1); /* one takes 50 */
    loom_lua_end(L);
}

/* Lua says so, and goes on with what it has given back. */
static void without_memory_lua_says_so(void)
{
    static const char much[] =
        "local t = {} for i = 1, 1e8 do t[i] = { i } end";
    static const char less[] =
        "local t = {} for i = 1, 1e4 do t[i] = { i } end "
        "assert(#t == 1e4)";
    lua_State *L = loom_lua_new();

    REQUIRE(L != NULL);
    luaL_openlibs(L);
    left = (size_t)8 << 20;
    EXPECT(run(L, much) == LUA_ERRMEM);
    EXPECT_TEXT(lua_tostring(L, -1), "not enough memory");
    lua_settop(L, 0);
    lua_gc(L, LUA_GCCOLLECT);
    /* For sizes that were not given back; without pieces for all of it. */
    left = pieces != 0 ? 128 << 10 : 4 << 20;
    EXPECT_TEXT(run(L, less) == LUA_OK ? "done" : lua_tostring(L, -1), "done");
    left = SIZE_MAX;
    loom_lua_end(L);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"blocks_keep_what_is_in_them", blocks_keep_what_is_in_them},
        {"work_that_repeats_needs_no_more", work_that_repeats_needs_no_more},
        {"without_memory_lua_says_so", without_memory_lua_says_so},
    };

    return loom_run_tests("blocks", tests, LOOM_COUNTOF(tests));
}
