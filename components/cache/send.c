/*
 * Effects on the lower side.
 *
 * A bypass is stored in the request: its level's bit says that it went
 * around, bypassed_by which policy said so.
 */
#include "components/cache/send.h"

bool cache_joins_fetch(struct cache *c, const struct loom_mem_request *request,
                       uint8_t sectors, loom_cycle now)
{
    struct loom_mem_request *m =
        cache_company(&c->down, request, LOOM_MEM_LOAD, 0, now);

    if (m == NULL || sectors != request->sectors) {
        return false;
    }
    cache_join(m, request);
    c->stats->joined_sectors++;
    return true;
}

/* What is remembered of a request that goes by; its token. */
static uint32_t remember(struct cache *c, const struct cache_item *item,
                         uint16_t reply_bits, bool bypass)
{
    const struct loom_mem_request *r = &item->request;

    return cache_remember(
        &c->down,
        &(struct cache_passing){.src = r->src,
                                .token = r->token,
                                .port = cache_port_of(&c->up, item),
                                .reply_bits = reply_bits,
                                .size_bytes = r->size_bytes,
                                .sectors = r->sectors,
                                .bypass = bypass,
                                .parent = cache_parent_of(&c->up, item)});
}

/* Does a sector go by with another's request? */
static bool joins_pass(struct cache *c, const struct cache_item *item,
                       uint16_t reply_bits, bool bypass, loom_cycle now)
{
    const struct loom_mem_request *r = &item->request;
    struct loom_mem_request *m;

    if (r->kind > LOOM_MEM_ATOMIC) {
        return false;
    }
    m = cache_company(&c->down, r, (enum loom_mem_kind)r->kind,
                      CACHE_TOKEN_PASSING, now);
    if (m == NULL) {
        return false;
    }
    cache_follow(&c->down, remember(c, item, reply_bits, bypass), m->token);
    cache_join(m, r);
    c->stats->joined_sectors++;
    return true;
}

void cache_pass(struct cache *c, const struct cache_item *item,
                uint16_t reply_bits, bool bypass, loom_cycle now)
{
    const struct loom_mem_request *r = &item->request;
    struct loom_mem_request *m;

    if (r->kind == LOOM_MEM_STORE || r->kind == LOOM_MEM_WRITEBACK) {
        c->stats->written_bytes += r->size_bytes;
    } else {
        c->stats->fetched_bytes += r->size_bytes;
    }
    if (c->down.joins && joins_pass(c, item, reply_bits, bypass, now)) {
        return;
    }
    m = cache_push(&c->down, now);
    loom_mem_copy(m, r);
    m->src = c->id;
    m->reply_bits = 0;
    cache_mark(c, m);
    m->token = r->kind == LOOM_MEM_WRITEBACK
                   ? 0
                   : remember(c, item, reply_bits, bypass);
    if (c->down.joins) {
        cache_await_company(&c->down, m, now);
    }
}

void cache_write_back(struct cache *c, const struct cache_victim *victim,
                      loom_cycle now)
{
    loom_addr block = victim->line & ~(loom_addr)(LOOM_BLOCK_BYTES - 1);
    uint32_t first = (uint32_t)(victim->line - block) / LOOM_SECTOR_BYTES;
    uint32_t sectors = (uint32_t)c->sectors.expand[victim->dirty] << first;
    struct loom_mem_request *m = cache_push(&c->down, now);

    c->down.newest = NULL;
    *m = (struct loom_mem_request){
        .block = block,
        .born = loom_cycle_time(c->self, now),
        .src = c->id,
        .size_bytes = (uint16_t)(loom_popcount(sectors) * LOOM_SECTOR_BYTES),
        .accesses = 1,
        .kind = LOOM_MEM_WRITEBACK,
        .space = c->local_write_back ? LOOM_SPACE_LOCAL : LOOM_SPACE_GLOBAL,
        .sectors = (uint8_t)sectors,
    };
    cache_sector_bytes((uint8_t)sectors, m->bytes);
    if (c->tags.bytes != NULL) {
        m->bytes[0] &= victim->bytes[0];
        m->bytes[1] &= victim->bytes[1];
    }
    c->stats->writebacks++;
    c->stats->written_bytes += m->size_bytes;
}

void cache_mark_bypass(struct cache *c, struct loom_mem_request *request,
                       const struct loom_bypass *how, uint32_t by)
{
    request->bypassed |= (uint8_t)c->level;
    request->bypassed_by = (uint8_t)by;
    request->flags &= (uint8_t)~LOOM_MEM_MAY_MERGE;
    request->flags |= how->may_merge ? LOOM_MEM_MAY_MERGE : 0;
    if (request->kind == LOOM_MEM_LOAD) {
        request->sectors =
            cache_widen(&c->sectors, request->sectors, how->size_bytes);
        request->size_bytes =
            (uint16_t)(loom_popcount(request->sectors) * LOOM_SECTOR_BYTES);
    }
}
