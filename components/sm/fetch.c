/*
 * The fetch stage: slots, and a small instruction cache in front of port l1i.
 *
 * A warp whose buffer is empty wants a slot; each cycle `fetch_width` of them
 * get one, in turn.  A hit fills the buffer, and the first instruction can
 * issue fetch_cycles later.  A miss blocks the warp until its line is there,
 * when it needs a slot again, before those that have not accessed yet and in
 * the order in which they accessed (GPGPU-Sim 4, shader_core_ctx::fetch).
 *
 * The cache of this stage has tags only.  Lines are allocated when they
 * arrive, the least recently used one leaves.  An access that finds no MSHR,
 * or one that holds l0i_merges already, has used up its slot and its turn.
 * Without the cache every access goes to port l1i, whose component then is the
 * first level; if nothing is connected there every access hits.
 *
 * With l0i_fill_cycles the cache has a rate behind it and no port: each line
 * takes so long, one after the other, and the first use of one asks for the
 * next.  A CTA finds the first lines of its kernel.
 *
 * Invariant: a warp in SM_FETCH_WANT has its bit in `want`, one in
 * SM_FETCH_MISS is in the list of one miss, one in SM_FETCH_FILLED in
 * `filled`, and in no other step it has a bit or is in a list.
 */
#include "components/mem_protocol.h"
#include "components/sm/sm_private.h"

enum {
    FIRST_LINES = 8 /* H100 SXM, measured: 1 KiB costs nothing */
};

static void set_bit(uint64_t *mask, uint32_t i)
{
    mask[i / 64] |= loom_bit(i % 64);
}

static void clear_bit(uint64_t *mask, uint32_t i)
{
    mask[i / 64] &= ~loom_bit(i % 64);
}

/* First set bit of `words` words at or after `from`, or UINT32_MAX. */
static uint32_t first_bit(const uint64_t *mask, uint32_t words, uint32_t from)
{
    for (uint32_t word = from / 64; word < words; word++) {
        uint64_t bits = mask[word];

        if (word == from / 64) {
            bits = bits >> from % 64 << from % 64;
        }
        if (bits != 0) {
            return word * 64 + loom_lowest(bits);
        }
    }
    return UINT32_MAX;
}

/* The set bit that comes after `last` in turn, or UINT32_MAX. */
static uint32_t next_bit(const uint64_t *mask, uint32_t words, uint32_t last)
{
    uint32_t found = first_bit(mask, words, last + 1);

    return found != UINT32_MAX ? found : first_bit(mask, words, 0);
}

static void append(struct sm *sm, struct sm_fetch_list *list,
                   struct sm_warp *warp)
{
    if (list->count == 0) {
        list->first = warp->slot;
    } else {
        sm->warp[list->last].behind = warp->slot;
    }
    list->last = warp->slot;
    list->count++;
}

static struct sm_warp *take(struct sm *sm, struct sm_fetch_list *list)
{
    struct sm_warp *warp = &sm->warp[list->first];

    list->first = warp->behind;
    list->count--;
    return warp;
}

bool sm_fetch_init(struct sm *sm, struct loom_error *err)
{
    const struct sm_config *config = sm->config;
    struct sm_fetch *fetch = &sm->fetch;
    uint32_t lines = config->l0i_sets * config->l0i_ways;

    fetch->in = loom_port_in(sm->self, "l1i", 0);
    fetch->out = loom_port_out(sm->self, "l1i", 0);
    if (fetch->in != NULL) {
        loom_watch(fetch->in, &sm->incoming, SM_FROM_L1I);
    }
    fetch->streams = lines != 0 && config->l0i_fill_cycles != 0;
    fetch->stage = fetch->streams || config->fetch_width != 0 ||
                   config->fetch_fall_through || fetch->out != NULL;
    fetch->words = (config->warps + 63) / 64;
    fetch->line_shift = loom_log2(config->l0i_line_bytes);
    if (fetch->streams && fetch->out != NULL) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'l0i_fill_cycles' is %u and port 'l1i' is "
                         "connected, expected one of them",
                         config->l0i_fill_cycles);
    }
    if (fetch->out == NULL && lines == 0) {
        return true;
    }
    if (fetch->out == NULL && !fetch->streams) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'l0i_sets' is %u and port 'l1i' is not "
                         "connected, expected a level that the misses go to "
                         "or 'l0i_fill_cycles'",
                         config->l0i_sets);
    }
    fetch->ready = loom_alloc(sm->self, lines, sizeof(*fetch->ready));
    fetch->ahead = loom_alloc(sm->self, lines, sizeof(*fetch->ahead));
    fetch->misses = lines != 0 ? config->l0i_mshrs : config->warps;
    fetch->line = loom_alloc(sm->self, lines, sizeof(*fetch->line));
    fetch->used = loom_alloc(sm->self, lines, sizeof(*fetch->used));
    fetch->miss = loom_alloc(sm->self, fetch->misses, sizeof(*fetch->miss));
    return loom_has_memory(sm->self, err);
}

static void want(struct sm *sm, struct sm_warp *warp)
{
    warp->fetch_at = LOOM_NEVER;
    warp->step = SM_FETCH_WANT;
    set_bit(sm->fetch.want, warp->slot);
}

void sm_fetch_want(struct sm *sm, struct sm_warp *warp, loom_cycle from)
{
    if (from <= sm->now) {
        want(sm, warp);
        return;
    }
    warp->fetch_at = from;
    warp->step = SM_FETCH_DELAY;
    sm_wake_at(sm, warp, from);
}

void sm_fetch_woken(struct sm *sm, struct sm_warp *warp)
{
    if (warp->fetch_at > sm->now) {
        if (warp->fetch_at != LOOM_NEVER) {
            sm_wake_until(sm, warp, warp->fetch_at);
        }
        return;
    }
    if (sm->fetch.streams) {
        sm->scheduler[warp->scheduler].missing &= ~warp->bit;
    }
    if (warp->step == SM_FETCH_DELAY) {
        want(sm, warp);
    } else if (warp->wrong) {
        warp->wrong = false;
        warp->fetch_pc = warp->inst->pc;
        want(sm, warp);
    }
}

/* The way that holds a line, or UINT32_MAX. */
static uint32_t look_up(const struct sm *sm, uint64_t line)
{
    uint32_t ways = sm->config->l0i_ways;
    uint32_t first = (uint32_t)(line & (sm->config->l0i_sets - 1)) * ways;

    for (uint32_t i = first; i < first + ways; i++) {
        if (sm->fetch.line[i] == line + 1) {
            return i;
        }
    }
    return UINT32_MAX;
}

static uint32_t fill(struct sm *sm, uint64_t line)
{
    struct sm_fetch *fetch = &sm->fetch;
    uint32_t ways = sm->config->l0i_ways;
    uint32_t first = (uint32_t)(line & (sm->config->l0i_sets - 1)) * ways;
    uint32_t victim = first;

    for (uint32_t i = first; i < first + ways; i++) {
        if (fetch->line[i] == 0) {
            victim = i;
            break;
        }
        victim = fetch->used[i] < fetch->used[victim] ? i : victim;
    }
    fetch->line[victim] = line + 1;
    fetch->used[victim] = sm->now;
    return victim;
}

/* A line that is not there, after those on their way. */
static uint32_t bring(struct sm *sm, uint64_t line)
{
    struct sm_fetch *fetch = &sm->fetch;
    uint32_t way = fill(sm, line);

    fetch->free = (fetch->free > sm->now ? fetch->free : sm->now) +
                  sm->config->l0i_fill_cycles;
    fetch->ready[way] = fetch->free;
    fetch->ahead[way] = true;
    return way;
}

void sm_fetch_begin(struct sm *sm, loom_addr code)
{
    struct sm_fetch *fetch = &sm->fetch;
    uint64_t first = code >> fetch->line_shift;

    for (uint32_t i = 0; fetch->streams && i < FIRST_LINES; i++) {
        if (look_up(sm, first + i) == UINT32_MAX) {
            uint32_t way = fill(sm, first + i);

            fetch->ready[way] = sm->now;
            fetch->ahead[way] = true;
        }
    }
}

/* Asks port l1i for [address, address + bytes) of one line. */
static void send(struct sm *sm, const struct sm_warp *warp, loom_addr address,
                 uint32_t bytes, uint32_t token)
{
    struct loom_mem_request *r = loom_send(sm->fetch.out, sm->now, 0);
    uint32_t from = (uint32_t)(address % LOOM_BLOCK_BYTES);

    *r = (struct loom_mem_request){
        .block = address - from,
        .born = loom_cycle_time(sm->self, sm->now),
        .src = loom_component_id(sm->self),
        .token = token,
        .origin = token,
        .cta = warp->cta->stream->cta,
        .kernel = warp->cta->kernel->number,
        .inst = warp->next.index,
        .sm = (uint16_t)loom_component_index(sm->self),
        .warp = warp->slot,
        .accesses = 1,
        .scheduler = warp->scheduler,
        .kind = LOOM_MEM_LOAD,
        .space = LOOM_SPACE_INST,
    };
    for (uint32_t i = from; i < from + bytes; i++) {
        r->bytes[i / 64] |= loom_bit(i % 64);
        r->sectors |= (uint8_t)(1u << i / LOOM_SECTOR_BYTES);
    }
    r->size_bytes = (uint16_t)(loom_popcount(r->sectors) * LOOM_SECTOR_BYTES);
}

static void wait_for(struct sm *sm, struct sm_warp *warp, uint32_t entry)
{
    warp->step = SM_FETCH_MISS;
    append(sm, &sm->fetch.miss[entry].waiting, warp);
    sm->scheduler[warp->scheduler].missing |= warp->bit;
}

/* A miss of the cache in this stage: joins one on its way, or asks. */
static bool miss(struct sm *sm, struct sm_warp *warp, uint64_t line)
{
    struct sm_fetch *fetch = &sm->fetch;
    uint32_t merges = sm->config->l0i_merges;
    uint32_t entry = UINT32_MAX;

    for (uint32_t i = 0; i < fetch->misses; i++) {
        if (fetch->miss[i].line == line + 1) {
            if (merges != 0 && fetch->miss[i].waiting.count == merges) {
                return false;
            }
            sm->stats->fetch_merges++;
            wait_for(sm, warp, i);
            return true;
        }
        entry = fetch->miss[i].line == 0 && entry == UINT32_MAX ? i : entry;
    }
    if (entry == UINT32_MAX || !loom_ready(fetch->out, sm->now)) {
        return false;
    }
    fetch->miss[entry].line = line + 1;
    send(sm, warp, line << fetch->line_shift, sm->config->l0i_line_bytes,
         entry);
    sm->stats->fetch_misses++;
    wait_for(sm, warp, entry);
    return true;
}

/* Every access of a machine without a cache in this stage. */
static bool ask(struct sm *sm, struct sm_warp *warp, loom_addr address)
{
    uint32_t line = sm->config->l0i_line_bytes;
    uint32_t bytes = sm->config->fetch_bytes;
    uint32_t left = line - (uint32_t)(address & (line - 1));

    if (!loom_ready(sm->fetch.out, sm->now)) {
        return false;
    }
    send(sm, warp, address, bytes < left ? bytes : left, warp->slot);
    sm->stats->fetch_misses++;
    wait_for(sm, warp, warp->slot);
    return true;
}

static void arrived(struct sm *sm, struct sm_warp *warp)
{
    warp->step = SM_FETCH_NONE;
    warp->fetch_at = sm->now + sm->config->fetch_cycles;
    sm_wake_at(sm, warp, warp->fetch_at);
}

/* The warp goes on when the line is there; its first use asks for the next. */
static void take_line(struct sm *sm, struct sm_warp *warp, uint64_t line)
{
    struct sm_fetch *fetch = &sm->fetch;
    uint32_t way = look_up(sm, line);

    if (way == UINT32_MAX) {
        way = bring(sm, line);
        sm->stats->fetch_misses++;
    } else {
        sm->stats->fetch_hits++;
    }
    fetch->used[way] = sm->now;
    if (fetch->ahead[way]) {
        fetch->ahead[way] = false;
        if (look_up(sm, line + 1) == UINT32_MAX) {
            bring(sm, line + 1);
        }
    }
    arrived(sm, warp);
    if (fetch->ready[way] > sm->now) {
        warp->fetch_at += fetch->ready[way] - sm->now;
        sm->scheduler[warp->scheduler].missing |= warp->bit;
    }
}

/* Returns whether the slot was used. */
static bool access(struct sm *sm, struct sm_warp *warp)
{
    loom_addr address = warp->cta->code + warp->fetch_pc;
    uint64_t line = address >> sm->fetch.line_shift;
    bool hit = sm->fetch.out == NULL;
    bool done;

    if (sm->fetch.streams) {
        sm->stats->fetches++;
        clear_bit(sm->fetch.want, warp->slot);
        take_line(sm, warp, line);
        return true;
    }
    if (sm->config->l0i_sets != 0) {
        uint32_t way = look_up(sm, line);

        hit = way != UINT32_MAX;
        if (hit) {
            sm->fetch.used[way] = sm->now;
        }
        done = hit || miss(sm, warp, line);
    } else {
        done = hit || ask(sm, warp, address);
    }
    if (!done) {
        return false;
    }
    sm->stats->fetches++;
    clear_bit(sm->fetch.want, warp->slot);
    if (hit) {
        sm->stats->fetch_hits++;
        arrived(sm, warp);
    }
    return true;
}

/* Gives one slot to a warp; false if none can use it. */
static bool use_slot(struct sm *sm)
{
    struct sm_fetch *fetch = &sm->fetch;
    uint64_t left[SM_WARP_WORDS];
    uint32_t slot;

    if (fetch->filled.count != 0) {
        arrived(sm, take(sm, &fetch->filled));
        return true;
    }
    for (uint32_t i = 0; i < fetch->words; i++) {
        left[i] = fetch->want[i];
    }
    while ((slot = next_bit(left, fetch->words, fetch->last)) != UINT32_MAX) {
        if (access(sm, &sm->warp[slot])) {
            fetch->last = slot;
            return true;
        }
        if (sm->config->l0i_sets != 0) {
            sm->stats->fetch_refusals++;
            fetch->last = slot;
            return true;
        }
        clear_bit(left, slot);
        fetch->blocked = true;
    }
    return false;
}

static inline bool wanted(const struct sm_fetch *fetch)
{
    uint64_t any = fetch->filled.count | fetch->want[0];

    for (uint32_t i = 1; i < fetch->words; i++) {
        any |= fetch->want[i];
    }
    return any != 0;
}

static LOOM_NOINLINE void use_slots(struct sm *sm)
{
    uint64_t left = sm->config->fetch_width;

    if (left == 0) { /* one for each: who is refused has had its turn */
        left = sm->fetch.filled.count;
        for (uint32_t i = 0; i < sm->fetch.words; i++) {
            left += loom_popcount(sm->fetch.want[i]);
        }
    }
    while (left != 0 && use_slot(sm)) {
        left--;
    }
}

void sm_fetch(struct sm *sm)
{
    sm->fetch.blocked = false;
    if (wanted(&sm->fetch)) {
        use_slots(sm);
    }
}

bool sm_fetch_again(const struct sm *sm)
{
    uint64_t waiting = sm->fetch.filled.count;

    for (uint32_t i = 0; i < sm->fetch.words; i++) {
        waiting |= sm->fetch.blocked ? 0 : sm->fetch.want[i];
    }
    return waiting != 0;
}

/* All that wait for the line want a slot. */
static void wake_waiting(struct sm *sm, struct sm_fetch_list *waiting)
{
    while (waiting->count != 0) {
        struct sm_warp *warp = take(sm, waiting);

        warp->step = SM_FETCH_FILLED;
        append(sm, &sm->fetch.filled, warp);
        sm->scheduler[warp->scheduler].missing &= ~warp->bit;
    }
}

void sm_fetch_replies(struct sm *sm)
{
    struct sm_fetch *fetch = &sm->fetch;
    const struct loom_mem_request *reply;

    while ((reply = loom_peek(fetch->in, sm->now)) != NULL) {
        struct sm_fetch_miss *miss = fetch->miss + reply->token;

        if ((reply->flags & LOOM_MEM_MORE) != 0) { /* a sector of several */
            loom_pop(fetch->in, sm->now);
            continue;
        }
        LOOM_CHECK(reply->token < fetch->misses && miss->waiting.count != 0);
        if (sm->config->l0i_sets != 0) {
            fill(sm, miss->line - 1);
            miss->line = 0;
        }
        wake_waiting(sm, &miss->waiting);
        sm->changed = true;
        loom_pop(fetch->in, sm->now);
    }
}
