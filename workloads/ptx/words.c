/*
 * Where the parts of streams are: in blocks, which never move, for an SM may be
 * reading them.  A part without addresses is read once, so the next one of its
 * warp may have its place: a loop that waits for the clock needs no more memory
 * than one of its turns.
 */
#include <stdlib.h>

#include "workloads/ptx/program_private.h"

#define BLOCK_WORDS 1000u /* and more, if a part is longer */

struct part_block {
    struct part_block *older;
    uint64_t room, used;
    uint32_t word[];
};

void ptx_parts_free(struct exec_launch *launch)
{
    for (uint32_t w = 0; launch->part != NULL && w < launch->warps; w++) {
        struct part_block *block = launch->part[w].block;

        while (block != NULL) {
            struct part_block *older = block->older;

            free(block);
            block = older;
        }
    }
    free(launch->part);
    launch->part = NULL;
}

uint32_t *ptx_part_words(struct ptx_parts *parts, uint64_t words)
{
    struct part_block *block = parts->block;

    if (block != NULL && parts->once) {
        block->used = parts->before;
    }
    if (block == NULL || block->room - block->used < words) {
        uint64_t room = words > BLOCK_WORDS ? words : BLOCK_WORDS;

        block = malloc(sizeof(*block) + room * sizeof(*block->word));
        if (block == NULL) {
            return NULL;
        }
        *block = (struct part_block){.older = parts->block, .room = room};
        parts->block = block;
    }
    parts->before = block->used;
    block->used += words;
    return block->word + parts->before;
}
