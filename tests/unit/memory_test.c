/*
 * Device memory: addresses, checks and messages.
 *
 * links: loom_flags
 */
#include "tests/unit/test.h"
#include "workloads/memory.h"

#define MIB (UINT64_C(1) << 20)

static struct loom_memory *create(uint64_t limit)
{
    struct loom_memory *memory = loom_memory_create(limit);

    REQUIRE(memory != NULL);
    return memory;
}

static loom_addr take(struct loom_memory *memory, uint64_t bytes,
                      const char *name)
{
    struct loom_error err = {0};
    loom_addr base = 0;

    REQUIRE(loom_memory_alloc(memory, bytes, name, &base, &err));
    return base;
}

static void addresses_follow_the_calls(void)
{
    struct loom_memory *memory = create(MIB);

    EXPECT_EQ(take(memory, 1, "a"), 0xc0000000);
    /* 1 byte rounded to 256, then a gap of 256. */
    EXPECT_EQ(take(memory, 256, "b"), 0xc0000200);
    EXPECT_EQ(take(memory, 257, "c"), 0xc0000400);
    EXPECT_EQ(take(memory, 8, "d"), 0xc0000700);
    EXPECT_EQ(loom_memory_count(memory), 4);
    EXPECT_EQ(loom_memory_get(memory, 2).bytes, 257);
    EXPECT_TEXT(loom_memory_get(memory, 3).name, "d");
    loom_memory_destroy(memory);
}

static void contents_start_zeroed_and_round_trip(void)
{
    struct loom_memory *memory = create(64 * MIB);
    loom_addr base = take(memory, 5 * MIB, "a");
    struct loom_error err = {0};
    uint32_t word = 1;

    EXPECT(loom_memory_read(memory, base + 5 * MIB - 4, &word, 4, &err));
    EXPECT_EQ(word, 0);
    word = 0xdeadbeef;
    EXPECT(loom_memory_write(memory, base + 3 * MIB + 1, &word, 4, &err));
    word = 0;
    EXPECT(loom_memory_read(memory, base + 3 * MIB + 1, &word, 4, &err));
    EXPECT_EQ(word, 0xdeadbeef);
    loom_memory_destroy(memory);
}

static void every_overrun_is_seen(void)
{
    struct loom_memory *memory = create(MIB);
    loom_addr a = take(memory, 100, "first");
    loom_addr b = take(memory, 100, "second");
    struct loom_error err = {0};
    char buffer[8] = {0};

    EXPECT(loom_memory_at(memory, a, 100) != NULL);
    EXPECT(loom_memory_at(memory, a + 96, 4) != NULL);
    EXPECT(loom_memory_at(memory, a + 97, 4) == NULL);
    EXPECT(loom_memory_at(memory, a - 1, 1) == NULL);
    EXPECT(loom_memory_at(memory, 0, 1) == NULL);
    EXPECT(loom_memory_at(memory, a, UINT64_MAX) == NULL);
    EXPECT(loom_memory_at(memory, UINT64_MAX, 2) == NULL);
    EXPECT(!loom_memory_write(memory, a + 120, buffer, 8, &err));
    EXPECT_EQ(err.kind, LOOM_ERR_WORKLOAD);
    EXPECT_TEXT(err.text, "cannot write 8 bytes at 0xc0000078: nearest "
                          "allocation is 'first', 100 bytes at 0xc0000000");
    EXPECT(!loom_memory_read(memory, b - 10, buffer, 8, &err));
    EXPECT_TEXT(err.text, "'second'");
    loom_memory_destroy(memory);
}

static void freed_memory_is_gone_for_good(void)
{
    struct loom_memory *memory = create(MIB);
    loom_addr a = take(memory, 600000, "a");
    struct loom_error err = {0};
    loom_addr b = 0;

    EXPECT(!loom_memory_alloc(memory, 600000, "b", &b, &err));
    EXPECT_TEXT(err.text, "'b' of 600000 bytes does not fit");
    EXPECT(!loom_memory_free(memory, a + 256, &err));
    EXPECT_TEXT(err.text, "cannot free address 0xc0000100");
    EXPECT(loom_memory_free(memory, a, &err));
    EXPECT(loom_memory_at(memory, a, 1) == NULL);
    EXPECT_EQ(loom_memory_count(memory), 0);
    b = take(memory, 600000, "b");
    EXPECT(b > a);
    EXPECT(!loom_memory_free(memory, a, &err));
    EXPECT(!loom_memory_alloc(memory, 0, "c", &b, &err));
    EXPECT_TEXT(err.text, "0 bytes");
    loom_memory_destroy(memory);
    loom_memory_destroy(NULL);
}

static void freed_memory_is_remembered(void)
{
    struct loom_memory *memory = create(MIB);
    loom_addr a = take(memory, 100, "early"), b = take(memory, 100, "late");
    struct loom_allocation found = {0};
    struct loom_error err = {0};
    char byte = 0;

    EXPECT(!loom_memory_freed(memory, a, &found));
    REQUIRE(loom_memory_free(memory, a, &err));
    EXPECT(loom_memory_freed(memory, a + 99, &found));
    EXPECT_TEXT(found.name, "early");
    EXPECT_EQ(found.base, a);
    EXPECT(!loom_memory_freed(memory, a + 100, &found));
    EXPECT(!loom_memory_freed(memory, b, &found));
    EXPECT(!loom_memory_read(memory, a, &byte, 1, &err));
    EXPECT_TEXT(err.text, "'early', 100 bytes at 0xc0000000, was freed");
    loom_memory_destroy(memory);
}

static void written_bytes_are_remembered(void)
{
    struct loom_memory *memory = create(MIB);
    loom_addr before = take(memory, 16, "before"), a;
    struct loom_error err = {0};
    char bytes[40] = {0};

    EXPECT(loom_memory_written(memory, before, 16)); /* nobody watches */
    loom_memory_watch(memory);
    a = take(memory, 100, "a");
    EXPECT(loom_memory_written(memory, before, 16));
    EXPECT(!loom_memory_written(memory, a, 1));
    REQUIRE(loom_memory_write(memory, a + 3, bytes, 40, &err));
    EXPECT(loom_memory_written(memory, a + 3, 40));
    EXPECT(!loom_memory_written(memory, a + 2, 2));
    EXPECT(!loom_memory_written(memory, a + 42, 2));
    loom_memory_mark(memory, a + 43, 1);
    EXPECT(loom_memory_written(memory, a + 42, 2));
    EXPECT(!loom_memory_written(memory, a + 44, 1));
    loom_memory_destroy(memory);
}

static void programs_may_be_kept_from_writing(void)
{
    struct loom_memory *memory = create(MIB);
    loom_addr a = take(memory, 16, "a"), b = take(memory, 16, "b");
    struct loom_error err = {0};
    char byte = 1;

    loom_memory_protect(memory, b);
    EXPECT(!loom_memory_get(memory, 0).read_only);
    EXPECT(loom_memory_get(memory, 1).read_only);
    EXPECT(loom_memory_write(memory, a, &byte, 1, &err));
    EXPECT(loom_memory_write(memory, b, &byte, 1, &err)); /* the host may */
    loom_memory_destroy(memory);
}

/* More than the table's first capacity, freed from the middle. */
static void many_allocations_stay_sorted(void)
{
    struct loom_memory *memory = create(MIB);
    struct loom_error err = {0};
    loom_addr base[100];

    for (uint32_t i = 0; i < 100; i++) {
        base[i] = take(memory, 16, "x");
    }
    for (uint32_t i = 1; i < 100; i += 2) {
        EXPECT(loom_memory_free(memory, base[i], &err));
    }
    EXPECT_EQ(loom_memory_count(memory), 50);
    for (uint32_t i = 0; i < 50; i++) {
        EXPECT_EQ(loom_memory_get(memory, i).base, base[2 * i]);
        EXPECT(loom_memory_at(memory, base[2 * i] + 15, 1) != NULL);
        EXPECT(loom_memory_at(memory, base[2 * i + 1], 1) == NULL);
    }
    loom_memory_destroy(memory);
}

/* Bytes of somebody else are found, and left alone. */
static void bytes_of_the_host_are_adopted(void)
{
    struct loom_memory *memory = create(MIB);
    loom_addr far = UINT64_C(1) << 45, a = take(memory, 16, "a");
    struct loom_error err = {0};
    unsigned char host[256 + LOOM_MEMORY_TAIL] = {7};
    unsigned char byte = 9;
    loom_addr b;

    EXPECT(loom_memory_adopt(memory, far, host, 256, &err));
    EXPECT(!loom_memory_adopt(memory, far + 255, host, 8, &err));
    EXPECT(!loom_memory_adopt(memory, a, host, 8, &err));
    b = take(memory, 16, "b"); /* still in order */
    EXPECT_EQ(loom_memory_get(memory, 1).base, b);
    EXPECT(loom_memory_at(memory, far + 3, 4) == host + 3);
    EXPECT(loom_memory_write(memory, far + 1, &byte, 1, &err));
    EXPECT_EQ(host[1], 9);
    EXPECT(loom_memory_free(memory, far, &err));
    EXPECT(loom_memory_at(memory, far, 1) == NULL);
    loom_memory_destroy(memory);
}

/* Each device counts its addresses from the start of its window. */
static void devices_have_windows(void)
{
    const loom_addr window = UINT64_C(1) << LOOM_MEMORY_WINDOW_BITS;
    struct loom_memory *memory = loom_memory_create(UINT64_C(1) << 42);
    struct loom_error err = {0};
    unsigned char host[64 + LOOM_MEMORY_TAIL];

    REQUIRE(memory != NULL);
    loom_memory_window(memory, 0);
    EXPECT_EQ(take(memory, 8, "a"), 0xc0000000);
    loom_memory_window(memory, 2);
    EXPECT_EQ(take(memory, 8, "b"), 2 * window + 0xc0000000);
    loom_memory_window(memory, 0);
    EXPECT_EQ(take(memory, 8, "c"), 0xc0000200);
    EXPECT(!loom_memory_adopt(memory, 5 * window, host, 64, &err));
    EXPECT(loom_memory_adopt(memory, 32 * window, host, 64, &err));
    loom_memory_destroy(memory);
}

/* Of hardware's pages only those that something is in. */
static void reads_beyond_may_be_forgiven(void)
{
    struct loom_memory *memory = create(16 * MIB);
    loom_addr a = take(memory, 16, "a");

    EXPECT(loom_memory_zeros(memory, a + 16, 4) == NULL);
    loom_memory_forgive(memory);
    EXPECT(loom_memory_zeros(memory, a, 4) == NULL);
    EXPECT(loom_memory_zeros(memory, a + 12, 8) != NULL);
    EXPECT(loom_memory_zeros(memory, a + LOOM_MEMORY_PAGE - 4, 4) != NULL);
    EXPECT(loom_memory_zeros(memory, a + LOOM_MEMORY_PAGE, 4) == NULL);
    EXPECT(loom_memory_zeros(memory, a - 4, 4) == NULL); /* another page */
    loom_memory_destroy(memory);
}

static const struct loom_test tests[] = {
    {"bytes_of_the_host_are_adopted", bytes_of_the_host_are_adopted},
    {"devices_have_windows", devices_have_windows},
    {"reads_beyond_may_be_forgiven", reads_beyond_may_be_forgiven},
    {"addresses_follow_the_calls", addresses_follow_the_calls},
    {"contents_start_zeroed_and_round_trip",
     contents_start_zeroed_and_round_trip},
    {"every_overrun_is_seen", every_overrun_is_seen},
    {"freed_memory_is_gone_for_good", freed_memory_is_gone_for_good},
    {"freed_memory_is_remembered", freed_memory_is_remembered},
    {"written_bytes_are_remembered", written_bytes_are_remembered},
    {"programs_may_be_kept_from_writing", programs_may_be_kept_from_writing},
    {"many_allocations_stay_sorted", many_allocations_stay_sorted},
};

int main(void)
{
    return loom_run_tests("memory", tests, LOOM_COUNTOF(tests));
}
