/*
 * walker: finds entries of a page table by one load per level, from the root
 * down, each when the one before is back.
 *
 * A request is a load of an entry of the last level, as a TLB makes it.  The
 * entry of the level above covers 512 of its kind, and so on: level k of the
 * entry at offset x of the table is at x / 512^k in a table of its own.
 * Without a port `down` each level takes as long as is said.
 */
#include "engine/component.h"
#include "engine/warm.h"

#include "components/mem_protocol.h"

enum {
    TABLE_BITS = 9,   /* 512 entries of 8 bytes: 4 KiB */
    OFFSET_BITS = 52, /* of an entry in its table; levels are above */
    LEVELS_MAX = 6,
    LINKS = 64
};

struct walker_config {
    uint32_t levels, walks, level_cycles;
};

struct walker_stats {
    uint64_t requests, loads, replies, full_cycles;
    struct loom_histogram latency;
};

struct walker_walk {
    struct loom_mem_request request;
    struct walker_walk *next;
    loom_cycle since, ready; /* when its level is there, if nobody is asked */
    uint32_t link, level;    /* level: loads that are left */
};

struct walker_list {
    struct walker_walk *head, **end;
};

struct walker {
    uint64_t requests; /* bit per link: its channel holds something */
    const struct walker_config *config;
    struct walker_stats *stats;
    struct loom_component *self;
    struct loom_channel *down_in, *down_out; /* NULL: there is none */
    struct loom_channel *in[LINKS], *out[LINKS];
    struct walker_walk *walk; /* [walks] */
    struct walker_walk *free;
    struct walker_list due;     /* with a load to be sent */
    struct walker_list under;   /* without `down`: in the order of `ready` */
    struct walker_list replies; /* found */
    uint32_t links, used;
    loom_cycle full_since; /* LOOM_NEVER: nobody waits for a walk */
    uint16_t id;
};

static void append(struct walker_list *list, struct walker_walk *walk)
{
    walk->next = NULL;
    *list->end = walk;
    list->end = &walk->next;
}

static struct walker_walk *take(struct walker_list *list)
{
    struct walker_walk *walk = list->head;

    list->head = walk->next;
    if (list->head == NULL) {
        list->end = &list->head;
    }
    return walk;
}

/* The load of level `level` for a request, 0 being the last. */
static struct loom_mem_request load_of(const struct walker *w,
                                       const struct loom_mem_request *request,
                                       uint32_t level)
{
    struct loom_mem_request r = *request;
    loom_addr mask = loom_bit(OFFSET_BITS) - 1;
    loom_addr at = r.block & mask;

    r.src = w->id;
    r.slot = 0;
    if (level != 0) {
        at = at >> TABLE_BITS * level;
        r.sectors = (uint8_t)(1u << (at / LOOM_SECTOR_BYTES & 3));
        r.size_bytes = LOOM_SECTOR_BYTES;
        r.block = (r.block & ~mask) | (loom_addr)level << OFFSET_BITS |
                  (at & ~(loom_addr)(LOOM_BLOCK_BYTES - 1));
    }
    return r;
}

/* A level is there: the next one, or the reply. */
static void descend(struct walker *w, struct walker_walk *walk, loom_cycle now)
{
    if (walk->level == 0) {
        loom_histogram_add(&w->stats->latency, now - walk->since);
        append(&w->replies, walk);
    } else if (w->down_out != NULL) {
        append(&w->due, walk);
    } else {
        walk->level--;
        walk->ready = now + w->config->level_cycles;
        append(&w->under, walk);
    }
}

static bool take_replies(struct walker *w, loom_cycle now)
{
    const struct loom_mem_request *r = NULL;
    bool moved = false;

    while (w->under.head != NULL && w->under.head->ready <= now) {
        descend(w, take(&w->under), now);
        moved = true;
    }
    if (w->down_in != NULL) {
        r = loom_peek(w->down_in, now);
    }
    if (r != NULL) {
        if ((r->flags & LOOM_MEM_MORE) == 0) {
            descend(w, &w->walk[r->token], now);
        }
        loom_pop(w->down_in, now);
        moved = true;
    }
    return moved;
}

static bool send_load(struct walker *w, loom_cycle now)
{
    struct loom_mem_request *r;
    struct walker_walk *walk;

    if (w->due.head == NULL || !loom_ready(w->down_out, now)) {
        return false;
    }
    walk = take(&w->due);
    walk->level--;
    r = loom_send(w->down_out, now, 0);
    *r = load_of(w, &walk->request, walk->level);
    r->token = (uint32_t)(walk - w->walk);
    w->stats->loads++;
    return true;
}

static bool send_reply(struct walker *w, loom_cycle now)
{
    struct walker_walk *walk = w->replies.head;
    struct loom_mem_request *r;

    if (walk == NULL || !loom_ready(w->out[walk->link], now)) {
        return false;
    }
    take(&w->replies);
    r = loom_send(w->out[walk->link], now, 0);
    loom_mem_copy(r, &walk->request);
    r->flags |= LOOM_MEM_REPLY;
    w->stats->replies++;
    walk->next = w->free;
    w->free = walk;
    w->used--;
    return true;
}

static void walker_settle(struct loom_component *self, loom_cycle now)
{
    struct walker *w = loom_state(self);

    if (w->full_since != LOOM_NEVER) {
        w->stats->full_cycles += now - w->full_since;
        w->full_since = now;
    }
}

/* One request in a cycle begins a walk. */
static bool begin(struct walker *w, loom_cycle now)
{
    const struct loom_mem_request *r = NULL;
    uint32_t link = 0;
    struct walker_walk *walk = w->free;

    for (uint64_t left = w->requests; left != 0 && r == NULL;
         left &= left - 1) {
        link = loom_lowest(left);
        r = loom_peek(w->in[link], now);
    }
    if (r != NULL && walk == NULL) {
        w->full_since = w->full_since == LOOM_NEVER ? now : w->full_since;
        return false;
    }
    walker_settle(w->self, now);
    w->full_since = LOOM_NEVER;
    if (r == NULL) {
        return false;
    }
    w->free = walk->next;
    w->used++;
    loom_mem_copy(&walk->request, r);
    walk->link = link;
    walk->level = w->config->levels;
    walk->since = now;
    w->stats->requests++;
    loom_pop(w->in[link], now);
    descend(w, walk, now);
    return true;
}

static loom_cycle walker_tick(struct loom_component *self, loom_cycle now)
{
    struct walker *w = loom_state(self);
    bool moved = take_replies(w, now);

    moved |= begin(w, now);
    moved |= send_load(w, now);
    moved |= send_reply(w, now);
    if (moved) {
        return now + 1;
    }
    return w->under.head != NULL ? w->under.head->ready : LOOM_NEVER;
}

/* ---- life ---- */

static bool walker_init(struct loom_component *self, struct loom_error *err)
{
    struct walker *w = loom_state(self);

    w->self = self;
    w->config = loom_config(self);
    w->stats = loom_stats_of(self);
    w->id = loom_component_id(self);
    w->links = loom_port_count(self, "up");
    w->full_since = LOOM_NEVER;
    if (loom_port_count(self, "down") != 0) {
        w->down_in = loom_port_in(self, "down", 0);
        w->down_out = loom_port_out(self, "down", 0);
    }
    for (uint32_t i = 0; i < w->links; i++) {
        w->in[i] = loom_port_in(self, "up", i);
        w->out[i] = loom_port_out(self, "up", i);
        loom_watch(w->in[i], &w->requests, loom_bit(i));
    }
    w->due.end = &w->due.head;
    w->under.end = &w->under.head;
    w->replies.end = &w->replies.head;
    w->walk = loom_alloc(self, w->config->walks, sizeof(*w->walk));
    if (!loom_has_memory(self, err)) {
        return false;
    }
    for (uint32_t i = 0; i < w->config->walks; i++) {
        w->walk[i].next = w->free;
        w->free = &w->walk[i];
    }
    return true;
}

static void walker_serve_warm(struct loom_component *self, void *message,
                              loom_cycle now)
{
    struct walker *w = loom_state(self);
    struct loom_mem_request *r = message;

    (void)now;
    if (w->down_out != NULL && loom_warms(w->down_out)) {
        for (uint32_t level = w->config->levels; level > 0; level--) {
            struct loom_mem_request load = load_of(w, r, level - 1);

            loom_warm(w->down_out, &load);
        }
    }
    r->flags |= LOOM_MEM_REPLY;
}

static bool walker_quiet(struct loom_component *self)
{
    const struct walker *w = loom_state(self);

    return w->used == 0;
}

static bool walker_check(struct loom_component *self, struct loom_error *err)
{
    const struct walker *w = loom_state(self);

    return w->used == 0 ||
           loom_fail(err, LOOM_ERR_LAW, "%llu requests, %llu replies",
                     (unsigned long long)w->stats->requests,
                     (unsigned long long)w->stats->replies);
}

static void walker_report(struct loom_component *self,
                          struct loom_report *report)
{
    const struct walker *w = loom_state(self);

    if (w->used != 0) {
        loom_report_line(report, self, LOOM_NEVER, "%u walks are under way",
                         w->used);
    }
}

#define COUNT(field_, def_, min_, max_, doc_, source_)                         \
    LOOM_PARAM(struct walker_config, field_, .def = {.u = (def_)},             \
               .min = {.u = (min_)}, .max = {.u = (max_)}, .doc = doc_,        \
               .source = source_)

static const struct loom_param walker_params[] = {
    COUNT(levels, 4, 1, LEVELS_MAX, "Loads of a walk, each after the other",
          "NVIDIA, GP100 MMU format: from PDE3 to PDE0, which has the entry "
          "of a page of 2 MiB; 5 for smaller pages"),
    COUNT(walks, 64, 1, 4096, "Walks at a time", "ours"),
    LOOM_PARAM(struct walker_config, level_cycles, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 100}, .min = {.u = 1}, .max = {.u = 100000},
               .doc = "Of a level, where nothing is linked to `down`",
               .source = "ours"),
};

#define REQUESTS(field, doc_)                                                  \
    LOOM_COUNTER(struct walker_stats, field, LOOM_UNIT_REQUEST, doc_)

static const struct loom_stat walker_stat_table[] = {
    REQUESTS(requests, "Entries looked for"),
    REQUESTS(loads, "Loads of levels"),
    REQUESTS(replies, "Entries found"),
    LOOM_COUNTER(struct walker_stats, full_cycles, LOOM_UNIT_CYCLE,
                 "Cycles in which a request found no walk free"),
    LOOM_HISTOGRAM(struct walker_stats, latency, LOOM_UNIT_CYCLE,
                   "Cycles of a walk"),
};

static const struct loom_port_decl walker_ports[] = {
    {"up", "Loads of entries", LOOM_SERVER, &loom_mem_protocol, 1, LINKS},
    {"down", "Loads of levels", LOOM_CLIENT, &loom_mem_protocol, 0, 1},
};

static const struct loom_warm_ops walker_warm = {
    .serve = walker_serve_warm,
    .quiet = walker_quiet,
};

static const struct loom_component_ops walker_ops = {
    .init = walker_init,
    .tick = walker_tick,
    .settle = walker_settle,
    .check = walker_check,
    .report = walker_report,
    .warm = &walker_warm,
};

const struct loom_component_type walker_component = {
    .name = "walker",
    .doc = "Page walker: finds entries of a table, level by level",
    .state_size = sizeof(struct walker),
    .config_size = sizeof(struct walker_config),
    .stats_size = sizeof(struct walker_stats),
    .params = LOOM_SLICE(walker_params),
    .stats = LOOM_SLICE(walker_stat_table),
    .ports = LOOM_SLICE(walker_ports),
    .ops = &walker_ops,
};
