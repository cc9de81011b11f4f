/*
 * The functional L1 model: lines, hits, who is hit on, turns, barriers and
 * places, worked out by hand.
 *
 * links: loom_flags
 */
#include "components/mem_protocol.h"
#include "tests/unit/cta_source.h"
#include "workloads/locality/locality.h"

/* One set and one way more each: 2, 4, 6 and 8 lines. */
static struct loom_locality_spec spec_of(uint32_t sms, uint32_t ctas)
{
    struct loom_locality_spec spec = {
        .sms = sms, .ctas = ctas, .threads = 1536};

    for (uint32_t c = 0; c < LOOM_LOCALITY_CACHES; c++) {
        spec.cache[c].sets = 2;
        spec.cache[c].ways = c + 1;
    }
    return spec;
}

/* Static instruction 0 loads, 1 stores, 2 is a barrier, 3 an addition. */
static void rig(struct source *source, uint32_t ctas, uint32_t warps)
{
    source_init(source, ctas, warps);
    source_inst(source, LOOM_OP_LOAD, 1, NONE);
    source_inst(source, LOOM_OP_STORE, NONE, 1);
    source_inst(source, LOOM_OP_BARRIER, NONE, NONE);
    source_inst(source, LOOM_OP_INT_ADD, 1, 1);
    for (uint32_t i = 0; i < 2; i++) {
        source->inst[i].space = LOOM_SPACE_GLOBAL;
        source->inst[i].bytes = 4;
        source->inst[i].vector = 1;
    }
}

/* All lanes of a warp access a stride apart from line `line` on. */
static void touch(struct source *source, uint32_t warp, uint32_t inst,
                  uint32_t line, uint32_t stride)
{
    loom_addr address[LOOM_WARP_LANES];

    for (uint32_t i = 0; i < LOOM_WARP_LANES; i++) {
        address[i] = 128 * (loom_addr)line + (loom_addr)stride * i;
    }
    loom_writer_memory(&source->writer[warp], inst, UINT32_MAX, address);
}

static struct loom_locality measure(struct source *source,
                                    const struct loom_locality_spec *spec,
                                    uint32_t times)
{
    struct loom_locality result = {0};
    struct loom_locality_model *model;
    struct loom_error err;

    source_seal(source);
    model = loom_locality_create(spec, &err);
    REQUIRE(model != NULL);
    for (uint32_t i = 0; i < times; i++) {
        loom_locality_free(&result);
        source->produced = 0;
        REQUIRE(loom_locality_measure(model, &source->kernel, &result, &err));
    }
    loom_locality_destroy(model);
    return result;
}

static void expect_hits(const struct loom_locality_load *load, uint64_t a,
                        uint64_t b, uint64_t c, uint64_t d)
{
    EXPECT_EQ(load->hits[0], a);
    EXPECT_EQ(load->hits[1], b);
    EXPECT_EQ(load->hits[2], c);
    EXPECT_EQ(load->hits[3], d);
}

/* Lines 0, 2, 4 are in set 0, 1 ^ 1 = 0 and 1 ^ 0 = 1: with one index bit
 * the polynomial index is the parity. */
static void lines_fold_into_sets(void)
{
    struct loom_locality_spec spec = spec_of(1, 1);
    struct loom_locality result;
    struct source source;

    rig(&source, 1, 1);
    touch(&source, 0, 0, 0, 4);
    touch(&source, 0, 0, 3, 4); /* set 0, too */
    touch(&source, 0, 0, 0, 4); /* gone from one way, there in two */
    touch(&source, 0, 0, 1, 4); /* set 1 */
    touch(&source, 0, 0, 0, 4);
    result = measure(&source, &spec, 1);
    EXPECT_EQ(result.load[0].loads, 5);
    EXPECT_EQ(result.load[0].lines, 5);
    EXPECT_EQ(result.insts, 5);
    EXPECT_EQ(result.thread_insts, 160);
    expect_hits(&result.load[0], 1, 2, 2, 2);
    EXPECT_EQ(result.load[0].same_warp, 2);
    EXPECT_EQ(result.load[0].other_warp, 0);
    loom_locality_free(&result);
    source_free(&source);
}

/* Two lines that differ in the second bit only, three times around, with one
 * way: where the index is their parity or their bits folded they are in one
 * set and the other; by the lowest bit in the same. */
static void index_can_be_chosen(void)
{
    static const uint64_t hits[] = {
        [LOOM_LOCALITY_POLYNOMIAL] = 4,
        [LOOM_LOCALITY_FOLDED] = 4,
        [LOOM_LOCALITY_MODULO] = 0,
    };

    for (uint32_t i = 0; i < 3; i++) {
        struct loom_locality_spec spec = spec_of(1, 1);
        struct loom_locality result;
        struct source source;

        spec.index = (enum loom_locality_index)i;
        rig(&source, 1, 1);
        for (uint32_t k = 0; k < 3; k++) {
            touch(&source, 0, 0, 0, 4);
            touch(&source, 0, 0, 2, 4);
        }
        result = measure(&source, &spec, 1);
        EXPECT_EQ(result.load[0].hits[0], hits[i]);
        EXPECT_EQ(result.load[0].hits[1], 4);
        loom_locality_free(&result);
        source_free(&source);
    }
}

/* The second of two launches of the same load. */
static void launches_can_flush(void)
{
    for (int flush = 0; flush < 2; flush++) {
        struct loom_locality_spec spec = spec_of(1, 1);
        struct loom_locality result;
        struct source source;

        spec.flush = flush != 0;
        rig(&source, 1, 1);
        touch(&source, 0, 0, 0, 4);
        result = measure(&source, &spec, 2);
        EXPECT_EQ(result.load[0].hits[3], flush != 0 ? 0 : 1);
        loom_locality_free(&result);
        source_free(&source);
    }
}

static void lanes_share_lines(void)
{
    struct loom_locality_spec spec = spec_of(1, 1);
    struct loom_locality result;
    struct source source;

    rig(&source, 1, 1);
    touch(&source, 0, 0, 0, 0);   /* one */
    touch(&source, 0, 0, 1, 8);   /* two */
    touch(&source, 0, 0, 8, 128); /* thirty-two */
    source.inst[0].bytes = 8;
    result = measure(&source, &spec, 1);
    EXPECT_EQ(result.load[0].lines, 35);
    loom_locality_free(&result);
    source_free(&source);
}

static void stores_evict(void)
{
    struct loom_locality_spec spec = spec_of(1, 1);
    struct loom_locality result;
    struct source source;

    rig(&source, 1, 1);
    touch(&source, 0, 1, 0, 4); /* allocates nothing */
    touch(&source, 0, 0, 0, 4);
    touch(&source, 0, 0, 0, 4); /* hits */
    touch(&source, 0, 1, 0, 4);
    touch(&source, 0, 0, 0, 4);
    result = measure(&source, &spec, 1);
    expect_hits(&result.load[0], 1, 1, 1, 1);
    EXPECT_EQ(result.load[1].loads, 0);
    loom_locality_free(&result);
    source_free(&source);
}

/* Two warps take turns: the second one's first load hits on the first's. */
static void warps_take_turns(void)
{
    struct loom_locality_spec spec = spec_of(1, 1);
    struct loom_locality result;
    struct source source;

    rig(&source, 1, 2);
    for (uint32_t w = 0; w < 2; w++) {
        touch(&source, w, 0, 0, 4);
        touch(&source, w, 0, 3, 4);
    }
    result = measure(&source, &spec, 1);
    expect_hits(&result.load[0], 2, 2, 2, 2);
    EXPECT_EQ(result.load[0].other_warp, 2);
    loom_locality_free(&result);
    source_free(&source);
}

/* Without the barrier warp 1 would be first at line 3. */
static void barriers_hold(void)
{
    struct loom_locality_spec spec = spec_of(1, 1);
    struct loom_locality result;
    struct source source;

    rig(&source, 1, 2);
    touch(&source, 0, 0, 0, 4);
    touch(&source, 0, 0, 3, 4);
    source_run(&source, 0, 2, 3);
    source_run(&source, 1, 2, 3);
    touch(&source, 1, 0, 0, 4); /* evicted where there is one way */
    result = measure(&source, &spec, 1);
    expect_hits(&result.load[0], 0, 1, 1, 1);
    loom_locality_free(&result);
    source_free(&source);
}

/* Four CTAs on two SMs meet their own SM's lines only; a second launch finds
 * what the first one left. */
static void sms_share_nothing(void)
{
    struct loom_locality_spec spec = spec_of(2, 1);
    struct loom_locality result;
    struct source source;

    rig(&source, 4, 1);
    touch(&source, 0, 0, 0, 4);
    result = measure(&source, &spec, 1);
    EXPECT_EQ(result.load[0].loads, 4);
    expect_hits(&result.load[0], 2, 2, 2, 2);
    EXPECT_EQ(source.released, 4);
    loom_locality_free(&result);
    source.released = 0;
    result = measure(&source, &spec, 2);
    expect_hits(&result.load[0], 4, 4, 4, 4);
    EXPECT_EQ(result.load[0].other_warp, 4);
    EXPECT_EQ(source.released, 8);
    loom_locality_free(&result);
    source_free(&source);
}

static void errors_give_all_back(void)
{
    struct loom_locality_spec spec = spec_of(1, 4);
    struct loom_locality_model *model;
    struct loom_locality result;
    struct loom_error err;
    struct source source;

    rig(&source, 4, 1);
    touch(&source, 0, 0, 0, 4);
    source_seal(&source);
    source.fail_at = 2;
    model = loom_locality_create(&spec, &err);
    REQUIRE(model != NULL);
    EXPECT(!loom_locality_measure(model, &source.kernel, &result, &err));
    EXPECT_EQ(source.released, 2);
    loom_locality_destroy(model);
    source_free(&source);
}

static const struct loom_test tests[] = {
    {"lines_fold_into_sets", lines_fold_into_sets},
    {"index_can_be_chosen", index_can_be_chosen},
    {"launches_can_flush", launches_can_flush},
    {"lanes_share_lines", lanes_share_lines},
    {"stores_evict", stores_evict},
    {"warps_take_turns", warps_take_turns},
    {"barriers_hold", barriers_hold},
    {"sms_share_nothing", sms_share_nothing},
    {"errors_give_all_back", errors_give_all_back},
};

int main(void)
{
    return loom_run_tests("locality", tests, LOOM_COUNTOF(tests));
}
