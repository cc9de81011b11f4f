/*
 * Caches without time: what is counted, what a policy is asked, when a block
 * is loaded next; and that no choice of victims misses less than min, by
 * trying all of them.
 *
 * links: component_locality component_cache policy_min policy_lru
 * links: policy_linear_index
 */
#include "engine/machine.h"
#include "engine/rng.h"

#include "components/locality_protocol.h"
#include "tests/unit/test.h"
#include "workloads/locality/future.h"

extern const struct loom_component_type locality_component;
extern const struct loom_component_type cache_component;
extern const struct loom_policy_type min_policy;
extern const struct loom_policy_type lru_policy;
extern const struct loom_policy_type linear_index_policy;

struct rig {
    struct loom_machine *machine;
    struct loom_component *root, *cache;
    struct loom_policy *policy;
    struct loom_future *future;
    struct loom_error err;
};

static void note(void *context, const char *path, const struct loom_error *err)
{
    (void)path;
    *(struct loom_error *)context = *err;
}

static void set(struct rig *rig, const char *param, union loom_value value)
{
    REQUIRE(loom_machine_set(rig->cache, param, value, &rig->err));
}

/* A locality with one cache, linked to both of its sides. */
static struct rig rig_open(const struct loom_policy_type *type, uint32_t sets,
                           uint32_t ways)
{
    struct rig rig = {.machine = loom_machine_create(1)};
    uint32_t clock = loom_machine_clock(rig.machine, 1000000000);
    struct loom_wire wire = {1, 1, 2};
    struct loom_policy *index;

    rig.root = loom_machine_add(rig.machine, &locality_component, "m", clock,
                                &rig.err);
    rig.cache = loom_machine_add(rig.machine, &cache_component, "m.c[0]", clock,
                                 &rig.err);
    REQUIRE(rig.root != NULL && rig.cache != NULL);
    set(&rig, "size_bytes", (union loom_value){.u = sets * ways * 128});
    set(&rig, "ways", (union loom_value){.u = ways});
    set(&rig, "future", (union loom_value){.b = true});
    REQUIRE(loom_machine_link(
        rig.machine, (struct loom_end){rig.root, "caches", 0},
        (struct loom_end){rig.cache, "up", 0}, wire, wire, &rig.err));
    REQUIRE(loom_machine_link(
        rig.machine, (struct loom_end){rig.cache, "down", 0},
        (struct loom_end){rig.root, "memory", 0}, wire, wire, &rig.err));
    rig.policy =
        loom_machine_add_policy(rig.machine, type, "m.c[0].policy.r", &rig.err);
    index = loom_machine_add_policy(rig.machine, &linear_index_policy,
                                    "m.c[0].policy.i", &rig.err);
    REQUIRE(
        loom_machine_attach(rig.cache, "replacement", rig.policy, &rig.err));
    REQUIRE(loom_machine_attach(rig.cache, "set_index", index, &rig.err));
    REQUIRE(loom_machine_freeze(rig.machine, note, &rig.err));
    rig.future = loom_future_create(&rig.err);
    REQUIRE(rig.future != NULL);
    return rig;
}

static void rig_close(struct rig *rig)
{
    loom_future_destroy(rig->future);
    loom_machine_destroy(rig->machine);
}

/* Of loads. */
static uint64_t counted(const struct rig *rig, const char *name)
{
    const struct loom_stat *stat = loom_stats_find(cache_component.stats, name);

    return *(const uint64_t *)((const char *)loom_stats_of(rig->cache) +
                               stat->offset);
}

/* Blocks as letters; capitals are stores. */
static void keep(struct rig *rig, const char *letters)
{
    for (; *letters != '\0'; letters++) {
        bool store = *letters >= 'A' && *letters <= 'Z';
        struct loom_mem_request request = {
            .block = 128u * (loom_addr)(*letters - (store ? 'A' : 'a')),
            .kind = store ? LOOM_MEM_STORE : LOOM_MEM_LOAD,
        };

        REQUIRE(loom_future_add(rig->future, &request, &rig->err));
    }
}

static bool serve(void *context, const struct loom_mem_request *request,
                  uint64_t next_use, struct loom_error *err)
{
    const struct rig *rig = context;
    struct loom_locality_command command = {.request = request};

    (void)next_use; /* the cache asks */
    return loom_machine_command(rig->root, &command, err);
}

/* Serves what was kept; the cache may ask what comes next. */
static void replay(struct rig *rig)
{
    struct loom_mem_future ask = {loom_future_next, rig->future};
    struct loom_mem_command command = {.future = &ask};

    REQUIRE(loom_machine_command(rig->cache, &command, &rig->err));
    REQUIRE(loom_future_replay(rig->future, serve, rig, &rig->err));
    loom_machine_settle(rig->machine);
}

static uint64_t hits_of(const struct loom_policy_type *type, uint32_t sets,
                        uint32_t ways, const char *letters)
{
    struct rig rig = rig_open(type, sets, ways);
    uint64_t hits;

    keep(&rig, letters);
    replay(&rig);
    hits = counted(&rig, "hits_by_kind");
    EXPECT_EQ(counted(&rig, "accesses_by_kind"),
              hits + counted(&rig, "misses_by_kind"));
    EXPECT(loom_machine_check(rig.machine, note, &rig.err));
    rig_close(&rig);
    return hits;
}

struct told {
    uint64_t next[16];
    uint32_t count;
};

static bool tell(void *context, const struct loom_mem_request *request,
                 uint64_t next_use, struct loom_error *err)
{
    struct told *told = context;

    (void)request;
    (void)err;
    told->next[told->count++] = next_use;
    return true;
}

static void the_next_use_is_a_load_before_any_store(void)
{
    /* a: 2, then 5; b: 3, then written at 4; B: 6, which nobody asks. */
    static const uint64_t want[] = {2, 3,          5,         LOOM_NEVER,
                                    6, LOOM_NEVER, LOOM_NEVER};
    struct rig rig = rig_open(&lru_policy, 1, 2);
    struct told told = {.count = 0};

    keep(&rig, "ababBab");
    REQUIRE(loom_future_replay(rig.future, tell, &told, &rig.err));
    REQUIRE(told.count == LOOM_COUNTOF(want));
    for (uint32_t i = 0; i < told.count; i++) {
        EXPECT_EQ(told.next[i], want[i]);
    }
    told.count = 0; /* all are forgotten */
    REQUIRE(loom_future_replay(rig.future, tell, &told, &rig.err));
    EXPECT_EQ(told.count, 0);
    rig_close(&rig);
}

/* Belady's example as textbooks of operating systems have it, 7 0 1 2 0 3 0 4
 * 2 3 0 3 2 1 2 0 1 7 0 1 with three frames: 12 faults by LRU, 9 at best. */
static void the_textbook_example(void)
{
    const char *pages = "habcadaecdadcbcabhab";

    EXPECT_EQ(hits_of(&lru_policy, 1, 3, pages), 20 - 12);
    EXPECT_EQ(hits_of(&min_policy, 1, 3, pages), 20 - 9);
}

static void loops_and_stores(void)
{
    EXPECT_EQ(hits_of(&lru_policy, 1, 3, "abcdabcdabcd"), 0);
    /* a b c; d for c; a b hit; c for b (last); d a hit; b for a; c d hit */
    EXPECT_EQ(hits_of(&min_policy, 1, 3, "abcdabcdabcd"), 6);
    /* a is written before it is loaded again: it leaves, b and c stay. */
    EXPECT_EQ(hits_of(&min_policy, 1, 2, "abcAbc"), 2);
    EXPECT_EQ(hits_of(&min_policy, 1, 3, "abcdAbcd"), 3);
    EXPECT_EQ(hits_of(&lru_policy, 1, 3, "abcAbcab"), 3);
    /* Sets are apart. */
    EXPECT_EQ(hits_of(&lru_policy, 2, 1, "ababcdcdab"), 4);
}

/* The most hits that any choice of victims can have.  `held`: a mask of the
 * blocks that are there. */
static uint32_t best_hits(const char *letters, uint32_t held, uint32_t ways)
{
    uint32_t best = 0, block;

    for (; *letters >= 'A' && *letters <= 'Z'; letters++) {
        held &= ~(1u << (*letters - 'A'));
    }
    if (*letters == '\0') {
        return 0;
    }
    block = 1u << (*letters - 'a');
    if ((held & block) != 0) {
        return 1 + best_hits(letters + 1, held, ways);
    }
    if (loom_popcount(held) < ways) {
        return best_hits(letters + 1, held | block, ways);
    }
    for (uint32_t left = held; left != 0; left &= left - 1) {
        uint32_t victim = left & (~left + 1);
        uint32_t hits = best_hits(letters + 1, (held & ~victim) | block, ways);

        best = hits > best ? hits : best;
    }
    return best;
}

static void nothing_beats_min(void)
{
    struct loom_rng rng;

    loom_rng_init(&rng, 5, "letters");
    for (uint32_t round = 0; round < 300; round++) {
        uint32_t ways = 1 + (uint32_t)loom_rng_below(&rng, 3);
        char letters[20];

        for (uint32_t i = 0; i < 19; i++) {
            char first = loom_rng_below(&rng, 6) == 0 ? 'A' : 'a';

            letters[i] = (char)(first + (char)loom_rng_below(&rng, 5));
        }
        letters[19] = '\0';
        EXPECT_EQ(hits_of(&min_policy, 1, ways, letters),
                  best_hits(letters, 0, ways));
    }
}

/* Many blocks: the table of what comes next grows. */
static void the_future_of_many_blocks(void)
{
    struct rig rig = rig_open(&min_policy, 1, 1000);

    for (uint32_t i = 0; i < 20000; i++) {
        struct loom_mem_request request = {.block = 128 * (i % 5000)};

        REQUIRE(loom_future_add(rig.future, &request, &rig.err));
    }
    replay(&rig);
    /* Of a loop over n blocks through w ways (w - 1) / (n - 1) can hit. */
    EXPECT(counted(&rig, "hits_by_kind") >= 15000 * 999 / 4999 - 5);
    EXPECT(counted(&rig, "hits_by_kind") <= 15000 * 999 / 4999 + 5);
    EXPECT(loom_machine_check(rig.machine, note, &rig.err));
    rig_close(&rig);
}

static const struct loom_test tests[] = {
    {"the_next_use_is_a_load_before_any_store",
     the_next_use_is_a_load_before_any_store},
    {"the_textbook_example", the_textbook_example},
    {"loops_and_stores", loops_and_stores},
    {"nothing_beats_min", nothing_beats_min},
    {"the_future_of_many_blocks", the_future_of_many_blocks},
};

int main(void)
{
    return loom_run_tests("locality_min", tests, LOOM_COUNTOF(tests));
}
