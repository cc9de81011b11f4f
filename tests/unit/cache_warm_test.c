/*
 * Accesses without time.  A cache that is warmed must come to what it comes to
 * in time when one access follows the other: the same replies, the same
 * requests below in the same order, the same events and the same counts.  While
 * others are on their way in time, each is answered, and no law is broken.
 *
 * links: component_cache policy_lru policy_fifo policy_linear_index
 * links: policy_dip policy_drrip policy_plru policy_nru policy_pdp
 */
#include "policies/mark_hook.h"
#include "tests/unit/cache_draw.h"

/* The seed says which shape and traffic; in time it is served one at a time. */
static struct rig *draw(uint64_t seed,
                        void (*shape)(struct rig *, struct loom_rng *))
{
    struct loom_rng rng;
    struct rig *rig;

    loom_rng_init(&rng, seed, "warm");
    rig = draw_rig(&rng, 600, true);
    rig_alone(rig);
    shape(rig, &rng);
    draw_kinds(rig, &rng);
    for (uint32_t i = 0; i < rig->source->count; i++) {
        struct loom_mem_request *r = &rig->source->script[i];

        /* Without a reply nobody would know when the next one may come. */
        r->kind = r->kind == LOOM_MEM_WRITEBACK ? LOOM_MEM_STORE : r->kind;
    }
    rig->source->serial = true;
    return rig;
}

static void warm_up(struct rig *rig)
{
    uint32_t complaints = 0;

    rig_attach(rig, "observe", &rig_watch_policy);
    REQUIRE(loom_machine_freeze(rig->machine, rig_complain, &complaints));
    REQUIRE(loom_machine_quiet(rig->machine));
    REQUIRE(loom_machine_command(loom_machine_find(rig->machine, "source"),
                                 "warm", &rig->err));
    EXPECT(loom_machine_quiet(rig->machine));
    loom_machine_settle(rig->machine);
    loom_machine_check(rig->machine, rig_complain, &complaints);
    EXPECT_EQ(complaints, 0);
}

/* What the program says of it, and what the reply does. */
static bool alike(const struct loom_mem_request *a,
                  const struct loom_mem_request *b)
{
    return a->block == b->block && a->kind == b->kind && a->token == b->token &&
           a->sectors == b->sectors && a->size_bytes == b->size_bytes &&
           a->flags == b->flags && a->bypassed == b->bypassed &&
           a->reply_bits == b->reply_bits && a->src == b->src;
}

static const char *const counted[] = {
    "hits",     "misses",         "bypasses",        "evictions",
    "fetches",  "fetched_bytes",  "write_evictions", "writebacks",
    "fills",    "written_bytes",  "sector_misses",   "unallocated_misses",
    "flushes",  "flushed_lines",  "queries",         "replies",
    "accesses", "split_requests", "split_accesses",  "partial_fetches",
};

static void compare(struct rig *timed, struct rig *warm)
{
    EXPECT_EQ(warm->source->replies, timed->source->replies);
    for (uint32_t i = 0; i < warm->source->replies; i++) {
        EXPECT(alike(&warm->source->reply[i].message,
                     &timed->source->reply[i].message));
    }
    EXPECT_EQ(warm->memory->count, timed->memory->count);
    for (uint32_t i = 0; i < warm->memory->count; i++) {
        const struct loom_mem_request *a = &warm->memory->seen[i];
        const struct loom_mem_request *b = &timed->memory->seen[i];

        EXPECT(a->block == b->block && a->kind == b->kind &&
               a->sectors == b->sectors);
    }
    for (size_t i = 0; i < LOOM_COUNTOF(counted); i++) {
        if (rig_stat(warm, counted[i]) != rig_stat(timed, counted[i])) {
            printf("\n    %s", counted[i]);
        }
        EXPECT_EQ(rig_stat(warm, counted[i]), rig_stat(timed, counted[i]));
    }
    EXPECT_TEXT(warm->watch->log, timed->watch->log);
}

static void same(uint32_t shapes, uint64_t seed,
                 void (*shape)(struct rig *, struct loom_rng *))
{
    for (uint32_t i = 0; i < shapes; i++) {
        struct rig *timed = draw(seed + i, shape);
        struct rig *warm = draw(seed + i, shape);

        rig_start(timed);
        rig_run(timed);
        warm_up(warm);
        compare(timed, warm);
        rig_close(timed);
        rig_close(warm);
    }
}

static void every_shape_is_warmed_as_in_time(void)
{
    same(200, 1, draw_shape);
}

static void draw_writing(struct rig *rig, struct loom_rng *rng)
{
    static const char *const miss[] = {"lazy", "write_allocate", "validate",
                                       "no_allocate", "fetch_on_write"};

    draw_shape(rig, rng);
    rig_text(rig, "write_policy",
             loom_rng_below(rng, 2) ? "write_back" : "write_through");
    rig_text(rig, "write_miss", miss[loom_rng_below(rng, 5)]);
    rig_set(rig, "miss_queue", 4);
    rig_set(rig, "sector_bytes", loom_rng_below(rng, 2) ? 32 : 0);
}

static void every_way_to_write_is_warmed_as_in_time(void)
{
    same(200, 1000, draw_writing);
}

extern const struct loom_policy_type dip_policy;
extern const struct loom_policy_type drrip_policy;
extern const struct loom_policy_type plru_policy;
extern const struct loom_policy_type nru_policy;
extern const struct loom_policy_type pdp_policy;

/* Policies that learn from what they are asked and told, and one that leaves
 * some accesses no way. */
static void draw_policies(struct rig *rig, struct loom_rng *rng)
{
    static const struct loom_policy_type *const types[] = {
        &dip_policy, &drrip_policy, &plru_policy, &nru_policy};
    struct loom_policy *pdp;

    rig_attach(rig, "replacement", types[loom_rng_below(rng, 4)]);
    if (loom_rng_below(rng, 2)) {
        pdp = loom_machine_add_policy(rig->machine, &pdp_policy,
                                      "sm[0].l1d.policy.pdp", &rig->err);
        REQUIRE(pdp != NULL);
        REQUIRE(loom_machine_attach(rig->cache, "candidates", pdp, &rig->err));
        REQUIRE(loom_machine_attach(rig->cache, "observe", pdp, &rig->err));
    }
    rig_text(rig, "write_policy",
             loom_rng_below(rng, 2) ? "write_back" : "write_evict");
    rig_set(rig, "sector_bytes", loom_rng_below(rng, 2) ? 32 : 0);
}

static void every_policy_is_warmed_as_in_time(void)
{
    same(100, 2000, draw_policies);
}

/* Each request is answered once, in time or at once. */
static void count_replies(const struct rig *rig)
{
    static uint32_t last[RIG_MAX]; /* parts of a reply are one */
    const struct rig_source *s = rig->source;

    memset(last, 0, sizeof(last));
    EXPECT_EQ(s->next, s->count);
    for (uint32_t i = 0; i < s->replies; i++) {
        const struct loom_mem_request *r = &s->reply[i].message;

        REQUIRE(r->token < s->count);
        last[r->token] += (r->flags & LOOM_MEM_MORE) == 0;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        EXPECT_EQ(last[i], s->script[i].kind == LOOM_MEM_WRITEBACK ? 0 : 1);
    }
}

/* Some of the script go without time while others are on their way. */
static void run_mixed(struct rig *rig, struct loom_rng *rng)
{
    struct loom_component *source = loom_machine_find(rig->machine, "source");
    loom_time step = loom_cycle_time(source, 1);
    uint32_t busy = 0;

    rig_start(rig);
    while (rig->source->next < rig->source->count) {
        loom_time until =
            loom_machine_now(rig->machine) + step * loom_rng_below(rng, 8);

        (void)loom_machine_run(rig->machine, until, LOOM_NEVER, &rig->err);
        busy += !loom_machine_quiet(rig->machine);
        REQUIRE(loom_machine_command(source, "one", &rig->err));
        REQUIRE(loom_machine_command(source, "go", &rig->err));
    }
    EXPECT(busy > rig->source->count / 20);
    rig_run(rig);
}

static void mixed(uint32_t shapes, uint64_t seed,
                  void (*shape)(struct rig *, struct loom_rng *))
{
    for (uint32_t i = 0; i < shapes; i++) {
        struct loom_rng rng;
        struct rig *rig;

        loom_rng_init(&rng, seed + i, "mixed");
        rig = draw_rig(&rng, 600, true);
        rig_alone(rig);
        shape(rig, &rng);
        for (uint32_t r = 0; r < rig->source->count; r++) {
            if (loom_rng_below(&rng, 20) == 0) {
                rig->source->script[r].kind = LOOM_MEM_ATOMIC;
            }
        }
        run_mixed(rig, &rng);
        count_replies(rig);
        rig_close(rig);
    }
}

static void every_shape_is_warmed_beside_time(void)
{
    mixed(200, 3000, draw_shape);
    mixed(200, 4000, draw_writing);
    mixed(100, 5000, draw_policies);
}

/* ---- what goes by ---- */

static uint16_t mark_all(struct loom_policy *self,
                         const struct loom_mem_request *request)
{
    (void)self;
    (void)request;
    return 1u << 3;
}

/* What a CTA that is left out accesses goes by, and is marked as what the
 * cache sends on. */
static void what_goes_by_is_marked(void)
{
    static const struct loom_mark_ops ops = {.mark = mark_all};
    static const struct loom_facet facets[] = {{&loom_cache_mark_hook, &ops}};
    static const struct loom_policy_type type = {
        .name = "mark_all",
        .doc = "Test: sets a bit",
        .facets = LOOM_SLICE(facets),
    };
    struct rig *rig = rig_open_standard();

    rig_attach(rig, "mark", &type);
    for (uint32_t i = 0; i < 2; i++) {
        struct loom_mem_request *r =
            rig_access(rig, 10 + i, LOOM_MEM_LOAD, i * LOOM_BLOCK_BYTES);

        if (i == 1) {
            r->bypassed = LOOM_LEVEL_L1;
            r->bypassed_by = LOOM_BY_LEFT_OUT;
        }
    }
    warm_up(rig);
    EXPECT_EQ(rig->memory->count, 2);
    EXPECT_EQ(rig->memory->seen[0].policy_bits, 1u << 3);
    EXPECT_EQ(rig->memory->seen[1].policy_bits, 1u << 3);
    EXPECT_EQ(rig_stat(rig, "accesses"), 1);
    rig_close(rig);
}

static const struct loom_test tests[] = {
    {"every_shape_is_warmed_as_in_time", every_shape_is_warmed_as_in_time},
    {"every_way_to_write_is_warmed_as_in_time",
     every_way_to_write_is_warmed_as_in_time},
    {"every_policy_is_warmed_as_in_time", every_policy_is_warmed_as_in_time},
    {"every_shape_is_warmed_beside_time", every_shape_is_warmed_beside_time},
    {"what_goes_by_is_marked", what_goes_by_is_marked},
};

int main(void)
{
    return loom_run_tests("cache_warm", tests, LOOM_COUNTOF(tests));
}
