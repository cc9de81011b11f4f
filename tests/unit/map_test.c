/*
 * Address maps: hand-computed places, and that no two bursts share one.
 * links: policy_gpgpusim_map policy_linear_map
 */
#include <stdlib.h>

#include "engine/machine.h"

#include "policies/dram_hook.h"
#include "tests/unit/test.h"

extern const struct loom_policy_type gpgpusim_map_policy;
extern const struct loom_policy_type linear_map_policy;

struct map_rig {
    struct loom_machine *machine;
    struct loom_policy *policy;
    const struct loom_map_ops *ops;
};

static struct map_rig build(const struct loom_policy_type *type)
{
    struct map_rig rig = {0};
    struct loom_error err;

    rig.machine = loom_machine_create(1);
    rig.policy = loom_machine_add_policy(rig.machine, type, "m.map", &err);
    REQUIRE(rig.policy != NULL);
    rig.ops = loom_policy_type_ops(type, &loom_map_hook);
    REQUIRE(rig.ops != NULL);
    return rig;
}

static void bind(struct map_rig *rig, uint32_t channels, uint32_t slices)
{
    struct loom_map_shape shape = {channels, slices, 0};
    struct loom_error err;

    REQUIRE(rig->ops->bind(rig->policy, &shape, &err));
}

static struct loom_place place_of(struct map_rig *rig, loom_addr address)
{
    struct loom_place place = {0};

    rig->ops->map(rig->policy, address, &place);
    return place;
}

static void set_bits(struct map_rig *rig, const char *name,
                     const uint64_t *bits, uint32_t count)
{
    union loom_value value = {.list = {bits, count}};
    struct loom_error err;

    REQUIRE(loom_machine_set_policy(rig->policy, name, value, &err));
}

static void set_hash(struct map_rig *rig, const char *hash)
{
    union loom_value value = {.s = hash};
    struct loom_error err;

    REQUIRE(loom_machine_set_policy(rig->policy, "hash", value, &err));
}

/* 32 channels of 2: the field of 6 bits from bit 8 is slice * 32 + channel. */
static void hashes_change_channel_and_slice(void)
{
    struct map_rig rig = build(&gpgpusim_map_policy);
    uint32_t seen[64] = {0};

    set_hash(&rig, "ipoly");
    bind(&rig, 32, 2);
    EXPECT_EQ(place_of(&rig, 0).slice, 0);
    EXPECT_EQ(place_of(&rig, 3 << 8).slice, 6); /* nothing above */
    EXPECT_EQ(place_of(&rig, 1 << 13).slice, 1);
    /* bit 14 is x^6 = x + 1, bit 15 x^7 = x^2 + x */
    EXPECT_EQ(place_of(&rig, 1 << 14).slice, 3);
    EXPECT_EQ(place_of(&rig, 1 << 15).slice, 6);
    EXPECT_EQ(place_of(&rig, 3 << 14).channel, 5 / 2);
    EXPECT_EQ(place_of(&rig, 1 << 15).local, 1 << 9); /* as without */
    loom_machine_destroy(rig.machine);

    rig = build(&gpgpusim_map_policy);
    set_hash(&rig, "xor");
    bind(&rig, 32, 2);
    EXPECT_EQ(place_of(&rig, 5 << 14).channel, 5);
    EXPECT_EQ(place_of(&rig, 5 << 14 | 3 << 8 | 1 << 13).slice, 13);
    loom_machine_destroy(rig.machine);

    rig = build(&gpgpusim_map_policy);
    set_hash(&rig, "random");
    bind(&rig, 12, 2);
    for (uint32_t i = 0; i < 24000; i++) {
        struct loom_place p = place_of(&rig, (loom_addr)i * 128);

        EXPECT(p.slice < 24 && p.channel == p.slice / 2);
        seen[p.slice]++;
    }
    for (uint32_t i = 0; i < 24; i++) {
        EXPECT(seen[i] > 800 && seen[i] < 1200);
    }
    loom_machine_destroy(rig.machine);
}

static void impossible_hashes_are_refused(void)
{
    struct loom_map_shape six = {6, 2, 0}, one = {1, 1, 0};
    struct map_rig rig = build(&gpgpusim_map_policy);
    struct loom_error err;

    set_hash(&rig, "xor");
    EXPECT(!rig.ops->bind(rig.policy, &six, &err));
    set_hash(&rig, "ipoly");
    EXPECT(!rig.ops->bind(rig.policy, &one, &err));
    loom_machine_destroy(rig.machine);
}

/* rest = 0000RRRR RRRRRRRR BBBCCCCB CCSSSSSS, six channels from bit 8. */
static void gtx480_places_are_as_gpgpusim_says(void)
{
    struct map_rig rig = build(&gpgpusim_map_policy);
    struct loom_place p;

    bind(&rig, 6, 2);
    p = place_of(&rig, 0);
    EXPECT(p.channel == 0 && p.slice == 0 && p.bank == 0 && p.row == 0);
    EXPECT(p.column == 0 && p.local == 0);
    p = place_of(&rig, 5 * 256 + 192); /* channel 5, rest 192: third burst */
    EXPECT(p.channel == 5 && p.slice == 10 && p.bank == 0);
    EXPECT(p.column == 3 && p.local == 192);
    p = place_of(&rig, 6 * 256); /* rest 256: bit 8 is bank bit 0 */
    EXPECT(p.channel == 0 && p.slice == 1 && p.bank == 1 && p.column == 0);
    EXPECT_EQ(p.local, 0);        /* the slice's bit is squeezed out */
    p = place_of(&rig, 12 * 256); /* rest 512: bit 9 is column bit 2 */
    EXPECT(p.slice == 0 && p.bank == 0 && p.column == 4);
    EXPECT_EQ(p.local, 256);
    /* rest 0xABCDE40: row 0xABC, bits 15..13 = 110, bits 12..9 = 1111,
     * bit 8 = 0, bits 7..6 = 01. */
    p = place_of(&rig, ((UINT64_C(0xABCDE40) >> 8) * 6 + 4) << 8 | 0x40);
    EXPECT(p.channel == 4 && p.slice == 8);
    EXPECT_EQ(p.row, 0xABC);
    EXPECT_EQ(p.bank, 12);   /* 110 0 */
    EXPECT_EQ(p.column, 61); /* 1111 01 */
    EXPECT_EQ(p.local, 0x55E6F40);
    loom_machine_destroy(rig.machine);
}

/* Every burst of 2^24 bytes has a place of its own. */
static void check_unique(struct map_rig *rig, uint32_t channels, uint32_t atom,
                         uint32_t rows, uint32_t columns)
{
    size_t places = (size_t)channels * 16 * rows * columns;
    unsigned char *seen = calloc(places, 1);
    uint32_t wrong = 0;

    REQUIRE(seen != NULL);
    for (loom_addr a = 0; a < UINT64_C(1) << 24; a += atom) {
        struct loom_place p = place_of(rig, a);
        size_t n = ((size_t)(p.channel * 16 + p.bank) * rows + p.row);

        n = n * columns + p.column;
        if (p.channel >= channels || p.bank >= 16 || p.row >= rows ||
            p.column >= columns || seen[n] != 0) {
            wrong++;
            continue;
        }
        seen[n] = 1;
    }
    EXPECT_EQ(wrong, 0);
    free(seen);
}

static void gtx480_bursts_have_places_of_their_own(void)
{
    struct map_rig rig = build(&gpgpusim_map_policy);

    bind(&rig, 6, 2);
    check_unique(&rig, 6, 64, 64, 64);
    loom_machine_destroy(rig.machine);
}

/* QV100: 0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS, 32 channels. */
static void qv100_bursts_have_places_of_their_own(void)
{
    static const uint64_t slice[] = {8};
    static const uint64_t bank[] = {8, 12, 13, 14};
    static const uint64_t row[] = {15, 16, 17, 18, 19, 20, 21,
                                   22, 23, 24, 25, 26, 27};
    static const uint64_t column[] = {5, 6, 7, 9, 10, 11};
    struct map_rig rig = build(&gpgpusim_map_policy);
    struct loom_place p;

    set_bits(&rig, "slice_bits", slice, 1);
    set_bits(&rig, "bank_bits", bank, 4);
    set_bits(&rig, "row_bits", row, 13);
    set_bits(&rig, "column_bits", column, 6);
    bind(&rig, 32, 2);
    check_unique(&rig, 32, 32, 32, 64);
    /* A power of two of channels is a field of bits: 31 at bits 12..8. */
    p = place_of(&rig, 0x1F00);
    EXPECT(p.channel == 31 && p.slice == 62 && p.bank == 0);
    p = place_of(&rig, 0x3F00);
    EXPECT(p.channel == 31 && p.slice == 63 && p.bank == 1);
    loom_machine_destroy(rig.machine);
}

/* Each slice gets the same number of blocks, and its local addresses are
 * distinct and dense: block k of a slice is local k * 128 in some order. */
static void check_slices(struct map_rig *rig, uint32_t slices)
{
    enum {
        BLOCKS = 1024 /* per slice */
    };
    unsigned char *seen = calloc((size_t)slices * BLOCKS, 1);
    uint32_t *count = calloc(slices, sizeof(*count));
    uint32_t wrong = 0;

    REQUIRE(seen != NULL && count != NULL);
    for (loom_addr b = 0; b < (loom_addr)slices * BLOCKS; b++) {
        struct loom_place p = place_of(rig, b * 128);
        uint64_t n = p.local / 128;

        REQUIRE(p.slice < slices);
        count[p.slice]++;
        if (p.local % 128 != 0 || n >= BLOCKS ||
            seen[p.slice * BLOCKS + n]++ != 0) {
            wrong++;
        }
    }
    EXPECT_EQ(wrong, 0);
    for (uint32_t s = 0; s < slices; s++) {
        EXPECT_EQ(count[s], BLOCKS);
    }
    free(seen);
    free(count);
}

static void slices_are_balanced_and_dense(void)
{
    static const uint32_t shapes[][2] = {
        {6, 2}, {6, 1}, {12, 2}, {1, 1}, {8, 2}};

    for (size_t i = 0; i < LOOM_COUNTOF(shapes); i++) {
        struct map_rig a = build(&gpgpusim_map_policy);
        struct map_rig b = build(&linear_map_policy);

        bind(&a, shapes[i][0], shapes[i][1]);
        bind(&b, shapes[i][0], shapes[i][1]);
        check_slices(&a, shapes[i][0] * shapes[i][1]);
        check_slices(&b, shapes[i][0] * shapes[i][1]);
        loom_machine_destroy(a.machine);
        loom_machine_destroy(b.machine);
    }
}

static void linear_bursts_have_places_of_their_own(void)
{
    struct map_rig rig = build(&linear_map_policy);
    struct loom_place p;

    bind(&rig, 6, 2);
    check_unique(&rig, 6, 64, 64, 64);
    bind(&rig, 1, 1);
    /* ((row 3 * 16 + bank 5) * 64 + column 7) * 64 */
    p = place_of(&rig, ((3 * 16 + 5) * 64 + 7) * 64);
    EXPECT(p.row == 3 && p.bank == 5 && p.column == 7 && p.slice == 0);
    loom_machine_destroy(rig.machine);
}

static void impossible_maps_are_refused(void)
{
    static const uint64_t twice[] = {8, 9, 8};
    struct map_rig rig = build(&gpgpusim_map_policy);
    struct loom_map_shape three = {6, 3, 0}, four = {6, 4, 0}, two = {6, 2, 0};
    struct loom_error err;

    EXPECT(!rig.ops->bind(rig.policy, &three, &err));
    EXPECT_TEXT(err.text, "3 slices per channel, expected a power of two");
    EXPECT(!rig.ops->bind(rig.policy, &four, &err));
    EXPECT_TEXT(err.text, "at most the 1 bits of parameter 'slice_bits'");
    set_bits(&rig, "bank_bits", twice, 3);
    EXPECT(!rig.ops->bind(rig.policy, &two, &err));
    EXPECT_TEXT(err.text, "parameter 'bank_bits' names bit 8 twice");
    loom_machine_destroy(rig.machine);
}

/* Each list may have 16 runs, whatever the others have. */
static void scattered_bits_are_limited_by_list(void)
{
    struct map_rig rig = build(&gpgpusim_map_policy);
    struct loom_map_shape shape = {1, 1, 0};
    struct loom_error err;
    uint64_t even[17], odd[17];
    struct loom_place p;

    for (uint64_t i = 0; i < 17; i++) {
        even[i] = 6 + 2 * i;
        odd[i] = 7 + 2 * i;
    }
    set_bits(&rig, "row_bits", even, 16);
    set_bits(&rig, "column_bits", odd, 16);
    EXPECT(rig.ops->bind(rig.policy, &shape, &err));
    p = place_of(&rig, loom_bit(6) | loom_bit(9) | loom_bit(37));
    EXPECT(p.row == 1 && p.column == (1u << 1 | 1u << 15));
    set_bits(&rig, "column_bits", odd, 17);
    EXPECT(!rig.ops->bind(rig.policy, &shape, &err));
    EXPECT_TEXT(err.text, "parameter 'column_bits' has more than 16 separate");
    set_bits(&rig, "row_bits", even, 17);
    EXPECT(!rig.ops->bind(rig.policy, &shape, &err));
    EXPECT_TEXT(err.text, "parameter 'row_bits' has more than 16 separate");
    loom_machine_destroy(rig.machine);
}

static const struct loom_test tests[] = {
    {"scattered_bits_are_limited_by_list", scattered_bits_are_limited_by_list},
    {"gtx480_places_are_as_gpgpusim_says", gtx480_places_are_as_gpgpusim_says},
    {"hashes_change_channel_and_slice", hashes_change_channel_and_slice},
    {"impossible_hashes_are_refused", impossible_hashes_are_refused},
    {"gtx480_bursts_have_places_of_their_own",
     gtx480_bursts_have_places_of_their_own},
    {"qv100_bursts_have_places_of_their_own",
     qv100_bursts_have_places_of_their_own},
    {"linear_bursts_have_places_of_their_own",
     linear_bursts_have_places_of_their_own},
    {"slices_are_balanced_and_dense", slices_are_balanced_and_dense},
    {"impossible_maps_are_refused", impossible_maps_are_refused},
};

int main(void)
{
    return loom_run_tests("map", tests, LOOM_COUNTOF(tests));
}
