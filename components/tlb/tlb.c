/*
 * tlb: a translation lookaside buffer between caches and network.  Addresses
 * are the same on both sides; only when a request may go on is up to it.
 *
 * Link i of `up` goes on as link i of `down`.  What is missing is fetched by
 * `walk`, as a load of the page's entry in a table in memory: another TLB, or
 * a cache that holds entries, or memory itself may answer it.
 */
#include "engine/warm.h"

#include "components/tlb/tlb_private.h"

/* ---- life ---- */

static bool tlb_validate(const void *config, struct loom_error *err)
{
    const struct tlb_config *c = config;

    return (c->ways <= c->entries && c->entries % c->ways == 0) ||
           loom_fail(err, LOOM_ERR_CONFIG,
                     "parameter 'ways' is %u, expected a divisor of entries = "
                     "%u",
                     c->ways, c->entries);
}

static bool take_memory(struct loom_component *self, struct tlb *t,
                        struct loom_error *err)
{
    const struct tlb_config *c = t->config;
    struct tlb_held *held = loom_alloc(self, c->held, sizeof(*held));

    t->entry = loom_alloc(self, c->entries, sizeof(*t->entry));
    t->walk = loom_alloc(self, c->walks, sizeof(*t->walk));
    t->unsent = loom_alloc(self, c->walks, sizeof(*t->unsent));
    if (!loom_has_memory(self, err)) {
        return false;
    }
    for (uint32_t i = 0; i < c->held; i++) {
        held[i].next = i + 1 < c->held ? &held[i + 1] : NULL;
    }
    for (uint32_t i = 0; i < c->walks; i++) {
        t->walk[i].waiting.end = &t->walk[i].waiting.head;
    }
    t->free = held;
    return true;
}

static bool tlb_init(struct loom_component *self, struct loom_error *err)
{
    struct tlb *t = loom_state(self);

    t->self = self;
    t->config = loom_config(self);
    t->stats = loom_stats_of(self);
    t->id = loom_component_id(self);
    t->sets = t->config->entries / t->config->ways;
    t->page_shift = loom_log2(t->config->page_bytes);
    t->links = loom_port_count(self, "up");
    t->full_since = LOOM_NEVER;
    t->walk_in = loom_port_in(self, "walk", 0);
    t->walk_out = loom_port_out(self, "walk", 0);
    if (loom_port_count(self, "down") != t->links) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "%u links of 'up' and %u of 'down', expected as many",
                         t->links, loom_port_count(self, "down"));
    }
    for (uint32_t i = 0; i < t->links; i++) {
        t->link[i] = (struct tlb_link){
            .up_in = loom_port_in(self, "up", i),
            .up_out = loom_port_out(self, "up", i),
            .down_in = loom_port_in(self, "down", i),
            .down_out = loom_port_out(self, "down", i),
        };
        t->link[i].ready.end = &t->link[i].ready.head;
        loom_watch(t->link[i].up_in, &t->requests, loom_bit(i));
        loom_watch(t->link[i].down_in, &t->replies, loom_bit(i));
    }
    return take_memory(self, t, err);
}

/* ---- without time ---- */

static void tlb_serve_warm(struct loom_component *self, void *message,
                           loom_cycle now)
{
    struct tlb *t = loom_state(self);
    uint64_t page = tlb_page(t, message);

    (void)now;
    if (!tlb_find(t, page)) {
        if (loom_warms(t->walk_out)) {
            struct loom_mem_request fetch = tlb_fetch(t, page, message);

            loom_warm(t->walk_out, &fetch);
        }
        tlb_insert(t, page);
    }
    /* All links lead to the same memory. */
    loom_warm(t->link[0].down_out, message);
}

static bool tlb_quiet(struct loom_component *self)
{
    const struct tlb *t = loom_state(self);

    return t->walks_used == 0 && t->ready == 0;
}

/* ---- the end ---- */

static bool tlb_check(struct loom_component *self, struct loom_error *err)
{
    const struct tlb *t = loom_state(self);
    const struct tlb_stats *s = t->stats;

    if (!tlb_quiet(self)) {
        return loom_fail(err, LOOM_ERR_LAW, "%u walks have not come back",
                         t->walks_used);
    }
    return s->requests == s->hits + s->pending_hits + s->misses ||
           loom_fail(err, LOOM_ERR_LAW,
                     "%llu requests, %llu hits, %llu pending hits, %llu misses",
                     (unsigned long long)s->requests,
                     (unsigned long long)s->hits,
                     (unsigned long long)s->pending_hits,
                     (unsigned long long)s->misses);
}

static void tlb_report(struct loom_component *self, struct loom_report *report)
{
    const struct tlb *t = loom_state(self);

    for (uint32_t i = 0; i < t->config->walks; i++) {
        if (t->walk[i].page != 0) {
            loom_report_line(report, self, t->walk[i].since,
                             "requests wait for the entry of page 0x%llx",
                             (unsigned long long)(t->walk[i].page - 1));
        }
    }
}

/* ---- what it can be told, and what it counts ---- */

#define COUNT(field_, def_, max_, doc_, source_)                               \
    LOOM_PARAM(struct tlb_config, field_, .def = {.u = (def_)},                \
               .min = {.u = 1}, .max = {.u = (max_)}, .doc = doc_,             \
               .source = source_)

static const struct loom_param tlb_params[] = {
    LOOM_PARAM(struct tlb_config, page_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 2u << 20}, .min = {.u = 4096},
               .max = {.u = 1u << 30}, .power_of_2 = true,
               .doc = "Memory that one entry translates",
               .source = "Jia et al. 2018 (arXiv:1804.06826): V100, L1 TLB"),
    COUNT(entries, 16, 1u << 16, "Pages whose translation is known",
          "Jia et al. 2018: V100, L1 TLB, 32 MiB of pages of 2 MiB"),
    COUNT(ways, 16, 1u << 16, "Entries of a set; the last used ones stay",
          "ours: one set"),
    COUNT(walks, 8, 1024, "Pages whose entries are fetched at a time", "ours"),
    COUNT(held, 64, 4096, "Requests that wait for entries at a time", "ours"),
    LOOM_PARAM(struct tlb_config, table,
               .def = {.u = UINT64_C(0x6000000000000000)},
               .doc = "Address of the table, of 8 bytes for each page",
               .source = "ours: behind all that programs use"),
};

#define REQUESTS(field, doc_)                                                  \
    LOOM_COUNTER(struct tlb_stats, field, LOOM_UNIT_REQUEST, doc_)

static const struct loom_stat tlb_stat_table[] = {
    REQUESTS(requests, "Requests from above"),
    REQUESTS(hits, "Requests whose page was known"),
    REQUESTS(pending_hits, "Requests whose page was being fetched"),
    REQUESTS(misses, "Requests that began a walk"),
    REQUESTS(walks, "Entries sent for"),
    REQUESTS(replies, "Replies that passed"),
    LOOM_COUNTER(struct tlb_stats, full_cycles, LOOM_UNIT_CYCLE,
                 "Cycles in which a request found no walk or no place free"),
    LOOM_HISTOGRAM(struct tlb_stats, walk_latency, LOOM_UNIT_CYCLE,
                   "Cycles from a miss to its entry"),
};

static const struct loom_port_decl tlb_ports[] = {
    {"up", "Requests from above", LOOM_SERVER, &loom_mem_protocol, 1,
     TLB_LINKS},
    {"down", "The same, of pages that are known", LOOM_CLIENT,
     &loom_mem_protocol, 1, TLB_LINKS},
    {"walk", "Loads of entries that are missing", LOOM_CLIENT,
     &loom_mem_protocol, 1, 1},
};

static const struct loom_warm_ops tlb_warm = {
    .serve = tlb_serve_warm,
    .quiet = tlb_quiet,
};

static const struct loom_component_ops tlb_ops = {
    .validate = tlb_validate,
    .init = tlb_init,
    .tick = tlb_tick,
    .settle = tlb_settle,
    .check = tlb_check,
    .report = tlb_report,
    .warm = &tlb_warm,
};

const struct loom_component_type tlb_component = {
    .name = "tlb",
    .doc = "Translation lookaside buffer: when a request may go on",
    .state_size = sizeof(struct tlb),
    .config_size = sizeof(struct tlb_config),
    .stats_size = sizeof(struct tlb_stats),
    .params = LOOM_SLICE(tlb_params),
    .stats = LOOM_SLICE(tlb_stat_table),
    .ports = LOOM_SLICE(tlb_ports),
    .ops = &tlb_ops,
};
