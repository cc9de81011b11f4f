/*
 * The upper side: links, and requests that are served sector by sector.
 */
#include "components/cache/up.h"

#include "engine/free_list.h"

bool cache_make_up(struct cache_up *u, struct loom_component *self,
                   struct loom_error *err)
{
    u->ports = (uint8_t)loom_port_count(self, "up");
    u->port = u->ports == 1 ? &u->first_port
                            : loom_alloc(self, u->ports, sizeof(*u->port));
    if (u->port == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u ports",
                         u->ports);
    }
    for (uint32_t i = 0; i < u->ports; i++) {
        u->port[i].up = loom_port_out(self, "up", i);
        u->port[i].from_above = loom_port_in(self, "up", i);
        loom_watch(u->port[i].from_above, &u->incoming, loom_bit(i));
    }
    u->split_parent = CACHE_NONE;
    return true;
}

bool cache_make_parents(struct cache_up *u, struct loom_component *self,
                        uint32_t count)
{
    u->parents = count;
    u->parent = loom_alloc(self, count, sizeof(*u->parent));
    return u->parent != NULL;
}

void cache_split(struct cache_up *u, const struct loom_mem_request *r,
                 uint32_t port)
{
    uint32_t number = u->parent_free;
    uint32_t sectors = loom_popcount(r->sectors & 15u);
    struct cache_item *p = &u->parent[number];

    LOOM_DEBUG_CHECK(u->parents_used < u->parents);
    u->parents_used++;
    u->parent_free = loom_free_next(number, p->next);
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
    u->split_left = r->sectors & 15u;
    u->split_parent = number;
    u->split_requests++;
}

bool cache_part_done(struct cache_up *u, struct cache_item *parent)
{
    if (--parent->left != 0) {
        return false;
    }
    parent->next = loom_free_link(parent->parent, u->parent_free);
    u->parent_free = parent->parent;
    u->parents_used--;
    return true;
}

struct loom_mem_request *cache_put_whole(struct cache_up *u,
                                         const struct cache_item *item,
                                         uint32_t flags, loom_cycle now,
                                         loom_cycle delay)
{
    const struct cache_item *p = &u->parent[item->parent];
    struct loom_mem_request *reply = cache_put(u, item, now, delay);

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
