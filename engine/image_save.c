/*
 * Writing the image of a machine: for each block the bytes that are not what
 * they were after init.
 *
 * A word that has changed and could be an address of something outside of the
 * machine is refused, as it means nothing in another process.  A number that
 * looks like one is refused as well: no image is better than a wrong one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/image_private.h"
#include "engine/warm.h"

enum {
    WORD = 8
};

struct range {
    uint64_t from, to;
};

struct writer {
    unsigned char *data;
    size_t bytes, room;
    bool failed; /* no memory */
    struct loom_machine *machine;
    struct range policies; /* addresses of their memory */
    struct range *outside; /* [ranges] of this process */
    size_t ranges;
    struct loom_error *err; /* the first thing that was refused */
    bool refused;
};

static void put(struct writer *w, const void *data, size_t bytes)
{
    if (!w->failed && w->bytes + bytes > w->room) {
        size_t room = 2 * w->room + bytes + (1 << 16);
        unsigned char *grown = realloc(w->data, room);

        w->failed = grown == NULL;
        if (!w->failed) {
            w->data = grown;
            w->room = room;
        }
    }
    if (!w->failed && bytes != 0) {
        memcpy(w->data + w->bytes, data, bytes);
        w->bytes += bytes;
    }
}

/* ---- addresses ---- */

static bool is_in(const struct range *range, uint64_t address)
{
    return address >= range->from && address < range->to;
}

/* A small number beside half of a word that nobody wrote, which keeps half of
 * an address: it would be one where a mapping begins at a multiple of 4 GiB, as
 * an arena of glibc's does in one process of 64.  That has its header there,
 * and nothing that a part could hold the address of. */
static bool is_half(const struct range *range, uint64_t word)
{
    return (word & UINT32_MAX) < 1024 && range->from == word >> 32 << 32;
}

/* A sanitizer's shadow, of which nothing has an address: below 4 GiB, where a
 * program that is built to be anywhere has nothing, and more than memory can
 * be. */
static bool is_shadow(const struct range *range)
{
    return range->to <= UINT64_C(1) << 32 ||
           range->to - range->from >= UINT64_C(1) << 40;
}

/* Memory of the device: it has no file, nor a name. */
static bool is_of_device(const struct range *range, const char *line)
{
    return range->from >= LOOM_IMAGE_DEVICE && range->from < LOOM_IMAGE_FIRST &&
           strpbrk(line, "/[") == NULL;
}

static bool add_range(struct writer *w, const char *line)
{
    static const struct range places = {
        LOOM_IMAGE_FIRST,
        LOOM_IMAGE_FIRST + LOOM_IMAGE_PLACES * LOOM_IMAGE_BYTES};
    struct range range = {0};
    struct range *grown;
    char *end;

    range.from = strtoull(line, &end, 16);
    range.to = *end == '-' ? strtoull(end + 1, NULL, 16) : 0;
    if (range.to <= range.from || is_in(&places, range.from) ||
        is_of_device(&range, line) || is_shadow(&range)) {
        return true;
    }
    grown = realloc(w->outside, (w->ranges + 1) * sizeof(*grown));
    if (grown == NULL) {
        return false;
    }
    w->outside = grown;
    w->outside[w->ranges++] = range;
    return true;
}

/* What else this process has in its address space. */
static bool find_outside(struct writer *w)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[8192];
    bool good = maps != NULL;

    while (good && fgets(line, sizeof(line), maps) != NULL) {
        good = add_range(w, line);
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return good;
}

static void refuse(struct writer *w, const struct loom_arena_block *block,
                   size_t at)
{
    if (!w->refused) {
        w->refused = true;
        loom_fail(w->err, LOOM_ERR_CONFIG,
                  "'%s' holds an address of something outside of the machine "
                  "(byte %zu of %zu), so it cannot be saved",
                  loom_image_owner(w->machine, block), at, block->bytes);
    }
}

/* ---- blocks ---- */

struct diff {
    const unsigned char *now, *was; /* `was` NULL: all 0 */
    size_t bytes;
};

static bool same(const struct diff *d, size_t at, size_t bytes)
{
    static const unsigned char zero[WORD];

    return memcmp(d->now + at, d->was != NULL ? d->was + at : zero, bytes) == 0;
}

static void look_at_word(struct writer *w, const struct loom_arena_block *block,
                         size_t at, uint32_t *points)
{
    uint64_t word;

    memcpy(&word, block->start + at, WORD);
    if (is_in(&w->policies, word)) {
        *points = 1;
    }
    for (size_t i = 0; i < w->ranges; i++) {
        if (is_in(&w->outside[i], word) && !is_half(&w->outside[i], word)) {
            refuse(w, block, at);
        }
    }
}

static uint32_t put_runs(struct writer *w, const struct diff *d)
{
    uint32_t runs = 0;
    size_t at = 0;

    while (at < d->bytes) {
        struct image_run run;

        if (at % WORD == 0 && d->bytes - at >= WORD && same(d, at, WORD)) {
            at += WORD;
            continue;
        }
        if (same(d, at, 1)) {
            at++;
            continue;
        }
        run.at = at;
        while (at < d->bytes && !same(d, at, 1)) {
            at++;
        }
        run.bytes = at - run.at;
        put(w, &run, sizeof(run));
        put(w, d->now + run.at, run.bytes);
        runs++;
    }
    return runs;
}

static void put_block(struct writer *w, const struct loom_arena_block *block,
                      const unsigned char *was)
{
    const struct diff d = {block->start, was, block->bytes};
    struct image_block head = {(uintptr_t)block->start, block->bytes, 0, 0};
    size_t place = w->bytes;

    for (size_t at = 0; at + WORD <= d.bytes; at += WORD) {
        if (!same(&d, at, WORD)) {
            look_at_word(w, block, at, &head.points);
        }
    }
    put(w, &head, sizeof(head));
    head.runs = put_runs(w, &d);
    if (!w->failed) {
        memcpy(w->data + place, &head, sizeof(head));
    }
}

static void put_policy(struct writer *w, const struct loom_policy *policy)
{
    const struct image *image = w->machine->image;
    const struct loom_arena *arena = &image->policies;
    struct image_policy head = {strlen(policy->path) + 1,
                                strlen(policy->type->name) + 1, 0};

    for (size_t i = 0; i < arena->blocks; i++) {
        head.blocks += loom_image_is_of(policy, &arena->block[i]) ? 1 : 0;
    }
    put(w, &head, sizeof(head));
    put(w, policy->path, head.path);
    put(w, policy->type->name, head.type);
    for (size_t i = 0; i < arena->blocks; i++) {
        if (loom_image_is_of(policy, &arena->block[i])) {
            put_block(w, &arena->block[i], image->policy_was[i]);
        }
    }
}

static void put_machine(struct writer *w)
{
    struct loom_machine *machine = w->machine;
    const struct image *image = machine->image;
    struct image_head head = {LOOM_IMAGE_MAGIC, image->place,
                              machine->waits,   {0},
                              image->parts,     machine->policies.count};
    uint64_t *field[LOOM_IMAGE_FIELDS];

    loom_image_fields(machine, field);
    for (size_t i = 0; i < LOOM_IMAGE_FIELDS; i++) {
        head.field[i] = *field[i];
    }
    put(w, &head, sizeof(head));
    for (size_t i = 0; i < image->parts; i++) {
        put_block(w, &machine->arena.block[i], image->was[i]);
    }
    for (size_t i = 0; i < machine->policies.count; i++) {
        put_policy(w, machine->policies.item[i]);
    }
}

/* Parts let go of what was there for launches that are over. */
static void rest(struct loom_machine *machine)
{
    for (size_t i = 0; i < machine->components.count; i++) {
        struct loom_component *c = machine->components.item[i];
        const struct loom_warm_ops *warm = c->ops->warm;

        if (warm != NULL && warm->rest != NULL && warm->quiet(c)) {
            warm->rest(c);
        }
    }
    for (size_t i = 0; i < machine->links.count; i++) {
        const struct link *link = machine->links.item[i];

        if (link->request != NULL) {
            loom_channel_rest(link->request);
        }
        if (link->reply != NULL) {
            loom_channel_rest(link->reply);
        }
    }
}

unsigned char *loom_image_save(struct loom_machine *machine, size_t *bytes,
                               struct loom_error *err)
{
    struct writer w = {.machine = machine, .err = err};
    uint64_t first = LOOM_IMAGE_FIRST;

    LOOM_CHECK(machine->frozen && machine->image != NULL);
    loom_deal_alone(machine);
    rest(machine);
    first += machine->image->place * LOOM_IMAGE_BYTES + LOOM_IMAGE_BYTES / 2;
    w.policies = (struct range){first, first + LOOM_IMAGE_BYTES / 2};
    if (find_outside(&w)) {
        put_machine(&w);
    } else {
        w.failed = true;
    }
    free(w.outside);
    if (w.failed && !w.refused) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory for the machine's image");
    }
    if (w.failed || w.refused) {
        free(w.data);
        return NULL;
    }
    *bytes = w.bytes;
    return w.data;
}
