/*
 * Requests that are served sector by sector.
 *
 * A request for several sectors becomes one access for each, in ascending
 * order, one per access that the cache takes in a cycle (GPGPU-Sim 4 breaks a
 * request up at the memory partition, and its L2 answers each sector by a
 * reply of its own).  A parent remembers how many are not answered: each
 * sector's reply is sent as a part, or one reply when the last is there.
 */
#include "components/cache/cache_private.h"

bool cache_split_ready(const struct cache *c)
{
    return c->parents_used < c->parents;
}

static uint32_t new_parent(struct cache *c, const struct loom_mem_request *r)
{
    uint32_t number = c->parent_free[c->parents_used++];

    c->parent[number] = (struct cache_parent){
        .bytes = {r->bytes[0], r->bytes[1]},
        .left = loom_popcount(r->sectors & 15u),
        .size_bytes = r->size_bytes,
        .sectors = r->sectors,
    };
    return number;
}

bool cache_split(struct cache *c, const struct loom_mem_request *r,
                 struct cache_item *item)
{
    uint64_t bytes[2] = {0, 0};
    uint8_t sector;

    if (c->split_left == 0) {
        c->split_left = r->sectors & 15u;
        c->split_parent = loom_mem_replied((enum loom_mem_kind)r->kind)
                              ? new_parent(c, r)
                              : CACHE_NONE;
        c->stats->split_requests++;
    }
    sector = c->split_left & (uint8_t)-c->split_left;
    cache_sector_bytes(sector, bytes);
    item->request = *r;
    item->request.sectors = sector;
    item->request.size_bytes = LOOM_SECTOR_BYTES;
    item->request.bytes[0] &= bytes[0];
    item->request.bytes[1] &= bytes[1];
    item->parent = c->split_parent;
    c->split_left &= (uint8_t)~sector;
    c->stats->split_accesses++;
    return c->split_left != 0;
}

bool cache_part(struct cache *c, const struct cache_item *item,
                struct loom_mem_request *reply)
{
    struct cache_parent *p = &c->parent[item->parent];
    bool last;

    if ((reply->flags & LOOM_MEM_MORE) != 0) {
        return false; /* a part of a part: its last one stands for it */
    }
    reply->flags &= (uint8_t)~LOOM_MEM_PART;
    last = --p->left == 0;
    if (last) {
        c->parent_free[--c->parents_used] = item->parent;
    }
    p->missed = p->missed || (reply->flags & LOOM_MEM_HIT) == 0;
    if (c->split_each) {
        reply->flags |= (uint8_t)(LOOM_MEM_PART | (last ? 0 : LOOM_MEM_MORE));
        return true;
    }
    p->reply_bits |= reply->reply_bits;
    reply->reply_bits = p->reply_bits;
    reply->sectors = p->sectors;
    reply->size_bytes = p->size_bytes;
    reply->bytes[0] = p->bytes[0];
    reply->bytes[1] = p->bytes[1];
    reply->flags &= p->missed ? (uint8_t)~LOOM_MEM_HIT : UINT8_MAX;
    return last;
}
