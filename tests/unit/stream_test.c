/*
 * A warp's stream: what is written is what is read, in the fewest words.
 *
 * links: loom_flags
 */
#include "engine/rng.h"

#include "tests/unit/test.h"
#include "workloads/streams/writer.h"

static struct loom_cursor cursor_of(const struct loom_stream_writer *writer)
{
    struct loom_warp_stream warp = {writer->word, writer->words, writer->insts,
                                    false};

    return loom_cursor_of(&warp);
}

/* Words that one memory instruction takes. */
static uint64_t words_of(uint32_t mask, const loom_addr *address,
                         uint32_t expected_mode)
{
    struct loom_stream_writer writer = {0};
    struct loom_warp_inst inst = {0};
    struct loom_cursor cursor;
    uint64_t words;

    loom_writer_memory(&writer, 7, mask, address);
    REQUIRE(!writer.failed);
    words = writer.words;
    cursor = cursor_of(&writer);
    REQUIRE(loom_stream_next(&cursor, &inst));
    EXPECT_EQ(inst.mode, expected_mode);
    EXPECT_EQ(inst.index, 7);
    EXPECT_EQ(inst.mask, mask);
    EXPECT(!loom_stream_next(&cursor, &inst));
    loom_writer_free(&writer);
    return words;
}

static void the_smallest_mode_is_chosen(void)
{
    loom_addr address[LOOM_WARP_LANES];

    for (uint32_t i = 0; i < LOOM_WARP_LANES; i++) {
        address[i] = 0x100000000 + 4 * i;
    }
    EXPECT_EQ(words_of(UINT32_MAX, address, LOOM_ADDR_STRIDE), 4);
    EXPECT_EQ(words_of(0x0000ff00, address, LOOM_ADDR_STRIDE), 5);
    EXPECT_EQ(words_of(0x00000100, address, LOOM_ADDR_DELTA), 4);
    EXPECT_EQ(words_of(0, address, LOOM_ADDR_NONE), 2);
    /* Lanes 0, 1 and 3: 0, 4, 12 is not linear. */
    EXPECT_EQ(words_of(0xb, address, LOOM_ADDR_DELTA), 6);
    address[1] = 0x300000000;
    EXPECT_EQ(words_of(0x3, address, LOOM_ADDR_LIST), 6);
    EXPECT_EQ(words_of(UINT32_MAX, address, LOOM_ADDR_LIST), 65);
    /* A negative stride, and one that is just too wide. */
    address[0] = 0x180000000;
    address[1] = 0x100000000;
    EXPECT_EQ(words_of(0x3, address, LOOM_ADDR_STRIDE), 5);
    address[0] = 0x100000000;
    address[1] = 0x180000000;
    EXPECT_EQ(words_of(0x3, address, LOOM_ADDR_LIST), 6);
}

static void one_address_for_all_is_stride_zero(void)
{
    loom_addr address[LOOM_WARP_LANES];

    for (uint32_t i = 0; i < LOOM_WARP_LANES; i++) {
        address[i] = 0xfedcba9876543210;
    }
    EXPECT_EQ(words_of(UINT32_MAX, address, LOOM_ADDR_STRIDE), 4);
}

/* One random instruction; kind 0 has no addresses. */
struct sample {
    uint32_t index, mask, kind;
    loom_addr address[LOOM_WARP_LANES];
};

#define SAMPLES 5000

static void make_sample(struct loom_rng *rng, struct sample *s)
{
    uint64_t base = loom_rng_next(rng);
    uint64_t stride = loom_rng_below(rng, 1u << 20) - (1u << 19);
    uint32_t pick = (uint32_t)loom_rng_below(rng, 4);

    s->index = (uint32_t)loom_rng_below(rng, LOOM_STATIC_MAX);
    s->kind = (uint32_t)loom_rng_below(rng, 4);
    s->mask = (uint32_t)loom_rng_next(rng);
    if (pick == 0) {
        s->mask = UINT32_MAX;
    } else if (pick == 1) {
        s->mask &= (uint32_t)loom_rng_next(rng) & (uint32_t)loom_rng_next(rng);
    }
    for (uint32_t i = 0; i < LOOM_WARP_LANES; i++) {
        s->address[i] = s->kind == 1   ? base + i * stride
                        : s->kind == 2 ? base + loom_rng_below(rng, 1u << 30)
                                       : loom_rng_next(rng);
    }
}

/* The span, where it is known, is that of the active lanes; it is unknown only
 * for lists and for addresses that wrap. */
static bool span_is_right(const struct loom_warp_inst *inst,
                          const loom_addr *address)
{
    loom_addr first = address[loom_lowest(inst->mask)];
    loom_addr lowest, highest, low = first, high = first;
    bool wraps = false;

    for (uint32_t left = inst->mask; left != 0; left &= left - 1) {
        loom_addr at = address[loom_lowest(left)];

        low = at < low ? at : low;
        high = at > high ? at : high;
        wraps = wraps || ((int64_t)(at - first) < 0) != (at < first);
    }
    if (!loom_stream_span(inst, &lowest, &highest)) {
        return inst->mode == LOOM_ADDR_LIST || wraps;
    }
    return lowest == low && highest == high;
}

static void random_instructions_round_trip(void)
{
    static struct sample sample[SAMPLES];
    struct loom_stream_writer writer = {0};
    struct loom_warp_inst inst = {0};
    struct loom_cursor cursor;
    struct loom_rng rng;
    bool same = true;

    loom_rng_init(&rng, 1, "stream");
    for (uint32_t i = 0; i < SAMPLES; i++) {
        make_sample(&rng, &sample[i]);
        if (sample[i].kind == 0) {
            loom_writer_put(&writer, sample[i].index, sample[i].mask);
        } else {
            loom_writer_memory(&writer, sample[i].index, sample[i].mask,
                               sample[i].address);
        }
    }
    EXPECT(!writer.failed);
    EXPECT_EQ(writer.insts, SAMPLES);
    cursor = cursor_of(&writer);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const struct sample *s = &sample[i];
        loom_addr address[LOOM_WARP_LANES];

        REQUIRE(loom_stream_next(&cursor, &inst));
        same = same && inst.index == s->index && inst.mask == s->mask;
        loom_stream_addresses(&inst, address);
        for (uint32_t left = s->kind == 0 ? 0 : s->mask; left != 0;
             left &= left - 1) {
            uint32_t lane = loom_lowest(left);

            same = same && address[lane] == s->address[lane];
        }
        same = same && (inst.mode == LOOM_ADDR_NONE ||
                        span_is_right(&inst, s->address));
    }
    EXPECT(same);
    EXPECT(!loom_stream_next(&cursor, &inst));
    loom_writer_free(&writer);
}

static void buffers_are_used_again(void)
{
    struct loom_stream_writer writer = {0};
    uint64_t capacity;

    for (uint32_t i = 0; i < 10000; i++) {
        loom_writer_put(&writer, i, UINT32_MAX);
    }
    capacity = writer.capacity;
    loom_writer_reset(&writer);
    EXPECT_EQ(writer.words, 0);
    EXPECT_EQ(writer.insts, 0);
    for (uint32_t i = 0; i < 10000; i++) {
        loom_writer_put(&writer, i, UINT32_MAX);
    }
    EXPECT_EQ(writer.capacity, capacity);
    loom_writer_free(&writer);
    EXPECT(writer.word == NULL);
}

static const struct loom_test tests[] = {
    {"the_smallest_mode_is_chosen", the_smallest_mode_is_chosen},
    {"one_address_for_all_is_stride_zero", one_address_for_all_is_stride_zero},
    {"random_instructions_round_trip", random_instructions_round_trip},
    {"buffers_are_used_again", buffers_are_used_again},
};

int main(void)
{
    return loom_run_tests("stream", tests, LOOM_COUNTOF(tests));
}
