/*
 * The future of a stream of accesses: one pass backwards with a table of what
 * comes next for each block.
 *
 * A store between two loads of a block takes the line away, whatever the
 * policy: what comes after the store is not a use of the line that is there
 * now.
 */
#include "workloads/locality/future.h"

#include <stdlib.h>

struct kept {
    loom_addr block;
    uint64_t next;
    uint32_t inst, cta;
    uint16_t warp, sm;
    uint8_t kind, space;
};

/* Open addressing; a block's address + 1, 0 is free. */
struct table {
    struct entry {
        loom_addr key;
        uint64_t next;
    } * entry; /* [1 << bits] */
    uint32_t bits;
    size_t used;
};

struct loom_future {
    struct kept *item; /* [capacity] */
    size_t count, capacity;
    struct table table; /* while all are told: as it is then */
};

static bool no_memory(struct loom_error *err)
{
    return loom_fail(err, LOOM_ERR_MEMORY,
                     "no memory to keep all accesses of the run");
}

struct loom_future *loom_future_create(struct loom_error *err)
{
    struct loom_future *future = calloc(1, sizeof(*future));

    if (future == NULL) {
        no_memory(err);
    }
    return future;
}

void loom_future_destroy(struct loom_future *future)
{
    if (future != NULL) {
        free(future->item);
    }
    free(future);
}

bool loom_future_add(struct loom_future *future,
                     const struct loom_mem_request *request,
                     struct loom_error *err)
{
    if (future->count == future->capacity) {
        size_t capacity = future->capacity != 0 ? 2 * future->capacity : 1024;
        struct kept *item =
            realloc(future->item, capacity * sizeof(*future->item));

        if (item == NULL) {
            return no_memory(err);
        }
        future->item = item;
        future->capacity = capacity;
    }
    future->item[future->count++] = (struct kept){
        .block = request->block,
        .inst = request->inst,
        .cta = request->cta,
        .warp = request->warp,
        .sm = request->sm,
        .kind = request->kind,
        .space = request->space,
    };
    return true;
}

/* The block's entry, or the free one that it may have. */
static struct entry *find(const struct table *table, loom_addr key)
{
    uint64_t mask = (UINT64_C(1) << table->bits) - 1;
    uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - table->bits);

    while (table->entry[at].key != 0 && table->entry[at].key != key) {
        at = (at + 1) & mask;
    }
    return &table->entry[at];
}

static bool grow(struct table *table, struct loom_error *err)
{
    struct table larger = {.bits = table->bits + 1, .used = table->used};

    larger.entry = calloc((size_t)1 << larger.bits, sizeof(*larger.entry));
    if (larger.entry == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; table->entry != NULL && i < (size_t)1 << table->bits;
         i++) {
        if (table->entry[i].key != 0) {
            *find(&larger, table->entry[i].key) = table->entry[i];
        }
    }
    free(table->entry);
    *table = larger;
    return true;
}

/* Notes when each access's block is loaded next. */
static bool look_ahead(struct loom_future *future, struct loom_error *err)
{
    struct table *table = &future->table;

    for (size_t i = future->count; i-- > 0;) {
        struct kept *kept = &future->item[i];
        struct entry *entry = find(table, kept->block + 1);

        kept->next = entry->key != 0 ? entry->next : LOOM_NEVER;
        table->used += entry->key == 0;
        entry->key = kept->block + 1;
        entry->next = kept->kind == LOOM_MEM_LOAD ? i : LOOM_NEVER;
        if (2 * table->used > (size_t)1 << table->bits && !grow(table, err)) {
            return false;
        }
    }
    return true;
}

uint64_t loom_future_next(const void *untyped, loom_addr block)
{
    const struct loom_future *future = untyped;
    const struct entry *entry = find(&future->table, block + 1);

    return entry->key != 0 ? entry->next : LOOM_NEVER;
}

bool loom_future_replay(struct loom_future *future, loom_future_sink *sink,
                        void *context, struct loom_error *err)
{
    bool ok;

    future->table = (struct table){.bits = 9};
    ok = grow(&future->table, err) && look_ahead(future, err);
    for (size_t i = 0; ok && i < future->count; i++) {
        const struct kept *kept = &future->item[i];
        struct loom_mem_request request = {
            .block = kept->block,
            .bytes = {UINT64_MAX, UINT64_MAX},
            .inst = kept->inst,
            .cta = kept->cta,
            .sm = kept->sm,
            .warp = kept->warp,
            .size_bytes = LOOM_BLOCK_BYTES,
            .kind = kept->kind,
            .space = kept->space,
            .sectors = 15,
            .accesses = 1,
        };

        find(&future->table, kept->block + 1)->next = kept->next;
        ok = sink(context, &request, kept->next, err);
    }
    free(future->table.entry);
    future->table = (struct table){0};
    future->count = 0;
    return ok;
}
