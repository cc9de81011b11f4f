/*
 * Lines: where an address is, which way it may take, what leaves; flushes.
 *
 * A line is reserved while any of its sectors is on its way; such a way can
 * neither be chosen nor dropped.  An infinite cache is one set of very many
 * ways in which a line's way is its place in a hash table with linear
 * probing: nothing leaves, and a dropped line keeps its place until a flush.
 */
#include "components/cache/cache_inline.h"

static uint32_t probe(const struct cache *c, loom_addr line)
{
    uint32_t mask = c->ways - 1;
    uint32_t way = cache_hash(line, c->probe_shift);

    while (c->line[way].tag != 0 && c->line[way].tag != (line | 1)) {
        way = (way + 1) & mask;
    }
    return way;
}

uint32_t cache_find_infinite(const struct cache *c, loom_addr line)
{
    uint32_t way = probe(c, line);

    return c->line[way].tag != 0 ? way : CACHE_NONE;
}

uint32_t cache_set_of(struct cache *c, loom_addr line)
{
    uint32_t set;

    if (c->infinite) {
        return 0;
    }
    if (c->map != NULL) {
        line = loom_map_local(c->map, c->map_self, line);
    }
    set = c->index->index(c->index_self, line);
    LOOM_DEBUG_CHECK(set < c->sets);
    return set;
}

bool cache_all_reserved(const struct cache *c, uint32_t set)
{
    const struct cache_line *line = c->line + cache_at(c, set, 0);
    bool free = false;

    if (c->infinite) {
        return false;
    }
    for (uint32_t way = 0; way < c->active; way++) {
        free |= line[way].pending == 0; /* when, nobody can guess */
    }
    return !free;
}

LOOM_NOINLINE void cache_tell_watchers(struct cache *c,
                                       enum loom_event_kind kind,
                                       const struct cache_access *a)
{
    const struct loom_mem_request *request = a->request;
    const struct loom_event event = {
        .now = a->now,
        .request = request,
        .block = a->line,
        .kind = kind,
        .cta = request->cta,
        .inst = request->inst,
        .set = a->set,
        .way = a->way,
        .warp = request->warp,
        .rank = request->rank,
        .scheduler = request->scheduler,
    };
    loom_observers_tell(&c->observers, &event);
}

LOOM_NOINLINE static void tell_watchers_evict(struct cache *c,
                                              const struct cache_access *a,
                                              loom_addr block,
                                              enum loom_evict_reason reason)
{
    const struct loom_mem_request *request = a->request;
    const struct loom_event event = {
        .now = a->now,
        .request = request,
        .block = block,
        .kind = LOOM_EVENT_EVICT,
        .cta = request->cta,
        .inst = request->inst,
        .set = a->set,
        .way = a->way,
        .warp = request->warp,
        .rank = request->rank,
        .scheduler = request->scheduler,
        .reason = (uint8_t)reason,
        .dirty = cache_line_of(c, a)->dirty != 0,
    };
    loom_observers_tell(&c->observers, &event);
}

static inline void tell_evict(struct cache *c, const struct cache_access *a,
                              loom_addr block, enum loom_evict_reason reason)
{
    if (loom_observed(&c->observers, LOOM_EVENT_EVICT)) {
        tell_watchers_evict(c, a, block, reason);
    }
}

/* The ways that are not reserved, in ascending order. */
static LOOM_INLINE struct loom_ways unreserved(const struct cache *c,
                                               uint32_t set, uint16_t *room)
{
    const struct cache_line *line = c->line + cache_at(c, set, 0);
    struct loom_ways ways = {room, 0};

    for (uint32_t way = 0; way < c->active; way++) {
        ways.way[ways.count] = (uint16_t)way;
        ways.count += line[way].pending == 0;
    }
    return ways;
}

static enum loom_no_candidate ask_empty(struct cache *c, struct cache_access *a,
                                        struct loom_bypass *bypass)
{
    for (uint32_t i = 0; i < loom_chain(&c->candidates); i++) {
        const struct loom_bound *bound = &c->candidates.item[i];
        const struct loom_candidates_ops *ops = bound->ops;
        enum loom_no_candidate verdict =
            ops->empty == NULL
                ? LOOM_EMPTY_DEFAULT
                : ops->empty(bound->policy, a->request, a->set, bypass);

        if (verdict != LOOM_EMPTY_DEFAULT) {
            c->empty_by = i + 1;
            return verdict;
        }
    }
    return LOOM_EMPTY_ANY;
}

/* Lets the chain remove ways; CACHE_DONE with none left: go around. */
LOOM_NOINLINE static enum cache_stall restrict_ways(struct cache *c,
                                                    struct cache_access *a,
                                                    struct loom_ways *ways,
                                                    struct loom_bypass *bypass)
{
    for (uint32_t i = 0; i < loom_chain(&c->candidates) && ways->count != 0;
         i++) {
        const struct loom_bound *bound = &c->candidates.item[i];
        const struct loom_candidates_ops *ops = bound->ops;

        ops->restrict_ways(bound->policy, a->request, a->set, ways);
    }
    if (ways->count == 0) {
        switch (a->forced ? LOOM_EMPTY_ANY : ask_empty(c, a, bypass)) {
        case LOOM_EMPTY_BYPASS:
            break;
        case LOOM_EMPTY_STALL:
            return (enum cache_stall)LOOM_FAIL_CANDIDATES;
        case LOOM_EMPTY_DEFAULT:
        case LOOM_EMPTY_ANY:
            *ways = unreserved(c, a->set, ways->way);
            break;
        }
    }
    return CACHE_DONE;
}

/* Leaves modified lines alone until they are write_ratio percent of all
 * (GPGPU-Sim 4, -gpgpu_l1_cache_write_ratio).  There a set of modified lines
 * has no candidate until other sets have more of them, which may never be;
 * here they are candidates where nothing else is. */
static void spare_modified(struct cache *c, uint32_t set,
                           struct loom_ways *ways)
{
    const struct cache_line *line = c->line + cache_at(c, set, 0);
    uint32_t kept = 0;

    if ((uint64_t)c->modified * 100 >=
        (uint64_t)c->config->write_ratio * c->sets * c->active) {
        return;
    }
    for (uint32_t i = 0; i < ways->count; i++) {
        kept += line[ways->way[i]].written == 0;
    }
    if (kept == 0) {
        c->stats->ratio_exceptions++;
        return;
    }
    kept = 0;
    for (uint32_t i = 0; i < ways->count; i++) {
        if (line[ways->way[i]].written == 0) {
            ways->way[kept++] = ways->way[i];
        }
    }
    ways->count = kept;
}

/* The ways that the access may have, or why there is none; CACHE_DONE without
 * a way: `bypass` says how it goes around. */
static LOOM_INLINE enum cache_stall candidates(struct cache *c,
                                               struct cache_access *a,
                                               struct loom_ways *ways,
                                               struct loom_bypass *bypass)
{
    *ways = unreserved(c, a->set, ways->way);
    if (ways->count == 0) {
        return (enum cache_stall)LOOM_FAIL_LINE;
    }
    if (c->spares) {
        spare_modified(c, a->set, ways);
    }
    return loom_chain(&c->candidates) != 0 ? restrict_ways(c, a, ways, bypass)
                                           : CACHE_DONE;
}

static LOOM_INLINE uint32_t choose_of(struct cache *c,
                                      const struct cache_access *a,
                                      const struct loom_ways *ways)
{
    const struct cache_line *line = c->line + cache_at(c, a->set, 0);
    uint32_t way;

    for (uint32_t i = ways->count; i-- > 0;) {
        if (line[ways->way[i]].tag == 0) {
            return ways->way[i];
        }
    }
    way = c->replacement->victim(c->replacement_self, a->request, a->set, ways);
    LOOM_CHECK(way < c->ways && line[way].pending == 0);
    return way;
}

enum cache_stall cache_choose(struct cache *c, struct cache_access *a,
                              uint32_t *way, struct loom_bypass *bypass)
{
    uint16_t few[CACHE_WAYS];
    struct loom_ways ways = {c->ways <= CACHE_WAYS ? few : c->ways_left, 0};
    enum cache_stall stall;

    if (LOOM_UNLIKELY(c->infinite)) {
        *way = probe(c, a->line);
        return CACHE_DONE;
    }
    *way = CACHE_NONE;
    stall = candidates(c, a, &ways, bypass);
    if (stall == CACHE_DONE && ways.count != 0) {
        *way = choose_of(c, a, &ways);
    }
    return stall;
}

/* Policies have left the access no way: it goes around. */
static enum cache_stall pass_by(struct cache *c, struct cache_access *a,
                                const struct loom_bypass *how)
{
    cache_mark_bypass(c, &a->item->request, how, c->empty_by);
    return cache_bypass(c, a->item, a->now);
}

/* a->way is the access's, if what must be written back can be. */
static enum cache_stall take(struct cache *c, struct cache_access *a,
                             uint32_t room)
{
    if (cache_line_of(c, a)->dirty != 0 && !cache_room(c, room + 1, a->now)) {
        a->way = CACHE_NONE;
        return (enum cache_stall)LOOM_FAIL_MISS_QUEUE;
    }
    return CACHE_DONE;
}

enum cache_stall cache_choose_or_pass(struct cache *c, struct cache_access *a,
                                      uint32_t room)
{
    struct loom_bypass how = {a->request->size_bytes, false};
    enum cache_stall stall = cache_choose(c, a, &a->way, &how);

    if (stall != CACHE_DONE) {
        return stall;
    }
    return a->way == CACHE_NONE ? pass_by(c, a, &how) : take(c, a, room);
}

/* .. where a chain may leave it none of its ways. */
LOOM_NOINLINE static enum cache_stall
way_of_chain_and_means(struct cache *c, struct cache_access *a, bool fetches,
                       uint32_t room)
{
    struct loom_bypass how = {a->request->size_bytes, false};
    struct loom_ways ways = {c->ways_left, 0};
    enum cache_stall stall;

    stall = candidates(c, a, &ways, &how);
    if (stall == CACHE_DONE && ways.count == 0) {
        return pass_by(c, a, &how);
    }
    if (stall == CACHE_DONE) {
        stall = cache_means(c, a, fetches, room);
    }
    if (stall != CACHE_DONE) {
        return stall;
    }
    a->way = choose_of(c, a, &ways);
    return take(c, a, room);
}

enum cache_stall cache_way_and_means(struct cache *c, struct cache_access *a,
                                     bool fetches, uint32_t room)
{
    enum cache_stall stall;

    if (LOOM_UNLIKELY(loom_chain(&c->candidates) != 0) && !c->infinite) {
        return way_of_chain_and_means(c, a, fetches, room);
    }
    stall = cache_all_reserved(c, a->set) ? (enum cache_stall)LOOM_FAIL_LINE
                                          : cache_means(c, a, fetches, room);
    return stall == CACHE_DONE ? cache_choose_or_pass(c, a, room) : stall;
}

static void check_infinite(struct cache *c)
{
    struct loom_error err;

    if (++c->used > c->ways / 8 * 7) {
        loom_fail(&err, LOOM_ERR_CONFIG,
                  "more than %u lines are in use, raise 'infinite_lines'",
                  c->used - 1);
        loom_raise(c->self, &err);
        c->used = 0; /* said once; the table itself is still sound */
    }
}

void cache_note_written(struct cache *c, uint32_t at, uint8_t sectors)
{
    struct cache_line *line = &c->line[at];

    c->modified += line->written == 0 && sectors != 0;
    line->written |= sectors;
}

void cache_install(struct cache *c, const struct cache_access *a,
                   struct cache_victim *victim)
{
    uint32_t at = cache_at(c, a->set, a->way);

    *victim = cache_victim_of(c, at);
    if (c->line[at].tag != 0 && victim->line != a->line) {
        c->stats->evictions++;
        tell_evict(c, a, victim->line, LOOM_EVICT_CAPACITY);
        cache_power(c, LOOM_EVENT_EVICT, a);
    } else if (LOOM_UNLIKELY(c->infinite) && c->line[at].tag == 0) {
        check_infinite(c);
    }
    c->line[at].tag = a->line | 1;
    cache_empty_line(c, at);
}

/* Puts the line in a->way, where it may be already. */
static bool place(struct cache *c, const struct cache_access *a,
                  struct cache_victim *victim)
{
    uint32_t at = cache_at(c, a->set, a->way);
    const struct cache_line *line = &c->line[at];

    if (line->tag == (a->line | 1) &&
        (line->valid | line->pending | line->written) != 0) {
        return true;
    }
    cache_install(c, a, victim);
    return false;
}

void cache_settle_line(struct cache *c, const struct cache_access *a,
                       bool present)
{
    if (present) {
        cache_promote(c, a->request, a->set, a->way);
        return;
    }
    cache_tell(c, LOOM_EVENT_ALLOCATE, a);
    cache_inserted(c, a->request, a->set, a->way);
}

void cache_reserve(struct cache *c, struct cache_access *a, bool fetch)
{
    uint32_t at = cache_at(c, a->set, a->way);
    struct cache_victim victim = {0};
    bool present = place(c, a, &victim);
    uint8_t missing = a->need & (uint8_t)~c->line[at].valid;

    if (fetch) {
        c->line[at].pending |= missing;
    } else {
        c->line[at].valid |= a->need;
        cache_modify(c, a, true);
    }
    cache_settle_line(c, a, present);
    if (fetch) {
        c->mshr[a->entry].way = a->way;
        cache_fetch(c, a->request, a->entry, cache_wanted(c, a, missing),
                    a->now);
    }
    if (victim.dirty != 0) {
        cache_write_back(c, &victim, a->now);
        cache_occupy(c, a->bank, c->line_bytes, a->now);
    }
    cache_power(c, present ? LOOM_EVENT_HIT : LOOM_EVENT_ALLOCATE, a);
}

void cache_drop(struct cache *c, const struct cache_access *a,
                enum loom_evict_reason reason)
{
    uint32_t at = cache_at(c, a->set, a->way);
    loom_addr block = c->line[at].tag & ~(loom_addr)1;

    tell_evict(c, a, block, reason);
    cache_empty_line(c, at);
    if (!c->infinite) {
        c->line[at].tag = 0;
    }
    if (c->replacement->invalidated != NULL) {
        c->replacement->invalidated(c->replacement_self, a->set, a->way);
    }
    cache_power(c, LOOM_EVENT_EVICT, a);
}

/* A write-evict cache drops what is written: the sectors, if others of the
 * line stay and nothing in it is newer than below (GPGPU-Sim 4, wr_hit_we). */
void cache_drop_written(struct cache *c, const struct cache_access *a)
{
    struct cache_line *line = cache_line_of(c, a);

    if (c->bytes == NULL && (line->valid & ~(uint32_t)a->need) != 0 &&
        (line->written & a->need) == 0) {
        line->valid &= (uint8_t) ~(uint32_t)a->need;
        return;
    }
    c->stats->write_evictions++;
    cache_drop(c, a, LOOM_EVICT_WRITE);
}

/* Of an infinite cache whose lines are all dropped. */
static void forget_tags(struct cache *c)
{
    for (uint32_t i = 0; i < c->lines; i++) {
        c->line[i].tag = 0;
    }
    c->used = 0;
}

/* Is there something to drop?  In an infinite cache a tag may have outlived
 * its line. */
static bool occupied(const struct cache *c, uint32_t at)
{
    const struct cache_line *line = &c->line[at];

    return c->line[at].tag != 0 &&
           (!c->infinite || (line->valid | line->written) != 0);
}

/* Drops lines from flush_at on.  False: no room for what is written back. */
static bool drop_all(struct cache *c, const struct cache_item *item,
                     loom_cycle now)
{
    struct cache_access a = {.request = &item->request, .now = now};

    for (; c->flush_at < c->lines; c->flush_at++) {
        struct cache_victim victim = cache_victim_of(c, c->flush_at);

        if (!occupied(c, c->flush_at)) {
            continue;
        }
        if (victim.dirty != 0 && !cache_room(c, 1, now)) {
            return false;
        }
        a.set = c->flush_at / c->ways;
        a.way = c->flush_at % c->ways;
        a.line = victim.line;
        cache_drop(c, &a, LOOM_EVICT_FLUSH);
        c->stats->flushed_lines++;
        if (victim.dirty != 0) {
            cache_write_back(c, &victim, now);
        }
    }
    return true;
}

enum cache_stall cache_flush(struct cache *c, const struct cache_item *item,
                             loom_cycle now)
{
    if (c->mshr_used != 0 || (c->banks > 1 && c->held > 1) ||
        !drop_all(c, item, now)) {
        return CACHE_STALL_FLUSH;
    }
    if (!loom_ready(c->port[cache_port_of(c, item)].up, now)) {
        return CACHE_STALL_REPLY;
    }
    if (LOOM_UNLIKELY(c->infinite)) {
        forget_tags(c);
    }
    c->flush_at = 0;
    c->stats->flushes++;
    c->flushing = false;
    if ((item->request.flags & LOOM_MEM_RESIZE) != 0 && !c->infinite) {
        cache_resize(c, item->request.block);
    }
    cache_reply(c, item, 0, 0, now, 0);
    return CACHE_DONE;
}

void cache_integrate_power(struct cache *c, loom_cycle now)
{
    struct cache_stats *s = c->stats;
    uint64_t on = c->in_power[LOOM_LINE_ON];
    uint64_t drowsy = c->in_power[LOOM_LINE_DROWSY];
    uint64_t cycles;

    if (now <= c->power_counted) {
        return;
    }
    cycles = now - c->power_counted;
    c->power_counted = now;
    if (c->asleep) {
        drowsy += on;
        on = 0;
    }
    s->line_on_cycles += on * cycles;
    s->line_drowsy_cycles += drowsy * cycles;
    s->line_gated_cycles += c->in_power[LOOM_LINE_GATED] * cycles;
}

static void set_state(struct cache *c, uint32_t at, enum loom_line_power state,
                      loom_cycle now)
{
    struct cache_line *line = &c->line[at];

    if (state != (enum loom_line_power)line->power) {
        cache_integrate_power(c, now);
        c->in_power[line->power]--;
        c->in_power[state]++;
        line->power = (uint8_t)state;
    }
}

/* Its data is gone; its tag is not.  There is room for what it writes back. */
static void empty_gated(struct cache *c, uint32_t at, loom_cycle now)
{
    struct cache_victim victim = cache_victim_of(c, at);

    if (victim.dirty != 0) {
        cache_write_back(c, &victim, now);
    }
    cache_empty_line(c, at);
}

bool cache_set_power(void *cache, uint32_t set, uint32_t way,
                     enum loom_line_power state, loom_cycle now)
{
    struct cache *c = cache;
    uint32_t at = cache_at(c, set, way);

    if (c->line[at].pending != 0 ||
        (state == LOOM_LINE_GATED && c->line[at].dirty != 0 &&
         !cache_room(c, 1, now))) {
        return false;
    }
    set_state(c, at, state, now);
    if (state == LOOM_LINE_GATED) {
        empty_gated(c, at, now);
    }
    return true;
}

void cache_sleep(void *cache, bool asleep, loom_cycle now)
{
    struct cache *c = cache;

    if (asleep != c->asleep) {
        cache_integrate_power(c, now);
        c->asleep = asleep;
    }
}

LOOM_NOINLINE void cache_ask_power(struct cache *c, enum loom_event_kind event,
                                   const struct cache_access *a)
{
    uint32_t at = cache_at(c, a->set, a->way);
    enum loom_line_power state =
        c->power->after(c->power_self, event, a->request, a->set, a->way);

    set_state(c, at, state, a->now);
    if (state == LOOM_LINE_GATED && c->line[at].pending == 0 &&
        event != LOOM_EVENT_EVICT) {
        empty_gated(c, at, a->now);
    }
}
