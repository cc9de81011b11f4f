/*
 * What one warp's loads teach: LAT, MTA and CAIT.
 *
 * A load is streaming, intra-warp, inter-warp or both, by how often a line
 * that it brought was accessed by all and by the monitored warp (table 2).
 * The CAIT is written when an MTA entry is evicted, when its count exceeds
 * the threshold, and when the monitored warp has finished; a larger count
 * overwrites a smaller one.
 */
#include "policies/apcm/apcm_private.h"

/* ---- LAT ---- */

static struct apcm_memo *memo_of(struct apcm *a, uint32_t inst)
{
    return &a->memo[inst % APCM_MEMO];
}

uint32_t apcm_find(struct apcm *a, uint32_t inst)
{
    struct apcm_memo *memo = memo_of(a, inst);

    if (memo->id != APCM_NO_ID && memo->inst == inst) {
        return memo->id;
    }
    for (uint32_t i = 0; i < a->ids; i++) {
        if (a->lat[i].inst == inst && a->lat[i].kernel == a->kernel_name) {
            *memo = (struct apcm_memo){inst, i};
            return i;
        }
    }
    return APCM_NO_ID;
}

void apcm_meet(struct loom_policy *self, uint32_t inst)
{
    const struct apcm_config *config = loom_policy_config(self);
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);

    if (apcm_find(a, inst) != APCM_NO_ID) {
        return;
    }
    if (a->ids == config->loads) {
        stats->untracked_loads++;
        return;
    }
    a->lat[a->ids++] = (struct apcm_lat){
        .kernel = a->kernel_name,
        .inst = inst,
        .row = loom_load_table_find(&a->table, a->kernel->number, inst),
    };
    stats->tracked_loads++;
}

void apcm_forget(struct apcm *a)
{
    for (uint32_t i = 0; i < a->ids; i++) {
        a->cait[i].valid = false;
    }
    for (uint32_t i = 0; i < APCM_MEMO; i++) {
        a->memo[i].id = APCM_NO_ID;
    }
    a->ids = 0;
}

/* ---- CAIT ---- */

static enum apcm_type type_of(const struct apcm_mta *e)
{
    return e->total <= 1          ? APCM_STREAMING
           : e->intra >= e->total ? APCM_INTRA
           : e->intra <= 1        ? APCM_INTER
                                  : APCM_MIXED;
}

static enum apcm_method method_of(enum apcm_type type)
{
    return type == APCM_STREAMING ? APCM_BYPASS
           : type == APCM_INTRA   ? APCM_PROTECT
                                  : APCM_NORMAL;
}

static bool learn(struct loom_policy *self, const struct apcm_mta *e)
{
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);
    struct apcm_cait *c = &a->cait[e->first];

    if (c->valid && e->total <= c->count) {
        return false;
    }
    *c = (struct apcm_cait){
        .count = e->total,
        .last = e->last,
        .method = method_of(type_of(e)),
        .valid = true,
    };
    stats->updates++;
    stats->updates_by_method[c->method]++;
    return true;
}

/* The entry leaves the MTA. */
static void retire(struct loom_policy *self, struct apcm_mta *e, bool conflict)
{
    const struct apcm_config *config = loom_policy_config(self);
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);
    enum apcm_type type = e->full ? e->type : type_of(e);

    stats->mta_evictions += conflict;
    stats->lines[type]++;
    apcm_count_row(&stats->load_type[type], a->lat[e->first].row);
    if (!conflict || type != APCM_STREAMING || config->early_streaming) {
        (void)learn(self, e);
    }
    e->valid = false;
}

void apcm_conclude(struct loom_policy *self)
{
    const struct apcm_config *config = loom_policy_config(self);
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);

    for (uint32_t i = 0; i < config->mta_entries; i++) {
        if (a->mta[i].valid) {
            retire(self, &a->mta[i], false);
        }
    }
    a->warp = APCM_NO_WARP;
    stats->monitoring = 0;
}

/* ---- MTA ---- */

/* The set of a block, and the tag that it has there: as many bits of its
 * address as the tags have. */
static struct apcm_mta *set_of(const struct loom_policy *policy,
                               const struct apcm *a, loom_addr block,
                               uint64_t *tag)
{
    const struct apcm_config *config = loom_policy_config(policy);
    uint64_t number = block / LOOM_BLOCK_BYTES;
    uint32_t kept = config->mta_address_bits - loom_log2(LOOM_BLOCK_BYTES);

    *tag = kept >= 64 ? number : number & (loom_bit(kept) - 1);
    return &a->mta[number % a->mta_sets * config->mta_ways];
}

static struct apcm_mta *find(struct apcm_mta *set, uint32_t ways, uint64_t tag)
{
    for (uint32_t i = 0; i < ways; i++) {
        if (set[i].valid && set[i].tag == tag) {
            return &set[i];
        }
    }
    return NULL;
}

static struct apcm_mta *oldest(struct apcm_mta *set, uint32_t ways)
{
    struct apcm_mta *victim = &set[0];

    for (uint32_t i = 0; i < ways; i++) {
        if (!set[i].valid) {
            return &set[i];
        }
        if (set[i].used < victim->used) {
            victim = &set[i];
        }
    }
    return victim;
}

static void hit(struct loom_policy *self, struct apcm_mta *e, bool own,
                uint32_t id)
{
    const struct apcm_config *config = loom_policy_config(self);
    const struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);
    bool exceeds = e->total >= config->threshold;

    if (e->total == a->count_max && !e->full) {
        e->full = true; /* from here on the counts tell nothing */
        e->type = type_of(e);
    }
    e->total += e->total < a->count_max;
    if (own) {
        e->intra += e->intra < a->count_max;
        e->last = id;
        stats->mta_intra_hits++;
    } else {
        stats->mta_other_hits++;
    }
    if (exceeds) {
        stats->threshold_updates += learn(self, e);
    }
}

void apcm_monitor(struct loom_policy *self,
                  const struct loom_mem_request *request, uint32_t id,
                  uint32_t count)
{
    const struct apcm_config *config = loom_policy_config(self);
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);
    bool own = request->warp == a->warp;
    bool tracked = request->access < config->tracked_accesses;
    struct apcm_mta *set, *e;
    uint64_t tag;

    if (own && !tracked) {
        stats->dropped_accesses++;
        if (!config->count_dropped) {
            return;
        }
    }
    set = set_of(self, a, request->block, &tag);
    e = find(set, config->mta_ways, tag);
    if (e != NULL) {
        e->used = ++a->mta_clock;
        hit(self, e, own, id);
        return;
    }
    if (!own || !tracked) {
        return;
    }
    e = oldest(set, config->mta_ways);
    if (e->valid) {
        retire(self, e, true);
    }
    *e = (struct apcm_mta){
        .tag = tag,
        .used = ++a->mta_clock,
        .total = count,
        .intra = 1,
        .first = id,
        .last = id,
        .valid = true,
    };
    stats->mta_allocations++;
}
