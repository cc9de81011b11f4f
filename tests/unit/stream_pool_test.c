/*
 * The pool of streams: buffers in memory, in the file, and on their way.
 *
 * links: loom_flags
 */
#include "tests/unit/test.h"
#include "workloads/streams/pool.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)

/* Fills a buffer word by word up to `bytes` as it grows. */
static void fill(struct loom_stream_pool *pool, struct loom_pool_buffer *buffer,
                 uint64_t from, uint64_t bytes, uint32_t seed)
{
    for (uint64_t at = from; at < bytes; at += sizeof(uint32_t)) {
        if (at + sizeof(uint32_t) > buffer->bytes) {
            REQUIRE(loom_pool_grow(pool, buffer, at + sizeof(uint32_t)));
        }
        ((uint32_t *)buffer->at)[at / sizeof(uint32_t)] =
            seed ^ (uint32_t)(at * 2654435761u);
    }
}

static bool holds(const struct loom_pool_buffer *buffer, uint64_t bytes,
                  uint32_t seed)
{
    for (uint64_t at = 0; at < bytes; at += sizeof(uint32_t)) {
        if (((const uint32_t *)buffer->at)[at / sizeof(uint32_t)] !=
            (seed ^ (uint32_t)(at * 2654435761u))) {
            return false;
        }
    }
    return true;
}

static void small_buffers_stay_in_memory(void)
{
    struct loom_stream_pool *pool = loom_pool_create(MIB);
    struct loom_pool_buffer buffer = {0};

    REQUIRE(pool != NULL);
    fill(pool, &buffer, 0, 500 * KIB, 1);
    EXPECT(buffer.spill == NULL);
    EXPECT(holds(&buffer, 500 * KIB, 1));
    EXPECT_EQ(loom_pool_use(pool).memory, buffer.bytes);
    EXPECT(!loom_pool_crowded(pool) || buffer.bytes > MIB / 2);
    loom_pool_release(pool, &buffer);
    EXPECT_EQ(loom_pool_use(pool).memory, 0);
    EXPECT_EQ(loom_pool_use(pool).file_max, 0);
    loom_pool_destroy(pool);
}

static void large_ones_move_to_the_file(void)
{
    struct loom_stream_pool *pool = loom_pool_create(MIB);
    struct loom_pool_buffer a = {0}, b = {0};

    REQUIRE(pool != NULL);
    fill(pool, &a, 0, 3 * MIB, 1);
    EXPECT(a.spill != NULL);
    EXPECT_EQ(loom_pool_use(pool).memory, 0);
    fill(pool, &b, 0, 200 * KIB, 2); /* there is room for this one */
    EXPECT(b.spill == NULL);
    fill(pool, &a, 3 * MIB, 9 * MIB, 1);
    fill(pool, &b, 200 * KIB, 5 * MIB, 2);
    loom_pool_settle(pool, &a);
    loom_pool_settle(pool, &b);
    EXPECT(holds(&a, 9 * MIB, 1));
    EXPECT(holds(&b, 5 * MIB, 2));
    EXPECT(loom_pool_use(pool).memory_max <= MIB);
    EXPECT_EQ(loom_pool_use(pool).file, a.bytes + b.bytes);
    loom_pool_release(pool, &a);
    loom_pool_release(pool, &b);
    EXPECT_EQ(loom_pool_use(pool).file, 0);
    loom_pool_destroy(pool);
}

static void the_file_is_used_again(void)
{
    struct loom_stream_pool *pool = loom_pool_create(0);
    uint64_t most = 0;

    REQUIRE(pool != NULL);
    for (uint32_t i = 0; i < 4; i++) {
        struct loom_pool_buffer buffer = {0};

        fill(pool, &buffer, 0, 4 * MIB, i);
        EXPECT(holds(&buffer, 4 * MIB, i));
        loom_pool_release(pool, &buffer);
        most = i == 0 ? loom_pool_use(pool).file_max : most;
        EXPECT_EQ(loom_pool_use(pool).file_max, most);
    }
    loom_pool_destroy(pool);
}

/* Beyond the addresses reserved at first, 256 MiB, where the pieces are
 * mapped again elsewhere.  Only a word of each 64 KiB is touched. */
static void a_buffer_outgrows_its_addresses(void)
{
    struct loom_stream_pool *pool = loom_pool_create(0);
    struct loom_pool_buffer buffer = {0};
    uint64_t all = 260 * MIB;
    bool same = true;

    REQUIRE(pool != NULL);
    for (uint64_t at = 0; at < all; at += 64 * KIB) {
        if (at + 8 > buffer.bytes) {
            REQUIRE(loom_pool_grow(pool, &buffer, at + 8));
        }
        memcpy((char *)buffer.at + at, &at, sizeof(at));
    }
    for (uint64_t at = 0; at < all; at += 64 * KIB) {
        same = same && memcmp((char *)buffer.at + at, &at, sizeof(at)) == 0;
    }
    EXPECT(same);
    loom_pool_release(pool, &buffer);
    loom_pool_destroy(pool);
}

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

static const struct loom_test tests[] = {
    TEST(small_buffers_stay_in_memory),
    TEST(large_ones_move_to_the_file),
    TEST(the_file_is_used_again),
    TEST(a_buffer_outgrows_its_addresses),
};

int main(void)
{
    return loom_run_tests("stream_pool", tests, LOOM_COUNTOF(tests));
}
