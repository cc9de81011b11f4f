/*
 * Some thousand configurations of a cache under random traffic.
 *
 * Served one access at a time, a cache must agree in every message that it
 * sends down, and in every count, with a model of contents that knows nothing
 * of masks, MSHRs and time: lines of bytes in order of use.  Served as fast
 * as it goes, it must answer everything once, send every written byte down
 * and no sector that nobody wrote, count an access that waits once in
 * fail_accesses, and satisfy its laws.
 *
 * Set indices take turns, one of them is a policy of this file; Fermi's has a
 * shape of its own, and so has the cache that is infinite.
 *
 * links: component_cache policy_lru policy_fifo policy_linear_index
 * links: policy_xor_index policy_ipoly_index policy_ccws_index
 * links: policy_fermi_index
 */
#include "engine/rng.h"

#include "tests/contract/cache_model_access.h"
#include "tests/unit/cache_rig_run.h"

extern const struct loom_policy_type fifo_policy;
extern const struct loom_policy_type xor_index_policy;
extern const struct loom_policy_type ipoly_index_policy;
extern const struct loom_policy_type ccws_index_policy;
extern const struct loom_policy_type fermi_index_policy;

enum {
    SERIAL = 400,
    FLOOD = 500,
    CONFIGURATIONS = 11 * 8 * 5 * 3
};

/* ---- policies of this file ---- */

struct custom_index {
    uint32_t line, sets;
};

static bool custom_bind(struct loom_policy *self,
                        const struct loom_cache_shape *shape,
                        struct loom_error *err)
{
    struct custom_index *index = loom_policy_state(self);

    (void)err;
    *index = (struct custom_index){shape->line_bytes, shape->sets};
    return true;
}

static uint32_t custom_index(struct loom_policy *self, loom_addr line)
{
    const struct custom_index *index = loom_policy_state(self);

    return custom_set(line / index->line, index->sets);
}

static const struct loom_set_index_ops custom_ops = {
    .bind = custom_bind,
    .index = custom_index,
};
static const struct loom_facet custom_facets[] = {
    {&loom_set_index_hook, &custom_ops},
};
static const struct loom_policy_type custom_policy = {
    .name = "custom_index",
    .doc = "A set index that the cache has never heard of",
    .state_size = sizeof(struct custom_index),
    .facets = LOOM_SLICE(custom_facets),
};

/* Which accesses were refused at least once: by token and sectors, as the
 * sectors of a split request are accesses of their own. */
struct refusals {
    bool refused[RIG_MAX][16];
    uint64_t count;
};

static void note_refusal(struct loom_policy *self,
                         const struct loom_event *event)
{
    struct refusals *r = loom_policy_state(self);
    bool *refused =
        &r->refused[event->request->token][event->request->sectors & 15];

    r->count += !*refused;
    *refused = true;
}

static const struct loom_observe_ops refusal_ops = {
    .events = UINT64_C(1) << LOOM_EVENT_RESERVATION_FAIL,
    .observe = note_refusal,
};
static const struct loom_facet refusal_facets[] = {
    {&loom_cache_observe_hook, &refusal_ops},
};
static const struct loom_policy_type refusal_policy = {
    .name = "refusals",
    .doc = "Counts accesses that were refused",
    .state_size = sizeof(struct refusals),
    .facets = LOOM_SLICE(refusal_facets),
};

/* ---- configurations ---- */

static const struct write_mode write_modes[] = {
    {"write_evict", "fetch_on_write", false},
    {"write_evict", "fetch_on_write", true},
    {"write_through", "fetch_on_write", false},
    {"write_through", "lazy", false},
    {"write_through", "lazy", true},
    {"write_through", "write_allocate", false},
    {"write_back", "fetch_on_write", false},
    {"write_back", "validate", false},
    {"write_back", "lazy", false},
    {"write_back", "write_allocate", false},
    {"write_back", "no_allocate", false},
};

static const struct sector_mode sector_modes[] = {
    {0, false, "line", "each", false},   {64, false, "line", "each", false},
    {32, false, "line", "each", false},  {32, true, "line", "each", false},
    {32, true, "sector", "each", false}, {32, true, "sector", "one", false},
    {32, true, "sector", "each", true},  {32, true, "sector", "one", true},
};

static const struct allocate_mode allocates[] = {
    {"on_miss", false}, {"on_fill", false}, {"on_fill", true}};

static const struct shape shapes[] = {
    {4, 2, 128, false, INDEX_LINEAR},  {2, 4, 64, true, INDEX_LINEAR},
    {8, 1, 128, false, INDEX_LINEAR},  {32, 2, 128, false, INDEX_FERMI},
    {1, LINES, 64, false, INDEX_NONE},
};

static const struct loom_policy_type *const indices[] = {
    &linear_index_policy, &xor_index_policy, &ipoly_index_policy,
    &ccws_index_policy,   &custom_policy,    &fermi_index_policy,
    &linear_index_policy, /* of an infinite cache: not asked */
};

static void configure(struct rig *rig, const struct setup *s)
{
    uint32_t n = s->number;

    rig_attach(rig, "set_index", indices[s->index]);
    rig_attach(rig, "replacement", s->shape.fifo ? &fifo_policy : &lru_policy);
    if (s->index == INDEX_NONE) {
        rig_flag(rig, "infinite");
        rig_set(rig, "infinite_lines", 64);
    }
    rig_text(rig, "level", "l2");
    rig_text(rig, "write_policy", s->write.policy);
    rig_text(rig, "write_miss", s->write.miss);
    rig_text(rig, "allocate", s->allocate.name);
    if (s->allocate.line_mshrs) {
        rig_flag(rig, "line_mshrs");
    }
    rig_text(rig, "mshr_unit", s->sector.unit);
    rig_text(rig, "split_replies", s->sector.replies);
    if (s->sector.split) {
        rig_flag(rig, "split_sectors");
    }
    if (s->sector.join) {
        rig_flag(rig, "join_sectors");
        rig->memory->in_parts = n % 2 != 0;
    }
    if (s->write.local) {
        rig_flag(rig, "local_write_back");
    }
    rig_set(rig, "size_bytes", s->shape.sets * s->shape.ways * s->shape.line);
    rig_set(rig, "ways", s->shape.ways);
    rig_set(rig, "line_bytes", s->shape.line);
    rig_set(rig, "sector_bytes", s->sector.bytes);
    rig_set(rig, "write_ratio", s->ratio);
    rig_set(rig, "banks", 1u << n % 3);
    rig_set(rig, "bank_bytes", n % 2 ? 32 : 128);
    rig_text(rig, "bank_hash", n % 4 < 2 ? "linear" : "xor");
    rig_set(rig, "accesses_per_cycle", 1 + n % 4);
    rig_set(rig, "requests_per_cycle", n % 3);
    rig_set(rig, "hit_latency", n % 5);
    rig_set(rig, "mshr_entries", 1 + n % 7);
    rig_set(rig, "mshr_merges", 1 + n % 4);
    rig_set(rig, "miss_queue", 2 + n % 3);
    rig_set(rig, "passing_entries", 1 + n % 6);
    rig_set(rig, "data_port_bytes", UINT64_C(32) << n % 3);
    rig_set(rig, "fill_port_bytes", UINT64_C(32) << n % 3);
    rig->memory->latency = 1 + n % 17;
}

/* ---- traffic ---- */

/* Words `first` to `first + count - 1` of the block. */
static void narrow(struct loom_mem_request *r, uint32_t first, uint32_t count)
{
    r->bytes[0] = r->bytes[1] = 0;
    r->sectors = 0;
    for (uint32_t i = 4 * first; i < 4 * (first + count); i++) {
        r->bytes[i / 64] |= loom_bit(i % 64);
        r->sectors |= (uint8_t)(1u << i / 32);
    }
    r->size_bytes = (uint16_t)(loom_popcount(r->sectors) * 32);
}

/* Requests of up to `words` words, which do not cross a multiple of that. */
static void draw(struct rig *rig, const struct setup *s, struct loom_rng *rng,
                 uint32_t words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t kind = loom_rng_below(rng, 16);
        uint32_t name = (uint32_t)loom_rng_below(rng, BLOCKS);
        struct loom_mem_request *r = rig_access(rig, 0,
                                                kind < 8    ? LOOM_MEM_LOAD
                                                : kind < 14 ? LOOM_MEM_STORE
                                                : kind < 15 ? LOOM_MEM_ATOMIC
                                                            : LOOM_MEM_LOAD,
                                                block_number(s, name));
        uint32_t base = (uint32_t)loom_rng_below(rng, 32 / words) * words;
        uint32_t first = (uint32_t)loom_rng_below(rng, words);

        if (loom_rng_below(rng, 3) == 0) { /* sectors */
            first = first / 8 * 8;
            narrow(
                r, base + first,
                8 * (1 + (uint32_t)loom_rng_below(rng, (words - first) / 8)));
        } else {
            narrow(r, base + first,
                   1 + (uint32_t)loom_rng_below(rng, words - first));
        }
        r->space = name % 3 == 0 ? LOOM_SPACE_LOCAL : LOOM_SPACE_GLOBAL;
        if (loom_rng_below(rng, 60) == 0) {
            r->kind = LOOM_MEM_FLUSH;
        }
    }
    rig_access(rig, 0, LOOM_MEM_FLUSH, 0);
}

/* ---- agreement ---- */

static void compare_messages(const struct rig *rig, struct model *m)
{
    static uint32_t seen[LOOM_MEM_KINDS][BLOCKS][BYTES];

    memset(seen, 0, sizeof(seen));
    for (uint32_t i = 0; i < rig->memory->count; i++) {
        const struct loom_mem_request *r = &rig->memory->seen[i];
        bool fetch_all = r->kind == LOOM_MEM_LOAD;
        uint32_t name = block_name(m->setup, r->block);

        for (uint32_t b = 0; b < BYTES; b++) {
            seen[r->kind][name][b] +=
                fetch_all ? (r->sectors >> b / 32 & 1) != 0 : uses(r, b);
        }
    }
    EXPECT_EQ(memcmp(seen, m->sent, sizeof(seen)), 0);
}

/* Accesses made of one request are in the cache together: they are of one
 * line, or fills could come in another order than accesses; with an MSHR for
 * a line one may join the other's, so there is only one. */
static uint32_t serial_words(const struct setup *s)
{
    return s->sector.split && strcmp(s->sector.unit, "line") == 0
               ? 8
               : s->shape.line / 4;
}

static void agree(const struct setup *s, struct loom_rng *rng)
{
    static struct model model;
    struct rig *rig = rig_open_with(4);

    open_model(&model, s);
    configure(rig, s);
    draw(rig, s, rng, serial_words(s), SERIAL);
    rig->source->serial = true;
    rig_start(rig);
    rig_run(rig);
    for (uint32_t i = 0; i < rig->source->count; i++) {
        model_request(&model, &rig->source->script[i]);
    }
    EXPECT_EQ(rig_stat(rig, "hits"), model.hits);
    EXPECT_EQ(rig_stat(rig, "misses"), model.misses);
    EXPECT_EQ(rig_stat(rig, "bypasses"), model.bypasses);
    EXPECT_EQ(rig_stat(rig, "pending_hits"), 0);
    EXPECT_EQ(rig_stat(rig, "evictions"), model.evictions);
    EXPECT_EQ(rig_stat(rig, "flushed_lines"), model.flushed);
    EXPECT_EQ(rig_stat(rig, "write_evictions"), model.dropped);
    compare_messages(rig, &model);
    rig_close(rig);
}

/* ---- flood ---- */

static void expect_answered(const struct rig *rig)
{
    static uint8_t sectors[RIG_MAX], finals[RIG_MAX];
    const struct rig_source *s = rig->source;

    memset(sectors, 0, sizeof(sectors));
    memset(finals, 0, sizeof(finals));
    for (uint32_t i = 0; i < s->replies; i++) {
        const struct loom_mem_request *r = &s->reply[i].message;

        EXPECT_EQ(finals[r->token], 0); /* nothing after the last part */
        EXPECT((r->flags & LOOM_MEM_PART) == 0 ||
               (sectors[r->token] & r->sectors) == 0);
        sectors[r->token] |= r->sectors;
        finals[r->token] |= (r->flags & LOOM_MEM_MORE) == 0;
    }
    EXPECT_EQ(s->next, s->count);
    for (uint32_t i = 0; i < s->count; i++) {
        EXPECT_EQ(finals[i], 1);
        EXPECT_EQ(sectors[i] & 15, s->script[i].sectors);
    }
}

/* Bytes of blocks by what was done with them. */
struct bytes {
    bool wrote[BLOCKS][BYTES];   /* by a store */
    bool touched[BLOCKS][BYTES]; /* its sector was written */
    bool seen[BLOCKS][BYTES];    /* a write of it came down */
};

static void note_request(struct bytes *all, const struct loom_mem_request *r,
                         uint32_t block, uint32_t sector)
{
    bool store = r->kind == LOOM_MEM_STORE;

    if (!store && r->kind != LOOM_MEM_ATOMIC) {
        return;
    }
    for (uint32_t b = 0; b < BYTES; b++) {
        all->wrote[block][b] |= store && uses(r, b);
        for (uint32_t i = 0; i < sector; i++) {
            all->touched[block][b] |= uses(r, b / sector * sector + i);
        }
    }
}

static void expect_written(const struct rig *rig, const struct setup *s)
{
    static struct bytes all;
    uint32_t sector = s->sector.bytes == 0 || s->sector.bytes > s->shape.line
                          ? s->shape.line
                          : s->sector.bytes;

    memset(&all, 0, sizeof(all));
    for (uint32_t i = 0; i < rig->source->count; i++) {
        const struct loom_mem_request *r = &rig->source->script[i];

        note_request(&all, r, block_name(s, r->block), sector);
    }
    for (uint32_t i = 0; i < rig->memory->count; i++) {
        const struct loom_mem_request *r = &rig->memory->seen[i];
        bool write = r->kind == LOOM_MEM_STORE || r->kind == LOOM_MEM_WRITEBACK;

        for (uint32_t b = 0; b < BYTES && write; b++) {
            all.seen[block_name(s, r->block)][b] |= uses(r, b);
        }
    }
    for (uint32_t i = 0; i < BLOCKS * BYTES; i++) {
        bool seen = all.seen[i / BYTES][i % BYTES];

        EXPECT(!all.wrote[i / BYTES][i % BYTES] || seen);
        EXPECT(!seen || all.touched[i / BYTES][i % BYTES]);
    }
}

/* Every reason that an access meets first counts the access, and each cycle
 * in which it is met. */
static void expect_refusals(struct rig *rig, const struct refusals *refusals)
{
    uint64_t accesses = 0;

    for (uint32_t i = 0; i < LOOM_FAIL_REASONS; i++) {
        uint64_t first = rig_item(rig, "fail_accesses", i);

        EXPECT(rig_item(rig, "reservation_fails", i) >= first);
        accesses += first;
    }
    EXPECT_EQ(accesses, refusals->count);
}

static void flood(const struct setup *s, struct loom_rng *rng)
{
    struct rig *rig = rig_open_with(4);
    struct refusals *refusals;
    struct loom_policy *policy = loom_machine_add_policy(
        rig->machine, &refusal_policy, "sm[0].l1d.policy.refusals", &rig->err);

    REQUIRE(policy != NULL &&
            loom_machine_attach(rig->cache, "observe", policy, &rig->err));
    refusals = loom_policy_state(policy);
    configure(rig, s);
    draw(rig, s, rng, s->sector.split ? 32 : s->shape.line / 4, FLOOD);
    rig_start(rig);
    rig_run(rig);
    expect_answered(rig);
    expect_written(rig, s);
    EXPECT_EQ(rig->watch->count[LOOM_EVENT_ACCESS], rig_stat(rig, "accesses"));
    EXPECT_EQ(rig->watch->count[LOOM_EVENT_HIT], rig_stat(rig, "hits"));
    EXPECT_EQ(rig->watch->count[LOOM_EVENT_MISS], rig_stat(rig, "misses"));
    EXPECT_EQ(rig->watch->count[LOOM_EVENT_REPLY], rig->source->replies);
    expect_refusals(rig, refusals);
    rig_close(rig);
}

/* One of the product, in the order of its digits.  The index turns with every
 * other digit, so that each meets each. */
static struct setup setup_of(uint32_t number)
{
    uint32_t a = number % 3, shape = number / 3 % 5, sector = number / 15 % 8;
    uint32_t w = number / 120;
    enum indexing own = shapes[shape].index;
    /* What the other parameters are made of follows none of the digits. */
    uint32_t mixed = number * UINT32_C(2654435761) >> 12;

    return (struct setup){
        .write = write_modes[w],
        .sector = sector_modes[sector],
        .shape = shapes[shape],
        .allocate = allocates[a],
        .number = mixed,
        .ratio = mixed % 5 == 0 ? 50 : 0,
        .index = own != INDEX_LINEAR
                     ? own
                     : (enum indexing)((w + 3 * sector + 2 * shape + a) % 5),
    };
}

static void over_all(void (*check)(const struct setup *, struct loom_rng *),
                     const char *name)
{
    struct loom_rng rng;

    loom_rng_init(&rng, 11, name);
    for (uint32_t i = 0; i < CONFIGURATIONS; i++) {
        struct setup s = setup_of(i);

        check(&s, &rng);
    }
}

static void contents_agree_with_the_model(void)
{
    _Static_assert(CONFIGURATIONS ==
                       LOOM_COUNTOF(write_modes) * LOOM_COUNTOF(sector_modes) *
                           LOOM_COUNTOF(shapes) * LOOM_COUNTOF(allocates),
                   "all of them");
    over_all(agree, "agree");
    printf("%u configurations agree with the model of contents\n",
           (unsigned)CONFIGURATIONS);
}

static void floods_keep_the_laws(void)
{
    over_all(flood, "flood");
}

/* ---- refusals ---- */

static void expect_refused(const char *param, uint64_t value, const char *text,
                           const char *set, const char *to)
{
    struct rig *rig = rig_open();
    struct loom_error err = rig->err;
    uint32_t complaints = 0;
    bool good = true;

    if (param != NULL) {
        good = loom_machine_set(rig->cache, param,
                                (union loom_value){.u = value}, &err);
    }
    if (good && set != NULL) {
        good = loom_machine_set(rig->cache, set, (union loom_value){.s = to},
                                &err);
    }
    if (good) {
        rig_attach(rig, "set_index", &linear_index_policy);
        rig_attach(rig, "replacement", &lru_policy);
        good = loom_machine_freeze(rig->machine, rig_complain, &complaints);
        EXPECT_EQ(complaints, 1);
    } else {
        EXPECT_TEXT(err.text, text);
    }
    EXPECT(!good);
    rig_close(rig);
}

static void impossible_configurations_are_refused(void)
{
    expect_refused("banks", 3, "banks", NULL, NULL);
    expect_refused("banks", 128, "banks", NULL, NULL);
    expect_refused("bank_bytes", 48, "bank_bytes", NULL, NULL);
    expect_refused("write_ratio", 101, "write_ratio", NULL, NULL);
    expect_refused("sector_bytes", 96, NULL, NULL, NULL);
    expect_refused("sector_bytes", 16, NULL, NULL, NULL);
    expect_refused("max_ways", 1, NULL, NULL, NULL);
    expect_refused("size_bytes", 1000, NULL, NULL, NULL);
    expect_refused("split_sectors", true, NULL, NULL, NULL);
    expect_refused(NULL, 0, NULL, "mshr_unit", "sector");
    expect_refused("join_sectors", true, NULL, NULL, NULL);
    expect_refused(NULL, 0, NULL, "write_miss", "lazy");
    expect_refused(NULL, 0, NULL, "write_miss", "write_allocate");
    expect_refused(NULL, 0, "write_miss", "write_miss", "sometimes");
}

static const struct loom_test tests[] = {
    {"contents_agree_with_the_model", contents_agree_with_the_model},
    {"floods_keep_the_laws", floods_keep_the_laws},
    {"impossible_configurations_are_refused",
     impossible_configurations_are_refused},
};

int main(void)
{
    return loom_run_tests("cache_matrix", tests, LOOM_COUNTOF(tests));
}
