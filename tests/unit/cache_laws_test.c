/*
 * What a cache tells: that a law is broken, what waits when nothing moves any
 * more, and what policies ask of it.
 * links: component_cache policy_lru policy_linear_index
 */
#include "components/cache/cache_types.h"
#include "tests/unit/cache_rig_run.h"

static struct rig *open_plain(void)
{
    struct rig *rig = rig_open_standard();

    rig_alone(rig);
    return rig;
}

/* ---- laws ---- */

static void keep(void *context, const char *path, const struct loom_error *err)
{
    (void)path;
    *(struct loom_error *)context = *err;
}

static void one_fetch(struct cache *c)
{
    c->stats->fetches++;
}
static void one_sector_miss(struct cache *c)
{
    c->stats->sector_misses = 9;
}
static void one_partial(struct cache *c)
{
    c->stats->partial_fetches = 9;
}
static void one_modified(struct cache *c)
{
    c->tags.modified++;
}
static void one_mshr(struct cache *c)
{
    c->mshrs.used++;
}
static void one_passing(struct cache *c)
{
    c->down.passing_used++;
}
static void one_held(struct cache *c)
{
    c->pipe.held++;
}
static void one_queued(struct cache *c)
{
    c->down.query_count++;
}
static void one_pending(struct cache *c)
{
    c->tags.line[0].pending = 1;
}
static void twice(struct cache *c)
{
    c->tags.line[0].tag = c->tags.line[1].tag;
}

static void a_broken_law_is_said(void)
{
    static const struct {
        void (*do_harm)(struct cache *c);
        const char *text;
    } laws[] = {
        {one_fetch, "fetches 2 are not fills 1"},
        {one_sector_miss, "sector misses 9 are not among misses 1"},
        {one_partial, "fetches of partly written sectors 9 are not among "
                      "sector misses 0"},
        {one_modified, "modified lines 1 are not those that are 0"},
        {one_mshr, "1 MSHRs, 0 passing requests, 0 split requests and 0 "
                   "queries wait for replies"},
        {one_passing, "0 MSHRs, 1 passing requests, 0 split requests and 0 "
                      "queries wait for replies"},
        {one_held, "1 accesses, 0 requests and 0 queries are still queued"},
        {one_queued, "0 accesses, 0 requests and 1 queries are still queued"},
        {one_pending, "set 0 way 0: sectors valid 0, pending 1"},
        {twice, "line 0x0 is in ways 0 and 1 of set 0"},
    };

    for (uint32_t i = 0; i < LOOM_COUNTOF(laws); i++) {
        struct rig *rig = open_plain();
        struct loom_error err = {0};

        rig_access(rig, 0, LOOM_MEM_LOAD, 0);
        rig_start(rig);
        rig_run(rig);
        laws[i].do_harm(loom_state(rig->cache));
        EXPECT(!loom_machine_check(rig->machine, keep, &err));
        EXPECT_EQ(err.kind, LOOM_ERR_LAW);
        EXPECT_TEXT(err.text, laws[i].text);
        rig_close(rig);
    }
}

/* ---- what waits ---- */

/* The memory takes nothing: one load has an MSHR, one waits for it, a third
 * has just come. */
static void what_waits_is_reported(void)
{
    struct rig *rig = open_plain();
    char *report;

    rig_set(rig, "mshr_entries", 1);
    for (uint32_t i = 0; i < 3; i++) {
        rig_access(rig, 0, LOOM_MEM_LOAD, i)->warp = (uint16_t)(5 + i);
    }
    rig->memory->not_before = LOOM_NEVER;
    rig_start(rig);
    EXPECT_EQ(loom_machine_run(rig->machine, LOOM_NEVER, LOOM_NEVER, &rig->err),
              LOOM_STOP_IDLE);
    report = loom_machine_report(rig->machine);
    EXPECT_TEXT(report, "2 accesses queued, the oldest to block 0x80 of warp "
                        "6 waits for no MSHR");
    EXPECT_TEXT(report, "1 MSHRs and 0 passing requests wait for replies, 0 "
                        "requests to be sent");
    free(report);
    rig_close(rig);
}

/* ---- what policies ask ---- */

struct asker {
    const struct loom_cache_host *host;
    bool found, reserved, valid;
    uint32_t rank;
    loom_addr block;
};

static bool asker_bind(struct loom_policy *self,
                       const struct loom_cache_shape *shape,
                       struct loom_error *err)
{
    struct asker *a = loom_policy_state(self);

    (void)err;
    a->host = shape->host;
    return true;
}

static enum loom_admit asker_admit(struct loom_policy *self,
                                   const struct loom_mem_request *request,
                                   struct loom_bypass *bypass)
{
    struct asker *a = loom_policy_state(self);
    void *cache = a->host->cache;
    uint32_t set, way;

    (void)bypass;
    a->found = a->host->find(cache, request->block, &set, &way);
    if (a->found) {
        a->reserved = a->host->reserved(cache, set, way);
        a->valid = a->host->valid(cache, set, way);
        a->block = a->host->block(cache, set, way);
    }
    a->rank = a->host->rank(cache, 3);
    return LOOM_ADMIT_DEFAULT;
}

static const struct loom_admit_ops asker_ops = {.bind = asker_bind,
                                                .admit = asker_admit};
static const struct loom_facet asker_facets[] = {
    {&loom_admit_hook, &asker_ops},
};
static const struct loom_policy_type asker_policy = {
    .name = "asker",
    .doc = "Asks a cache what it may",
    .state_size = sizeof(struct asker),
    .facets = LOOM_SLICE(asker_facets),
};

/* Block 6 is not there, on its way, there: of warp 3, whose rank is known from
 * its first access on. */
static void a_cache_says_what_it_has(void)
{
    static const struct {
        bool found, reserved, valid;
        uint32_t rank;
    } wanted[] = {{false, false, false, 0},
                  {true, true, false, 7},
                  {true, false, true, 7}};

    for (uint32_t n = 0; n < LOOM_COUNTOF(wanted); n++) {
        struct rig *rig = open_plain();
        struct loom_policy *policy = loom_machine_add_policy(
            rig->machine, &asker_policy, "ask", &rig->err);
        const struct asker *a = loom_policy_state(policy);

        REQUIRE(loom_machine_attach(rig->cache, "admit", policy, &rig->err));
        for (uint32_t i = 0; i <= n; i++) {
            struct loom_mem_request *r =
                rig_access(rig, i == 2 ? 50 : 4 * i, LOOM_MEM_LOAD, 6);

            r->warp = 3;
            r->rank = 7;
        }
        rig_start(rig);
        rig_run(rig);
        EXPECT_EQ(a->found, wanted[n].found);
        EXPECT_EQ(a->reserved, wanted[n].reserved);
        EXPECT_EQ(a->valid, wanted[n].valid);
        EXPECT_EQ(a->rank, wanted[n].rank);
        EXPECT_EQ(a->block, wanted[n].found ? UINT64_C(6) * 128 : 0);
        rig_close(rig);
    }
}

static const struct loom_test tests[] = {
    {"a_broken_law_is_said", a_broken_law_is_said},
    {"what_waits_is_reported", what_waits_is_reported},
    {"a_cache_says_what_it_has", a_cache_says_what_it_has},
};

int main(void)
{
    return loom_run_tests("cache_laws", tests, LOOM_COUNTOF(tests));
}
