/*
 * Streams of CTAs that are used again and again.
 */
#include "workloads/streams/cta_pool.h"

#include <stdlib.h>

static void slot_free(struct loom_cta_slot *slot, uint32_t warps)
{
    if (slot->writer != NULL) {
        for (uint32_t i = 0; i < warps; i++) {
            loom_writer_free(&slot->writer[i]);
        }
    }
    free(slot->writer);
    free(slot->warp);
    free(slot);
}

static struct loom_cta_slot *slot_new(const struct loom_cta_pool *pool)
{
    struct loom_cta_slot *slot = calloc(1, sizeof(*slot));

    if (slot == NULL) {
        return NULL;
    }
    slot->warp = calloc(pool->warps, sizeof(*slot->warp));
    slot->writer = calloc(pool->warps, sizeof(*slot->writer));
    if (slot->warp == NULL || slot->writer == NULL) {
        slot_free(slot, pool->warps);
        return NULL;
    }
    for (uint32_t i = 0; i < pool->warps; i++) {
        slot->writer[i].pool = pool->words;
    }
    return slot;
}

struct loom_cta_slot *loom_cta_take(struct loom_cta_pool *pool)
{
    struct loom_cta_slot *slot = pool->spare;

    if (slot != NULL) {
        pool->spare = slot->next;
    } else {
        slot = slot_new(pool);
        if (slot == NULL) {
            return NULL;
        }
    }
    for (uint32_t i = 0; i < pool->warps; i++) {
        loom_writer_reset(&slot->writer[i]);
    }
    slot->next = pool->out;
    pool->out = slot;
    return slot;
}

uint64_t loom_cta_seal(const struct loom_cta_pool *pool,
                       struct loom_cta_slot *slot,
                       const struct loom_kernel *kernel, uint32_t cta)
{
    uint64_t insts = 0;

    for (uint32_t w = 0; w < pool->warps; w++) {
        const struct loom_stream_writer *writer = &slot->writer[w];

        if (pool->words != NULL) {
            loom_pool_settle(pool->words, &writer->buffer);
        }
        slot->warp[w] = (struct loom_warp_stream){writer->word, writer->words,
                                                  writer->insts, false};
        insts += writer->insts;
    }
    slot->stream =
        (struct loom_cta_stream){kernel, cta, pool->warps, slot->warp};
    return insts;
}

static void take_out(struct loom_cta_pool *pool, struct loom_cta_slot *slot)
{
    struct loom_cta_slot **at = &pool->out;

    while (*at != slot) {
        LOOM_CHECK(*at != NULL);
        at = &(*at)->next;
    }
    *at = slot->next;
}

void loom_cta_move(struct loom_cta_pool *from, struct loom_cta_pool *to,
                   struct loom_cta_slot *slot)
{
    take_out(from, slot);
    slot->next = to->out;
    to->out = slot;
}

void loom_cta_give(struct loom_cta_pool *pool, struct loom_cta_slot *slot)
{
    take_out(pool, slot);
    if (pool->words != NULL && loom_pool_crowded(pool->words)) {
        slot_free(slot, pool->warps);
        return;
    }
    slot->next = pool->spare;
    pool->spare = slot;
}

static void free_list(struct loom_cta_slot *slot, uint32_t warps)
{
    while (slot != NULL) {
        struct loom_cta_slot *next = slot->next;

        slot_free(slot, warps);
        slot = next;
    }
}

void loom_cta_pool_free(struct loom_cta_pool *pool)
{
    free_list(pool->spare, pool->warps);
    free_list(pool->out, pool->warps);
    pool->spare = pool->out = NULL;
}
