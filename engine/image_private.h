/*
 * The inside of images: image.c has what machines keep for them, image_save.c
 * writes them and image_load.c reads them.
 */
#ifndef ENGINE_IMAGE_PRIVATE_H
#define ENGINE_IMAGE_PRIVATE_H

#include "engine/image.h"
#include "engine/machine_private.h"

#define LOOM_IMAGE_MAGIC UINT64_C(0x32676d696d6f6f6c) /* "loomimg2" */

/* Below the places, from here on, a CUDA program's process may have memory of
 * the device at the device's own addresses (workloads/memory.h,
 * cuda/shared.c): what looks like an address of that is one of the device. */
#define LOOM_IMAGE_DEVICE UINT64_C(0xc0000000)

/* One place has a terabyte, the second half of it for policies.  Linux puts
 * nothing into this part of the address space by itself. */
#define LOOM_IMAGE_FIRST UINT64_C(0x300000000000)
#define LOOM_IMAGE_BYTES UINT64_C(0x10000000000)

enum {
    LOOM_IMAGE_FIELDS = 8
};

struct image {
    uint32_t place;
    size_t parts;               /* blocks of the machine's arena that count */
    struct loom_arena policies; /* their memory */
    unsigned char **was;        /* [parts] as they were; NULL: all 0 */
    unsigned char **policy_was; /* [policies.blocks] */
};

struct image_head {
    uint64_t magic, place;
    uint64_t waits;
    uint64_t field[LOOM_IMAGE_FIELDS];
    uint64_t blocks;   /* of components and the engine */
    uint64_t policies; /* that follow them */
};

/* Before the runs of a block. */
struct image_block {
    uint64_t start; /* where it was */
    uint64_t bytes;
    uint32_t runs;
    uint32_t points; /* it may have addresses of what policies have */
};

/* Bytes that changed; they follow. */
struct image_run {
    uint64_t at, bytes;
};

/* Before its texts, path and type, and its blocks. */
struct image_policy {
    uint64_t path, type; /* bytes of them, with the final 0 */
    uint64_t blocks;
};

/* The fields of a machine that are part of its state. */
void loom_image_fields(struct loom_machine *machine,
                       uint64_t *field[LOOM_IMAGE_FIELDS]);
/* Path of who has a block, for messages. */
const char *loom_image_owner(const struct loom_machine *machine,
                             const struct loom_arena_block *block);
bool loom_image_is_of(const struct loom_policy *policy,
                      const struct loom_arena_block *block);
void loom_image_drop(unsigned char **copy, size_t count);

#endif
