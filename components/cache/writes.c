/*
 * Writes that get a line without waiting for data, and copies of the host.
 *
 * Lazy (GPGPU-Sim 4's L, write-validate with fetch on read): a write puts its
 * bytes into the line and is done; nothing is fetched.  A sector all of whose
 * bytes are written is valid; one that holds only some of them is fetched by
 * the first load that needs it, and what was written stays.  Write-back
 * caches keep the bytes until the line leaves; write-through ones have sent
 * them on as well.
 *
 * Copies of the host that leave their data here (GPGPU-Sim 4,
 * -gpgpu_perf_sim_memcpy): each line of the range that this slice holds is put
 * into the tags, at once and without a message.  It takes the way that a miss
 * would take; nothing of the line that leaves is written back, as the copy is
 * not part of the machine's time either.  A line on its way is left alone.
 *
 * Write and fetch (GPGPU-Sim 3.2.2's W, naive write-allocate): the write goes
 * on and its line is fetched, which comes clean as it contains the write.
 */
#include "components/cache/cache_inline.h"

void cache_modify(struct cache *c, const struct cache_access *a, bool dirty)
{
    uint32_t at = cache_at(c, a->set, a->way);

    c->line[at].dirty |= dirty ? a->need : 0;
    cache_note_written(c, at, a->need);
    if (LOOM_LIKELY(c->bytes == NULL)) {
        return;
    }
    if (a->request->kind == LOOM_MEM_ATOMIC) { /* of sectors that are whole */
        cache_sector_bytes(cache_wanted(c, a, a->need), c->bytes[at]);
        return;
    }
    c->bytes[at][0] |= a->request->bytes[0];
    c->bytes[at][1] |= a->request->bytes[1];
}

/* Sectors of the line all of whose bytes are written. */
static uint8_t complete(const struct cache *c, uint32_t at, loom_addr line)
{
    uint32_t first =
        (uint32_t)(line & (LOOM_BLOCK_BYTES - 1)) / LOOM_SECTOR_BYTES;
    uint32_t whole = 0;

    for (uint32_t i = 0; (c->whole >> i & 1) != 0; i++) {
        uint64_t all[2] = {0, 0};

        cache_sector_bytes((uint8_t)(c->expand[1u << i] << first), all);
        if ((all[0] & ~c->bytes[at][0]) == 0 &&
            (all[1] & ~c->bytes[at][1]) == 0) {
            whole |= 1u << i;
        }
    }
    return (uint8_t)whole;
}

/* What the write finds: pending sectors first, as GPGPU-Sim 4's probe. */
static enum loom_event_kind outcome_of(const struct cache *c,
                                       const struct cache_access *a)
{
    const struct cache_line *line;
    uint8_t missing;

    if (a->way == CACHE_NONE) {
        return LOOM_EVENT_MISS;
    }
    line = cache_line_of(c, a);
    missing = a->need & (uint8_t) ~(line->valid | line->written);
    if ((missing & (uint8_t)~line->pending) != 0) {
        return LOOM_EVENT_MISS;
    }
    return (a->need & line->pending) != 0 ? LOOM_EVENT_PENDING_HIT
                                          : LOOM_EVENT_HIT;
}

static void write_bytes(struct cache *c, struct cache_access *a, bool present,
                        bool keep)
{
    uint32_t at = cache_at(c, a->set, a->way);
    struct cache_victim victim = {0};

    if (!present) {
        cache_install(c, a, &victim);
    }
    cache_modify(c, a, keep);
    c->line[at].valid |= a->need & complete(c, at, a->line);
    cache_settle_line(c, a, present);
    if (victim.dirty != 0) {
        cache_write_back(c, &victim, a->now);
        cache_occupy(c, a->bank, c->line_bytes, a->now);
    }
}

/* Is there all that the write needs but a way?  `room`: requests that it
 * sends. */
static enum cache_stall ready_for(struct cache *c, const struct cache_access *a,
                                  bool keep, uint32_t room)
{
    const struct loom_mem_request *r = a->request;

    if (a->way == CACHE_NONE && cache_all_reserved(c, a->set)) {
        return (enum cache_stall)LOOM_FAIL_LINE;
    }
    if (!cache_room(c, room, a->now) ||
        (!keep && !cache_can_pass(c, r, a->now))) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    if (keep && r->kind != LOOM_MEM_WRITEBACK &&
        !loom_ready(c->port[cache_port_of(c, a->item)].up, a->now)) {
        return CACHE_STALL_REPLY;
    }
    return CACHE_DONE;
}

/* The line is there, or there is a gated one whose tag is. */
static bool holds(const struct cache *c, const struct cache_access *a)
{
    const struct cache_line *line = cache_line_of(c, a);

    return (line->valid | line->pending | line->written) != 0;
}

enum cache_stall cache_lazy_write(struct cache *c, struct cache_access *a)
{
    const struct loom_mem_request *r = a->request;
    bool keep = a->keeps; /* else it is sent on */
    uint32_t room = (keep ? 0u : 1u) + (c->power != NULL ? 1u : 0u);
    enum loom_event_kind outcome = outcome_of(c, a);
    uint32_t found = a->way;
    bool present = found != CACHE_NONE && holds(c, a);
    enum cache_stall stall;

    if (!present && !cache_may_allocate(c, a)) {
        return cache_miss_without_line(c, a);
    }
    stall = ready_for(c, a, keep, room);
    if (stall != CACHE_DONE) {
        return stall;
    }
    if (found == CACHE_NONE) {
        stall = cache_choose_or_pass(c, a, room);
        if (stall != CACHE_DONE || a->way == CACHE_NONE) {
            return stall;
        }
    }
    if (outcome == LOOM_EVENT_MISS) {
        uint32_t way = a->way;

        a->way = found;
        cache_count_miss(c, a);
        a->way = way;
    } else {
        cache_count(c, a, outcome);
    }
    if (!keep) {
        cache_pass(c, a->item, cache_answer(c, r), false, a->now);
    }
    write_bytes(c, a, present, keep);
    if (outcome == LOOM_EVENT_HIT) {
        cache_occupy(c, a->bank, r->size_bytes, a->now);
    }
    if (keep && r->kind != LOOM_MEM_WRITEBACK) {
        cache_reply(c, a->item, outcome == LOOM_EVENT_HIT ? LOOM_MEM_HIT : 0,
                    cache_answer(c, r), a->now, 0);
    }
    cache_power(c, present ? LOOM_EVENT_HIT : LOOM_EVENT_ALLOCATE, a);
    return CACHE_DONE;
}

/* Everything that fetching the line needs but a way. */
static enum cache_stall may_fetch(struct cache *c, const struct cache_access *a,
                                  bool way_now)
{
    if (way_now && a->way == CACHE_NONE && cache_all_reserved(c, a->set)) {
        return (enum cache_stall)LOOM_FAIL_LINE;
    }
    return c->mshr_used == c->mshr_entries ? (enum cache_stall)LOOM_FAIL_MSHR
                                           : CACHE_DONE;
}

/* `found`: the way that had its tag already. */
static void send_and_fetch(struct cache *c, struct cache_access *a,
                           uint32_t found, bool fetch)
{
    uint32_t way = a->way;
    uint32_t entry;

    a->way = found;
    cache_count_miss(c, a);
    a->way = way;
    cache_pass(c, a->item, cache_answer(c, a->request), false, a->now);
    if (!fetch) {
        return;
    }
    entry = cache_mshr_new(c, a);
    a->entry = entry;
    c->mshr[entry].fill = true;
    if (way != CACHE_NONE) {
        cache_reserve(c, a, true);
    } else {
        cache_fetch(c, a->request, entry, cache_wanted(c, a, a->need), a->now);
    }
}

enum cache_stall cache_write_and_fetch(struct cache *c, struct cache_access *a,
                                       uint32_t entry)
{
    bool fetch = entry == CACHE_NONE;
    bool way_now = fetch && (!c->on_fill || a->way != CACHE_NONE);
    uint32_t room = 1u + (fetch ? 1u : 0u) + (c->power != NULL ? 1u : 0u);
    uint32_t found = a->way;
    enum cache_stall stall;

    if (fetch && !cache_may_allocate(c, a)) {
        return cache_miss_without_line(c, a);
    }
    stall = fetch ? may_fetch(c, a, way_now) : CACHE_DONE;
    if (stall != CACHE_DONE) {
        return stall;
    }
    if (!cache_can_pass(c, a->request, a->now) ||
        !cache_room(c, room, a->now)) {
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    if (way_now && found == CACHE_NONE) {
        stall = cache_choose_or_pass(c, a, room);
        if (stall != CACHE_DONE || a->way == CACHE_NONE) {
            return stall;
        }
    }
    send_and_fetch(c, a, found, fetch);
    return CACHE_DONE;
}

/* ---- copies of the host ---- */

/* The bytes [from, end) as a request for them, of one line. */
static struct loom_mem_request request_for(const struct cache *c,
                                           loom_addr from, loom_addr end)
{
    struct loom_mem_request r = {
        .block = from & ~(loom_addr)(LOOM_BLOCK_BYTES - 1),
        .src = c->id,
        .kind = LOOM_MEM_LOAD,
        .space = LOOM_SPACE_GLOBAL,
        .accesses = 1,
    };

    for (loom_addr at = from & ~(loom_addr)(LOOM_SECTOR_BYTES - 1); at < end;
         at += LOOM_SECTOR_BYTES) {
        r.sectors |= (uint8_t)(1u << (at - r.block) / LOOM_SECTOR_BYTES);
    }
    r.size_bytes = (uint16_t)(loom_popcount(r.sectors) * LOOM_SECTOR_BYTES);
    cache_sector_bytes(r.sectors, r.bytes);
    return r;
}

static bool holds_here(const struct cache *c, loom_addr line)
{
    return c->map == NULL || loom_map_slice(c->map, c->map_self, line) ==
                                 loom_component_index(c->self);
}

/* A way for a line that is not there; false: none is free. */
static bool make_room(struct cache *c, struct cache_access *a)
{
    struct loom_bypass ignored = {0};
    struct cache_victim dropped;

    if (cache_choose(c, a, &a->way, &ignored) != CACHE_DONE ||
        a->way == CACHE_NONE) {
        return false;
    }
    cache_install(c, a, &dropped);
    cache_settle_line(c, a, false);
    return true;
}

static void preload_line(struct cache *c, loom_addr from, loom_addr end)
{
    struct loom_mem_request r = request_for(c, from, end);
    struct cache_access a = {
        .request = &r,
        .line = from & ~(loom_addr)(c->line_bytes - 1),
        .now = c->mshr_counted, /* when something last changed */
        .need = c->sector[r.sectors].mask,
    };
    struct cache_line *line;

    if (!holds_here(c, a.line)) {
        return;
    }
    a.set = cache_set_of(c, a.line);
    a.way = cache_find(c, a.set, a.line);
    if (a.way == CACHE_NONE) {
        if (!make_room(c, &a)) {
            return;
        }
    } else {
        cache_promote(c, &r, a.set, a.way);
    }
    line = cache_line_of(c, &a);
    line->valid |= a.need & (uint8_t)~line->pending;
    c->stats->preloaded_lines++;
    cache_tell(c, LOOM_EVENT_FILL, &a);
    cache_power(c, LOOM_EVENT_FILL, &a);
}

bool cache_command(struct loom_component *self, const void *command,
                   struct loom_error *err)
{
    struct cache *c = loom_state(self);
    const struct loom_mem_preload *range = command;
    loom_addr end = range->address + range->bytes;

    if (!c->config->preload) {
        return loom_fail(err, LOOM_ERR_CONFIG, "'%s' has preload = false",
                         loom_component_path(self));
    }
    for (loom_addr at = range->address; at < end;) {
        loom_addr next = (at | (c->line_bytes - 1)) + 1;

        preload_line(c, at, next < end ? next : end);
        at = next;
    }
    cache_retry(c); /* what a load was refused may be there now */
    loom_stay_asleep(self);
    return true;
}
