/*
 * The inside of a TLB: tlb.c is the component, its life and its tables;
 * entries.c what it knows of pages; tick.c a cycle of it.
 *
 * A request is in one place: in a channel, or held, by the walk that its page
 * waits for and then by its link, until it can go on.
 */
#ifndef COMPONENTS_TLB_TLB_PRIVATE_H
#define COMPONENTS_TLB_TLB_PRIVATE_H

#include "engine/component.h"

#include "components/mem_protocol.h"

enum {
    TLB_LINKS = 64, /* bits of a word */
    TLB_ENTRY_BYTES = 8
};

struct tlb_config {
    uint64_t page_bytes, table;
    uint32_t entries, ways, walks, held;
};

struct tlb_stats {
    uint64_t requests, hits, pending_hits, misses, walks, replies;
    uint64_t full_cycles;
    struct loom_histogram walk_latency;
};

/* A request that waits, in a list. */
struct tlb_held {
    struct loom_mem_request request;
    struct tlb_held *next;
    uint32_t link;
};

struct tlb_list {
    struct tlb_held *head, **end;
};

/* A page whose entry is being fetched; it is on its way if nobody has to send
 * for it. */
struct tlb_walk {
    uint64_t page; /* its number, from 1; 0: none */
    loom_cycle since;
    struct tlb_list waiting; /* in the order in which they came */
};

struct tlb_link {
    struct loom_channel *up_in, *up_out, *down_in, *down_out;
    struct tlb_list ready; /* have their page; go on before others */
};

struct tlb {
    uint64_t requests, replies; /* bit per link: its channel holds something */
    uint64_t ready;             /* bit per link: its list is not empty */
    const struct tlb_config *config;
    struct tlb_stats *stats;
    struct loom_component *self;
    uint64_t *entry; /* [sets * ways], of a set the last used one first */
    uint32_t sets, page_shift, links;
    struct loom_channel *walk_in, *walk_out;
    struct tlb_walk *walk; /* [walks] */
    uint32_t *unsent;      /* [walks], a ring: which have to be sent for */
    uint32_t unsent_head, unsent_count, walks_used;
    struct tlb_held *free;
    loom_cycle full_since; /* LOOM_NEVER: nobody waits for room */
    struct tlb_link link[TLB_LINKS];
    uint16_t id;
};

/* entries.c */
uint64_t tlb_page(const struct tlb *t, const struct loom_mem_request *r);
/* Is the page's entry there?  It is the last used one of its set then. */
bool tlb_find(struct tlb *t, uint64_t page);
void tlb_insert(struct tlb *t, uint64_t page);
/* A load of a page's entry of the table, for `why`. */
struct loom_mem_request tlb_fetch(const struct tlb *t, uint64_t page,
                                  const struct loom_mem_request *why);

/* tick.c */
loom_cycle tlb_tick(struct loom_component *self, loom_cycle now);
void tlb_settle(struct loom_component *self, loom_cycle now);

#endif
