/*
 * Which data structures miss the host's caches.
 *
 * Linked into a program whose files were compiled with -fsanitize=thread, in
 * place of that sanitizer's runtime: each load and store calls a function here,
 * which looks it up in models of a first and a second cache (LRU, 64-byte
 * lines, data only) and counts misses by the array or state it belongs to.
 * Functions that take memory are wrapped by the linker (tests/bench/misses.sh),
 * to know what lies where, and so is loom_machine_run(), to begin with what
 * ticks do.
 *
 * The table goes to the file MISSES_TABLE: a line for each place in the program
 * that takes memory, with its address, the array's shape, accesses, misses of
 * both caches, and lines that are touched in a window of accesses.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WAYS = 8,
    LINE_SHIFT = 6,
    FIRST_SETS = 64,      /* 32 KiB */
    SECOND_SETS = 2048,   /* 1 MiB */
    OBJECTS = 1 << 17,    /* blocks of memory */
    PLACES = 1 << 12,     /* that take them; 0: none is known */
    SEEN = 1 << 22,       /* lines that may be touched at all */
    WINDOW = 2000 * 1000, /* accesses */
    LOAD_FACTOR = 2
};

struct object {
    uint64_t start, end;
    uint32_t place;
};

struct place {
    const void *by; /* address in the program */
    size_t count, size;
    uint64_t accesses, first, second, lines;
};

/* A line and the window in which it was touched last. */
struct seen {
    uint64_t line;
    uint32_t window;
};

static struct object object[OBJECTS];
static struct place place[PLACES];
static uint64_t first[FIRST_SETS][WAYS], second[SECOND_SETS][WAYS];
static struct seen *seen;
static size_t objects, places = 1, lines_seen;
static uint64_t accesses;
static uint32_t window = 1;
static bool running;

typedef void *take(void *from, size_t count, size_t size);

take __real_loom_arena_take, __wrap_loom_arena_take;
take __real_loom_alloc, __wrap_loom_alloc;
take __real_loom_policy_alloc, __wrap_loom_policy_alloc;
int __real_loom_machine_run(void *machine, uint64_t until, uint64_t patience,
                            void *err);
int __wrap_loom_machine_run(void *machine, uint64_t until, uint64_t patience,
                            void *err);

static uint32_t place_of(const void *by, size_t count, size_t size)
{
    size_t i = 1;

    while (i < places && !(place[i].by == by && place[i].count == count &&
                           place[i].size == size)) {
        i++;
    }
    if (i == PLACES) {
        return 0;
    }
    if (i == places) {
        place[places++] =
            (struct place){.by = by, .count = count, .size = size};
    }
    return (uint32_t)i;
}

/* `by` has taken memory; who did on its behalf is forgotten. */
static void note(const void *memory, const void *by, size_t count, size_t size)
{
    uint64_t start = (uint64_t)memory;

    if (memory == NULL || running) {
        return;
    }
    if (objects != 0 && object[objects - 1].start == start) {
        objects--;
    }
    if (objects < OBJECTS) {
        object[objects++] = (struct object){start, start + count * size,
                                            place_of(by, count, size)};
    }
}

void *__wrap_loom_arena_take(void *from, size_t count, size_t size)
{
    void *memory = __real_loom_arena_take(from, count, size);

    note(memory, __builtin_return_address(0), count, size);
    return memory;
}

void *__wrap_loom_alloc(void *from, size_t count, size_t size)
{
    void *memory = __real_loom_alloc(from, count, size);

    note(memory, __builtin_return_address(0), count, size);
    return memory;
}

void *__wrap_loom_policy_alloc(void *from, size_t count, size_t size)
{
    void *memory = __real_loom_policy_alloc(from, count, size);

    note(memory, __builtin_return_address(0), count, size);
    return memory;
}

static int by_start(const void *a, const void *b)
{
    const struct object *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

static uint32_t find(uint64_t address)
{
    size_t low = 0, high = objects;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (object[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low != 0 && address < object[low - 1].end ? object[low - 1].place
                                                     : 0;
}

/* True if the line was there; it is the one used last afterwards. */
static bool hits(uint64_t set[WAYS], uint64_t line)
{
    size_t way = 0;
    bool hit;

    while (way < WAYS - 1 && set[way] != line) {
        way++;
    }
    hit = set[way] == line;
    memmove(set + 1, set, way * sizeof(*set));
    set[0] = line;
    return hit;
}

static bool new_in_window(uint64_t line)
{
    size_t at = (size_t)(line * UINT64_C(0x9E3779B97F4A7C15) >> 42);

    while (seen[at].line != line && seen[at].line != 0) {
        at = at + 1 < SEEN ? at + 1 : 0;
    }
    if (seen[at].line == 0) {
        if (lines_seen++ > SEEN / LOAD_FACTOR) {
            fputs("misses: too many lines\n", stderr);
            exit(1);
        }
        seen[at].line = line;
    }
    if (seen[at].window == window) {
        return false;
    }
    seen[at].window = window;
    return true;
}

static void touch(uint64_t address)
{
    uint64_t line = address >> LINE_SHIFT;
    struct place *p = &place[find(address)];

    p->accesses++;
    if (!hits(first[line % FIRST_SETS], line)) {
        p->first++;
        p->second += !hits(second[line % SECOND_SETS], line);
    }
    p->lines += new_in_window(line);
    window += ++accesses % WINDOW == 0;
}

static void look(const void *start, size_t bytes)
{
    uint64_t from = (uint64_t)start, end = from + bytes;

    if (!running) {
        return;
    }
    for (; from < end; from = (from >> LINE_SHIFT << LINE_SHIFT) +
                              (UINT64_C(1) << LINE_SHIFT)) {
        touch(from);
    }
}

static void write_table(void)
{
    FILE *file = fopen(MISSES_TABLE, "w");

    running = false;
    if (file == NULL) {
        perror(MISSES_TABLE);
        return;
    }
    for (size_t i = 0; i < places; i++) {
        const struct place *p = &place[i];

        if (p->accesses != 0) {
            fprintf(file, "%p %zu %zu %llu %llu %llu %llu\n", p->by, p->count,
                    p->size, (unsigned long long)p->accesses,
                    (unsigned long long)p->first, (unsigned long long)p->second,
                    (unsigned long long)(p->lines / window));
        }
    }
    fclose(file);
}

int __wrap_loom_machine_run(void *machine, uint64_t until, uint64_t patience,
                            void *err)
{
    if (seen == NULL) {
        seen = calloc(SEEN, sizeof(*seen));
        if (seen == NULL || atexit(write_table) != 0) {
            exit(1);
        }
        qsort(object, objects, sizeof(*object), by_start);
        running = true;
    }
    return __real_loom_machine_run(machine, until, patience, err);
}

/* ---- what the compiler calls ---- */

#define ACCESSES(bytes)                                                        \
    void __tsan_read##bytes(void *p);                                          \
    void __tsan_write##bytes(void *p);                                         \
    void __tsan_unaligned_read##bytes(void *p);                                \
    void __tsan_unaligned_write##bytes(void *p);                               \
    void __tsan_read##bytes(void *p)                                           \
    {                                                                          \
        look(p, bytes);                                                        \
    }                                                                          \
    void __tsan_write##bytes(void *p)                                          \
    {                                                                          \
        look(p, bytes);                                                        \
    }                                                                          \
    void __tsan_unaligned_read##bytes(void *p)                                 \
    {                                                                          \
        look(p, bytes);                                                        \
    }                                                                          \
    void __tsan_unaligned_write##bytes(void *p)                                \
    {                                                                          \
        look(p, bytes);                                                        \
    }

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_init(void);
void __tsan_func_entry(void *p);
void __tsan_func_exit(void);
void __tsan_read_range(void *p, size_t bytes);
void __tsan_write_range(void *p, size_t bytes);

void __tsan_init(void)
{
}

void __tsan_func_entry(void *p)
{
    (void)p;
}

void __tsan_func_exit(void)
{
}

void __tsan_read_range(void *p, size_t bytes)
{
    look(p, bytes);
}

void __tsan_write_range(void *p, size_t bytes)
{
    look(p, bytes);
}
