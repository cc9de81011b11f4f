/*
 * When a run has come how far, for tests/bench/stretches.lua.
 *
 * Part of a program that was built with -DLOOM_STRETCHES=ON, whose engine calls
 * loom_stretch() every few thousand windows.  The times, in nanoseconds, go to
 * the file that the environment's LOOM_STRETCHES_FILE names, a line each, when
 * the program ends; without it to none.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    STRETCHES = 1 << 18 /* later ones are not written down */
};

void loom_stretch(void);

static int64_t reached[STRETCHES];
static size_t count;

static void write_down(void)
{
    const char *path = getenv("LOOM_STRETCHES_FILE");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;

    if (file == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%" PRId64 "\n", reached[i]);
    }
    fclose(file);
}

void loom_stretch(void)
{
    struct timespec now;

    if (count == 0) {
        atexit(write_down);
    }
    if (count < STRETCHES && clock_gettime(CLOCK_MONOTONIC, &now) == 0) {
        reached[count++] = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }
}
