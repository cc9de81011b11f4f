/*
 * The lower side: the miss queue, requests that go by, and queries of policies.
 */
#include "components/cache/down.h"

bool cache_make_down(struct cache_down *d, struct loom_component *self,
                     uint32_t miss_queue, uint32_t places,
                     uint32_t passing_entries)
{
    d->miss_queue = miss_queue;
    d->places = places;
    d->passing_entries = passing_entries;
    d->sent_at = LOOM_NEVER;
    d->queue = loom_alloc(self, places, sizeof(*d->queue));
    d->apart = loom_alloc(self, places, sizeof(*d->apart));
    passing_entries++; /* that of accesses without time */
    d->passing = loom_alloc(self, passing_entries, sizeof(*d->passing));
    d->passing_free =
        loom_alloc(self, passing_entries, sizeof(*d->passing_free));
    return d->queue != NULL && d->apart != NULL && d->passing != NULL &&
           d->passing_free != NULL;
}

/* Takes the first request, or query, of which there is one. */
static void take_first(struct cache_down *d, struct loom_mem_request *to)
{
    if (d->count != 0) {
        if (d->newest == &d->queue[d->head]) {
            d->newest = NULL;
        }
        loom_mem_copy(to, &d->queue[d->head]);
        d->count--;
        d->head = d->head + 1 == d->places ? 0 : d->head + 1;
    } else {
        loom_mem_copy(to, &d->query[d->query_head]);
        d->query_count--;
        d->query_head = (uint8_t)((d->query_head + 1) % CACHE_QUERIES);
    }
}

bool cache_send_down(struct cache_down *d, loom_cycle now)
{
    if (!loom_ready(d->channel, now)) {
        return false;
    }
    d->sent_at = now;
    take_first(d, loom_send(d->channel, now, 0));
    return true;
}

bool cache_take_sent(struct cache_down *d, struct loom_mem_request *request)
{
    if (!cache_has_to_send(d)) {
        return false;
    }
    take_first(d, request);
    return true;
}

bool cache_can_pass(const struct cache_down *d,
                    const struct loom_mem_request *request, loom_cycle now)
{
    if (request->kind == LOOM_MEM_WRITEBACK) {
        return cache_room(d, 1, now);
    }
    return d->passing_used < d->passing_entries &&
           (cache_room(d, 1, now) ||
            (d->joins &&
             cache_company(d, request, (enum loom_mem_kind)request->kind,
                           CACHE_TOKEN_PASSING, now) != NULL));
}

uint32_t cache_remember(struct cache_down *d,
                        const struct cache_passing *passing)
{
    uint32_t number = d->passing_used + d->passing_free[d->passing_used];

    d->passing_used++;
    d->passing[number] = *passing;
    return CACHE_TOKEN_PASSING | number;
}

void cache_forget(struct cache_down *d, uint32_t number)
{
    d->passing_used--;
    d->passing_free[d->passing_used] = number - d->passing_used;
}

void cache_follow(struct cache_down *d, uint32_t token, uint32_t first)
{
    const uint32_t names = CACHE_TOKEN_PASSING | CACHE_TOKEN_JOINED;
    uint32_t number = token & ~names;

    d->passing[number].next = d->passing[first & ~names].next;
    d->passing[first & ~names].next = number + 1;
}

bool cache_forget_one(struct cache_down *d, uint32_t number, uint32_t before)
{
    uint32_t next = d->passing[number].next;

    if (next != 0) {
        d->passing[number] = d->passing[next - 1];
        cache_forget(d, next - 1);
        return true;
    }
    if (before != number) {
        d->passing[before].next = 0;
    }
    cache_forget(d, number);
    return false;
}

bool cache_query(struct cache_down *d, const struct loom_mem_request *request,
                 uint16_t src)
{
    struct loom_mem_request *q;

    if (d->query_count == CACHE_QUERIES) {
        return false;
    }
    q = &d->query[(d->query_head + d->query_count) % CACHE_QUERIES];
    loom_mem_copy(q, request);
    q->bytes[0] = q->bytes[1] = 0;
    q->kind = LOOM_MEM_QUERY;
    q->src = src;
    q->token = CACHE_TOKEN_QUERY;
    q->size_bytes = 0;
    q->reply_bits = 0;
    q->flags = 0;
    d->query_count++;
    d->queries_out++;
    return true;
}
