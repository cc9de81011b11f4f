/*
 * What every policy owes a cache that asks it about admission, allocation and
 * candidates, asked of each registered one.
 *
 * The same random life, with each question asked once and three times: the
 * verdicts are legal, sizes are 32, 64 or 128 bytes, and an access that is
 * refused and asked about again leaves no other statistics.  Then real caches
 * under a flood: every request is answered and all laws hold, also where
 * nothing may be replaced.
 */
#include "engine/registry.h"
#include "engine/rng.h"

#include "tests/unit/bypass_ask.h"
#include "tests/unit/cache_rig_run.h"
#include "tests/unit/give.h"

enum {
    SETS = 4,
    WAYS = 2,
    STEPS = 6000,
    FLOOD = 3000
};

/* Parameters with which a policy does more than by default. */
struct variant {
    const char *policy, *param;
    union loom_value value;
};

static const uint64_t some_insts[] = {0, 2, 5};
static const struct variant variants[] = {
    {"load_bypass", "insts", {.list = {some_insts, 3}}},
    {"no_l1", "fetch_bytes", {.u = 128}},
    {"no_l1", "merge", {.b = true}},
    {"pdp", "distance", {.u = 1u << 20}},
    {"pdp", "none", {.s = "any"}},
    {"pdp", "scope", {.s = "cache"}},
    {"abyp", "threshold", {.u = 1}},
    {"abyp", "when", {.s = "miss"}},
    {"pemp", "window_cycles", {.u = 64}},
    {"carb", "window_cycles", {.u = 64}},
    {"carb", "high_share", {.f = 1}},
    {"miss_rate_bypass", "hold_cycles", {.u = 50}},
    {"miss_rate_bypass", "threshold", {.f = 0.1}},
    {"pemp", "threshold", {.f = 0.1}},
    {"miss_rate_bypass", "restart", {.s = "launch"}},
    {"cache_decay", "interval", {.u = 64}},
    {"cache_decay", "reuse_gated", {.b = false}},
    {"drowsy", "scope", {.s = "line"}},
    {"loscache_l2", "once", {.s = "tag"}},
    {"loscache_l2", "after_early", {.s = "go_on"}},
    {"loscache_l2", "start_gated", {.b = false}},
    {"mrpb", "bypass_on_mshr", {.b = true}},
    {"mrpb", "bypass_on_merge", {.b = true}},
    {"mrpb", "bypass_on_miss_queue", {.b = true}},
};

static bool asked(const struct loom_policy_type *type)
{
    return loom_policy_type_ops(type, &loom_admit_hook) != NULL ||
           loom_policy_type_ops(type, &loom_allocation_hook) != NULL ||
           loom_policy_type_ops(type, &loom_candidates_hook) != NULL ||
           loom_policy_type_ops(type, &loom_power_hook) != NULL;
}

/* ---- a life ---- */

struct outcome {
    uint64_t verdicts, stats; /* digests */
    uint32_t without;         /* loads that were told to do without a line */
};

struct life {
    struct bypass_host host;
    struct loom_rng rng;
    uint32_t times;   /* each question is asked */
    uint16_t fetch;   /* what is fetched without a line, if set */
    uint32_t without; /* loads that were told to do without a line */
    uint64_t digest;
    bool valid[SETS][WAYS];
};

static void note(struct life *l, uint64_t verdict)
{
    l->digest = l->digest * 31 + verdict;
}

static void expect_size(const struct loom_bypass *how)
{
    EXPECT(how->size_bytes == 32 || how->size_bytes == 64 ||
           how->size_bytes == 128);
}

/* The verdict: this request does without a line. */
static void goes_without(struct life *l, const struct loom_mem_request *r,
                         const struct loom_bypass *how)
{
    note(l, how->size_bytes);
    if (r->kind == LOOM_MEM_LOAD) {
        l->without++;
        EXPECT(l->fetch == 0 || how->size_bytes == l->fetch);
    }
}

static bool admitted(struct life *l, const struct loom_mem_request *r)
{
    const struct loom_admit_ops *ops = bypass_ops(&l->host, &loom_admit_hook);

    for (uint32_t i = 0; ops != NULL && i < l->times; i++) {
        struct loom_bypass how = {r->size_bytes, false};
        enum loom_admit verdict = ops->admit(l->host.policy, r, &how);

        EXPECT((uint32_t)verdict <= LOOM_ADMIT_BYPASS);
        expect_size(&how);
        if (verdict == LOOM_ADMIT_BYPASS) {
            goes_without(l, r, &how);
            return false;
        }
    }
    return true;
}

/* True if it goes around. */
static bool refused(struct life *l, const struct loom_mem_request *r)
{
    const struct loom_allocation_ops *ops =
        bypass_ops(&l->host, &loom_allocation_hook);
    struct loom_bypass how = {r->size_bytes, false};
    enum loom_fail_reason reason =
        (enum loom_fail_reason)loom_rng_below(&l->rng, LOOM_FAIL_REASONS);
    enum loom_on_fail verdict = LOOM_FAIL_DEFAULT;

    if (loom_rng_below(&l->rng, 3) != 0) {
        return false;
    }
    for (uint32_t i = 0; ops != NULL && ops->fail != NULL && i < l->times &&
                         verdict != LOOM_FAIL_BYPASS;
         i++) {
        verdict = ops->fail(l->host.policy, r, reason, &how);
        EXPECT((uint32_t)verdict <= LOOM_FAIL_BYPASS);
        expect_size(&how);
    }
    note(l, verdict);
    if (verdict == LOOM_FAIL_BYPASS) {
        goes_without(l, r, &how);
    }
    return verdict == LOOM_FAIL_BYPASS;
}

static bool allocates(struct life *l, const struct loom_mem_request *r,
                      uint32_t set)
{
    const struct loom_allocation_ops *ops =
        bypass_ops(&l->host, &loom_allocation_hook);
    enum loom_allocate verdict = LOOM_ALLOCATE_DEFAULT;
    struct loom_bypass how = {LOOM_SECTOR_BYTES, true};

    for (uint32_t i = 0; ops != NULL && ops->allocate != NULL && i < l->times;
         i++) {
        if (i != 0) {
            bypass_event(&l->host, LOOM_EVENT_RESERVATION_FAIL, r, set,
                         UINT32_MAX);
        }
        how = (struct loom_bypass){LOOM_SECTOR_BYTES, true};
        verdict = ops->allocate(l->host.policy, r, set, &how);
        EXPECT((uint32_t)verdict <= LOOM_NO_ALLOCATE);
        expect_size(&how);
    }
    note(l, verdict);
    if (verdict == LOOM_NO_ALLOCATE) {
        goes_without(l, r, &how);
    }
    return verdict != LOOM_NO_ALLOCATE;
}

static struct loom_ways spanned(struct life *l,
                                const struct loom_mem_request *r, uint32_t set,
                                uint16_t *way)
{
    const struct loom_candidates_ops *ops =
        bypass_ops(&l->host, &loom_candidates_hook);
    struct loom_ways ways = {way, WAYS};

    for (uint32_t i = 0; i < l->times; i++) {
        ways = (struct loom_ways){way, WAYS};
        for (uint32_t k = 0; k < WAYS; k++) {
            way[k] = (uint16_t)k;
        }
        if (ops != NULL) {
            ops->restrict_ways(l->host.policy, r, set, &ways);
        }
        EXPECT(ways.way == way && ways.count <= WAYS);
        for (uint32_t k = 0; k < ways.count; k++) {
            EXPECT(way[k] < WAYS && (k == 0 || way[k] > way[k - 1]));
        }
    }
    return ways;
}

/* A way, or WAYS: it goes around. */
static uint32_t chosen(struct life *l, const struct loom_mem_request *r,
                       uint32_t set)
{
    const struct loom_candidates_ops *ops =
        bypass_ops(&l->host, &loom_candidates_hook);
    uint16_t way[WAYS];
    struct loom_ways ways = spanned(l, r, set, way);
    struct loom_bypass how = {r->size_bytes, false};
    enum loom_no_candidate verdict = LOOM_EMPTY_ANY;

    if (ways.count != 0) {
        note(l, ways.count);
        return way[loom_rng_below(&l->rng, ways.count)];
    }
    for (uint32_t i = 0; ops->empty != NULL && i < l->times; i++) {
        verdict = ops->empty(l->host.policy, r, set, &how);
        EXPECT((uint32_t)verdict <= LOOM_EMPTY_ANY);
        expect_size(&how);
        if (verdict == LOOM_EMPTY_BYPASS) {
            goes_without(l, r, &how);
            return WAYS;
        }
    }
    return (uint32_t)loom_rng_below(&l->rng, WAYS);
}

static void miss(struct life *l, const struct loom_mem_request *r, uint32_t set)
{
    const struct bypass_host *h = &l->host;
    uint32_t way;

    if (!allocates(l, r, set)) {
        bypass_access(h, LOOM_EVENT_MISS, r, set, UINT32_MAX);
        return;
    }
    way = refused(l, r) ? WAYS : chosen(l, r, set);
    if (way == WAYS) {
        bypass_access(h, LOOM_EVENT_BYPASS, r, UINT32_MAX, UINT32_MAX);
        return;
    }
    bypass_access(h, LOOM_EVENT_MISS, r, set, UINT32_MAX);
    if (l->valid[set][way]) {
        bypass_event(h, LOOM_EVENT_EVICT, r, set, way);
    }
    l->valid[set][way] = true;
    bypass_event(h, LOOM_EVENT_ALLOCATE, r, set, way);
    bypass_event(h, LOOM_EVENT_FILL, r, set, way);
}

static void step(struct life *l, uint32_t number)
{
    const struct bypass_host *h = &l->host;
    struct loom_mem_request r = bypass_load(
        (uint32_t)loom_rng_below(&l->rng, 8), loom_rng_below(&l->rng, 64));
    uint32_t set = (uint32_t)loom_rng_below(&l->rng, SETS);
    uint32_t way = (uint32_t)loom_rng_below(&l->rng, WAYS);

    if (number % 64 == 0) {
        bypass_to(&l->host, number + 1);
    }
    r.born = number * UINT64_C(1000000);
    r.warp = (uint16_t)loom_rng_below(&l->rng, 48);
    r.kind = loom_rng_below(&l->rng, 5) == 0 ? LOOM_MEM_STORE : LOOM_MEM_LOAD;
    if (!admitted(l, &r)) {
        bypass_access(h, LOOM_EVENT_BYPASS, &r, UINT32_MAX, UINT32_MAX);
    } else if (l->valid[set][way] && loom_rng_below(&l->rng, 2) == 0) {
        bypass_access(h, LOOM_EVENT_HIT, &r, set, way);
    } else if (r.kind == LOOM_MEM_STORE) {
        bypass_access(h, LOOM_EVENT_MISS, &r, set, UINT32_MAX);
    } else {
        miss(l, &r, set);
    }
    r.flags |= LOOM_MEM_REPLY;
    bypass_event(h, LOOM_EVENT_REPLY, &r, UINT32_MAX, UINT32_MAX);
}

/* Eight loads. */
static void start_kernel(const struct bypass_host *h)
{
    static const struct loom_static_inst insts[8] = {
        {.op = LOOM_OP_LOAD}, {.op = LOOM_OP_LOAD}, {.op = LOOM_OP_LOAD},
        {.op = LOOM_OP_LOAD}, {.op = LOOM_OP_LOAD}, {.op = LOOM_OP_LOAD},
        {.op = LOOM_OP_LOAD}, {.op = LOOM_OP_LOAD},
    };
    static const struct loom_kernel kernel = {
        .name = "life", .inst = insts, .inst_count = 8};
    struct loom_event event = {.kind = LOOM_EVENT_KERNEL_START,
                               .kernel = &kernel};

    give_kernel(h->machine, &kernel);
    bypass_tell(h, &loom_sm_observe_hook, &event);
    event.kind = LOOM_EVENT_CTA_START;
    bypass_tell(h, &loom_sm_observe_hook, &event);
}

/* All statistics of a policy, one after the other. */
static uint64_t digest_stats(const struct bypass_host *h)
{
    const struct loom_policy_type *type = loom_policy_type_of(h->policy);
    const char *base = loom_policy_stats(h->policy);
    uint64_t digest = 0;

    loom_machine_settle(h->machine);
    for (size_t i = 0; i < type->stats.count; i++) {
        const struct loom_stat *s = &type->stats.item[i];
        const struct loom_array *array =
            (const struct loom_array *)(const void *)(base + s->offset);
        uint32_t count = s->kind == LOOM_STAT_VECTOR  ? s->count
                         : s->kind == LOOM_STAT_ARRAY ? array->count
                                                      : 1;
        const uint64_t *item = s->kind == LOOM_STAT_ARRAY
                                   ? array->item
                                   : (const uint64_t *)(const void *)array;

        for (uint32_t k = 0; k < count; k++) {
            digest = digest * 31 + item[k];
        }
    }
    return digest;
}

/* False: the policy is not for this host, or wants parameters.  What a load
 * without a line fetches is set where `fetch` is not 0. */
static bool live_and_fetch(const struct loom_policy_type *type,
                           const struct variant *variant, uint32_t times,
                           uint16_t fetch, struct outcome *out)
{
    struct life l = {.times = times, .fetch = fetch};

    l.host = bypass_open(type, SETS, WAYS);
    if (variant != NULL) {
        bypass_set(&l.host, variant->param, variant->value);
    }
    if (fetch != 0) {
        bypass_set(&l.host, "fetch_bytes", (union loom_value){.u = fetch});
    }
    bypass_start(&l.host);
    if (l.host.good) {
        loom_rng_init(&l.rng, 17, "life");
        start_kernel(&l.host);
        for (uint32_t i = 0; i < STEPS; i++) {
            step(&l, i);
        }
        *out = (struct outcome){l.digest, digest_stats(&l.host), l.without};
    }
    bypass_close(&l.host);
    return l.host.good;
}

static bool live(const struct loom_policy_type *type,
                 const struct variant *variant, uint32_t times,
                 struct outcome *out)
{
    return live_and_fetch(type, variant, times, 0, out);
}

static void repeated_questions_change_nothing(void)
{
    uint32_t lives = 0;

    for (size_t i = 0; i < loom_policy_type_count; i++) {
        const struct loom_policy_type *type = loom_policy_types[i];

        for (size_t k = 0; k <= LOOM_COUNTOF(variants) && asked(type); k++) {
            const struct variant *v = k != 0 ? &variants[k - 1] : NULL;
            struct outcome once = {0}, again = {0}, thrice = {0};

            if (v != NULL && strcmp(v->policy, type->name) != 0) {
                continue;
            }
            if (!live(type, v, 1, &once)) {
                printf("\n    not asked: %s ", type->name);
                continue;
            }
            lives++;
            EXPECT(live(type, v, 1, &again) && live(type, v, 3, &thrice));
            EXPECT(once.verdicts == again.verdicts &&
                   once.stats == again.stats);
            if (once.verdicts != thrice.verdicts ||
                once.stats != thrice.stats) {
                EXPECT_TEXT(type->name, "the same statistics");
            }
        }
    }
    EXPECT(lives >= 9 + LOOM_COUNTOF(variants));
}

/* ---- what is fetched ---- */

/* Is it for a cache whose loads others pay for?  The L2's come from DRAM. */
static bool of_an_l2(const struct loom_policy_type *type)
{
    return strcmp(type->name, "loscache_l2") == 0;
}

/* Times that loads of any variant do without a line, in one life of each. */
static uint32_t withouts(const struct loom_policy_type *type, uint16_t fetch)
{
    uint32_t count = 0;

    for (size_t k = 0; k <= LOOM_COUNTOF(variants); k++) {
        const struct variant *v = k != 0 ? &variants[k - 1] : NULL;
        struct outcome once = {0};

        if (v == NULL || (strcmp(v->policy, type->name) == 0 &&
                          strcmp(v->param, "fetch_bytes") != 0)) {
            live_and_fetch(type, v, 1, fetch, &once);
            count += once.without;
        }
    }
    return count;
}

/* Whoever keeps a load out of an L1 lets the user say what it fetches, and
 * nobody else has this parameter.  goes_without() expects the size. */
static void loads_without_a_line_fetch_what_the_user_says(void)
{
    uint32_t with = 0, told = 0;

    for (size_t i = 0; i < loom_policy_type_count; i++) {
        const struct loom_policy_type *type = loom_policy_types[i];
        bool has = loom_params_find(type->params, "fetch_bytes") != NULL;

        if (!asked(type) || of_an_l2(type)) {
            continue;
        }
        with += has;
        if (!has) {
            if (withouts(type, 0) != 0) {
                EXPECT_TEXT(type->name, "the parameter fetch_bytes");
            }
            continue;
        }
        for (uint16_t fetch = 32; fetch <= 128; fetch = (uint16_t)(2 * fetch)) {
            uint32_t count = withouts(type, fetch);

            told += count != 0;
            if (count == 0 && fetch == 32) {
                printf("\n    all loads get lines: %s ", type->name);
            }
        }
    }
    EXPECT_EQ(with, 12);
    EXPECT(told >= 3 * 10);
}

/* ---- floods ---- */

static void attach_all(struct rig *rig, const struct loom_policy_type *type,
                       const struct variant *variant)
{
    static const char *const slots[] = {"power", "admit", "allocation",
                                        "candidates", "observe"};
    const struct loom_hook *const hooks[] = {
        &loom_power_hook, &loom_admit_hook, &loom_allocation_hook,
        &loom_candidates_hook, &loom_cache_observe_hook};
    struct loom_policy *policy = loom_machine_add_policy(
        rig->machine, type, "sm[0].l1d.policy.tested", &rig->err);

    REQUIRE(policy != NULL);
    for (uint32_t i = 0; i < LOOM_COUNTOF(slots); i++) {
        if (loom_policy_type_ops(type, hooks[i]) != NULL) {
            REQUIRE(
                loom_machine_attach(rig->cache, slots[i], policy, &rig->err));
        }
    }
    if (variant != NULL) {
        REQUIRE(loom_machine_set_policy(policy, variant->param, variant->value,
                                        &rig->err));
    }
}

static void draw(struct rig *rig, uint64_t seed)
{
    struct loom_rng rng;

    loom_rng_init(&rng, seed, "flood");
    for (uint32_t i = 0; i < FLOOD; i++) {
        struct loom_mem_request *r = rig_access(
            rig, 0,
            loom_rng_below(&rng, 4) == 0 ? LOOM_MEM_STORE : LOOM_MEM_LOAD,
            loom_rng_below(&rng, 24));

        if (loom_rng_below(&rng, 2) == 0) {
            rig_sector(r, (uint32_t)loom_rng_below(&rng, 4));
        }
        r->inst = (uint32_t)loom_rng_below(&rng, 8);
        r->warp = (uint16_t)loom_rng_below(&rng, 48);
        r->policy_bits = (uint16_t)loom_rng_below(&rng, 4);
        r->born = UINT64_C(1000000) * (i / 4);
    }
    rig_access(rig, 0, LOOM_MEM_FLUSH, 0);
}

static void flood(const struct loom_policy_type *type,
                  const struct variant *variant, const char *write)
{
    struct rig *rig = rig_open_with(4);

    rig_alone(rig); /* the policy is attached to one cache */
    rig_attach(rig, "set_index", &linear_index_policy);
    rig_attach(rig, "replacement", &lru_policy);
    attach_all(rig, type, variant);
    rig_set(rig, "mshr_entries", 4);
    rig_set(rig, "mshr_merges", 2);
    rig_set(rig, "miss_queue", 2);
    rig_text(rig, "write_policy", write);
    draw(rig, 5);
    rig_start(rig);
    rig_run(rig); /* expects that it ends, and all laws */
    EXPECT_EQ(rig->source->next, rig->source->count);
    EXPECT_EQ(rig->source->answered, rig->source->count);
    EXPECT_EQ(rig_stat(rig, "accesses"), FLOOD);
    EXPECT_EQ(rig->watch->count[LOOM_EVENT_ACCESS], FLOOD);
    EXPECT_EQ(rig->watch->count[LOOM_EVENT_BYPASS], rig_stat(rig, "bypasses"));
    rig_close(rig);
}

static void floods_end_and_keep_the_laws(void)
{
    for (size_t i = 0; i < loom_policy_type_count; i++) {
        const struct loom_policy_type *type = loom_policy_types[i];
        struct outcome once;

        for (size_t k = 0; k <= LOOM_COUNTOF(variants) && asked(type); k++) {
            const struct variant *v = k != 0 ? &variants[k - 1] : NULL;

            if ((v != NULL && strcmp(v->policy, type->name) != 0) ||
                !live(type, v, 1, &once)) {
                continue;
            }
            flood(type, v, "write_evict");
            flood(type, v, "write_back");
        }
    }
}

static const struct loom_test tests[] = {
    {"repeated_questions_change_nothing", repeated_questions_change_nothing},
    {"loads_without_a_line_fetch_what_the_user_says",
     loads_without_a_line_fetch_what_the_user_says},
    {"floods_end_and_keep_the_laws", floods_end_and_keep_the_laws},
};

int main(void)
{
    return loom_run_tests("bypass_contract", tests, LOOM_COUNTOF(tests));
}
