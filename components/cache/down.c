/*
 * The lower side: the miss queue, and queries of policies.
 */
#include "components/cache/down.h"

/* Fills a stack of free numbers. */
static uint32_t *make_stack(struct cache *c, uint32_t count)
{
    uint32_t *stack = loom_alloc(c->self, count, sizeof(*stack));

    for (uint32_t i = 0; stack != NULL && i < count; i++) {
        stack[i] = i;
    }
    return stack;
}

bool cache_take_queue(struct cache *c)
{
    const struct cache_config *k = c->config;

    c->queue_places = k->miss_queue + c->mshr_entries;
    if (loom_slot(c->self, "power").count != 0) {
        c->queue_places += c->mshr_entries;
    }
    c->queue = loom_alloc(c->self, c->queue_places, sizeof(*c->queue));
    c->passing = loom_alloc(c->self, k->passing_entries, sizeof(*c->passing));
    c->passing_free = make_stack(c, k->passing_entries);
    return c->queue != NULL && c->passing != NULL && c->passing_free != NULL;
}

void cache_send_down(struct cache *c, loom_cycle now)
{
    if (c->queue_count == 0 && c->query_count == 0) {
        return;
    }
    if (!loom_ready(c->down, now)) {
        return;
    }
    c->sent_at = now;
    c->changes++;
    if (c->queue_count != 0) {
        loom_mem_copy(loom_send(c->down, now, 0), &c->queue[c->queue_head]);
        c->queue_count--;
        c->queue_head =
            c->queue_head + 1 == c->queue_places ? 0 : c->queue_head + 1;
    } else {
        loom_mem_copy(loom_send(c->down, now, 0), &c->query[c->query_head]);
        c->query_count--;
        c->query_head = (c->query_head + 1) % CACHE_QUERIES;
    }
}

bool cache_can_pass(struct cache *c, const struct loom_mem_request *request,
                    loom_cycle now)
{
    return (request->kind == LOOM_MEM_WRITEBACK ||
            c->passing_used < c->config->passing_entries) &&
           cache_room(c, 1, now);
}

bool cache_query(void *cache, const struct loom_mem_request *request)
{
    struct cache *c = cache;
    struct loom_mem_request *q;

    if (c->query_count == CACHE_QUERIES) {
        return false;
    }
    q = &c->query[(c->query_head + c->query_count) % CACHE_QUERIES];
    loom_mem_copy(q, request);
    q->bytes[0] = q->bytes[1] = 0;
    q->kind = LOOM_MEM_QUERY;
    q->src = c->id;
    q->token = CACHE_TOKEN_QUERY;
    q->size_bytes = 0;
    q->reply_bits = 0;
    q->flags = 0;
    c->query_count++;
    c->queries_out++;
    return true;
}
