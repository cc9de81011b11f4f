/*
 * Random traffic.
 *
 * Served one access at a time, a cache must agree access by access with a
 * model so simple that it is obviously right: lists of blocks in order of
 * use.  Served as fast as it goes, every shape of cache must answer every
 * request exactly once, lose no dirty byte and satisfy its laws.
 *
 * links: component_cache policy_lru policy_fifo policy_linear_index
 */
#include "tests/unit/cache_draw.h"

enum {
    SETS = 4,
    WAYS = 2
};

/* The lines of each set, most recently used first. */
struct model {
    uint64_t block[SETS][WAYS];
    bool dirty[SETS][WAYS];
    uint32_t count[SETS];
    uint32_t hits, misses, writebacks, evictions;
};

static void to_front(struct model *m, uint32_t set, uint32_t at)
{
    uint64_t block = m->block[set][at];
    bool dirty = m->dirty[set][at];

    for (; at > 0; at--) {
        m->block[set][at] = m->block[set][at - 1];
        m->dirty[set][at] = m->dirty[set][at - 1];
    }
    m->block[set][0] = block;
    m->dirty[set][0] = dirty;
}

static uint32_t find(const struct model *m, uint64_t block)
{
    uint32_t set = (uint32_t)(block % SETS);
    uint32_t at = 0;

    while (at < m->count[set] && m->block[set][at] != block) {
        at++;
    }
    return at;
}

static void insert(struct model *m, uint64_t block, bool dirty)
{
    uint32_t set = (uint32_t)(block % SETS);

    if (m->count[set] == WAYS) {
        m->evictions++;
        m->writebacks += m->dirty[set][WAYS - 1];
        m->count[set]--;
    }
    m->block[set][m->count[set]] = block;
    m->dirty[set][m->count[set]] = dirty;
    to_front(m, set, m->count[set]++);
}

static bool model_access(struct model *m, uint64_t block, bool write,
                         bool write_back)
{
    uint32_t set = (uint32_t)(block % SETS);
    uint32_t at = find(m, block);
    bool hit = at < m->count[set];

    m->hits += hit;
    m->misses += !hit;
    if (hit && write && !write_back) {
        m->count[set]--;
        for (; at < m->count[set]; at++) {
            m->block[set][at] = m->block[set][at + 1];
        }
    } else if (hit) {
        m->dirty[set][at] = m->dirty[set][at] || write;
        to_front(m, set, at);
    } else if (!write || write_back) {
        insert(m, block, write);
    }
    return hit;
}

static void agree(bool write_back, uint64_t seed)
{
    struct loom_rng rng;
    struct rig *rig;
    struct model model = {0};

    loom_rng_init(&rng, seed, "agree");
    rig = draw_rig(&rng, 2000, true);
    rig_attach(rig, "replacement", &lru_policy);
    if (write_back) {
        rig_text(rig, "level", "l2");
        rig_text(rig, "write_policy", "write_back");
    }
    rig->source->serial = true;
    rig_start(rig);
    rig_run(rig);
    for (uint32_t i = 0; i < rig->source->count; i++) {
        const struct loom_mem_request *r = &rig->source->script[i];
        bool store = r->kind == LOOM_MEM_STORE;
        bool hit = model_access(&model, r->block / 128, store, write_back);
        const struct loom_mem_request *reply = &rig->source->reply[i].message;

        if (!store || write_back) { /* else the reply is from below */
            EXPECT_EQ((reply->flags & LOOM_MEM_HIT) != 0, hit);
        }
    }
    EXPECT_EQ(rig_stat(rig, "hits"), model.hits);
    EXPECT_EQ(rig_stat(rig, "misses"), model.misses);
    EXPECT_EQ(rig_stat(rig, "evictions"), model.evictions);
    EXPECT_EQ(rig_stat(rig, "writebacks"), model.writebacks);
    rig_close(rig);
}

static void write_evict_agrees_with_the_model(void)
{
    agree(false, 1);
    agree(false, 2);
}

static void write_back_agrees_with_the_model(void)
{
    agree(true, 3);
    agree(true, 4);
}

static void expect_all_answered(const struct rig *rig)
{
    const struct rig_source *s = rig->source;
    static bool seen[RIG_MAX];
    uint32_t expected = 0;

    memset(seen, 0, sizeof(seen));
    for (uint32_t i = 0; i < s->count; i++) {
        expected += s->script[i].kind != LOOM_MEM_WRITEBACK;
    }
    EXPECT_EQ(s->next, s->count);
    EXPECT_EQ(s->replies, expected);
    for (uint32_t i = 0; i < s->replies; i++) {
        const struct loom_mem_request *r = &s->reply[i].message;
        const struct loom_mem_request *q = &s->script[r->token];

        EXPECT(!seen[r->token]);
        EXPECT(r->kind == q->kind && r->block == q->block && r->src == q->src);
        seen[r->token] = true;
    }
}

static void every_shape_answers_everything(void)
{
    struct loom_rng rng;

    loom_rng_init(&rng, 7, "shapes");
    for (uint32_t i = 0; i < 150; i++) {
        struct rig *rig = draw_rig(&rng, 600, true);

        draw_shape(rig, &rng);
        draw_kinds(rig, &rng);
        rig_start(rig);
        rig_run(rig);
        expect_all_answered(rig);
        EXPECT_EQ(rig->watch->count[LOOM_EVENT_ACCESS],
                  rig_stat(rig, "accesses"));
        EXPECT_EQ(rig->watch->count[LOOM_EVENT_HIT], rig_stat(rig, "hits"));
        EXPECT_EQ(rig->watch->count[LOOM_EVENT_MISS], rig_stat(rig, "misses"));
        EXPECT_EQ(rig->watch->count[LOOM_EVENT_BYPASS],
                  rig_stat(rig, "bypasses"));
        EXPECT_EQ(rig->watch->count[LOOM_EVENT_REPLY], rig->source->replies);
        rig_close(rig);
    }
}

static void order_of_ticks_does_not_matter(void)
{
    static loom_cycle at[RIG_MAX];

    for (uint32_t i = 0; i < 12; i++) {
        struct loom_rng rng;
        struct rig *rig;

        loom_rng_init(&rng, 20 + i / 3, "shuffle");
        rig = draw_rig(&rng, 400, true);
        draw_shape(rig, &rng);
        draw_kinds(rig, &rng);
        if (i % 3 != 0) {
            loom_machine_shuffle(rig->machine, i);
            loom_machine_shuffle(rig->twin->machine, i);
        }
        rig_start(rig);
        rig_run(rig);
        for (uint32_t k = 0; k < rig->source->count; k++) {
            if (i % 3 == 0) {
                at[k] = rig->source->replied_at[k];
            }
            EXPECT_EQ(rig->source->replied_at[k], at[k]);
        }
        rig_close(rig);
    }
}

/* Written bytes leave the cache by the flush at the end, at the latest. */
static void no_dirty_line_is_lost(void)
{
    struct loom_rng rng;

    loom_rng_init(&rng, 9, "dirty");
    for (uint32_t i = 0; i < 20; i++) {
        struct rig *rig = draw_rig(&rng, 500, true);
        bool written[DRAW_BLOCKS] = {false};

        rig_attach(rig, "replacement", &lru_policy);
        rig_text(rig, "level", "l2");
        rig_text(rig, "write_policy", "write_back");
        rig_text(rig, "write_miss", i % 2 ? "validate" : "fetch_on_write");
        rig_text(rig, "allocate", i % 4 < 2 ? "on_miss" : "on_fill");
        rig_set(rig, "sector_bytes", i % 8 < 4 ? 0 : 32);
        rig_set(rig, "mshr_entries", 3);
        rig_set(rig, "miss_queue", 2);
        rig_access(rig, 0, LOOM_MEM_FLUSH, 0);
        rig_start(rig);
        rig_run(rig);
        for (uint32_t k = 0; k < rig->memory->count; k++) {
            if (rig->memory->seen[k].kind == LOOM_MEM_WRITEBACK) {
                written[rig->memory->seen[k].block / 128] = true;
            }
        }
        for (uint32_t k = 0; k < rig->source->count; k++) {
            const struct loom_mem_request *r = &rig->source->script[k];

            EXPECT(r->kind != LOOM_MEM_STORE || written[r->block / 128]);
        }
        rig_close(rig);
    }
}

static const struct loom_test tests[] = {
    {"write_evict_agrees_with_the_model", write_evict_agrees_with_the_model},
    {"write_back_agrees_with_the_model", write_back_agrees_with_the_model},
    {"every_shape_answers_everything", every_shape_answers_everything},
    {"order_of_ticks_does_not_matter", order_of_ticks_does_not_matter},
    {"no_dirty_line_is_lost", no_dirty_line_is_lost},
};

int main(void)
{
    return loom_run_tests("cache_random", tests, LOOM_COUNTOF(tests));
}
