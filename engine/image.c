/*
 * Images of machines: bytes that have changed since init.
 *
 *     head | engine fields | blocks of components and the engine | policies
 *
 * Blocks are those of the machine's arenas in the order in which they were
 * asked for, which building the machine again repeats.  Bytes, not words: a
 * flag that init derived from the policies that are there stays what it is
 * beside one that ticks have set.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include "engine/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/image_private.h"

/* Some sanitizers have no such addresses. */
#if defined(__SANITIZE_THREAD__)
#define HAS_PLACES false
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_PLACES false
#endif
#endif
#ifndef HAS_PLACES
#define HAS_PLACES true
#endif

static bool is_free(unsigned char *at)
{
    const size_t bytes = 4096;
    void *page = mmap(at, bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (page == MAP_FAILED) {
        return false;
    }
    munmap(page, bytes);
    return page == at;
}

bool loom_machine_place(struct loom_machine *machine, uint32_t place)
{
    uint64_t at = LOOM_IMAGE_FIRST + place * LOOM_IMAGE_BYTES;
    unsigned char *start = (unsigned char *)(uintptr_t)at;

    LOOM_CHECK(place < LOOM_IMAGE_PLACES && machine->components.count == 0 &&
               machine->policies.count == 0 && machine->image == NULL);
    if (!HAS_PLACES || !is_free(start)) {
        return false;
    }
    machine->image = calloc(1, sizeof(*machine->image));
    if (machine->image == NULL) {
        return false;
    }
    machine->image->place = place;
    machine->arena.place = start;
    machine->image->policies.place = start + LOOM_IMAGE_BYTES / 2;
    return true;
}

struct loom_arena *loom_policy_arena(struct loom_machine *machine)
{
    return machine->image != NULL ? &machine->image->policies : &machine->arena;
}

void loom_image_parts_end(struct loom_machine *machine)
{
    if (machine->image != NULL) {
        machine->image->parts = machine->arena.blocks;
    }
}

/* Copies of blocks as they are; those that are all 0 need none. */
static unsigned char **copy_blocks(const struct loom_arena *arena, size_t count)
{
    unsigned char **copy = calloc(count + 1, sizeof(*copy));

    for (size_t i = 0; copy != NULL && i < count; i++) {
        const struct loom_arena_block *block = &arena->block[i];
        size_t first = 0;

        while (first < block->bytes && block->start[first] == 0) {
            first++;
        }
        if (first == block->bytes) {
            continue;
        }
        copy[i] = malloc(block->bytes);
        if (copy[i] == NULL) {
            loom_image_drop(copy, count);
            return NULL;
        }
        memcpy(copy[i], block->start, block->bytes);
    }
    return copy;
}

void loom_image_drop(unsigned char **copy, size_t count)
{
    for (size_t i = 0; copy != NULL && i < count; i++) {
        free(copy[i]);
    }
    free(copy);
}

bool loom_image_begin(struct loom_machine *machine)
{
    struct image *image = machine->image;

    if (image == NULL) {
        return true;
    }
    image->was = copy_blocks(&machine->arena, image->parts);
    image->policy_was = copy_blocks(&image->policies, image->policies.blocks);
    return image->was != NULL && image->policy_was != NULL;
}

void loom_image_free(struct loom_machine *machine)
{
    struct image *image = machine->image;

    if (image != NULL) {
        loom_image_drop(image->was, image->parts);
        loom_image_drop(image->policy_was, image->policies.blocks);
        loom_arena_free(&image->policies);
        free(image);
    }
}

/* ---- what is not in an arena ---- */

void loom_image_fields(struct loom_machine *machine,
                       uint64_t *field[LOOM_IMAGE_FIELDS])
{
    uint64_t *all[LOOM_IMAGE_FIELDS] = {
        &machine->now,        &machine->end,        &machine->ahead_end,
        &machine->ahead_last, &machine->windows,    &machine->skipped,
        &machine->mark,       &machine->patient_to,
    };

    memcpy(field, all, sizeof(all));
}

const char *loom_image_owner(const struct loom_machine *machine,
                             const struct loom_arena_block *block)
{
    for (size_t i = 0; i < machine->components.count; i++) {
        const struct loom_component *c = machine->components.item[i];

        if (block->owner == &c->arena ||
            block->start == (const unsigned char *)c) {
            return c->path;
        }
    }
    for (size_t i = 0; i < machine->policies.count; i++) {
        const struct loom_policy *policy = machine->policies.item[i];

        if (loom_image_is_of(policy, block)) {
            return policy->path;
        }
    }
    return "a link";
}

bool loom_image_is_of(const struct loom_policy *policy,
                      const struct loom_arena_block *block)
{
    return block->owner == &policy->arena ||
           block->start == (const unsigned char *)policy;
}

bool loom_image_place(const unsigned char *image, size_t bytes, uint32_t *place)
{
    struct image_head head;

    if (bytes < sizeof(head)) {
        return false;
    }
    memcpy(&head, image, sizeof(head));
    *place = (uint32_t)head.place;
    return head.magic == LOOM_IMAGE_MAGIC && head.place < LOOM_IMAGE_PLACES;
}
