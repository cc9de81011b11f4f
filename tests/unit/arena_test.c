/*
 * Memory of a machine: zeroed blocks on lines of their own, what was refused to
 * whom, and lists of free places that nobody has written.
 * links: loom_engine
 */
#include <stdint.h>
#include <string.h>

#include "engine/arena_private.h"
#include "engine/free_list.h"

#include "tests/unit/test.h"

static bool all_are(const unsigned char *block, size_t bytes, int value)
{
    for (size_t i = 0; i < bytes; i++) {
        if (block[i] != value) {
            return false;
        }
    }
    return true;
}

/* Sizes from nothing to more than a region; none is written by another. */
static void blocks_are_apart(void)
{
    static const size_t bytes[] = {1, 64, 0, 63, 65, 5 << 20, 100, 3 << 20, 8};
    struct loom_arena machine = {0}, part = {.from = &machine};
    unsigned char *block[LOOM_COUNTOF(bytes)];

    for (size_t i = 0; i < LOOM_COUNTOF(bytes); i++) {
        block[i] = loom_arena_take(i % 2 == 0 ? &machine : &part, bytes[i], 1);
        REQUIRE(block[i] != NULL);
        EXPECT_EQ((uintptr_t)block[i] % LOOM_LINE, 0);
        EXPECT(all_are(block[i], bytes[i], 0));
        memset(block[i], (int)i + 1, bytes[i]);
    }
    for (size_t i = 0; i < LOOM_COUNTOF(bytes); i++) {
        EXPECT(all_are(block[i], bytes[i], (int)i + 1));
    }
    EXPECT_TEXT(loom_arena_text(&part, "text"), "text");
    loom_arena_free(&machine);
}

static void who_was_refused_knows(void)
{
    struct loom_arena machine = {0}, part = {.from = &machine};
    struct loom_error err;

    EXPECT(loom_arena_take(&part, SIZE_MAX / 2, 4) == NULL);
    EXPECT(loom_arena_take(&part, 1, 16) != NULL);
    EXPECT(!loom_arena_whole(&part, &err));
    EXPECT(loom_arena_whole(&machine, &err));
    EXPECT(loom_arena_take(&machine, 1, SIZE_MAX / 4) == NULL);
    EXPECT(!loom_arena_whole(&machine, &err));
    loom_arena_free(&machine);
}

/* As a stack of places that was filled from the last to the first. */
static void free_places_come_as_written_ones_did(void)
{
    enum {
        PLACES = 50
    };
    uint32_t link[PLACES] = {0}, stack[PLACES];
    uint32_t first = 0, top = PLACES, taken[PLACES], held = 0, x = 1;

    for (uint32_t i = 0; i < PLACES; i++) {
        stack[i] = PLACES - 1 - i;
    }
    for (int step = 0; step < 5000; step++) {
        x = x * 1664525u + 1013904223u;
        if (top == 0 || (held != 0 && (x >> 24) % 2 == 0)) {
            uint32_t at = (x >> 8) % held, place = taken[at];

            taken[at] = taken[--held];
            link[place] = loom_free_link(place, first);
            first = place;
            stack[top++] = place;
        } else {
            uint32_t place = first;

            EXPECT_EQ(place, stack[top - 1]);
            top--;
            first = loom_free_next(place, link[place]);
            taken[held++] = place;
        }
        EXPECT_EQ(first == PLACES, top == 0);
    }
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"blocks_are_apart", blocks_are_apart},
        {"who_was_refused_knows", who_was_refused_knows},
        {"free_places_come_as_written_ones_did",
         free_places_come_as_written_ones_did},
    };

    return loom_run_tests("arena", tests, LOOM_COUNTOF(tests));
}
