/*
 * The upper side: links, and requests that are served sector by sector.
 */
#include "components/cache/up.h"

bool cache_take_ports(struct cache *c, struct loom_error *err)
{
    c->ports = (uint8_t)loom_port_count(c->self, "up");
    c->port = c->ports == 1 ? &c->first_port
                            : loom_alloc(c->self, c->ports, sizeof(*c->port));
    if (c->port == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u ports",
                         c->ports);
    }
    for (uint32_t i = 0; i < c->ports; i++) {
        c->port[i].up = loom_port_out(c->self, "up", i);
        c->port[i].from_above = loom_port_in(c->self, "up", i);
        loom_watch(c->port[i].from_above, &c->incoming, loom_bit(i));
    }
    c->down = loom_port_out(c->self, "down", 0);
    c->from_below = loom_port_in(c->self, "down", 0);
    return true;
}

void cache_split(struct cache *c, const struct loom_mem_request *r,
                 uint32_t port)
{
    uint32_t number = c->parent_free;
    uint32_t sectors = loom_popcount(r->sectors & 15u);
    struct cache_item *p = &c->parent[number];

    LOOM_DEBUG_CHECK(c->parents_used < c->parents);
    c->parents_used++;
    c->parent_free = p->next;
    loom_mem_copy(&p->request, r);
    p->parent = number;
    p->size_bytes = r->size_bytes;
    p->reply_bits = 0;
    p->port = (uint8_t)port;
    p->sectors = r->sectors;
    p->left = (uint8_t)sectors;
    p->missed = false;
    if (r->kind != LOOM_MEM_LOAD) {
        p->bytes[0] = r->bytes[0];
        p->bytes[1] = r->bytes[1];
    }
    p->flags = r->flags;
    p->bypassed = r->bypassed;
    p->bypassed_by = r->bypassed_by;
    c->split_left = r->sectors & 15u;
    c->split_parent = number;
    c->stats->split_requests++;
}

bool cache_part_done(struct cache *c, struct cache_item *parent)
{
    if (--parent->left != 0) {
        return false;
    }
    parent->next = c->parent_free;
    c->parent_free = parent->parent;
    c->parents_used--;
    return true;
}

struct loom_mem_request *cache_put_whole(struct cache *c,
                                         const struct cache_item *item,
                                         uint32_t flags, loom_cycle now,
                                         loom_cycle delay)
{
    const struct cache_item *p = &c->parent[item->parent];
    struct loom_mem_request *reply = cache_put(c, item, now, delay);

    reply->flags =
        (uint8_t)(p->missed ? flags & ~(uint32_t)LOOM_MEM_HIT : flags);
    reply->reply_bits = p->reply_bits;
    reply->sectors = p->sectors;
    reply->size_bytes = p->size_bytes;
    if (reply->kind != LOOM_MEM_LOAD) {
        reply->bytes[0] = p->bytes[0];
        reply->bytes[1] = p->bytes[1];
    }
    return reply;
}
